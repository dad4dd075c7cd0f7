// SPDX-License-Identifier: Apache-2.0
// Stator, a local DynamoDB, for tests with Jest. Copy this file and name it twice in Jest's configuration:
//
//   "globalSetup": "<rootDir>/stator.cjs", "globalTeardown": "<rootDir>/stator.cjs"
//
// Then one server runs for all tests, and each call of database() makes an empty database in it:
//
//   const { database } = require('./stator.cjs');
//   const client = new DynamoDBClient(database());
//
// A test that needs flags of its own starts a server for itself:
//
//   const server = await start('--control-plane-delay', '2');   // later: await server.stop()
//   const client = new DynamoDBClient(database(server.endpoint));
//
// Such a server's time moves, and what became due has happened when these resolve:
//
//   await server.clock({ advance: '25h' });   // or set: '2027-01-01T00:00:00Z', rate: 60, mode: 'manual'
//   await server.reset();                     // removes all its tables
//
// Its state can be remembered and gone back to, before each test for instance:
//
//   await server.mark('seeded');              // once, behind what fills the tables
//   await server.rollback('seeded');          // in beforeEach
//
// The program is $STATOR, else `stator` on PATH.
'use strict';

const { spawn } = require('node:child_process');
const { randomUUID } = require('node:crypto');

const START_DEADLINE_MS = 30_000;
const STOP_DEADLINE_MS = 10_000;

async function start(...flags) {
  const program = process.env.STATOR || 'stator';
  const server = spawn(program, ['--port', '0', '--isolate', 'key', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => {
    server.once('error', (error) => resolve(error.message));
    server.once('close', (status, signal) => resolve(`status ${status ?? signal}`));
  });
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text) => { log += text; });
  const address = new Promise((resolve) => {
    let output = '';
    server.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const found = /listening on (\S+)\s/.exec(output);
      if (found) resolve(found[1]);
    });
  });
  // Its standard input closes when this process ends in whatever way; then it ends the server.
  const guard = spawn('sh', ['-c', 'read _; kill "$0"', `${server.pid}`], { stdio: ['pipe', 'ignore', 'ignore'] });

  const deadline = setTimeout(() => server.kill('SIGKILL'), START_DEADLINE_MS);
  const endpoint = await Promise.race([address, ended.then(() => null)]);
  clearTimeout(deadline);
  if (!endpoint) {
    guard.kill();
    throw new Error(`${program} did not listen: ${await ended}\n${log}`);
  }
  // A server that nobody stops must not keep Jest from ending.
  for (const handle of [server, server.stdout, server.stderr, guard, guard.stdin]) handle.unref();

  async function stop() {
    server.kill('SIGTERM');
    const stopDeadline = setTimeout(() => server.kill('SIGKILL'), STOP_DEADLINE_MS);
    const outcome = await ended;
    clearTimeout(stopDeadline);
    guard.kill();
    if (outcome !== 'status 0') throw new Error(`${program} ended with ${outcome}\n${log}`);
  }
  /** Moves the time of all its databases; tells time, mode and rate. */
  const clock = (move) => admin(endpoint, 'clock', move);
  /** Removes all tables, or those of an access_key; tells how many. */
  const reset = async (owner = {}) => (await admin(endpoint, 'reset', owner)).tables;
  /** Remembers the state of all its databases, and the time if it is moved later. */
  const mark = (name = 'seeded') => admin(endpoint, `marks/${name}`, {});
  /** Goes back to it; it may be gone back to again. */
  const rollback = (name = 'seeded') => admin(endpoint, `marks/${name}/rollback`, {});
  return { endpoint, stop, clock, reset, mark, rollback };
}

async function admin(endpoint, path, body) {
  const how = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  const answer = await fetch(`${endpoint}/_stator/${path}`, how);
  const told = await answer.json();
  if (!answer.ok) throw new Error(`${path} ${how.body}: ${told.error}`);
  return told;
}

/** Settings of a client for an empty database: its access key is new, and keys share nothing. */
function database(endpoint = process.env.STATOR_ENDPOINT) {
  return { endpoint, region: 'us-east-1', credentials: { accessKeyId: randomUUID(), secretAccessKey: 'any' } };
}

/** Jest calls this before the first test (globalSetup) and after the last one (globalTeardown). */
module.exports = async function startOrStop() {
  const running = globalThis.STATOR_SERVER;
  globalThis.STATOR_SERVER = running ? undefined : await start();
  process.env.STATOR_ENDPOINT = globalThis.STATOR_SERVER?.endpoint ?? '';
  await running?.stop();
};
module.exports.start = start;
module.exports.database = database;
