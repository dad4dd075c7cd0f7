// A support desk on dynamodb-toolbox: tickets with typed attributes, conditions and an index.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  $add,
  $append,
  $remove,
  BatchGetCommand,
  BatchGetRequest,
  BatchPutRequest,
  BatchWriteCommand,
  DeleteItemCommand,
  Entity,
  executeBatchGet,
  executeBatchWrite,
  GetItemCommand,
  item,
  list,
  number,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  set,
  string,
  Table,
  UpdateItemCommand,
} from 'dynamodb-toolbox';

import { newClient, newDocumentClient, rejectsCondition, uniqueName } from './helpers.mjs';

const table = new Table({
  documentClient: newDocumentClient(),
  name: uniqueName('toolbox'),
  partitionKey: { name: 'queue', type: 'string' },
  sortKey: { name: 'number', type: 'number' },
  indexes: {
    byAgent: {
      type: 'global',
      partitionKey: { name: 'agent', type: 'string' },
      sortKey: { name: 'priority', type: 'number' },
    },
  },
});

const Ticket = new Entity({
  name: 'ticket',
  table,
  timestamps: false,
  schema: item({
    queue: string().key(),
    number: number().key(),
    agent: string().optional(),
    priority: number().default(3),
    labels: set(string()).optional(),
    notes: list(string()).default([]),
    state: string().enum('open', 'closed').default('open'),
  }),
});

const tickets = Array.from({ length: 80 }, (_, i) => ({
  queue: `q${i % 3}`,
  number: i,
  ...(i % 5 === 0 ? {} : { agent: `agent-${i % 7}` }),
  priority: i % 4,
  labels: new Set([`l${i % 6}`, 'x']),
  notes: [`note ${i}`],
  state: i % 2 === 0 ? 'open' : 'closed',
}));

before(async () => {
  const key = (AttributeName, KeyType) => ({ AttributeName, KeyType });
  await newClient().send(
    new CreateTableCommand({
      TableName: table.tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: Object.entries({ queue: 'S', number: 'N', agent: 'S', priority: 'N' }).map(
        ([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }),
      ),
      KeySchema: [key('queue', 'HASH'), key('number', 'RANGE')],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byAgent',
          KeySchema: [key('agent', 'HASH'), key('priority', 'RANGE')],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    }),
  );
  for (let at = 0; at < tickets.length; at += 25) {
    const requests = tickets.slice(at, at + 25).map((ticket) => Ticket.build(BatchPutRequest).item(ticket));
    const { UnprocessedItems } = await executeBatchWrite(table.build(BatchWriteCommand).requests(...requests));
    assert.deepEqual(UnprocessedItems ?? {}, {});
  }
});

const numbers = (found) => found.Items.map((ticket) => ticket.number);
const query = (what, options = {}) => table.build(QueryCommand).entities(Ticket).query(what).options(options).send();

test('gets an item with a projection', async () => {
  const { Item } = await Ticket.build(GetItemCommand)
    .key({ queue: 'q1', number: 7 })
    .options({ attributes: ['number', 'labels'], consistent: true })
    .send();
  assert.deepEqual(Item, { number: 7, labels: new Set(['l1', 'x']) });
});

test('queries ranges in both directions, page by page', async () => {
  const expected = tickets.filter((t) => t.queue === 'q2' && t.number >= 10 && t.number <= 60).map((t) => t.number);
  const what = { partition: 'q2', range: { between: [10, 60] } };
  assert.deepEqual(numbers(await query(what)), expected);
  assert.deepEqual(numbers(await query(what, { reverse: true })), [...expected].reverse());
  const seen = [];
  let exclusiveStartKey;
  do {
    const page = await query(what, { limit: 4, exclusiveStartKey });
    seen.push(...numbers(page));
    exclusiveStartKey = page.LastEvaluatedKey;
  } while (exclusiveStartKey);
  assert.deepEqual(seen, expected);
});

test('queries the sparse index with a filter', async () => {
  const expected = tickets.filter((t) => t.agent === 'agent-3' && t.priority >= 1 && t.state === 'open');
  const found = await query(
    { index: 'byAgent', partition: 'agent-3', range: { gte: 1 } },
    { filters: { ticket: { attr: 'state', eq: 'open' } } },
  );
  assert.deepEqual(numbers(found).sort((a, b) => a - b), expected.map((t) => t.number));
  assert.deepEqual(found.Items.map((t) => t.priority), expected.map((t) => t.priority).sort());
});

test('scans in segments', async () => {
  const seen = [];
  for (let segment = 0; segment < 4; segment += 1) {
    const { Items } = await table
      .build(ScanCommand)
      .entities(Ticket)
      .options({ segment, totalSegments: 4, filters: { ticket: { attr: 'labels', contains: 'l2' } } })
      .send();
    seen.push(...Items.map((ticket) => ticket.number));
  }
  assert.deepEqual(
    seen.sort((a, b) => a - b),
    tickets.filter((t) => t.labels.has('l2')).map((t) => t.number),
  );
});

test('updates with its extensions and conditions', async () => {
  const { Attributes } = await Ticket.build(UpdateItemCommand)
    .item({ queue: 'q0', number: 3, priority: $add(10), notes: $append(['second']), agent: $remove() })
    .options({ returnValues: 'ALL_NEW', condition: { attr: 'state', eq: 'closed' } })
    .send();
  assert.deepEqual([Attributes.priority, Attributes.notes, Attributes.agent], [13, ['note 3', 'second'], undefined]);
  assert.ok(!numbers(await query({ index: 'byAgent', partition: 'agent-3' })).includes(3));
  await rejectsCondition(
    Ticket.build(UpdateItemCommand)
      .item({ queue: 'q0', number: 3, priority: 1 })
      .options({ condition: { attr: 'priority', lt: 13 } })
      .send(),
  );
  await rejectsCondition(
    Ticket.build(PutItemCommand).item(tickets[6]).options({ condition: { attr: 'queue', exists: false } }).send(),
  );
});

test('deletes with a condition and reads the rest in a batch', async () => {
  const gone = { queue: 'q1', number: 1 };
  const { Attributes } = await Ticket.build(DeleteItemCommand)
    .key(gone)
    .options({ returnValues: 'ALL_OLD', condition: { attr: 'state', eq: 'closed' } })
    .send();
  assert.deepEqual(Attributes.notes, ['note 1']);
  const keys = [gone, { queue: 'q1', number: 4 }, { queue: 'q2', number: 5 }];
  const { Responses } = await executeBatchGet(
    table.build(BatchGetCommand).requests(...keys.map((key) => Ticket.build(BatchGetRequest).key(key))),
  );
  assert.deepEqual(Responses[0].map((found) => found?.number), [undefined, 4, 5]);
});
