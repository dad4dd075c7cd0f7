// A hot partition, as a developer finds it: the badge of its table, the row of the map, its key, why, and when it splits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, shows, skip, violations, world } from './helpers.mjs';

const CAPACITY = 'initial-burst-seconds=1,partition-writes=2,on-demand-writes=8,heat-windows=1';
const MINUTE = 60;
const w = world(['--clock', '2027-01-01T00:00:00Z', '--throttling', 'enforce', '--capacity', CAPACITY], async (w) => {
  await w.table('Quiet', { pk: 'S' });
  await w.table('Votes', { pk: 'S' });
});
let refused = 0;

async function vote(pk) {
  const vote = { TableName: 'Votes', Key: { pk: { S: pk } }, UpdateExpression: 'ADD votes :one', ExpressionAttributeValues: { ':one': { N: '1' } } };
  await w.call('UpdateItem', vote).catch((error) => {
    assert.match(error.json.__type, /ThrottlingException/);
    refused++;
  });
}

/** A key in the partition of `ada`: of one key alone nothing could be divided. */
async function neighbour() {
  for (const pk of ['ada', ...Array.from({ length: 11 }, (_, at) => `key-${at}`)]) {
    await vote(pk);
    await w.verb('clock', { advance: '1s' });
  }
  const { partitions } = await w.verb('capacity/Votes/series');
  const keys = partitions.map((each) => each.keys.map(({ key }) => key.S)).find((each) => each.includes('ada'));
  return keys.find((each) => each !== 'ada');
}

test('a hot partition: badge, row, key, reason, and the time of its split', { skip }, async () => {
  const other = await neighbour();
  assert.ok(other);
  await w.verb('clock', { set: '2027-01-01T00:01:00Z' });
  for (let second = 0; second < MINUTE; second++) {
    for (const pk of second % 2 ? ['ada', other, 'ada'] : [other, 'ada', 'ada']) await vote(pk);
    await w.verb('clock', { advance: '1s' });
  }
  assert.ok(refused >= MINUTE - 1, `${refused} refused`);
  await w.open('', async (page) => {
    await shows(page.at('table-row').filter({ hasText: 'Votes' }), `${refused} throttled`);
    assert.equal(await page.at('throttled').count(), 1);
    assert.deepEqual(await violations(page), []);
    await page.at('throttled').click();
    // Only writes were refused, so the page begins with them.
    await eventually(() => page.at('use-side').inputValue(), 'write');
    await shows(page.at('use-total'), `${refused} writes refused`);
    const rows = page.at('use-rows').locator('tbody tr');
    assert.equal(await rows.count(), 4);
    const cells = await rows.evaluateAll((each) => each.map((row) => [...row.cells].map((cell) => cell.textContent)));
    const hot = cells.filter((row) => row[5].includes('"ada"'));
    assert.equal(hot.length, 1);
    const [[, units, busiest, share, lost]] = hot;
    assert.ok(Number(units) >= 2 * MINUTE && Number(busiest) >= 2 && Number.parseFloat(share) >= 100 && Number(lost) === refused, hot[0].join());
    await shows(page.at('page-capacity'), 'TableWriteKeyRangeThroughputExceeded');
    await shows(page.at('page-capacity'), 'A split for heat is due at 2027-01-01 00:07:00');
    assert.deepEqual(await violations(page), []);
    await w.verb('clock', { advance: '5m' });
    await eventually(() => rows.count(), 5);
  });
});
