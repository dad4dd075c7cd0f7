// WCAG 2.2 AA on every page, in both themes, wide and narrow; and the pictures of docs/console.md.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, packed, shows, skip, STEPS_MAX, tabTo, violations, world } from '../helpers.mjs';

const w = world([], async (w) => {
  await w.table(
    'Orders',
    { customer: 'S', id: 'N' },
    {
      attributes: { status: 'S' },
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      GlobalSecondaryIndexes: [
        { IndexName: 'by-status', KeySchema: [{ AttributeName: 'status', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } },
      ],
    },
  );
  await w.fill('Orders', 400, (at) => ({
    customer: { S: `customer-${at % 23}` },
    id: { N: String(1000 + at) },
    status: { S: ['open', 'paid', 'sent'][at % 3] },
    total: { N: `${(at * 37) % 1000}.5` },
    tags: { SS: ['gift', 'new'] },
    address: { M: { city: { S: 'Köln' }, zip: { N: '50667' }, lines: { L: [{ S: 'Domkloster 4' }] } } },
    paid: { BOOL: at % 2 === 0 },
    photo: { B: 'AAEC' },
    note: { NULL: true },
  }));
  await w.call('GetItem', { TableName: 'Orders', Key: { customer: { S: 'customer-1' } } }).catch(() => {});
  await w.call('GetItem', { TableName: 'orders', Key: { customer: { S: 'customer-1' } } }).catch(() => {});
  await w.verb('marks/seeded', {});
});
const PICTURES = process.env.STATOR_CONSOLE_PICTURES;

const key = packed({ customer: { S: 'customer-1' }, id: { N: '1001' } });
const filter = { join: 'AND', isNegated: false, rules: [{ path: 'total', operator: '>', type: 'N', values: ['10'] }] };

// Each address with what must be there before the page counts as loaded.
const PAGES = [
  ['', 'tables'],
  ['t/Orders/items', 'row'],
  [`t/Orders/items?q=${packed({ filter, index: 'by-status', isScan: false, partition: 'open' })}&key=${key}`, 'save-item'],
  ['t/Orders/items?new=1', 'save-item'],
  ['t/Orders/items?bulk=edit', 'edit-form'],
  ['t/Orders/items?bulk=delete', 'confirm-delete'],
  ['t/Orders/items?export=csv', 'export-safe'],
  ['t/Orders/items?import=1', 'import-file'],
  ['t/Orders/settings', 'paths'],
  ['t/Orders/capacity', 'partitions'],
  ['t/Orders/stream', 'record'],
  ['t/Orders/ttl', 'ttl-status'],
  ['t/Absent/items', 'failure'],
  ['partiql?s=SELECT', 'run'],
  ['requests/new', 'send'],
  ['log', 'requests'],
  ['transactions', 'no-flights'],
  ['time', 'marks'],
  ['server', 'metrics'],
  ['nothing', 'no-page'],
];

for (const colorScheme of ['light', 'dark']) {
  test(`no violation on any page, ${colorScheme}`, { skip }, () =>
    w.open(
      '',
      async (page) => {
        for (const [address, loaded] of PAGES) {
          await page.visit(address);
          await page.at(loaded).first().waitFor();
          assert.deepEqual(await violations(page), [], `${address} ${colorScheme}`);
        }
        await page.visit('log?show=failures');
        await page.at('log-row').first().getByRole('link').click();
        await page.at('why').waitFor();
        assert.deepEqual(await violations(page), [], `log entry ${colorScheme}`);
        await page.visit('');
        await page.at('create-table').click();
        await page.getByText('Indexes, billing, stream, protection').click();
        await page.at('add-index').click();
        assert.deepEqual(await violations(page), [], `create ${colorScheme}`);
        await page.keyboard.press('Escape');
        await page.keyboard.press('Control+k');
        await page.getByRole('option', { name: 'Orders' }).waitFor();
        assert.deepEqual(await violations(page), [], `palette ${colorScheme}`);
      },
      { colorScheme },
    ));
}

test('the chosen theme stays', { skip }, () =>
  w.open(
    '',
    async (page) => {
      await page.at('theme').click();
      await page.reload();
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    },
    { colorScheme: 'light' },
  ));

test('at 320 pixels no page scrolls sideways but its tables', { skip }, () =>
  w.open(
    '',
    async (page) => {
      for (const [address, loaded] of PAGES) {
        await page.visit(address);
        await page.at(loaded).first().waitFor();
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), address);
      }
    },
    { viewport: { width: 320, height: 900 } },
  ));

/** What is wider than its room and scrolls for it, but the boxes of tables, the grid of items, its editor, and texts. */
const scrollsSideways = (page) =>
  page.evaluate(async () => {
    // Boxes are told their size when the page is drawn.
    await new Promise((isDrawn) => requestAnimationFrame(() => requestAnimationFrame(isDrawn)));
    return [document.scrollingElement, ...document.querySelectorAll('body *:not(.scroll, .viewport, pre, [data-testid="item-editor"] *)')]
      .filter((each) => each.scrollWidth > each.clientWidth)
      .filter((each) => each === document.scrollingElement || ['auto', 'scroll'].includes(getComputedStyle(each).overflowX))
      .map((each) => each.outerHTML.slice(0, 100));
  });

test('at 390 pixels no page scrolls sideways but its tables, and those by keyboard', { skip }, () =>
  w.open(
    '',
    async (page) => {
      for (const [address, loaded] of [...PAGES, ['log?show=failures', 'log-row'], ['marks/seeded', 'mark-size'], ['?all=1', 'tables']]) {
        await page.visit(address);
        await page.at(loaded).first().waitFor();
        assert.deepEqual(await scrollsSideways(page), [], address);
        assert.deepEqual(await violations(page), [], address);
      }
    },
    { viewport: { width: 390, height: 800 } },
  ));

test('at 320 pixels the import is no wider than its dialog', { skip }, () =>
  w.open(
    't/Orders/items?import=1',
    async (page) => {
      await page.at('import-file').waitFor();
      assert.deepEqual(await scrollsSideways(page), []);
    },
    { viewport: { width: 320, height: 900 } },
  ));

test('a table that is wider than the window is a stop of Tab and scrolled by arrows, and no stop on a wide one', { skip }, () =>
  w.open(
    't/Orders/capacity',
    async (page) => {
      const box = page.locator('.scroll').filter({ has: page.at('partitions') }).first();
      await eventually(() => box.getAttribute('tabindex'), '0');
      const isStop = () => box.evaluate((each) => each === document.activeElement);
      for (let stop = 0; stop < STEPS_MAX && !(await isStop()); stop++) await tabTo(page, 'Scrolls');
      await page.keyboard.press('ArrowRight');
      await eventually(() => box.evaluate((each) => each.scrollLeft > 0), true);
      await page.setViewportSize({ width: 1280, height: 800 });
      await eventually(() => box.getAttribute('tabindex'), null);
    },
    { viewport: { width: 390, height: 800 } },
  ));

test('at 200 percent zoom every page has its content, and no page scrolls sideways', { skip }, () =>
  w.open(
    '',
    async (page) => {
      for (const [address, loaded] of PAGES) {
        await page.visit(address);
        const content = page.at(loaded).first();
        await content.waitFor();
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), address);
        await content.scrollIntoViewIfNeeded();
        const box = await content.boundingBox();
        assert.ok(box.width > 0 && box.height > 0 && box.x < 640, address);
        assert.deepEqual(await violations(page), [], address);
      }
    },
    // What a window of 1280 by 800 pixels has for its pages then.
    { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
  ));

test('with reduced motion nothing moves by itself', { skip }, () =>
  w.open(
    '',
    async (page) => {
      for (const [address, loaded] of PAGES) {
        await page.visit(address);
        await page.at(loaded).first().waitFor();
        const moving = await page.evaluate(() =>
          [...document.querySelectorAll('*')].filter((each) => {
            const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(each);
            return animationName !== 'none' || !/^(0s(, )?)+$/.test(transitionDuration) || scrollBehavior !== 'auto';
          }).length + document.getAnimations().length,
        );
        assert.equal(moving, 0, address);
      }
    },
    { reducedMotion: 'reduce' },
  ));

test('a link of the address bar opens a table of any name', { skip }, async () => {
  await w.table('a.b-c_d', { pk: 'S' });
  await w.open('t/a.b-c_d/items', (page) => shows(page.at('no-items'), 'The table has no items'));
});

test('pictures', { skip: skip || (PICTURES ? false : 'STATOR_CONSOLE_PICTURES names no folder') }, async () => {
  await w.open(`t/Orders/items?key=${key}`, async (page) => {
    await page.at('save-item').waitFor();
    await page.screenshot({ path: `${PICTURES}/console-items.png` });
  });
  const status = { path: 'status', operator: '=', type: 'S', values: ['paid'] };
  await w.open(`t/Orders/items?q=${packed({ filter: { ...filter, rules: [status, ...filter.rules] } })}`, async (page) => {
    await page.at('query-instead').waitFor();
    await page.locator('[data-row="0"]').waitFor();
    await page.screenshot({ path: `${PICTURES}/console-query.png` });
  });
  await w.open(
    'log?show=failures',
    async (page) => {
      await page.at('log-row').first().getByRole('link').click();
      await page.at('why').waitFor();
      await page.screenshot({ path: `${PICTURES}/console-why.png` });
    },
    { colorScheme: 'dark' },
  );
  await w.open('time', async (page) => {
    await page.at('due').waitFor();
    await page.screenshot({ path: `${PICTURES}/console-time.png` });
  });
});
