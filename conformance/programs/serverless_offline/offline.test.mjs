// A service under serverless-offline, started as its users start it. Its plugin polls streams of a Stator server, and
// the server's own mapping calls a function of the service.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { Lambda } from '@aws-sdk/client-lambda';

const DEADLINE_MS = 120_000; // the framework takes long to start on a busy machine
const here = dirname(fileURLToPath(import.meta.url));
const needsOwnServer = process.env.STATOR_OWN_SERVER !== '1' && 'it starts servers of its own';
const binary = needsOwnServer ? undefined : realpathSync(process.env.STATOR_BINARY);
const keys = { region: 'us-east-1', credentials: { accessKeyId: 'key', secretAccessKey: 'secret' } };

async function until(condition, what) {
  const end = Date.now() + DEADLINE_MS;
  for (;;) {
    const value = await condition();
    if (value) return value;
    assert.ok(Date.now() < end, `${typeof what === 'function' ? what() : what}: not reached within ${DEADLINE_MS} ms`);
    await pause(5);
  }
}

// serverless-offline must be told a number. It lies below the range from which the system deals ports out.
async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const probe = createServer().listen(port);
    const isFree = await new Promise((resolve) => probe.once('listening', () => resolve(true)).once('error', () => resolve(false)));
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

// In a process group of its own, with its output at hand. No variable of STATOR_* is a flag for the server.
class Program {
  output = '';

  constructor(command, args, folder, env = {}) {
    const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('STATOR_')));
    this.child = spawn(command, args, { cwd: folder, detached: true, env: { ...own, ...env } });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (this.output += text));
    }
    this.ended = once(this.child, 'close');
  }

  says(pattern) {
    return until(
      () => {
        const found = pattern.exec(this.output);
        assert.ok(found || this.child.exitCode === null, `ended without ${pattern}:\n${this.output}`);
        return found;
      },
      () => `${pattern} in:\n${this.output}`,
    );
  }

  async end(signal) {
    try {
      process.kill(-this.child.pid, signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
    await this.ended;
  }
}

describe('a service', { skip: needsOwnServer }, () => {
  let server, offline, db, lambda, admin, work, checkpoints, ports;

  const put = (id, more = {}) => db.putItem({ TableName: 'Orders', Item: { Id: { S: id }, ...more } });

  // Starts the framework's command line.
  async function startOffline() {
    offline = new Program(process.execPath, [join(here, 'node_modules/serverless/bin/serverless.js'), 'offline', 'start'],
      join(here, 'service'), {
        ENDPOINT: server.address,
        HTTP_PORT: String(ports.http),
        LAMBDA_PORT: String(ports.lambda),
        CHECKPOINTS: checkpoints,
        AWS_ACCESS_KEY_ID: 'key',
        AWS_SECRET_ACCESS_KEY: 'secret',
        HOME: work, // its settings
        CI: '1',
        NO_COLOR: '1',
        SLS_TELEMETRY_DISABLED: '1',
        SLS_NOTIFICATIONS_MODE: 'off',
      });
    await offline.says(/http for lambda\] listening on/);
  }

  before(async () => {
    work = mkdtempSync(join(tmpdir(), 'stator-offline-'));
    checkpoints = join(work, 'checkpoints.json');
    ports = { http: await freePort(), lambda: await freePort() };
    server = new Program(binary, ['--port', '0', '--lambda-retry-backoff', '0',
      '--function', `shop-dev-called=http://127.0.0.1:${ports.lambda}`], work);
    [, server.address] = await server.says(/listening on (http:\S+)/);
    db = new DynamoDB({ endpoint: server.address, ...keys });
    lambda = new Lambda({ endpoint: server.address, ...keys });
    admin = async (verb) => (await fetch(new URL(`/_stator/triggers${verb}`, server.address))).json();
    await db.createTable({
      TableName: 'Orders',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'Id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'Id', AttributeType: 'S' }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    await startOffline();
  });
  after(async () => {
    await offline?.end('SIGKILL');
    await server?.end('SIGTERM');
    if (work) rmSync(work, { recursive: true, force: true });
  });

  test('the plugin reads the stream', async () => {
    for (const id of ['a', 'b', 'c']) await put(id);
    await put('a', { v: { N: '1' } }); // its filter drops what is no INSERT
    await put('d');
    await offline.says(/^read: INSERT d \d+$/m);
    const read = [...offline.output.matchAll(/^read: (\w+ \w+)/gm)].map(([, what]) => what);
    assert.deepEqual(read, ['INSERT a', 'INSERT b', 'INSERT c', 'INSERT d']);
  });

  test('a mapping calls a function of the service', async () => {
    const { Table } = await db.describeTable({ TableName: 'Orders' });
    const made = await lambda.createEventSourceMapping({
      EventSourceArn: Table.LatestStreamArn,
      FunctionName: 'shop-dev-called',
      StartingPosition: 'LATEST',
      MaximumRetryAttempts: 1,
    });
    assert.equal(made.State, 'Creating');
    await put('e');
    await offline.says(/^called: INSERT e \d+$/m);
    const [call] = await until(async () => {
      const { invocations } = await admin('/invocations');
      return invocations.length > 0 && invocations;
    }, 'a call');
    assert.deepEqual([call.outcome, JSON.parse(call.answer)], ['ok', { orders: 1 }]);
  });

  test('an error of the function uses up the retries', async () => {
    await put('f', { fails: { BOOL: true } });
    const { failures } = await until(async () => {
      const seen = await admin('/failures');
      return seen.failures.length > 0 && seen;
    }, 'a message about a discarded record');
    const { requestContext, DDBStreamBatchInfo } = failures[0].message;
    assert.deepEqual([requestContext.condition, requestContext.approximateInvokeCount, DDBStreamBatchInfo.batchSize],
      ['RetryAttemptsExhausted', 2, 1]);
    assert.equal([...offline.output.matchAll(/^called: INSERT f/gm)].length, 2);
  });

  test('after a restart the plugin goes on where it was', async () => {
    const [, last] = await offline.says(/^read: INSERT f (\d+)$/m);
    await until(() => existsSync(checkpoints) && readFileSync(checkpoints, 'utf8').includes(last), 'the last checkpoint');
    await offline.end('SIGTERM');
    await put('g');
    await startOffline();
    await offline.says(/^read: INSERT g \d+$/m);
    const read = [...offline.output.matchAll(/^read: (\w+ \w+)/gm)].map(([, what]) => what);
    assert.deepEqual(read, ['INSERT g']);
  });
});
