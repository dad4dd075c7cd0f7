// Life of a table: what CreateTable takes and DescribeTable echoes, waiters, listing, deletion.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  ListTablesCommand,
  ListTagsOfResourceCommand,
  paginateListTables,
  UpdateTableCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';

import {
  attribute,
  countAttempts,
  hash,
  invalid,
  newClient,
  oneError,
  onDemand,
  range,
  rejects,
  rejectsValidation,
  uniqueName,
  withTable,
} from './helpers.mjs';

const client = newClient();
const describe = async (TableName) => (await client.send(new DescribeTableCommand({ TableName }))).Table;
const units = (ReadCapacityUnits, WriteCapacityUnits) => ({ ReadCapacityUnits, WriteCapacityUnits });

test('an on-demand table with a hash key is CREATING in the answer and ACTIVE in the next call', async () => {
  const TableName = uniqueName();
  const created = (await client.send(new CreateTableCommand({ TableName, ...onDemand() }))).TableDescription;
  assert.equal(created.TableStatus, 'CREATING');
  assert.deepEqual(created.BillingModeSummary, { BillingMode: 'PAY_PER_REQUEST' });
  assert.equal(created.WarmThroughput, undefined);

  const table = await describe(TableName);
  assert.equal(table.TableName, TableName);
  assert.equal(table.TableStatus, 'ACTIVE');
  assert.deepEqual(table.AttributeDefinitions, [attribute('pk')]);
  assert.deepEqual(table.KeySchema, [hash('pk')]);
  assert.match(table.TableId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.equal(table.TableId, created.TableId);
  assert.match(table.TableArn, new RegExp(`^arn:aws:dynamodb:us-east-1:[0-9]{12}:table/${TableName}$`));
  assert.ok(table.CreationDateTime instanceof Date && table.CreationDateTime.getFullYear() > 2020);
  assert.equal(table.ItemCount, 0);
  assert.equal(table.TableSizeBytes, 0);
  assert.equal(table.DeletionProtectionEnabled, false);
  assert.deepEqual(table.ProvisionedThroughput, { NumberOfDecreasesToday: 0, ...units(0, 0) });
  assert.deepEqual(table.WarmThroughput, {
    ReadUnitsPerSecond: 12000,
    WriteUnitsPerSecond: 4000,
    Status: 'ACTIVE',
  });
  assert.equal(table.BillingModeSummary.BillingMode, 'PAY_PER_REQUEST');
  assert.ok(table.BillingModeSummary.LastUpdateToPayPerRequestDateTime instanceof Date);
  for (const absent of [
    'TableClassSummary',
    'SSEDescription',
    'StreamSpecification',
    'LatestStreamArn',
    'OnDemandThroughput',
    'LocalSecondaryIndexes',
    'GlobalSecondaryIndexes',
  ]) {
    assert.equal(table[absent], undefined, absent);
  }
  await client.send(new DeleteTableCommand({ TableName }));
});

test('a provisioned table with hash and range key echoes its units and has no billing summary', async () => {
  const definition = {
    AttributeDefinitions: [attribute('device', 'B'), attribute('moment', 'N')],
    KeySchema: [hash('device'), range('moment')],
    ProvisionedThroughput: units(5, 6),
  };
  await withTable(client, definition, async (name) => {
    const table = await describe(name);
    assert.deepEqual(table.AttributeDefinitions, definition.AttributeDefinitions);
    assert.deepEqual(table.KeySchema, definition.KeySchema);
    assert.deepEqual(table.ProvisionedThroughput, { NumberOfDecreasesToday: 0, ...units(5, 6) });
    assert.deepEqual(table.WarmThroughput, { ReadUnitsPerSecond: 5, WriteUnitsPerSecond: 6, Status: 'ACTIVE' });
    assert.equal(table.BillingModeSummary, undefined);
  });
});

test('local and global indexes are echoed, active with the table', async () => {
  const definition = {
    AttributeDefinitions: ['pk', 'sk', 'due', 'owner'].map((name) => attribute(name)),
    KeySchema: [hash('pk'), range('sk')],
    ProvisionedThroughput: units(3, 4),
    LocalSecondaryIndexes: [
      {
        IndexName: 'by-due',
        KeySchema: [hash('pk'), range('due')],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['title', 'done'] },
      },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-owner',
        KeySchema: [hash('owner'), range('due')],
        Projection: { ProjectionType: 'KEYS_ONLY' },
        ProvisionedThroughput: units(1, 2),
      },
    ],
  };
  await withTable(client, definition, async (name) => {
    const table = await describe(name);
    const [local] = table.LocalSecondaryIndexes;
    assert.equal(local.IndexName, 'by-due');
    assert.deepEqual(local.KeySchema, definition.LocalSecondaryIndexes[0].KeySchema);
    assert.equal(local.Projection.ProjectionType, 'INCLUDE');
    assert.deepEqual([...local.Projection.NonKeyAttributes].sort(), ['done', 'title']);
    assert.equal(local.IndexArn, `${table.TableArn}/index/by-due`);
    assert.equal(local.ItemCount, 0);
    assert.equal(local.IndexSizeBytes, 0);

    const [global] = table.GlobalSecondaryIndexes;
    assert.equal(global.IndexName, 'by-owner');
    assert.deepEqual(global.KeySchema, definition.GlobalSecondaryIndexes[0].KeySchema);
    assert.deepEqual(global.Projection, { ProjectionType: 'KEYS_ONLY' });
    assert.equal(global.IndexStatus, 'ACTIVE');
    assert.equal(global.IndexArn, `${table.TableArn}/index/by-owner`);
    assert.deepEqual(global.ProvisionedThroughput, { NumberOfDecreasesToday: 0, ...units(1, 2) });
    assert.equal(global.Backfilling, undefined);
  });
});

test('a global index takes four hash and four range attributes', async () => {
  const hashes = ['h1', 'h2', 'h3', 'h4'];
  const ranges = ['r1', 'r2', 'r3', 'r4'];
  const KeySchema = [...hashes.map(hash), ...ranges.map(range)];
  const index = { IndexName: 'wide', KeySchema, Projection: { ProjectionType: 'ALL' } };
  const definition = {
    ...onDemand(),
    AttributeDefinitions: ['pk', ...hashes, ...ranges].map((name) => attribute(name)),
    GlobalSecondaryIndexes: [index],
  };
  await withTable(client, definition, async (name) => {
    const [global] = (await describe(name)).GlobalSecondaryIndexes;
    assert.deepEqual(global.KeySchema, KeySchema);
    assert.equal(global.IndexStatus, 'ACTIVE');
  });
});

test('stream, encryption, class, protection, throughput settings and tags are stored and echoed', async () => {
  const TableName = uniqueName();
  const created = await client.send(
    new CreateTableCommand({
      TableName,
      ...onDemand(),
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      SSESpecification: { Enabled: true, SSEType: 'KMS' },
      TableClass: 'STANDARD_INFREQUENT_ACCESS',
      DeletionProtectionEnabled: true,
      OnDemandThroughput: { MaxReadRequestUnits: 100, MaxWriteRequestUnits: 50 },
      WarmThroughput: { ReadUnitsPerSecond: 13000, WriteUnitsPerSecond: 5000 },
      Tags: [{ Key: 'team', Value: 'stone' }],
    }),
  );
  const { LatestStreamArn, LatestStreamLabel } = created.TableDescription;
  assert.match(LatestStreamLabel, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);

  const table = await describe(TableName);
  assert.deepEqual(table.StreamSpecification, { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
  assert.equal(table.LatestStreamLabel, LatestStreamLabel);
  assert.equal(table.LatestStreamArn, `${table.TableArn}/stream/${LatestStreamLabel}`);
  assert.equal(table.LatestStreamArn, LatestStreamArn);
  assert.equal(table.SSEDescription.Status, 'ENABLED');
  assert.equal(table.SSEDescription.SSEType, 'KMS');
  assert.equal(table.TableClassSummary.TableClass, 'STANDARD_INFREQUENT_ACCESS');
  assert.equal(table.DeletionProtectionEnabled, true);
  assert.deepEqual(table.OnDemandThroughput, { MaxReadRequestUnits: 100, MaxWriteRequestUnits: 50 });
  assert.deepEqual(table.WarmThroughput, {
    ReadUnitsPerSecond: 13000,
    WriteUnitsPerSecond: 5000,
    Status: 'ACTIVE',
  });
  const { Tags } = await client.send(new ListTagsOfResourceCommand({ ResourceArn: table.TableArn }));
  assert.deepEqual(Tags, [{ Key: 'team', Value: 'stone' }]);

  await rejectsValidation(
    client.send(new DeleteTableCommand({ TableName })),
    'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
  );
  await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
  await client.send(new DeleteTableCommand({ TableName }));
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

test('DeleteTable answers DELETING; the name can be used again and gets a new id', async () => {
  const TableName = uniqueName();
  const first = await client.send(new CreateTableCommand({ TableName, ...onDemand() }));
  await rejects(
    client.send(new CreateTableCommand({ TableName, ...onDemand() })),
    'ResourceInUseException',
    `Table already exists: ${TableName}`,
  );
  const deleted = (await client.send(new DeleteTableCommand({ TableName }))).TableDescription;
  assert.equal(deleted.TableStatus, 'DELETING');
  assert.equal(deleted.TableName, TableName);
  assert.equal(deleted.KeySchema, undefined);
  assert.equal(deleted.AttributeDefinitions, undefined);
  assert.equal(deleted.CreationDateTime, undefined);
  const gone = `Requested resource not found: Table: ${TableName} not found`;
  await rejects(client.send(new DescribeTableCommand({ TableName })), 'ResourceNotFoundException', gone);
  await rejects(client.send(new DeleteTableCommand({ TableName })), 'ResourceNotFoundException', gone);

  const second = await client.send(new CreateTableCommand({ TableName, ...onDemand() }));
  assert.equal(second.TableDescription.TableArn, first.TableDescription.TableArn);
  assert.notEqual(second.TableDescription.TableId, first.TableDescription.TableId);
  await client.send(new DeleteTableCommand({ TableName }));
});

test('ListTables pages in name order; tables belong to the region of the signature', async () => {
  const elsewhere = newClient({ region: 'eu-west-3' });
  const prefix = uniqueName('list');
  const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${prefix}-${letter}`);
  for (const TableName of [...names].reverse()) {
    await elsewhere.send(new CreateTableCommand({ TableName, ...onDemand() }));
  }
  const first = await elsewhere.send(new ListTablesCommand({ ExclusiveStartTableName: prefix, Limit: 2 }));
  assert.deepEqual(first.TableNames, names.slice(0, 2));
  assert.equal(first.LastEvaluatedTableName, names[1]);

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

test('CreateTable and ListTables refuse bad requests with the exact text', async () => {
  const create = (definition) =>
    client.send(new CreateTableCommand({ TableName: uniqueName(), ...definition }));
  await rejectsValidation(
    create({ ...onDemand(), TableName: 'ab' }),
    `${oneError}Value 'ab' at 'tableName' failed to satisfy constraint: ` +
      'Member must have length greater than or equal to 3',
  );
  await rejectsValidation(
    create({ ...onDemand(), BillingMode: undefined }),
    `${invalid}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED`,
  );
  await rejectsValidation(
    create({ ...onDemand(), ProvisionedThroughput: units(1, 1) }),
    `${invalid}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
  );
  await rejectsValidation(
    create({ ...onDemand(), AttributeDefinitions: [attribute('other')] }),
    `${invalid}Some index key attributes are not defined in AttributeDefinitions. ` +
      'Keys: [pk], AttributeDefinitions: [other]',
  );
  await rejectsValidation(
    client.send(new ListTablesCommand({ Limit: 101 })),
    `${oneError}Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100`,
  );
});
