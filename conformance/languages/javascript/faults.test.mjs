// Faults on demand, as the SDK meets them: typed exceptions, pages without items, broken answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as dynamodb from '@aws-sdk/client-dynamodb';

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
