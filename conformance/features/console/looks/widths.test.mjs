// Names as long as the service allows, and the head of the pages, on narrow and wide windows.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packed, shows, skip, tabTo, violations, world } from '../helpers.mjs';

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

const HEAD_MAX = 80;
/** Fields and texts of the head that are wider than what shows them, or end outside the window. */
const cutInHead = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('nav[aria-label="Pages"] *, header.top *')]
      .filter((each) => !each.closest('.visually-hidden') && each.getClientRects().length)
      .filter((each) => {
        const { left, right } = each.getBoundingClientRect();
        return left < 0 || right > innerWidth || (each.clientWidth && each.scrollWidth > each.clientWidth + 1);
      })
      .map((each) => each.outerHTML.slice(0, 100)),
  );
const activeId = (page) => page.evaluate(() => document.activeElement?.dataset.testid);

const marked = world(['--clock', '2027-01-01T00:00:00Z'], async (w) => {
  await w.table('Orders', { pk: 'S' });
  await w.verb('marks/before-the-long-night', {});
  await w.put('Orders', { pk: { S: 'a' } });
});

test('on a narrow window the head has two rows, and its menu is reached by keyboard alone', { skip }, () =>
  marked.open(
    't/Orders/items',
    async (page) => {
      await page.locator('[data-row="0"]').waitFor();
      await shows(page.at('since-mark'), '1 change');
      await shows(page.at('clock'), '2027-01-01');
      // The page counts from its first look at the log.
      await page.waitForFunction(() => performance.getEntriesByType('resource').some((each) => each.name.includes('show=failures')));
      await marked.call('GetItem', { TableName: 'Absent', Key: { pk: { S: 'a' } } }).catch(() => {});
      await page.at('failed-badge').waitFor();
      const { y } = await page.locator('main').boundingBox();
      assert.ok(y <= HEAD_MAX, `the content begins at ${y}`);
      assert.deepEqual(await cutInHead(page), []);

      await tabTo(page, 'open-pages');
      await page.keyboard.press('Enter');
      await page.at('nav-log').waitFor();
      assert.deepEqual(await cutInHead(page), []);
      assert.deepEqual(await violations(page), []);
      await tabTo(page, 'nav-server');
      await page.keyboard.press('Escape');
      await page.at('nav-log').waitFor({ state: 'detached' });
      assert.equal(await activeId(page), 'open-pages');

      await page.keyboard.press('Enter');
      await tabTo(page, 'region');
      await page.keyboard.press('Control+a');
      await page.keyboard.type('eu-west-1');
      await page.keyboard.press('Enter');
      await tabTo(page, 'nav-log');
      await page.keyboard.press('Enter');
      await page.at('requests').waitFor();
      assert.match(page.url(), /log\?r=eu-west-1$/);
      assert.equal(await activeId(page), 'open-pages');
      await shows(page.at('open-pages'), 'Log');

      // Where the focus goes on, the menu does not stay in its way.
      await page.keyboard.press('Enter');
      await page.at('nav-log').waitFor();
      await tabTo(page, 'theme');
      assert.equal(await page.at('nav-log').count(), 0);
    },
    { viewport: { width: 360, height: 740 } },
  ));

test('on a narrow window a label stands beside its field, and the sign that closes an item beside its key', { skip }, async () => {
  await w.table('Pairs', { pk: 'S' });
  await w.put('Pairs', { pk: { S: 'a' } });
  const isBeside = async (left, right) => {
    const [one, other] = [await left.boundingBox(), await right.boundingBox()];
    assert.ok(Math.abs(one.y + one.height / 2 - other.y - other.height / 2) < 6 && one.x < other.x, JSON.stringify([one, other]));
  };
  await w.open(
    't/Pairs/items',
    async (page) => {
      await page.at('more').click();
      for (const id of ['projection', 'limit']) await isBeside(page.locator(`label[for="${id}"]`), page.locator(`#${id}`));
      await page.visit('t/Pairs/items?bulk=edit');
      await isBeside(page.locator('label[for="refusals-max"]'), page.at('refusals-max'));
      await page.visit(`t/Pairs/items?key=${packed({ pk: { S: 'a' } })}`);
      await isBeside(page.getByRole('heading', { name: 'a', exact: true }), page.at('close-item'));
      await page.at('item-history').waitFor();
      assert.deepEqual((await excess(page)).filter((each) => each > 0), []);
    },
    { viewport: { width: 390, height: 800 } },
  );
});

test('a window that becomes wide has the column of pages', { skip }, () =>
  marked.open(
    '',
    async (page) => {
      await page.at('open-pages').waitFor();
      await page.setViewportSize({ width: 1280, height: 740 });
      await page.at('nav-log').waitFor();
      await page.at('region').waitFor();
      assert.equal(await page.at('open-pages').count(), 0);
    },
    { viewport: { width: 360, height: 740 } },
  ));

/** How many rows these elements stand in. */
const rowsOf = async (locators) => new Set(await Promise.all(locators.map(async (each) => Math.round((await each.boundingBox()).y)))).size;

test('at 1280 pixels the head and the buttons of the items are one row each, whatever a mark is called', { skip }, async () => {
  await marked.verb(`marks/${'m'.repeat(60)}`, {});
  await marked.open('t/Orders/items', async (page) => {
    await page.locator('[data-row="0"]').waitFor();
    await shows(page.at('since-mark'), '0 changes since mmm');
    assert.equal(await rowsOf(['open-palette', 'theme'].map((id) => page.at(id))), 1);
    const { height } = await page.locator('header.top').boundingBox();
    assert.ok(height < 50, `the head is ${height} high`);
    assert.equal(await rowsOf(['filter-read', 'show-code', 'delete-selected', 'new-item'].map((id) => page.at(id))), 1);
  });
});

test('on a narrow window long texts of lists have a line of their own, and no button stands alone', { skip }, async () => {
  await marked.call('GetItem', { TableName: 'Absent', Key: { pk: { S: 'a' } } }).catch(() => {});
  await marked.open(
    '',
    async (page) => {
      await page.at('tables').waitFor();
      assert.equal(await rowsOf(['filter', 'reload', 'create-table'].map((id) => page.at(id))), 1);
      for (const [address, id] of [['marks/before-the-long-night', 'changes'], ['log?show=failures', 'requests']]) {
        await page.visit(address);
        const row = page.at(id).locator('tbody tr').first();
        const [whole, first] = [await row.locator('.whole').boundingBox(), await row.locator('td').first().boundingBox()];
        assert.ok(whole.x >= 0 && whole.x + whole.width <= 390 && whole.y >= first.y + first.height, JSON.stringify([whole, first]));
        assert.deepEqual(await violations(page), []);
      }
      await page.visit('t/Orders/items');
      await page.locator('[data-row="0"]').waitFor();
      assert.equal(await rowsOf(['bulk-edit', 'delete-selected', 'new-item'].map((id) => page.at(id))), 1);
      await page.visit('partiql');
      const run = page.at('run');
      assert.equal(await rowsOf([page.getByRole('button', { name: 'Code' }), run]), 1);
    },
    { viewport: { width: 390, height: 800 } },
  );
});

test('the buttons of a long dialog stay in sight, and what has the focus is not behind them', { skip }, async () => {
  await w.table('Long', { pk: 'S' });
  await w.fill('Long', 60, (at) => ({ pk: { S: `p${at}` } }));
  await w.open('t/Long/items?bulk=edit', async (page) => {
    await page.at('edit-path-0').fill('status');
    await page.at('edit-text-0').fill('closed');
    await page.at('bulk-dry-run').click();
    await page.at('bulk-samples').waitFor();
    const edges = () =>
      page.evaluate(() => {
        const box = (id) => document.querySelector(`[data-testid="${id}"]`).getBoundingClientRect();
        return { dialog: box('dialog'), run: box('bulk-run'), path: box('edit-path-0') };
      });
    const before = await edges();
    assert.ok(before.run.bottom < before.dialog.bottom, JSON.stringify(before));
    await page.at('dialog').evaluate((dialog) => dialog.scrollTo(0, dialog.scrollHeight));
    await page.at('edit-path-0').focus();
    const { dialog, run, path } = await edges();
    assert.ok(path.top > dialog.top + 40 && path.bottom < run.top, JSON.stringify({ dialog, run, path }));
  });
});

test('on a narrow window nothing of a new table’s index or of the advice is cut off', { skip }, () =>
  w.open(
    '',
    async (page) => {
      await page.at('create-table').click();
      await page.at('more-settings').click();
      await page.at('add-index').click();
      const within = async (id, outer) => {
        const [inner, box] = [await page.at(id).boundingBox(), await outer.boundingBox()];
        assert.ok(inner.x >= box.x && inner.x + inner.width <= box.x + box.width, `${id} ends at ${inner.x + inner.width}`);
      };
      const index = page.at('dialog').getByRole('group', { name: 'Index 1' });
      await within('index-partition-key', index);
      await within('index-sort-key', index);

      await w.table('Advised', { pk: 'S' }, {
        attributes: { status: 'S', placed: 'S' },
        GlobalSecondaryIndexes: [
          {
            IndexName: 'by-status',
            KeySchema: [{ AttributeName: 'status', KeyType: 'HASH' }, { AttributeName: 'placed', KeyType: 'RANGE' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
      });
      const filter = { join: 'AND', isNegated: false, rules: [{ path: 'status', operator: '=', type: 'S', values: ['paid'] }] };
      await page.visit(`t/Advised/items?q=${packed({ isScan: true, filter })}`);
      await shows(page.at('query-instead'), 'items without placed are not in this index');
      await within('query-instead', page.at('builder'));
    },
    { viewport: { width: 390, height: 800 } },
  ));
