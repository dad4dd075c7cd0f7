// The table `files` is new for each run of jest, and runs in a worker beside the other tests.

const { database, raw } = require('./database');

test('both tables of the configuration are there', async () => {
  const { TableNames } = await raw.listTables({});
  expect(TableNames).toEqual(expect.arrayContaining(['albums', 'files']));
});

test('nothing is left of an earlier run', async () => {
  const { Count } = await database.scan({ TableName: 'files' });
  expect(Count).toBe(0);
});

test('an update counts and a delete removes', async () => {
  const Key = { id: 'a' };
  const count = () =>
    database.update({
      TableName: 'files',
      Key,
      UpdateExpression: 'ADD opened :one',
      ExpressionAttributeValues: { ':one': 1 },
      ReturnValues: 'ALL_NEW',
    });
  await count();
  expect((await count()).Attributes).toEqual({ id: 'a', opened: 2 });
  await database.delete({ TableName: 'files', Key });
  expect((await database.get({ TableName: 'files', Key })).Item).toBeUndefined();
});
