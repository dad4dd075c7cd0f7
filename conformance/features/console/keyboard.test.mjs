// By keyboard alone: first from an empty database to a rollback, then each way through the pages that has more to it.
// No test here uses the mouse, and none puts the focus where Tab does not.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventually, inTime, shows, skip, STEPS_MAX, tabTo, world } from './helpers.mjs';

const w = world(['--clock', '2027-01-01T00:00:00Z']);
const filled = world(['--clock', '2027-01-01T00:00:00Z'], async (w) => {
  await w.table('Orders', { pk: 'S' }, { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } });
  await w.fill('Orders', 2000, (at) => ({ pk: { S: `p${at}` }, n: { N: String(at) } }));
});
const throttled = world(['--clock', '2027-01-01T00:00:00Z', '--throttling', 'enforce', '--capacity', 'initial-burst-seconds=1,partition-writes=2,on-demand-writes=8'], async (w) => {
  await w.table('Votes', { pk: 'S' });
  for (let at = 0; at < 12; at++) await w.put('Votes', { pk: { S: 'ada' } }).catch((error) => assert.match(error.json.__type, /ThrottlingException/));
});

async function typeInto(page, id, text) {
  await tabTo(page, id);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

async function press(page, id) {
  await tabTo(page, id);
  await page.keyboard.press('Enter');
}

/** Chooses by arrow keys. */
async function choose(page, id, value) {
  await tabTo(page, id);
  await page.keyboard.press('Home');
  for (let step = 0; step < STEPS_MAX && (await page.at(id).inputValue()) !== value; step++) await page.keyboard.press('ArrowDown');
  assert.equal(await page.at(id).inputValue(), value);
}

/** The number of the row with the focus. */
const present = (page) => page.evaluate(() => Number(document.activeElement?.dataset.row));

async function toRows(page) {
  await page.locator('[data-row="0"]').filter({ hasText: /p\d/ }).waitFor();
  await tabTo(page, 'row');
}

test('from an empty database to a rollback, by keyboard alone', { skip }, () =>
  w.open('', async (page) => {
    await page.at('no-tables').waitFor();

    // Create: a table with an index.
    await press(page, 'create-table');
    await typeInto(page, 'table-name', 'Orders');
    await typeInto(page, 'partition-key', 'customer');
    await press(page, 'more-settings');
    await press(page, 'add-index');
    await typeInto(page, 'index-name', 'by-status');
    await typeInto(page, 'index-partition-key', 'status');
    await page.keyboard.press('Enter');
    await page.at('no-items').waitFor();

    // Put: two items, in the tree and as DynamoDB JSON.
    await press(page, 'new-item');
    await typeInto(page, 'value-customer', 'ada');
    await press(page, 'add-attribute');
    await page.keyboard.type('status');
    await typeInto(page, 'value-status', 'open');
    await page.keyboard.press('Control+Enter');
    await page.locator('[data-row="0"]').waitFor();
    await press(page, 'new-item');
    await press(page, 'view-typed');
    await page.getByRole('textbox', { name: 'Item in DynamoDB JSON' }).waitFor();
    await tabTo(page, 'editor');
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{"customer": {"S": "bob"}, "status": {"S": "paid"}}');
    await page.keyboard.press('Control+Enter');
    await shows(page.at('read-state'), /^\s*2 held/);
    assert.deepEqual((await w.scan('Orders')).map((each) => each.status.S).sort(), ['open', 'paid']);

    // Query by the index.
    await choose(page, 'access-path', 'query by-status');
    await typeInto(page, 'partition-value', 'paid');
    await page.keyboard.press('Enter');
    await shows(page.at('read-state'), /^\s*1 held/);
    await shows(page.locator('[data-row="0"]'), 'bob');

    // A program's query fails, and the log says why.
    const failed = await w
      .call('Query', { TableName: 'Orders', KeyConditionExpression: '#s = :s', ExpressionAttributeNames: { '#s': 'status' }, ExpressionAttributeValues: { ':s': { S: 'paid' } } })
      .catch((error) => error);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type(failed.id);
    await page.keyboard.press('Enter');
    await shows(page.at('why'), failed.message);
    await page.at('rule').waitFor();

    // A mark, a move of the clock, a loss.
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.at('no-marks').waitFor();
    await typeInto(page, 'mark-name', 'before');
    await page.keyboard.press('Enter');
    await shows(page.at('marks'), 'before');
    await press(page, 'advance-1h');
    await eventually(async () => (await w.verb('clock')).time, '2027-01-01T01:00:00.000Z');
    await w.call('DeleteItem', { TableName: 'Orders', Key: { customer: { S: 'ada' } } });

    // Back.
    await press(page, 'roll-back');
    await press(page, 'confirm-roll-back');
    await shows(page.at('notice'), 'Back at before');
    assert.equal((await w.verb('clock')).time, '2027-01-01T00:00:00.000Z');
    assert.equal((await w.scan('Orders')).length, 2);
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await shows(page.at('tables'), 'Orders');
  }));

test('a large table and an item, by keyboard alone', { skip }, () =>
  filled.open('', async (page) => {
    await page.at('tables').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Orders');
    await page.getByRole('option', { name: 'Orders' }).waitFor();
    await page.keyboard.press('Enter');
    await toRows(page);
    await page.keyboard.press(']');
    await page.keyboard.press('PageDown');
    await eventually(async () => (await present(page)) > 4, true);
    // Any part of the table, then rows again.
    await tabTo(page, 'position');
    await page.keyboard.press('End');
    await eventually(async () => (await page.locator('[data-row]').allTextContents()).filter((each) => /p\d/.test(each)).length > 5, true);
    await tabTo(page, 'row');
    await page.keyboard.press('Home');
    await eventually(async () => (await present(page)), 0);
    await page.keyboard.press('j');
    await eventually(async () => (await present(page)), 1);

    // The item takes the focus, its type and a map are chosen by arrows, and the row has the focus again.
    const pk = await page.evaluate(() => document.activeElement.children[1].textContent);
    await page.keyboard.press('Enter');
    await page.at('item-editor').waitFor();
    await typeInto(page, 'value-n', '12345678901234567890123456789012345678');
    await press(page, 'add-attribute');
    await page.keyboard.type('m');
    await page.keyboard.press('Tab');
    for (let step = 0; step < STEPS_MAX && (await page.evaluate(() => document.activeElement.value)) !== 'M'; step++) await page.keyboard.press('ArrowDown');
    await press(page, 'add-to-m');
    await page.keyboard.type('inner');
    await typeInto(page, 'value-m.inner', 'deep');
    await page.keyboard.press('Control+Enter');
    await page.at('item-editor').waitFor({ state: 'detached' });
    const stored = { pk: { S: pk }, n: { N: '12345678901234567890123456789012345678' }, m: { M: { inner: { S: 'deep' } } } };
    assert.deepEqual((await filled.call('GetItem', { TableName: 'Orders', Key: { pk: { S: pk } } })).Item, stored);
    await eventually(async () => (await present(page)), 1);
    await page.keyboard.press('Enter');
    await page.at('item-editor').waitFor();
    await page.keyboard.press('Escape');
    await page.at('item-editor').waitFor({ state: 'detached' });
    await eventually(async () => (await present(page)), 1);
  }));

test('the actions of a row have the keys that they name, by keyboard alone', { skip }, () =>
  filled.open('t/Orders/items', async (page) => {
    await toRows(page);
    await page.keyboard.press('j');
    await page.keyboard.press('.');
    await eventually(() => page.evaluate(() => document.activeElement.textContent), 'Open the itemEnter');
    const keys = await page.getByRole('menuitem').locator('kbd').allTextContents();
    assert.deepEqual(keys, ['Enter', 'Space', 'y', 'Y', 'x', 'b', 'd', 'n']);
    await page.keyboard.press('ArrowUp');
    await eventually(() => page.evaluate(() => document.activeElement.textContent), 'New itemn');
    // A key of the list does the same as in the row, which has the focus again.
    await page.keyboard.press('x');
    await page.at('row-actions').waitFor({ state: 'detached' });
    await eventually(async () => (await present(page)), 1);
    await page.locator('[data-row="1"][aria-selected="true"]').waitFor();
    await page.keyboard.press('.');
    await page.getByRole('menuitem', { name: 'Delete 1 selected item…' }).waitFor();
    await page.keyboard.press('Escape');
    await page.at('row-actions').waitFor({ state: 'detached' });
    await eventually(async () => (await present(page)), 1);
    await page.keyboard.press('.');
    await page.keyboard.press('Enter');
    await page.at('item-editor').waitFor();
    assert.equal((await filled.scan('Orders')).length, 2000);
  }));

test('members and elements are added and moved, by keyboard alone', { skip }, () =>
  filled.open('t/Orders/items', async (page) => {
    await toRows(page);
    await page.keyboard.press('n');
    await typeInto(page, 'value-pk', 'moved');
    await page.keyboard.press('Alt+Enter');
    await page.keyboard.type('list');
    await page.keyboard.press('Tab');
    for (let step = 0; step < STEPS_MAX && (await page.evaluate(() => document.activeElement.value)) !== 'L'; step++) await page.keyboard.press('ArrowDown');
    await press(page, 'add-to-list');
    await page.keyboard.type('a');
    await page.keyboard.press('Alt+Enter');
    await page.keyboard.type('b');
    await page.keyboard.press('Alt+Enter');
    await page.keyboard.type('c');
    // The field keeps the focus where it goes: c is the first, then the second.
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.type('!');
    // Enter in a name makes the next attribute, Enter in a set the next element.
    await tabTo(page, 'name-list');
    await page.keyboard.press('Enter');
    await page.keyboard.type('set');
    await page.keyboard.press('Tab');
    for (let step = 0; step < STEPS_MAX && (await page.evaluate(() => document.activeElement.value)) !== 'SS'; step++) await page.keyboard.press('ArrowDown');
    await press(page, 'add-to-set');
    await page.keyboard.type('x');
    await page.keyboard.press('Enter');
    await page.keyboard.type('y');
    await page.keyboard.press('Control+Enter');
    await page.at('item-editor').waitFor({ state: 'detached' });
    const { Item } = await filled.call('GetItem', { TableName: 'Orders', Key: { pk: { S: 'moved' } } });
    assert.deepEqual(Item, { pk: { S: 'moved' }, list: { L: [{ S: 'a' }, { S: 'c!' }, { S: 'b' }] }, set: { SS: ['x', 'y'] } });
    await filled.call('DeleteItem', { TableName: 'Orders', Key: { pk: { S: 'moved' } } });
  }));

test('a mark, a change of selected items, and the way back, by keyboard alone', { skip }, () =>
  filled.open('t/Orders/items', async (page) => {
    const before = await filled.scan('Orders');
    await toRows(page);
    await page.keyboard.press('M');
    await shows(page.at('notice'), 'is made');
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('b');
    await typeInto(page, 'edit-path-0', 'status');
    await typeInto(page, 'edit-text-0', 'sent');
    await press(page, 'bulk-dry-run');
    await shows(page.at('bulk-outcome'), '3 items would be changed');
    await press(page, 'bulk-run');
    await shows(page.at('notice').last(), '3 items changed');
    assert.equal((await filled.scan('Orders')).filter((each) => each.status?.S === 'sent').length, 3);
    await page.at('dialog').waitFor({ state: 'detached' });
    await shows(page.at('since-mark'), /^3 changes since console-/);
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await eventually(() => page.evaluate(() => document.activeElement.dataset.testid), 'marks-heading');
    await shows(page.at('mark-size'), '3 items');
    await press(page, 'mark-changes');
    await shows(page.at('change-count'), '3 changed items');
    await page.keyboard.press('Escape');
    await press(page, 'roll-back');
    await press(page, 'confirm-roll-back');
    await shows(page.at('notice').last(), 'Back at console-');
    assert.deepEqual(await filled.scan('Orders'), before);
  }));

test('a file out and in, by keyboard alone', { skip }, () =>
  filled.open('t/Orders/items', async (page) => {
    const before = await filled.scan('Orders');
    await toRows(page);
    await press(page, 'export');
    await tabTo(page, 'export-read');
    await page.keyboard.press('ArrowDown');
    const download = page.waitForEvent('download');
    await press(page, 'export-run');
    const path = await inTime((await download).path(), 'the file is whole');
    await shows(page.at('export-outcome'), '2,000 items are in the file');
    assert.equal(readFileSync(path, 'utf8').trim().split('\n').length, before.length);
    await page.keyboard.press('Escape');
    await page.at('dialog').waitFor({ state: 'detached' });
    for (const { pk } of before.slice(0, 5)) await filled.call('DeleteItem', { TableName: 'Orders', Key: { pk } });
    await press(page, 'import');
    await tabTo(page, 'import-file');
    const chooser = page.waitForEvent('filechooser');
    await page.keyboard.press('Space');
    await (await chooser).setFiles(path);
    await page.at('import-preview').waitFor();
    await press(page, 'import-run');
    await shows(page.at('import-outcome'), '2,000 written, 0 refused');
    assert.deepEqual(await filled.scan('Orders'), before);
  }));

test('time to live, the stream, and what a move of the clock did, by keyboard alone', { skip }, () =>
  filled.open('t/Orders/items', async (page) => {
    await press(page, 'tab-ttl');
    await shows(page.at('ttl-status'), 'disabled');
    await typeInto(page, 'ttl-attribute', 'ends');
    await page.keyboard.press('Enter');
    await shows(page.at('ttl-status'), 'enabled');
    await filled.put('Orders', { pk: { S: 'brief' }, ends: { N: String(Date.parse((await filled.verb('clock')).time) / 1000 + 600) } });
    await page.keyboard.press('Escape');
    await press(page, 'tab-stream');
    await page.at('record').first().waitFor();
    await typeInto(page, 'filter-records', 'brief');
    await shows(page.at('record-count'), '1 of');
    await press(page, 'pause');
    await press(page, 'nav-time');
    await shows(page.at('due'), '1 item expires');
    await press(page, 'advance-1h');
    await page.at('happened').filter({ hasText: '1 item expires' }).waitFor();
    assert.equal((await filled.call('GetItem', { TableName: 'Orders', Key: { pk: { S: 'brief' } } })).Item, undefined);
  }));

test('a hot key and its reason, by keyboard alone', { skip }, () =>
  throttled.open('', async (page) => {
    await page.at('throttled').waitFor();
    await press(page, 'throttled');
    await page.at('use-side').waitFor();
    await choose(page, 'use-side', 'write');
    await shows(page.at('page-capacity'), 'TableWriteKeyRangeThroughputExceeded');
    await shows(page.at('page-capacity'), '"ada"');
    await tabTo(page, 'throttling');
    await page.keyboard.press('ArrowUp');
    await eventually(async () => (await throttled.verb('capacity/Votes')).tables[0].throttling, 'observe');
    await throttled.put('Votes', { pk: { S: 'ada' } });
  }));
