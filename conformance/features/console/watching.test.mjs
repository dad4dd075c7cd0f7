// What the pages do to the server while they are only looked at, and while a dry run decides: nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, packed, shows, skip, world } from './helpers.mjs';

// The clock stands still, so that nothing but requests changes capacity.
const w = world(['--clock', '2027-01-01T00:00:00Z', '--transaction-time', '60', '--control-plane-delay', '60'], async (w) => {
  await w.table('Watched', { pk: 'S' }, { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } });
  await w.verb('clock', { advance: '2m' });
  await w.fill('Watched', 40, (at) => ({ pk: { S: `p${at}` }, n: { N: String(at) }, mail: { S: `m${at % 4}` } }));
});

const PAGES = [
  ['', 'tables'],
  ['t/Watched/items', 'row'],
  [`t/Watched/items?key=${packed({ pk: { S: 'p1' } })}`, 'save-item'],
  ['t/Watched/settings', 'paths'],
  ['t/Watched/capacity', 'partitions'],
  ['t/Watched/stream', 'record'],
  ['t/Watched/ttl', 'ttl-status'],
  ['partiql', 'run'],
  ['requests/new', 'send'],
  ['log', 'requests'],
  ['transactions', 'no-flights'],
  ['time', 'no-marks'],
  ['server', 'metrics'],
];

/** The seconds that each page stays open by its own clock, or longer until it has asked for the time so often. */
const MINUTE = 60;
const TURNS_MIN = 6;

/** What a client's requests change. */
async function state() {
  const metrics = await (await fetch(`${w.origin}/metrics`)).text();
  return {
    requests: metrics.split('\n').filter((each) => each.startsWith('stator_requests_total{')),
    // What was asked is not in it, only what was used.
    capacity: await w.verb('capacity'),
    log: (await w.verb('requests')).requests,
  };
}

test('every page, open for a minute, changes no metric, no capacity and no log of clients', { skip }, async () => {
  const before = await state();
  assert.ok(before.requests.length > 0 && before.log.length > 0);
  await w.open('', async (page) => {
    await page.clock.install();
    for (const [address, loaded] of PAGES) {
      await page.visit(address);
      await page.at(loaded).first().waitFor();
      // Each page asks for the time every few seconds; those with a turn of their own every second.
      let turns = 0;
      const count = (each) => (turns += each.url().endsWith('/_stator/clock') ? 1 : 0);
      page.on('response', count);
      for (let second = 0; second < MINUTE || turns < TURNS_MIN; second++) await page.clock.runFor(1000);
      page.off('response', count);
    }
    assert.deepEqual(await state(), before);
  });
});

test('dry runs of the pages change no item, record, metric, capacity or log', { skip }, async () => {
  const everything = async () => {
    const stream = (await w.call('DescribeTable', { TableName: 'Watched' })).Table.LatestStreamArn;
    const [shard] = (await w.call('DescribeStream', { StreamArn: stream })).StreamDescription.Shards;
    const { ShardIterator } = await w.call('GetShardIterator', { StreamArn: stream, ShardId: shard.ShardId, ShardIteratorType: 'TRIM_HORIZON' });
    return { items: (await w.call('Scan', { TableName: 'Watched' })).Items, records: (await w.call('GetRecords', { ShardIterator })).Records };
  };
  const stored = await everything();
  const before = await state();
  const edit = packed({ changes: [{ action: 'ADD', path: 'n', type: 'N', text: '1' }] });
  await w.open(`t/Watched/items?bulk=edit&edit=${edit}`, async (page) => {
    await page.at('bulk-dry-run').click();
    await shows(page.at('bulk-outcome'), '40 items would be changed');
    await page.visit('t/Watched/items?bulk=delete');
    await page.at('bulk-dry-run').click();
    await shows(page.at('bulk-outcome'), '40 items would be deleted');
    await page.visit('t/Watched/items?import=1');
    await page.at('import-file').setInputFiles({ name: 'a.jsonl', mimeType: 'application/json', buffer: Buffer.from('{"pk":"p1"}\n{"pk":"new"}\n') });
    await page.at('import-dry-run').click();
    await shows(page.at('import-outcome'), '2 would be written');
    assert.deepEqual(await state(), before);
  });
  assert.deepEqual(await everything(), stored);
});

test('an index that is being created becomes ACTIVE on the page by itself', { skip }, async () => {
  await w.open('t/Watched/settings', async (page) => {
    await page.at('new-index').click();
    await page.at('new-index-name').fill('by-mail');
    await page.at('new-index-partition').fill('mail');
    await page.at('add-index-now').click();
    const row = page.at('paths').locator('tr', { hasText: 'by-mail' });
    await shows(row, 'CREATING');
    await w.verb('clock', { advance: '2m' });
    await shows(row, 'ACTIVE');
    await shows(row, '40');
  });
});

test('a write that conflicts with a transaction in flight is in the log with its reason, and so is the transaction when it lands', { skip }, async () => {
  const put = (n) => ({ TableName: 'Watched', Item: { pk: { S: 'p1' }, n: { N: n } } });
  await w.open('log', async (page) => {
    const flight = w.call('TransactWriteItems', { TransactItems: [{ Put: put('1') }] });
    await eventually(() => w.call('PutItem', put('2')).then(() => 'stored', (error) => error.json.__type.split('#')[1]), 'TransactionConflictException');
    const row = (text) => page.at('log-row').filter({ hasText: text }).first();
    await shows(row('TransactionConflictException'), 'PutItem');
    await w.verb('clock', { advance: '2m' });
    await flight;
    await shows(row('TransactWriteItems'), '200');
  });
});
