// While time moves, for as long as it takes, the pages go on. A move takes long here because a function that a stream
// triggers does not respond, and the move waits for it.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { DEADLINE_MS, inTime, shows, skip, world } from './helpers.mjs';

let called = () => {};
let held = [];
const functions = createServer((request, response) => {
  request.resume();
  held.push(response);
  called();
});
if (!skip) await new Promise((listening) => functions.listen(0, '127.0.0.1', listening));
after(() => functions.close());
const release = () => held.splice(0).forEach((response) => response.end());

const url = skip ? 'http://127.0.0.1:1' : `http://127.0.0.1:${functions.address().port}/slow`;
const w = world(['--clock', '2027-01-01T00:00:00Z', '--function', `slow=${url}`], async (w) => {
  await w.table('Streamed', { pk: 'S' }, { StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } });
  await w.table('Seen', { pk: 'S' });
  const { Table } = await w.call('DescribeTable', { TableName: 'Streamed' });
  const mapping = await fetch(`${w.origin}/2015-03-31/event-source-mappings/`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Amz-Date': '20270101T000000Z',
      Authorization:
        'AWS4-HMAC-SHA256 Credential=local/20270101/us-east-1/lambda/aws4_request, SignedHeaders=host;x-amz-date, Signature=0',
    },
    body: JSON.stringify({
      EventSourceArn: Table.LatestStreamArn,
      FunctionName: 'slow',
      StartingPosition: 'TRIM_HORIZON',
      MaximumBatchingWindowInSeconds: 60,
    }),
  });
  assert.ok(mapping.ok, await mapping.text());
});

test('the log and the tables go on while the clock moves', { skip }, () =>
  w.open('log', async (page) => {
    const end = Date.now() + DEADLINE_MS;
    for (let round = 0, wasBeside = false; !wasBeside; round++) {
      assert.ok(Date.now() < end, 'no move lasted as long as the pages took');
      await page.visit('log');
      await page.at('requests').waitFor();
      const isCalled = new Promise((resolve) => (called = resolve));
      await w.put('Streamed', { pk: { S: `p${round}` } });
      let isMoving = true;
      const move = w.verb('clock', { advance: '2m' }).finally(() => (isMoving = false));
      try {
        await inTime(isCalled, 'the move calls the function');
        await w.call('GetItem', { TableName: 'Seen', Key: { pk: { S: `round-${round}` } } });
        await shows(page.at('log-row').first(), 'GetItem');
        await page.at('nav-tables').click();
        await shows(page.at('tables'), 'Streamed');
        wasBeside = isMoving;
      } finally {
        release();
        await inTime(move, 'the move ends once the function has responded');
      }
    }
  }));
