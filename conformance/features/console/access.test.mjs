// Which pages a browser lets at the server: the console at /, pages of other names and ports, and the token.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { shows, skip, world } from './helpers.mjs';

const TOKEN = 'a-token-of-16-chars';
const w = world([], (w) => w.table('Stays', { pk: 'S' }));
const named = world(['--cors', 'http://app.example']);
const open = world(['--host', '0.0.0.0', '--console-token', TOKEN, '--allow-host', 'console.example'], async (w) => {
  await w.table('Seen', { pk: 'S' });
});
const VERBS = ['clock', 'marks', 'requests', 'info', 'tables', 'capacity'];
const WRITES = [['reset', {}], ['clock', { advance: '1h' }], ['marks/from-a-page', {}], ['ttl/sweep', {}]];

// A page of another port of this machine, and a server that names it.
const other = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end('<!doctype html><title>other</title>'));
if (!skip) await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
after(() => other.close());
const address = `http://127.0.0.1:${skip ? 1 : other.address().port}`;
const naming = world(['--cors', address], (w) => w.table('Stays', { pk: 'S' }));

const tables = async (w) => (await w.call('ListTables', {})).TableNames;

/** A page without the checks of `w.open`: it is not one of the console. */
async function foreign(w, address, use) {
  const context = await w.browser.newContext();
  const page = await context.newPage();
  try {
    await page.goto(address);
    await use(page);
  } finally {
    await context.close();
  }
}

/** The status that a script of the page gets, or "refused" by the browser. */
const asked = (page, url, body, headers = {}) =>
  page.evaluate(
    ([url, body, headers]) => fetch(url, body && { method: 'POST', headers, body: JSON.stringify(body) }).then((answer) => answer.status, () => 'refused'),
    [url, body, headers],
  );
const API = { 'X-Amz-Target': 'DynamoDB_20120810.ListTables', 'Content-Type': 'application/x-amz-json-1.0' };

test('a browser at / comes to the console; others get what they got', { skip }, async () => {
  await w.open('', async (page) => {
    await page.goto(`${w.origin}/`);
    assert.equal(page.url(), `${w.origin}/_stator/console/`);
    await shows(page.at('page-tables'), 'Stays');
  });
  const wanted = await fetch(`${w.origin}/`, { redirect: 'manual', headers: { Accept: '*/*' } });
  const text = await wanted.text();
  // What Java 17 sends by itself has text/html too.
  for (const headers of [{ Accept: 'text/html, image/gif, image/jpeg, */*; q=0.2' }, { Accept: 'text/html', Authorization: 'AWS4-HMAC-SHA256' }]) {
    const answer = await fetch(`${w.origin}/`, { redirect: 'manual', headers });
    assert.equal(answer.status, wanted.status);
    assert.equal(await answer.text(), text);
  }
});

test('a page whose name was made to point here gets 403 of every verb, every file and the API', { skip }, async () => {
  const origin = w.origin.replace(/\/\/[^:]+/, '//evil.example');
  const context = await w.browser.newContext();
  try {
    const page = await context.newPage();
    // A page of that name which the server itself gives.
    assert.equal((await page.goto(`${origin}/healthz`)).status(), 200);
    for (const verb of VERBS) assert.equal(await asked(page, `/_stator/${verb}`), 403, verb);
    for (const [verb, body] of WRITES) assert.equal(await asked(page, `/_stator/${verb}`, body), 403, verb);
    for (const path of ['/_stator/console/', '/_stator/console/icon.svg', '/metrics']) assert.equal(await asked(page, path), 403, path);
    assert.equal(await asked(page, '/', {}, API), 403);
  } finally {
    await context.close();
  }
  assert.deepEqual(await tables(w), ['Stays']);
  assert.deepEqual((await w.verb('marks')).marks, []);
});

test('a page of another port changes nothing and sees no request unless --cors names it', { skip }, async () => {
  await foreign(w, address, async (page) => {
    for (const verb of VERBS.filter((each) => each !== 'requests')) assert.equal(await asked(page, `${w.origin}/_stator/${verb}`), 200, verb);
    assert.equal(await asked(page, `${w.origin}/_stator/requests`), 'refused');
    for (const [verb, body] of WRITES) assert.equal(await asked(page, `${w.origin}/_stator/${verb}`, body), 'refused', verb);
    // The API answers it (400: it is not signed), because --cors is `loopback` unless set.
    assert.equal(await asked(page, `${w.origin}/`, {}, API), 400);
  });
  assert.deepEqual(await tables(w), ['Stays']);
  assert.deepEqual((await w.verb('marks')).marks, []);
  await named.table('Stays', { pk: 'S' });
  await foreign(named, address, async (page) => {
    for (const verb of VERBS) assert.equal(await asked(page, `${named.origin}/_stator/${verb}`), 'refused', verb);
    for (const [verb, body] of WRITES) assert.equal(await asked(page, `${named.origin}/_stator/${verb}`, body), 'refused', verb);
  });
  assert.deepEqual(await tables(named), ['Stays']);
  assert.deepEqual((await named.verb('marks')).marks, []);
  await foreign(naming, address, async (page) => {
    for (const verb of VERBS) assert.equal(await asked(page, `${naming.origin}/_stator/${verb}`), 200, verb);
    assert.equal(await asked(page, `${naming.origin}/_stator/marks/from-a-page`, {}), 200);
  });
  assert.deepEqual((await naming.verb('marks')).marks.map((each) => each.name), ['from-a-page']);
});

test('beyond this machine a browser needs the token, which is in no address and no header but its own', { skip }, async () => {
  const base = `http://console.example:${new URL(open.origin).port}/_stator/console/`;
  await foreign(open, base, async (page) => {
    await shows(page.getByTestId('failure').first(), 'it holds a token');
    const sent = [];
    page.on('request', (request) => sent.push(request));
    await page.goto('about:blank');
    await page.goto(`${base}#token=${TOKEN}`);
    await shows(page.getByTestId('page-tables'), 'Seen');
    await page.getByTestId('nav-log').click();
    await page.getByTestId('page-log').waitFor();
    await page.reload();
    await page.getByTestId('requests').waitFor();
    assert.ok(!page.url().includes(TOKEN));
    assert.ok(sent.some((each) => each.headers()['x-stator-token'] === TOKEN));
    for (const request of sent) {
      // The fragment of the first address stays in the browser.
      assert.ok(!request.url().split('#')[0].includes(TOKEN), request.url());
      for (const [name, value] of Object.entries(await request.allHeaders())) assert.ok(name === 'x-stator-token' || !value.includes(TOKEN), name);
    }
  });
  assert.ok(!JSON.stringify(await open.verb('requests?origin=all')).includes(TOKEN));
});

test('where a browser gives a page no clipboard, lines are copied all the same', { skip }, async () => {
  const base = `http://console.example:${new URL(open.origin).port}/_stator/console/`;
  await foreign(open, `${base}server#token=${TOKEN}`, async (page) => {
    const line = page.getByTestId('endpoint').locator('dd').first();
    await line.waitFor();
    assert.equal(await page.evaluate(() => isSecureContext || Boolean(navigator.clipboard)), false);
    await line.getByTestId('copy').click();
    await shows(page.getByTestId('notice'), 'Copied');
    assert.equal(await page.locator('textarea').count(), 0);
    await page.keyboard.press('Control+k');
    await page.getByTestId('palette').press('Control+v');
    assert.equal(await page.getByTestId('palette').inputValue(), (await line.locator('code').textContent()).trim());
  });
});
