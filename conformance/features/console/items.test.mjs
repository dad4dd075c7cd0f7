// Items: the grid over more than it holds, keys, selection, and the editor that loses nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, eventually, packed, shows, skip, violations, world } from './helpers.mjs';

// More than the page holds at once; the long form has a million.
const MANY = process.env.STATOR_LONG === '1' ? 1_000_000 : 24_000;

const w = world([], async (w) => {
  await w.table('Many', { pk: 'S', sk: 'N' });
  await w.fill('Many', MANY, (at) => ({ pk: { S: `p${at % 997}` }, sk: { N: String(at) }, note: { S: `item ${at}` } }));
  await w.table('One', { pk: 'S' });
});
const HELD_MAX = 20_000;
const DIGITS = '12345678901234567890123456789012345678';

/** A value of so many levels: lists and maps in turns, the last a text. */
const nested = (levels) => (levels === 1 ? { S: 'deep' } : levels % 2 ? { L: [nested(levels - 1)] } : { M: { x: nested(levels - 1) } });
const LEVELS_MAX = 32;
/** With the rest of the item, more than 408,000 bytes of 409,600. */
const LONG = 'x'.repeat(408_000);

const EVERY_TYPE = {
  pk: { S: 'every' },
  s: { S: 'text with "quotes", a\nline and ünïcödé 😀' },
  n: { N: DIGITS },
  small: { N: '1E-130' },
  b: { B: 'AAECAwQFBgcICf8=' },
  yes: { BOOL: true },
  no: { BOOL: false },
  null: { NULL: true },
  m: { M: { inner: { M: { deep: { N: '-0.1' } } }, 'a.b': { S: '' } } },
  l: { L: [{ S: 'x' }, { N: DIGITS }, { L: [] }, { M: {} }] },
  ss: { SS: ['a', 'b'] },
  ns: { NS: ['1', '2.5'] },
  bs: { BS: ['AA==', '/w=='] },
  noText: { S: '' },
  noBytes: { B: '' },
  noElements: { L: [] },
  noMembers: { M: {} },
  nested: nested(LEVELS_MAX),
  'S': { S: 'named like a type' },
  '<img src=x onerror=alert(1)>': { S: '<img src=x onerror=alert(1)>' },
};

const item = async (pk) => (await w.call('GetItem', { TableName: 'One', Key: { pk: { S: pk } }, ConsistentRead: true })).Item;
const address = (pk) => `t/One/items?key=${packed({ pk: { S: pk } })}`;
const field = (page, path) => page.getByRole('textbox', { name: `Value of ${path}`, exact: true });
const heldOf = async (page) => Number((await page.at('read-state').textContent()).split(' held')[0].replaceAll(',', '').trim());
const rowText = (page, row) => page.locator(`[data-row="${row}"]`).textContent();

test('the scroll bar is the whole table, a jump is one request, and what is held is bounded', { skip }, () =>
  w.open('t/Many/items', async (page) => {
    await shows(page.locator('[data-row="0"]'), 'item');
    const total = async () => Number(await page.at('grid').getAttribute('aria-rowcount')) - 1;
    assert.ok(Math.abs((await total()) - MANY) < MANY / 10, `${await total()} rows`);
    const before = Number(/(\d+) requests?/.exec(await page.at('read-state').textContent())[1]);
    await page.at('position').fill('60');
    await eventually(async () => (await page.locator('[data-row]').allTextContents()).filter((each) => each.includes('item')).length > 10, true);
    const requests = Number(/(\d+) requests?/.exec(await page.at('read-state').textContent())[1]) - before;
    assert.ok(requests <= 4, `${requests} requests for a jump`);
    for (let part = 0; part <= 100; part += 2) {
      await page.at('position').fill(String(part));
      await eventually(async () => (await page.locator('[data-row]').allTextContents()).filter((each) => each.includes('item')).length > 10, true);
      assert.ok((await heldOf(page)) <= HELD_MAX);
    }
  }));

test('read to its end by keyboard, the rows are those of a Scan, in its order', { skip }, async () => {
  const expected = [];
  for (let start; ; ) {
    const { Items, LastEvaluatedKey } = await w.call('Scan', { TableName: 'Many', ...(start && { ExclusiveStartKey: start }) });
    expected.push(...Items);
    start = LastEvaluatedKey;
    if (!start || expected.length > 3000) break;
  }
  await w.open('t/Many/items', async (page) => {
    await shows(page.locator('[data-row="0"]'), 'item');
    await page.locator('[data-row="0"]').focus();
    let row = 0;
    while (row < 1200) {
      await eventually(async () => (await rowText(page, row)).includes(`${expected[row].note.S}`), true);
      await page.keyboard.press('PageDown');
      const before = row;
      await eventually(async () => (row = Number(await page.evaluate(() => document.activeElement.dataset.row))) > before, true);
    }
    // The row with the focus stays in the document when it is scrolled away.
    await page.at('grid-viewport').evaluate((element) => (element.scrollTop = 0));
    await shows(page.locator('[data-row="0"]'), 'item');
    assert.equal(await page.evaluate(() => document.activeElement.dataset.row), String(row));
  });
});

test('rows are selected by ranges, and a value is looked at and copied whole', { skip }, async () => {
  await w.table('Ranges', { pk: 'S', sk: 'N' });
  const text = 'z'.repeat(600);
  await w.fill('Ranges', 60, (at) => ({ pk: { S: 'p' }, sk: { N: String(at) }, m: { M: { inner: { N: DIGITS } } }, text: { S: text } }));
  const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };
  await w.open(`t/Ranges/items?q=${packed({ isScan: false, partition: 'p' })}`, async (page) => {
    const isAt = async (row) => eventually(() => page.evaluate(() => document.activeElement.dataset.row), String(row));
    const selected = () => page.locator('[data-row][aria-selected="true"]').evaluateAll((rows) => rows.map((each) => Number(each.dataset.row)).sort((a, b) => a - b));
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await shows(page.locator('[data-row="0"]'), 'p');
    await page.locator('[data-row="0"]').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(`Shift+${key}`);
    await isAt(4);
    assert.deepEqual(await selected(), [0, 2, 3, 4]);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+ArrowUp');
    assert.deepEqual(await selected(), [0, 2, 3, 4, 5, 6]);
    await page.locator('[data-row="9"]').click({ modifiers: ['Shift'] });
    assert.deepEqual(await selected(), [0, 2, 3, 4, 6, 7, 8, 9]);
    assert.equal(await page.at('save-item').count(), 0);

    // Pages, and back.
    await page.keyboard.press('Home');
    await page.keyboard.press(']');
    const far = Number(await page.evaluate(() => document.activeElement.dataset.row));
    assert.ok(far > 3, `row ${far}`);
    await page.keyboard.press('[');
    await isAt(0);

    // The value of a cell: the map as DynamoDB JSON, the text whole.
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    await shows(page.at('dialog'), 'Map');
    assert.deepEqual(JSON.parse(await page.at('value').textContent()), { inner: { N: DIGITS } });
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
    await page.at('dialog').waitFor({ state: 'detached' });
    await isAt(0);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    assert.equal(await page.at('value').textContent(), text);
    await page.keyboard.press('Escape');
    await page.at('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('y');
    await eventually(copied, text);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('y');
    await eventually(copied, '0');
    await page.keyboard.press('Shift+Y');
    await eventually(async () => JSON.parse(await copied()), { pk: { S: 'p' }, sk: { N: '0' }, m: { M: { inner: { N: DIGITS } } }, text: { S: text } });

    // Single letters can be off; Space is none.
    await page.evaluate((name) => localStorage.setItem(name, '1'), `stator-console-no-letters:${new URL(w.origin).host}`);
    await page.reload();
    await shows(page.locator('[data-row="0"]'), 'p');
    await page.locator('[data-row="0"]').focus();
    await page.keyboard.press(']');
    await page.keyboard.press('x');
    await page.keyboard.press('Space');
    await page.at('value').waitFor();
    assert.deepEqual(await selected(), []);
    await page.keyboard.press('Escape');
    await isAt(0);
  }, clipboard);
});

test('a long text waits in the tree until it is wanted, and is stored whole', { skip }, async () => {
  const text = `begin${'x'.repeat(20_000)}`;
  await w.put('One', { pk: { S: 'long' }, a: { S: text }, n: { N: '1' } });
  await w.open(address('long'), async (page) => {
    await page.at('edit-a').waitFor();
    await field(page, 'n').fill('2');
    await page.at('save-item').click();
    await shows(page.at('notice'), 'Saved');
    assert.deepEqual(await item('long'), { pk: { S: 'long' }, a: { S: text }, n: { N: '2' } });
    await page.visit(address('long'));
    await page.at('edit-a').click();
    await eventually(() => page.evaluate(() => document.activeElement.dataset.testid), 'value-a');
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('> ');
    await page.keyboard.press('Control+Enter');
    await eventually(async () => (await item('long')).a.S, `> ${text}`);
  });
});

test('selected rows are deleted after a question, and only they', { skip }, async () => {
  await w.table('Few', { pk: 'S' });
  await w.fill('Few', 10, (at) => ({ pk: { S: `p${at}` } }));
  await w.open('t/Few/items', async (page) => {
    await page.locator('[data-row="9"]').waitFor();
    const keyOf = async (row) => /p\d/.exec(await rowText(page, row))?.[0];
    await eventually(async () => Boolean((await keyOf(2)) && (await keyOf(3))), true);
    const doomed = [await keyOf(2), await keyOf(3)];
    await page.locator('[data-row="2"]').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('d');
    await page.at('confirm-delete').click();
    await shows(page.at('notice'), '2 items deleted');
    const left = (await w.call('Scan', { TableName: 'Few' })).Items.map((each) => each.pk.S);
    assert.equal(left.length, 8);
    assert.ok(doomed.every((each) => !left.includes(each)));
    await eventually(() => page.locator('[data-row]').count(), 8);
  });
});

test('one change leaves every other attribute as it was, also in the largest item', { skip }, async () => {
  for (const whole of [EVERY_TYPE, { ...EVERY_TYPE, pk: { S: 'largest' }, long: { S: LONG } }]) {
    await w.put('One', whole);
    const stored = await item(whole.pk.S);
    assert.deepEqual(Object.keys(stored).sort(), Object.keys(whole).sort());
    await w.open(address(whole.pk.S), async (page) => {
      await field(page, 's').fill('changed');
      await shows(page.at('item-state'), '1 changed: s');
      await page.at('save-item').click();
      await shows(page.at('notice'), 'Saved');
      assert.deepEqual(await item(whole.pk.S), { ...stored, s: { S: 'changed' } });
      assert.equal(await page.locator('main img').count(), 0);
    });
  }
});

test('DynamoDB JSON holds the whole item, and an edit there is the same', { skip }, async () => {
  await w.put('One', { ...EVERY_TYPE, pk: { S: 'json' } });
  const stored = await item('json');
  await w.open(address('json'), async (page) => {
    await page.at('view-typed').click();
    const content = page.getByRole('textbox', { name: 'Item in DynamoDB JSON' });
    await content.waitFor();
    await enter(content, JSON.stringify({ ...stored, added: { NS: [DIGITS] } }));
    await page.at('save-item').click();
    await shows(page.at('notice'), 'Saved');
    assert.deepEqual(await item('json'), { ...stored, added: { NS: [DIGITS] } });
  });
});

test('plain JSON cannot be saved when it would lose something, and says what', { skip }, async () => {
  const losses = {
    set: [{ SS: ['a'] }, 'x is a string set'],
    binary: [{ B: 'AA==' }, 'x is binary'],
    digits: [{ N: '12345678901234567890' }, 'x is a number that JSON would change'],
    inside: [{ L: [{ M: { y: { NS: ['1'] } } }] }, 'x[0].y is a number set'],
  };
  for (const [pk, [x, reason]] of Object.entries(losses)) {
    await w.put('One', { pk: { S: pk }, x });
    await w.open(address(pk), async (page) => {
      await page.at('view-plain').click();
      await shows(page.at('plain-loss'), reason);
      assert.equal(await page.at('save-item').isDisabled(), true);
    });
  }
  await w.put('One', { pk: { S: 'plain' }, x: { L: [{ N: '1.5' }, { NULL: true }, { BOOL: true }] } });
  await w.open(address('plain'), async (page) => {
    await page.at('view-plain').click();
    const content = page.getByRole('textbox', { name: 'Item in JSON' });
    await enter(content, '{"pk": "plain", "x": 12345678901234567890}');
    await shows(page.at('item-state'), 'use DynamoDB JSON');
    await enter(content, '{"pk": "plain", "x": [1.5, {"y": "z"}]}');
    await page.at('save-item').click();
    await shows(page.at('notice'), 'Saved');
    assert.deepEqual((await item('plain')).x, { L: [{ N: '1.5' }, { M: { y: { S: 'z' } } }] });
  });
});

test('a type goes from N to S and back without a digit lost; a set takes no element twice', { skip }, async () => {
  await w.put('One', { pk: { S: 'types' }, n: { N: DIGITS }, ss: { SS: ['a', 'b'] }, ns: { NS: ['1', '2'] } });
  await w.open(address('types'), async (page) => {
    const type = page.getByRole('combobox', { name: 'Type of n', exact: true });
    await type.selectOption('S');
    await shows(page.at('item-state'), '1 changed: n');
    await type.selectOption('N');
    assert.equal(await field(page, 'n').inputValue(), DIGITS);
    await shows(page.at('item-state'), 'No changes');
    await page.getByRole('textbox', { name: 'Element 2 of ss' }).fill('a');
    await shows(page.at('item-state'), '“a” is in the set twice');
    assert.equal(await page.at('save-item').isDisabled(), true);
    await page.getByRole('textbox', { name: 'Element 2 of ss' }).fill('c');
    await page.getByRole('textbox', { name: 'Element 2 of ns' }).fill('1.0');
    await shows(page.at('item-state'), '“1.0” is in the set twice');
    await page.getByRole('textbox', { name: 'Element 2 of ns' }).fill('1e-200');
    await shows(page.at('item-state'), 'a number has 38 digits or fewer');
    await page.getByRole('textbox', { name: 'Element 2 of ns' }).fill('3');
    await page.at('save-item').click();
    await shows(page.at('notice'), 'Saved');
    assert.deepEqual((await item('types')).ss, { SS: ['a', 'c'] });
  });
});

test('an item that another client changed is shown in three columns, and nothing is lost', { skip }, async () => {
  await w.put('One', { pk: { S: 'shared' }, a: { S: 'first' }, b: { N: '1' } });
  await w.open(address('shared'), async (page) => {
    await field(page, 'a').fill('mine');
    await w.put('One', { pk: { S: 'shared' }, a: { S: 'theirs' }, b: { N: '2' } });
    await page.at('save-item').click();
    await shows(page.at('conflict'), 'theirs');
    assert.deepEqual(await page.at('conflict').locator('tbody tr').first().locator('td').allTextContents(), ['a', 'first', 'theirs', 'mine']);
    assert.deepEqual((await item('shared')).a, { S: 'theirs' });
    await page.at('merge').click();
    await page.at('save-item').click();
    await shows(page.at('notice'), 'Saved');
    assert.deepEqual(await item('shared'), { pk: { S: 'shared' }, a: { S: 'mine' }, b: { N: '2' } });
  });
});

test('a new item never replaces one, and a change beside another client’s change is stored', { skip }, async () => {
  await w.put('One', { pk: { S: 'there' }, a: { S: '1' }, b: { S: '1' } });
  await w.open('t/One/items?new=1', async (page) => {
    await field(page, 'pk').fill('there');
    await page.at('save-item').click();
    await shows(page.at('failure'), 'ConditionalCheckFailedException');
    assert.deepEqual((await item('there')).a, { S: '1' });
    await field(page, 'pk').fill('new');
    await page.at('save-item').click();
    await shows(page.at('notice'), 'Saved');
    assert.deepEqual(await item('new'), { pk: { S: 'new' } });
  });
  await w.open(address('there'), async (page) => {
    await field(page, 'a').fill('2');
    await w.call('UpdateItem', { TableName: 'One', Key: { pk: { S: 'there' } }, UpdateExpression: 'SET b = :v', ExpressionAttributeValues: { ':v': { S: '2' } } });
    await page.at('save-item').click();
    await shows(page.at('notice'), 'Saved');
    assert.deepEqual(await item('there'), { pk: { S: 'there' }, a: { S: '2' }, b: { S: '2' } });
  });
});

test('a changed key moves the item in one transaction', { skip }, async () => {
  await w.put('One', { pk: { S: 'from' }, a: { S: '1' } });
  await w.open(address('from'), async (page) => {
    await field(page, 'pk').fill('to');
    await page.at('save-item').click();
    await shows(page.at('notice'), 'Saved');
    assert.equal(await item('from'), undefined);
    assert.deepEqual(await item('to'), { pk: { S: 'to' }, a: { S: '1' } });
  });
});

test('changes that are not saved are not left without a question', { skip }, async () => {
  await w.put('One', { pk: { S: 'dirty' }, a: { S: '1' } });
  await w.open(address('dirty'), async (page) => {
    await field(page, 'a').fill('2');
    let asked = 0;
    page.on('dialog', (dialog) => (asked++ ? dialog.accept() : dialog.dismiss()));
    await page.at('nav-log').click();
    assert.equal(await field(page, 'a').inputValue(), '2');
    await page.at('nav-log').click();
    await page.at('page-log').waitFor();
    assert.equal(asked, 2);
  });
});

test('a level too deep is refused in the words of the service', { skip }, async () => {
  let value = { S: 'deep' };
  for (let level = 0; level < 33; level++) value = { M: { x: value } };
  const refused = await w.put('One', { pk: { S: 'level' }, x: value }).catch((error) => error);
  await w.open('t/One/items?new=1', async (page) => {
    await page.at('view-typed').click();
    await enter(page.getByRole('textbox', { name: 'Item in DynamoDB JSON' }), JSON.stringify({ pk: { S: 'level' }, x: value }));
    await page.at('save-item').click();
    await shows(page.at('failure'), refused.message);
  });
});

test('a duplicate begins with what the item has, and is a new item', { skip }, async () => {
  await w.put('One', { ...EVERY_TYPE, pk: { S: 'original' } });
  await w.open(address('original'), async (page) => {
    await page.at('duplicate-item').click();
    await shows(page.at('item-editor'), 'New item');
    await page.at('save-item').click();
    await shows(page.at('failure'), 'ConditionalCheckFailedException');
    await field(page, 'pk').fill('copy');
    await page.at('save-item').click();
    await shows(page.at('notice'), 'Saved');
    assert.deepEqual(await item('copy'), { ...(await item('original')), pk: { S: 'copy' } });
  });
});

test('columns are as wide as what they show, can be hidden, and a number that may be a time says which', { skip }, async () => {
  await w.table('Wide', { pk: 'S' });
  const long = 'CUSTOMER#0123456789-0123456789';
  await w.put('Wide', { pk: { S: long }, ends: { N: '1798761600' }, n: { N: '12345678901' }, z: { S: 'x' } });
  await w.open('t/Wide/items', async (page) => {
    const cell = page.locator('[data-row="0"]').getByText(long);
    await cell.waitFor();
    assert.ok(await cell.evaluate((element) => element.scrollWidth <= element.clientWidth));
    assert.equal(await page.locator('[data-row="0"]').getByText('1798761600').getAttribute('title'), '2027-01-01 00:00:00 UTC');
    assert.equal(await page.locator('[data-row="0"]').getByText('12345678901', { exact: true }).getAttribute('title'), null);
    await page.at('pick-columns').click();
    await page.at('columns').getByLabel('z').uncheck();
    await page.keyboard.press('Escape');
    await eventually(() => page.getByRole('columnheader').allTextContents(), ['Selected', 'pk', 'ends', 'n']);
    await page.reload();
    await shows(page.at('pick-columns'), '1 hidden');
    await page.locator('[data-row="0"]').click();
    await shows(page.at('moment-ends'), 'as a time: 2027-01-01 00:00:00 UTC');
  });
});
