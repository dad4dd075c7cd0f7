// PutItem, GetItem and DeleteItem: returned values, capacity, ARNs, sizes, keys, errors, many at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  CreateTableCommand,
  DeleteItemCommand,
  DescribeTableCommand,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
  ResourceInUseException,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';

import {
  attribute,
  hash,
  inParallel,
  invalid,
  newClient,
  notValid,
  onDemand,
  oneError,
  range,
  rejects,
  rejectsValidation,
  requestIdPattern,
  uniqueName,
  withTable,
} from './helpers.mjs';

const client = newClient();
const put = (TableName, Item, more) => client.send(new PutItemCommand({ TableName, Item, ...more }));
const get = (TableName, Key, more) =>
  client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true, ...more }));
const del = (TableName, Key, more) => client.send(new DeleteItemCommand({ TableName, Key, ...more }));
const S = (text) => ({ S: text });

test('put, get, replace and delete, with ALL_OLD', async () => {
  await withTable(client, onDemand({ pk: 'S', sk: 'N' }), async (name) => {
    const Key = { pk: S('a'), sk: { N: '1' } };
    const first = { ...Key, colour: S('red') };
    const second = { ...Key, shade: S('dark') };
    const created = await put(name, first, { ReturnValues: 'ALL_OLD' });
    assert.equal(created.Attributes, undefined);
    assert.equal(created.$metadata.httpStatusCode, 200);
    assert.equal(created.$metadata.attempts, 1);
    assert.match(created.$metadata.requestId, requestIdPattern);
    assert.deepEqual((await get(name, Key)).Item, first);
    assert.deepEqual((await put(name, second, { ReturnValues: 'ALL_OLD' })).Attributes, first);
    assert.deepEqual((await get(name, Key, { ConsistentRead: false })).Item, second);
    assert.equal((await get(name, { ...Key, sk: { N: '2' } })).Item, undefined);
    assert.deepEqual((await del(name, Key, { ReturnValues: 'ALL_OLD' })).Attributes, second);
    assert.equal((await get(name, Key)).Item, undefined);
    assert.equal((await del(name, Key, { ReturnValues: 'ALL_OLD' })).Attributes, undefined);
  });
});

test('consumed capacity, TOTAL and INDEXES', async () => {
  const definition = {
    AttributeDefinitions: ['pk', 'sk', 'due', 'owner'].map((n) => attribute(n)),
    KeySchema: [hash('pk'), range('sk')],
    BillingMode: 'PAY_PER_REQUEST',
    LocalSecondaryIndexes: [
      { IndexName: 'by-due', KeySchema: [hash('pk'), range('due')], Projection: { ProjectionType: 'ALL' } },
    ],
    GlobalSecondaryIndexes: [
      { IndexName: 'by-owner', KeySchema: [hash('owner')], Projection: { ProjectionType: 'KEYS_ONLY' } },
    ],
  };
  await withTable(client, definition, async (TableName) => {
    const Key = { pk: S('p'), sk: S('s') };
    const total = { ReturnConsumedCapacity: 'TOTAL' };
    const indexes = { ReturnConsumedCapacity: 'INDEXES' };
    const one = { CapacityUnits: 1 };

    // Nothing of the item is in an index: they are not named at all.
    const plain = await put(TableName, Key, indexes);
    assert.deepEqual(plain.ConsumedCapacity, { TableName, CapacityUnits: 1, Table: one });

    const full = { ...Key, due: S('today'), owner: S('me'), text: S('x'.repeat(2500)) };
    const written = await put(TableName, full, indexes);
    assert.deepEqual(written.ConsumedCapacity, {
      TableName,
      CapacityUnits: 7,
      Table: { CapacityUnits: 3 },
      LocalSecondaryIndexes: { 'by-due': { CapacityUnits: 3 } },
      GlobalSecondaryIndexes: { 'by-owner': one },
    });
    // The same item again changes no index entry.
    const again = await put(TableName, full, indexes);
    assert.deepEqual(again.ConsumedCapacity, { TableName, CapacityUnits: 3, Table: { CapacityUnits: 3 } });
    // Another owner: one entry of by-owner is removed, one added; by-due holds the owner too.
    const moved = await put(TableName, { ...full, owner: S('you') }, total);
    assert.deepEqual(moved.ConsumedCapacity, { TableName, CapacityUnits: 8 });

    const strong = await get(TableName, Key, indexes);
    assert.deepEqual(strong.ConsumedCapacity, { TableName, CapacityUnits: 1, Table: one });
    const eventual = await get(TableName, Key, { ...total, ConsistentRead: false });
    assert.deepEqual(eventual.ConsumedCapacity, { TableName, CapacityUnits: 0.5 });
    const silent = await get(TableName, Key, { ReturnConsumedCapacity: 'NONE' });
    assert.equal(silent.ConsumedCapacity, undefined);

    const metrics = await del(TableName, Key, { ...total, ReturnItemCollectionMetrics: 'SIZE' });
    assert.deepEqual(metrics.ConsumedCapacity, { TableName, CapacityUnits: 7 });
    assert.deepEqual(metrics.ItemCollectionMetrics.ItemCollectionKey, { pk: S('p') });
    assert.deepEqual(metrics.ItemCollectionMetrics.SizeEstimateRangeGB, [0, 1]);
    assert.deepEqual((await del(TableName, Key, total)).ConsumedCapacity, { TableName, CapacityUnits: 1 });
  });
});

test('an ARN is accepted in place of the table name', async () => {
  await withTable(client, onDemand(), async (name) => {
    const { TableArn } = (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
    const described = await client.send(new DescribeTableCommand({ TableName: TableArn }));
    assert.equal(described.Table.TableName, name);
    const item = { pk: S('by arn') };
    const written = await put(TableArn, item, { ReturnConsumedCapacity: 'TOTAL' });
    assert.deepEqual(written.ConsumedCapacity, { TableName: TableArn, CapacityUnits: 1 });
    assert.deepEqual((await get(name, item)).Item, item);
    assert.deepEqual((await del(TableArn, item, { ReturnValues: 'ALL_OLD' })).Attributes, item);
    assert.equal((await get(TableArn, item)).Item, undefined);
  });
});

test('an item of exactly 400 KB is stored, one byte more is refused', async () => {
  await withTable(client, onDemand(), async (name) => {
    const sized = (bytes) => ({ pk: S('big'), data: S('x'.repeat(bytes - 'pk'.length - 'big'.length - 'data'.length)) });
    const item = sized(409_600);
    const written = await put(name, item, { ReturnConsumedCapacity: 'TOTAL' });
    assert.equal(written.ConsumedCapacity.CapacityUnits, 400);
    const read = await get(name, { pk: S('big') }, { ReturnConsumedCapacity: 'TOTAL' });
    assert.equal(read.ConsumedCapacity.CapacityUnits, 100);
    assert.deepEqual(read.Item, item);
    await rejectsValidation(put(name, sized(409_601)), 'Item size has exceeded the maximum allowed size');
  });
});

test('keys of every length up to 2,048 and 1,024 bytes are told apart', async () => {
  await withTable(client, onDemand({ pk: 'S', sk: 'B' }), async (name) => {
    const lengths = [1, 2, 255, 256, 480, 511, 512, 513, 1022, 1023, 1024];
    const keys = lengths.flatMap((n) => [
      { pk: S('k'.repeat(2 * n)), sk: { B: new Uint8Array(n).fill(7) } },
      { pk: S('k'.repeat(2 * n - 1) + 'l'), sk: { B: new Uint8Array(n).fill(7) } },
      { pk: S('k'.repeat(2 * n)), sk: { B: new Uint8Array(n).fill(7, 0, n - 1) } },
    ]);
    for (const [i, key] of keys.entries()) await put(name, { ...key, i: { N: `${i}` } });
    for (const [i, key] of keys.entries()) assert.deepEqual((await get(name, key)).Item, { ...key, i: { N: `${i}` } });

    const long = { pk: S('k'.repeat(2049)), sk: { B: new Uint8Array(1) } };
    const wide = { pk: S('k'), sk: { B: new Uint8Array(1025) } };
    for (const call of [put, get, del]) {
      await rejectsValidation(
        call(name, long),
        `${invalid}Size of hashkey has exceeded the maximum size limit of2048 bytes`,
      );
      await rejectsValidation(
        call(name, wide),
        `${invalid}Aggregated size of all range keys has exceeded the size limit of 1024 bytes`,
      );
    }
  });
});

test('keys that do not fit the schema are refused with the exact text', async () => {
  await withTable(client, onDemand({ pk: 'S', sk: 'B' }), async (name) => {
    const bytes = new Uint8Array([1]);
    await rejectsValidation(put(name, { pk: S('a') }), `${invalid}Missing the key sk in the item`);
    await rejectsValidation(
      put(name, { pk: { N: '1' }, sk: { B: bytes } }),
      `${invalid}Type mismatch for key pk expected: S actual: N`,
    );
    const emptyText = `${notValid}The AttributeValue for a key attribute cannot contain an empty string value. Key: pk`;
    const emptyBinary = `${notValid}The AttributeValue for a key attribute cannot contain an empty binary value. Key: sk`;
    for (const call of [put, get, del]) {
      await rejectsValidation(call(name, { pk: S(''), sk: { B: bytes } }), emptyText);
      await rejectsValidation(call(name, { pk: S('a'), sk: { B: new Uint8Array() } }), emptyBinary);
    }
    const mismatch = 'The provided key element does not match the schema';
    for (const call of [get, del]) {
      await rejectsValidation(call(name, { pk: S('a') }), mismatch);
      await rejectsValidation(call(name, { pk: S('a'), sk: S('b') }), mismatch);
      await rejectsValidation(call(name, { pk: S('a'), sk: { B: bytes }, other: S('c') }), mismatch);
    }
  });
});

test('index keys of another type or empty are refused, absent ones are not', async () => {
  const definition = {
    ...onDemand(),
    AttributeDefinitions: [attribute('pk'), attribute('owner'), attribute('due', 'N')],
    GlobalSecondaryIndexes: [
      { IndexName: 'by-owner', KeySchema: [hash('owner'), range('due')], Projection: { ProjectionType: 'ALL' } },
    ],
  };
  await withTable(client, definition, async (name) => {
    await rejectsValidation(
      put(name, { pk: S('a'), owner: S('me'), due: S('soon') }),
      `${invalid}Type mismatch for Index Key due Expected: N Actual: S IndexName: by-owner`,
    );
    await rejectsValidation(
      put(name, { pk: S('a'), owner: S('') }),
      `${notValid}A value specified for a secondary index key is not supported. ` +
        'The AttributeValue for a key attribute cannot contain an empty string value. ' +
        'IndexName: by-owner, IndexKey: owner',
    );
    assert.equal((await get(name, { pk: S('a') })).Item, undefined);
    await put(name, { pk: S('a'), owner: S('me') });
    assert.deepEqual((await get(name, { pk: S('a') })).Item, { pk: S('a'), owner: S('me') });
  });
});

test('errors are typed and carry their metadata', async () => {
  const absent = uniqueName('absent');
  for (const call of [put, get, del]) {
    const error = await rejects(
      call(absent, { pk: S('a') }),
      'ResourceNotFoundException',
      'Requested resource not found',
    );
    assert.ok(error instanceof ResourceNotFoundException);
    assert.equal(error.$fault, 'client');
    assert.equal(error.$metadata.attempts, 1);
  }
  await withTable(client, onDemand(), async (name) => {
    const inUse = await rejects(
      client.send(new CreateTableCommand({ TableName: name, ...onDemand() })),
      'ResourceInUseException',
      `Table already exists: ${name}`,
    );
    assert.ok(inUse instanceof ResourceInUseException);
    const validation = await rejectsValidation(
      put(name, { pk: S('a') }, { ReturnValues: 'ALL_NEW' }),
      `${oneError}ReturnValues can only be ALL_OLD or NONE`,
    );
    assert.ok(validation instanceof DynamoDBServiceException);
  });
});

test('2,000 puts and 2,000 gets with 64 in flight', async () => {
  const wide = newClient({ connections: 64 });
  await withTable(wide, onDemand({ pk: 'S', sk: 'N' }), async (TableName) => {
    const key = (i) => ({ pk: S(`partition ${i % 50}`), sk: { N: `${i}` } });
    const item = (i) => ({ ...key(i), text: S(`item ${i}`), list: { L: [{ N: `${i}` }, { BOOL: i % 2 === 0 }] } });
    await inParallel(2000, 64, (i) => wide.send(new PutItemCommand({ TableName, Item: item(i) })));
    await inParallel(2000, 64, async (i) => {
      const read = await wide.send(new GetItemCommand({ TableName, Key: key(i), ConsistentRead: true }));
      assert.deepEqual(read.Item, item(i));
    });
  });
  wide.destroy();
});
