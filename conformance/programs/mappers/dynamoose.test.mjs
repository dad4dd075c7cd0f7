// A library's catalogue on dynamoose: it creates the table itself, with two indexes.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import dynamoose from 'dynamoose';

import { clientOptions, rejectsCondition, uniqueName } from './helpers.mjs';

const books = Array.from({ length: 60 }, (_, i) => ({
  author: `author-${i % 6}`,
  title: `title-${String(i).padStart(3, '0')}`,
  genre: ['novel', 'poetry', 'science'][i % 3],
  year: 1950 + i,
  copies: i % 4,
  tags: new Set([`t${i % 5}`, 'all']),
  shelf: { floor: i % 3, place: `p${i}` },
}));

let Book;

before(async () => {
  dynamoose.aws.ddb.set(new dynamoose.aws.ddb.DynamoDB(clientOptions));
  const schema = new dynamoose.Schema(
    {
      author: { type: String, hashKey: true },
      title: { type: String, rangeKey: true },
      genre: { type: String, index: { name: 'byGenre', type: 'global', rangeKey: 'year' } },
      year: { type: Number, index: { name: 'byYear', type: 'local' } },
      copies: { type: Number, default: 0 },
      tags: { type: Set, schema: [String] },
      shelf: { type: Object, schema: { floor: Number, place: String } },
    },
    { timestamps: true },
  );
  Book = dynamoose.model(uniqueName('dynamoose'), schema);
  const table = new dynamoose.Table(uniqueName('dynamoose'), [Book], {
    initialize: false,
    create: true,
    throughput: 'ON_DEMAND',
    waitForActive: { enabled: true, check: { timeout: 30000, frequency: 20 } },
  });
  await table.initialize();
  for (let at = 0; at < books.length; at += 20) {
    const { unprocessedItems } = await Book.batchPut(books.slice(at, at + 20));
    assert.deepEqual(unprocessedItems, []);
  }
});

const titles = (found) => [...found].map((book) => book.title);

test('reads one by its key, with sets, maps and dates', async () => {
  const book = await Book.get({ author: 'author-3', title: 'title-009' });
  assert.equal(book.year, 1959);
  assert.deepEqual([...book.tags].sort(), ['all', 't4']);
  assert.deepEqual({ ...book.shelf }, { floor: 0, place: 'p9' });
  assert.ok(book.createdAt instanceof Date);
  assert.equal(await Book.get({ author: 'author-3', title: 'none' }), undefined);
});

test('queries the table and both indexes', async () => {
  const ofAuthor = books.filter((book) => book.author === 'author-2');
  assert.deepEqual(titles(await Book.query('author').eq('author-2').exec()), ofAuthor.map((b) => b.title));
  assert.deepEqual(
    titles(await Book.query('author').eq('author-2').where('title').beginsWith('title-02').exec()),
    ofAuthor.map((b) => b.title).filter((title) => title.startsWith('title-02')),
  );
  assert.deepEqual(
    titles(await Book.query('genre').eq('poetry').where('year').between(1960, 1980).using('byGenre').sort('descending').exec()),
    books.filter((b) => b.genre === 'poetry' && b.year >= 1960 && b.year <= 1980).map((b) => b.title).reverse(),
  );
  assert.deepEqual(
    titles(await Book.query('author').eq('author-1').where('year').gt(1980).using('byYear').exec()),
    books.filter((b) => b.author === 'author-1' && b.year > 1980).map((b) => b.title),
  );
});

test('scans with conditions, counts, and pages', async () => {
  const expected = books.filter((b) => b.copies > 1 && b.shelf.floor === 2).map((b) => b.title);
  const found = await Book.scan().where('copies').gt(1).and().where('shelf.floor').eq(2).exec();
  assert.deepEqual(titles(found).sort(), expected);
  const count = await Book.scan('tags').contains('t3').count().exec();
  assert.equal(count.count, books.filter((b) => b.tags.has('t3')).length);
  const seen = [];
  let page;
  do {
    const scan = Book.scan().limit(7);
    page = await (page?.lastKey ? scan.startAt(page.lastKey) : scan).exec();
    assert.ok(page.length <= 7);
    seen.push(...titles(page));
  } while (page.lastKey);
  assert.deepEqual(seen.sort(), books.map((b) => b.title));
});

test('updates, adds, removes, and checks conditions', async () => {
  const key = { author: 'author-0', title: 'title-006' };
  const updated = await Book.update(key, { $SET: { genre: 'essay' }, $ADD: { copies: 5 }, $REMOVE: ['shelf'] });
  assert.deepEqual([updated.genre, updated.copies, updated.shelf], ['essay', 7, undefined]);
  assert.deepEqual(titles(await Book.query('genre').eq('essay').using('byGenre').exec()), ['title-006']);
  await rejectsCondition(
    Book.update(key, { $SET: { genre: 'lost' } }, { condition: new dynamoose.Condition('copies').lt(7) }),
  );
  await rejectsCondition(Book.create({ ...key, year: 1 }));
  await Book.delete(key);
  assert.equal(await Book.get(key), undefined);
});

test('gets and deletes in batches', async () => {
  const keys = books.slice(30, 36).map(({ author, title }) => ({ author, title }));
  assert.equal((await Book.batchGet(keys)).length, 6);
  assert.deepEqual((await Book.batchDelete(keys)).unprocessedItems, []);
  assert.equal((await Book.batchGet(keys)).length, 0);
});

test('moves copies in a transaction, or leaves everything as it is', async () => {
  const [from, to] = [{ author: 'author-5', title: 'title-011' }, { author: 'author-5', title: 'title-017' }];
  const before = await Promise.all([Book.get(from), Book.get(to)]);
  const move = (count) =>
    dynamoose.transaction([
      Book.transaction.update(from, { $ADD: { copies: -count } }, { condition: new dynamoose.Condition('copies').ge(count) }),
      Book.transaction.update(to, { $ADD: { copies: count } }),
      Book.transaction.create({ author: 'moves', title: `moved ${count}`, year: 2026, genre: 'list' }),
      Book.transaction.condition({ author: 'author-5', title: 'title-023' }, new dynamoose.Condition('year').exists()),
    ]);
  await move(2);
  await rejectsCondition(move(3));
  const after = await dynamoose.transaction([Book.transaction.get(from), Book.transaction.get(to)]);
  assert.deepEqual(after.map((book) => book.copies), [before[0].copies - 2, before[1].copies + 2]);
  assert.deepEqual(titles(await Book.query('author').eq('moves').exec()), ['moved 2']);
});
