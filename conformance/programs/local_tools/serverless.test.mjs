// serverless-dynamodb (on aws-dynamodb-local): the plugin starts `java`, waits until the root answers 400,
// makes the tables of the service and writes its seeds. The framework itself is played by
// serverless_project/start.cjs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { freePort, here, installFolder, isGone, needsOwnServer, newClient, Program } from './helpers.mjs';

const project = join(here, 'serverless_project');
const seeds = JSON.parse(readFileSync(join(project, 'seeds.json'), 'utf8'));
const byTitle = (one, other) => one.title.localeCompare(other.title);

async function startsMigratesAndSeeds(settings) {
  const port = await freePort();
  const offline = new Program(process.execPath, ['start.cjs', String(port), installFolder(), JSON.stringify(settings)], { cwd: project });
  await offline.says(/^the offline server runs$/m);
  assert.match(offline.output, /^Initializing DynamoDB Local with the following configuration:$/m);
  assert.doesNotMatch(offline.output, /download/i);

  const client = newClient(`http://localhost:${port}`, { key: 'anybody', region: 'eu-west-1' });
  assert.deepEqual((await client.scan({ TableName: 'songs' })).Items.sort(byTitle), seeds.toSorted(byTitle));
  const { Items } = await client.query({
    TableName: 'songs',
    IndexName: 'by-album',
    KeyConditionExpression: 'album = :album',
    ExpressionAttributeValues: { ':album': 'Pastel Blues' },
  });
  assert.deepEqual(Items.sort(byTitle), seeds.filter(({ album }) => album === 'Pastel Blues').sort(byTitle));

  offline.child.stdin.end();
  assert.equal(await offline.end(), 0, offline.output);
  await isGone(port);
}

test('the plugin starts the server, makes the tables and writes the seeds', { skip: needsOwnServer }, () =>
  startsMigratesAndSeeds({}));

test('the plugin passes sizes of the heap on', { skip: needsOwnServer }, () =>
  startsMigratesAndSeeds({ heapInitial: '64m', heapMax: '256m', delayTransientStatuses: false }));
