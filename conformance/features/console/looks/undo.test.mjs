// Undo in the tree of an item.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, packed, skip, STEPS_MAX, tabTo, world } from '../helpers.mjs';

const w = world([], (w) => w.table('Orders', { pk: 'S' }));

test('each edit of a tree is undone and redone, by keyboard alone', { skip }, async () => {
  const list = { L: [{ S: 'a' }, { N: '1' }, { S: 'c' }] };
  const item = { pk: { S: 'undone' }, list, map: { M: { x: { S: 'y' } } }, set: { SS: ['x', 'y'] }, text: { S: 'before' } };
  await w.put('Orders', item);
  await w.open(`t/Orders/items?key=${packed({ pk: item.pk })}`, async (page) => {
    await page.at('save-item').waitFor();
    const undo = () => page.keyboard.press('Control+z');
    const redo = () => page.keyboard.press('Control+Shift+Z');
    const value = (id) => page.at(id).inputValue();
    const count = (id) => page.locator(`[data-testid="${id}"]`).count();
    /** Takes an edit back and does it again; `isDone` says whether it is in force. */
    const both = async (isDone) => {
      for (const [press, wanted] of [[undo, false], [redo, true]]) {
        await eventually(isDone, !wanted);
        await press();
        await eventually(isDone, wanted);
      }
    };

    // What was typed on end comes back as a whole, and the caret is where it was.
    await tabTo(page, 'value-text');
    await page.keyboard.press('Home');
    await page.keyboard.type('not ');
    await both(async () => (await value('value-text')) === 'not before');
    await page.keyboard.press('End');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await undo();
    await eventually(() => value('value-text'), 'not before');
    await undo();
    await eventually(() => value('value-text'), 'before');
    await page.keyboard.type('just ');
    await eventually(() => value('value-text'), 'just before');

    await tabTo(page, 'Type of text');
    for (let step = 0; step < STEPS_MAX && (await page.evaluate(() => document.activeElement.value)) !== 'SS'; step++) await page.keyboard.press('ArrowDown');
    await both(async () => (await page.getByLabel('Element 1 of text', { exact: true }).count()) === 1);

    await tabTo(page, 'value-list[2]');
    await page.keyboard.press('Alt+ArrowUp');
    await both(async () => (await value('value-list[1]')) === 'c');
    await page.keyboard.type('!');
    await eventually(() => value('value-list[1]'), 'c!');
    await tabTo(page, 'Move list[1] up');
    await page.keyboard.press('Enter');
    await both(async () => (await value('value-list[0]')) === 'c!');

    // With all that they hold.
    for (const [name, isGone] of [
      ['Remove list[2]', async () => (await count('value-list[2]')) === 0],
      ['Remove map.x', async () => (await count('node-map.x')) === 0],
      ['Remove element 1 of set', async () => (await page.getByLabel(/^Element \d of set$/).count()) === 1],
      ['Remove map', async () => (await count('node-map')) === 0],
    ]) {
      await tabTo(page, name);
      await page.keyboard.press('Enter');
      await both(isGone);
    }

    await tabTo(page, 'name-set');
    await page.keyboard.press('Enter');
    await both(async () => (await count('node-')) === 1);
    await page.keyboard.type('new');
    await tabTo(page, 'add-to-list');
    await page.keyboard.press('Enter');
    await both(async () => (await count('value-list[2]')) === 1);
    await page.keyboard.type('last');

    // All of it back, and forth again.
    const state = () => page.at('item-state').textContent();
    for (let step = 0; step < STEPS_MAX && !/No changes/.test(await state()); step++) await undo();
    assert.match(await state(), /No changes/);
    for (let step = 0; step < STEPS_MAX; step++) await redo();
    await page.keyboard.press('Control+Enter');
    await page.at('item-editor').waitFor({ state: 'detached' });
    const { Item } = await w.call('GetItem', { TableName: 'Orders', Key: { pk: item.pk } });
    const changed = { list: { L: [{ S: 'c!' }, { S: 'a' }, { S: 'last' }] }, set: { SS: ['y'] }, new: { S: '' }, text: { SS: ['just before'] } };
    assert.deepEqual(Item, { pk: item.pk, ...changed });
    await w.call('DeleteItem', { TableName: 'Orders', Key: { pk: item.pk } });
  });
});

test('what comes back inside a folded map is unfolded and has the focus', { skip }, async () => {
  const inner = { M: { gone: { S: 'here' }, text: { S: 'before' } } };
  const item = { pk: { S: 'folded' }, outer: { M: { inner } }, other: { M: { x: { S: 'y' } } } };
  await w.put('Orders', item);
  await w.open(`t/Orders/items?key=${packed({ pk: item.pk })}`, async (page) => {
    await page.at('save-item').waitFor();
    const focused = () => page.evaluate(() => document.activeElement.dataset.testid);
    const fold = async (...paths) => {
      for (const path of paths) {
        await page.getByLabel(`Members of ${path}`, { exact: true }).click();
        await page.locator(`[data-testid="node-${path}"] > .inner`).waitFor({ state: 'detached' });
      }
    };
    await tabTo(page, 'value-outer.inner.text');
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await tabTo(page, 'Remove outer.inner.gone');
    await page.keyboard.press('Enter');
    await page.at('node-outer.inner.gone').waitFor({ state: 'detached' });

    // Both levels are folded, and a map that nothing happens in.
    await fold('other', 'outer.inner', 'outer');
    await page.keyboard.press('Control+z');
    await eventually(focused, 'name-outer.inner.gone');
    await fold('outer');
    await page.keyboard.press('Control+z');
    await eventually(focused, 'value-outer.inner.text');
    assert.equal(await page.at('value-outer.inner.text').inputValue(), 'before');
    await fold('outer.inner', 'outer');
    await page.keyboard.press('Control+Shift+Z');
    await eventually(focused, 'value-outer.inner.text');
    assert.equal(await page.at('value-outer.inner.text').inputValue(), 'before!');
    assert.equal(await page.locator('[data-testid="node-other"] > .inner').count(), 0);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Escape');
    await page.at('item-editor').waitFor({ state: 'detached' });
    await w.call('DeleteItem', { TableName: 'Orders', Key: { pk: item.pk } });
  });
});
