// SPDX-License-Identifier: Apache-2.0
// Why the requests of a test failed, for the report of a test that did.
'use strict';

const { admin } = require('./admin.cjs');

const SHOWN_MAX = 20; // requests
const DATABASES_MAX = 50; // that are asked about, the last ones
const GONE_MAX = 200; // requests of servers that were stopped

// Of this worker and test file: { endpoint, accessKey }. Vitest and Jest may load this module more than once.
// `gone` are the failed requests of servers that were stopped during a test.
const state = (globalThis[Symbol.for('stator.explain')] ??= { databases: [], gone: [], begun: false });
const { databases } = state;

/** What database() made is one whose requests are explained. */
function remember(endpoint, accessKey) {
  databases.push({ endpoint, accessKey });
  if (databases.length > DATABASES_MAX) databases.shift();
}

/** What a server that is about to stop knows, for a test that turns out to have failed. */
async function beforeStop(endpoint) {
  if (!state.begun) return;
  const itsOwn = databases.filter((one) => one.endpoint === endpoint);
  state.gone.push(...await failuresOf(itsOwn));
  for (const one of itsOwn) databases.splice(databases.indexOf(one), 1);
  state.gone.splice(0, state.gone.length - GONE_MAX);
}

/** The requests of these databases that failed, oldest first; of a server that is gone, none. */
async function failuresOf(some) {
  const found = await Promise.all(some.map(async ({ endpoint, accessKey }) => {
    try {
      const { requests } = await admin(endpoint, `requests?access_key=${accessKey}`);
      return requests.filter((one) => one.access_key === accessKey && one.status >= 400).reverse();
    } catch {
      return [];
    }
  }));
  return found.flat();
}

/** Like `stator explain`. */
function text(failures) {
  const left = failures.length - SHOWN_MAX;
  const lines = failures.slice(-SHOWN_MAX).map(({ time, status, operation, table, error, message, hints, request_id: id }) => [
    [time, status, operation, table, error].filter(Boolean).join(' ') + (message ? `: ${message}` : ''),
    ...(hints ?? []).map((hint) => `  -> ${hint}`),
    `  id ${id}`,
  ]);
  return [
    'Stator: requests of this test that failed', ...(left > 0 ? [`(${left} before these)`] : []), ...lines.flat(),
  ].join('\n');
}

/** What a test program calls at the begin and at the end of each test. */
class Explainer {
  /** Requests of databases that there are already are of this test when they come from now on. */
  async begin() {
    state.begun = true;
    this.before = new Set([...state.gone, ...await failuresOf(databases)].map((one) => one.request_id));
  }

  /** Of a test that failed: throws what explains it, which is then reported with it. */
  async explain() {
    const failures = [...state.gone, ...await failuresOf(databases)]
      .filter((one) => !this.before?.has(one.request_id))
      .sort((one, other) => one.time.localeCompare(other.time));
    if (failures.length === 0) return;
    const explanation = new Error(text(failures));
    explanation.name = 'Explanation';
    explanation.stack = explanation.message; // where this was made says nothing
    throw explanation;
  }
}

module.exports = { beforeStop, Explainer, remember };
