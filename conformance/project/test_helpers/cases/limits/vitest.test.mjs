// A run within its policy, and one that needs more. ../../test_limits.py reads the report.
import {
  CreateTableCommand, DeleteItemCommand, DynamoDBClient, GetItemCommand, PutItemCommand, ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { limitedTo } from 'stator';
import { afterEach, expect, test } from 'vitest';

const Statement = [{ Effect: 'Allow', Action: ['dynamodb:PutItem', 'dynamodb:GetItem'], Resource: '*' }];
const policy = { Version: '2012-10-17', Statement };
const Key = { Id: { S: 'a' } };
const Table = { TableName: 'Limited' };
let limits;

// Makes the table as the owner; resolves with a client that has the policy.
async function fill(options) {
  limits = await limitedTo(policy, options);
  await new DynamoDBClient(limits.owner).send(new CreateTableCommand({
    ...Table,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'Id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'Id', KeyType: 'HASH' }],
  }));
  const client = new DynamoDBClient(limits.database);
  await client.send(new PutItemCommand({ ...Table, Item: Key }));
  return client;
}

afterEach(() => limits.stop());

test('within', async () => {
  const client = await fill();
  expect((await client.send(new GetItemCommand({ ...Table, Key }))).Item).toEqual(Key);
});

test('needs more', async () => {
  const client = await fill();
  await client.send(new DeleteItemCommand({ ...Table, Key }));
  expect((await client.send(new ScanCommand(Table))).Items).toEqual([]);
});

test('enforced', async () => {
  const client = await fill({ enforce: true });
  await expect(client.send(new ScanCommand(Table))).rejects.toMatchObject({ name: 'AccessDeniedException' });
});
