// Faults on demand, as the SDK meets them: typed exceptions, pages without items, broken answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as streams from '@aws-sdk/client-dynamodb-streams';

import { newClient, onDemand, withTable } from './helpers.mjs';

const ADMIN = `${process.env.STATOR_ENDPOINT}/_stator/faults`;
const hasFaults = await fetch(ADMIN).then((answer) => answer.status === 200, () => false);
const options = { skip: !hasFaults && 'this server has no faults' };
const once = { maxAttempts: 1 };

const post = (path, body) => fetch(`${ADMIN}${path}`, { method: 'POST', body: JSON.stringify(body) });

// Runs `body` while requests to the table fail; returns how many did.
async function faulty(table, rule, body) {
  const name = `js-${table}`;
  const made = await post('', { name, match: { table }, ...rule });
  assert.equal(made.status, 200, await made.text());
  try {
    await body();
    return (await (await fetch(`${ADMIN}/${name}`)).json()).fired;
  } finally {
    await post(`/${name}/remove`, {});
  }
}

const puts = (TableName, pk) => new dynamodb.PutItemCommand({ TableName, Item: { pk: { S: pk } } });
const gets = (TableName, pk) => new dynamodb.GetItemCommand({ TableName, Key: { pk: { S: pk } } });

const EXCEPTIONS = [
  'ConditionalCheckFailedException',
  'InternalServerError',
  'ItemCollectionSizeLimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ResourceNotFoundException',
  'ThrottlingException',
  'TransactionConflictException',
];

test('each error is its class', options, async () => {
  const client = newClient(once);
  await withTable(client, onDemand(), async (table) => {
    for (const type of EXCEPTIONS) {
      const fired = await faulty(table, { effect: { error: { type, message: 'told' } } }, async () => {
        await assert.rejects(client.send(puts(table, 'a')), (error) => {
          assert.ok(error instanceof dynamodb[type], `${error} is no ${type}`);
          assert.equal(error.message, 'told');
          return true;
        });
      });
      assert.equal(fired, 1);
    }
  });
});

test('the first attempt of each call fails', options, async () => {
  const client = newClient();
  await withTable(client, onDemand(), async (table) => {
    const rule = { when: { attempt: 1 }, effect: { error: 'InternalServerError' } };
    const calls = Array.from({ length: 20 }, (_, i) => puts(table, String(i)));
    const fired = await faulty(table, rule, () => Promise.all(calls.map((call) => client.send(call))));
    assert.equal(fired, calls.length);
  });
});

test('a paginator finds all items behind pages without any', options, async () => {
  const client = newClient(once);
  await withTable(client, onDemand(), async (TableName) => {
    for (let i = 0; i < 10; i += 1) await client.send(puts(TableName, String(i)));
    const input = {
      TableName,
      FilterExpression: 'pk > :p',
      ExpressionAttributeValues: { ':p': { S: '4' } },
    };
    const found = [];
    const rule = { when: { every: 2 }, effect: { page: { items: 0 } } };
    const fired = await faulty(TableName, rule, async () => {
      for await (const page of dynamodb.paginateScan({ client, pageSize: 3 }, input)) found.push(...page.Items);
    });
    assert.equal(found.length, 5);
    assert.ok(fired > 0);
  });
});

// This SDK does not look at the sum of an answer, so `crc` is none of these.
test('no broken answer lets a call hang', options, async () => {
  const client = newClient(once);
  await withTable(client, onDemand(), async (table) => {
    await client.send(puts(table, 'a'));
    for (const corrupt of ['cut', 'empty', 'json']) {
      const fired = await faulty(table, { effect: { corrupt } }, async () => {
        const outcome = await client.send(gets(table, 'a'), { abortSignal: AbortSignal.timeout(30_000) }).catch((error) => error);
        assert.notEqual(outcome.name, 'AbortError', corrupt);
        if (corrupt !== 'empty') assert.ok(outcome instanceof Error, `${corrupt}: ${JSON.stringify(outcome)}`);
      });
      assert.equal(fired, 1, corrupt);
    }
  });
});

test('an answer of a proxy is tried again', options, async () => {
  const client = newClient();
  await withTable(client, onDemand(), async (table) => {
    const rule = { when: { times: 1 }, effect: { http: { status: 503, body: '<html>', headers: { Via: '1.1 p' } } } };
    const fired = await faulty(table, rule, () => client.send(puts(table, 'a')));
    assert.equal(fired, 1);
  });
});

const retrying = { maxAttempts: 3 };
const adds = (TableName, ClientRequestToken) => new dynamodb.TransactWriteItemsCommand({
  ClientRequestToken,
  TransactItems: [
    {
      Update: {
        TableName,
        Key: { pk: { S: 'n' } },
        UpdateExpression: 'ADD n :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      },
    },
  ],
});
const sum = async (client, table) => (await client.send(gets(table, 'n'))).Item.n.N;

test('a retry after a lost answer meets its own write', options, async () => {
  const client = newClient(retrying);
  await withTable(client, onDemand(), async (table) => {
    for (const how of ['fin', 'rst']) {
      const rule = { when: { attempt: 1 }, effect: { drop: 'after', how } };
      const fired = await faulty(table, rule, async () => {
        const command = puts(table, how);
        command.input.ConditionExpression = 'attribute_not_exists(pk)';
        await assert.rejects(client.send(command), dynamodb.ConditionalCheckFailedException);
      });
      assert.equal(fired, 1, how);
      assert.ok((await client.send(gets(table, how))).Item);
    }
    const before = { when: { attempt: 1 }, effect: { drop: 'before' } };
    assert.equal(await faulty(table, before, () => client.send(puts(table, 'before'))), 1);
  });
});

test('a transaction whose answer is lost is applied once, with a forgotten token twice', options, async () => {
  const client = newClient(retrying);
  await withTable(client, onDemand(), async (table) => {
    const lost = { when: { attempt: 1 }, effect: { drop: 'after' } };
    assert.equal(await faulty(table, lost, () => client.send(adds(table))), 1);
    assert.equal(await sum(client, table), '1');
    await client.send(adds(table, 'token'));
    const forgotten = { effect: { token: 'forgotten' } };
    assert.equal(await faulty(table, forgotten, () => client.send(adds(table, 'token'))), 1);
    assert.equal(await sum(client, table), '3');
    const single = newClient(once);
    for (const [token, type] of [['running', 'TransactionInProgressException'], ['mismatch', 'IdempotentParameterMismatchException']]) {
      const fired = await faulty(table, { effect: { token } }, () =>
        assert.rejects(single.send(adds(table, 'token')), dynamodb[type]));
      assert.equal(fired, 1, token);
    }
  });
});

test('a cancelled transaction has the reason of each action', options, async () => {
  const client = newClient(once);
  await withTable(client, onDemand(), async (table) => {
    const TransactItems = ['a', 'b', 'c'].map((pk) => ({ Put: { TableName: table, Item: { pk: { S: pk } } } }));
    const rule = { effect: { cancel: { 1: 'TransactionConflict', 2: 'ThrottlingError' } } };
    await faulty(table, rule, () =>
      assert.rejects(client.send(new dynamodb.TransactWriteItemsCommand({ TransactItems })), (error) => {
        assert.ok(error instanceof dynamodb.TransactionCanceledException, `${error}`);
        const codes = error.CancellationReasons.map((reason) => reason.Code);
        assert.deepEqual(codes, ['None', 'TransactionConflict', 'ThrottlingError']);
        return true;
      }));
    assert.equal((await client.send(gets(table, 'a'))).Item, undefined);
  });
});

test('parts of batches are left', options, async () => {
  const client = newClient(once);
  await withTable(client, onDemand(), async (table) => {
    const items = ['a', 'b', 'c', 'd'].map((pk) => ({ PutRequest: { Item: { pk: { S: pk } } } }));
    await faulty(table, { effect: { unprocessed: [0, 2] } }, async () => {
      const wrote = await client.send(new dynamodb.BatchWriteItemCommand({ RequestItems: { [table]: items } }));
      assert.deepEqual(wrote.UnprocessedItems[table], [items[0], items[2]]);
      const Keys = items.map((one) => one.PutRequest.Item);
      const got = await client.send(new dynamodb.BatchGetItemCommand({ RequestItems: { [table]: { Keys } } }));
      assert.deepEqual(got.UnprocessedKeys[table].Keys, [Keys[0], Keys[2]]);
      assert.deepEqual(got.Responses[table].map((item) => item.pk.S).sort(), ['b', 'd']);
    });
    await faulty(table, { effect: { unprocessed: { fraction: 1 } } }, () =>
      assert.rejects(
        client.send(new dynamodb.BatchWriteItemCommand({ RequestItems: { [table]: items } })),
        dynamodb.ProvisionedThroughputExceededException,
      ));
  });
});

test('answers come late and in pieces', options, async () => {
  const client = newClient(once);
  await withTable(client, onDemand(), async (table) => {
    await client.send(puts(table, 'a'));
    for (const effect of [{ delay: '20ms' }, { drip: { bytes: 4, every: '1ms' } }]) {
      const fired = await faulty(table, { effect }, async () => {
        assert.deepEqual((await client.send(gets(table, 'a'))).Item, { pk: { S: 'a' } });
      });
      assert.equal(fired, 1);
    }
  });
});

test('an iterator is lost', options, async () => {
  const client = newClient(once);
  const { endpoint, region, credentials, requestHandler } = client.config;
  const reader = new streams.DynamoDBStreamsClient({ endpoint, region, credentials, requestHandler, ...once });
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' };
  await withTable(client, { ...onDemand(), StreamSpecification }, async (table) => {
    const { Streams } = await reader.send(new streams.ListStreamsCommand({ TableName: table }));
    const { StreamArn } = Streams[0];
    const { StreamDescription } = await reader.send(new streams.DescribeStreamCommand({ StreamArn }));
    const { ShardId } = StreamDescription.Shards[0];
    const asked = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    const { ShardIterator } = await reader.send(new streams.GetShardIteratorCommand(asked));
    const records = () => reader.send(new streams.GetRecordsCommand({ ShardIterator }));
    for (const [stream, type] of [['expired', 'ExpiredIteratorException'], ['trimmed', 'TrimmedDataAccessException']]) {
      const fired = await faulty(table, { effect: { stream } }, () => assert.rejects(records(), streams[type]));
      assert.equal(fired, 1, stream);
    }
  });
});

test('a stale read is eventual', options, async () => {
  const client = newClient(once);
  await withTable(client, onDemand(), async (TableName) => {
    const put = (n) => client.send(new dynamodb.PutItemCommand({ TableName, Item: { pk: { S: 'a' }, n: { N: n } } }));
    const read = async (ConsistentRead) =>
      (await client.send(new dynamodb.GetItemCommand({ TableName, Key: { pk: { S: 'a' } }, ConsistentRead }))).Item.n.N;
    await put('1');
    const fired = await faulty(TableName, { effect: { stale: '1h' } }, async () => {
      await put('2');
      assert.equal(await read(false), '1');
      assert.equal(await read(true), '2');
    });
    assert.equal(fired, 1);
    assert.equal(await read(false), '2');
  });
});
