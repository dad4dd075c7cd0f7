// Many clients at once: optimistic locking by version, stock that never goes below zero, counters.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { accepted, Generator, itemsLeast, pad, same, Store, times } from './scenario.mjs';

const clients = 64;
const together = (count, work) => Promise.all(times(count, work));
let documents;
let products;
let counters;

before(async () => {
  const data = new Generator('contention');
  documents = await Store.create('doc:S');
  await documents.load(times(itemsLeast, (n) => ({ doc: `doc-${pad(n, 5)}`, version: data.between(1, 6), edits: [] })));
  products = await Store.create('sku:S');
  await products.load(times(itemsLeast, (n) => ({ sku: `sku-${pad(n, 5)}`, stock: data.below(60), sold: 0 })));
  counters = await Store.create('page:S day:N');
  const counter = (n) => ({ page: `/${Math.floor(n / 10)}`, day: n % 10, views: data.below(999) });
  await counters.load(times(itemsLeast, counter));
});
after(() => Promise.all([documents, products, counters].map((store) => store.delete())));

test('optimistic locking: each accepted edit saw all those before it', async () => {
  const hot = new Generator('hot documents').sample(documents.all(), 20);
  const edits = new Map(hot.map((row) => [row.doc, new Map()]));
  let refused = 0;
  await together(16, async (writer) => {
    const data = new Generator(`writer ${writer}`);
    for (let turn = 0; turn < 25; turn += 1) {
      const row = data.choice(hot);
      const name = `${writer}/${turn}`;
      for (;;) {
        const seen = await documents.get(row);
        assert.equal(seen.edits.length, seen.version - row.version);
        const values = { one: 1, e: [name], seen: seen.version };
        const expression = 'SET version = version + :one, edits = list_append(edits, :e)';
        const members = { ConditionExpression: 'version = :seen' };
        if (await accepted(documents.update(row, expression, values, members))) {
          assert.ok(!edits.get(row.doc).has(seen.version), 'two writers changed the same version');
          edits.get(row.doc).set(seen.version, name);
          break;
        }
        refused += 1;
      }
    }
  });
  assert.ok(refused > 0, 'nobody met');
  for (const row of hot) {
    const mine = [...edits.get(row.doc)].sort((a, b) => a[0] - b[0]);
    row.edits = mine.map(([, name]) => name);
    row.version += mine.length;
  }
  await documents.checkEverything();
});

test('a version that is gone changes nothing', async () => {
  for (const row of new Generator('stale').sample(documents.all(), 50)) {
    const members = { ConditionExpression: 'version = :seen' };
    const values = { t: true, seen: row.version - 1 };
    assert.equal(await accepted(documents.update(row, 'SET late = :t', values, members)), false);
    assert.deepEqual(await documents.get(row), row);
  }
});

// Stock only falls, so an order that was refused asked for more than is left in the end.
test('stock never goes below zero under 64 clients', async () => {
  const offered = new Generator('offered').sample(products.all(), 25);
  const bought = [];
  const refused = [];
  await together(clients, async (client) => {
    const data = new Generator(`buyer ${client}`);
    for (let turn = 0; turn < 25; turn += 1) {
      const row = data.choice(offered);
      const n = data.between(1, 5);
      const members = { ConditionExpression: 'stock >= :n', ReturnValues: 'UPDATED_NEW' };
      const order = products.update(row, 'SET stock = stock - :n, sold = sold + :n', { n }, members);
      if (await accepted(order)) {
        const { stock, sold } = (await order).Attributes;
        assert.ok(stock >= 0);
        assert.equal(stock + sold, row.stock);
        bought.push({ sku: row.sku, n, stock });
      } else {
        refused.push({ sku: row.sku, n });
      }
    }
  });
  assert.equal(bought.length + refused.length, clients * 25);
  assert.ok(refused.length > 0);
  assert.equal(new Set(bought.map(({ sku, stock }) => `${sku} ${stock}`)).size, bought.length);
  for (const row of offered) {
    row.sold = bought.filter(({ sku }) => sku === row.sku).reduce((sum, { n }) => sum + n, 0);
    row.stock -= row.sold;
    assert.ok(row.stock >= 0);
    for (const { n } of refused.filter(({ sku }) => sku === row.sku)) assert.ok(n > row.stock);
  }
  await products.checkEverything();
});

test('the last pieces are sold once', async () => {
  const scarce = products.all().filter((row) => row.stock <= 7);
  for (const row of new Generator('last pieces').sample(scarce, 12)) {
    const members = { ConditionExpression: 'stock > :zero' };
    const sold = await together(clients, () =>
      accepted(products.update(row, 'SET stock = stock - :one ADD sold :one', { one: 1, zero: 0 }, members)),
    );
    assert.equal(sold.filter(Boolean).length, row.stock);
    row.sold += row.stock;
    row.stock = 0;
    assert.deepEqual(await products.get(row), row);
  }
});

test('counters: together the increments are an unbroken row', async () => {
  const hot = new Generator('hot counters').sample(counters.all(), 10);
  hot.push(...times(5, (day) => ({ page: '/new', day }))); // made by their first increment
  const seen = new Map(hot.map((row) => [counters.keyText(row), []]));
  await together(32, async (visitor) => {
    const data = new Generator(`visitor ${visitor}`);
    for (let turn = 0; turn < 40; turn += 1) {
      const row = data.choice(hot);
      const answer = await counters.update(row, 'ADD #views :one', { one: 1 }, { ReturnValues: 'UPDATED_NEW' });
      seen.get(counters.keyText(row)).push(answer.Attributes.views);
    }
  });
  for (const row of hot) {
    const values = seen.get(counters.keyText(row)).sort((a, b) => a - b);
    const start = row.views ?? 0;
    assert.deepEqual(values, times(values.length, (n) => start + n + 1));
    if (values.length) counters.rows.set(counters.keyText(row), { ...row, views: start + values.length });
  }
  await counters.checkEverything();
});

test('counters: several in one item, by any amount', async () => {
  const chosen = new Generator('amounts').sample(counters.all(), 30);
  const sums = new Map(chosen.map((row) => [row, { balance: 0, views: 0 }]));
  await together(16, async (visitor) => {
    const data = new Generator(`amounts ${visitor}`);
    for (let turn = 0; turn < 30; turn += 1) {
      const row = data.choice(chosen);
      const n = data.between(-500, 500);
      const expression = 'SET balance = if_not_exists(balance, :zero) + :n ADD #views :one';
      await counters.update(row, expression, { zero: 0, n, one: 1 });
      sums.get(row).balance += n;
      sums.get(row).views += 1;
    }
  });
  for (const [row, { balance, views }] of sums) {
    if (views === 0) continue;
    row.balance = balance;
    row.views += views;
  }
  same(await counters.readAll(chosen), chosen);
});
