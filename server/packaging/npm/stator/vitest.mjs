// SPDX-License-Identifier: Apache-2.0
// For Vitest: `globalSetup: 'stator/vitest', setupFiles: 'stator/vitest-setup'` in the `test` part of its configuration.
import server from './server.cjs';

export const setup = server.startOrStop;
export const teardown = server.startOrStop;
