// SPDX-License-Identifier: Apache-2.0
// The verbs of a server that runs, wherever it does.
'use strict';

const { randomUUID } = require('node:crypto');

const ADMIN_DEADLINE_MS = 60_000;

/**
 * Asks /_stator/PATH, with a body by POST; resolves with the answer, rejects with the server's words. `token` is that of
 * --console-token, where the server needs it.
 */
async function admin(endpoint, path, body, token) {
  const sent = body && JSON.stringify(body);
  const { status, text } = await ask(`${endpoint}/_stator/${path}`, sent, token ? { 'x-stator-token': token } : {});
  let told;
  try {
    told = JSON.parse(text);
  } catch {
    throw new Error(`${endpoint} does not answer as Stator does at /_stator/${path}: status ${status}`);
  }
  if (status !== 200) throw new Error(`${path} ${sent ?? ''}: ${told.error}`);
  return told;
}

// Not by fetch, which Jest's jsdom does not have.
function ask(url, sent, headers) {
  const { request } = require(url.startsWith('https:') ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    const options = { method: sent ? 'POST' : 'GET', agent: false, headers, timeout: ADMIN_DEADLINE_MS };
    const asked = request(url, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => { text += part; });
      answer.once('end', () => resolve({ status: answer.statusCode, text })).once('error', reject);
    });
    asked.once('timeout', () => asked.destroy(new Error(`${url} did not answer`)));
    asked.once('error', (error) => reject(new Error(`${url}: ${error.message || error.code}`)));
    asked.end(sent);
  });
}

/** Path and body that make the rules of a preset, which may have an argument: 'hot-table orders'. */
function presetRequest(preset) {
  const [name, argument] = preset.trim().split(/ (.*)/s);
  return [`faults/presets/${encodeURIComponent(name)}`, argument === undefined ? {} : { argument }];
}

/** The verbs as methods. All but reset({ access_key }) touch all databases of the server. */
function verbs(endpoint) {
  return {
    /** Moves the time of all its databases; tells time, mode and rate. */
    clock: (move) => admin(endpoint, 'clock', move),
    /** Removes all tables, or those of an access_key; tells how many. */
    reset: async (owner = {}) => (await admin(endpoint, 'reset', owner)).tables,
    /** Remembers the state of all its databases, and the time if it is moved later. */
    mark: (name = 'seeded') => admin(endpoint, `marks/${name}`, {}),
    /** Goes back to it; it may be gone back to again. */
    rollback: (name = 'seeded') => admin(endpoint, `marks/${name}/rollback`, {}),
    /** Waits until functions have got all records of the streams that trigger them; resolves with the mappings. */
    settle: async (timeoutMs = 30_000) => {
      const { settled, mappings } = await admin(endpoint, 'triggers/settle', { timeout_ms: timeoutMs });
      if (!settled) throw new Error(`calls of functions are left: ${JSON.stringify(mappings)}`);
      return mappings;
    },
    /** Makes requests fail on demand, by a rule or a preset of docs/faults.md, such as 'hot-table orders', until done(). */
    fault: async (wanted) => {
      const { preset, optional = false, ...rule } = typeof wanted === 'string' ? { preset: wanted } : wanted;
      const made = preset
        ? await admin(endpoint, ...presetRequest(preset))
        : await admin(endpoint, 'faults', { name: `test-${randomUUID()}`, ...rule });
      const names = made.rules.map((one) => one.name);
      // The rules of a preset count together.
      const state = async () => {
        const states = await Promise.all(names.map((name) => admin(endpoint, `faults/${name}`)));
        const sum = (member) => states.reduce((total, one) => total + one[member], 0);
        return states.length === 1
          ? states[0]
          : { matched: sum('matched'), fired: sum('fired'), spent: states.every((one) => one.spent) };
      };
      return {
        name: names[0],
        state,
        /** Removes the rules; rejects unless one fired, and with `times`, as often. */
        done: async () => {
          const { fired } = await state();
          for (const name of names) await admin(endpoint, `faults/${name}/remove`, {});
          const times = rule.when?.times;
          if (optional || (fired > 0 && (!times || fired === times))) return;
          throw new Error(`the fault fired ${fired} times, not ${times ?? 'once or more'}: ${JSON.stringify(preset ?? rule)}`);
        },
      };
    },
  };
}

module.exports = { admin, verbs };
