// What the engine shows: its clock, marks, streams, time to live, capacity, the server.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, eventually, shows, skip, violations, world } from './helpers.mjs';

const w = world(['--clock', '2027-01-01T00:00:00Z'], async (w) => {
  await w.table('Streamed', { pk: 'S' }, { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } });
});

test('the clock is advanced, stopped, and shown on every page', { skip }, () =>
  w.open('time', async (page) => {
    await shows(page.at('now'), '2027-01-01 00:00');
    await page.at('run-clock').click();
    await eventually(async () => (await w.verb('clock')).mode, 'real');
    await page.at('stop-clock').click();
    await shows(page.at('clock'), 'manual');
    const before = (await w.verb('clock')).time;
    await page.at('advance-1h').click();
    await eventually(async () => Date.parse((await w.verb('clock')).time) - Date.parse(before), 3_600_000);
    await page.at('distance').fill('1d2h');
    await page.keyboard.press('Enter');
    await eventually(async () => Date.parse((await w.verb('clock')).time) - Date.parse(before), 27 * 3_600_000);
    await page.at('distance').fill('soon');
    await page.keyboard.press('Enter');
    await page.at('failure').waitFor();
    await page.at('run-clock').click();
    await eventually(async () => (await w.verb('clock')).mode, 'real');
  }));

test('a mark brings back all tables; the page shows the old data', { skip }, async () => {
  await w.table('Marked', { pk: 'S' });
  await w.fill('Marked', 5, (at) => ({ pk: { S: `p${at}` } }));
  await w.open('time', async (page) => {
    await page.at('mark-name').fill('seeded');
    await page.at('make-mark').click();
    await shows(page.at('marks'), 'seeded');
    await eventually(() => page.at('mark-name').inputValue(), '');
    await w.call('DeleteItem', { TableName: 'Marked', Key: { pk: { S: 'p1' } } });
    await w.put('Marked', { pk: { S: 'p9' } });
    await w.call('DeleteTable', { TableName: 'Streamed' });
    await page.at('roll-back').click();
    await page.at('confirm-roll-back').click();
    await shows(page.at('notice'), 'Back at seeded');
    assert.deepEqual((await w.call('Scan', { TableName: 'Marked' })).Items.map((each) => each.pk.S).sort(), ['p0', 'p1', 'p2', 'p3', 'p4']);
    await page.at('nav-tables').click();
    await shows(page.at('tables'), 'Streamed');
  });
});

test('what changed since a mark says the key of an item once', { skip }, async () => {
  await w.table('Once', { pk: 'S', sk: 'N' });
  const key = { pk: { S: 'gone' }, sk: { N: '1' } };
  await w.put('Once', { ...key, n: { N: '1' } });
  await w.verb('marks/once', {});
  await w.call('DeleteItem', { TableName: 'Once', Key: key });
  await w.put('Once', { pk: { S: 'came' }, sk: { N: '2' }, n: { N: '2' } });
  await w.open('marks/once', async (page) => {
    const row = (text) => page.at('changes').locator('tbody tr').filter({ hasText: text });
    await shows(row('came'), 'new');
    assert.equal(await row('came').locator('td').last().textContent(), 'n: — → 2');
    assert.equal(await row('gone').locator('td').last().textContent(), 'n: 1 → —');
  });
});

test('a change to an empty text is not one to nothing', { skip }, async () => {
  await w.table('Empty', { pk: 'S' });
  await w.put('Empty', { pk: { S: 'a' } });
  await w.verb('marks/empty', {});
  await w.put('Empty', { pk: { S: 'a' }, note: { S: '' } });
  await w.open('marks/empty', async (page) => {
    await shows(page.at('changes'), 'note: — → ""');
  });
});

test('stream records come as they are written; a pause holds them back and loses none', { skip }, () =>
  w.open('t/Streamed/stream', async (page) => {
    await shows(page.at('record-count'), '0 records');
    await w.put('Streamed', { pk: { S: 'a' }, n: { N: '1' } });
    await w.put('Streamed', { pk: { S: 'a' }, n: { N: '12345678901234567890' } });
    await w.call('DeleteItem', { TableName: 'Streamed', Key: { pk: { S: 'a' } } });
    await shows(page.at('record-count'), '3 of 3 records');
    assert.deepEqual((await page.at('record').allTextContents()).map((each) => /INSERT|MODIFY|REMOVE/.exec(each)[0]), ['REMOVE', 'MODIFY', 'INSERT']);
    await shows(page.at('record').nth(1), 'n: 1 → 12345678901234567890');
    await page.at('pause').click();
    await w.put('Streamed', { pk: { S: 'b' } });
    await shows(page.at('pause'), '1 waiting');
    assert.equal(await page.at('record').count(), 3);
    await page.at('pause').click();
    await shows(page.at('record-count'), '4 of 4 records');
  }));

test('1,000 writes over rollovers are read once each, in the order of each key', { skip }, async () => {
  await w.table('Busy', { pk: 'S', sk: 'N' }, { StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } });
  await w.open('t/Busy/stream', async (page) => {
    await shows(page.at('record-count'), '0 records');
    for (let part = 0; part < 2; part++) {
      await w.fill('Busy', 500, (at) => ({ pk: { S: `p${at % 3}` }, sk: { N: String(part * 500 + at) } }));
      await w.verb('clock', { advance: '5h' });
    }
    await shows(page.at('record-count'), '1,000 of 1,000 records');
  });
});

test('time to live is enabled; expired items go and their records say why', { skip }, async () => {
  await w.open('t/Streamed/ttl', async (page) => {
    await shows(page.at('ttl-status'), 'disabled');
    await page.at('ttl-attribute').fill('expires');
    await page.at('ttl-change').click();
    await shows(page.at('ttl-status'), 'enabled');
    const now = Math.floor(Date.parse((await w.verb('clock')).time) / 1000);
    await w.put('Streamed', { pk: { S: 'short' }, expires: { N: String(now + 60) } });
    await page.at('nav-time').click();
    await page.at('advance-1h').click();
    await eventually(async () => (await w.call('GetItem', { TableName: 'Streamed', Key: { pk: { S: 'short' } } })).Item, undefined);
    await page.visit('t/Streamed/stream');
    await shows(page.at('record').first(), 'time to live');
  });
});

test('capacity shows partitions, use and the hottest keys, and throttling can be enforced', { skip }, () =>
  w.open('t/Busy/capacity', async (page) => {
    await shows(page.at('capacity-table'), 'p0');
    assert.ok((await page.at('partitions').locator('tbody tr').count()) >= 1);
    await page.at('throttling').selectOption('enforce');
    await eventually(async () => (await w.verb('capacity/Busy')).tables[0].throttling, 'enforce');
  }));

test('the use of a table is drawn by time and by partition, also as numbers', { skip }, async () => {
  await w.verb('clock', { mode: 'manual' });
  await w.table('Hot', { pk: 'S' });
  const second = async (writes, pk) => {
    for (let at = 0; at < writes; at++) await w.put('Hot', { pk: { S: pk } });
    await w.verb('clock', { advance: '1s' });
  };
  await second(3, 'first');
  await second(5, 'second');
  // Whether the map has any cell that is no line between two rows.
  const drawn = (page) =>
    page.at('use-map').evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const line = data.slice((canvas.height - 1) * canvas.width * 4, (canvas.height - 1) * canvas.width * 4 + 4).join();
      let cells = 0;
      for (let at = 0; at < data.length; at += 4) cells += data[at + 3] > 0 && data.slice(at, at + 4).join() !== line ? 1 : 0;
      return cells > 0;
    });
  await w.open('t/Hot/capacity?side=write', async (page) => {
    await shows(page.at('use-total'), '8 write units in this time, at most 5 a second; 0 writes refused');
    const rows = page.at('use-rows').locator('tbody tr');
    assert.equal(await rows.count(), 4);
    const [busiest] = await rows.filter({ hasText: '"second"' }).locator('td').allTextContents().then((cells) => [cells.slice(1, 4)]);
    assert.ok(['5', '8'].includes(busiest[0]) && busiest[1] === '5' && busiest[2] === '0.5 %', busiest.join());
    assert.equal(await drawn(page), true);
    assert.deepEqual(await violations(page), []);
    await page.at('use-side').selectOption('read');
    await shows(page.at('use-total'), '0 read units');
    assert.equal(await drawn(page), false);
    await page.at('use-side').selectOption('write');
    await page.at('use-span').selectOption('18000');
    await shows(page.at('use-total'), '8 write units in this time, at most 0.13 a second');
    assert.match(page.url(), /span=18000/);
    await page.reload();
    await shows(page.at('use-total'), '8 write units');
    // A point of the map is told in words.
    await page.at('use-span').selectOption('60');
    const { width, height } = await page.at('use-map').boundingBox();
    await page.at('use-map').hover({ position: { x: width - 2, y: height - 2 } });
    await shows(page.at('use-cell'), '0 units, 0 refused');
  });
  await w.verb('clock', { mode: 'real' });
});

test('settings that may change while the server runs are changed on its page', { skip }, () =>
  w.open('server', async (page) => {
    const row = page.at('settings').locator('tr').filter({ hasText: '--transaction-time' });
    await shows(row, 'default');
    await page.at('setting-transaction-time').fill('1m30s');
    await page.keyboard.press('Enter');
    await shows(row, 'changed here');
    await eventually(() => page.at('setting-transaction-time').inputValue(), '90');
    const value = async () => (await w.verb('info')).settings.find((each) => each.name === 'transaction-time').value;
    assert.equal(await value(), '90');
    await page.at('setting-transaction-time').fill('soon');
    await page.keyboard.press('Enter');
    await shows(page.at('failure'), 'transaction-time');
    await page.at('setting-transaction-time').fill('0');
    await page.keyboard.press('Enter');
    await eventually(value, '0');
    const mode = page.at('settings').locator('tr').filter({ hasText: '--throttling' });
    await page.at('setting-throttling').selectOption('enforce');
    await mode.getByRole('button').click();
    await shows(mode, 'changed here');
    assert.equal(await page.at('setting-throttling').inputValue(), 'enforce');
    await page.at('setting-throttling').selectOption('observe');
    await mode.getByRole('button').click();
    const throttling = async () => (await w.verb('info')).settings.find((each) => each.name === 'throttling').value;
    await eventually(throttling, 'observe');
    assert.deepEqual(await violations(page), []);
  }));

test('the server page shows endpoints and metrics', { skip }, () =>
  w.open('server', async (page) => {
    await shows(page.at('endpoint'), w.origin);
    await shows(page.at('metrics'), 'stator_');
  }));
