// A consumer of the stream of Kinesis to which a table sends its changes.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  DescribeKinesisStreamingDestinationCommand,
  EnableKinesisStreamingDestinationCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  CreateStreamCommand,
  DeleteStreamCommand,
  DescribeStreamSummaryCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  KinesisClient,
  ListShardsCommand,
} from '@aws-sdk/client-kinesis';

import { newClient, onDemand, uniqueName, withTable } from './helpers.mjs';

const client = newClient();
const { endpoint, region, credentials } = client.config;
const kinesis = new KinesisClient({ endpoint, region, credentials });  // speaks HTTP/2

const DEADLINE_MS = 30_000;

// Reads all shards until there are `count` records.
async function read(StreamName, count) {
  const { Shards } = await kinesis.send(new ListShardsCommand({ StreamName }));
  const iterators = await Promise.all(Shards.map(async ({ ShardId }) => (await kinesis.send(
    new GetShardIteratorCommand({ StreamName, ShardId, ShardIteratorType: 'TRIM_HORIZON' }))).ShardIterator));
  const found = [];
  const end = Date.now() + DEADLINE_MS;
  while (found.length < count && Date.now() < end) {
    for (const [number, ShardIterator] of iterators.entries()) {
      const { Records, NextShardIterator } = await kinesis.send(new GetRecordsCommand({ ShardIterator }));
      iterators[number] = NextShardIterator;
      found.push(...Records);
    }
  }
  return found;
}

test('a consumer of Kinesis gets the changes of a table', async () => {
  const StreamName = uniqueName('changes');
  await kinesis.send(new CreateStreamCommand({ StreamName, ShardCount: 2 }));
  const { StreamDescriptionSummary } = await kinesis.send(new DescribeStreamSummaryCommand({ StreamName }));
  try {
    await withTable(client, onDemand(), async (TableName) => {
      const StreamArn = StreamDescriptionSummary.StreamARN;
      await client.send(new EnableKinesisStreamingDestinationCommand({ TableName, StreamArn }));
      const { KinesisDataStreamDestinations } = await client.send(
        new DescribeKinesisStreamingDestinationCommand({ TableName }));
      assert.equal(KinesisDataStreamDestinations[0].DestinationStatus, 'ACTIVE');
      for (const pk of ['a', 'b', 'c']) await client.send(new PutItemCommand({ TableName, Item: { pk: { S: pk } } }));
      const records = await read(StreamName, 3);
      const changes = records.map(({ Data }) => JSON.parse(Buffer.from(Data).toString()));
      assert.deepEqual(changes.map((change) => change.dynamodb.NewImage.pk.S).sort(), ['a', 'b', 'c']);
      for (const change of changes) {
        assert.equal(change.eventName, 'INSERT');
        assert.equal(change.tableName, TableName);
      }
    });
  } finally {
    await kinesis.send(new DeleteStreamCommand({ StreamName }));
  }
});

test.after(() => kinesis.destroy());
