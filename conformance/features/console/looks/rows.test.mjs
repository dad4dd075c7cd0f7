// Rows of the grid whose items are still on their way.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTime, shows, skip, world } from '../helpers.mjs';

const w = world([], async (w) => {
  await w.table('Slow', { pk: 'S', sk: 'N' });
  await w.fill('Slow', 5, (at) => ({ pk: { S: 'p' }, sk: { N: String(at) } }));
});

/** A page whose first Scan is on its way until `come` is called. */
const waiting = (use) =>
  w.open('server', async (page) => {
    const held = new Promise((resolve) =>
      page.route(`${w.origin}/`, async (route) => {
        const isScan = route.request().headers()['x-amz-target']?.endsWith('.Scan');
        await (isScan ? resolve(() => route.continue()) : route.continue());
      }),
    );
    await page.visit('t/Slow/items');
    const come = await inTime(held, 'the page asks for the items');
    await shows(page.locator('[data-row="0"]'), '·');
    await use(page, async () => {
      await come();
      await shows(page.locator('[data-row="0"]'), 'p');
    });
  });
const value = (page) => page.at('value-sk').inputValue();

test('a row that was clicked before its item came opens with it', { skip }, () =>
  waiting(async (page, come) => {
    await page.locator('[data-row="3"]').click();
    await page.locator('[data-row="2"]').click();
    await come();
    await page.at('save-item').waitFor();
    assert.equal(await value(page), '2');
  }));

test('so does one that Enter opened, but none that the focus has left', { skip }, async () => {
  await waiting(async (page, come) => {
    await page.locator('[data-row="3"]').click();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await come();
    await page.at('save-item').waitFor();
    assert.equal(await value(page), '2');
  });
  await waiting(async (page, come) => {
    await page.locator('[data-row="3"]').click();
    await page.keyboard.press('ArrowUp');
    await come();
    assert.equal(new URL(page.url()).searchParams.get('key'), null);
    await page.keyboard.press('Enter');
    await page.at('save-item').waitFor();
    assert.equal(await value(page), '2');
  });
});
