// What a table's settings show and change: its stream.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shows, skip, violations, world } from '../helpers.mjs';

const w = world();
const described = async (TableName) => (await w.call('DescribeTable', { TableName })).Table;

test('a stream is disabled after a question', { skip }, async () => {
  await w.table('Streamed', { pk: 'S' }, { StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } });
  await w.open('t/Streamed/settings', async (page) => {
    await page.at('disable-stream').click();
    await shows(page.at('dialog'), 'What it has can be read for a day');
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
    await page.at('dialog').waitFor({ state: 'detached' });
    assert.equal((await described('Streamed')).StreamSpecification.StreamEnabled, true);
    await page.at('disable-stream').click();
    await page.at('confirm-disable').click();
    await shows(page.at('notice'), 'The stream is disabled');
    await page.at('enable-stream').waitFor();
    assert.equal((await described('Streamed')).StreamSpecification, undefined);
  });
});
