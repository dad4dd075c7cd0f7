// dynamodb-admin as a command with its defaults (key `key`, Region us-east-1); what its pages do in detail
// is tested in ../mappers. Beside it a program with other credentials uses the same server.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { CreateTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';

import { endpoint, here, needsOwnServer, newClient, Program, songs, startJava, uniqueName } from './helpers.mjs';

// The command, told nothing but where the server is and to listen on a free port.
async function startAdmin(address) {
  const command = join(here, 'node_modules/.bin/dynamodb-admin');
  const admin = new Program(command, [], { env: { DYNAMO_ENDPOINT: address, PORT: '0' } });
  const [, port] = await admin.says(/dynamodb-admin listening on \S*:(\d+)/);
  assert.match(admin.output, new RegExp(`database endpoint:\\s+${address}\\n`));
  assert.match(admin.output, /region:\s+us-east-1\n/);
  assert.match(admin.output, /accessKey:\s+key\n/);
  const call = async (path, method, body) => {
    const options = method && { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(`http://localhost:${port}${path}`, options);
    const text = await answer.text();
    assert.ok(answer.ok, `${path}: ${answer.status} ${text}`);
    return text;
  };
  const stop = async () => assert.equal(await admin.stop(), 'SIGTERM', admin.output);
  return { call, stop };
}

const definition = (table) => ({
  TableDefinition: {
    TableName: table,
    HashAttributeName: 'artist',
    HashAttributeType: 'S',
    RangeAttributeName: 'title',
    RangeAttributeType: 'S',
    ReadCapacityUnits: 3,
    WriteCapacityUnits: 3,
  },
  SecondaryIndexes: [],
});

// A table made on either side, with an item, is seen on the other.
async function sharesTables(address, other) {
  const admin = await startAdmin(address);
  const theirs = uniqueName('theirs');
  await other.send(new CreateTableCommand(songs(theirs)));
  assert.ok((await admin.call('/')).includes(theirs));
  assert.ok((await admin.call(`/tables/${theirs}`)).includes(theirs));

  const made = uniqueName('made');
  await admin.call('/create-table', 'POST', definition(made));
  assert.ok((await admin.call('/')).includes(made));
  assert.match(await admin.call(`/tables/${made}/meta`), /AttributeDefinitions/);
  const { Table } = await other.send(new DescribeTableCommand({ TableName: made }));
  assert.deepEqual(Table.KeySchema, songs(made).KeySchema);
  assert.equal(Table.ProvisionedThroughput.WriteCapacityUnits, 3);

  const song = { artist: 'Nina Simone', title: 'Sinnerman' };
  await other.put({ TableName: made, Item: song });
  const { Items } = JSON.parse(await admin.call(`/tables/${made}/items?operationType=scan`));
  assert.deepEqual(Items.map(({ artist, title }) => ({ artist, title })), [song]);
  await admin.call(`/tables/${made}/add-item`, 'PUT', { ...song, title: 'Feeling Good' });
  const key = { artist: song.artist, title: 'Feeling Good' };
  assert.deepEqual((await other.get({ TableName: made, Key: key })).Item, key);
  for (const table of [made, theirs]) await admin.call(`/tables/${table}`, 'DELETE');
  await admin.stop();
}

test('dynamodb-admin shares tables with other keys of its Region', async () => {
  await sharesTables(endpoint, newClient(endpoint, { key: 'somebody', region: 'us-east-1' }));
});

test('dynamodb-admin shares tables with all keys and Regions after -sharedDb', { skip: needsOwnServer }, async () => {
  const server = await startJava('-sharedDb');
  await sharesTables(server.address, newClient(server.address, { key: 'somebody', region: 'eu-central-1' }));
  assert.equal(await server.stop(), 0, server.output);
});

test('dynamodb-admin sees its own key only without -sharedDb', { skip: needsOwnServer }, async () => {
  const server = await startJava();
  const admin = await startAdmin(server.address);
  const [theirs, own] = [uniqueName('theirs'), uniqueName('own')];
  await newClient(server.address, { key: 'somebody', region: 'us-east-1' }).send(new CreateTableCommand(songs(theirs)));
  await newClient(server.address, { key: 'key', region: 'us-east-1' }).send(new CreateTableCommand(songs(own)));
  const page = await admin.call('/');
  assert.ok(page.includes(own) && !page.includes(theirs), page);
  await admin.stop();
  assert.equal(await server.stop(), 0, server.output);
});
