// Markup and scripts in everything that a client chooses: the pages show them as text, and run nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packed, shows, skip, world } from './helpers.mjs';

const HOSTILE = '<img src=x onerror="window.hostile=1"><script>window.hostile=1</script>';
const KEY = { pk: { S: HOSTILE } };
const BOTH = { [HOSTILE]: { M: { [HOSTILE]: { S: HOSTILE } } }, list: { L: [{ S: HOSTILE }] }, set: { SS: [HOSTILE] } };
const NAMES = [HOSTILE, '../../_stator/reset', '"><b>x', "'-alert(1)-'", 'javascript:alert(1)', '%00', '\u202egnp', 'a'.repeat(2000)];

const w = world(['--clock', '2027-01-01T00:00:00Z', '--transaction-time', '600', '--throttling', 'observe'], async (w) => {
  await w.table('Hostile', { pk: 'S' }, { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } });
  await w.call('UpdateTimeToLive', { TableName: 'Hostile', TimeToLiveSpecification: { AttributeName: 'ends', Enabled: true } });
  await w.put('Hostile', { ...KEY, ends: { N: '1798800000' } });
  await w.verb('marks/before', {});
  await w.put('Hostile', { ...KEY, ...BOTH, ends: { N: '1798800000' } });
  // Not awaited: it lands after ten minutes of the clock, which stands.
  const item = { pk: { S: `in flight ${HOSTILE}` } };
  w.call('TransactWriteItems', { TransactItems: [{ Put: { TableName: 'Hostile', Item: item } }] }).catch(() => {});
  for (;;) if ((await w.verb('transactions')).in_flight.length) break;
  await w.put('Hostile', item).catch(() => {});
  const failed = await w.call('GetItem', { TableName: 'Hostile', Key: { [HOSTILE]: { S: HOSTILE } } }).catch((error) => error);
  w.failedId = failed.id;
  const { LatestStreamArn: StreamArn } = (await w.call('DescribeTable', { TableName: 'Hostile' })).Table;
  const [{ ShardId }] = (await w.call('DescribeStream', { StreamArn })).StreamDescription.Shards;
  const { ShardIterator } = await w.call('GetShardIterator', { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' });
  await fetch(`${w.origin}/`, {
    method: 'POST',
    headers: {
      'User-Agent': HOSTILE,
      'X-Amz-Target': 'DynamoDBStreams_20120810.GetRecords',
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Date': '20270101T000000Z',
      Authorization: 'AWS4-HMAC-SHA256 Credential=local/20270101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0',
    },
    body: JSON.stringify({ ShardIterator, Limit: 1 }),
  });
});

/** Nothing of the text became an element or a script. */
async function isText(page, where) {
  assert.equal(await page.evaluate(() => window.hostile), undefined, where);
  assert.equal(await page.locator('img[src="x"]').count(), 0, where);
  assert.equal(await page.locator('b', { hasText: /^x$/ }).count(), 0, where);
}

// Each with what has the text, and a click that opens it.
const VIEWS = [
  ['t/Hostile/items', 'main', []],
  [`t/Hostile/items?key=${packed(KEY)}`, 'main', []],
  [`t/Hostile/items?key=${packed(KEY)}`, 'history', ['item-history']],
  ['t/Hostile/stream', 'records', []],
  ['t/Hostile/stream', 'stream-readers', ['shards']],
  ['t/Hostile/ttl', 'ttl-next', []],
  ['transactions', 'main', []],
  ['time', 'changes', ['mark-changes']],
  ['log?show=all', 'main', []],
];

for (const [address, id, clicks] of VIEWS) {
  test(`text of an item is text: ${address.replace(/key=.*/, 'key=…')} ${clicks}`, { skip }, () =>
    w.open(address, async (page) => {
      for (const each of clicks) {
        const target = page.at(each).first();
        await (each === 'shards' ? target.locator('summary') : target).click();
      }
      const shown = id === 'main' ? page.locator('main') : page.at(id);
      await shows(shown, id === 'main' && address.startsWith('log') ? 'GetItem' : '<img src=x');
      await isText(page, address);
    }));
}

test('text of a failed request is text', { skip }, () =>
  w.open(`log/${w.failedId}`, async (page) => {
    await shows(page.at('request-body'), '<img src=x');
    await isText(page, 'log entry');
  }));

test('a statement, its result and its failure are text', { skip }, () =>
  w.open(`partiql?s=${encodeURIComponent(`SELECT * FROM "Hostile" WHERE pk = '${HOSTILE}'`)}`, async (page) => {
    await page.at('run').first().click();
    await page.getByText('<img src=x').first().waitFor();
    await isText(page, 'partiql');
  }));

test('any name in an address is text, and asks for nothing but that table', { skip }, async () => {
  for (const name of NAMES) {
    for (const place of ['items', 'nothing']) {
      const context = await w.browser.newContext();
      const page = await context.newPage();
      const writes = [];
      page.on('request', (request) => {
        const path = new URL(request.url()).pathname;
        if (request.method() === 'POST' && path.startsWith('/_stator/')) writes.push(path);
      });
      await page.goto(`${w.origin}/_stator/console/t/${encodeURIComponent(name)}/${place}`);
      await page.locator('main').waitFor();
      await page.waitForLoadState('networkidle');
      await isText(page, `${name} ${place}`);
      assert.deepEqual(writes, [], `${name} ${place}`);
      await context.close();
    }
  }
  assert.deepEqual((await w.call('ListTables', {})).TableNames, ['Hostile']);
});
