import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// Where `npm run dev` finds a running server; the pages of the program itself need no such setting.
const server = process.env.STATOR_ENDPOINT ?? 'http://localhost:8000';

export default defineConfig({
  base: '/_stator/console/',
  plugins: [svelte()],
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // a strict Content-Security-Policy has no place for inline files
    chunkSizeWarningLimit: 400,
    reportCompressedSize: false,
  },
  server: { proxy: { '^/($|metrics$|_stator/(?!console/))': { target: server, changeOrigin: false } } },
});
