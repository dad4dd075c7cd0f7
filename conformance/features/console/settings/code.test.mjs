// A table as code: what the page shows makes the same table on another server.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually, shows, skip, violations, world } from '../helpers.mjs';

const STREAM = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' };
const Tags = [{ Key: 'team', Value: 'shop' }, { Key: 'stage', Value: '' }];
const units = (read, write) => ({ ReadCapacityUnits: read, WriteCapacityUnits: write });
const w = world([], async (w) => {
  await w.table('Orders', { pk: 'S', sk: 'N' }, {
    attributes: { mail: 'S' },
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: units(7, 3),
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-mail',
        KeySchema: [{ AttributeName: 'mail', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['a', 'b'] },
        ProvisionedThroughput: units(2, 1),
      },
    ],
    StreamSpecification: STREAM,
    Tags,
  });
  const TimeToLiveSpecification = { AttributeName: 'ends', Enabled: true };
  await w.call('UpdateTimeToLive', { TableName: 'Orders', TimeToLiveSpecification });
});
const other = world();

/** What a server says of the table, without what is of that server and of the moment. */
async function told(server) {
  const { Table } = await server.call('DescribeTable', { TableName: 'Orders' });
  const tags = (await server.call('ListTagsOfResource', { ResourceArn: Table.TableArn })).Tags;
  const ttl = (await server.call('DescribeTimeToLive', { TableName: 'Orders' })).TimeToLiveDescription;
  const PASSING = /^(TableId|CreationDateTime|LatestStream.*|LastIncreaseDateTime|LastDecreaseDateTime)$/;
  const lasting = JSON.parse(JSON.stringify(Table), (key, value) => (PASSING.test(key) ? undefined : value));
  const byName = (list, name) => [...list].sort((a, b) => (a[name] < b[name] ? -1 : 1));
  lasting.AttributeDefinitions = byName(lasting.AttributeDefinitions, 'AttributeName');
  return { table: lasting, tags: byName(tags, 'Key'), ttl };
}

const remove = async () => {
  await other.call('DeleteTable', { TableName: 'Orders' });
  await eventually(async () => (await other.call('ListTables', {})).TableNames, []);
};

test('what the page shows for stator apply and for CloudFormation makes the same table', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-code-'));
  try {
    await w.open('t/Orders/settings', async (page) => {
      await page.at('as-code').click();
      for (const [form, file, sign] of [
        ['stator', 'Orders.table.json', 'TimeToLiveSpecification'],
        ['cloudformation', 'orders.template.json', 'AWSTemplateFormatVersion'],
      ]) {
        await page.at('code-format').selectOption(form);
        await shows(page.at('table-code'), sign);
        assert.deepEqual(await violations(page), []);
        writeFileSync(join(folder, file), await page.at('table-code').textContent());
        execFileSync(process.env.STATOR_BINARY, ['apply', join(folder, file), '--endpoint', other.origin, '--region', 'us-east-1'], {
          env: { PATH: process.env.PATH, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
        });
        assert.deepEqual(await told(other), await told(w), form);
        await remove();
      }
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the requests that the page shows make the same table', { skip }, () =>
  w.open('t/Orders/settings', async (page) => {
    await page.at('as-code').click();
    const panels = page.at('code');
    for (const [at, operation] of ['CreateTable', 'UpdateTimeToLive'].entries()) {
      await panels.nth(at).getByTestId('code-JSON').click();
      await other.call(operation, JSON.parse(await panels.nth(at).getByTestId('code-text').textContent()));
    }
    await shows(panels.nth(0).getByTestId('code-text'), 'by-mail');
    assert.deepEqual(await told(other), await told(w));
    await remove();
  }));

test('a format says what it lacks, and the text is copied', { skip }, () =>
  w.open('t/Orders/settings', async (page) => {
    await page.at('as-code').click();
    await page.at('code-format').selectOption('workbench');
    await shows(page.at('page-settings'), 'a model has no stream, time to live, tags');
    await page.at('code-format').selectOption('terraform');
    await shows(page.at('table-code'), 'resource "aws_dynamodb_table"');
    await page.at('copy').first().click();
    const text = await page.at('table-code').textContent();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
  }, { permissions: ['clipboard-read', 'clipboard-write'] }));
