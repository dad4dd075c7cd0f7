// The document client of lib-dynamodb: native values to items and back.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { CreateTableCommand, DeleteTableCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocument,
  DynamoDBDocumentClient,
  GetCommand,
  NumberValue,
  paginateQuery,
  paginateScan,
  PutCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

import { newClient, onDemand, rejects, rejectsValidation, uniqueName } from './helpers.mjs';

const client = newClient();
// A document client leaves its options in the client below it, so each has its own.
const documents = DynamoDBDocumentClient.from(newClient(), { marshallOptions: { removeUndefinedValues: true } });
const exact = DynamoDBDocumentClient.from(newClient(), { unmarshallOptions: { wrapNumbers: true } });
const TableName = uniqueName();
before(() => client.send(new CreateTableCommand({ TableName, ...onDemand({ pk: 'S', sk: 'N' }) })));
after(() => client.send(new DeleteTableCommand({ TableName })));

let serial = 0;
const newKey = () => ({ pk: 'document', sk: serial++ });
const get = async (Key, from = documents) =>
  (await from.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
const raw = async ({ pk, sk }) =>
  (await client.send(new GetItemCommand({ TableName, Key: { pk: { S: pk }, sk: { N: `${sk}` } } }))).Item;

test('native types come back as they went', async () => {
  const Item = {
    ...newKey(),
    text: 'grüße 👋',
    empty: '',
    integer: 42,
    negative: -0.125,
    small: 5e-7,
    yes: true,
    no: false,
    nothing: null,
    list: ['a', 1, [null, []], { b: [true] }],
    map: { deep: { deeper: { 'key with blanks': ['x'] } }, empty: {} },
    binary: Uint8Array.from({ length: 256 }, (_, i) => i),
  };
  await documents.send(new PutCommand({ TableName, Item }));
  const read = await get({ pk: Item.pk, sk: Item.sk });
  assert.deepEqual({ ...read, binary: [...read.binary] }, { ...Item, binary: [...Item.binary] });
});

test('sets come back as sets', async () => {
  const Item = { ...newKey(), words: new Set(['b', 'a']), numbers: new Set([3, 1, 2.5]) };
  Item.blobs = new Set([Uint8Array.of(1), Uint8Array.of(2, 3)]);
  await documents.send(new PutCommand({ TableName, Item }));
  const read = await get({ pk: Item.pk, sk: Item.sk });
  assert.deepEqual(read.words, Item.words);
  assert.deepEqual(read.numbers, Item.numbers);
  assert.deepEqual([...read.blobs].map((blob) => [...blob]).sort(), [[1], [2, 3]]);
  const stored = await raw(Item);
  assert.deepEqual(Object.keys(stored.words), ['SS']);
  assert.deepEqual(Object.keys(stored.numbers), ['NS']);
  assert.deepEqual(Object.keys(stored.blobs), ['BS']);
});

test('big numbers travel as NumberValue and BigInt, digit by digit', async () => {
  const digits = '12345678901234567890123456789012345678';
  const Item = {
    ...newKey(),
    largest: NumberValue.from(`9.${'9'.repeat(37)}E+125`),
    smallest: NumberValue.from('1E-130'),
    long: NumberValue.from(`-${digits}`),
    bigint: BigInt(digits),
    many: new Set([NumberValue.from(digits), NumberValue.from('0.1')]),
  };
  await documents.send(new PutCommand({ TableName, Item }));
  const read = await get({ pk: Item.pk, sk: Item.sk }, exact);
  assert.equal(read.largest.value, '9'.repeat(38) + '0'.repeat(88));
  assert.equal(read.smallest.value, `0.${'0'.repeat(129)}1`);
  assert.equal(read.long.value, `-${digits}`);
  assert.equal(read.bigint.value, digits);
  assert.deepEqual([...read.many].map(({ value }) => value).sort(), ['0.1', digits]);
});

test('undefined members are left out', async () => {
  const Item = { ...newKey(), kept: 1, dropped: undefined, map: { kept: 'x', dropped: undefined } };
  await documents.send(new PutCommand({ TableName, Item }));
  const stored = await raw(Item);
  assert.deepEqual(stored.map, { M: { kept: { S: 'x' } } });
  assert.deepEqual(Object.keys(stored).sort(), ['kept', 'map', 'pk', 'sk']);
});

test('put and delete return the old document', async () => {
  const Key = newKey();
  const first = { ...Key, version: 1, tags: new Set(['x']) };
  await documents.send(new PutCommand({ TableName, Item: first }));
  const replaced = await documents.send(
    new PutCommand({ TableName, Item: { ...Key, version: 2 }, ReturnValues: 'ALL_OLD' }),
  );
  assert.deepEqual(replaced.Attributes, first);
  const removed = await documents.send(new DeleteCommand({ TableName, Key, ReturnValues: 'ALL_OLD' }));
  assert.deepEqual(removed.Attributes, { ...Key, version: 2 });
  assert.equal(await get(Key), undefined);
});

test('batches, updates and pages of documents', async () => {
  const rows = Array.from({ length: 60 }, (_, sk) => ({ pk: 'pages', sk, kind: sk % 3, deep: { list: [sk, `${sk}`] } }));
  for (const chunk of [rows.slice(0, 25), rows.slice(25, 50), rows.slice(50)]) {
    const RequestItems = { [TableName]: chunk.map((Item) => ({ PutRequest: { Item } })) };
    assert.deepEqual((await documents.send(new BatchWriteCommand({ RequestItems }))).UnprocessedItems, {});
  }
  const Keys = rows.slice(7, 47).map(({ pk, sk }) => ({ pk, sk }));
  const batch = new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } });
  const read = (await documents.send(batch)).Responses[TableName];
  assert.deepEqual(read.sort((a, b) => a.sk - b.sk), rows.slice(7, 47));

  const update = {
    UpdateExpression: 'SET kind = kind + :n, deep.#list = list_append(deep.#list, :l) ADD tags :t',
    ConditionExpression: 'kind < :most',
    ExpressionAttributeNames: { '#list': 'list' },
    ExpressionAttributeValues: { ':n': 10, ':l': [null, { x: true }], ':t': new Set(['new']), ':most': 9 },
  };
  const Key = { pk: 'pages', sk: 59 };
  const changed = new UpdateCommand({ TableName, Key, ReturnValues: 'ALL_NEW', ...update });
  rows[59] = { ...Key, kind: 12, deep: { list: [59, '59', null, { x: true }] }, tags: new Set(['new']) };
  assert.deepEqual((await documents.send(changed)).Attributes, rows[59]);
  await rejects(documents.send(changed), 'ConditionalCheckFailedException', 'The conditional request failed');

  const pagesOf = async (pages) => {
    const found = [];
    for await (const page of pages) found.push(page.Items);
    return found;
  };
  const query = {
    TableName,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :p AND sk BETWEEN :low AND :high',
    FilterExpression: 'kind = :k',
    ExpressionAttributeValues: { ':p': 'pages', ':low': 10, ':high': 40, ':k': 1 },
  };
  const found = await pagesOf(paginateQuery({ client: documents, pageSize: 7 }, query));
  assert.ok(found.length >= 5);
  assert.deepEqual(found.flat(), rows.filter(({ sk, kind }) => sk >= 10 && sk <= 40 && kind === 1));
  const scan = { TableName, ConsistentRead: true, FilterExpression: 'pk = :p', ExpressionAttributeValues: { ':p': 'pages' } };
  assert.deepEqual((await pagesOf(paginateScan({ client: documents, pageSize: 11 }, scan))).flat(), rows);
});

test('transactions of native values, with the items that were in the way', async () => {
  const [one, two, three] = [newKey(), newKey(), newKey()];
  await documents.send(
    new TransactWriteCommand({
      TransactItems: [
        { Put: { TableName, Item: { ...one, tags: new Set(['a']), deep: [{ x: null }] } } },
        {
          Update: {
            TableName,
            Key: two,
            UpdateExpression: 'SET stock = if_not_exists(stock, :none) + :n',
            ExpressionAttributeValues: { ':none': 10, ':n': 2.5 },
          },
        },
        { ConditionCheck: { TableName, Key: three, ConditionExpression: 'attribute_not_exists(pk)' } },
      ],
    }),
  );
  const gets = [two, three, one].map((Key) => ({ Get: { TableName, Key } }));
  const { Responses } = await documents.send(new TransactGetCommand({ TransactItems: gets }));
  const stored = { ...one, tags: new Set(['a']), deep: [{ x: null }] };
  assert.deepEqual(Responses, [{ Item: { ...two, stock: 12.5 } }, {}, { Item: stored }]);

  const again = {
    TableName,
    Item: one,
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  const error = await rejects(
    documents.send(new TransactWriteCommand({ TransactItems: [{ Delete: { TableName, Key: two } }, { Put: again }] })),
    'TransactionCanceledException',
    'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]',
  );
  const [none, failed] = error.CancellationReasons;
  assert.deepEqual([none.Code, failed.Code, failed.Message], ['None', 'ConditionalCheckFailed', 'The conditional request failed']);
  assert.deepEqual(failed.Item.pk, { S: one.pk });
  assert.equal((await get(two)).stock, 12.5);
});

test('a lost answer is asked for again with the token that the SDK made', async () => {
  const forgetful = DynamoDBDocumentClient.from(newClient());
  let tries = 0;
  const lose = (next) => async (args) => {
    const answer = await next(args);
    tries += 1;
    if (tries === 1) throw Object.assign(new Error('lost'), { name: 'TimeoutError' });
    return answer;
  };
  forgetful.middlewareStack.add(lose, { step: 'deserialize', name: 'lose', priority: 'high' });
  const Key = newKey();
  const count = { TableName, Key, UpdateExpression: 'ADD n :one', ExpressionAttributeValues: { ':one': 1 } };
  await forgetful.send(new TransactWriteCommand({ TransactItems: [{ Update: count }] }));
  assert.equal(tries, 2);
  assert.deepEqual(await get(Key), { ...Key, n: 1 });
});

test('the short form of the client, and its errors', async () => {
  const short = DynamoDBDocument.from(newClient());
  const Key = newKey();
  await short.put({ TableName, Item: { ...Key, answer: 42 } });
  assert.deepEqual((await short.get({ TableName, Key })).Item, { ...Key, answer: 42 });
  await short.delete({ TableName, Key });
  await rejectsValidation(
    short.put({ TableName, Item: { pk: '', sk: 1 } }),
    'One or more parameter values are not valid. ' +
      'The AttributeValue for a key attribute cannot contain an empty string value. Key: pk',
  );
});
