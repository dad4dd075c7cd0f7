// The editor of JSON: its colours, folds, indentation and the place of a fault.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, eventually, shows, skip, world } from '../helpers.mjs';

const w = world([], async (w) => {
  await w.table('Items', { pk: 'S' });
  await w.put('Items', { pk: { S: 'a' }, map: { M: { list: { L: [{ N: '1' }, { S: 'say "x": {' }] }, none: { NULL: true } } } });
});

const opened = (use) =>
  w.open('t/Items/items', async (page) => {
    await page.locator('[data-row="0"]').click();
    await page.at('view-typed').click();
    const text = page.getByRole('textbox', { name: 'Item in DynamoDB JSON' });
    await shows(text, '"none"');
    await use(page, text);
  });

test('names, texts, numbers and words of JSON have their own colours', { skip }, () =>
  opened(async (page, text) => {
    const colours = await text.evaluate((content) => {
      const colour = (wanted) => getComputedStyle([...content.querySelectorAll('span')].find((each) => each.textContent === wanted)).color;
      return ['"say \\"x\\": {"', '"1"', 'true', '"map"'].map(colour);
    });
    assert.equal(colours[0], colours[1], 'both are texts');
    assert.equal(new Set(colours.slice(1)).size, 3);
    // Numbers are texts in DynamoDB JSON, but not in plain JSON.
    await page.at('view-plain').click();
    const plain = page.getByRole('textbox', { name: 'Item in JSON' });
    await shows(plain, 'null');
    assert.equal(await plain.evaluate((content) => [...content.querySelectorAll('span')].some((each) => each.textContent === '1')), true);
  }));

test('a map folds to one line and opens again', { skip }, () =>
  opened(async (page, text) => {
    const lines = () => text.evaluate((content) => [...content.querySelectorAll('.cm-line')].map((each) => each.textContent));
    const all = await lines();
    const at = all.findIndex((each) => each.includes('"map"'));
    await page.at('item-editor').locator('.cm-foldGutter .cm-gutterElement').filter({ hasText: '⌄' }).nth(2).click();
    // The third bracket that can fold is that of the map; what follows the map is still there.
    await eventually(async () => (await lines()).some((each) => each.includes('"none"')), false);
    const folded = await lines();
    assert.match(folded[at], /"map": \{…\}$/);
    assert.equal(folded.at(-1), '}');
    await text.locator('.cm-foldPlaceholder').click();
    await eventually(lines, all);
  }));

test('a new line in a bracket is further in, and a fault is marked at its place', { skip }, () =>
  opened(async (page, text) => {
    await enter(text, '{\n  "more": ');
    await page.keyboard.type('{');
    await page.keyboard.press('Enter');
    await page.keyboard.type('"L": [');
    await page.keyboard.press('Enter');
    const lines = await text.evaluate((content) => [...content.querySelectorAll('.cm-line')].map((each) => each.textContent));
    assert.deepEqual(lines, ['{', '  "more": {', '    "L": [', '      ', '    ]', '  }']);
    await page.at('item-editor').locator('.cm-lintPoint-error').waitFor({ state: 'attached' });
    await shows(page.at('item-state'), 'JSON');
    await enter(text, '{"pk": {"S": "a"}}');
    await page.at('item-editor').locator('.cm-lintPoint-error').waitFor({ state: 'detached' });
  }));
