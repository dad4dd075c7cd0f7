// How tests use the package: each test has a database of its own, also when several run at once.
const {
  CreateTableCommand, DynamoDBClient, GetItemCommand, ListTablesCommand, PutItemCommand, ScanCommand,
} = require('@aws-sdk/client-dynamodb');

const { database } = require('stator');

/** A client of an empty database, with the table of this application in it. */
async function albums() {
  const client = new DynamoDBClient(database());
  await client.send(new CreateTableCommand({
    TableName: 'Albums',
    AttributeDefinitions: [{ AttributeName: 'Title', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'Title', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  }));
  return client;
}

const album = (title) => ({ Title: { S: title } });
const put = (client, title) => client.send(new PutItemCommand({ TableName: 'Albums', Item: album(title) }));
const scan = async (client) => (await client.send(new ScanCommand({ TableName: 'Albums' }))).Items;

test('a new database is empty', async () => {
  const client = new DynamoDBClient(database());
  const { TableNames } = await client.send(new ListTablesCommand({}));
  expect(TableNames).toEqual([]);
});

test('an item is found again', async () => {
  const client = await albums();
  await put(client, 'Pastel Blues');
  const { Item } = await client.send(new GetItemCommand({ TableName: 'Albums', Key: album('Pastel Blues') }));
  expect(Item).toEqual(album('Pastel Blues'));
});

// These two run at once, on tables of the same name.
test.concurrent.each(['Blue', 'Hejira'])('%s is alone in its database', async (title) => {
  const client = await albums();
  await put(client, title);
  expect(await scan(client)).toEqual([album(title)]);
});

test('eight databases filled side by side do not see each other', async () => {
  const titles = Array.from({ length: 8 }, (_, number) => `Volume ${number}`);
  const clients = await Promise.all(titles.map(albums));
  await Promise.all(clients.map((client, number) => put(client, titles[number])));
  const seen = await Promise.all(clients.map(scan));
  expect(seen).toEqual(titles.map((title) => [album(title)]));
});
