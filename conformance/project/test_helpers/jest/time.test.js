// How a test moves time on a server of its own, and empties it.
const { CreateTableCommand, DescribeTableCommand, DynamoDBClient, ListTablesCommand } = require('@aws-sdk/client-dynamodb');

const { database, startStator } = require('stator');

let server;
beforeEach(async () => {
  server = await startStator('--clock', '2027-01-01T00:00:00Z', '--control-plane-delay', '3600');
});
afterEach(() => server.stop());

test('time is moved instead of waited for', async () => {
  const client = new DynamoDBClient(database(server.endpoint));
  const { TableDescription } = await client.send(new CreateTableCommand({
    TableName: 'Albums',
    AttributeDefinitions: [{ AttributeName: 'Title', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'Title', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  }));
  expect(TableDescription.CreationDateTime.toISOString()).toBe('2027-01-01T00:00:00.000Z');
  expect((await server.clock({ advance: '1h' })).time).toBe('2027-01-01T01:00:00.000Z');
  const { Table } = await client.send(new DescribeTableCommand({ TableName: 'Albums' }));
  expect(Table.TableStatus).toBe('ACTIVE');
  await expect(server.clock({ set: '2026-01-01T00:00:00Z' })).rejects.toThrow('the clock does not move back');
  expect(await server.settle()).toEqual([]);
  await server.mark('created');
  await server.clock({ advance: '1h' });
  expect(await server.reset()).toBe(1);
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  await server.rollback('created');
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual(['Albums']);
  expect((await server.clock()).time).toBe('2027-01-01T01:00:00.000Z');
});
