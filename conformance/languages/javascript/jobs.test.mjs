// Exports, imports and bulk puts with the SDK's waiters and paginators, times of requests and typed errors.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import {
  BatchWriteItemCommand,
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeExportCommand,
  DescribeTableCommand,
  ExportNotFoundException,
  ExportTableToPointInTimeCommand,
  ImportTableCommand,
  paginateListBulkOperations,
  paginateListExports,
  paginateListImports,
  paginateScan,
  StartBulkPutItemsCommand,
  UpdateContinuousBackupsCommand,
  waitUntilBulkOperationCompleted,
  waitUntilExportCompleted,
  waitUntilImportCompleted,
} from '@aws-sdk/client-dynamodb';

import { newClient, onDemand, uniqueName, withTable } from './helpers.mjs';

const client = newClient();
const waiting = { client, maxWaitTime: 120, minDelay: 1, maxDelay: 1 };
const buckets = process.env.STATOR_BUCKETS;
const ownServer = { skip: !buckets && 'needs the buckets of a server that the suite starts' };
const ITEMS = Array.from({ length: 20 }, (_, number) => ({ pk: { S: `k${number}` }, n: { N: String(number) } }));

async function advance(amount) {
  const url = new URL('/_stator/clock', process.env.STATOR_ENDPOINT);
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ advance: amount }) });
  assert.equal(answer.status, 200, await answer.text());
}

// The elements of all pages, one on each.
async function pages(paginate, input, name) {
  const found = [];
  for await (const page of paginate({ client, pageSize: 1 }, input)) {
    assert.ok(page[name].length <= 1);
    found.push(...page[name]);
  }
  return found;
}

async function keys(TableName) {
  const found = [];
  for await (const page of paginateScan({ client }, { TableName })) found.push(...page.Items.map((item) => item.pk.S));
  return found.sort();
}

// Puts the items into the table, with recovery enabled, and returns its ARN.
async function fill(TableName) {
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
  const requests = ITEMS.map((Item) => ({ PutRequest: { Item } }));
  await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }));
  return (await client.send(new DescribeTableCommand({ TableName }))).Table.TableArn;
}

test('an export is waited for, listed page by page, and imported', ownServer, () =>
  withTable(client, onDemand(), async (TableName) => {
    const TableArn = await fill(TableName);
    const made = [];
    for (const S3Prefix of ['first', 'second']) {
      const request = { TableArn, S3Bucket: 'bucket', S3Prefix };
      const { ExportDescription } = await client.send(new ExportTableToPointInTimeCommand(request));
      assert.equal(ExportDescription.ExportStatus, 'IN_PROGRESS');
      assert.ok(ExportDescription.StartTime instanceof Date);
      made.push(ExportDescription.ExportArn);
    }
    for (const ExportArn of made) await waitUntilExportCompleted(waiting, { ExportArn });
    const listed = await pages(paginateListExports, { TableArn }, 'ExportSummaries');
    assert.deepEqual(listed.map((one) => one.ExportArn).sort(), [...made].sort());

    const { ExportDescription: ended } = await client.send(new DescribeExportCommand({ ExportArn: made[0] }));
    assert.equal(ended.ItemCount, ITEMS.length);
    const target = uniqueName();
    const { ImportTableDescription: begun } = await client.send(new ImportTableCommand({
      S3BucketSource: { S3Bucket: 'bucket', S3KeyPrefix: `${path.posix.dirname(ended.ExportManifest)}/data/` },
      InputFormat: 'DYNAMODB_JSON',
      InputCompressionType: 'GZIP',
      TableCreationParameters: { TableName: target, ...onDemand() },
    }));
    await waitUntilImportCompleted(waiting, { ImportArn: begun.ImportArn });
    assert.deepEqual(await keys(target), await keys(TableName));
    const imports = await pages(paginateListImports, { TableArn: begun.TableArn }, 'ImportSummaryList');
    assert.deepEqual(imports.map((one) => one.ImportStatus), ['COMPLETED']);
    await client.send(new DeleteTableCommand({ TableName: target }));
  }));

test('an incremental export takes its window as dates', ownServer, () =>
  withTable(client, onDemand(), async (TableName) => {
    const TableArn = await fill(TableName);
    await advance('1h');
    const { ContinuousBackupsDescription } = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
    const window = ContinuousBackupsDescription.PointInTimeRecoveryDescription;
    const { ExportDescription } = await client.send(new ExportTableToPointInTimeCommand({
      TableArn,
      S3Bucket: 'bucket',
      ExportType: 'INCREMENTAL_EXPORT',
      IncrementalExportSpecification: {
        ExportFromTime: window.EarliestRestorableDateTime,
        ExportToTime: window.LatestRestorableDateTime,
      },
    }));
    await waitUntilExportCompleted(waiting, { ExportArn: ExportDescription.ExportArn });
    const answer = await client.send(new DescribeExportCommand({ ExportArn: ExportDescription.ExportArn }));
    assert.equal(answer.ExportDescription.ItemCount, ITEMS.length);
    const { ExportFromTime } = answer.ExportDescription.IncrementalExportSpecification;
    assert.deepEqual(ExportFromTime, window.EarliestRestorableDateTime);
  }));

test('a waiter learns of a failure, and errors have classes', ownServer, () =>
  withTable(client, onDemand(), async (TableName) => {
    const TableArn = await fill(TableName);
    const request = { TableArn, S3Bucket: 'nobucket' };
    const { ExportDescription } = await client.send(new ExportTableToPointInTimeCommand(request));
    const waited = waitUntilExportCompleted(waiting, { ExportArn: ExportDescription.ExportArn });
    await assert.rejects(waited, (error) => error.message.includes('S3NoSuchBucket'));
    const unknown = { ExportArn: `${TableArn}/export/01790000000123-00000000` };
    await assert.rejects(client.send(new DescribeExportCommand(unknown)), ExportNotFoundException);
  }));

test('a bulk put is waited for and listed', ownServer, () =>
  withTable(client, onDemand(), async (TableName) => {
    const lines = ITEMS.map((Item) => `${JSON.stringify({ Item })}\n`).join('');
    await writeFile(path.join(buckets, 'source', `${TableName}.json`), lines);
    const { BulkOperationDescription } = await client.send(new StartBulkPutItemsCommand({
      TableName,
      InputS3Configuration: { S3Bucket: 'source', S3KeyPrefix: TableName, InputFormat: 'DYNAMODB_JSON' },
      OutputS3Configuration: { S3Bucket: 'reports', OutputType: ['ERROR'] },
    }));
    const { BulkOperationArn } = BulkOperationDescription;
    await waitUntilBulkOperationCompleted(waiting, { BulkOperationArn });
    assert.deepEqual(await keys(TableName), ITEMS.map((item) => item.pk.S).sort());
    const listed = await pages(paginateListBulkOperations, {}, 'BulkOperationsSummaryList');
    assert.ok(listed.some((one) => one.BulkOperationArn === BulkOperationArn && one.BulkOperationStatus === 'COMPLETED'));
  }));
