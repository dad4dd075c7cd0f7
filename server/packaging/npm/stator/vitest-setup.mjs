// SPDX-License-Identifier: Apache-2.0
// For Vitest: `setupFiles: 'stator/vitest-setup'`, which runs in each worker before each test file.
import { afterEach, beforeEach } from 'vitest';

import explain from './explain.cjs';
import server from './server.cjs';

await server.useOwnDatabase();
const explainers = new WeakMap(); // tests may run at once

beforeEach(async ({ task }) => {
  explainers.set(task, new explain.Explainer());
  await explainers.get(task).begin();
});
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await explainers.get(task)?.explain();
});
