// Items of the table `albums`, which the preset made.

const { database } = require('./database');

const album = { artist: 'Nina Simone', title: 'Pastel Blues', year: 1965, tracks: ['Be My Husband', 'Sinnerman'] };

test('an item comes back as it was written', async () => {
  await database.put({ TableName: 'albums', Item: album });
  const { Item } = await database.get({ TableName: 'albums', Key: { artist: album.artist, title: album.title } });
  expect(Item).toEqual(album);
});

test('an index finds items', async () => {
  const other = { artist: 'John Coltrane', title: 'A Love Supreme', year: 1965 };
  await database.put({ TableName: 'albums', Item: album });
  await database.put({ TableName: 'albums', Item: other });
  const { Items } = await database.query({
    TableName: 'albums',
    IndexName: 'by-year',
    KeyConditionExpression: '#year = :year',
    ExpressionAttributeNames: { '#year': 'year' },
    ExpressionAttributeValues: { ':year': 1965 },
  });
  expect(Items).toHaveLength(2);
  expect(Items).toEqual(expect.arrayContaining([album, other]));
});

test('a condition that does not hold refuses a write', async () => {
  await database.put({ TableName: 'albums', Item: album });
  const again = database.put({ TableName: 'albums', Item: album, ConditionExpression: 'attribute_not_exists(artist)' });
  await expect(again).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
});
