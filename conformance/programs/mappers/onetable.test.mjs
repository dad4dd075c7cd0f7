// Accounts and their members on dynamodb-onetable: one table, an inverted index, unique attributes.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { Table } from 'dynamodb-onetable';

import { newClient, rejectsCondition, uniqueName } from './helpers.mjs';

const schema = {
  format: 'onetable:1.1.0',
  version: '0.0.1',
  indexes: {
    primary: { hash: 'pk', sort: 'sk' },
    gs1: { hash: 'gs1pk', sort: 'gs1sk', project: 'all', follow: false },
    ls1: { type: 'local', sort: 'created', project: ['plan'] },
  },
  models: {
    Account: {
      pk: { type: String, value: 'account#${name}' },
      sk: { type: String, value: 'account#' },
      name: { type: String, required: true },
      plan: { type: String, default: 'free' },
      seats: { type: Number, default: 0 },
    },
    Team: {
      pk: { type: String, value: 'team#${name}' },
      sk: { type: String, value: 'team#' },
      name: { type: String, required: true },
      domain: { type: String, unique: true },
    },
    Member: {
      pk: { type: String, value: 'account#${account}' },
      sk: { type: String, value: 'member#${email}' },
      gs1pk: { type: String, value: 'member#' },
      gs1sk: { type: String, value: 'member#${email}#${account}' },
      created: { type: String },
      account: { type: String, required: true },
      email: { type: String, required: true },
      role: { type: String, enum: ['owner', 'user'], default: 'user' },
      skills: { type: Array, items: { type: String } },
      settings: { type: Object, schema: { theme: { type: String }, size: { type: Number } } },
      logins: { type: Number, default: 0 },
    },
  },
  params: { isoDates: true, timestamps: false },
};

const table = new Table({ name: uniqueName('onetable'), client: newClient(), schema, partial: true, hidden: false });
const Account = table.getModel('Account');
const Team = table.getModel('Team');
const Member = table.getModel('Member');
const members = Array.from({ length: 100 }, (_, i) => ({
  account: `a${i % 3}`,
  email: `m${String(i).padStart(3, '0')}@example.com`,
  created: `2026-01-${String(31 - (i % 30)).padStart(2, '0')}#${i}`,
  role: i < 3 ? 'owner' : 'user',
  skills: [`s${i % 4}`],
  settings: { theme: i % 2 ? 'dark' : 'light', size: i % 5 },
}));

before(async () => {
  await table.createTable();
  for (const name of ['a0', 'a1', 'a2']) await Account.create({ name });
  for (let at = 0; at < members.length; at += 25) {
    const batch = {};
    for (const member of members.slice(at, at + 25)) await Member.create(member, { batch, exists: null });
    await table.batchWrite(batch);
  }
});

const emails = (found) => found.map((member) => member.email);
const ofAccount = (account) => members.filter((member) => member.account === account);

test('gets and finds, with limits and pages', async () => {
  const member = await Member.get({ account: 'a1', email: 'm004@example.com' });
  assert.deepEqual(member.settings, { theme: 'light', size: 4 });
  assert.deepEqual(emails(await Member.find({ account: 'a1' })), emails(ofAccount('a1')));
  const seen = [];
  let next;
  do {
    const page = await Member.find({ account: 'a2' }, { limit: 6, next });
    seen.push(...emails(page));
    next = page.next;
  } while (next);
  assert.deepEqual(seen, emails(ofAccount('a2')));
  const backwards = await Member.find({ account: 'a2' }, { limit: 3, reverse: true });
  assert.deepEqual(emails(backwards), emails(ofAccount('a2')).reverse().slice(0, 3));
});

test('finds through the global and the local index', async () => {
  const early = await Member.find({ gs1pk: 'member#', gs1sk: { begins: 'member#m00' } }, { index: 'gs1' });
  assert.deepEqual(emails(early), emails(members).filter((email) => email.startsWith('m00')));
  const late = await Member.find({ pk: 'account#a0', created: { '>=': '2026-01-20' } }, { index: 'ls1', follow: true });
  const expected = ofAccount('a0').filter((member) => member.created >= '2026-01-20');
  assert.deepEqual(
    emails(late),
    emails(expected.sort((a, b) => (a.created < b.created ? -1 : 1))),
  );
});

test('filters with where clauses', async () => {
  const found = await Member.find({ account: 'a0' }, { where: '${settings.theme} = {dark} and ${settings.size} > {2}' });
  assert.deepEqual(
    emails(found),
    emails(ofAccount('a0').filter((m) => m.settings.theme === 'dark' && m.settings.size > 2)),
  );
  const count = await Member.scan({}, { where: 'contains(${skills}, {s3})', count: true });
  assert.equal(count.count, members.filter((m) => m.skills.includes('s3')).length);
});

test('updates, counts, appends and removes', async () => {
  const key = { account: 'a1', email: 'm001@example.com' };
  const updated = await Member.update(key, {
    add: { logins: 2 },
    set: { 'settings.theme': 'blue', skills: 'list_append(${skills}, @{more})' },
    substitutions: { more: ['extra'] },
    remove: ['created'],
    return: 'get',
  });
  assert.deepEqual([updated.logins, updated.settings, updated.skills], [2, { theme: 'blue', size: 1 }, ['s1', 'extra']]);
  assert.equal(updated.created, undefined);
  const indexed = await Member.find({ pk: 'account#a1', created: { '>=': '2026' } }, { index: 'ls1', follow: true });
  assert.ok(!emails(indexed).includes(key.email));
  await rejectsCondition(Member.update(key, { set: { role: 'owner' }, where: '${logins} > {2}' }));
  await rejectsCondition(Account.create({ name: 'a0' }));
});

test('reads both kinds of a collection, removes one, and batches', async () => {
  const all = await table.queryItems({ pk: 'account#a0' }, { parse: true, hidden: true });
  assert.equal(all.length, 1 + ofAccount('a0').length);
  const removed = await Member.remove({ account: 'a0', email: 'm000@example.com' });
  assert.equal(removed.role, 'owner');
  const batch = {};
  for (const email of ['m000@example.com', 'm003@example.com', 'm006@example.com']) {
    await Member.get({ account: 'a0', email }, { batch });
  }
  const found = await table.batchGet(batch, { parse: true });
  assert.deepEqual(emails(found).sort(), ['m003@example.com', 'm006@example.com']);
});

// Each unique attribute is an item of its own, written in the same transaction.
test('keeps attributes unique', async () => {
  const taken = (promise) =>
    assert.rejects(promise, (error) => error.code === 'UniqueError' || assert.fail(error.stack));
  await Team.create({ name: 'u1', domain: 'one.example' });
  await taken(Team.create({ name: 'u2', domain: 'one.example' }));
  assert.equal(await Team.get({ name: 'u2' }), undefined);
  await Team.create({ name: 'u2', domain: 'two.example' });
  await taken(Team.update({ name: 'u2', domain: 'one.example' }));
  await Team.update({ name: 'u1', domain: 'three.example' });
  await Team.update({ name: 'u2', domain: 'one.example' });
  assert.deepEqual([(await Team.get({ name: 'u1' })).domain, (await Team.get({ name: 'u2' })).domain], ['three.example', 'one.example']);
  await Team.remove({ name: 'u2' });
  await Team.create({ name: 'u4', domain: 'one.example' });
});

test('moves seats between accounts in a transaction', async () => {
  await Account.create({ name: 't1', seats: 5 });
  await Account.create({ name: 't2', seats: 1 });
  const move = async (count) => {
    const transaction = {};
    await Account.update({ name: 't1' }, { add: { seats: -count }, where: '${seats} >= {' + count + '}', transaction });
    await Account.update({ name: 't2' }, { add: { seats: count }, transaction });
    await table.transact('write', transaction);
  };
  await move(3);
  await assert.rejects(move(3), (error) => error.code === 'TransactionCanceledException' || assert.fail(error.stack));
  const transaction = {};
  await Account.get({ name: 't1' }, { transaction });
  await Account.get({ name: 't2' }, { transaction });
  const found = await table.transact('get', transaction, { parse: true, hidden: true });
  assert.deepEqual(found.map(({ seats }) => seats), [2, 4]);
});
