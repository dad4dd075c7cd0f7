export default {
  cacheDir: '.cache',
  test: { globalSetup: 'stator/vitest', setupFiles: 'stator/vitest-setup' },
};
