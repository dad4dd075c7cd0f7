// The programs that the console writes in JavaScript, Go and Java are run, and do what the same requests do. A language
// whose tools or SDK are not on this machine is left out, and the report says so. reads.test.mjs runs the other languages.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packed, shows, skip, world } from './helpers.mjs';

const execute = promisify(execFile);
const LANGUAGES = fileURLToPath(new URL('../../languages/', import.meta.url));
const MODULES = fileURLToPath(new URL('node_modules', import.meta.url));
const GO_CREDENTIALS = 'github.com/aws/aws-sdk-go-v2/credentials@v1.20.14';
const DIGITS = '12345678901234567890123456789012345678';
const w = world([], async (w) => {
  await w.table('Code', { pk: 'S' });
  await w.table('More', { pk: 'S', sk: 'N' });
  await w.verb('marks/empty', {});
});
const folder = mkdtempSync(join(tmpdir(), 'console-code-'));
after(() => rmSync(folder, { recursive: true }));

const EVERY_TYPE = {
  pk: { S: 'every' }, s: { S: `"double" 'single' $HOME \\ \n ü 😀` }, n: { N: DIGITS }, b: { B: 'AAEC/w==' }, yes: { BOOL: true }, no: { BOOL: false },
  nothing: { NULL: true }, m: { M: { 'a.b': { L: [{ N: '1' }, { S: '' }] } } }, ss: { SS: ['a', 'b'] }, ns: { NS: ['1', '2.5'] }, bs: { BS: ['AA=='] },
};
const TableName = 'Code';
const REQUESTS = [
  ['PutItem', { TableName, Item: EVERY_TYPE, ConditionExpression: 'attribute_not_exists(pk)' }],
  [
    'UpdateItem',
    {
      TableName,
      Key: { pk: { S: 'every' } },
      UpdateExpression: 'SET #s = :s ADD c :one',
      ConditionExpression: '#s = :was',
      ExpressionAttributeNames: { '#s': 's' },
      ExpressionAttributeValues: { ':s': { S: 'changed' }, ':one': { N: '1' }, ':was': EVERY_TYPE.s },
      ReturnValues: 'ALL_NEW',
    },
  ],
  [
    'TransactWriteItems',
    {
      TransactItems: [
        { Put: { TableName: 'More', Item: { pk: { S: 'a' }, sk: { N: '1' } } } },
        { Update: { TableName, Key: { pk: { S: 'other' } }, UpdateExpression: 'ADD n :one', ExpressionAttributeValues: { ':one': { N: '1' } } } },
        { ConditionCheck: { TableName, Key: { pk: { S: 'every' } }, ConditionExpression: 'attribute_exists(pk)' } },
      ],
    },
  ],
  ['Query', { TableName, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: 'every' } }, ConsistentRead: true, Limit: 5 }],
  ['DeleteItem', { TableName, Key: { pk: { S: 'other' } } }],
];

const stored = async () => JSON.stringify(await Promise.all(['Code', 'More'].map(w.scan)));
const restart = () => w.verb('marks/empty/rollback', {});

/** What is stored after each request. */
async function expected() {
  const states = [];
  await restart();
  for (const [operation, body] of REQUESTS) {
    await w.call(operation, body);
    states.push(await stored());
  }
  await restart();
  return states;
}

async function codeOf(page, title, [operation, body]) {
  await page.visit(`requests/new?op=${operation}&b=${packed(JSON.stringify(body))}`);
  await page.at('show-code').click();
  await page.at(`code-${title}`).click();
  await shows(page.at('code-text'), operation[0].toUpperCase() + operation.slice(1));
  return page.at('code-text').textContent();
}

async function has(command, ...more) {
  return execute(command, more).then(() => true, () => false);
}

/** By the title of its tab: why it cannot run here, and how it runs. */
const RUNNERS = {
  JavaScript: {
    lacks: async () => !existsSync(join(MODULES, '@aws-sdk')) && 'the SDK for JavaScript',
    prepare: async () => symlinkSync(MODULES, join(folder, 'node_modules')),
    run: (code) => {
      writeFileSync(join(folder, 'main.mjs'), code);
      return execute(process.execPath, [join(folder, 'main.mjs')]);
    },
  },
  Go: {
    lacks: async () => !(await has('go', 'version')) && 'Go',
    prepare: async () => {
      for (const name of ['go.mod', 'go.sum']) cpSync(join(LANGUAGES, 'go', name), join(folder, name));
      await execute('go', ['mod', 'edit', `-require=${GO_CREDENTIALS}`], { cwd: folder });
    },
    run: (code) => {
      writeFileSync(join(folder, 'main.go'), code);
      return execute('go', ['run', '.'], { cwd: folder, env: { ...process.env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local', GOWORK: 'off' } });
    },
  },
  Java: {
    lacks: async () => !((await has('java', '-version')) && existsSync(join(LANGUAGES, 'java/target/classpath'))) && 'Java, or the classpath that its suite makes',
    prepare: async () => {},
    run: (code) => {
      writeFileSync(join(folder, 'Main.java'), code);
      return execute('java', ['-cp', readFileSync(join(LANGUAGES, 'java/target/classpath'), 'utf8').trim(), join(folder, 'Main.java')]);
    },
  },
};

for (const [title, runner] of Object.entries(RUNNERS)) {
  test(`programs in ${title} do what the requests do`, { skip }, async (t) => {
    const lack = await runner.lacks();
    if (lack) {
      t.skip(`not here: ${lack}`);
      return;
    }
    await runner.prepare();
    const states = await expected();
    await w.open('', async (page) => {
      for (const [at, request] of REQUESTS.entries()) {
        const { stdout } = await runner.run(await codeOf(page, title, request));
        assert.equal(await stored(), states[at], `${title} ${request[0]}`);
        if (request[0] === 'Query') assert.match(stdout, /Count[:=] ?1/);
      }
    });
  });
}
