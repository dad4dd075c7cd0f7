"""Pagination to the end with every page size, on a table, its indexes and scans."""

import pytest

import scenario
from scenario import Index, same

TOPICS, POSTS = 100, 100  # every topic has POSTS posts
PAGE_SIZES = range(1, POSTS + 2)


def generate_posts(data):
    for topic in range(TOPICS):
        for post, score in enumerate(data.sample(range(10_000), POSTS)):
            yield {"topic": f"t{topic:03d}", "post": post, "author": f"a{topic:03d}", "score": score,
                   "rank": score % 7, "text": "x" * data.randrange(40)}


@pytest.fixture(scope="module")
def forum(new_store):
    """`by_rank` has many equal sort keys, which paging must not lose or repeat."""
    store = new_store("topic:S post:N", by_score=Index("topic:S score:N", local=True),
                      by_author=Index("author:S score:N"), by_rank=Index("author:S rank:N", "KEYS_ONLY"))
    store.load(generate_posts(scenario.generator("forum")))
    assert len(store.rows) == scenario.ITEMS
    return store


def read_pages(answers, size, total):
    """The rows of pages that must be full except the last one, with a start key while there may be more."""
    found = []
    for answer in answers:
        assert answer["Count"] == len(answer["Items"]) == answer["ScannedCount"] == min(size, total - len(found))
        found += map(scenario.to_row, answer["Items"])
        assert ("LastEvaluatedKey" in answer) == (answer["Count"] == size), "a full page has a start key, no other"
    return found


@pytest.mark.parametrize("index", [None, "by_score", "by_author", "by_rank"])
@pytest.mark.parametrize("descending", [False, True])
def test_every_page_size(forum, index, descending):
    """Page size n is used on topic n - 1, the last one (larger than the topic) on the first again."""
    partition = "author" if index in ("by_author", "by_rank") else "topic"
    by_partition = {}
    for entry in forum.entries(index):
        by_partition.setdefault(entry[partition], []).append(entry)
    order = forum.order(index)
    for size in PAGE_SIZES:
        value = f"{'a' if partition == 'author' else 't'}{(size - 1) % TOPICS:03d}"
        answers = forum.query_pages(f"{partition} = :v", {"v": value}, index, descending, Limit=size)
        found = read_pages(answers, size, POSTS)
        same(found, sorted(by_partition[value], key=order, reverse=descending), order)


def test_every_page_size_of_a_range(forum):
    """A sort key condition: the last page ends where the range ends, not where the partition ends."""
    for size in PAGE_SIZES:
        low, high = size % 40, 90 - size % 30
        wanted = forum.expected(lambda row: row["topic"] == "t050" and low <= row["post"] <= high)
        answers = forum.query_pages("topic = :t AND post BETWEEN :low AND :high",
                                    {"t": "t050", "low": low, "high": high}, Limit=size)
        assert read_pages(answers, size, len(wanted)) == wanted


def test_filters_do_not_change_the_pages(forum):
    """Limit counts what is read: a page may come back empty and still have a next one."""
    for size in (1, 2, 3, 7, 10, 33, 99, 100, 101):
        wanted = forum.expected(lambda row: row["topic"] == "t007" and row["rank"] == 3)
        answers = list(forum.query_pages("topic = :t", {"t": "t007", "r": 3},
                                         FilterExpression="#rank = :r", Limit=size))
        assert [scenario.to_row(item) for answer in answers for item in answer["Items"]] == wanted
        assert [answer["ScannedCount"] for answer in answers] == [size] * (POSTS // size) + [POSTS % size]


@pytest.mark.parametrize("index", [None, "by_score", "by_author", "by_rank"])
def test_scans_to_the_end(forum, index):
    members = {"TableName": forum.name, **({"IndexName": index} if index else {})}
    answers = scenario.pages(forum.client.scan, Limit=97, **members)
    found = [scenario.to_row(item) for answer in answers for item in answer["Items"]]
    same(found, forum.entries(index))
    for size in (1, 7, 3333, 9_999, 10_000, 10_001):
        if size < 97:  # a small stretch of it will do
            answers = [answer for answer, _ in zip(scenario.pages(forum.client.scan, Limit=size, **members), range(80))]
            assert [scenario.to_row(item) for answer in answers for item in answer["Items"]] == found[:80 * size]
        else:
            answers = scenario.pages(forum.client.scan, Limit=size, Select="COUNT", **members)
            assert sum(answer["Count"] for answer in answers) == scenario.ITEMS


def test_start_keys_name_the_last_item(forum):
    """A start key is the key of the last item read, in the index and in the table, no more."""
    for index, names in ((None, ("topic", "post")), ("by_score", ("topic", "post", "score")),
                         ("by_author", ("topic", "post", "author", "score"))):
        members = {"IndexName": index} if index else {}
        scans = scenario.pages(forum.client.scan, TableName=forum.name, Limit=700, **members)
        for answer in scans:
            if "LastEvaluatedKey" in answer:
                last = answer["Items"][-1]
                assert answer["LastEvaluatedKey"] == {name: last[name] for name in names}


@pytest.mark.parametrize("segments", [1, 3, 16])
def test_segments_together_are_the_table(forum, segments):
    found = [row for n in range(segments) for row in forum.scan(Segment=n, TotalSegments=segments)]
    same(found, forum.entries())
