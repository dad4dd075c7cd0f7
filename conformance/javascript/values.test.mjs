// Attribute values: every type, depth, numbers, binary, text, sets, and what is refused.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { CreateTableCommand, DeleteTableCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';

import { invalid, newClient, onDemand, oneError, rejectsValidation, uniqueName } from './helpers.mjs';

const client = newClient();
const TableName = uniqueName();
before(() => client.send(new CreateTableCommand({ TableName, ...onDemand() })));
after(() => client.send(new DeleteTableCommand({ TableName })));

let serial = 0;
// Stores one value and returns it as it comes back.
async function roundTrip(value) {
  const pk = { S: `value ${serial++}` };
  await client.send(new PutItemCommand({ TableName, Item: { pk, value } }));
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk }, ConsistentRead: true }));
  assert.deepEqual(Item.pk, pk);
  assert.deepEqual(Object.keys(Item).sort(), ['pk', 'value']);
  return Item.value;
}
const refused = (value, message) =>
  rejectsValidation(
    client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'refused' }, value } })),
    message,
  );
const unchanged = async (value) => assert.deepEqual(await roundTrip(value), value);
const bytes = (...numbers) => Uint8Array.from(numbers);
const everyByte = Uint8Array.from({ length: 256 }, (_, i) => i);

const leaves = {
  S: { S: 'leaf' },
  N: { N: '-12.5' },
  B: { B: bytes(0, 255) },
  BOOL: { BOOL: false },
  NULL: { NULL: true },
  SS: { SS: ['a', 'b'] },
  NS: { NS: ['1', '2'] },
  BS: { BS: [bytes(1), bytes(2)] },
  L: { L: [] },
  M: { M: {} },
};
// Wraps a value into `depth` containers, lists and maps in turn.
const wrapped = (value, depth) => {
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? { M: { inner: value } } : { L: [value] };
  return value;
};

for (const [type, leaf] of Object.entries(leaves)) {
  test(`${type} comes back at every depth up to 32`, async () => {
    for (const depth of [0, 1, 15, 31]) await unchanged(wrapped(leaf, depth));
  });
}

test('level 33 is refused', async () => {
  const message =
    'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';
  const { L, M, ...scalarsAndSets } = leaves;
  for (const leaf of Object.values(scalarsAndSets)) await refused(wrapped(leaf, 32), message);
});

test('numbers come back exact, in plain form', async () => {
  const nines = '9'.repeat(38);
  const zeros = (n) => '0'.repeat(n);
  const digits = '12345678901234567890123456789012345678';
  const forms = {
    '9.9999999999999999999999999999999999999E+125': `${nines}${zeros(88)}`,
    '-9.9999999999999999999999999999999999999E+125': `-${nines}${zeros(88)}`,
    '1E-130': `0.${zeros(129)}1`,
    '-1E-130': `-0.${zeros(129)}1`,
    '9.9999999999999999999999999999999999999E-130': `0.${zeros(129)}${nines}`,
    [digits]: digits,
    [`-0.${digits}`]: `-0.${digits}`,
    '1234567890123456789.0123456789012345678': '1234567890123456789.0123456789012345678',
    [nines]: nines,
    '1e125': `1${zeros(125)}`,
    '1e-20': `0.${zeros(19)}1`,
    '+3': '3',
    '007': '7',
    '1.10': '1.1',
    '1.0e-1': '0.1',
    '-0.0': '0',
    '0e5': '0',
    '.5': '0.5',
    '5.': '5',
    [`1${zeros(60)}`]: `1${zeros(60)}`,
  };
  for (const [sent, stored] of Object.entries(forms)) {
    assert.deepEqual(await roundTrip({ N: sent }), { N: stored }, sent);
  }
});

test('numbers out of range, too precise or malformed are refused', async () => {
  const overflow = 'Number overflow. Attempting to store a number with magnitude larger than supported range';
  const underflow = 'Number underflow. Attempting to store a number with magnitude smaller than supported range';
  const precise = 'Attempting to store more than 38 significant digits in a Number';
  const cases = {
    '1e126': overflow,
    '-1e126': overflow,
    '1e-131': underflow,
    '-1e-131': underflow,
    ['1'.repeat(39)]: precise,
    [`0.${'1'.repeat(39)}`]: precise,
  };
  for (const text of ['dog', 'NaN', 'Infinity', '1.2.3', ' 5', '5 ', '1e', '0x10']) {
    cases[text] = `The parameter cannot be converted to a numeric value: ${text}`;
  }
  for (const [text, message] of Object.entries(cases)) {
    await refused({ N: text }, oneError + message);
    await refused({ L: [{ M: { deep: { NS: [text] } } }] }, oneError + message);
  }
});

test('equal numbers are one key, however they are written', async () => {
  const name = uniqueName();
  await client.send(new CreateTableCommand({ TableName: name, ...onDemand({ pk: 'N' }) }));
  await client.send(new PutItemCommand({ TableName: name, Item: { pk: { N: '1e3' }, a: { S: 'x' } } }));
  for (const N of ['1000', '1000.0', '+0.1E+4']) {
    const { Item } = await client.send(new GetItemCommand({ TableName: name, Key: { pk: { N } } }));
    assert.deepEqual(Item, { pk: { N: '1000' }, a: { S: 'x' } });
  }
  await client.send(new DeleteTableCommand({ TableName: name }));
});

test('binary holds every byte, also as key', async () => {
  await unchanged({ B: everyByte });
  await unchanged({ BS: [bytes(), bytes(0), everyByte] });
  const name = uniqueName();
  await client.send(new CreateTableCommand({ TableName: name, ...onDemand({ pk: 'B' }) }));
  const Item = { pk: { B: everyByte } };
  await client.send(new PutItemCommand({ TableName: name, Item }));
  assert.deepEqual((await client.send(new GetItemCommand({ TableName: name, Key: Item }))).Item, Item);
  await client.send(new DeleteTableCommand({ TableName: name }));
});

test('empty strings, binaries, lists, maps and set members are values', async () => {
  const empties = [{ S: '' }, { B: bytes() }, { L: [] }, { M: {} }, { SS: [''] }, { BS: [bytes()] }];
  for (const value of empties) await unchanged(value);
  await unchanged({ L: empties });
});

test('sets come back with the same members; empty and repeating ones are refused', async () => {
  const sorted = async (type, members, expected = members) => {
    const value = await roundTrip({ [type]: members });
    const key = (member) => Buffer.from(member).toString('hex');
    assert.deepEqual(value[type].map(key).sort(), expected.map(key).sort());
  };
  await sorted('SS', ['pear', 'apple', 'Äpfel', '']);
  await sorted('NS', ['3', '-1', '2.50', '1e2'], ['3', '-1', '2.5', '100']);
  await sorted('BS', [bytes(2), bytes(1, 0), bytes(1)]);

  await refused({ SS: [] }, `${oneError}${invalid}An string set  may not be empty`);
  await refused({ NS: [] }, `${oneError}${invalid}An number set  may not be empty`);
  await refused({ BS: [] }, `${oneError}${invalid}Binary sets should not be empty`);
  await refused(
    { SS: ['b', 'a', 'b'] },
    `${oneError}${invalid}Input collection ["a", "b", "b"] contains duplicates.`,
  );
  await refused({ NS: ['1', '1.0'] }, `${oneError}${invalid}Input collection contains duplicates.`);
  await refused(
    { BS: [bytes(255), bytes(0), bytes(0)] },
    `${oneError}${invalid}Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.`,
  );
  await refused({ NULL: false }, `${oneError}${invalid}Null attribute value types must have the value of true`);
});

test('text is kept code point by code point, in names and values', async () => {
  const texts = [
    'naïve café',
    'e\u0301 and \u00e9 differ',
    '東京 漢字 かな カナ 한국어',
    '👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇰',
    'עברית العربية ﷺ',
    '\u0000\u0001\t\n\r"\\/\u001f\u007f\u0080',
    '\u2028\u2029\ufeff\ufffe\uffff',
    '\u{10000}\u{10ffff}',
  ];
  const Item = { pk: { S: texts.join('') } };
  for (const text of texts) Item[text] = { M: { [text]: { L: [{ S: text }, { SS: [text] }] } } };
  await client.send(new PutItemCommand({ TableName, Item }));
  const read = await client.send(new GetItemCommand({ TableName, Key: { pk: Item.pk } }));
  assert.deepEqual(read.Item, Item);
});

test('an attribute name may have 65,535 bytes', async () => {
  const Item = { pk: { S: 'long name' }, ['n'.repeat(65_535)]: { N: '1' } };
  await client.send(new PutItemCommand({ TableName, Item }));
  const read = await client.send(new GetItemCommand({ TableName, Key: { pk: Item.pk } }));
  assert.deepEqual(read.Item, Item);
});
