// Several kinds of entity in one table: users, orders and order items with two overloaded global
// indexes; teams and users as an adjacency list with an inverted index.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Generator, index, itemsLeast, pad, same, Store, times } from './scenario.mjs';

const countries = ['AT', 'CH', 'DE', 'FR'];
const statuses = ['cancelled', 'delivered', 'open', 'shipped'];
const userCount = 500;
const productCount = 120;
const teamCount = 400;
const memberCount = 1500;
const anyDay = (data) => `2026-${pad(data.between(1, 13), 2)}-${pad(data.between(1, 29), 2)}`;
let shop;
let graph;

function userEntity(key, number, country) {
  const gsi1 = { gsi1pk: `EMAIL#user${number}@example.com`, gsi1sk: key };
  return { pk: key, sk: 'PROFILE', kind: 'user', ...gsi1, gsi2pk: `COUNTRY#${country}`, gsi2sk: key };
}

function orderEntity(key, number, ordered, status) {
  const name = `ORDER#${pad(number, 6)}`;
  const gsi1 = { gsi1pk: name, gsi1sk: 'ORDER' };
  const gsi2 = { gsi2pk: `STATUS#${status}`, gsi2sk: `${ordered}#${pad(number, 6)}` };
  return { pk: key, sk: `ORDER#${ordered}#${pad(number, 6)}`, kind: 'order', status, ...gsi1, ...gsi2 };
}

function itemEntity(number, line, ordered, product, quantity) {
  const gsi1 = { gsi1pk: `PRODUCT#${pad(product, 4)}`, gsi1sk: `${ordered}#${pad(number, 6)}#${line}` };
  return { pk: `ORDER#${pad(number, 6)}`, sk: `ITEM#${line}`, kind: 'item', quantity, ...gsi1 };
}

function generateShop(data) {
  const rows = [];
  let number = 0;
  for (let user = 0; user < userCount; user += 1) {
    const key = `USER#${pad(user, 5)}`;
    rows.push(userEntity(key, user, data.choice(countries)));
    for (let left = data.below(13); left > 0; left -= 1) {
      number += 1;
      const ordered = anyDay(data);
      rows.push(orderEntity(key, number, ordered, data.choice(statuses)));
      for (let line = data.between(1, 6); line > 0; line -= 1) {
        rows.push(itemEntity(number, line, ordered, data.below(productCount), data.between(1, 9)));
      }
    }
  }
  return rows;
}

// Nodes have themselves as the other end, edges lead from the team to the user.
function generateGraph(data) {
  const teams = times(teamCount, (n) => `TEAM#${pad(n, 4)}`);
  const users = times(memberCount, (n) => `USER#${pad(n, 5)}`);
  const edges = new Set();
  while (edges.size < itemsLeast - 1000) {
    edges.add(`${teams[Math.min(data.below(teamCount), data.below(teamCount))]} ${data.choice(users)}`);
  }
  return [
    ...[...teams, ...users].map((node) => ({ node, target: node, title: `about ${node}` })),
    ...[...edges].map((edge) => {
      const [node, target] = edge.split(' ');
      return { node, target, role: data.choice(['guest', 'member', 'owner']), since: anyDay(data) };
    }),
  ];
}

before(async () => {
  shop = await Store.create('pk:S sk:S', {
    gsi1: index('gsi1pk:S gsi1sk:S'),
    gsi2: index('gsi2pk:S gsi2sk:S', { projection: ['kind', 'status'] }),
  });
  await shop.load(generateShop(new Generator('shop')));
  graph = await Store.create('node:S target:S', { inverted: index('target:S node:S', { projection: ['role'] }) });
  await graph.load(generateGraph(new Generator('graph')));
  for (const store of [shop, graph]) assert.ok(store.rows.size >= itemsLeast);
});
after(() => Promise.all([shop.delete(), graph.delete()]));

const someOf = (kind, count) => new Generator(kind).sample(shop.all().filter((row) => row.kind === kind), count);

test('a user with all orders', async () => {
  for (const { pk } of someOf('user', 40)) {
    const found = await shop.check('pk = :u', { u: pk }, (row) => row.pk === pk);
    assert.deepEqual(found.map((row) => row.kind), [...times(found.length - 1, () => 'order'), 'user']);
  }
});

test('orders of a user by date', async () => {
  for (const { pk } of someOf('user', 40)) {
    const [low, high] = ['ORDER#2026-03', 'ORDER#2026-09'];
    const between = (row) => row.pk === pk && row.sk >= low && row.sk <= high;
    await shop.check('pk = :u AND sk BETWEEN :low AND :high', { u: pk, low, high }, between);
    const late = (row) => row.pk === pk && row.sk.startsWith('ORDER#2026-1');
    await shop.check('pk = :u AND begins_with(sk, :o)', { u: pk, o: 'ORDER#2026-1' }, late, { descending: true });
  }
});

test('an order and its items', async () => {
  for (const { gsi1pk: name } of someOf('order', 50)) {
    const values = { o: name, i: 'ITEM#' };
    const lines = await shop.check('pk = :o AND begins_with(sk, :i)', values, (row) => row.pk === name);
    assert.ok(lines.length > 0);
    const options = { index: 'gsi1' };
    await shop.check('gsi1pk = :o AND gsi1sk = :k', { o: name, k: 'ORDER' }, (e) => e.gsi1pk === name, options);
  }
});

test('users by email and by country', async () => {
  for (const { gsi1pk } of someOf('user', 40)) {
    await shop.check('gsi1pk = :e', { e: gsi1pk }, (entry) => entry.gsi1pk === gsi1pk, { index: 'gsi1' });
  }
  for (const country of countries.map((name) => `COUNTRY#${name}`)) {
    await shop.check('gsi2pk = :c', { c: country }, (entry) => entry.gsi2pk === country, { index: 'gsi2' });
  }
});

test('sales of a product, orders by status', async () => {
  for (let number = 0; number < productCount; number += 8) {
    const product = `PRODUCT#${pad(number, 4)}`;
    const since = (entry) => entry.gsi1pk === product && entry.gsi1sk >= '2026-06-15';
    const options = { index: 'gsi1', descending: true };
    await shop.check('gsi1pk = :p AND gsi1sk >= :d', { p: product, d: '2026-06-15' }, since, options);
  }
  for (const status of statuses.map((name) => `STATUS#${name}`)) {
    const spring = (entry) => entry.gsi2pk === status && entry.gsi2sk >= '2026-02' && entry.gsi2sk <= '2026-04';
    const values = { s: status, a: '2026-02', b: '2026-04' };
    await shop.check('gsi2pk = :s AND gsi2sk BETWEEN :a AND :b', values, spring, { index: 'gsi2' });
  }
});

test('orders come back', async () => {
  for (const row of someOf('order', 100)) {
    row.status = 'returned';
    row.gsi2pk = 'STATUS#returned';
    const values = { s: row.status, k: row.gsi2pk };
    const members = { ConditionExpression: 'attribute_exists(pk)', ReturnValues: 'ALL_NEW' };
    const { Attributes } = await shop.update(row, 'SET #status = :s, gsi2pk = :k', values, members);
    assert.deepEqual(Attributes, row);
  }
  await shop.settle();
  await shop.checkEverything();
});

test('members of a team', async () => {
  for (const team of new Generator('teams').sample(times(teamCount, (n) => `TEAM#${pad(n, 4)}`), 40)) {
    const members = (row) => row.node === team && row.target.startsWith('USER#');
    const condition = 'node = :t AND begins_with(target, :u)';
    await graph.check(condition, { t: team, u: 'USER#' }, members);
    await graph.check(condition, { t: team, u: 'USER#', r: 'owner' }, (row) => members(row) && row.role === 'owner', {
      FilterExpression: '#role = :r',
    });
  }
});

const teamsOf = (user) =>
  graph.check(
    'target = :u AND begins_with(node, :t)',
    { u: user, t: 'TEAM#' },
    (entry) => entry.target === user && entry.node.startsWith('TEAM#'),
    { index: 'inverted' },
  );
const someUsers = (name, count) =>
  new Generator(name).sample(times(memberCount, (n) => `USER#${pad(n, 5)}`), count);

test('teams of a user', async () => {
  for (const user of someUsers('teams of users', 60)) await teamsOf(user);
});

test('colleagues: two steps through the graph', async () => {
  for (const user of someUsers('colleagues', 6)) {
    const teams = await teamsOf(user);
    const condition = 'node = :t AND begins_with(target, :u)';
    const found = await Promise.all(teams.map(({ node }) => graph.query(condition, { t: node, u: 'USER#' })));
    const mine = new Set(graph.all().filter((r) => r.target === user && r.node !== user).map((r) => r.node));
    const wanted = graph.all().filter((row) => mine.has(row.node) && row.target !== row.node);
    assert.deepEqual(new Set(found.flat().map((r) => r.target)), new Set(wanted.map((r) => r.target)));
  }
});

test('users leave all their teams', async () => {
  for (const user of someUsers('leavers', 15)) {
    await graph.remove(await teamsOf(user));
    same(await graph.query('target = :u', { u: user }, { index: 'inverted' }), [{ node: user, target: user }]);
  }
  await graph.checkEverything();
});
