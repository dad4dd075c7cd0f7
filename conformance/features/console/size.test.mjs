// The size and the write units that the editor shows before an item is stored are those of the response.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, packed, shows, skip, world } from './helpers.mjs';

const index = (name, attribute, projection) => ({
  IndexName: name,
  KeySchema: [{ AttributeName: attribute, KeyType: 'HASH' }],
  Projection: projection,
});
const w = world([], (w) =>
  w.table('Sized', { pk: 'S' }, {
    attributes: { a: 'S', b: 'N', c: 'B' },
    GlobalSecondaryIndexes: [
      index('all', 'a', { ProjectionType: 'ALL' }),
      index('keys', 'b', { ProjectionType: 'KEYS_ONLY' }),
      index('some', 'c', { ProjectionType: 'INCLUDE', NonKeyAttributes: ['d'] }),
    ],
  }),
);

// A sequence of its own, so that a failure repeats.
let state = 7;
const below = (bound) => (state = (state * 1103515245 + 12345) % 2147483648) % bound;
const digits = (count) => Array.from({ length: count }, (_, at) => String(at ? below(10) : 1 + below(9))).join('');
const number = () => `${below(2) ? '-' : ''}${digits(1 + below(38))}E${below(80) - 40}`;
const text = () => 'aé€😀'.repeat(1 + below(300));
const binary = () => Buffer.alloc(1 + below(900), 7).toString('base64');
const some = () => [
  { S: text() }, { N: number() }, { B: binary() }, { BOOL: true }, { NULL: true }, { L: [{ N: number() }, { S: text() }] },
  { M: { x: { N: number() }, 'é': { L: [] } } }, { SS: ['x', text()] }, { NS: ['1', '200', '-0.5'] }, { BS: ['AA==', binary()] },
][below(10)];
const made = (pk) => ({
  pk: { S: pk },
  ...(below(3) ? { a: { S: `a${below(3)}` } } : {}),
  ...(below(3) ? { b: { N: String(below(3)) } } : {}),
  ...(below(3) ? { c: { B: ['AA==', 'AQ=='][below(2)] } } : {}),
  ...(below(2) ? { d: some() } : {}),
  ...Object.fromEntries(Array.from({ length: below(4) }, (_, at) => [`e${at}`, some()])),
});

/** What the response of the save says, as the editor writes it: the table and the indexes that were charged. */
function parts(consumed) {
  const indexes = Object.entries(consumed.GlobalSecondaryIndexes ?? {}).map(([name, each]) => [name, each.CapacityUnits]);
  return { total: consumed.CapacityUnits, ...Object.fromEntries([['table', consumed.Table.CapacityUnits], ...indexes].filter(([, units]) => units)) };
}

function shownParts(line) {
  const total = Number(/saving uses\s+([\d,]+) write units?/.exec(line)[1].replaceAll(',', ''));
  const inside = /\(([^)]*)\)/.exec(line)?.[1];
  return { total, ...(inside ? Object.fromEntries(inside.split(', ').map((each) => [each.split(' ')[0], Number(each.split(' ')[1])])) : { table: total }) };
}

test('50 items: new ones and changed ones cost what the editor said', { skip }, async () => {
  await w.open('', async (page) => {
    for (let at = 0; at < 50; at++) {
      const isNew = at % 2 === 0;
      const pk = `p${at}`;
      if (!isNew) await w.put('Sized', made(pk));
      await page.visit(isNew ? 't/Sized/items?new=1' : `t/Sized/items?key=${packed({ pk: { S: pk } })}`);
      await page.at('view-typed').click();
      const item = { ...made(pk), changed: { N: String(at) } };
      await enter(page.getByRole('textbox', { name: 'Item in DynamoDB JSON' }), JSON.stringify(item));
      await shows(page.at('item-size'), 'saving uses');
      const line = await page.at('item-size').textContent();
      const response = page.waitForResponse((each) => /PutItem|UpdateItem/.test(each.request().headers()['x-amz-target'] ?? ''));
      await page.at('save-item').click();
      const { ConsumedCapacity } = await (await response).json();
      assert.ok(ConsumedCapacity, `${at}: refused`);
      assert.deepEqual(shownParts(line), parts(ConsumedCapacity), `item ${at}: ${JSON.stringify(item).slice(0, 300)}`);
    }
  });
});

test('the bytes are those that the server counts, and one byte over the limit is marked before it is refused', { skip }, async () => {
  const sizes = { '0': 1, '-0': 1, '100': 2, '0.15': 2, '123': 3, '-42': 3, '1.5': 3, '100.5': 4, '3.14159': 5, '-12345': 5, '1E-100': 2, [`${'1'.repeat(38)}`]: 20 };
  await w.open('', async (page) => {
    for (const [n, bytes] of Object.entries(sizes)) {
      await page.visit('t/Sized/items?new=1');
      await page.at('view-typed').click();
      await enter(page.getByRole('textbox', { name: 'Item in DynamoDB JSON' }), JSON.stringify({ pk: { S: 'x' }, n: { N: n } }));
      await shows(page.at('item-size'), `${3 + 1 + bytes} of 409,600 bytes`);
    }
    const whole = (length) => ({ pk: { S: 'large' }, s: { S: 'x'.repeat(length) } });
    const editor = page.getByRole('textbox', { name: 'Item in DynamoDB JSON' });
    await enter(editor, JSON.stringify(whole(409_600 - 8)));
    await shows(page.at('item-size'), '409,600 of 409,600 bytes');
    await enter(editor, JSON.stringify(whole(409_600 - 7)));
    await shows(page.at('item-size').locator('.fault'), '409,601 of 409,600 bytes');
    await page.at('save-item').click();
    await shows(page.at('failure'), 'Item size has exceeded the maximum allowed size');
    await enter(editor, JSON.stringify(whole(409_600 - 8)));
    await page.at('save-item').click();
    await shows(page.at('notice'), 'Saved: 400 write units');
  });
});

test('another key is a transaction, and costs what the response says', { skip }, async () => {
  await w.put('Sized', { pk: { S: 'from' }, a: { S: 'a' }, s: { S: 'x'.repeat(2000) } });
  await w.open(`t/Sized/items?key=${packed({ pk: { S: 'from' } })}`, async (page) => {
    await page.getByRole('textbox', { name: 'Value of pk', exact: true }).fill('to');
    const line = await page.at('item-size').textContent();
    const was = (await w.call('GetItem', { TableName: 'Sized', Key: { pk: { S: 'from' } } })).Item;
    const { ConsumedCapacity } = await w.call('TransactWriteItems', {
      ReturnConsumedCapacity: 'INDEXES',
      TransactItems: [{ Delete: { TableName: 'Sized', Key: { pk: was.pk } } }, { Put: { TableName: 'Sized', Item: { ...was, pk: { S: 'to' } } } }],
    });
    assert.deepEqual(shownParts(line), parts(ConsumedCapacity[0]));
  });
});
