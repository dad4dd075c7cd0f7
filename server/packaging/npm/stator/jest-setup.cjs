// SPDX-License-Identifier: Apache-2.0
// Jest calls this in each worker before each test file (setupFilesAfterEnv).
'use strict';

const { Explainer } = require('./explain.cjs');
const { useOwnDatabase } = require('./server.cjs');

/** Whether the test that runs has failed. Jest has no other way to ask; where this one ends, nothing is explained. */
function hasFailed() {
  const name = Object.getOwnPropertySymbols(globalThis).find((one) => one.description === 'JEST_STATE_SYMBOL');
  return (globalThis[name]?.currentlyRunningTest?.errors.length ?? 0) > 0;
}

module.exports = async () => {
  await useOwnDatabase();
  const explainer = new Explainer();
  beforeEach(() => explainer.begin());
  afterEach(async () => {
    if (hasFailed()) await explainer.explain();
  });
};
