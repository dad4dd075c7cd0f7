// Servers of a test file's own, Chromium, and what every page is held to: no error of a script, no violation of
// the Content-Security-Policy, no request to another host.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';

export const DEADLINE_MS = 60_000;
/** More presses of a key than any way to its end takes. */
export const STEPS_MAX = 150;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
// What the browser reports and the pages expect: verbs that a server may lack, refusals, a server that a test cuts off.
const EXPECTED = /^Failed to load resource: (the server responded with a status of (400|404|409)|net::ERR_(FAILED|CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED))/;

// Names of other hosts that are this machine, as DNS rebinding makes them.
const FOREIGN_NAMES = '--host-resolver-rules=MAP *.example 127.0.0.1';

/** Why nothing here runs, or false: all tests need servers and data of their own. */
export const skip = process.env.STATOR_ENDPOINT ? 'STATOR_ENDPOINT is set' : false;

async function start(flags, port = '0') {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('STATOR_')));
  const child = spawn(process.env.STATOR_BINARY, ['--port', port, ...flags], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (block) => (log += block));
  const listens = new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (block) => {
      said += block;
      const found = /listening on (http:\/\/[^\s,]+).*\n/.exec(said);
      if (found) resolve(found[1].replace(/\/$/, ''));
    });
    child.on('exit', (status) => reject(new Error(`the server ended with status ${status}: ${log}`)));
  });
  try {
    return { child, origin: await inTime(listens, 'the server listens') };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** A server with these flags and a browser for the tests of a file; `prepare(w)` makes the data that they share. */
export function world(flags = [], prepare = async () => {}) {
  const w = {};
  before(async () => {
    if (skip) return;
    const { child, origin } = await start(flags);
    w.child = child;
    w.origin = origin;
    const console = await fetch(`${origin}/_stator/console/`);
    assert.equal(console.status, 200, `the program has no console: build server/console/web before it (${await console.text()})`);
    w.browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', FOREIGN_NAMES] });
    await prepare(w);
  });
  const end = async (signal) => {
    const ended = new Promise((resolve) => w.child.on('exit', resolve));
    w.child.kill(signal);
    return inTime(ended, 'the server ends');
  };
  after(async () => {
    await w.browser?.close();
    if (w.child) assert.equal(await end('SIGTERM'), 0);
  });

  /** Ends the server as a crash does; `start` begins another one at its address, with what `prepare` makes. */
  w.kill = () => end('SIGKILL');
  w.start = async () => {
    w.child = (await start(flags, new URL(w.origin).port)).child;
    await prepare(w);
  };

  /** Sends an operation as a program does. */
  w.call = async (operation, body, region = 'us-east-1', accessKey = 'local') => {
    const target = /Stream|Shard|GetRecords/.test(operation) ? 'DynamoDBStreams_20120810' : 'DynamoDB_20120810';
    const answer = await fetch(`${w.origin}/`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-amz-json-1.0',
        'X-Amz-Target': `${target}.${operation}`,
        'X-Amz-Date': '20270101T000000Z',
        Authorization:
          `AWS4-HMAC-SHA256 Credential=${accessKey}/20270101/${region}/dynamodb/aws4_request, ` +
          'SignedHeaders=host;x-amz-date, Signature=0',
      },
      body: JSON.stringify(body),
    });
    const json = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(json.message ?? json.__type), { json, id: answer.headers.get('x-amzn-requestid') });
    return json;
  };

  w.verb = async (path, body) =>
    (await fetch(`${w.origin}/_stator/${path}`, body && { method: 'POST', body: JSON.stringify(body) })).json();

  w.put = (TableName, Item) => w.call('PutItem', { TableName, Item });

  w.table = async (TableName, key, more = {}) => {
    const { attributes = {}, ...rest } = more;
    await w.call('CreateTable', {
      TableName,
      AttributeDefinitions: Object.entries({ ...key, ...attributes }).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
      KeySchema: Object.keys(key).map((AttributeName, at) => ({ AttributeName, KeyType: at ? 'RANGE' : 'HASH' })),
      BillingMode: 'PAY_PER_REQUEST',
      ...rest,
    });
  };

  w.fill = async (TableName, count, item) => {
    const batch = async (from) => {
      const Items = Array.from({ length: Math.min(25, count - from) }, (_, at) => ({ PutRequest: { Item: item(from + at) } }));
      await w.call('BatchWriteItem', { RequestItems: { [TableName]: Items } });
    };
    for (let from = 0; from < count; from += 200) {
      await Promise.all([0, 25, 50, 75, 100, 125, 150, 175].filter((at) => from + at < count).map((at) => batch(from + at)));
    }
  };

  /** All items of a table, in the order of a Scan. */
  w.scan = async (TableName) => {
    const items = [];
    let start;
    do {
      const page = await w.call('Scan', { TableName, ...(start ? { ExclusiveStartKey: start } : {}) });
      items.push(...page.Items);
      start = page.LastEvaluatedKey;
    } while (start);
    return items;
  };

  /** Opens a page of the console, runs `use`, and checks what every page is held to. */
  w.open = async (path, use, options = {}) => {
    const context = await w.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(DEADLINE_MS);
    const faults = [];
    await context.route(
      (url) => url.origin !== w.origin,
      (route) => {
        faults.push(`a request to ${route.request().url()}`);
        return route.abort();
      },
    );
    const page = await context.newPage();
    page.on('pageerror', (error) => faults.push(error.stack));
    page.on('console', (message) => {
      if (message.type() === 'error' && !EXPECTED.test(message.text())) faults.push(message.text());
    });
    page.at = (id) => page.getByTestId(id);
    // A browser that is told to report file choosers only when a key is pressed may open one first.
    page.on('filechooser', () => {});
    page.visit = (to) => page.goto(`${w.origin}/_stator/console/${to}`);
    try {
      await page.visit(path);
      await use(page);
      assert.deepEqual(faults, []);
    } catch (error) {
      error.message += `\nfaults: ${faults.join('\n')}\nat ${page.url()}`;
      throw error;
    } finally {
      await context.close();
    }
  };
  return w;
}

/** What a promise gives that no other bound ends, or an error that says what did not happen. */
export async function inTime(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${DEADLINE_MS / 1000} s: ${what}`)), DEADLINE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Polls until `ask` returns what is wanted. */
export async function eventually(ask, wanted) {
  const end = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = await ask();
    try {
      assert.deepEqual(found, wanted);
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The text of an element once it contains what is wanted. */
export async function shows(locator, wanted) {
  await locator.filter({ hasText: wanted }).first().waitFor();
}

/** Replaces the text of a code editor as its user does. */
export async function enter(locator, text) {
  await locator.focus();
  await locator.press('Control+a');
  await locator.page().keyboard.insertText(text);
}

/** Presses Tab until the element of this test id, or of this label, has the focus. */
export async function tabTo(page, id) {
  for (let step = 0; step < STEPS_MAX; step++) {
    await page.keyboard.press('Tab');
    const names = await page.evaluate(() => [document.activeElement?.dataset.testid, document.activeElement?.ariaLabel]);
    if (names.includes(id)) return;
  }
  assert.fail(`Tab does not reach ${id}`);
}

/** Violations of WCAG 2.2 AA on the page as it is. */
export async function violations(page) {
  await page.evaluate(AXE);
  return page.evaluate(async (tags) => {
    const { violations } = await window.axe.run(document, { runOnly: tags });
    return violations.flatMap((each) => each.nodes.map((node) => `${each.id}: ${node.target.join(' ')}: ${node.failureSummary}`));
  }, RULES);
}

/** What `q` of an address is: Base64url of JSON. */
export function packed(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
