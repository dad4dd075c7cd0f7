// Queries and scans: each operator against the API's own answer, indexes, empty pages, hints; and the code of
// what is on the screen, run.

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { enter, eventually, packed, shows, skip, world } from './helpers.mjs';

const w = world([], async (w) => {
  await w.table(
    'Orders',
    { customer: 'S', id: 'N' },
    {
      attributes: { status: 'S', total: 'N' },
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by-status',
          KeySchema: [
            { AttributeName: 'status', KeyType: 'HASH' },
            { AttributeName: 'total', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    },
  );
  await w.fill('Orders', 300, (at) => ({
    customer: { S: `c${at % 10}` },
    id: { N: String(at) },
    status: { S: ['open', 'paid', 'sent'][at % 3] },
    total: { N: String((at * 37) % 100) },
    ...(at % 4 ? { note: { S: `note ${at}` } } : {}),
    tags: { SS: [`t${at % 5}`, 'all'] },
    bytes: { B: 'AAEC' },
    address: { M: { 'zip.code': { N: String(at % 7) }, lines: { L: [{ S: `street ${at % 3}` }] } } },
  }));
});
const execute = promisify(execFile);

async function counted(filter, names = {}, values = {}) {
  const { Count } = await w.call('Scan', {
    TableName: 'Orders',
    FilterExpression: filter,
    ...(Object.keys(names).length && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length && { ExpressionAttributeValues: values }),
  });
  return Count;
}

const rule = (path, operator, type, ...values) => ({ path, operator, type, values });
const group = (join, rules, isNegated = false) => ({ join, isNegated, rules });
const N = (text) => ({ N: text });
const S = (text) => ({ S: text });

// What the builder says, and the same in words of the API.
const FILTERS = {
  '=': [group('AND', [rule('status', '=', 'S', 'paid')]), '#s = :v', { '#s': 'status' }, { ':v': S('paid') }],
  '<>': [group('AND', [rule('total', '<>', 'N', '37')]), '#t <> :v', { '#t': 'total' }, { ':v': N('37') }],
  '<': [group('AND', [rule('total', '<', 'N', '50')]), '#t < :v', { '#t': 'total' }, { ':v': N('50') }],
  '<=': [group('AND', [rule('total', '<=', 'N', '50')]), '#t <= :v', { '#t': 'total' }, { ':v': N('50') }],
  '>': [group('AND', [rule('total', '>', 'N', '50')]), '#t > :v', { '#t': 'total' }, { ':v': N('50') }],
  '>=': [group('AND', [rule('total', '>=', 'N', '50')]), '#t >= :v', { '#t': 'total' }, { ':v': N('50') }],
  between: [group('AND', [rule('total', 'between', 'N', '10', '20')]), '#t BETWEEN :a AND :b', { '#t': 'total' }, { ':a': N('10'), ':b': N('20') }],
  in: [group('AND', [rule('status', 'in', 'S', 'paid, sent')]), '#s IN (:a, :b)', { '#s': 'status' }, { ':a': S('paid'), ':b': S('sent') }],
  'begins with': [group('AND', [rule('note', 'begins with', 'S', 'note 1')]), 'begins_with(note, :v)', {}, { ':v': S('note 1') }],
  contains: [group('AND', [rule('tags', 'contains', 'S', 't3')]), 'contains(tags, :v)', {}, { ':v': S('t3') }],
  'not contains': [group('AND', [rule('tags', 'not contains', 'S', 't3')]), 'NOT contains(tags, :v)', {}, { ':v': S('t3') }],
  exists: [group('AND', [rule('note', 'exists', 'S')]), 'attribute_exists(note)'],
  'does not exist': [group('AND', [rule('note', 'does not exist', 'S')]), 'attribute_not_exists(note)'],
  'is of type': [group('AND', [rule('bytes', 'is of type', 'S', 'B')]), 'attribute_type(#b, :v)', { '#b': 'bytes' }, { ':v': S('B') }],
  'size >': [group('AND', [rule('note', 'size >', 'N', '7')]), 'size(note) > :v', {}, { ':v': N('7') }],
  'size <': [group('AND', [rule('note', 'size <', 'N', '7')]), 'size(note) < :v', {}, { ':v': N('7') }],
  'size >=': [group('AND', [rule('note', 'size >=', 'N', '7')]), 'size(note) >= :v', {}, { ':v': N('7') }],
  'size <=': [group('AND', [rule('note', 'size <=', 'N', '7')]), 'size(note) <= :v', {}, { ':v': N('7') }],
  'size <>': [group('AND', [rule('note', 'size <>', 'N', '7')]), 'size(note) <> :v', {}, { ':v': N('7') }],
  'size =': [group('AND', [rule('tags', 'size =', 'N', '2')]), 'size(tags) = :v', {}, { ':v': N('2') }],
  'binary =': [group('AND', [rule('bytes', '=', 'B', 'AAEC')]), '#b = :v', { '#b': 'bytes' }, { ':v': { B: 'AAEC' } }],
  'a path': [group('AND', [rule('address.`zip.code`', '=', 'N', '3')]), 'address.#z = :v', { '#z': 'zip.code' }, { ':v': N('3') }],
  'a list': [group('AND', [rule('address.lines[0]', '=', 'S', 'street 1')]), 'address.#l[0] = :v', { '#l': 'lines' }, { ':v': S('street 1') }],
  groups: [
    group('AND', [rule('total', '>', 'N', '20'), group('OR', [rule('status', '=', 'S', 'paid'), rule('note', 'does not exist', 'S')], true)]),
    '#t > :v AND NOT (#s = :p OR attribute_not_exists(note))',
    { '#t': 'total', '#s': 'status' },
    { ':v': N('20'), ':p': S('paid') },
  ],
};

test('every operator finds what the API finds', { skip }, () =>
  w.open('t/Orders/items', async (page) => {
    for (const [name, [filter, text, names, values]] of Object.entries(FILTERS)) {
      await page.visit(`t/Orders/items?q=${packed({ filter })}`);
      await shows(page.at('read-state'), 'read 300,');
      const expected = await counted(text, names, values);
      assert.ok(expected > 0 && expected <= 300, name);
      assert.equal((await page.at('read-state').textContent()).split(' held')[0].trim(), String(expected), name);
    }
  }));

test('a filter is built by hand, its type comes from the data, and its address repeats it', { skip }, () =>
  w.open('t/Orders/items', async (page) => {
    await shows(page.locator('[data-row="0"]'), /c\d/);
    await page.at('more').click();
    await page.at('add-rule').click();
    await page.at('rule-path').fill('total');
    await page.at('rule-path').blur();
    await eventually(() => page.at('rule-type').inputValue(), 'N');
    await page.at('rule-operator').selectOption('>=');
    await page.at('rule-value').fill('99');
    await page.at('rule-value').press('Control+Enter');
    const expected = await counted('#t >= :v', { '#t': 'total' }, { ':v': N('99') });
    await shows(page.at('read-state'), new RegExp(`^\\s*${expected} held`));
    await page.reload();
    await shows(page.at('read-state'), new RegExp(`^\\s*${expected} held`));
    await page.at('reset-view').click();
    await shows(page.at('read-state'), /^\s*300 held/);
    assert.equal(new URL(page.url()).searchParams.get('q'), null);
  }));

test('a value that has no meaning is refused before it is sent', { skip }, () =>
  w.open(`t/Orders/items?q=${packed({ filter: group('AND', [rule('total', '=', 'N', '12x')]) })}`, (page) =>
    shows(page.at('failure'), '“12x” is not a number'),
  ));

test('a Query of a global index, with its sort key, backwards', { skip }, () =>
  w.open('t/Orders/items', async (page) => {
    await page.at('access-path').selectOption('query by-status');
    await page.at('partition-value').fill('paid');
    await page.at('sort-operator').selectOption('>=');
    await page.at('sort-value').fill('50');
    await page.getByLabel('backwards').check();
    await page.at('run').click();
    const { Items } = await w.call('Query', {
      TableName: 'Orders',
      IndexName: 'by-status',
      KeyConditionExpression: '#s = :s AND #t >= :t',
      ExpressionAttributeNames: { '#s': 'status', '#t': 'total' },
      ExpressionAttributeValues: { ':s': S('paid'), ':t': N('50') },
      ScanIndexForward: false,
    });
    await shows(page.at('read-state'), new RegExp(`^\\s*${Items.length} held`));
    const cells = await page.locator('[data-row="0"] [role="gridcell"]').allTextContents();
    assert.deepEqual(cells.slice(1, 5), [Items[0].status.S, Items[0].total.N, Items[0].customer.S, Items[0].id.N]);
  }));

test('a Scan where a Query would do says so', { skip }, () =>
  w.open(`t/Orders/items?q=${packed({ filter: group('AND', [rule('customer', '=', 'S', 'c1')]) })}`, (page) =>
    shows(page.at('read-hint'), 'Query'),
  ));

// Placeholders have other names when the builder writes them; the rest of the text is the same.
const resolved = ({ FilterExpression, ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }) =>
  FilterExpression.replace(/[#:]\w+/g, (each) => names[each] ?? JSON.stringify(values[each]));

async function requestOf(page) {
  if (!(await page.at('code').count())) await page.at('show-code').click();
  await page.at('code-JSON').click();
  const editor = page.getByRole('textbox', { name: 'Request as JSON' });
  await editor.waitFor();
  return { editor, body: JSON.parse(await editor.evaluate((element) => element.innerText)) };
}

test('an expression becomes the rows that mean it, and they the same expression', { skip }, () =>
  w.open('t/Orders/items', async (page) => {
    for (const [name, [filter, FilterExpression, names = {}, values = {}]] of Object.entries(FILTERS)) {
      const body = {
        TableName: 'Orders',
        FilterExpression,
        ...(Object.keys(names).length && { ExpressionAttributeNames: names }),
        ...(Object.keys(values).length && { ExpressionAttributeValues: values }),
      };
      await page.visit(`t/Orders/items?b=${packed(body)}`);
      await shows(page.at('read-state'), 'read 300,');
      const settings = JSON.parse(Buffer.from(new URL(page.url()).searchParams.get('q'), 'base64url'));
      assert.deepEqual(withoutTypes(settings.filter), withoutTypes(filter), name);
      assert.equal(resolved((await requestOf(page)).body), resolved(body), name);
    }
  }));

// Of operators without a value, or with one of a fixed type, the row's type says nothing.
function withoutTypes(each) {
  if (each.rules) return { ...each, join: each.rules.length > 1 ? each.join : 'AND', rules: each.rules.map(withoutTypes) };
  return /exist|of type|size/.test(each.operator) ? { ...each, type: '' } : each;
}

test('an expression that no rows say stays the same text, runs, and can be edited as JSON', { skip }, () =>
  w.open('t/Orders/items', async (page) => {
    const FilterExpression = '#t > id OR NOT #s = :paid AND size(note) > size(#s)';
    const names = { '#s': 'status', '#t': 'total' };
    await page.visit(
      `t/Orders/items?b=${packed({ TableName: 'Orders', FilterExpression, ExpressionAttributeNames: names, ExpressionAttributeValues: { ':paid': S('paid') } })}`,
    );
    const expected = await counted(FilterExpression, names, { ':paid': S('paid') });
    await shows(page.at('read-state'), new RegExp(`^\\s*${expected} held`));
    await shows(page.at('filter-text'), FilterExpression);
    const { editor, body } = await requestOf(page);
    assert.equal(body.FilterExpression, FilterExpression);
    const query = { TableName: 'Orders', KeyConditionExpression: 'customer = :c AND id BETWEEN :low AND :high', ExpressionAttributeValues: { ':c': S('c1'), ':low': N('10'), ':high': N('200') } };
    await enter(editor, JSON.stringify({ ...query, Select: 'COUNT' }));
    await editor.press('Control+Enter');
    await shows(page.at('failure'), 'Select has no field here');
    await enter(editor, JSON.stringify({ ...query, ScanIndexForward: false }));
    await page.at('take-request').click();
    await shows(page.at('read-state'), /^\s*19 held/);
    assert.equal(await page.at('access-path').inputValue(), 'query ');
    assert.equal(await page.at('partition-value').inputValue(), 'c1');
    assert.equal(await page.at('sort-operator').inputValue(), 'between');
    assert.equal(await page.getByLabel('backwards').isChecked(), true);
    await shows(page.locator('[data-row="0"]'), '191');
  }));

test('a value that an index can use offers its Query, and one click makes it one', { skip }, () =>
  w.open('t/Orders/items', async (page) => {
    await page.locator('[data-row="0"]').waitFor();
    await page.at('more').click();
    await page.at('add-rule').click();
    await page.at('rule-path').fill('status');
    assert.equal(await page.at('query-instead').count(), 0);
    await page.at('rule-value').fill('paid');
    await shows(page.at('query-instead'), 'Query by-status (items without total are not in this index)');
    await page.at('add-rule').click();
    await page.at('rule-path').nth(1).fill('total');
    await page.at('rule-path').nth(1).blur();
    await page.at('rule-operator').nth(1).selectOption('>');
    await page.at('rule-value').nth(1).fill('50');
    await page.at('run').click();
    await shows(page.at('read-hint'), 'Query');
    const scanned = (await page.at('read-state').textContent()).split(' held')[0].trim();
    await page.at('query-instead').click();
    await shows(page.at('read-state'), new RegExp(`^\\s*${scanned} held[^]*read ${scanned},`));
    assert.equal(await page.at('access-path').inputValue(), 'query by-status');
    assert.equal(await page.at('sort-value').inputValue(), '50');
    assert.equal(await page.at('advice').count(), 0);
  }));

test('an empty result says that the filter kept none; pages without an item go on by a button', { skip }, async () => {
  const none = group('AND', [rule('status', '=', 'S', 'lost')]);
  await w.open(`t/Orders/items?q=${packed({ filter: none })}`, (page) =>
    shows(page.at('no-items'), 'The filter kept none of 300 items that were read'),
  );
  await w.open(`t/Orders/items?q=${packed({ filter: none, limit: '5' })}`, async (page) => {
    await shows(page.at('paused'), 'Read 40 items, kept 0; more follows.');
    await page.at('go-on').click();
    await shows(page.at('paused'), 'Read 80 items, kept 0; more follows.');
  });
});

// --- the code of the request on the screen ---

const READ = {
  isScan: false,
  partition: "it's",
  filter: group('AND', [rule('bytes', '=', 'B', 'AAEC'), rule('yes', '=', 'BOOL', 'true'), rule('quoted "name"', '=', 'S', `"double" 'single' $HOME \\ ü`)]),
};

async function codeOf(page, title) {
  if (!(await page.at('code').count())) await page.at('show-code').click();
  await page.at(`code-${title}`).click();
  return page.at('code-text').textContent();
}

test('the code of each language finds the same items', { skip }, async (t) => {
  await w.table('Code', { pk: 'S' });
  const stored = { pk: S("it's"), bytes: { B: 'AAEC' }, yes: { BOOL: true }, 'quoted "name"': S(`"double" 'single' $HOME \\ ü`) };
  await w.put('Code', stored);
  await w.put('Code', { pk: S('other') });
  const environment = {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  await w.open(`t/Code/items?q=${packed(READ)}`, async (page) => {
    await shows(page.at('read-state'), /^\s*1 held/);
    const curl = await execute('bash', ['-c', await codeOf(page, 'curl')], { env: environment });
    assert.deepEqual(JSON.parse(curl.stdout).Items, [stored]);
    const has = (command, ...more) => {
      try {
        execFileSync(command, more, { stdio: 'ignore' });
        return true;
      } catch {
        return false;
      }
    };
    if (has('aws', '--version')) {
      // Version 1 takes binary values as text, not as Base64, so it gets the request without one.
      const { stdout: version } = await execute('aws', ['--version'], { env: environment });
      if (version.startsWith('aws-cli/1')) {
        const rules = READ.filter.rules.filter((each) => each.type !== 'B');
        await page.visit(`t/Code/items?q=${packed({ ...READ, filter: group('AND', rules) })}`);
      }
      const cli = await execute('bash', ['-c', await codeOf(page, 'CLI')], { env: environment });
      assert.deepEqual(JSON.parse(cli.stdout).Items.map((each) => each.pk), [stored.pk]);
      await page.visit(`t/Code/items?q=${packed(READ)}`);
    } else t.diagnostic('no AWS CLI here');
    if (has('/usr/bin/python3', '-c', 'import boto3')) {
      const code = `${await codeOf(page, 'boto3')}\nassert answer["Items"][0]["bytes"]["B"] == b"\\0\\1\\2", answer\nassert answer["Count"] == 1`;
      await execute('/usr/bin/python3', ['-c', code], { env: environment });
    } else t.diagnostic('no boto3 here');
    for (const [title, part] of Object.entries({
      JavaScript: 'new QueryCommand({',
      Go: 'client.Query(context.Background(), &dynamodb.QueryInput{',
      Java: 'client.query(QueryRequest.builder()',
    })) {
      assert.ok((await codeOf(page, title)).includes(part), title);
    }
  });
});
