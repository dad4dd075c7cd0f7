// dynamodb-admin as its user's browser drives it: lists tables, creates one, shows, filters, edits and
// deletes items.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';

import { waitUntilTableNotExists } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { createServer } from 'dynamodb-admin';

import { newClient, newDocumentClient, uniqueName } from './helpers.mjs';

const table = uniqueName('admin');
const songs = Array.from({ length: 60 }, (_, i) => ({
  artist: `artist-${i % 4}`,
  song: `song-${String(i).padStart(3, '0')}`,
  album: `album-${i % 7}`,
  seconds: 100 + i,
}));

let server;
let address;

const call = (path, options = {}) => fetch(address + path, options);
const json = (method, body) => ({ method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const text = async (path) => {
  const answer = await call(path);
  assert.equal(answer.status, 200, `${path}: ${answer.status}`);
  return answer.text();
};
const items = async (parameters) => {
  const answer = await call(`/tables/${table}/items?${new URLSearchParams(parameters)}`);
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json();
};
const filters = (wanted) =>
  JSON.stringify(
    Object.fromEntries(Object.entries(wanted).map(([name, [operator, value, type = 'S']]) => [name, { operator, value, type }])),
  );

before(async () => {
  server = createServer({ dynamoDbClient: newClient() }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${server.address().port}`;
  const answer = await call(
    '/create-table',
    json('POST', {
      TableDefinition: {
        TableName: table,
        HashAttributeName: 'artist',
        HashAttributeType: 'S',
        RangeAttributeName: 'song',
        RangeAttributeType: 'S',
        ReadCapacityUnits: 3,
        WriteCapacityUnits: 3,
      },
      SecondaryIndexes: [
        {
          IndexName: 'by-album',
          IndexType: 'global',
          HashAttributeName: 'album',
          HashAttributeType: 'S',
          ReadCapacityUnits: 3,
          WriteCapacityUnits: 3,
        },
      ],
    }),
  );
  assert.ok(answer.ok, await answer.text());
  const client = newDocumentClient();
  for (let at = 0; at < songs.length; at += 20) {
    const requests = songs.slice(at, at + 20).map((Item) => ({ PutRequest: { Item } }));
    const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
    assert.deepEqual(UnprocessedItems, {});
  }
});

after(() => {
  server.close();
  server.closeAllConnections();
});

test('shows the tables, one of them, and its description', async () => {
  assert.match(await text('/'), new RegExp(table));
  assert.ok((await (await call('/api/tables')).json()).some(({ Name, TableName }) => (Name ?? TableName) === table));
  assert.match(await text(`/tables/${table}`), /by-album/);
  assert.match(await text(`/tables/${table}/meta`), /AttributeDefinitions/);
});

test('pages through all items', async () => {
  const seen = [];
  let parameters = { pageSize: 25 };
  for (;;) {
    const page = await items(parameters);
    seen.push(...page.Items.map((item) => item.song));
    if (!page.nextKey) break;
    parameters = { pageSize: 25, startKey: decodeURIComponent(page.nextKey) };
  }
  assert.deepEqual(seen.sort(), songs.map((song) => song.song));
});

test('filters a scan, queries the table and the index', async () => {
  const long = await items({ operationType: 'scan', filters: filters({ seconds: ['>=', '150', 'N'] }) });
  assert.deepEqual(long.Items.map((s) => s.song).sort(), songs.filter((s) => s.seconds >= 150).map((s) => s.song));
  const some = await items({
    operationType: 'query',
    filters: filters({ artist: ['=', 'artist-1'], song: ['begins_with', 'song-00'] }),
  });
  assert.deepEqual(some.Items.map((s) => s.song), ['song-001', 'song-005', 'song-009']);
  const album = await items({
    operationType: 'query',
    queryableSelection: 'by-album',
    filters: filters({ album: ['=', 'album-6'], artist: ['=', 'artist-1'] }),
  });
  assert.deepEqual(
    album.Items.map((s) => s.song).sort(),
    songs.filter((s) => s.album === 'album-6' && s.artist === 'artist-1').map((s) => s.song),
  );
});

test('adds, edits and deletes an item', async () => {
  const key = encodeURIComponent('new artist,new song');
  const added = await call(`/tables/${table}/add-item`, json('PUT', { artist: 'new artist', song: 'new song', seconds: 1 }));
  assert.deepEqual(await added.json(), { artist: 'new artist', song: 'new song' });
  assert.match(await text(`/tables/${table}/items/${key}`), /new song/);
  const edited = { artist: 'new artist', song: 'new song', album: 'album-x', nested: { list: [1, 'two', null] } };
  assert.deepEqual(await (await call(`/tables/${table}/items/${key}`, json('PUT', edited))).json(), edited);
  const client = newDocumentClient();
  const read = () =>
    client.send(new GetCommand({ TableName: table, Key: { artist: 'new artist', song: 'new song' }, ConsistentRead: true }));
  assert.deepEqual((await read()).Item, edited);
  assert.equal((await call(`/tables/${table}/items/${key}`, { method: 'DELETE' })).status, 204);
  assert.equal((await read()).Item, undefined);
  assert.equal((await call(`/tables/${table}/items/${key}`)).status, 404);
});

test('purges and deletes the table', async () => {
  assert.equal((await call(`/tables/${table}/all`, { method: 'DELETE' })).status, 200);
  assert.deepEqual((await items({})).Items, []);
  assert.equal((await call(`/tables/${table}`, { method: 'DELETE' })).status, 204);
  await waitUntilTableNotExists({ client: newClient(), maxWaitTime: 60, minDelay: 1 }, { TableName: table });
  assert.ok(!(await text('/')).includes(table));
});
