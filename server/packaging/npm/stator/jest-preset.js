// SPDX-License-Identifier: Apache-2.0
// For Jest: `"preset": "stator"`, or these lines in a configuration that has a preset already.
'use strict';

module.exports = {
  globalSetup: require.resolve('./jest.cjs'),
  globalTeardown: require.resolve('./jest.cjs'),
  setupFiles: [require.resolve('./jest-environment.cjs')],
  setupFilesAfterEnv: [require.resolve('./jest-setup.cjs')],
};
