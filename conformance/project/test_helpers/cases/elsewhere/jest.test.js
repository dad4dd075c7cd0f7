// On a server that runs elsewhere. ../../test_where.py starts it.
const { CreateTableCommand, DynamoDBClient, ListTablesCommand } = require('@aws-sdk/client-dynamodb');

const { database, startStator } = require('stator');

test.each(['one', 'two'])('database %s is empty', async () => {
  const client = new DynamoDBClient(database());
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  await client.send(new CreateTableCommand({
    TableName: 'Albums', BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'Title', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'Title', KeyType: 'HASH' }],
  }));
});

test('its verbs', async () => {
  const server = await startStator();
  await server.clock({ advance: '1h' });
  await server.stop();
  await expect(startStator('--gsi-delay', '1')).rejects.toThrow('takes no flags: --gsi-delay 1');
});
