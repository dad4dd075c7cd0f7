// UpdateTable, tags, DescribeLimits and DescribeEndpoints.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  DescribeEndpointsCommand,
  DescribeLimitsCommand,
  DescribeTableCommand,
  ListTagsOfResourceCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';

import {
  attribute,
  endpoint,
  hash,
  invalid,
  newClient,
  onDemand,
  rejects,
  rejectsValidation,
  withTable,
} from './helpers.mjs';

const client = newClient();
const describe = async (TableName) => (await client.send(new DescribeTableCommand({ TableName }))).Table;
const update = async (TableName, change) =>
  (await client.send(new UpdateTableCommand({ TableName, ...change }))).TableDescription;
const units = (ReadCapacityUnits, WriteCapacityUnits) => ({ ReadCapacityUnits, WriteCapacityUnits });

const provisioned = (read, write) => ({
  AttributeDefinitions: [attribute('pk')],
  KeySchema: [hash('pk')],
  ProvisionedThroughput: units(read, write),
});

test('throughput: the answer shows the old units, the next call the new ones', async () => {
  await withTable(client, provisioned(5, 6), async (name) => {
    const answer = await update(name, { ProvisionedThroughput: units(9, 3) });
    assert.equal(answer.TableStatus, 'UPDATING');
    assert.equal(answer.ProvisionedThroughput.ReadCapacityUnits, 5);
    assert.equal(answer.ProvisionedThroughput.WriteCapacityUnits, 6);

    const table = await describe(name);
    assert.equal(table.TableStatus, 'ACTIVE');
    const { LastIncreaseDateTime, LastDecreaseDateTime, ...counts } = table.ProvisionedThroughput;
    assert.deepEqual(counts, { NumberOfDecreasesToday: 1, ...units(9, 3) });
    assert.ok(LastIncreaseDateTime instanceof Date);
    assert.ok(LastDecreaseDateTime instanceof Date);
    // Warm throughput keeps the highest units there ever were, each dimension for itself.
    assert.deepEqual(table.WarmThroughput, { ReadUnitsPerSecond: 9, WriteUnitsPerSecond: 6, Status: 'ACTIVE' });

    await rejectsValidation(
      update(name, { ProvisionedThroughput: units(9, 3) }),
      'The provisioned throughput for the table will not change. The requested value equals the current value. ' +
        'Current ReadCapacityUnits provisioned for the table: 9. Requested ReadCapacityUnits: 9. ' +
        'Current WriteCapacityUnits provisioned for the table: 3. Requested WriteCapacityUnits: 3. ' +
        'Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.',
    );
  });
});

test('billing mode: provisioned to on-demand and back', async () => {
  await withTable(client, provisioned(5, 6), async (name) => {
    await update(name, { BillingMode: 'PAY_PER_REQUEST' });
    const onDemandTable = await describe(name);
    assert.equal(onDemandTable.BillingModeSummary.BillingMode, 'PAY_PER_REQUEST');
    assert.ok(onDemandTable.BillingModeSummary.LastUpdateToPayPerRequestDateTime instanceof Date);
    assert.equal(onDemandTable.ProvisionedThroughput.ReadCapacityUnits, 0);
    assert.equal(onDemandTable.WarmThroughput.ReadUnitsPerSecond, 12000);

    await rejectsValidation(
      update(name, { BillingMode: 'PROVISIONED' }),
      `${invalid}ProvisionedThroughput must be specified when BillingMode is PROVISIONED`,
    );
    await update(name, { BillingMode: 'PROVISIONED', ProvisionedThroughput: units(7, 8) });
    const back = await describe(name);
    assert.equal(back.TableStatus, 'ACTIVE');
    assert.equal(back.BillingModeSummary.BillingMode, 'PROVISIONED');
    assert.equal(back.ProvisionedThroughput.ReadCapacityUnits, 7);
    assert.equal(back.ProvisionedThroughput.WriteCapacityUnits, 8);
  });
});

test('throughput of a global index', async () => {
  const definition = {
    ...provisioned(5, 5),
    AttributeDefinitions: [attribute('pk'), attribute('owner')],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-owner',
        KeySchema: [hash('owner')],
        Projection: { ProjectionType: 'ALL' },
        ProvisionedThroughput: units(1, 1),
      },
    ],
  };
  await withTable(client, definition, async (name) => {
    const change = (IndexName) => ({
      GlobalSecondaryIndexUpdates: [{ Update: { IndexName, ProvisionedThroughput: units(4, 2) } }],
    });
    await update(name, change('by-owner'));
    const [index] = (await describe(name)).GlobalSecondaryIndexes;
    assert.equal(index.IndexStatus, 'ACTIVE');
    assert.equal(index.ProvisionedThroughput.ReadCapacityUnits, 4);
    assert.equal(index.ProvisionedThroughput.WriteCapacityUnits, 2);
    await rejects(
      update(name, change('absent')),
      'ResourceNotFoundException',
      `Requested resource not found: Index absent for table ${name}`,
    );
  });
});

test('deletion protection, table class and on-demand ceilings change one at a time', async () => {
  await withTable(client, onDemand(), async (name) => {
    const guarded = await update(name, { DeletionProtectionEnabled: true });
    assert.equal(guarded.DeletionProtectionEnabled, true);
    assert.equal(guarded.TableStatus, 'ACTIVE');
    assert.equal((await describe(name)).DeletionProtectionEnabled, true);
    await update(name, { DeletionProtectionEnabled: false });

    await update(name, { TableClass: 'STANDARD_INFREQUENT_ACCESS' });
    const { TableClass, LastUpdateDateTime } = (await describe(name)).TableClassSummary;
    assert.equal(TableClass, 'STANDARD_INFREQUENT_ACCESS');
    assert.ok(LastUpdateDateTime instanceof Date);

    await update(name, { OnDemandThroughput: { MaxReadRequestUnits: 40, MaxWriteRequestUnits: 20 } });
    await update(name, { OnDemandThroughput: { MaxReadRequestUnits: -1 } });
    assert.deepEqual((await describe(name)).OnDemandThroughput, { MaxWriteRequestUnits: 20 });

    await rejectsValidation(
      update(name, { TableClass: 'STANDARD', DeletionProtectionEnabled: true }),
      `${invalid}TableClass modification must be the only operation in the request`,
    );
    await rejectsValidation(
      update(name, {}),
      'At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, ' +
        'SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, ' +
        'DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required',
    );
  });
});

test('tags are added, replaced, listed in pages and removed', async () => {
  await withTable(client, { ...onDemand(), Tags: [{ Key: 'env', Value: 'dev' }] }, async (name) => {
    const ResourceArn = (await describe(name)).TableArn;
    const all = async () => {
      const tags = {};
      let NextToken;
      do {
        const page = await client.send(new ListTagsOfResourceCommand({ ResourceArn, NextToken }));
        for (const { Key, Value } of page.Tags) {
          assert.ok(!(Key in tags), `${Key} is listed twice`);
          tags[Key] = Value;
        }
        NextToken = page.NextToken;
      } while (NextToken);
      return tags;
    };
    const many = Array.from({ length: 20 }, (_, i) => ({ Key: `key ${i}`, Value: `вэлью ${i}` }));
    await client.send(
      new TagResourceCommand({ ResourceArn, Tags: [{ Key: 'env', Value: '' }, { Key: 'a+b-c=d._:/', Value: 'x' }] }),
    );
    await client.send(new TagResourceCommand({ ResourceArn, Tags: many }));
    const expected = { env: '', 'a+b-c=d._:/': 'x', ...Object.fromEntries(many.map((t) => [t.Key, t.Value])) };
    assert.deepEqual(await all(), expected);

    const TagKeys = [...many.map((tag) => tag.Key), 'never there'];
    await client.send(new UntagResourceCommand({ ResourceArn, TagKeys }));
    assert.deepEqual(await all(), { env: '', 'a+b-c=d._:/': 'x' });

    const absent = `${ResourceArn}-absent`;
    await rejects(
      client.send(new TagResourceCommand({ ResourceArn: absent, Tags: [{ Key: 'k', Value: 'v' }] })),
      'ResourceNotFoundException',
      `Requested resource not found: ResourceArn: ${absent} not found`,
    );
    await rejectsValidation(
      client.send(new TagResourceCommand({ ResourceArn, Tags: [] })),
      'Atleast one Tag needs to be provided as Input.',
    );
  });
});

test('DescribeLimits and DescribeEndpoints', async () => {
  const { $metadata: limitsMetadata, ...limits } = await client.send(new DescribeLimitsCommand({}));
  assert.equal(limitsMetadata.httpStatusCode, 200);
  assert.deepEqual(limits, {
    AccountMaxReadCapacityUnits: 80000,
    AccountMaxWriteCapacityUnits: 80000,
    TableMaxReadCapacityUnits: 40000,
    TableMaxWriteCapacityUnits: 40000,
  });
  const { Endpoints } = await client.send(new DescribeEndpointsCommand({}));
  assert.deepEqual(Endpoints, [{ Address: new URL(endpoint).host, CachePeriodInMinutes: 1440 }]);
});
