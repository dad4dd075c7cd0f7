// How a test starts a server with flags of its own. Jest runs this file beside the other one.
const {
  CreateTableCommand, DynamoDBClient, ListTablesCommand, waitUntilTableExists,
} = require('@aws-sdk/client-dynamodb');

const { database, startStator } = require('stator');

let server;
beforeEach(async () => {
  server = await startStator('--control-plane-delay', '1');
});
afterEach(() => server.stop());

test('a table takes its time, as it does in the cloud', async () => {
  const client = new DynamoDBClient(database(server.endpoint));
  const { TableDescription } = await client.send(new CreateTableCommand({
    TableName: 'Albums',
    AttributeDefinitions: [{ AttributeName: 'Title', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'Title', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  }));
  expect(TableDescription.TableStatus).toBe('CREATING');
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }, { TableName: 'Albums' });
});

test('the server of the suite runs beside it', async () => {
  expect(server.endpoint).not.toBe(process.env.STATOR_ENDPOINT);
  const client = new DynamoDBClient(database());
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
});
