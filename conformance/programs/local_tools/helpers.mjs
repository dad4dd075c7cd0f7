// What the tests share: the server under test behind the name `java`, programs that run beside a test,
// free ports, one round trip with the SDK.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';

const DEADLINE_MS = 30_000;

export const here = dirname(fileURLToPath(import.meta.url));
export const endpoint = process.env.STATOR_ENDPOINT;
assert.ok(endpoint, 'STATOR_ENDPOINT is not set: start the tests with ./run');
const isGiven = process.env.STATOR_OWN_SERVER !== '1';
// The reason to skip what starts servers, or false.
export const needsOwnServer = isGiven && 'it starts servers of its own';
export const binary = isGiven ? undefined : realpathSync(process.env.STATOR_BINARY);

// Whatever a test starts inherits this environment: no STATOR_* (a server would read them as flags), no
// file outside a folder of ours, and `java` is the server under test.
export const work = mkdtempSync(join(tmpdir(), 'stator-local-tools-'));
export const temporary = join(work, 'tmp');
const javaFolder = join(work, 'bin');
mkdirSync(temporary);
mkdirSync(javaFolder);
if (binary) symlinkSync(binary, join(javaFolder, 'java'));
for (const name of Object.keys(process.env)) if (name.startsWith('STATOR_')) delete process.env[name];
process.env.TMPDIR = temporary;
process.env.HOME = work;
process.env.NO_COLOR = '1'; // a set CI makes some programs colour their output
process.env.PATH = javaFolder + delimiter + process.env.PATH;

const running = new Set();
const killRunning = () => running.forEach(({ pid }) => killGroup(pid));
afterEach(killRunning); // what a failed test left behind; its open output would hold this process
process.on('exit', () => {
  killRunning();
  rmSync(work, { recursive: true, force: true });
});

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

export const uniqueName = (prefix) => `${prefix}-${randomBytes(6).toString('hex')}`;

// A folder as the packages' installers leave it, so that none of them wants to download.
export function installFolder() {
  const folder = mkdtempSync(join(work, 'install-'));
  mkdirSync(join(folder, 'DynamoDBLocal_lib'));
  writeFileSync(join(folder, 'DynamoDBLocal.jar'), '');
  return folder;
}

export async function until(condition, what) {
  const end = Date.now() + DEADLINE_MS;
  for (;;) {
    const value = await condition();
    if (value) return value;
    assert.ok(Date.now() < end, `${what}: not reached within ${DEADLINE_MS} ms`);
    await pause(5);
  }
}

// The packages must be told a number. It lies below the range from which the system deals ports out.
export async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const probe = createServer().listen(port, '0.0.0.0');
    const isFree = await new Promise((resolve) => probe.once('listening', () => resolve(true)).once('error', () => resolve(false)));
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

const refuses = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(false)).once('error', ({ code }) => resolve(code === 'ECONNREFUSED'));
    socket.once('connect', () => socket.destroy());
  });
export const isGone = (port) => until(() => refuses(port), `nobody listens on port ${port}`);

export const statusOfRoot = (address) =>
  new Promise((resolve, reject) => {
    get(address, { agent: false }, (answer) => resolve(answer.resume().statusCode)).on('error', reject);
  });
// Ready as DynamoDB Local is: the root answers 400.
export const isReady = (port) =>
  until(() => statusOfRoot(`http://localhost:${port}/`).then((status) => status === 400, () => false), `400 on port ${port}`);

export const runsTheBinary = (child) => assert.equal(readlinkSync(`/proc/${child.pid}/exe`), binary);

export async function hasEnded(child, expected) {
  await until(() => child.exitCode !== null || child.signalCode !== null, `process ${child.pid} has ended`);
  assert.deepEqual({ status: child.exitCode, signal: child.signalCode }, expected);
}

// A program in a process group of its own, with all its output at hand.
export class Program {
  output = '';

  constructor(command, args, { env = {}, ...options } = {}) {
    this.child = spawn(command, args, { env: { ...process.env, ...env }, detached: true, ...options });
    running.add(this.child);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (this.output += text));
    }
    this.ended = once(this.child, 'close');
    this.child.once('close', () => running.delete(this.child));
  }

  // What `pattern` finds in the output; fails when the program ends without it.
  async says(pattern) {
    return until(() => {
      const found = pattern.exec(this.output);
      assert.ok(found || this.child.exitCode === null, `ended with ${this.child.exitCode} without ${pattern}:\n${this.output}`);
      return found;
    }, `output ${pattern}`);
  }

  // Waits for the end of the program and of everything that holds its output.
  async end() {
    const limit = setTimeout(() => killGroup(this.child.pid), 2 * DEADLINE_MS);
    const [status, signal] = await this.ended;
    clearTimeout(limit);
    return status ?? signal;
  }

  async stop() {
    this.child.kill('SIGTERM');
    return this.end();
  }
}

// A server with Stator's own flags.
export async function startServer(...flags) {
  const server = new Program(binary, ['--port', '0', ...flags]);
  const [, address] = await server.says(/listening on (http:\S+)/);
  return Object.assign(server, { address, port: Number(new URL(address).port) });
}

// A server as a user of DynamoDB Local starts it by hand.
export async function startJava(...flags) {
  const port = await freePort();
  const options = ['-Djava.library.path=./DynamoDBLocal_lib', '-jar', 'DynamoDBLocal.jar', ...flags];
  const server = new Program('java', [...options, '-inMemory', '-port', String(port)], { cwd: installFolder() });
  await server.says(/^Initializing DynamoDB Local with the following configuration:$/m);
  await isReady(port);
  return Object.assign(server, { address: `http://localhost:${port}`, port });
}

export const newClient = (address, { key = 'fakeMyKeyId', region = 'us-west-2' } = {}) =>
  DynamoDBDocument.from(
    new DynamoDBClient({ endpoint: address, region, credentials: { accessKeyId: key, secretAccessKey: 'secret' } }),
  );

export const songs = (table) => ({
  TableName: table,
  AttributeDefinitions: [
    { AttributeName: 'artist', AttributeType: 'S' },
    { AttributeName: 'title', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'artist', KeyType: 'HASH' },
    { AttributeName: 'title', KeyType: 'RANGE' },
  ],
  BillingMode: 'PAY_PER_REQUEST',
});
