// Names as long as the service allows, on narrow and wide windows.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packed, shows, skip, world } from '../helpers.mjs';

const NAME = `A-long-name.of_a-table-${'x'.repeat(220)}`;
const KEY = `key-${'k'.repeat(100)}`;
const w = world([], async (w) => {
  await w.table(NAME, { [KEY]: 'S' });
  await w.put(NAME, { [KEY]: { S: 'a' } });
});

/** By how much the page is wider than its room; the page's own tables and grids scroll for themselves. */
const excess = (page) =>
  page.evaluate(() => [...document.querySelectorAll('html, main, .table')].map((each) => each.scrollWidth - each.clientWidth));

for (const width of [360, 768, 1440]) {
  test(`a long name of a table and of a key, ${width} pixels wide`, { skip }, () =>
    w.open(
      '',
      async (page) => {
        await shows(page.at('tables'), 'ACTIVE');
        assert.deepEqual((await excess(page)).filter((each) => each > 0), []);
        // The columns after the name are in sight where there is room for them.
        const status = await page.at('tables').getByText('ACTIVE').boundingBox();
        if (width >= 768) assert.ok(status.x + status.width <= width, `the status ends at ${status.x + status.width}`);
        await page.visit(`t/${NAME}/items`);
        await shows(page.locator('[data-row="0"]'), 'a');
        assert.deepEqual((await excess(page)).filter((each) => each > 0), []);
        for (const id of ['access-path', 'sort-read']) {
          const { x, width: wide } = await page.at(id).boundingBox();
          assert.ok(x + wide <= width, `${id} ends at ${x + wide}`);
        }
      },
      { viewport: { width, height: 800 } },
    ));
}

test('on a narrow window an item has all the room, and its end shows the rows', { skip }, () =>
  w.open(
    `t/${NAME}/items?key=${packed({ [KEY]: { S: 'a' } })}`,
    async (page) => {
      await page.at('item-editor').waitFor();
      assert.equal(await page.at('grid').isVisible(), false);
      await page.at('close-item').click();
      await page.locator('[data-row="0"]').waitFor();
    },
    { viewport: { width: 360, height: 740 } },
  ));
