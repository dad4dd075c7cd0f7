// Servers that verify signatures serve the SDK, whatever its values are, and refuse a wrong secret.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';

import { newClient, onDemand, withTable } from './helpers.mjs';

const endpoints = process.env.STATOR_SIGNED_ENDPOINTS?.split(' ') ?? [];
const options = { skip: endpoints.length === 0 && 'needs servers started by the test' };
const signing = (endpoint, accessKeyId, secretAccessKey) =>
  newClient({ endpoint, credentials: { accessKeyId, secretAccessKey }, maxAttempts: 1 });
const item = (sk) => ({ pk: { S: 'Björk – 日本 😀' }, sk: { S: sk }, text: { S: 'naïve & "ça" = 100 %' } });
const keyOf = ({ pk, sk }) => ({ pk, sk });

test('requests with right signatures are served', options, async () => {
  for (const endpoint of endpoints) {
    const client = signing(endpoint, 'AKIAROOT', process.env.STATOR_SIGNED_SECRET);
    await withTable(client, onDemand({ pk: 'S', sk: 'S' }), async (TableName) => {
      const [one, two] = [item('Jóga'), item('ⅷ')];
      await client.send(new PutItemCommand({ TableName, Item: one }));
      await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item: two } }] } }));
      const got = await client.send(new GetItemCommand({ TableName, Key: keyOf(one), ConsistentRead: true }));
      assert.deepEqual(got.Item, one);
      const found = await client.send(new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :p',
        ExpressionAttributeValues: { ':p': one.pk },
        ConsistentRead: true,
      }));
      assert.deepEqual(found.Items, [one, two]);
      const Keys = [one, two].map(keyOf);
      const { Responses } = await client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys } } }));
      assert.equal(Responses[TableName].length, 2);
    });
  }
});

test('a wrong secret and an unknown key are refused', options, async () => {
  for (const endpoint of endpoints) {
    for (const [key, name] of [['AKIAROOT', 'InvalidSignatureException'], ['AKIAOTHER', 'UnrecognizedClientException']]) {
      await assert.rejects(signing(endpoint, key, 'wrong').send(new ListTablesCommand({})), { name });
    }
  }
});
