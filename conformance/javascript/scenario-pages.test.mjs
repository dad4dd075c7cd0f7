// Pagination to the end with every page size, on a table, its indexes and scans.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { paginateScan } from '@aws-sdk/lib-dynamodb';

import { client, Generator, index, itemsLeast, order, pad, same, Store, times } from './scenario.mjs';

const topicCount = 100;
const postCount = 100; // of every topic
let forum;

function generatePosts(data) {
  const scores = times(10_000, Number);
  return times(topicCount, (topic) =>
    data.sample(scores, postCount).map((score, post) => ({
      topic: `t${pad(topic, 3)}`,
      post,
      author: `a${pad(topic, 3)}`,
      score,
      rank: score % 7,
      body: 'x'.repeat(data.below(40)),
    })),
  ).flat();
}

// `byRank` has many equal sort keys, which paging must not lose or repeat.
before(async () => {
  forum = await Store.create('topic:S post:N', {
    byScore: index('topic:S score:N', { local: true }),
    byAuthor: index('author:S score:N'),
    byRank: index('author:S rank:N', { projection: 'KEYS_ONLY' }),
  });
  await forum.load(generatePosts(new Generator('forum')));
  assert.equal(forum.rows.size, itemsLeast);
});
after(() => forum.delete());

// The rows of pages that must be full except the last one; a full page has a start key, no other.
async function readPages(pages, size, total) {
  const rows = [];
  for await (const page of pages) {
    assert.equal(page.Count, Math.min(size, total - rows.length));
    assert.equal(page.ScannedCount, page.Count);
    assert.equal(page.LastEvaluatedKey !== undefined, page.Count === size);
    rows.push(...page.Items);
  }
  return rows;
}

for (const name of [undefined, 'byScore', 'byAuthor', 'byRank']) {
  for (const descending of [false, true]) {
    // Page size n is used on topic n - 1, the last one (larger than the topic) on the first again.
    test(`every page size: ${name ?? 'table'}, ${descending ? 'descending' : 'ascending'}`, async () => {
      const partition = name === 'byAuthor' || name === 'byRank' ? 'author' : 'topic';
      const place = forum.sortKey(name);
      const sign = descending ? -1 : 1;
      const groups = new Map();
      for (const row of forum.entries(name)) {
        if (!groups.has(row[partition])) groups.set(row[partition], []);
        groups.get(row[partition]).push(row);
      }
      for (let size = 1; size <= postCount + 1; size += 1) {
        const value = `${partition[0]}${pad((size - 1) % topicCount, 3)}`;
        const pages = forum.pages(`${partition} = :v`, { v: value }, { index: name, descending, Limit: size });
        const wanted = groups.get(value).sort((a, b) => sign * order(place(a), place(b)));
        same(await readPages(pages, size, postCount), wanted, place);
      }
    });
  }
}

test('every page size of a range', async () => {
  for (let size = 1; size <= postCount + 1; size += 1) {
    const [low, high] = [size % 40, 90 - (size % 30)];
    const wanted = forum.expected((row) => row.topic === 't050' && row.post >= low && row.post <= high);
    const values = { t: 't050', low, high };
    const pages = forum.pages('topic = :t AND post BETWEEN :low AND :high', values, { Limit: size });
    assert.deepEqual(await readPages(pages, size, wanted.length), wanted);
  }
});

test('filters do not change the pages', async () => {
  const wanted = forum.expected((row) => row.topic === 't007' && row.rank === 3);
  for (const size of [1, 2, 3, 7, 10, 33, 99, 100, 101]) {
    const rows = [];
    const scanned = [];
    const options = { FilterExpression: '#rank = :r', Limit: size };
    for await (const page of forum.pages('topic = :t', { t: 't007', r: 3 }, options)) {
      rows.push(...page.Items);
      scanned.push(page.ScannedCount);
    }
    assert.deepEqual(rows, wanted);
    assert.deepEqual(scanned, [...times(Math.floor(postCount / size), () => size), postCount % size]);
  }
});

for (const name of [undefined, 'byScore', 'byAuthor', 'byRank']) {
  test(`scans to the end: ${name ?? 'table'}`, async () => {
    const keys = new Set([...forum.keys, ...(name ? forum.indexes[name].keys : [])]);
    const input = { TableName: forum.name, ...(name && { IndexName: name }) };
    const rows = [];
    for await (const page of paginateScan({ client }, { ...input, Limit: 97 })) {
      rows.push(...page.Items);
      if (!page.LastEvaluatedKey) continue;
      const last = Object.fromEntries([...keys].map((key) => [key, page.Items.at(-1)[key]]));
      assert.deepEqual(page.LastEvaluatedKey, last);
    }
    same(rows, forum.entries(name));
    for (const Limit of [3333, 9999, 10_000, 10_001]) {
      let count = 0;
      for await (const page of paginateScan({ client }, { ...input, Limit, Select: 'COUNT' })) count += page.Count;
      assert.equal(count, itemsLeast);
    }
  });
}
