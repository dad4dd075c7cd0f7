// Devices: meters with measurements, status and configuration; sensors with write-sharded keys.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { PutCommand } from '@aws-sdk/lib-dynamodb';

import { accepted, client, Generator, index, itemsLeast, order, pad, Store, times } from './scenario.mjs';

const first = 1_767_225_600; // 2026-01-01, in seconds
const meters = times(90, (n) => `meter-${pad(n, 3)}`);
const states = ['offline', 'ok', 'tampered'];
const shardCount = 12;
const devices = ['device-abc', 'device-def', 'device-xyz'];
let measurements;
let status;
let configurations;
let readings;

function generateMeasurements(data) {
  return meters.flatMap((meter) => {
    let at = first + data.below(900);
    return times(112, () => ({ meter, at: (at += data.between(1, 900)), watts: data.between(-500, 9000) }));
  });
}

// A busy device spreads its readings over several keys, `device-abc#1` to `device-abc#12`.
function generateReadings(data) {
  return devices.flatMap((device) => {
    let at = first * 1000;
    return times(Math.ceil(itemsLeast / devices.length), () => {
      at += data.between(1, 2000);
      return { shard: `${device}#${data.between(1, shardCount + 1)}`, at, value: data.between(-4000, 12_000) / 128 };
    });
  });
}

before(async () => {
  const data = new Generator('devices');
  measurements = await Store.create('meter:S at:N');
  await measurements.load(generateMeasurements(data));
  assert.ok(measurements.rows.size >= itemsLeast);
  status = await Store.create('meter:S', { byState: index('state:S since:N', { projection: 'KEYS_ONLY' }) });
  await status.load(
    meters.map((meter) => ({ meter, state: data.choice(states), since: first + data.below(1e6), firmware: '1.2' })),
  );
  configurations = await Store.create('meter:S version:N');
  await configurations.load(
    meters.flatMap((meter) =>
      times(data.between(1, 14), (n) => ({
        meter,
        version: n + 1,
        interval: data.choice([5, 15, 60]),
        tariff: { day: data.below(10) / 4, zones: data.sample([1, 2, 3, 4, 5], 3) },
      })),
    ),
  );
  readings = await Store.create('shard:S at:N');
  await readings.load(generateReadings(data));
});
after(() => Promise.all([measurements, status, configurations, readings].map((store) => store.delete())));

async function latest(store, meter) {
  const options = { descending: true, Limit: 1 };
  const { value: page } = await store.pages('meter = :m', { m: meter }, options).next();
  assert.deepEqual([page.Count, page.ScannedCount], [1, 1]);
  return page.Items[0];
}

test('latest values and configurations', async () => {
  for (const [store, name] of [
    [measurements, 'at'],
    [configurations, 'version'],
  ]) {
    for (const meter of meters) {
      const mine = store.all().filter((row) => row.meter === meter);
      assert.deepEqual(await latest(store, meter), mine.sort((a, b) => b[name] - a[name])[0]);
    }
  }
});

test('new values become the latest', async () => {
  const data = new Generator('new values');
  for (const meter of data.sample(meters, 25)) {
    const row = { meter, at: first + 1e7 + data.below(99), watts: data.below(9000) };
    await measurements.load([row]);
    assert.deepEqual(await latest(measurements, meter), row);
  }
});

test('measurements of a span', async () => {
  const data = new Generator('spans');
  for (let i = 0; i < 60; i += 1) {
    const meter = data.choice(meters);
    const low = first + data.below(60_000);
    const high = low + data.choice([0, 900, 86_400]);
    await measurements.check(
      'meter = :m AND #at BETWEEN :low AND :high',
      { m: meter, low, high },
      (row) => row.meter === meter && row.at >= low && row.at <= high,
    );
  }
});

test('states change', async () => {
  const data = new Generator('states');
  for (let i = 0; i < 150; i += 1) {
    const row = data.choice(status.all());
    const old = row.state;
    row.state = data.choice(states);
    row.since += 60;
    await status.update(row, 'SET #state = :new, since = since + :n', { new: row.state, old, n: 60 }, {
      ConditionExpression: '#state = :old',
    });
  }
  await status.settle();
  for (const state of states) {
    const options = { index: 'byState', descending: true };
    await status.check('#state = :s', { s: state }, (entry) => entry.state === state, options);
  }
  await status.checkEverything();
});

test('configurations: a version is written once', async () => {
  for (const meter of meters.filter((_, i) => i % 6 === 0)) {
    const newest = await latest(configurations, meter);
    const once = { ConditionExpression: 'attribute_not_exists(version)' };
    const again = new PutCommand({ TableName: configurations.name, Item: newest, ...once });
    assert.equal(await accepted(client.send(again)), false);
    await configurations.load([{ ...newest, version: newest.version + 1 }]);
    assert.equal((await latest(configurations, meter)).version, newest.version + 1);
    await configurations.check(
      'meter = :m AND version < :v',
      { m: meter, v: newest.version },
      (row) => row.meter === meter && row.version < newest.version,
    );
  }
});

const shardsOf = (device) => times(shardCount, (n) => `${device}#${n + 1}`);

for (const device of devices) {
  test(`${device}: its shards together`, async () => {
    const mine = readings
      .all()
      .filter((row) => row.shard.startsWith(`${device}#`))
      .sort((a, b) => a.at - b.at);
    const data = new Generator(device);
    const ranges = times(6, () => data.sample(mine, 2).map((row) => row.at).sort(order));
    for (const [low, high] of [...ranges, [0, mine.at(-1).at]]) {
      const condition = '#shard = :s AND #at BETWEEN :low AND :high';
      const parts = await Promise.all(shardsOf(device).map((s) => readings.query(condition, { s, low, high })));
      for (const part of parts) assert.deepEqual(part, [...part].sort((a, b) => a.at - b.at));
      const together = parts.flat().sort((a, b) => a.at - b.at);
      assert.deepEqual(together, mine.filter((row) => row.at >= low && row.at <= high));
    }
  });

  test(`${device}: the latest of all shards`, async () => {
    const newest = await Promise.all(
      shardsOf(device).map(async (s) => {
        const { value } = await readings.pages('#shard = :s', { s }, { descending: true, Limit: 10 }).next();
        return value.Items;
      }),
    );
    const mine = readings.all().filter((row) => row.shard.startsWith(`${device}#`));
    const newestFirst = (a, b) => b.at - a.at;
    assert.deepEqual(newest.flat().sort(newestFirst).slice(0, 10), mine.sort(newestFirst).slice(0, 10));
  });
}

test('an absent shard is empty', async () => {
  assert.deepEqual(await readings.query('#shard = :s', { s: 'device-abc#0' }), []);
});
