// The files of the pages: their size, when they are loaded, and that they name no other host.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { eventually, shows, skip, world } from '../helpers.mjs';

const w = world();
const filled = world([], (w) => w.table('Orders', { pk: 'S' }));
const DIST = new URL('../../../../server/console/web/dist/', import.meta.url);
const ALL_MAX = 250_000;
const FIRST_PAGE_MAX = 60_000;
// Names of XML namespaces, and addresses in messages of libraries, which nothing loads.
const NAMES = /^https?:\/\/(www\.w3\.org|svelte\.dev)\//;

const files = () => readdirSync(DIST, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
const content = (file) => readFileSync(`${file.parentPath ?? file.path}/${file.name}`);

test('all files are within the budget and name no other host', { skip }, () => {
  const sizes = files().map((each) => gzipSync(content(each), { level: 9 }).length);
  const all = sizes.reduce((sum, each) => sum + each, 0);
  assert.ok(all <= ALL_MAX, `${all} bytes`);
  for (const file of files()) {
    const hosts = (content(file).toString().match(/https?:\/\/[\w.-]+\.\w+\/?/g) ?? []).filter((each) => !NAMES.test(`${each}/`));
    assert.deepEqual(hosts, [], file.name);
  }
});

test('the first page loads little', { skip }, () =>
  w.open('', async (page) => {
    const loaded = [];
    page.on('response', (answer) => {
      if (new URL(answer.url()).pathname.startsWith('/_stator/console/')) loaded.push(answer.url());
    });
    await page.reload({ waitUntil: 'networkidle' });
    await page.at('no-tables').waitFor();
    const sizes = await Promise.all(loaded.map(async (each) => gzipSync(Buffer.from(await (await fetch(each)).arrayBuffer()), { level: 9 }).length));
    const all = sizes.reduce((sum, each) => sum + each, 0);
    assert.ok(all > 0 && all <= FIRST_PAGE_MAX, `${all} bytes`);
    await eventually(() => page.evaluate(() => document.querySelectorAll('script:not([src]), style').length), 0);
  }));

test('what a table shows beside its items is loaded when it is opened', { skip }, () =>
  filled.open('t/Orders/items', async (page) => {
    const views = () => page.evaluate(() => performance.getEntriesByType('resource').filter((each) => /\/views-/.test(each.name)).length);
    await page.at('no-items').waitFor();
    assert.equal(await views(), 0);
    await page.route('**/views-*', (route) => route.abort());
    await page.at('tab-capacity').click();
    await shows(page.getByRole('alert'), 'A part of the page cannot be loaded.');
    await page.unroute('**/views-*');
    await page.reload();
    await page.at('partitions').waitFor();
    for (const [tab, shown] of [['ttl', 'ttl-status'], ['stream', 'no-stream'], ['settings', 'paths'], ['items', 'no-items']]) {
      await page.at(`tab-${tab}`).click();
      await page.at(shown).waitFor();
      assert.equal(await page.getByText('cannot be loaded').count(), 0, tab);
    }
    assert.equal(await views(), 1);
  }));
