// What a table's settings show and change: its stream, its class, its tags.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, shows, skip, violations, world } from '../helpers.mjs';

const w = world();
/** Of a table: its tags by key. */
const tagsOf = async (name) => {
  const { Tags } = await w.call('ListTagsOfResource', { ResourceArn: (await described(name)).TableArn });
  return Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value]));
};
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

test('the class of a table is chosen when it is created, and changed', { skip }, () =>
  w.open('', async (page) => {
    await page.at('create-table').click();
    await page.at('table-name').fill('Archive');
    await page.at('partition-key').fill('pk');
    await page.at('more-settings').click();
    await page.at('new-table-class').selectOption('STANDARD_INFREQUENT_ACCESS');
    await page.at('add-tag').click();
    await page.at('tag-key').fill('team');
    await page.at('tag-value').fill('shop');
    assert.deepEqual(await violations(page), []);
    await page.at('create').click();
    await page.at('no-items').waitFor();
    assert.equal((await described('Archive')).TableClassSummary.TableClass, 'STANDARD_INFREQUENT_ACCESS');
    assert.deepEqual(await tagsOf('Archive'), { team: 'shop' });

    await page.at('tab-settings').click();
    await shows(page.at('table-class'), 'infrequent access');
    await page.at('change-class').click();
    await shows(page.at('table-class'), 'standard');
    await eventually(async () => (await described('Archive')).TableClassSummary?.TableClass, 'STANDARD');
  }));

test('tags are set, changed and removed, and are part of the table as code', { skip }, async () => {
  await w.table('Tagged', { pk: 'S' }, { Tags: [{ Key: 'team', Value: 'shop' }, { Key: 'old', Value: '' }, { Key: 'cost', Value: '7' }] });
  await w.open('t/Tagged/settings', async (page) => {
    const tags = () => page.at('tags').locator('.badge').allTextContents();
    await eventually(async () => (await tags()).sort(), ['cost = 7', 'old', 'team = shop']);
    const at = (await tags()).indexOf('old');
    const team = (await tags()).indexOf('team = shop');
    await page.at('change-tags').click();
    await page.at('tag-value').nth(team).fill('stock');
    await page.getByLabel(`Remove tag ${at + 1}`).click();
    await page.at('add-tag').click();
    await page.at('tag-key').last().fill('team');
    await page.at('save-tags').click();
    await shows(page.at('failure'), 'Two tags have the same key');
    assert.deepEqual(await tagsOf('Tagged'), { team: 'shop', old: '', cost: '7' });
    await page.at('tag-key').last().fill('aws:new');
    assert.deepEqual(await violations(page), []);
    await page.at('save-tags').click();
    await shows(page.at('failure'), 'Tag');
    await page.at('tag-key').last().fill('new');
    await page.at('save-tags').click();
    await page.at('dialog').waitFor({ state: 'detached' });
    await eventually(async () => (await tags()).sort(), ['cost = 7', 'new', 'team = stock']);
    assert.deepEqual(await tagsOf('Tagged'), { team: 'stock', cost: '7', new: '' });
    await page.at('as-code').click();
    await shows(page.at('code-text'), 'stock');
    await page.at('change-tags').click();
    await page.at('tag-value').nth(0).fill('moved');
    await page.at('save-tags').click();
    await shows(page.at('code-text'), 'moved');
  });
});
