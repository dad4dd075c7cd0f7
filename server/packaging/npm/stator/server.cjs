// SPDX-License-Identifier: Apache-2.0
// A server as an object, for index.cjs, jest-preset.js and vitest.mjs.
'use strict';

const { spawn } = require('node:child_process');
const { randomUUID } = require('node:crypto');

const { program } = require('./program.cjs');

const START_DEADLINE_MS = 30_000;
const STOP_DEADLINE_MS = 10_000;

/**
 * Starts a server with data in memory, on a free port, with these flags of `stator --help`. Resolves when it listens,
 * rejects with its log when it does not. It does not outlive this process, however that ends.
 */
async function start(...flags) {
  const path = program();
  const server = spawn(path, ['--port', '0', '--isolate', 'key', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
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
    throw new Error(`${path} did not listen: ${await ended}\n${log}`);
  }
  // A server that nobody stops must not keep a test program from ending.
  for (const handle of [server, server.stdout, server.stderr, guard, guard.stdin]) handle.unref();

  /** Ends it; rejects when its status is not 0. */
  async function stop() {
    server.kill('SIGTERM');
    const stopDeadline = setTimeout(() => server.kill('SIGKILL'), STOP_DEADLINE_MS);
    const outcome = await ended;
    clearTimeout(stopDeadline);
    guard.kill();
    if (outcome !== 'status 0') throw new Error(`${path} ended with ${outcome}\n${log}`);
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

/**
 * A server for the tests of a file, or of the block in which this is called: its tables are made once by
 * fill(settings), and before each test it goes back to that state. Returns what gives the settings of a client, in tests.
 * The hooks are Jest's, or Vitest's with `globals`; without, say { hooks: { beforeAll, beforeEach, afterAll } }.
 */
function rollingBack(fill, { flags = [], hooks = globalThis } = {}) {
  let server;
  let settings;
  hooks.beforeAll(async () => {
    server = await start(...flags);
    settings = database(server.endpoint);
    await fill(settings);
    await server.mark('seeded');
  });
  hooks.beforeEach(async () => { await server.rollback('seeded'); });
  hooks.afterAll(async () => { await server?.stop(); });
  return () => settings;
}

/** Starts the server of a run, or ends it when it is there: for globalSetup and globalTeardown. */
async function startOrStop() {
  const running = globalThis.STATOR_SERVER;
  globalThis.STATOR_SERVER = running ? undefined : await start();
  process.env.STATOR_ENDPOINT = globalThis.STATOR_SERVER?.endpoint ?? '';
  await running?.stop();
}

module.exports = { start, database, rollingBack, startOrStop };
