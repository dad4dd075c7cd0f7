"""Scan with boto3: completeness, segments, filters, pages while items are written, start keys."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import scenario
from scenario import Index, canonical, same, to_item, to_row
from sizes import PAGE, item_size


@pytest.fixture(scope="module")
def crowd(new_store):
    """600 partitions of 1 to 5 rows; the index `some` holds a third of them."""
    data = scenario.generator("crowd")
    store = new_store("pk:S sk:N", some=Index("color:S sk:N", ["n"]), local=Index("pk:S n:N", "KEYS_ONLY", local=True))
    rows = []
    for pk in range(600):
        for sk in sorted(data.sample(range(-50, 50), data.randrange(1, 6))):
            rows.append({"pk": f"p{pk:03d}", "sk": sk, "n": data.randrange(1000), "list": [sk, "é"]})
            if data.random() < 0.33:
                rows[-1]["color"] = data.choice(("blue", "green", "red"))
    store.load(rows)
    return store


def test_a_scan_is_complete(crowd):
    crowd.check_everything()


def test_items_of_a_partition_come_together_in_order(crowd):
    found = crowd.scan(Limit=70)
    partitions = []
    for row in found:
        if not partitions or partitions[-1][0]["pk"] != row["pk"]:
            partitions.append([])
        partitions[-1].append(row)
    assert len(partitions) == 600, "a partition came in two parts"
    assert all([row["sk"] for row in part] == sorted(row["sk"] for row in part) for part in partitions)
    assert found == crowd.scan(Limit=1000), "the order is always the same"
    assert [part[0]["pk"] for part in partitions] != sorted(part[0]["pk"] for part in partitions)


def in_segments(crowd, total, index=None, **members):
    """The rows of each segment."""
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda n: crowd.scan(index, Segment=n, TotalSegments=total, **members), range(total)))


@pytest.mark.parametrize("total", range(1, 18))
def test_segments_are_disjoint_and_complete(crowd, total):
    for index in (None, "some", "local"):
        segments = in_segments(crowd, total, index)
        together = [row for segment in segments for row in segment]
        assert canonical(together) == canonical(crowd.entries(index))  # as often as they are there: once
        if not index and total <= 4:
            assert all(segments), "a segment without any of 600 partitions"
    assert in_segments(crowd, total) == in_segments(crowd, total, Limit=13)


def test_a_million_segments(crowd):
    """Segments are ranges of one order, so partitions can be followed down from a segment of n to one
    of 10 n near the same place (borders may be rounded) and on to 1,000,000. At each step each
    partition is in exactly one segment, with all its rows."""
    chosen = {row["pk"] for row in scenario.generator("a million").sample(crowd.entries(), 8)}
    places, total = {0: chosen}, 1
    while total < 1_000_000:
        total *= 10
        near = {place * 10 + step for place in places for step in range(-5, 15)}
        parts = sorted(part for part in near if 0 <= part < total)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda n: crowd.scan(Segment=n, TotalSegments=total), parts))
        places = {part: {row["pk"] for row in rows} & chosen for part, rows in zip(parts, found)}
        places = {part: partitions for part, partitions in places.items() if partitions}
        assert sorted(pk for partitions in places.values() for pk in partitions) == sorted(chosen)
        same([row for rows in found for row in rows if row["pk"] in chosen],
             [row for row in crowd.entries() if row["pk"] in chosen])


@pytest.mark.parametrize("members, message", [
    ({"Segment": 0}, "The TotalSegments parameter is required but was not present in the request when Segment "
     "parameter is present"),
    ({"TotalSegments": 4}, "The Segment parameter is required but was not present in the request when parameter "
     "TotalSegments is present"),
    ({"Segment": 4, "TotalSegments": 4}, "The Segment parameter is zero-based and must be less than parameter "
     "TotalSegments: Segment: 4 is not less than TotalSegments: 4"),
    ({"Segment": 0, "TotalSegments": 1_000_001}, "1 validation error detected: Value '1000001' at 'totalSegments' "
     "failed to satisfy constraint: Member must have value less than or equal to 1000000"),
    ({"IndexName": "absent"}, "The table does not have the specified index: absent"),
    ({"IndexName": "some", "ConsistentRead": True}, "Consistent reads are not supported on global secondary indexes"),
    ({"IndexName": "some", "Select": "ALL_ATTRIBUTES"}, "One or more parameter values were invalid: Select type "
     "ALL_ATTRIBUTES is not supported for global secondary index some because its projection type is not ALL"),
    ({"ExclusiveStartKey": {"pk": {"S": "p001"}}},
     "The provided starting key is invalid: The provided key element does not match the schema"),
    ({"IndexName": "some", "ExclusiveStartKey": {"pk": {"S": "p001"}, "sk": {"N": "1"}}},
     "The provided starting key is invalid"),
])
def test_refused_scans(crowd, refused, members, message):
    refused("ValidationException", message, crowd.client.scan, TableName=crowd.name, **members)


def test_start_key_of_another_segment(crowd, refused):
    first = [segment[0] for segment in in_segments(crowd, 4)]
    for segment in range(4):
        start = {"pk": first[segment]["pk"], "sk": first[segment]["sk"]}
        for other in set(range(4)) - {segment}:
            refused("ValidationException", "The provided starting key is invalid: Invalid ExclusiveStartKey. Please "
                    f"use ExclusiveStartKey with correct Segment. TotalSegments: 4 Segment: {other}", crowd.client.scan,
                    TableName=crowd.name, Segment=other, TotalSegments=4, ExclusiveStartKey=to_item(start))


@pytest.mark.parametrize("expression, values, holds", [
    ("sk = :n AND begins_with(pk, :p)", {"n": 7, "p": "p1"}, lambda row: row["sk"] == 7 and row["pk"][:2] == "p1"),
    ("attribute_exists(color) AND n < :n", {"n": 300}, lambda row: "color" in row and row["n"] < 300),
    ("color <> :c", {"c": "red"}, lambda row: row.get("color") != "red"),
    ("#list[0] > :z", {"z": 40}, lambda row: row["sk"] > 40),
    ("n IN (:a, :b, :c)", {"a": 1, "b": 2, "c": 3}, lambda row: row["n"] in (1, 2, 3)),
    ("size(color) = :n OR n BETWEEN :a AND :b", {"n": 3, "a": 10, "b": 20},
     lambda row: len(row.get("color", "")) == 3 or 10 <= row["n"] <= 20),
])
def test_filters(crowd, expression, values, holds):
    wanted = [row for row in crowd.rows.values() if holds(row)]
    same(crowd.scan(values=values, FilterExpression=expression, Limit=333), wanted)
    members = scenario.placeholders(values, expression)
    answers = list(scenario.pages(crowd.client.scan, TableName=crowd.name, FilterExpression=expression, Select="COUNT",
                                  Limit=501, **members))
    assert sum(answer["Count"] for answer in answers) == len(wanted)
    assert sum(answer["ScannedCount"] for answer in answers) == len(crowd.rows)
    assert not any("Items" in answer for answer in answers)


def test_projections(crowd):
    found = crowd.scan(ProjectionExpression="pk, #list[1], color")
    wanted = [{"pk": row["pk"], "list": ["é"], **({"color": row["color"]} if "color" in row else {})}
              for row in crowd.rows.values()]
    same(found, wanted)
    same(crowd.scan("some", ProjectionExpression="n"), [{"n": row["n"]} for row in crowd.entries("some")])


@pytest.mark.parametrize("index", [None, "some", "local"])
def test_scans_while_items_come_and_go(new_store, index):
    """Rows that are there all the time are seen exactly once, deleted and new ones at most once."""
    data = scenario.generator("scan and write")
    store = new_store("pk:S sk:N", some=Index("color:S sk:N"), local=Index("pk:S n:N", local=True))
    fresh = ({"pk": f"p{n % 97}", "sk": n, "n": -n, "color": f"c{n % 11}"} for n in range(10**6))
    store.load(next(fresh) for _ in range(800))
    steady, members = dict(store.rows), {"IndexName": index} if index else {}
    seen = []
    for answer in scenario.pages(store.client.scan, TableName=store.name, Limit=40, **members):
        seen += [to_row(item) for item in answer["Items"]]
        gone = data.sample(list(store.rows.values()), 6)
        if seen and store.key(seen[-1]) in store.rows and seen[-1] not in gone:
            gone.append(seen[-1])
        store.remove(gone)
        for row in gone:
            steady.pop(store.key(row), None)
        store.load(next(fresh) for _ in range(6))
        if len(seen) > 3000:
            break
    keys = [store.key(row) for row in seen]
    assert len(set(keys)) == len(keys)
    assert set(steady) <= set(keys) and len(steady) > 500


def test_pages_of_one_megabyte(new_store):
    """A filter that matches nothing does not make a page read more."""
    data = scenario.generator("large partitions")
    store = new_store("pk:S")
    store.load({"pk": f"p{n}", "v": "x" * data.randrange(60_000)} for n in range(150))
    sizes = [item_size(row) for row in store.rows.values()]
    for members in ({}, {"FilterExpression": "attribute_exists(absent)"}):
        answers = list(scenario.pages(store.client.scan, TableName=store.name, **members))
        assert sum(answer["ScannedCount"] for answer in answers) == 150
        assert sum(sizes) / (PAGE + max(sizes)) <= len(answers) <= sum(sizes) / (0.97 * PAGE) + 1
    read = [[to_row(item) for item in answer["Items"]]
            for answer in scenario.pages(store.client.scan, TableName=store.name)]
    same([row for rows in read for row in rows], store.entries())
    for rows in read[:-1]:
        total, last = sum(map(item_size, rows)), item_size(rows[-1])
        assert total > 0.98 * PAGE and total - last < PAGE
