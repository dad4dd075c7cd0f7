// Addresses that no page has, and those that lead within a page.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shows, skip, violations, world } from '../helpers.mjs';

const w = world([], (w) => w.table('Orders', { pk: 'S' }));

const NOWHERE = [
  'nothing', 'nothing/here?r=eu-west-1', 't', 't/Orders/nothing', 't/Orders/constructor', 't/Orders/items/more', 'requests/old', 'log/a/b', 'time/zone',
  '#/t/Orders', 't/Orders/items#nothing', '%E0%A4%A',
];

for (const address of NOWHERE) {
  test(`no page has the address ${address}`, { skip }, () =>
    w.open(address, async (page) => {
      await shows(page.at('no-page').locator('h1'), 'No such page');
      const said = await page.at('no-page').locator('code').textContent();
      assert.equal(said, `/_stator/console/${address.replace(/\?.*/, '')}`);
      assert.match(await page.title(), /^No such page/);
      assert.equal(await page.locator('[aria-current="page"]').count(), 0);
      assert.deepEqual(await violations(page), []);
      await page.at('to-tables').click();
      await page.at('page-tables').waitFor();
      assert.equal(new URL(page.url()).search, new URL(address, 'http://a/').search);
      await page.goBack();
      await page.at('no-page').waitFor();
    }));
}

test('a page that is left for an address of none is there again on the way back', { skip }, () =>
  w.open('t/Orders/items', async (page) => {
    await page.at('no-items').waitFor();
    await page.evaluate(() => (location.hash = '#nothing'));
    await page.at('no-page').waitFor();
    await page.goBack();
    await page.at('no-items').waitFor();
  }));

test('the first link skips to the content of the page, by keyboard alone', { skip }, () =>
  w.open('t/Orders/items', async (page) => {
    await page.at('no-items').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement.id === 'main');
    assert.equal(await page.at('no-items').isVisible(), true);
    await page.reload();
    await page.at('no-items').waitFor();
  }));
