// SPDX-License-Identifier: Apache-2.0
// A server as an object, for index.cjs and what Jest and Vitest call.
'use strict';

const { spawn } = require('node:child_process');
const { randomUUID } = require('node:crypto');

const { verbs } = require('./admin.cjs');
const { setEnvironment } = require('./environment.cjs');
const { beforeStop, remember } = require('./explain.cjs');
const { noProgram, program } = require('./program.cjs');

const START_DEADLINE_MS = 30_000;
const STOP_DEADLINE_MS = 10_000;

const NO_SERVER = 'no Stator server runs: add "preset": "stator" to the configuration of Jest, or globalSetup: '
  + "'stator/vitest' to that of Vitest. Elsewhere call startStator() and database(server.endpoint), or set STATOR_ENDPOINT "
  + 'to http://HOST:PORT of a server that runs with --isolate key';

/** The server that STATOR_ENDPOINT names and no helper has started; undefined: none. */
function elsewhere() {
  const named = process.env.STATOR_ENDPOINT;
  if (!named || named === process.env.STATOR_RUN_ENDPOINT) return undefined;
  if (!/^https?:\/\/[^/]+\/?$/.test(named)) {
    throw new Error(`no Stator server runs: STATOR_ENDPOINT is '${named}', not http://HOST:PORT`);
  }
  return named.replace(/\/$/, '');
}

/** The server of the run, by its endpoint. */
function endpointOfRun() {
  const endpoint = elsewhere() ?? process.env.STATOR_RUN_ENDPOINT;
  if (!endpoint) throw new Error(NO_SERVER);
  return endpoint;
}

/**
 * Starts a server with data in memory, on a free port, with these flags of `stator --help`. Resolves when it listens,
 * rejects with its log when it does not. It does not outlive this process, however that ends. Where STATOR_ENDPOINT names
 * a server, it is that one, which stop() leaves running.
 */
async function start(...flags) {
  return elsewhere() ? attach(elsewhere(), flags) : launch(flags);
}

async function attach(endpoint, flags) {
  if (flags.length > 0) {
    throw new Error(`the server of STATOR_ENDPOINT, ${endpoint}, runs already and takes no flags: ${flags.join(' ')}`);
  }
  const told = verbs(endpoint);
  try {
    await told.reset({ access_key: randomUUID() }); // nobody's; a server that shares tables between keys refuses
  } catch (error) {
    throw new Error('no Stator server runs: STATOR_ENDPOINT names none for tests, start it with --isolate key: '
      + error.message);
  }
  return { endpoint, stop: async () => {}, ...told };
}

async function launch(flags) {
  const path = program();
  const isolation = flags.includes('--isolate') ? [] : ['--isolate', 'key'];
  const server = spawn(path, ['--port', '0', ...isolation, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => {
    server.once('error', (error) => resolve(path === 'stator' ? noProgram() : error.message));
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
  const guard = server.pid && spawn('sh', ['-c', 'read _; kill "$0"', `${server.pid}`],
    { stdio: ['pipe', 'ignore', 'ignore'] });

  const deadline = setTimeout(() => server.kill('SIGKILL'), START_DEADLINE_MS);
  const endpoint = await Promise.race([address, ended.then(() => null)]);
  clearTimeout(deadline);
  if (!endpoint) {
    guard?.kill();
    throw new Error(`no Stator server runs: ${path} did not listen: ${await ended}\n${log}`);
  }
  // A server that nobody stops must not keep a test program from ending.
  for (const handle of [server, server.stdout, server.stderr, guard, guard.stdin]) handle.unref();

  /** Ends it; rejects when its status is not 0. */
  async function stop() {
    await beforeStop(endpoint);
    server.kill('SIGTERM');
    const stopDeadline = setTimeout(() => server.kill('SIGKILL'), STOP_DEADLINE_MS);
    const outcome = await ended;
    clearTimeout(stopDeadline);
    guard.kill();
    if (outcome !== 'status 0') throw new Error(`${path} ended with ${outcome}\n${log}`);
  }
  return { endpoint, stop, ...verbs(endpoint) };
}

/** Settings of a client for an empty database: its access key is new, and keys share nothing. */
function database(endpoint = endpointOfRun()) {
  if (!endpoint) throw new Error(NO_SERVER); // without one, a client would call the cloud
  return settingsOf(endpoint, randomUUID());
}

function settingsOf(endpoint, accessKeyId) {
  remember(endpoint, accessKeyId);
  return { endpoint, region: 'us-east-1', credentials: { accessKeyId, secretAccessKey: 'any' } };
}

/**
 * The database of clients that are given no settings, in this worker: the files that it runs have the same, as modules
 * may outlive a file. Each finds it empty once this has resolved.
 */
async function useOwnDatabase() {
  const settings = nameOwnDatabase();
  await verbs(settings.endpoint).reset({ access_key: settings.credentials.accessKeyId });
  return settings;
}

/** Names it by the environment, at once. */
function nameOwnDatabase() {
  const worker = process.env.JEST_WORKER_ID ?? process.env.VITEST_POOL_ID ?? '0';
  const settings = settingsOf(endpointOfRun(), `${process.env.STATOR_RUN ?? process.pid}-${worker}`);
  setEnvironment(settings);
  return settings;
}

/**
 * A server for the tests of a file, or of the block in which this is called: its tables are made once by
 * fill(settings), and before each test it goes back to that state. Returns what gives the settings of a client, in tests.
 * The hooks are Jest's, or Vitest's with `globals`; without, say { hooks: { beforeAll, beforeEach, afterAll } }.
 */
function rollingBack(fill, { flags = [], hooks = globalThis } = {}) {
  if (!hooks.beforeAll || !hooks.beforeEach || !hooks.afterAll) {
    throw new Error('no Stator server runs: rollingBack() finds no hooks here. '
      + 'In Vitest without `globals`, add { hooks: { beforeAll, beforeEach, afterAll } }');
  }
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
  const inTests = (value) => {
    if (!value) throw new Error('no Stator server runs: what rollingBack() returns is for tests and their hooks');
    return value;
  };
  return Object.defineProperty(() => inTests(settings), 'server', { get: () => inTests(server) });
}

/**
 * Starts the server of a run, or ends it when it is there: for globalSetup and globalTeardown. From then on clients that
 * are given no settings call it too, in all workers.
 */
async function startOrStop() {
  const running = globalThis.STATOR_SERVER;
  globalThis.STATOR_SERVER = running ? undefined : await start();
  if (running) {
    if (process.env.STATOR_RUN_ENDPOINT) delete process.env.STATOR_ENDPOINT;
    delete process.env.STATOR_RUN_ENDPOINT;
    await running.stop();
    return;
  }
  if (!elsewhere()) process.env.STATOR_ENDPOINT = process.env.STATOR_RUN_ENDPOINT = globalThis.STATOR_SERVER.endpoint;
  process.env.STATOR_RUN = randomUUID();
  nameOwnDatabase();
}

module.exports = { start, database, nameOwnDatabase, rollingBack, startOrStop, useOwnDatabase };
