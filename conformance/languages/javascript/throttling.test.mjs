// Being throttled: typed exceptions with their reasons, the attempts that the SDK makes, and success as soon as
// there is room again. A table's time is the server's, which is moved here; what the SDK waits is ours.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';

import {
  BatchWriteItemCommand,
  GetItemCommand,
  ProvisionedThroughputExceededException,
  PutItemCommand,
  RequestLimitExceeded,
  ThrottlingException,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';

import { countAttempts, newClient, onDemand, withTable } from './helpers.mjs';

const REASON = 'TableWriteProvisionedThroughputExceeded';
const ATTEMPTS = 4; // of this SDK's defaults since 2026, for DynamoDB
const provisioned = {
  ...onDemand(),
  BillingMode: 'PROVISIONED',
  ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
};
// A table that refuses, once it was asked for 400 units: its exception, the member with the reasons, and the reason.
// The quota of tables on demand is one unit here.
const causes = [
  [provisioned, ProvisionedThroughputExceededException, 'ThrottlingReasons', REASON],
  [
    { ...onDemand(), OnDemandThroughput: { MaxWriteRequestUnits: 1 } },
    ThrottlingException,
    'throttlingReasons',
    'TableWriteMaxOnDemandThroughputExceeded',
  ],
  [onDemand(), RequestLimitExceeded, 'ThrottlingReasons', 'TableWriteAccountLimitExceeded'],
];
const item = (pk, sizeKb = 1) => ({ pk: { S: pk }, filler: { S: 'x'.repeat(sizeKb * 1024 - 100) } });
const options = { skip: !process.env.STATOR_OWN_SERVER && 'needs a server started by the test' };

// A server of our own, because other files move the clock of the one they share.
let server;
let endpoint;

before(async () => {
  if (options.skip) return;
  const flags = ['--port', '0', '--clock', 'manual', '--throttling', 'enforce', '--capacity', 'account-writes=1'];
  server = spawn(process.env.STATOR_BINARY, flags, { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: server.stdout })) {
    endpoint = line.match(/listening on (http:\S+)/)?.[1];
    if (endpoint) break;
  }
  assert.ok(endpoint, 'the server did not say where it listens');
});

after(async () => {
  if (!server) return;
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

const ask = (path, body) =>
  fetch(new URL(`/_stator/${path}`, endpoint), body && { method: 'POST', body: JSON.stringify(body) });

const advance = async (amount) => assert.ok((await ask('clock', { advance: amount })).ok);

async function throttled(TableName) {
  const { tables } = await (await ask('capacity')).json();
  return tables.find(({ table }) => table === TableName).write.throttled;
}

// A table of one unit that was asked for 400: 300 were saved, 100 seconds are owed.
async function withEmptyTable(settings, body, definition = provisioned) {
  const client = newClient({ endpoint, ...settings });
  await withTable(client, definition, async (TableName) => {
    await client.send(new PutItemCommand({ TableName, Item: item('large', 400) }));
    await body(TableName, client);
  });
}

// At the same time, because the SDK waits for some seconds.
test('each exception has its type and its reasons, after the attempts of the default', options, async () => {
  const meet = ([definition, type, member, reason]) =>
    withEmptyTable(
      {},
      async (TableName, client) => {
        const attempts = countAttempts(client);
        const error = await client.send(new PutItemCommand({ TableName, Item: item('a') })).catch((met) => met);
        assert.ok(error instanceof type, error);
        assert.equal(error[member].length, 1);
        assert.equal(error[member][0].reason, reason);
        assert.ok(error[member][0].resource.endsWith(`:table/${TableName}`));
        assert.equal(attempts.get('PutItem'), ATTEMPTS);
        assert.equal(error.$metadata.attempts, ATTEMPTS);
        assert.deepEqual(await throttled(TableName), { [reason]: ATTEMPTS });
      },
      definition,
    );
  await Promise.all(causes.map(meet));
});

test('a call succeeds when time passes between its attempts', options, async () => {
  await withEmptyTable({}, async (TableName, client) => {
    let attempts = 0;
    client.middlewareStack.add(
      (next) => async (args) => {
        attempts += 1;
        if (attempts === 2) await advance('5m');
        return next(args);
      },
      { step: 'deserialize', name: 'timePasses' },
    );
    const { $metadata } = await client.send(new PutItemCommand({ TableName, Item: item('a') }));
    assert.equal($metadata.attempts, 2);
    assert.deepEqual(await throttled(TableName), { [REASON]: 1 });
    const read = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: 'a' } }, ConsistentRead: true }));
    assert.deepEqual(read.Item, item('a'));
  });
});

test('a batch of which nothing passes is an exception, one of which some does is not', options, async () => {
  await withEmptyTable({ maxAttempts: 1 }, async (TableName, client) => {
    const large = ['a', 'b', 'c'].map((pk) => ({ PutRequest: { Item: item(pk, 250) } }));
    const batch = () => client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: large } }));
    await assert.rejects(batch, ProvisionedThroughputExceededException);
    await advance('10m'); // 300 are saved again: enough for one, and for one that leaves a debt
    const { UnprocessedItems } = await batch();
    assert.deepEqual(UnprocessedItems, { [TableName]: large.slice(2) });
  });
});

test('a transaction is cancelled with the code of each action, and not tried again', options, async () => {
  await withEmptyTable({}, async (TableName, client) => {
    const attempts = countAttempts(client);
    const put = { Put: { TableName, Item: item('a') } };
    const error = await client
      .send(new TransactWriteItemsCommand({ TransactItems: [put] }))
      .catch((reason) => reason);
    assert.ok(error instanceof TransactionCanceledException, error);
    assert.deepEqual(error.CancellationReasons.map(({ Code }) => Code), ['ProvisionedThroughputExceeded']);
    assert.equal(attempts.get('TransactWriteItems'), 1);
  });
});
