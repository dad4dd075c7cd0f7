// A reader of a stream that follows the lineage of its shards, from the oldest record and from now on.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DescribeTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';

import { newClient, onDemand, withTable } from './helpers.mjs';

const client = newClient();
const { endpoint, region, credentials, requestHandler } = client.config;
const streams = new DynamoDBStreamsClient({ endpoint, region, credentials, requestHandler });

// Moves the engine's time ahead; false on a server that has no such thing.
async function advance(amount) {
  const url = new URL('/_stator/clock', process.env.STATOR_ENDPOINT);
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ advance: amount }) });
  await answer.arrayBuffer();
  return answer.ok;
}

class StreamReader {
  shards = new Map(); // id -> { from, after, iterator, ended }, parents before children
  expired = 0;

  static async from(StreamArn, type) {
    const reader = new StreamReader();
    reader.StreamArn = StreamArn;
    for (const shard of type === 'LATEST' ? await reader.list() : []) {
      const ended = shard.SequenceNumberRange.EndingSequenceNumber !== undefined;
      reader.shards.set(shard.ShardId, { from: type, ended });
      if (!ended) await reader.open(shard.ShardId); // LATEST is now, not when the first records are asked for
    }
    await reader.discover();
    return reader;
  }

  async list() {
    const found = [];
    let ExclusiveStartShardId;
    do {
      const { StreamArn } = this;
      const command = new DescribeStreamCommand({ StreamArn, Limit: 1, ExclusiveStartShardId });
      const { StreamDescription } = await streams.send(command);
      found.push(...StreamDescription.Shards);
      ExclusiveStartShardId = StreamDescription.LastEvaluatedShardId;
    } while (ExclusiveStartShardId);
    return found;
  }

  // Takes up shards whose parents are finished, or are not there any more.
  async discover() {
    const listed = await this.list();
    const isThere = (id) => listed.some((shard) => shard.ShardId === id);
    for (const { ShardId, ParentShardId } of listed) {
      const isReady = !isThere(ParentShardId) || this.shards.get(ParentShardId)?.ended;
      if (!this.shards.has(ShardId) && isReady) this.shards.set(ShardId, { from: 'TRIM_HORIZON', ended: false });
    }
  }

  async open(ShardId) {
    const shard = this.shards.get(ShardId);
    const where = shard.after
      ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: shard.after }
      : { ShardIteratorType: shard.from };
    const { StreamArn } = this;
    const answer = await streams.send(new GetShardIteratorCommand({ StreamArn, ShardId, ...where }));
    shard.iterator = answer.ShardIterator;
  }

  async page(ShardId) {
    const shard = this.shards.get(ShardId);
    const ask = () => streams.send(new GetRecordsCommand({ ShardIterator: shard.iterator }));
    if (!shard.iterator) await this.open(ShardId);
    const answer = await ask().catch(async (error) => {
      if (!(error instanceof ExpiredIteratorException)) throw error;
      this.expired += 1;
      await this.open(ShardId);
      return ask();
    });
    shard.after = answer.Records.at(-1)?.dynamodb.SequenceNumber ?? shard.after;
    shard.iterator = answer.NextShardIterator;
    shard.ended = shard.iterator === undefined;
    return answer.Records;
  }

  // The values of n in their order, until open shards have nothing more to say.
  async read() {
    const values = [];
    for (let isMore = true; isMore; ) {
      isMore = false;
      for (const [id, shard] of [...this.shards]) {
        if (shard.ended) continue;
        const records = await this.page(id);
        values.push(...records.map((record) => Number(record.dynamodb.NewImage.n.N)));
        isMore ||= records.length > 0 || shard.ended;
      }
      await this.discover();
    }
    return values;
  }
}

const upTo = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

test('readers follow a stream over roll-overs, from the oldest record and from the latest', async (t) => {
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' };
  await withTable(client, { ...onDemand(), StreamSpecification }, async (TableName) => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const arn = Table.LatestStreamArn;
    let written = 0;
    const write = async () => {
      for (let i = 0; i < 5; i += 1) {
        written += 1;
        await client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'a' }, n: { N: `${written}` } } }));
      }
    };
    await write();
    const oldest = await StreamReader.from(arn, 'TRIM_HORIZON');
    const latest = await StreamReader.from(arn, 'LATEST');
    await write();
    assert.deepEqual(await oldest.read(), upTo(1, 10));
    assert.deepEqual(await latest.read(), upTo(6, 10));
    for (const generation of [2, 3]) {
      await write();
      if (!(await advance('4h'))) return t.skip('moves the clock, which this server does not let us');
      await write();
      assert.deepEqual(await oldest.read(), upTo(written - 9, written));
      assert.deepEqual(await latest.read(), upTo(written - 9, written));
      assert.equal(oldest.shards.size, generation);
      assert.equal(oldest.expired, generation - 1);
    }
    const again = await StreamReader.from(arn, 'TRIM_HORIZON');
    assert.deepEqual(await again.read(), upTo(1, written));
  });
});
