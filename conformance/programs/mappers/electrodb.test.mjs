// A shop on ElectroDB: two entities in one table with an overloaded index, joined by a service.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { Entity, Service } from 'electrodb';

import { newClient, newDocumentClient, rejectsCondition, uniqueName } from './helpers.mjs';

const table = uniqueName('electrodb');
const client = newDocumentClient();

const Customer = new Entity(
  {
    model: { entity: 'customer', version: '1', service: 'shop' },
    attributes: {
      customerId: { type: 'string', required: true },
      email: { type: 'string', required: true },
      points: { type: 'number', default: 0 },
      interests: { type: 'set', items: 'string' },
      address: { type: 'map', properties: { city: { type: 'string' }, lines: { type: 'list', items: { type: 'string' } } } },
    },
    indexes: {
      primary: { pk: { field: 'pk', composite: ['customerId'] }, sk: { field: 'sk', composite: [] }, collection: 'account' },
      byEmail: { index: 'gsi1', pk: { field: 'gsi1pk', composite: ['email'] }, sk: { field: 'gsi1sk', composite: [] } },
    },
  },
  { client, table },
);

const Order = new Entity(
  {
    model: { entity: 'order', version: '1', service: 'shop' },
    attributes: {
      customerId: { type: 'string', required: true },
      orderId: { type: 'string', required: true },
      status: { type: ['open', 'paid', 'shipped'], default: 'open' },
      placed: { type: 'string', required: true },
      total: { type: 'number', required: true },
    },
    indexes: {
      primary: { pk: { field: 'pk', composite: ['customerId'] }, sk: { field: 'sk', composite: ['orderId'] }, collection: 'account' },
      byStatus: { index: 'gsi1', pk: { field: 'gsi1pk', composite: ['status'] }, sk: { field: 'gsi1sk', composite: ['placed', 'orderId'] } },
    },
  },
  { client, table },
);

const shop = new Service({ Customer, Order });
const orders = Array.from({ length: 90 }, (_, i) => ({
  customerId: `c${i % 4}`,
  orderId: `o${String(i).padStart(3, '0')}`,
  status: ['open', 'paid', 'shipped'][i % 3],
  placed: `2026-${String(1 + (i % 12)).padStart(2, '0')}-01`,
  total: i * 1.25,
}));

before(async () => {
  const string = (AttributeName) => ({ AttributeName, AttributeType: 'S' });
  const keys = (pk, sk) => [{ AttributeName: pk, KeyType: 'HASH' }, { AttributeName: sk, KeyType: 'RANGE' }];
  await newClient().send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk', 'gsi1pk', 'gsi1sk'].map(string),
      KeySchema: keys('pk', 'sk'),
      GlobalSecondaryIndexes: [
        { IndexName: 'gsi1', KeySchema: keys('gsi1pk', 'gsi1sk'), Projection: { ProjectionType: 'ALL' } },
      ],
    }),
  );
  for (let i = 0; i < 4; i += 1) {
    await Customer.create({ customerId: `c${i}`, email: `c${i}@example.com`, interests: ['books', `n${i}`] }).go();
  }
  const { unprocessed } = await Order.put(orders).go();
  assert.deepEqual(unprocessed, []);
});

const ids = (found) => found.data.map((order) => order.orderId);

test('gets, queries and pages orders', async () => {
  assert.equal((await Order.get({ customerId: 'c1', orderId: 'o005' }).go()).data.total, 6.25);
  const mine = orders.filter((order) => order.customerId === 'c2').map((order) => order.orderId);
  assert.deepEqual(ids(await Order.query.primary({ customerId: 'c2' }).go({ pages: 'all' })), mine);
  assert.deepEqual(
    ids(await Order.query.primary({ customerId: 'c2' }).between({ orderId: 'o010' }, { orderId: 'o050' }).go({ order: 'desc' })),
    mine.filter((id) => id >= 'o010' && id <= 'o050').reverse(),
  );
  const seen = [];
  let cursor = null;
  do {
    const page = await Order.query.primary({ customerId: 'c2' }).go({ limit: 5, cursor });
    seen.push(...ids(page));
    cursor = page.cursor;
  } while (cursor);
  assert.deepEqual(seen, mine);
});

test('finds orders of a status by date, with a filter', async () => {
  const expected = orders
    .filter((order) => order.status === 'paid' && order.placed.startsWith('2026-05') && order.total > 20)
    .map((order) => order.orderId);
  assert.ok(expected.length > 0);
  const found = await Order.query
    .byStatus({ status: 'paid' })
    .begins({ placed: '2026-05' })
    .where(({ total }, { gt }) => gt(total, 20))
    .go({ pages: 'all' });
  assert.deepEqual(ids(found), expected);
});

test('reads a collection of both entities at once', async () => {
  const { data } = await shop.collections.account({ customerId: 'c3' }).go({ pages: 'all' });
  assert.deepEqual(data.Customer.map((customer) => customer.email), ['c3@example.com']);
  assert.equal(data.Order.length, orders.filter((order) => order.customerId === 'c3').length);
});

test('patches with conditions and keeps the index true', async () => {
  const key = { customerId: 'c0', orderId: 'o000' };
  const { data } = await Order.patch(key)
    .set({ status: 'shipped', placed: '2027-01-01' })
    .add({ total: 7 })
    .where(({ status }, { eq }) => eq(status, 'open'))
    .go({ response: 'all_new' });
  assert.deepEqual([data.status, data.total], ['shipped', 7]);
  assert.deepEqual(ids(await Order.query.byStatus({ status: 'shipped' }).begins({ placed: '2027' }).go()), ['o000']);
  await rejectsCondition(Order.patch(key).set({ total: 1 }).where(({ status }, { eq }) => eq(status, 'open')).go());
  await rejectsCondition(Order.create({ ...orders[0] }).go());
  await rejectsCondition(Order.patch({ customerId: 'c0', orderId: 'nowhere' }).set({ total: 1 }).go());
});

test('works on sets, maps and lists', async () => {
  const key = { customerId: 'c1' };
  await Customer.patch(key).add({ interests: ['maps'], points: 3 }).set({ address: { city: 'Ulm', lines: ['a'] } }).go();
  await Customer.patch(key).append({ 'address.lines': ['b', 'c'] }).delete({ interests: ['books'] }).go();
  const { data } = await Customer.get(key).go();
  assert.deepEqual(data.address, { city: 'Ulm', lines: ['a', 'b', 'c'] });
  assert.deepEqual([...data.interests].sort(), ['maps', 'n1']);
  assert.equal(data.points, 3);
  assert.deepEqual((await Customer.query.byEmail({ email: 'c1@example.com' }).go()).data.length, 1);
});

test('scans with a filter and deletes in batches', async () => {
  const cheap = await Order.scan.where(({ total }, { lt }) => lt(total, 5)).go({ pages: 'all' });
  assert.deepEqual(ids(cheap).sort(), ['o001', 'o002', 'o003']);
  const gone = cheap.data.map(({ customerId, orderId }) => ({ customerId, orderId }));
  await Order.delete(gone).go();
  assert.deepEqual((await Order.get(gone).go()).data, []);
});

test('writes and reads both entities in transactions', async () => {
  const order = { customerId: 'c2', orderId: 'o900', placed: '2027-02-02', total: 9 };
  const place = () =>
    shop.transaction
      .write(({ Customer: customer, Order: entity }) => [
        entity.create(order).commit({ response: 'all_old' }),
        customer.patch({ customerId: 'c2' }).add({ points: 9 }).commit(),
        customer.check({ customerId: 'c3' }).where(({ email }, { eq }) => eq(email, 'c3@example.com')).commit(),
      ])
      .go();
  assert.equal((await place()).canceled, false);
  const refused = await place();
  assert.equal(refused.canceled, true);
  assert.deepEqual(refused.data.map(({ rejected, code }) => [rejected, code]), [
    [true, 'ConditionalCheckFailed'],
    [false, 'None'],
    [false, 'None'],
  ]);
  assert.deepEqual(refused.data[0].item.orderId, 'o900');
  const { data } = await shop.transaction
    .get(({ Customer: customer, Order: entity }) => [
      customer.get({ customerId: 'c2' }).commit(),
      entity.get({ customerId: 'c2', orderId: 'o900' }).commit(),
      entity.get({ customerId: 'c2', orderId: 'nowhere' }).commit(),
    ])
    .go();
  assert.deepEqual([data[0].item.points, data[1].item.total, data[2].item], [9, 9, null]);
});
