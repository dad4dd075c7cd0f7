// Tables: the empty database, create, filter, purge, delete, refusals in the service's words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, shows, skip, violations, world } from './helpers.mjs';

const w = world();

const MANY = 1000;
const REGIONS = ['us-east-1', 'eu-west-1', 'ap-south-1'];
const KEYS = ['local', 'another'];
/** Where table `at` of the many is: each pair of a Region and a key has its share. */
const placeOf = (at) => [REGIONS[at % 3], KEYS[at % 2]];
const isolated = world(['--isolate', 'key'], async (isolated) => {
  const create = (at) =>
    isolated.call(
      'CreateTable',
      {
        TableName: `table-${at}`,
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      },
      ...placeOf(at),
    );
  for (let from = 0; from < MANY; from += 20) await Promise.all(Array.from({ length: 20 }, (_, at) => create(from + at)));
});

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
    // Each line is for this server, and its button stands beside it.
    for (const name of ['AWS CLI', 'boto3', 'JavaScript', 'Go', 'Java', 'Environment']) await page.at('endpoint').getByText(name, { exact: true }).waitFor();
    for (const line of await page.at('endpoint').locator('dd').all()) {
      await shows(line, w.origin);
      const [code, button] = [await line.locator('code').boundingBox(), await line.getByTestId('copy').boundingBox()];
      assert.ok(button.x >= code.x + code.width && Math.abs(button.y - code.y) < 8, JSON.stringify([code, button]));
    }
    for (const line of await page.at('endpoint').locator('dd').all()) {
      await line.getByTestId('copy').focus();
      await page.keyboard.press('Enter');
      await eventually(() => page.evaluate(() => navigator.clipboard.readText()), await line.locator('code').textContent());
    }
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
  }, { permissions: ['clipboard-read', 'clipboard-write'] }));

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

test('an index is added, and dropped after a question', { skip }, async () => {
  await w.table('Indexed', { pk: 'S' });
  await w.open('t/Indexed/settings', async (page) => {
    await page.at('new-index').click();
    await page.at('new-index-name').fill('by-mail');
    await page.at('new-index-partition').fill('mail');
    await page.at('add-index-now').click();
    await shows(page.at('paths'), 'by-mail');
    await page.at('drop-index').click();
    await shows(page.at('dialog'), 'Drop index by-mail?');
    await page.keyboard.press('Escape');
    assert.equal((await w.call('DescribeTable', { TableName: 'Indexed' })).Table.GlobalSecondaryIndexes.length, 1);
    await page.at('drop-index').click();
    await page.at('confirm-drop').click();
    await eventually(async () => (await w.call('DescribeTable', { TableName: 'Indexed' })).Table.GlobalSecondaryIndexes, undefined);
  });
});

test('the billing of a table and its index is changed, and a refusal stays beside its fields', { skip }, async () => {
  await w.table('Billed', { pk: 'S' }, {
    attributes: { mail: 'S' },
    GlobalSecondaryIndexes: [{ IndexName: 'by-mail', KeySchema: [{ AttributeName: 'mail', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } }],
  });
  const unitsOf = ({ ProvisionedThroughput }) => [ProvisionedThroughput.ReadCapacityUnits, ProvisionedThroughput.WriteCapacityUnits];
  const billing = async () => {
    const { Table } = await w.call('DescribeTable', { TableName: 'Billed' });
    return [Table.BillingModeSummary.BillingMode, unitsOf(Table), ...Table.GlobalSecondaryIndexes.map(unitsOf)];
  };
  await w.open('t/Billed/settings', async (page) => {
    await page.at('billing').click();
    await page.at('billing-mode').selectOption('provisioned');
    await page.at('read-units').fill('7');
    await page.at('write-units').fill('3');
    assert.deepEqual(await violations(page), []);
    await page.at('change-billing').click();
    await shows(page.at('page-settings'), 'provisioned: 7 read, 3 write units');
    assert.deepEqual(await billing(), ['PROVISIONED', [7, 3], [7, 3]]);

    await page.at('billing').click();
    await page.at('change-billing').click();
    await shows(page.at('dialog').getByTestId('failure'), 'ValidationException');
    await page.at('billing-mode').selectOption('on demand');
    await page.at('change-billing').click();
    await shows(page.at('page-settings'), 'on demand');
    assert.deepEqual(await billing(), ['PAY_PER_REQUEST', [0, 0], [0, 0]]);
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

test('1,000 tables of three Regions and two access keys are listed by one request, and switching keeps the page', { skip }, async (t) => {
  const share = (region, key) => Array.from({ length: MANY }, (_, at) => placeOf(at)).filter((each) => each.join() === [region, key].join()).length;
  const mine = share('us-east-1', 'local');
  await isolated.open('log', async (page) => {
    const asked = [];
    page.on('request', (request) => {
      const verb = /_stator\/(tables.*)$/.exec(request.url())?.[1];
      const operation = request.headers()['x-amz-target'];
      if (verb || operation) asked.push(verb ?? operation);
    });
    await page.at('page-log').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await shows(page.at('table-count'), `${mine} of ${mine}`);
    assert.deepEqual(asked, ['tables']);
    const groups = await page.at('elsewhere').allTextContents();
    assert.equal(groups.length, 5);
    for (const region of REGIONS) {
      for (const key of KEYS) {
        if (region === 'us-east-1' && key === 'local') continue;
        assert.ok(groups.some((each) => each.replace(/\s+/g, ' ').includes(`${share(region, key)} tables in ${region}, key ${key}`)), groups.join());
      }
    }

    // All of them on one page, which needs no other request.
    await page.at('all-tables').check();
    await shows(page.at('table-count'), '1,000 of 1,000');
    assert.equal(await page.at('table-row').count(), MANY);
    assert.deepEqual(asked, ['tables']);
    await page.at('filter').fill('table-77');
    await eventually(() => page.at('table-row').count(), 11);
    const row = page.at('table-row').filter({ hasText: /^\s*table-775/ });
    assert.deepEqual((await row.locator('td').allTextContents()).slice(1, 3), placeOf(775));
    const read = await page.evaluate(() => performance.getEntriesByType('resource').filter((each) => /_stator\/tables/.test(each.name)).map((each) => each.duration));
    // A time on a shared machine decides nothing; on an idle one it stays below 300 ms.
    t.diagnostic(`the request took ${Math.round(read[0])} ms`);

    // Another Region and key: the same page with the same settings, then another page.
    await page.at('region').fill('eu-west-1');
    await page.at('access-key').fill('another');
    await page.keyboard.press('Enter');
    await eventually(() => Object.fromEntries(new URL(page.url()).searchParams), { all: '1', f: 'table-77', r: 'eu-west-1', k: 'another' });
    await eventually(() => page.at('table-row').count(), 11);
    await page.at('all-tables').uncheck();
    await page.at('filter').fill('');
    await shows(page.at('table-count'), `${share('eu-west-1', 'another')} of`);
    await page.at('all-tables').check();
    await page.at('filter').fill('table-775');
    await page.at('table-row').getByRole('link').click();
    await page.at('no-items').waitFor();
    await page.at('nav-log').click();
    await page.at('page-log').waitFor();
    await page.at('region').fill('ap-south-1');
    await page.keyboard.press('Enter');
    await eventually(() => new URL(page.url()).searchParams.get('r'), 'ap-south-1');
    await page.at('page-log').waitFor();
  });
});
