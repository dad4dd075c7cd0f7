// Files: an export equals that of `stator export`; an import recognises each format, checks before it writes, and reports
// the lines that were refused.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { inTime, packed, shows, skip, violations, world } from './helpers.mjs';

const LARGE = process.env.STATOR_LONG === '1' ? 100_000 : 4000;
const DIGITS = '12345678901234567890123456789012345678';
const w = world([], async (w) => {
  const key = { pk: 'S', sk: 'N' };
  await w.table('Types', key);
  await w.fill('Types', 60, typed);
  await w.table('Large', { pk: 'S' });
  await w.fill('Large', LARGE, (at) => ({ pk: { S: `p${at}` }, n: { N: String(at) }, note: { S: 'x'.repeat(at % 400 ? 100 : 20_000) } }));
  for (const name of ['Copy', 'Imported', 'Lines']) await w.table(name, key);
});
const folder = mkdtempSync(join(tmpdir(), 'console-'));
after(() => rmSync(folder, { recursive: true }));

const TEXTS = ['plain', 'a,"b"', 'two\nlines', '', ' space', '=1+1', '{', 'x ünïcödé 😀', '<img src=x onerror=alert(1)>'];
function typed(at) {
  return {
    pk: { S: `p${at % 7}` }, sk: { N: String(at) }, s: { S: TEXTS[at % TEXTS.length] }, n: { N: DIGITS }, small: { N: '1E-130' },
    b: { B: 'AAEC' }, yes: { BOOL: at % 2 === 0 }, null: { NULL: true }, m: { M: { a: { N: '1' }, 'b.c': { S: '' } } }, l: { L: [{ S: 'ü' }, { L: [] }] },
    ss: { SS: ['a', 'b'] }, ns: { NS: ['1', '2.5'] }, bs: { BS: ['AA=='] }, 'x:N': { S: 'a name like a type' }, mixed: at % 3 ? { S: '5' } : { N: '5' },
  };
}

/** What `stator export` writes for the table. */
function exported(table, name, ...flags) {
  const path = join(folder, name);
  execFileSync(process.env.STATOR_BINARY, ['export', table, path, '--endpoint-url', w.origin, ...flags], { stdio: 'pipe' });
  return readFileSync(path, 'utf8');
}

async function saved(page, button) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.at(button).click()]);
  return { name: file.suggestedFilename(), text: readFileSync(await inTime(file.path(), 'the file is whole'), 'utf8') };
}

async function choose(page, name, content) {
  await page.at('import-file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });
}

test('an export of a table is that of stator export, in each format', { skip }, async () => {
  const formats = [['dynamodb-json', 'types.jsonl', []], ['csv', 'types.csv', []], ['json', 'plain.jsonl', ['--format', 'json']]];
  for (const [format, name, flags] of formats) {
    await w.open(`t/Types/items?export=${format}`, async (page) => {
      await page.at('export-table').check();
      assert.deepEqual(await violations(page), []);
      const file = await saved(page, 'export-run');
      assert.equal(file.name, `Types.${name.split('.')[1]}`);
      assert.equal(file.text, exported('Types', name, ...flags));
      await shows(page.at('export-outcome'), '60 items are in the file.');
      if (format === 'json') await shows(page.at('export-outcome'), '180 sets became arrays and 60 binary values strings of Base64');
    });
  }
});

test('an export has what the read finds, and a spreadsheet’s formulas as text when asked', { skip }, async () => {
  const filter = { join: 'AND', isNegated: false, rules: [{ path: 's', operator: 'begins with', type: 'S', values: ['=1'] }] };
  const q = packed({ isScan: false, partition: 'p5', filter, projection: 's' });
  const expected = (await w.scan('Types')).filter((each) => each.pk.S === 'p5' && each.s.S === '=1+1').map((each) => each.sk.N);
  assert.ok(expected.length > 0);
  await w.open(`t/Types/items?q=${q}`, async (page) => {
    await page.at('export').click();
    await page.at('export-format').selectOption('csv');
    await page.at('export-safe').check();
    const { text } = await saved(page, 'export-run');
    assert.deepEqual(text.trimEnd().split('\n'), ['pk,sk,s', ...expected.sort((a, b) => a - b).map((sk) => `p5,${sk},'=1+1`)]);
  });
});

test('a large table is exported whole, in short tasks', { skip }, async (t) => {
  await w.open('t/Large/items?export=dynamodb-json', async (page) => {
    await page.at('export-table').check();
    await page.evaluate(() => {
      window.tasks = [];
      new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((each) => each.duration))).observe({ type: 'longtask' });
    });
    const { text } = await saved(page, 'export-run');
    assert.equal(text, exported('Large', 'large.jsonl'));
    await shows(page.at('export-outcome'), `${LARGE.toLocaleString('en-US')} items are in the file.`);
    // A time on a shared machine decides nothing; on an idle one it stays below 100 ms.
    t.diagnostic(`the longest task took ${await page.evaluate(() => Math.max(0, ...window.tasks))} ms`);
  });
});

/** What `stator import` makes of the file. */
async function imported(name) {
  execFileSync(process.env.STATOR_BINARY, ['import', 'Imported', join(folder, name), '--endpoint-url', w.origin], { stdio: 'pipe' });
  const items = await w.scan('Imported');
  await emptied('Imported', items);
  return items;
}

async function emptied(TableName, items) {
  for (const { pk, sk } of items) await w.call('DeleteItem', { TableName, Key: { pk, sk } });
}

test('each format is recognised and gives the items that stator import makes of it, also in gzip', { skip }, async () => {
  const items = await w.scan('Types');
  const [typedLines, csv, plainLines] = [exported('Types', 'a.jsonl'), exported('Types', 'a.csv'), exported('Types', 'b.jsonl', '--format', 'json')];
  const files = [
    ['lines.jsonl', typedLines, 'DynamoDB JSON, by lines'],
    ['lines.jsonl.gz', gzipSync(typedLines), 'DynamoDB JSON in gzip, by lines'],
    ['types.csv', csv, 'CSV, by lines'],
    ['types.csv.gz', gzipSync(csv), 'CSV in gzip, by lines'],
    ['scan.json', JSON.stringify({ Items: items, Count: 60 }, null, 2), 'DynamoDB JSON, one value'],
    ['plain.jsonl', plainLines, 'plain JSON, by lines'],
    ['plain.json.gz', gzipSync(`[\n${plainLines.trim().split('\n').join(',\n')}\n]\n`), 'plain JSON in gzip, one value'],
  ];
  for (const [name, content, look] of files) {
    writeFileSync(join(folder, name), content);
    const wanted = await imported(name);
    assert.equal(wanted.length, 60);
    // Plain JSON has no sets and no binary values; everything else is as it was.
    if (!name.startsWith('plain')) assert.deepEqual(wanted, items, name);
    await w.open('t/Copy/items?import=1', async (page) => {
      await choose(page, name, content);
      await shows(page.at('import-look'), look);
      await shows(page.at('import-preview'), DIGITS);
      await page.at('import-dry-run').click();
      await shows(page.at('import-outcome'), /60 records read, 60 would be written, 0 refused; nothing was changed/);
      assert.equal((await w.scan('Copy')).length, 0);
      await page.at('import-run').click();
      await shows(page.at('import-outcome'), '60 records read, 60 written, 0 refused');
      assert.deepEqual(await w.scan('Copy'), wanted, name);
      await emptied('Copy', wanted);
    });
  }
});

test('plain JSON keeps 38 digits', { skip }, async () => {
  await w.open('t/Lines/items?import=1', async (page) => {
    await choose(page, 'plain.json', `[{"pk": "plain", "sk": 1, "n": ${DIGITS}, "deep": [{"n": 0.10}, null, true]}]`);
    await shows(page.at('import-look'), 'plain JSON, one value');
    await page.at('import-run').click();
    await shows(page.at('import-outcome'), '1 record read, 1 written, 0 refused');
    const { Item } = await w.call('GetItem', { TableName: 'Lines', Key: { pk: { S: 'plain' }, sk: { N: '1' } } });
    assert.deepEqual(Item.n, { N: DIGITS });
    assert.deepEqual(Item.deep, { L: [{ M: { n: { N: '0.1' } } }, { NULL: true }, { BOOL: true }] });
  });
});

test('lines that are refused are reported with their reason and can be saved; the types of columns can be chosen', { skip }, async () => {
  const csv = 'pk,sk,n\r\na,1,5\r\na,x,5\nb,2\n"c\nd",3,"seven"\na,1,6\n,4,4\n';
  await w.open('t/Lines/items?import=1', async (page) => {
    await choose(page, 'some.csv', csv);
    await page.at('import-type-n').selectOption('N');
    await shows(page.at('import-preview'), 'it has 2 cells, the header has 3');
    await shows(page.at('import-preview'), 'the key attribute sk is no number: “x”');
    assert.deepEqual(await violations(page), []);
    await page.at('import-run').click();
    await shows(page.at('import-outcome'), /6 records read, 2 written, 4 refused\.\s+1 record repeat/);
    const rows = await page.at('import-refused').locator('tbody tr').allTextContents();
    assert.deepEqual(rows.map((each) => Number.parseInt(each, 10)), [3, 4, 5, 8]);
    assert.match(rows[2], /ValidationException: .*seven/);
    const { text } = await saved(page, 'import-rejects');
    assert.deepEqual(text.split('\n')[0], 'pk,sk,n');
    assert.deepEqual(text.trimEnd().split('\n').slice(1).sort(), ['"c', 'd",3,"seven"', ',4,4', 'a,x,5', 'b,2'].sort());
    assert.deepEqual((await w.scan('Lines')).filter((each) => each.pk.S === 'a'), [{ pk: { S: 'a' }, sk: { N: '1' }, n: { N: '6' } }]);
    await page.keyboard.press('Escape');
    await shows(page.at('read-state'), /^\s*\d+ held/);
  });
});

test('what is no file of items is refused before anything is written', { skip }, async () => {
  const before = await w.scan('Lines');
  await w.open('t/Lines/items?import=1', async (page) => {
    for (const [content, reason] of [
      ['', 'The file is empty'],
      ['<!doctype html><p>', 'HTML or XML'],
      ['other,columns\n1,2\n', 'No column has the name of the key attribute pk'],
      ['pk,sk,sk\n1,2,3\n', 'a column is there twice'],
      ['$ion_1_0 {Item:{}}', 'Use stator import'],
      [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'Use stator import'],
      [Buffer.from([0xff, 0xfe, 0x41, 0]), 'not text in UTF-8'],
    ]) {
      await choose(page, 'file', content);
      await shows(page.at('failure'), reason);
      assert.equal(await page.at('import-run').isDisabled(), true);
    }
    assert.deepEqual(await w.scan('Lines'), before);
  });
});

test('an empty database has a way to import: a table for the items, then the file', { skip }, () =>
  w.open('?r=eu-north-1', async (page) => {
    await page.at('import-first').click();
    await shows(page.at('dialog'), 'The file is chosen next');
    assert.deepEqual(await violations(page), []);
    await page.at('table-name').fill('First');
    await page.at('partition-key').fill('pk');
    await page.at('create').click();
    await page.at('import-file').setInputFiles({ name: 'first.json', mimeType: 'application/json', buffer: Buffer.from('{"pk": "a", "n": 1}') });
    await page.at('import-run').click();
    await shows(page.at('import-outcome'), '1 written');
    const { Items } = await w.call('Scan', { TableName: 'First' }, 'eu-north-1');
    assert.deepEqual(Items, [{ pk: { S: 'a' }, n: { N: '1' } }]);
  }));

test('an import is stopped by its button', { skip }, async () => {
  await w.table('Stopped', { pk: 'S', sk: 'N' });
  await w.open('t/Stopped/items?import=1', async (page) => {
    let sent = 0;
    await page.route((url) => url.pathname === '/', async (route) => {
      if ((route.request().headers()['x-amz-target'] ?? '').endsWith('BatchWriteItem') && ++sent === 9) await page.at('import-stop').click();
      await route.continue();
    });
    await choose(page, 'many.jsonl', Array.from({ length: 5000 }, (_, at) => `{"pk":"p","sk":${at}}`).join('\n'));
    await page.at('import-run').click();
    await shows(page.at('import-outcome'), 'stopped');
    const written = Number(/([\d,]+) written/.exec(await page.at('import-outcome').textContent())[1].replaceAll(',', ''));
    assert.equal((await w.scan('Stopped')).length, written);
    assert.ok(written < 1000, `${written}`);
  });
});

async function drop(page, id, name) {
  await page.at(id).waitFor();
  const transfer = await page.evaluateHandle((name) => {
    const data = new DataTransfer();
    data.items.add(new File(['pk,sk\ndropped,1\n'], name));
    return data;
  }, name);
  await page.dispatchEvent(`[data-testid="${id}"]`, 'drop', { dataTransfer: transfer });
}

test('a file that is dropped on the items is looked at like one that was chosen', { skip }, () =>
  w.open('t/Lines/items', async (page) => {
    await drop(page, 'page-items', 'dropped.csv');
    await shows(page.at('import-look'), 'dropped.csv');
    await page.at('import-run').click();
    await shows(page.at('import-outcome'), '1 record read, 1 written');
  }));

test('a file that is dropped on the page of an empty database comes into the table that is made for it', { skip }, () =>
  w.open('?r=eu-west-3', async (page) => {
    // One that is called off is not there later.
    await drop(page, 'no-tables', 'other.csv');
    await shows(page.at('dialog'), 'Then other.csv is imported.');
    await page.keyboard.press('Escape');
    await page.at('dialog').waitFor({ state: 'detached' });
    await page.at('import-first').click();
    await shows(page.at('dialog'), 'The file is chosen next.');
    assert.equal(await page.at('table-name').inputValue(), '');
    await page.keyboard.press('Escape');
    await page.at('dialog').waitFor({ state: 'detached' });

    await drop(page, 'no-tables', 'shop items.v2.csv');
    assert.equal(await page.at('table-name').inputValue(), 'shop-items');
    await page.at('partition-key').fill('pk');
    await page.at('create').click();
    await shows(page.at('import-look'), 'shop items.v2.csv');
    await page.at('import-run').click();
    await shows(page.at('import-outcome'), '1 record read, 1 written');
    const { Items } = await w.call('Scan', { TableName: 'shop-items' }, 'eu-west-3');
    assert.deepEqual(Items, [{ pk: { S: 'dropped' }, sk: { S: '1' } }]);
  }));
