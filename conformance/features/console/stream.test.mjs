// The tail of a stream whose shards are split and replaced while many records are written: each record is read once, in
// the order of its key, and a parent before its children.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, shows, skip, world } from './helpers.mjs';

const ROUNDS = 4;
const WRITES = process.env.STATOR_LONG === '1' ? 10_000 : 1000;
const KEYS = 7;
const w = world(['--clock', '2027-01-01T00:00:00Z'], (w) =>
  w.table('Busy', { pk: 'S', sk: 'N' }, { StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } }),
);

test(`${WRITES.toLocaleString('en-US')} writes over splits: once each, in order, parents first; a pause keeps what is shown`, { skip }, () =>
  w.open('t/Busy/stream', async (page) => {
    const pages = [];
    page.on('response', (answer) => {
      if (answer.request().headers()['x-amz-target']?.endsWith('GetRecords') && answer.ok()) pages.push(answer.json().catch(() => ({ Records: [] }))); // the last ones end with the page
    });
    await shows(page.at('record-count'), '0 records');
    const each = WRITES / ROUNDS;
    // The page shows the newest 2,000 and counts the others.
    const number = (it) => it.toLocaleString('en-US');
    const written = (round) => {
      const older = round * each - 2000;
      return older > 0 ? `of 2,000 records, newest first; ${number(older)} older ones are not shown` : `of ${number(round * each)} records`;
    };
    for (let round = 0; round < ROUNDS; round++) {
      const isPaused = round === ROUNDS - 1;
      if (isPaused) await page.at('pause').click();
      const shown = await page.at('record-count').textContent();
      // The order of a key: one request after another for each.
      await Promise.all(
        Array.from({ length: KEYS }, async (_, key) => {
          for (let at = key; at < each; at += KEYS) await w.put('Busy', { pk: { S: `p${key}` }, sk: { N: String(round * each + at) } });
        }),
      );
      if (round === 0) await w.verb('capacity', { table: 'Busy', partitions: 8 });
      if (round === 1) await w.verb('clock', { advance: '5h' });
      if (isPaused) {
        await shows(page.at('pause'), `${number(each)} waiting`);
        assert.equal(await page.at('record-count').textContent(), shown);
        await page.at('pause').click();
      }
      await shows(page.at('record-count'), written(round + 1));
    }
    const { StreamDescription } = await w.call('DescribeStream', { StreamArn: (await w.call('DescribeTable', { TableName: 'Busy' })).Table.LatestStreamArn });
    assert.ok(StreamDescription.Shards.some((shard) => shard.ParentShardId), 'no shard has a parent');

    const records = (await Promise.all(pages)).flatMap((answer) => answer.Records);
    assert.equal(records.length, WRITES);
    assert.equal(new Set(records.map((record) => record.eventID)).size, WRITES);
    for (let key = 0; key < KEYS; key++) {
      const numbers = records.filter((record) => record.dynamodb.Keys.pk.S === `p${key}`).map((record) => Number(record.dynamodb.Keys.sk.N));
      assert.deepEqual(numbers, [...numbers].sort((a, b) => a - b), `p${key}`);
    }
    await eventually(() => page.at('failure').count(), 0);
  }));
