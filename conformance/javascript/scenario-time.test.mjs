// Data along time: chat messages by room or user and time range, reservations by hour and user.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';

import { accepted, client, Generator, index, itemsLeast, pad, same, Store, times } from './scenario.mjs';

const start = Date.UTC(2026, 2, 1);
const roomCount = 40;
const writerCount = 120;
let chat;
let reservations;

function generateMessages(data) {
  let moment = start;
  return times(itemsLeast + 500, (number) => {
    moment += data.between(1, 200_000);
    return {
      room: `room-${pad(Math.min(data.below(roomCount), data.below(roomCount)), 2)}`,
      sent: new Date(moment).toISOString(),
      user: `user-${pad(data.below(writerCount), 3)}`,
      body: `message ${number} ${'lorem '.repeat(data.below(9))}`,
    };
  });
}

function generateReservations(data) {
  const rows = new Map();
  while (rows.size < itemsLeast) {
    const day = new Date(start + data.below(60) * 86_400_000).toISOString().slice(0, 10);
    const row = { hour: `${day}T${pad(data.between(8, 22), 2)}`, user: `guest-${pad(data.below(900), 4)}` };
    rows.set(row.hour + row.user, { ...row, seats: data.between(1, 9), vip: data.chance(0.1) });
  }
  return data.sample([...rows.values()], itemsLeast);
}

before(async () => {
  chat = await Store.create('room:S sent:S', { byUser: index('user:S sent:S', { projection: ['body'] }) });
  await chat.load(generateMessages(new Generator('chat')));
  reservations = await Store.create('hour:S user:S', { byUser: index('user:S hour:S') });
  await reservations.load(generateReservations(new Generator('reservations')));
});
after(() => Promise.all([chat.delete(), reservations.delete()]));

test('messages of a user in a time range', async () => {
  const data = new Generator('ranges');
  const sent = chat.all().map((row) => row.sent).sort();
  const ranges = times(50, () => data.sample(sent, 2).sort());
  for (const [low, high] of [...ranges, [sent[0], sent.at(-1)], [sent[7], sent[7]], ['1999', '2000']]) {
    const user = `user-${pad(data.below(writerCount), 3)}`;
    await chat.check(
      '#user = :u AND sent BETWEEN :low AND :high',
      { u: user, low, high },
      (entry) => entry.user === user && entry.sent >= low && entry.sent <= high,
      { index: 'byUser', descending: data.chance(0.5) },
    );
  }
});

const comparisons = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};
for (const [operator, holds] of Object.entries(comparisons)) {
  test(`messages of a room ${operator} a moment`, async () => {
    for (const { room, sent } of new Generator(`room ${operator}`).sample(chat.all(), 10)) {
      await chat.check(
        `room = :r AND sent ${operator} :s`,
        { r: room, s: sent },
        (row) => row.room === room && holds(row.sent, sent),
      );
    }
  });
}

test('the latest messages, then further back', async () => {
  for (const room of ['room-00', 'room-11', 'room-39']) {
    const wanted = chat.expected((row) => row.room === room, { descending: true });
    let read = 0;
    for await (const page of chat.pages('room = :r', { r: room }, { descending: true, Limit: 50 })) {
      assert.deepEqual(page.Items, wanted.slice(read, read + 50));
      read += page.Items.length;
    }
    assert.equal(read, wanted.length);
  }
});

test('old messages are removed', async () => {
  const border = chat.all().map((row) => row.sent).sort()[500];
  const found = [];
  for (const room of new Set(chat.all().map((row) => row.room))) {
    const values = { r: room, b: border };
    const old = await chat.query('room = :r AND sent < :b', values, { ProjectionExpression: 'room, sent' });
    const wanted = chat.expected((row) => row.room === room && row.sent < border);
    assert.deepEqual(old, wanted.map(chat.keyOf));
    found.push(...old);
  }
  await chat.remove(found);
  assert.equal(chat.rows.size, itemsLeast);
  await chat.checkEverything();
});

test('reservations of an hour', async () => {
  const hours = [...new Set(reservations.all().map((row) => row.hour))];
  for (const hour of new Generator('hours').sample(hours, 60)) {
    await reservations.check('#hour = :h', { h: hour }, (row) => row.hour === hour);
  }
});

test('reservations of a user', async () => {
  for (const user of times(25, (n) => `guest-${pad(n * 36, 4)}`)) {
    const mine = (row) => row.user === user;
    const options = { index: 'byUser' };
    await reservations.check('#user = :u', { u: user }, mine, options);
    await reservations.check(
      '#user = :u AND begins_with(#hour, :d)',
      { u: user, d: '2026-03-1' },
      (row) => mine(row) && row.hour.startsWith('2026-03-1'),
      options,
    );
    await reservations.check(
      '#user = :u AND #hour BETWEEN :a AND :b',
      { u: user, a: '2026-03-05T12', b: '2026-04-02T09' },
      (row) => mine(row) && row.hour >= '2026-03-05T12' && row.hour <= '2026-04-02T09',
      { ...options, descending: true },
    );
  }
});

test('large parties', async () => {
  const found = await reservations.scan(undefined, { n: 7, v: true }, { FilterExpression: 'seats >= :n AND vip = :v' });
  same(found, reservations.all().filter((row) => row.seats >= 7 && row.vip));
});

test('nobody books twice', async () => {
  const data = new Generator('second bookings');
  const book = (Item) => {
    const free = { ConditionExpression: 'attribute_not_exists(#user)', ExpressionAttributeNames: { '#user': 'user' } };
    return accepted(client.send(new PutCommand({ TableName: reservations.name, Item, ...free })));
  };
  for (const row of data.sample(reservations.all(), 80)) assert.equal(await book({ ...row, seats: 99 }), false);
  for (const row of data.sample(reservations.all(), 80)) {
    const command = { TableName: reservations.name, Key: reservations.keyOf(row), ReturnValues: 'ALL_OLD' };
    assert.deepEqual((await client.send(new DeleteCommand(command))).Attributes, row);
    reservations.rows.delete(reservations.keyText(row));
    if (data.chance(0.5)) {
      const again = { ...row, seats: 1 };
      assert.equal(await book(again), true);
      reservations.rows.set(reservations.keyText(again), again);
    }
  }
  await reservations.settle();
  await reservations.checkEverything();
});
