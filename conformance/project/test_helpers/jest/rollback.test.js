// How the tests of a file begin with tables that were filled once, whatever the test before did to them.
const {
  CreateTableCommand, DeleteTableCommand, DynamoDBClient, ListTablesCommand, PutItemCommand, ScanCommand,
} = require('@aws-sdk/client-dynamodb');

const { rollingBack } = require('stator');

const album = (title) => ({ Title: { S: title } });

const seeded = rollingBack(async (settings) => {
  const client = new DynamoDBClient(settings);
  await client.send(new CreateTableCommand({
    TableName: 'Albums',
    AttributeDefinitions: [{ AttributeName: 'Title', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'Title', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  }));
  await client.send(new PutItemCommand({ TableName: 'Albums', Item: album('Blue') }));
});

test.each(['Hejira', 'Mingus'])('an item more: %s', async (title) => {
  const client = new DynamoDBClient(seeded());
  await client.send(new PutItemCommand({ TableName: 'Albums', Item: album(title) }));
  expect((await client.send(new ScanCommand({ TableName: 'Albums' }))).Count).toBe(2);
});

test('no table left', async () => {
  const client = new DynamoDBClient(seeded());
  await client.send(new DeleteTableCommand({ TableName: 'Albums' }));
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
});

test('as it was filled', async () => {
  const client = new DynamoDBClient(seeded());
  expect((await client.send(new ScanCommand({ TableName: 'Albums' }))).Items).toEqual([album('Blue')]);
});

test.each([1, 2])('time goes back too: %s', async () => {
  const before = (await seeded.server.clock()).time;
  const { time } = await seeded.server.clock({ advance: '25h' });
  expect(Date.parse(time) - Date.parse(before)).toBeGreaterThanOrEqual(25 * 3600 * 1000);
  expect(Date.parse(before)).toBeLessThan(Date.now() + 3600 * 1000);
});
