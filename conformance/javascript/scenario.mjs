// What the scenarios share: generated data from a printed seed, a table beside an oracle of plain rows,
// bulk loading and complete paging. Expectations come from the oracle alone.

import assert from 'node:assert/strict';
import { createHash, randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { CreateTableCommand, DeleteTableCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  paginateScan,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

import { attribute, hash, inParallel, newClient, range, uniqueName } from './helpers.mjs';

export const itemsLeast = 10_000;
export const seed = process.env.STATOR_SEED ?? String(randomInt(2 ** 32));
console.log(`generated data: seed ${seed}, STATOR_SEED=${seed} repeats it`);

const ownServer = process.env.STATOR_OWN_SERVER === '1';
const deadlineMs = 60_000;
const loaders = 4;

export const plainClient = newClient({ connections: 70 });
export const client = DynamoDBDocumentClient.from(newClient({ connections: 70 }));

// Random numbers of one scenario: the same seed and name give the same data (sfc32).
export class Generator {
  constructor(name) {
    const digest = createHash('sha256').update(`${seed}/${name}`).digest();
    this.state = [0, 4, 8, 12].map((at) => digest.readUInt32LE(at));
  }

  next() {
    const s = this.state;
    const sum = (s[0] + s[1] + s[3]) | 0;
    s[3] = (s[3] + 1) | 0;
    s[0] = s[1] ^ (s[1] >>> 9);
    s[1] = (s[2] + (s[2] << 3)) | 0;
    s[2] = ((s[2] << 21) | (s[2] >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  }

  // An integer from low to high - 1.
  between = (low, high) => low + Math.floor(this.next() * (high - low));
  below = (high) => this.between(0, high);
  chance = (probability) => this.next() < probability;
  choice = (list) => list[this.below(list.length)];

  sample(list, count) {
    const left = [...list];
    return Array.from({ length: Math.min(count, left.length) }, () => {
      const at = this.below(left.length);
      const [chosen] = left.splice(at, 1, left[left.length - 1]);
      left.pop();
      return chosen;
    });
  }
}

export const pad = (number, width) => String(number).padStart(width, '0');
export const times = (count, make) => Array.from({ length: count }, (_, i) => make(i));
export const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

// A text that is equal for equal values, whatever the order of names and set members.
export function canonical(value) {
  if (value instanceof Set) return `set(${[...value].map(canonical).sort()})`;
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.keys(value)
    .sort()
    .map((name) => `${name}:${canonical(value[name])}`)}}`;
}

// The same rows; with `sortKey` also in its order, where rows that are equal in it may change places.
export function same(found, expected, sortKey) {
  assert.equal(found.length, expected.length);
  if (sortKey) assert.deepEqual(found.map(sortKey), expected.map(sortKey));
  if (isDeepStrictEqual(found, expected)) return;
  assert.deepEqual(found.map(canonical).sort(), expected.map(canonical).sort());
}

// Names and values for an expression: #name stands for `name`, :value for values.value.
export function placeholders(values, ...expressions) {
  const names = new Set(expressions.filter(Boolean).flatMap((text) => text.match(/#\w+/g) ?? []));
  return {
    ...(names.size && { ExpressionAttributeNames: Object.fromEntries([...names].map((n) => [n, n.slice(1)])) }),
    ...(Object.keys(values).length && {
      ExpressionAttributeValues: Object.fromEntries(Object.entries(values).map(([n, v]) => [`:${n}`, v])),
    }),
  };
}

// Sends `request` again for what it leaves over, until nothing is left or the time is up.
async function untilNothingIsLeft(left, request) {
  const end = Date.now() + deadlineMs;
  while (Object.keys(left).length) {
    assert.ok(Date.now() < end, 'a batch was not finished in time');
    left = await request(left);
  }
}

// An index of a store: index('user:S sent:N', { projection: 'KEYS_ONLY' or names, local: true }).
export function index(types, { projection = 'ALL', local = false } = {}) {
  const keys = types.split(' ').map((word) => word.split(':')[0]);
  const kind = Array.isArray(projection) ? 'INCLUDE' : projection;
  return { types, keys, projection, kind, local };
}

// A table of its own with an oracle; `rows` maps each primary key (as text) to its row.
export class Store {
  constructor(name, types, indexes) {
    Object.assign(this, { name, indexes, types, keys: types.split(' ').map((word) => word.split(':')[0]) });
    this.rows = new Map();
  }

  static async create(types, indexes = {}) {
    const store = new Store(uniqueName('js-store'), types, indexes);
    const words = new Set([types, ...Object.values(indexes).map((i) => i.types)].flatMap((text) => text.split(' ')));
    const members = {};
    for (const [IndexName, { keys, kind, projection, local }] of Object.entries(indexes)) {
      const Projection = { ProjectionType: kind, ...(kind === 'INCLUDE' && { NonKeyAttributes: projection }) };
      const list = local ? 'LocalSecondaryIndexes' : 'GlobalSecondaryIndexes';
      (members[list] ??= []).push({ IndexName, KeySchema: schema(keys), Projection });
    }
    await plainClient.send(
      new CreateTableCommand({
        TableName: store.name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [...words].map((word) => attribute(...word.split(':'))),
        KeySchema: schema(store.keys),
        ...members,
      }),
    );
    await waitUntilTableExists({ client: plainClient, maxWaitTime: 120 }, { TableName: store.name });
    return store;
  }

  delete = () => plainClient.send(new DeleteTableCommand({ TableName: this.name }));
  all = () => [...this.rows.values()];
  keyText = (row) => JSON.stringify(this.keys.map((name) => row[name]));
  keyOf = (row) => Object.fromEntries(this.keys.map((name) => [name, row[name]]));

  async write(requests) {
    const chunks = times(Math.ceil(requests.length / 25), (i) => requests.slice(25 * i, 25 * i + 25));
    await inParallel(chunks.length, loaders, (i) =>
      untilNothingIsLeft({ [this.name]: chunks[i] }, async (RequestItems) => {
        return (await client.send(new BatchWriteCommand({ RequestItems }))).UnprocessedItems;
      }),
    );
    await this.settle();
  }

  async load(rows) {
    for (const row of rows) this.rows.set(this.keyText(row), row);
    await this.write(rows.map((Item) => ({ PutRequest: { Item } })));
  }

  async remove(rows) {
    for (const row of rows) assert.ok(this.rows.delete(this.keyText(row)));
    await this.write(rows.map((row) => ({ DeleteRequest: { Key: this.keyOf(row) } })));
  }

  // BatchGetItem of any number of rows' keys.
  async readAll(rows) {
    const found = [];
    const chunks = times(Math.ceil(rows.length / 100), (i) => rows.slice(100 * i, 100 * i + 100).map(this.keyOf));
    await inParallel(chunks.length, loaders, (i) =>
      untilNothingIsLeft({ [this.name]: { Keys: chunks[i], ConsistentRead: true } }, async (RequestItems) => {
        const answer = await client.send(new BatchGetCommand({ RequestItems }));
        found.push(...(answer.Responses[this.name] ?? []));
        return answer.UnprocessedKeys;
      }),
    );
    return found;
  }

  async get(row) {
    const command = new GetCommand({ TableName: this.name, Key: this.keyOf(row), ConsistentRead: true });
    return (await client.send(command)).Item;
  }

  update(row, UpdateExpression, values = {}, members = {}) {
    const more = placeholders(values, UpdateExpression, members.ConditionExpression);
    const input = { TableName: this.name, Key: this.keyOf(row), UpdateExpression, ...more, ...members };
    return client.send(new UpdateCommand(input));
  }

  where = (index) => ({
    TableName: this.name,
    ...(index && { IndexName: index }),
    ...((!index || this.indexes[index].local) && { ConsistentRead: true }),
  });

  // The answers of a query, page by page.
  pages(KeyConditionExpression, values, { index, descending, ...members } = {}) {
    const texts = [KeyConditionExpression, members.FilterExpression, members.ProjectionExpression];
    const input = { ...this.where(index), KeyConditionExpression, ...placeholders(values, ...texts), ...members };
    if (descending) input.ScanIndexForward = false;
    return paginateQuery({ client }, input);
  }

  query = (condition, values, options) => rowsOf(this.pages(condition, values, options));

  scan(index, values = {}, members = {}) {
    const more = placeholders(values, members.FilterExpression, members.ProjectionExpression);
    return rowsOf(paginateScan({ client }, { ...this.where(index), ...more, ...members }));
  }

  // What the table or an index holds, as the oracle knows it.
  entries(name) {
    if (!name) return this.all();
    const { keys, kind, projection } = this.indexes[name];
    const held = this.all().filter((row) => keys.every((key) => key in row));
    if (kind === 'ALL') return held;
    const kept = [...new Set([...keys, ...this.keys, ...(kind === 'INCLUDE' ? projection : [])])];
    return held.map((row) => Object.fromEntries(kept.filter((n) => n in row).map((n) => [n, row[n]])));
  }

  sortKey(name) {
    const key = (name ? this.indexes[name].keys : this.keys)[1];
    return (row) => (key ? row[key] : 0);
  }

  expected(holds, { index, descending } = {}) {
    const place = this.sortKey(index);
    const sign = descending ? -1 : 1;
    return this.entries(index)
      .filter(holds)
      .sort((a, b) => sign * order(place(a), place(b)));
  }

  // A query finds exactly what the oracle finds, in order.
  async check(condition, values, holds, options = {}) {
    const found = await this.query(condition, values, options);
    same(found, this.expected(holds, options), this.sortKey(options.index));
    return found;
  }

  // A server that is not our own may bring its global indexes up to date later.
  async settle() {
    if (ownServer) return;
    const end = Date.now() + deadlineMs;
    for (const name of Object.keys(this.indexes).filter((n) => !this.indexes[n].local)) {
      const wanted = this.entries(name).map(canonical).sort().join('\n');
      while ((await this.scan(name)).map(canonical).sort().join('\n') !== wanted) {
        assert.ok(Date.now() < end, `${name} is not up to date`);
      }
    }
  }

  // The table and each index hold exactly what the oracle says.
  async checkEverything() {
    for (const name of [undefined, ...Object.keys(this.indexes)]) {
      const expected = new Map(this.entries(name).map((row) => [this.keyText(row), row]));
      const found = await this.scan(name);
      assert.equal(found.length, expected.size);
      for (const row of found) assert.deepEqual(row, expected.get(this.keyText(row)));
    }
  }
}

const schema = (keys) => keys.map((name, i) => (i === 0 ? hash(name) : range(name)));

async function rowsOf(pages) {
  const rows = [];
  for await (const page of pages) rows.push(...page.Items);
  return rows;
}

// True when the write was accepted, false when its condition did not hold.
export const accepted = (promise) =>
  promise.then(
    () => true,
    (error) => {
      assert.equal(error.name, 'ConditionalCheckFailedException');
      return false;
    },
  );
