// The log while many requests come: none is missing without being counted; whose they are; their rules; a saved log.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, inTime, shows, skip, violations, world } from './helpers.mjs';

const prepare = async (w) => {
  await w.table('Stock', { pk: 'S' });
};
const few = world([], prepare);
const many = world(['--explain', '3000'], prepare);
const BURST = 1000;
const AT_ONCE = 50;

/** Requests that differ, so that none is counted with another. */
async function burst(w) {
  for (let from = 0; from < BURST; from += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => w.call('GetItem', { TableName: 'Stock', Key: { pk: { S: `burst-${from + at}` } } })));
  }
}

async function seen(page) {
  const text = (await page.at('log-summary').textContent()).replaceAll(',', '');
  return { held: Number(/of (\d+) entr/.exec(text)[1]), lost: Number(/(\d+) were overwritten/.exec(text)?.[1] ?? 0) };
}

for (const [w, title] of [[few, 'what is overwritten is counted'], [many, 'all of them are listed']]) {
  test(`1,000 requests while the log is open: ${title}`, { skip }, () =>
    w.open('log', async (page) => {
      await page.at('log-row').first().waitFor();
      const before = await seen(page);
      await burst(w);
      await eventually(async () => {
        const { held, lost } = await seen(page);
        return held + lost - before.held - before.lost;
      }, BURST);
      if (w === many) assert.equal((await seen(page)).lost, 0);
      await page.at('filter-log').fill('no such request');
      await eventually(() => page.at('log-row').count(), 0);
      assert.equal(new URL(page.url()).searchParams.get('f'), 'no such request');
    }));
}

test('requests of the console are shown on demand', { skip }, () =>
  few.open('t/Stock/items', async (page) => {
    await page.at('no-items').waitFor();
    await page.visit('log?table=Stock');
    await page.at('log-row').first().waitFor();
    assert.equal(await page.at('log-row').filter({ hasText: 'Scan' }).count(), 0);
    await page.at('origin').selectOption('console');
    await shows(page.at('log-row').first(), /Scan|DescribeTable/);
    assert.equal(new URL(page.url()).searchParams.get('origin'), 'console');
  }));

test('the page of a request says what each index cost', { skip }, async () => {
  const keys = [{ AttributeName: 'g', KeyType: 'HASH' }];
  await few.table('Indexed', { pk: 'S' }, { attributes: { g: 'S' }, GlobalSecondaryIndexes: [{ IndexName: 'by-g', KeySchema: keys, Projection: { ProjectionType: 'ALL' } }] });
  await few.put('Indexed', { pk: { S: 'a' }, g: { S: 'x' }, fill: { S: 'f'.repeat(1500) } });
  const { requests } = await few.verb('requests?operation=PutItem&table=Indexed');
  assert.deepEqual(requests[0].indexes, [{ table: 'Indexed', index: 'by-g', units: 2 }]);
  await few.open(`log/${requests[0].request_id}`, async (page) => {
    await shows(page.at('entry-units'), /4.*2 of index by-g/s);
  });
});

test('failures are counted on every page until the log is opened, which groups them by their rule', { skip }, () =>
  few.open('', async (page) => {
    await page.waitForResponse((each) => each.url().includes('requests?show=failures'));
    for (let at = 0; at < 3; at++) await few.call('GetItem', { TableName: 'Stock', Key: { pk: { N: String(at) } } }).catch(() => {});
    await shows(page.at('failed-badge'), '3');
    assert.deepEqual(await violations(page), []);
    await page.at('nav-log').click();
    await eventually(() => page.at('failed-badge').count(), 0);
    await shows(page.at('log-rules'), '3 ×');
    assert.deepEqual(await violations(page), []);
    await page.at('log-rules').getByRole('button').first().click();
    await shows(page.at('log-row').first(), 'GetItem ×3');
  }));

test('a saved log is read in place of the server’s', { skip }, async () => {
  const saved = await few.verb('requests?show=failures');
  await many.open('log', async (page) => {
    const file = (content) => ({ name: 'artifact.json', mimeType: 'application/json', buffer: Buffer.from(content) });
    await page.at('saved-log').setInputFiles(file('{}'));
    await shows(page.at('failure'), 'artifact.json is no saved log');
    let answer;
    const request = new Promise((isHeld) => {
      const hold = async (route) => {
        isHeld();
        await new Promise((isFree) => (answer = isFree));
        await route.continue();
      };
      void page.route('**/requests?**', hold, { times: 1 });
    });
    await inTime(request, 'the page asks for the log');
    await page.at('saved-log').setInputFiles(file(JSON.stringify(saved)));
    await shows(page.at('log-is-saved'), 'artifact.json');
    assert.equal(await page.at('failure').count(), 0);
    // What was asked of the server before has its answer only now.
    const answered = page.waitForResponse('**/requests?**').then((each) => each.finished());
    answer();
    await inTime(answered, 'the page has the response');
    const drawn = page.evaluate(() => new Promise((isDrawn) => requestAnimationFrame(() => requestAnimationFrame(isDrawn))));
    await inTime(drawn, 'the page is drawn');
    await eventually(() => page.at('log-row').count(), saved.requests.length);
    assert.ok((await page.at('log-row').allTextContents()).every((each) => each.includes('ValidationException')));
    await page.at('close-saved').click();
    await eventually(async () => (await page.at('log-row').allTextContents()).some((each) => each.includes('CreateTable') || each.includes('GetItem')), true);
    assert.equal(await page.at('log-is-saved').count(), 0);
  });
});
