// What only the engine knows: what is due, what expires, transactions in flight, changes since a mark, an item's history.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, packed, shows, skip, violations, world } from './helpers.mjs';

const START_S = Date.parse('2027-01-01T00:00:00Z') / 1000;
const w = world(['--clock', '2027-01-01T00:00:00Z', '--transaction-time', '60'], async (w) => {
  await w.table('Streamed', { pk: 'S' }, { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } });
  await w.table('Plain', { pk: 'S' });
  await w.call('UpdateTimeToLive', { TableName: 'Streamed', TimeToLiveSpecification: { AttributeName: 'ends', Enabled: true } });
});
const keys = async (table) => (await w.scan(table)).map((each) => each.pk.S).sort();

const bounded = world(['--max-bytes', '10M']);

test('what is due is listed; a move does it and strikes it out, a rollback takes that back', { skip }, async () => {
  await w.fill('Streamed', 3, (at) => ({ pk: { S: `due${at}` }, ends: { N: String(START_S + 600) } }));
  await w.put('Streamed', { pk: { S: 'late' }, ends: { N: String(START_S + 9000) } });
  await w.open('time', async (page) => {
    const due = page.at('due').locator('tr');
    await shows(due.filter({ hasText: '2027-01-01 00:10:01' }), '3 items expire');
    await shows(due.filter({ hasText: '2027-01-01 02:30:01' }), '1 item expires');
    await shows(due.filter({ hasText: '2027-01-01 04:00:00' }), '1 shard is replaced');
    assert.deepEqual(await violations(page), []);
    await page.at('mark-name').fill('hour');
    await page.at('make-mark').click();
    await shows(page.at('marks'), 'hour');
    const happened = page.at('happened');
    const struck = () => happened.evaluateAll((rows) => rows.map((each) => [getComputedStyle(each.cells[4]).textDecorationLine, each.cells[1].textContent, each.cells[4].textContent]));
    await page.at('advance-1h').click();
    await happened.waitFor();
    assert.deepEqual(await struck(), [['line-through', 'happened', '3 items expire']]);
    await shows(due, '1 item expires');
    assert.deepEqual(await keys('Streamed'), ['late']);
    assert.deepEqual(await violations(page), []);
    await page.at('distance').fill('1h30m2s');
    await page.keyboard.press('Enter');
    await eventually(async () => (await struck()).map((each) => each[2]), ['3 items expire', '1 item expires']);
    await page.at('roll-back').click();
    await page.at('confirm-roll-back').click();
    await happened.first().waitFor({ state: 'detached' });
    await shows(due.filter({ hasText: '2027-01-01 00:10:01' }), '3 items expire');
    await page.at('advance-1h').click();
    await eventually(async () => [await due.filter({ hasText: '3 items expire' }).count(), await happened.count()], [1, 1]);
    await happened.getByRole('link').click();
    await shows(page.at('record').filter({ hasText: 'due0' }).first(), 'time to live');
    assert.deepEqual(await keys('Streamed'), ['late']);
    await w.verb('marks/hour/forget', {});
  });
});

test('the page of time to live shows what expires next, and leads to the items', { skip }, async () => {
  await w.open('t/Streamed/ttl', async (page) => {
    await shows(page.at('ttl-next'), 'late');
    await shows(page.at('ttl-next'), '2027-01-01 02:30:00');
    await shows(page.at('ttl-buckets'), '1');
    assert.deepEqual(await violations(page), []);
    await page.at('ttl-next').getByRole('link').click();
    await page.at('save-item').waitFor();
  });
  await w.open('t/Plain/ttl', (page) => shows(page.at('ttl-status'), 'disabled'));
});

test('a stream shows what its shards hold', { skip }, () =>
  w.open('t/Streamed/stream', async (page) => {
    await shows(page.at('record-count'), '7 of 7 records');
    await page.at('shards').locator('summary').click();
    await shows(page.at('stream-size'), '7 records');
    await shows(page.at('shards').locator('tr').nth(1), '0–16777215');
    await page.at('no-stream-readers').waitFor();
  }));

test('a stream shows who reads it and how far behind', { skip }, async () => {
  await w.fill('Streamed', 3, (at) => ({ pk: { S: `read${at}` } }));
  const { LatestStreamArn: StreamArn } = (await w.call('DescribeTable', { TableName: 'Streamed' })).Table;
  const [{ ShardId }] = (await w.call('DescribeStream', { StreamArn })).StreamDescription.Shards;
  const { ShardIterator } = await w.call('GetShardIterator', { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' });
  await w.call('GetRecords', { ShardIterator, Limit: 1 });
  const [reader] = (await w.verb('streams/Streamed')).streams[0].readers;
  assert.ok(reader.behind_records >= 2);
  await w.open('t/Streamed/stream', async (page) => {
    await page.at('shards').locator('summary').click();
    const rows = page.at('stream-readers').locator('tbody tr');
    await shows(rows.filter({ hasText: ShardId }), `${reader.behind_records} records`);
    assert.equal(await rows.count(), 1);
    assert.deepEqual(await violations(page), []);
  });
});

test('the changes since a mark are those that a rollback undoes', { skip }, async () => {
  await w.fill('Plain', 150, (at) => ({ pk: { S: `p${at}` }, n: { N: '1' } }));
  await w.verb('marks/seeded', {});
  await w.fill('Plain', 120, (at) => ({ pk: { S: `p${at}` }, n: { N: '2' } }));
  await w.call('DeleteItem', { TableName: 'Plain', Key: { pk: { S: 'p149' } } });
  await w.table('Made', { pk: 'S' });
  await w.open('time', async (page) => {
    await shows(page.at('mark-size'), '121 items');
    await page.at('mark-changes').click();
    await shows(page.at('change-count'), '100 or more changed items');
    await shows(page.at('dialog'), 'Made in us-east-1: created');
    await page.at('more-changes').click();
    await shows(page.at('change-count'), '121 changed items');
    const rows = page.at('changes').locator('tbody tr');
    assert.equal(await rows.count(), 121);
    await shows(rows.filter({ hasText: /p7[^0-9]/ }), 'n: 1 → 2');
    await shows(rows.filter({ hasText: 'p149' }), 'deleted');
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
    await page.at('roll-back').click();
    await page.at('confirm-roll-back').click();
    await shows(page.at('notice'), 'Back at seeded');
    await page.at('mark-changes').click();
    await shows(page.at('change-count'), '0 changed items');
  });
});

test('37 changes over three tables are listed exactly, and a rollback undoes them on the page without a reload', { skip }, async () => {
  const names = ['First', 'Second', 'Third'];
  for (const name of names) {
    await w.table(name, { pk: 'S' });
    await w.fill(name, 20, (at) => ({ pk: { S: `p${at}` }, n: { N: '1' } }));
  }
  const stored = await Promise.all(names.map((name) => w.scan(name)));
  await w.verb('marks/clean', {});
  const changed = [];
  for (let at = 0; at < 37; at++) {
    const [name, pk, kind] = [names[at % 3], `p${Math.floor(at / 3)}`, ['changed', 'deleted', 'new'][at % 3]];
    if (kind === 'changed') await w.put(name, { pk: { S: pk }, n: { N: '2' } });
    if (kind === 'deleted') await w.call('DeleteItem', { TableName: name, Key: { pk: { S: pk } } });
    if (kind === 'new') await w.put(name, { pk: { S: `more-${at}` } });
    changed.push(`${name} {pk: ${kind === 'new' ? `more-${at}` : pk}} ${kind}`);
  }
  await w.open('t/First/items', async (page) => {
    await shows(page.at('read-state'), /^\s*20 held/);
    await shows(page.at('since-mark'), '37 changes since clean');
    await page.at('since-mark').click();
    assert.equal(new URL(page.url()).pathname, '/_stator/console/marks/clean');
    await shows(page.at('change-count'), '37 changed items');
    const rows = await page.at('changes').locator('tbody tr').evaluateAll((all) => all.map((row) => [...row.cells].slice(0, 3).map((cell) => cell.textContent).join(' ')));
    assert.deepEqual(rows.sort(), changed.sort());
    await page.keyboard.press('Escape');
    await page.at('marks').locator('tr', { hasText: 'clean' }).getByTestId('roll-back').click();
    await page.at('confirm-roll-back').click();
    await shows(page.at('notice'), 'Back at clean');
    assert.deepEqual(await Promise.all(names.map((name) => w.scan(name))), stored);
    await page.at('nav-tables').click();
    await page.at('tables').getByRole('link', { name: 'Second' }).click();
    await shows(page.at('read-state'), /^\s*20 held/);
  });
});

test('a mark that the server dropped is said to be lost, and why', { skip }, () =>
  bounded.open('time', async (page) => {
    await bounded.table('Orders', { pk: 'S' });
    await page.at('mark-name').fill('seeded');
    await page.at('make-mark').click();
    await shows(page.at('since-mark'), '0 changes since seeded');
    let isFull = false;
    for (let at = 0; at < 100 && !isFull; at++) {
      isFull = await bounded.put('Orders', { pk: { S: `p${at}` }, a: { S: 'x'.repeat(300_000) } }).then(() => false, () => true);
    }
    assert.equal(isFull, true);
    await shows(page.at('lost-marks'), '1 mark lost');
    assert.equal(await page.at('since-mark').count(), 0);
    await page.at('lost-marks').click();
    await shows(page.at('mark-size'), 'lost the store is full');
    assert.equal(await page.at('roll-back').count(), 0);
    assert.deepEqual(await violations(page), []);
    await page.at('marks').getByRole('button', { name: 'Forget' }).click();
    await page.at('no-marks').waitFor();
    await page.at('lost-marks').waitFor({ state: 'detached' });
  }));

test('an item has a history while its table keeps its changes', { skip }, async () => {
  await w.put('Streamed', { pk: { S: 'told' }, n: { N: '1' } });
  await w.put('Streamed', { pk: { S: 'told' }, n: { N: '12345678901234567890' } });
  await w.put('Plain', { pk: { S: 'told' } });
  await w.open(`t/Streamed/items?key=${packed({ pk: { S: 'told' } })}`, async (page) => {
    await page.at('item-history').click();
    const rows = page.at('history').locator('tbody tr');
    await shows(rows.first(), 'n: 1 → 12345678901234567890');
    await shows(rows.nth(1), 'INSERT');
    await page.at('history-request').first().waitFor();
    assert.equal(await rows.count(), 2);
    assert.deepEqual(await violations(page), []);
    await page.visit(`t/Plain/items?key=${packed({ pk: { S: 'told' } })}`);
    await page.at('item-history').click();
    await page.at('no-history').waitFor();
    await page.at('keep-history').click();
    await shows(page.at('dialog'), 'The table has no changes as yet.');
    await w.put('Plain', { pk: { S: 'told' }, n: { N: '2' } });
    await page.keyboard.press('Escape');
    await page.at('item-history').click();
    await shows(rows.first(), 'MODIFY');
  });
});

test('a transaction in flight is listed, and so is what it makes fail', { skip }, async () => {
  const put = { Put: { TableName: 'Plain', Item: { pk: { S: 'flying' } } } };
  await w.open('transactions', async (page) => {
    await page.at('no-flights').waitFor();
    const flight = w.call('TransactWriteItems', { TransactItems: [put] });
    await shows(page.at('flights'), '{pk: flying}');
    await w.put('Plain', { pk: { S: 'flying' } }).then(assert.fail, (error) => assert.match(error.json.__type, /TransactionConflictException/));
    await shows(page.at('conflicts'), 'PutItem');
    assert.deepEqual(await violations(page), []);
    await w.verb('clock', { advance: '1m' });
    await flight;
    await page.at('no-flights').waitFor();
    await shows(page.at('conflicts'), '{pk: flying}');
    await page.at('holder').click();
    await shows(page.locator('main'), 'TransactWriteItems');
    await page.goBack();
    await page.at('conflicts').getByRole('link').first().click();
    await shows(page.locator('main'), 'Transaction is ongoing for the item');
  });
  await eventually(async () => (await keys('Plain')).includes('flying'), true);
});
