import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// Where `npm run dev` finds a running server; the pages of the program itself need no such setting.
const server = process.env.STATOR_ENDPOINT ?? 'http://localhost:8000';

// What all pages share is one file, and so is what a table shows beside its items: each file alone is packed larger.
const CHUNKS: [string, RegExp][] = [
  ['kit', /\/src\/(kit\/(?!Editor|codemirror)|tags\/(TagFields|tags\.ts)|pages\/(Missing|Endpoint|KeyFields))/],
  ['table', /\/src\/pages\/(Table|Items)\.svelte/],
  ['views', /\/src\/(capacity\/|pages\/(Settings|Capacity|Stream|TimeToLive)\.svelte)/],
];

export default defineConfig({
  base: '/_stator/console/',
  plugins: [svelte()],
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // a strict Content-Security-Policy has no place for inline files
    chunkSizeWarningLimit: 400,
    cssCodeSplit: false, // all of it is packed smaller than its parts, and no page waits for its own
    reportCompressedSize: false,
    rollupOptions: {
      output: { manualChunks: (id) => CHUNKS.find(([, files]) => files.test(id))?.[0] },
    },
  },
  server: { proxy: { '^/($|metrics$|_stator/(?!console/))': { target: server, changeOrigin: false } } },
});
