// One test fails after a request did, one passes all the same, one fails without. ../../test_explained.py reads the report.
const { DynamoDBClient, GetItemCommand } = require('@aws-sdk/client-dynamodb');

const { database, startStator } = require('stator');

const get = (client, table) => client.send(new GetItemCommand({ TableName: table, Key: { Id: { S: 'a' } } })).catch(() => {});
const shared = database();

test('passes', async () => {
  await get(new DynamoDBClient(database()), 'OfTheTestThatPasses');
  await get(new DynamoDBClient(shared), 'OfTheTestThatPasses');
});

test('fails', async () => {
  await get(new DynamoDBClient(database()), 'OfANewDatabase');
  await get(new DynamoDBClient(shared), 'OfTheFilesDatabase');
  await get(new DynamoDBClient({}), 'OfTheApplication');
  expect(1).toBe(2);
});

describe('on a server of its own', () => {
  let server;
  beforeEach(async () => { server = await startStator('--gsi-delay', '1'); });
  afterEach(() => server.stop());

  test('fails too', async () => {
    await get(new DynamoDBClient(database(server.endpoint)), 'OfAnOwnServer');
    expect(1).toBe(3);
  });
});

test('fails without a request', () => { expect(1).toBe(4); });
