// The whole way by keyboard alone, from an empty database: create, put, query by an index, find out why a query fails,
// move the clock, roll back. No test here uses the mouse, and none puts the focus where Tab does not.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, shows, skip, world } from './helpers.mjs';

const STEPS_MAX = 150;
const w = world(['--clock', '2027-01-01T00:00:00Z']);

/** Presses Tab until the element of this test id has the focus. */
async function tabTo(page, id) {
  for (let step = 0; step < STEPS_MAX; step++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate((wanted) => document.activeElement?.dataset.testid === wanted, id)) return;
  }
  assert.fail(`Tab does not reach ${id}`);
}

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
    await typeInto(page, 'name-', 'status');
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
