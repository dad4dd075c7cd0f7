// @shelf/jest-dynamodb: the project in jest_project/ run by jest, on a server that is there and on one
// that the package starts; and the rule by which the package takes a server for ready.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

import { CreateTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';

import {
  endpoint, freePort, here, installFolder, isGone, needsOwnServer, newClient, Program, songs, startServer, statusOfRoot, uniqueName, work,
} from './helpers.mjs';

const project = join(here, 'jest_project');
const require = createRequire(import.meta.url);
const waitForLocalhost = require('@shelf/jest-dynamodb/lib/utils/wait-for-localhost').default;

// Runs the project's tests and returns what jest reports of them.
async function runJest(port, installPath) {
  const report = join(work, `${uniqueName('report')}.json`);
  const jest = new Program(
    process.execPath,
    [require.resolve('jest/bin/jest'), '--ci', '--watchman=false', '--maxWorkers=2', '--json', `--outputFile=${report}`],
    { cwd: project, env: { PROJECT_PORT: port, PROJECT_INSTALL_PATH: installPath, DEBUG: 'jest-dynamodb' } },
  );
  assert.equal(await jest.end(), 0, jest.output);
  const { numTotalTests, numPassedTests, numPassedTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
  assert.deepEqual({ numTotalTests, numPassedTests, numPassedTestSuites }, { numTotalTests: 6, numPassedTests: 6, numPassedTestSuites: 2 });
  return jest.output;
}

test('a project runs on a server that is already there', { skip: needsOwnServer }, async () => {
  const server = await startServer('--http-root', 'local');
  const client = newClient(server.address, { region: 'local-env' });
  const kept = uniqueName('kept');
  const files = { ...songs('files'), AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }] };
  files.KeySchema = [{ AttributeName: 'id', KeyType: 'HASH' }];
  for (const table of [songs(kept), files]) await client.send(new CreateTableCommand(table));
  await client.put({ TableName: 'files', Item: { id: 'of an earlier run' } });

  const output = await runJest(server.port, join(work, 'nothing is installed here'));
  assert.doesNotMatch(output, /spinning up/);
  assert.deepEqual((await client.send(new ListTablesCommand({}))).TableNames, [kept]);
  assert.equal(await server.stop(), 0, server.output);
});

test('a project runs on a server that the package starts as java', { skip: needsOwnServer }, async () => {
  const port = await freePort();
  const output = await runJest(port, installFolder());
  assert.match(output, /spinning up a local ddb instance/);
  await isGone(port);
});

test('the package takes a server for ready when its root answers 400, not 200', { skip: needsOwnServer }, async () => {
  const local = await startServer('--http-root', 'local');
  assert.equal(await statusOfRoot(endpoint), 200);
  assert.equal(await statusOfRoot(local.address), 400);

  // The package asks this address, which passes on the answers of the two servers: first 200, then 400.
  const answers = [];
  const front = createServer(async (request, response) => {
    const status = await statusOfRoot(answers.length < 3 ? endpoint : local.address);
    answers.push(`${request.method} ${request.url} ${status}`);
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  await waitForLocalhost(front.address().port, '127.0.0.1');
  assert.deepEqual(answers, ['GET / 200', 'GET / 200', 'GET / 200', 'GET / 400']);
  front.close();
  front.closeAllConnections();
  assert.equal(await local.stop(), 0, local.output);
});
