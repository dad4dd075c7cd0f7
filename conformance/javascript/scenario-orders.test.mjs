// Orders of a user by `status#date` and of a status by date; a sparse index of pending orders.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { ScanCommand } from '@aws-sdk/lib-dynamodb';

import { client, Generator, index, itemsLeast, pad, same, Store, times } from './scenario.mjs';

const statuses = ['cancelled', 'delivered', 'paid', 'pending', 'shipped'];
const customers = times(250, (n) => `user-${pad(n, 3)}`);
const shops = ['berlin', 'lyon', 'wien'];
let orders;
let queue;

function generateOrders(data) {
  return times(itemsLeast, (number) => {
    const status = data.choice(statuses);
    const date = `2026-${pad(data.between(1, 13), 2)}-${pad(data.between(1, 29), 2)}`;
    const lines = times(data.below(3), () => ({ sku: `s${data.below(900)}`, n: data.between(1, 4) }));
    const order = pad(number, 6);
    return { user: data.choice(customers), order, status, date, statusDate: `${status}#${date}`, lines };
  });
}

// Only a pending order has the attribute `waitingShop`.
function generateQueue(data) {
  return times(itemsLeast, (number) => {
    const shop = data.choice(shops);
    const row = { order: `${pad(data.below(1e9), 9)}-${number}`, shop, placed: data.below(1e6) };
    return data.chance(0.03) ? { ...row, waitingShop: shop } : row;
  });
}

before(async () => {
  orders = await Store.create('user:S order:S', {
    byStatus: index('status:S date:S', { projection: ['lines'] }),
    byStatusDate: index('user:S statusDate:S', { local: true }),
  });
  await orders.load(generateOrders(new Generator('orders')));
  queue = await Store.create('order:S', { waiting: index('waitingShop:S placed:N', { projection: ['shop'] }) });
  await queue.load(generateQueue(new Generator('queue')));
});
after(() => Promise.all([orders.delete(), queue.delete()]));

test('orders of a user by status and date', async () => {
  for (const user of new Generator('customers').sample(customers, 25)) {
    for (const status of statuses) {
      const mine = (row) => row.user === user && row.status === status;
      const values = { u: user, s: `${status}#` };
      const options = { index: 'byStatusDate' };
      await orders.check('#user = :u AND begins_with(statusDate, :s)', values, mine, options);
    }
    const [low, high] = ['delivered#2026-03-10', 'delivered#2026-08'];
    await orders.check(
      '#user = :u AND statusDate BETWEEN :low AND :high',
      { u: user, low, high },
      (row) => row.user === user && row.statusDate >= low && row.statusDate <= high,
      { index: 'byStatusDate', descending: true },
    );
  }
});

test('the latest paid orders of a user', async () => {
  for (const user of new Generator('latest').sample(customers, 25)) {
    const options = { index: 'byStatusDate', descending: true };
    const wanted = orders.expected((row) => row.user === user && row.status === 'paid', options);
    const condition = '#user = :u AND begins_with(statusDate, :s)';
    const pages = orders.pages(condition, { u: user, s: 'paid#' }, { ...options, Limit: 3 });
    const { value: page } = await pages.next();
    assert.deepEqual(page.Items.map((row) => row.date), wanted.slice(0, 3).map((row) => row.date));
  }
});

test('orders of a status by date', async () => {
  for (const status of statuses) {
    await orders.check(
      '#status = :s AND #date BETWEEN :a AND :b',
      { s: status, a: '2026-05-01', b: '2026-05-31' },
      (entry) => entry.status === status && entry.date.startsWith('2026-05'),
      { index: 'byStatus' },
    );
  }
});

test('orders change their status', async () => {
  const data = new Generator('status changes');
  for (const row of data.sample(orders.all(), 250)) {
    row.status = data.choice(statuses);
    row.statusDate = `${row.status}#${row.date}`;
    await orders.update(row, 'SET #status = :s, statusDate = :d', { s: row.status, d: row.statusDate });
  }
  await orders.settle();
  await orders.checkEverything();
});

test('the sparse index holds pending orders only', async () => {
  const pending = queue.entries('waiting');
  assert.ok(pending.length > 100 && pending.length < 1000);
  const count = await client.send(new ScanCommand({ TableName: queue.name, IndexName: 'waiting', Select: 'COUNT' }));
  assert.deepEqual([count.Count, count.ScannedCount], [pending.length, pending.length]);
  same(await queue.scan('waiting'), pending);
});

test('pending orders are worked off, oldest first', async () => {
  for (const shop of shops) {
    for (;;) {
      await queue.settle();
      const options = { index: 'waiting', Limit: 10 };
      const { value: head } = await queue.pages('waitingShop = :s', { s: shop }, options).next();
      const waiting = queue.expected((entry) => entry.waitingShop === shop, { index: 'waiting' });
      assert.deepEqual(head.Items.map((row) => row.placed), waiting.slice(0, 10).map((row) => row.placed));
      if (head.Items.length === 0) break;
      for (const item of head.Items) {
        const row = queue.rows.get(queue.keyText(item));
        delete row.waitingShop;
        row.done = true;
        const condition = { ConditionExpression: 'attribute_exists(waitingShop)' };
        await queue.update(row, 'REMOVE waitingShop SET done = :t', { t: true }, condition);
      }
    }
  }
  assert.deepEqual(await queue.scan('waiting'), []);
  for (const row of new Generator('again').sample(queue.all(), 50)) {
    row.waitingShop = row.shop;
    await queue.update(row, 'SET waitingShop = shop');
  }
  await queue.settle();
  await queue.checkEverything();
});
