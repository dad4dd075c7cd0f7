// A server that is gone, and another process at its address: the pages say so, and what was entered stays.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, eventually, packed, shows, skip, world } from './helpers.mjs';

const w = world([], async (w) => {
  await w.table('Orders', { pk: 'S' });
  await w.put('Orders', { pk: { S: 'a' }, note: { S: 'stored' } });
});

test('a server that is gone is said to be gone, and what was entered stays', { skip }, () =>
  w.open('partiql', async (page) => {
    const statement = page.getByRole('textbox', { name: 'Statement' });
    await enter(statement, 'SELECT * FROM "Orders"');
    await page.context().route('**/*', (route) => (route.request().resourceType() === 'fetch' ? route.abort() : route.continue()));
    await page.at('disconnected').waitFor();
    await page.context().unroute('**/*');
    await page.at('disconnected').waitFor({ state: 'detached' });
    await shows(statement, 'SELECT * FROM "Orders"');
    assert.equal(await page.at('another-process').count(), 0);
  }));

test('a server that was killed and started again is another process; an edit is still there and is stored', { skip }, () =>
  w.open(`t/Orders/items?key=${packed({ pk: { S: 'a' } })}`, async (page) => {
    const field = page.getByRole('textbox', { name: 'Value of note', exact: true });
    await field.fill('entered');
    await w.kill();
    await page.at('disconnected').waitFor();
    assert.equal(await field.inputValue(), 'entered');
    await page.at('save-item').click();
    await shows(page.at('failure'), 'The server does not respond');
    await w.start();
    await page.at('another-process').waitFor();
    assert.equal(await page.at('disconnected').count(), 0);
    assert.equal(await field.inputValue(), 'entered');
    await page.at('save-item').click();
    await shows(page.at('notice'), 'Saved');
    await eventually(async () => (await w.scan('Orders')).map((each) => each.note.S), ['entered']);
    await page.at('another-process').getByRole('button').click();
    assert.equal(await page.at('another-process').count(), 0);
  }));
