// Tables: the empty database, create, filter, purge, delete, refusals in the service's words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, shows, skip, world } from './helpers.mjs';

const w = world();

test('the sample is a table with an index, a stream and items that expire', { skip }, async () => {
  await w.open('?r=eu-north-1', async (page) => {
    await page.at('sample').click();
    await shows(page.at('read-state'), /^\s*60 held/);
    const { Table } = await w.call('DescribeTable', { TableName: 'Shop' }, 'eu-north-1');
    assert.equal(Table.GlobalSecondaryIndexes[0].ItemCount, 24);
    assert.equal(Table.StreamSpecification.StreamViewType, 'NEW_AND_OLD_IMAGES');
    await page.at('tab-ttl').click();
    await shows(page.at('ttl-next'), 'CUSTOMER#1');
    await page.at('tab-log').click();
    await page.at('page-log').waitFor();
    assert.equal(await page.at('log-table').inputValue(), 'Shop');
  });
  await w.call('DeleteTable', { TableName: 'Shop' }, 'eu-north-1');
});

test('the first table is created by keyboard alone', { skip }, () =>
  w.open('', async (page) => {
    await shows(page.at('no-tables'), 'No tables in us-east-1 yet');
    await shows(page.at('endpoint'), w.origin);
    await page.at('create-table').focus();
    await page.keyboard.press('Enter');
    await page.at('table-name').focus();
    await page.keyboard.type('Orders');
    await page.keyboard.press('Tab');
    await page.keyboard.type('customer');
    await page.keyboard.press('Enter');
    await shows(page.at('no-items'), 'The table has no items');
    assert.equal(new URL(page.url()).pathname, '/_stator/console/t/Orders/items');
    const { Table } = await w.call('DescribeTable', { TableName: 'Orders' });
    assert.deepEqual(Table.KeySchema, [{ AttributeName: 'customer', KeyType: 'HASH' }]);
  }));

test('a table with an index and a stream has what the form said', { skip }, () =>
  w.open('', async (page) => {
    await page.at('create-table').click();
    await page.at('table-name').fill('Full');
    await page.at('partition-key').fill('pk');
    await page.at('sort-key').fill('sk');
    await page.at('sort-key-type').selectOption('N');
    await page.getByText('Indexes, billing, stream, protection').click();
    await page.at('add-index').click();
    await page.at('index-partition-key').fill('mail');
    await page.at('stream-view').selectOption('KEYS_ONLY');
    await page.at('create').click();
    await page.at('no-items').waitFor();
    const { Table } = await w.call('DescribeTable', { TableName: 'Full' });
    assert.equal(Table.StreamSpecification.StreamViewType, 'KEYS_ONLY');
    assert.deepEqual(Table.GlobalSecondaryIndexes.map((each) => each.KeySchema[0].AttributeName), ['mail']);
    assert.deepEqual(Table.AttributeDefinitions.find((each) => each.AttributeName === 'sk').AttributeType, 'N');
  }));

test('a refusal is in the words of the service, and the form stays', { skip }, () =>
  w.open('', async (page) => {
    await page.at('create-table').click();
    await page.at('table-name').fill('a');
    await page.at('partition-key').fill('pk');
    await page.at('create').click();
    const refused = await w
      .call('CreateTable', {
        TableName: 'a',
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      })
      .catch((error) => error);
    await shows(page.at('failure'), refused.message);
    assert.equal(await page.at('table-name').inputValue(), 'a');
  }));

test('the filter is in the address, and hostile text is text', { skip }, async () => {
  const hostile = '<img src=x onerror=alert(1)>';
  await w.open('', async (page) => {
    await page.at('tables').waitFor();
    await page.at('filter').fill('ful');
    await eventually(() => page.at('table-row').count(), 1);
    assert.equal(new URL(page.url()).searchParams.get('f'), 'ful');
    await page.reload();
    await eventually(() => page.at('table-row').count(), 1);
    await page.at('filter').fill(hostile);
    await shows(page.at('table-count'), hostile);
    assert.equal(await page.locator('main img').count(), 0);
  });
});

test('purge deletes all items and keeps the table', { skip }, async () => {
  await w.table('Purged', { pk: 'S', sk: 'N' });
  await w.fill('Purged', 1100, (at) => ({ pk: { S: `p${at % 7}` }, sk: { N: String(at) } }));
  await w.open('t/Purged/settings', async (page) => {
    await page.at('purge').click();
    assert.equal(await page.at('confirm').isDisabled(), true);
    await page.at('confirm-name').fill('Purged');
    await page.at('confirm').click();
    await shows(page.at('notice'), '1,100 items deleted');
    assert.equal((await w.call('Scan', { TableName: 'Purged' })).Count, 0);
  });
});

test('a protected table is not deleted until the protection is off', { skip }, async () => {
  await w.table('Safe', { pk: 'S' }, { DeletionProtectionEnabled: true });
  await w.open('t/Safe/settings', async (page) => {
    await page.at('delete-table').click();
    await page.at('confirm-name').fill('Safe');
    await page.at('confirm').click();
    await shows(page.at('failure'), 'deletion protection');
    await page.keyboard.press('Escape');
    await page.at('protection').click();
    await shows(page.at('protection'), 'Turn on');
    await page.at('delete-table').click();
    await page.at('confirm').click();
    await page.at('page-tables').waitFor();
    assert.ok(!(await w.call('ListTables', {})).TableNames.includes('Safe'));
  });
});

test('an index is added and dropped', { skip }, async () => {
  await w.table('Indexed', { pk: 'S' });
  await w.open('t/Indexed/settings', async (page) => {
    await page.at('new-index').click();
    await page.at('new-index-name').fill('by-mail');
    await page.at('new-index-partition').fill('mail');
    await page.at('add-index-now').click();
    await shows(page.at('paths'), 'by-mail');
    await page.getByRole('button', { name: 'Drop' }).click();
    await eventually(async () => (await w.call('DescribeTable', { TableName: 'Indexed' })).Table.GlobalSecondaryIndexes, undefined);
  });
});

test('tables of another Region are one field away, and its address can be shared', { skip }, async () => {
  await w.call(
    'CreateTable',
    {
      TableName: 'Abroad',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    },
    'eu-west-1',
  );
  await w.open('', async (page) => {
    await page.at('region').fill('eu-west-1');
    await page.keyboard.press('Enter');
    await shows(page.at('tables'), 'Abroad');
    assert.equal(new URL(page.url()).searchParams.get('r'), 'eu-west-1');
    await page.reload();
    await shows(page.at('tables'), 'Abroad');
  });
});

test('the palette opens a table, and ? shows the keys', { skip }, () =>
  w.open('', async (page) => {
    await page.at('tables').waitFor();
    await page.keyboard.press('?');
    await shows(page.at('shortcuts'), 'Ctrl K');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.at('palette').fill('ord');
    await page.getByRole('option', { name: 'Orders' }).waitFor();
    await page.keyboard.press('Enter');
    await page.at('page-items').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.at('page-log').waitFor();
  }));
