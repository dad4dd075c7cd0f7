// How fast the pages are, as one table with their budgets: STATOR_CONSOLE_BUDGETS=1 ./run --test-name-pattern=budgets
// Times depend on the machine, so nothing fails. STATOR_ITEMS sets the size of the large table (24,000, at least 2,000), and
// STATOR_ROUNDS how often each page is opened (5). tests/bench/console.py measures what the server and the program
// cost, and files.test.mjs the size of the files.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packed, shows, skip, world } from '../helpers.mjs';

const isAsked = process.env.STATOR_CONSOLE_BUDGETS === '1';
const MANY = Number(process.env.STATOR_ITEMS ?? 24_000);
const ROUNDS = Number(process.env.STATOR_ROUNDS ?? 5);
const JUMPS = 200;
const LARGE = 'x'.repeat(390_000);

const w = world([], async (w) => {
  if (!isAsked) return;
  await w.table('Many', { pk: 'S' });
  await w.fill('Many', MANY, (at) => ({ pk: { S: `p${at}` }, n: { N: String(at) }, note: { S: `item ${at}` } }));
  await w.table('Megabyte', { pk: 'S' });
  await w.fill('Megabyte', 900, (at) => ({ pk: { S: `p${at}` }, text: { S: 'y'.repeat(1_100) } }));
  await w.table('Items', { pk: 'S' });
  await w.put('Items', { pk: { S: 'small' }, a: { S: 'b' }, n: { N: '1' } });
  await w.put('Items', { pk: { S: 'large' }, a: { S: LARGE } });
});

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const rows = [];
const add = (what, value, unit, budget) => rows.push({ what, value: Number(value.toFixed(1)), unit, budget, met: value <= budget });

/** Notes, in the page, when an element of this selector is painted with this text for the first time. */
const watch = (selector, text = '') => `
  new MutationObserver((_, observer) => {
    if (!document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(text)})) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => (window.painted = performance.now())));
  }).observe(document, { childList: true, characterData: true, subtree: true });`;
const painted = (page) => page.waitForFunction(() => window.painted).then((handle) => handle.jsonValue());

async function metric(session, name) {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((each) => each.name === name).value;
}

test('budgets of the pages', { skip: skip || (isAsked ? false : 'STATOR_CONSOLE_BUDGETS is not 1') }, async () => {
  const first = [];
  const megabyte = [];
  const editors = { small: [], large: [] };
  for (let round = 0; round < ROUNDS; round++) {
    await w.open('', async (page) => {
      await page.at('page-tables').waitFor();
      first.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
    });
    await w.open('about', async (page) => {
      await page.addInitScript(watch('[data-row="0"]', 'yyy'));
      await page.visit('t/Megabyte/items');
      const at = await painted(page);
      // The largest response is the one with the rows.
      const read = await page.evaluate(() => performance.getEntriesByType('resource').sort((a, b) => b.decodedBodySize - a.decodedBodySize)[0].responseEnd);
      megabyte.push(at - read);
    });
    for (const [name, times] of Object.entries(editors)) {
      await w.open('t/Items/items', async (page) => {
        await shows(page.locator('[data-row]'), name);
        const address = `${w.origin}/_stator/console/t/Items/items?key=${packed({ pk: { S: name } })}`;
        await page.evaluate(watch('[data-testid="save-item"]'));
        const begin = await page.evaluate((address) => {
          const begin = performance.now();
          history.pushState(null, '', address);
          dispatchEvent(new PopStateEvent('popstate'));
          return begin;
        }, address);
        times.push((await painted(page)) - begin);
      });
    }
  }
  add('first paint', median(first), 'ms', 200);
  add('a page of 1 MB, from its response to its rows', median(megabyte), 'ms', 150);
  add('the editor opens', median(editors.small), 'ms', 100);
  add('the editor opens with 390 kB', median(editors.large), 'ms', 300);

  await w.open('t/Many/items', async (page) => {
    await shows(page.locator('[data-row="0"]'), 'item');
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    await page.at('grid').hover();
    const before = await metric(session, 'TaskDuration');
    const frames = await page.evaluate(
      () =>
        new Promise((done) => {
          const box = document.querySelector('[data-testid="grid-viewport"]');
          let frames = 0;
          const step = () => {
            box.scrollTop += 84;
            if (++frames < 400) requestAnimationFrame(step);
            else done(frames);
          };
          requestAnimationFrame(step);
        }),
    );
    add('work of a frame while scrolling', ((await metric(session, 'TaskDuration')) - before) * 1000 / frames, 'ms', 8);
    for (let jump = 0; jump < JUMPS; jump++) {
      await page.at('position').fill(String((jump * 37) % 101));
      await page.locator('[data-row]').filter({ hasText: 'item' }).first().waitFor();
    }
    await session.send('HeapProfiler.collectGarbage');
    add(`memory after ${JUMPS} jumps in ${MANY.toLocaleString('en')} items`, (await metric(session, 'JSHeapUsedSize')) / 1024 / 1024, 'MB', 150);
  });
  assert.equal(rows.length, 6);
  console.table(rows);
});
