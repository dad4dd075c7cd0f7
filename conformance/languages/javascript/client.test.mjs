// What the client adds to its calls: typed errors, metadata, waiters, paginators, regions.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBServiceException,
  GetItemCommand,
  ListTablesCommand,
  paginateListTables,
  paginateQuery,
  paginateScan,
  PutItemCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';

import {
  countAttempts,
  newClient,
  onDemand,
  rejects,
  rejectsValidation,
  requestIdPattern,
  uniqueName,
  withTable,
} from './helpers.mjs';

const client = newClient();

test('an answer carries its metadata; dates and binary values have their types', async () => {
  await withTable(client, onDemand(), async (TableName) => {
    const Item = { pk: { S: 'a' }, blob: { B: Uint8Array.of(0, 255) }, blobs: { BS: [Uint8Array.of(1)] } };
    const { $metadata, ...output } = await client.send(new PutItemCommand({ TableName, Item }));
    assert.deepEqual(output, {});
    assert.equal($metadata.httpStatusCode, 200);
    assert.equal($metadata.attempts, 1);
    assert.match($metadata.requestId, requestIdPattern);
    const read = await client.send(new GetItemCommand({ TableName, Key: { pk: Item.pk }, ConsistentRead: true }));
    assert.deepEqual(read.Item, Item);
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    assert.ok(Table.CreationDateTime instanceof Date && Table.CreationDateTime.getFullYear() > 2020);
  });
});

test('errors are typed and carry their metadata', async () => {
  const absent = { TableName: uniqueName('absent'), Key: { pk: { S: 'a' } } };
  const missing = await rejects(
    client.send(new GetItemCommand(absent)),
    'ResourceNotFoundException',
    'Requested resource not found',
  );
  assert.ok(missing instanceof ResourceNotFoundException);
  assert.equal(missing.$fault, 'client');
  assert.equal(missing.$metadata.attempts, 1);
  await withTable(client, onDemand(), async (TableName) => {
    const inUse = await rejects(
      client.send(new CreateTableCommand({ TableName, ...onDemand() })),
      'ResourceInUseException',
      `Table already exists: ${TableName}`,
    );
    assert.ok(inUse instanceof ResourceInUseException);
    const put = (members) => client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'a' } }, ...members }));
    const validation = await rejectsValidation(
      put({ ReturnValues: 'ALL_NEW' }),
      '1 validation error detected: ReturnValues can only be ALL_OLD or NONE',
    );
    assert.ok(validation instanceof DynamoDBServiceException);
    await put();
    const failed = await rejects(
      put({
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
      'ConditionalCheckFailedException',
      'The conditional request failed',
    );
    assert.ok(failed instanceof ConditionalCheckFailedException);
    assert.deepEqual(failed.Item, { pk: { S: 'a' } });
  });
});

test('both waiters are satisfied by their first DescribeTable', async () => {
  const waiting = newClient();
  const attempts = countAttempts(waiting);
  const TableName = uniqueName();
  await waiting.send(new CreateTableCommand({ TableName, ...onDemand() }));
  const exists = await waitUntilTableExists({ client: waiting, maxWaitTime: 60 }, { TableName });
  assert.equal(exists.state, 'SUCCESS');
  assert.equal(attempts.get('DescribeTable'), 1);

  await waiting.send(new DeleteTableCommand({ TableName }));
  const gone = await waitUntilTableNotExists({ client: waiting, maxWaitTime: 60 }, { TableName });
  assert.equal(gone.state, 'SUCCESS');
  assert.equal(attempts.get('DescribeTable'), 2);
});

test('tables are listed in pages; they belong to the region of the signature', async () => {
  const elsewhere = newClient({ region: 'eu-west-3' });
  const prefix = uniqueName('list');
  const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${prefix}-${letter}`);
  for (const TableName of [...names].reverse()) {
    await elsewhere.send(new CreateTableCommand({ TableName, ...onDemand() }));
  }
  const seen = [];
  const config = { client: elsewhere, pageSize: 2, startingToken: prefix };
  for await (const page of paginateListTables(config, {})) {
    assert.ok(page.TableNames.length <= 2);
    seen.push(...page.TableNames);
  }
  assert.deepEqual(seen.filter((name) => name.startsWith(`${prefix}-`)), names);

  const here = await client.send(new ListTablesCommand({ ExclusiveStartTableName: prefix, Limit: 1 }));
  assert.ok(!here.TableNames.includes(names[0]));
  await rejects(
    client.send(new DescribeTableCommand({ TableName: names[0] })),
    'ResourceNotFoundException',
    `Requested resource not found: Table: ${names[0]} not found`,
  );
  for (const TableName of names) await elsewhere.send(new DeleteTableCommand({ TableName }));
});

test('paginators of queries and scans', async () => {
  await withTable(client, onDemand({ pk: 'S', sk: 'N' }), async (TableName) => {
    const items = Array.from({ length: 25 }, (_, i) => ({ pk: { S: 'p' }, sk: { N: `${i}` } }));
    for (const Item of items) await client.send(new PutItemCommand({ TableName, Item }));
    const values = { KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 'p' } } };
    const query = { TableName, ConsistentRead: true, ScanIndexForward: false, ...values };
    for (const [pages, expected] of [
      [paginateQuery({ client, pageSize: 7 }, query), [...items].reverse()],
      [paginateScan({ client, pageSize: 7 }, { TableName, ConsistentRead: true }), items],
    ]) {
      const sizes = [];
      const found = [];
      for await (const page of pages) {
        sizes.push(page.Count);
        found.push(...page.Items);
      }
      assert.deepEqual(found, expected);
      assert.deepEqual(sizes, [7, 7, 7, 4]);
    }
  });
});
