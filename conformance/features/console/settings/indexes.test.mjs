// Indexes that lack a part of their table: when they begin to be filled, how far that is, which changes have not come.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packed, shows, skip, violations, world } from '../helpers.mjs';

const ITEMS = 400;
// 100,000 are filled in a quarter of a second, before the page looks.
const LARGE = 1_000_000;
const isLong = process.env.STATOR_LONG === '1';
const item = (at) => ({ pk: { S: `p${at}` }, mail: { S: `m${at % 4}` } });
const w = world(['--clock', '2027-01-01T00:00:00Z', '--control-plane-delay', '60', '--gsi-delay', '5'], async (w) => {
  await w.table('Watched', { pk: 'S' });
  await w.verb('clock', { advance: '2m' });
  await w.fill('Watched', ITEMS, item);
});
const real = world([], async (w) => {
  await w.table('Large', { pk: 'S' });
  if (isLong) await w.fill('Large', LARGE, item);
});

async function addIndex(page) {
  await page.at('new-index').click();
  await page.at('new-index-name').fill('by-mail');
  await page.at('new-index-partition').fill('mail');
  await page.at('add-index-now').click();
}
const row = (page) => page.at('paths').locator('tr', { hasText: 'by-mail' });

test('a new index says when it is filled, then which changes it lacks, until they reach it', { skip }, () =>
  w.open('t/Watched/settings', async (page) => {
    await addIndex(page);
    await shows(page.at('index-lag'), 'by-mail: the index begins to be filled, in 1 min');
    assert.deepEqual(await violations(page), []);
    await w.verb('clock', { advance: '2m' });
    await page.at('index-lag').waitFor({ state: 'detached' });
    await shows(row(page), `ACTIVE${ITEMS}`);

    await w.put('Watched', { pk: { S: 'late' }, mail: { S: 'late' } });
    await shows(page.at('index-lag'), 'by-mail: 1 change reaches the index, in 5 s');
    assert.deepEqual(await violations(page), []);
    const query = packed({ index: 'by-mail', isScan: false, partition: 'late' });
    await w.open(`t/Watched/items?q=${query}`, (items) => shows(items.at('no-items'), 'No items have this key'));
    await w.verb('clock', { advance: '5s' });
    await page.at('index-lag').waitFor({ state: 'detached' });
    await w.open(`t/Watched/items?q=${query}`, (items) => shows(items.at('read-state'), /^\s*1 held/));
  }));

test('the filling of an index shows how far it is, and its end', { skip: skip || (isLong ? false : 'a long form') }, () =>
  real.open('t/Large/settings', async (page) => {
    await addIndex(page);
    await shows(page.at('backfill'), /by-mail.* entries of 1,000,000 items/);
    await page.at('backfill').waitFor({ state: 'detached' });
    await shows(row(page), 'ACTIVE1,000,000');
  }));
