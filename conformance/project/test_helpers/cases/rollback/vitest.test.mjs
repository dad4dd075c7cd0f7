// The server of rollingBack, whose flags and clock are a file's own. ../../test_helpers.py runs it.
import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { rollingBack } from 'stator';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const create = (settings, name) => new DynamoDBClient(settings).send(new CreateTableCommand({
  TableName: name, BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'Title', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'Title', KeyType: 'HASH' }],
}));

const seeded = rollingBack((settings) => create(settings, 'Albums'), {
  flags: ['--clock', '2027-01-01T00:00:00Z'], hooks: { beforeAll, beforeEach, afterAll },
});

test.each(['one', 'two'])('time and tables go back: %s', async () => {
  expect((await seeded.server.clock()).time).toBe('2027-01-01T00:00:00.000Z');
  expect((await seeded.server.clock({ advance: '25h' })).time).toBe('2027-01-02T01:00:00.000Z');
  await create(seeded(), 'Loans');
  const { TableNames } = await new DynamoDBClient(seeded()).send(new ListTablesCommand({}));
  expect(TableNames).toEqual(['Albums', 'Loans']);
});
