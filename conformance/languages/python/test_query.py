"""Query with boto3: forms of key conditions, order, pages, Select, filters, start keys."""

from decimal import Decimal

import pytest

import scenario
from scenario import Index, marshal, same, to_item, to_row
from sizes import PAGE, item_size, read_units

NUMBERS = [Decimal(text) for text in (
    "-9.9999999999999999999999999999999999999E+125", "-1E+100", "-12345678901234567890123456789012345678", "-100.5",
    "-100", "-99.99", "-10", "-9", "-1.5", "-1", "-0.5", "-1E-10", "-1E-130", "0", "1E-130", "1E-10", "0.015", "0.15",
    "0.5", "1", "1.5", "2", "9", "10", "11", "99", "99.99", "100", "100.5", "120", "1E+10", "1E+100",
    "12345678901234567890123456789012345678", "9.9999999999999999999999999999999999999E+125")]
TEXTS = ["a", "A", "aa", "ab", "a#", "a\x00", "a\x00b", "b", "\x7f", "\u0080", "é", "\uffff", "\U0001f98a",
         "~", " ", "0", "10", "9", "a" * 600, "a" * 1024, "é" * 512, "a" * 511 + "b", "a" * 600 + "\x00"]
BYTES = [b"\x00", b"\x00\x00", b"\x00\xff", b"\x01", b"a", b"ab", b"\x7f", b"\x80", b"\xff", b"\xff\x00", b"\xff\xff",
         b"\xff" * 600, b"\xff" * 1024, b"\x00" * 1024]


def ordered(value):
    """The service's order: numbers by value, text by its UTF-8 bytes, bytes unsigned."""
    return value.encode() if isinstance(value, str) else value


@pytest.fixture(scope="module", params=["N", "S", "B"])
def sorted_table(request, new_store):
    """(store, values): each value is a sort key in two partitions; a third one is empty."""
    values = {"N": NUMBERS, "S": TEXTS, "B": BYTES}[request.param]
    store = new_store(f"pk:S sk:{request.param}")
    store.load({"pk": pk, "sk": value, "n": number} for pk in ("one", "two") for number, value in enumerate(values))
    return store, sorted(values, key=ordered)


COMPARISONS = {"=": lambda a, b: a == b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
               ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}


def sort_keys(rows):
    return [row["sk"] for row in rows]


def exact(store, condition, values, **members):
    """The sort keys that a query finds; numbers as exact Decimals."""
    return sort_keys(store.query(condition, {"pk": "one", **values}, **members))


def test_order_and_descending_order(sorted_table):
    store, values = sorted_table
    assert exact(store, "pk = :pk", {}) == values
    assert exact(store, "pk = :pk", {}, descending=True) == values[::-1]
    assert store.query("pk = :pk", {"pk": "three"}) == []
    for limit in (1, 2, 5):
        assert exact(store, "pk = :pk", {}, Limit=limit) == values
        assert exact(store, "pk = :pk", {}, Limit=limit, descending=True) == values[::-1]


@pytest.mark.parametrize("operator", COMPARISONS)
def test_comparisons(sorted_table, operator):
    store, values = sorted_table
    compare = COMPARISONS[operator]
    for value in values:
        wanted = [v for v in values if compare(ordered(v), ordered(value))]
        assert exact(store, f"pk = :pk AND sk {operator} :v", {"v": value}) == wanted
        assert exact(store, f"pk = :pk AND sk {operator} :v", {"v": value}, descending=True, Limit=4) == wanted[::-1]


def test_between(sorted_table):
    store, values = sorted_table
    for first in range(0, len(values), 3):
        for last in range(first, len(values), 4):
            wanted = values[first:last + 1]
            between = {"low": values[first], "high": values[last]}
            assert exact(store, "pk = :pk AND sk BETWEEN :low AND :high", between) == wanted
            assert exact(store, "pk = :pk AND sk BETWEEN :low AND :high", between, descending=True) == wanted[::-1]


@pytest.mark.parametrize("sorted_table", ["S", "B"], indirect=True)
def test_begins_with(sorted_table):
    store, values = sorted_table
    for value in values:
        for size in {1, len(value) // 2 or 1, len(value)}:
            prefix = value[:size]
            wanted = [v for v in values if v.startswith(prefix)]
            assert exact(store, "pk = :pk AND begins_with(sk, :v)", {"v": prefix}) == wanted
            assert exact(store, "pk = :pk AND begins_with(sk, :v)", {"v": prefix}, descending=True) == wanted[::-1]


@pytest.fixture(scope="module")
def shelf(new_store):
    """Twelve partitions of 30 numbered rows, with an index of each kind."""
    data = scenario.generator("shelf")
    store = new_store("pk:S sk:N", local=Index("pk:S rank:N", ["tag"], local=True),
                      keys=Index("tag:S rank:N", "KEYS_ONLY"),
                      some=Index("tag:S sk:N", ["note"]), full=Index("tag:S pk:S"))
    store.load({"pk": f"p{pk:02d}", "sk": sk, "rank": data.randrange(8), "tag": data.choice("xyz"),
                "note": "n" * data.randrange(30), "deep": {"list": [sk, {"even": sk % 2 == 0}]}}
               for pk in range(12) for sk in range(30))
    return store


@pytest.mark.parametrize("condition", [
    "pk = :pk AND sk < :v", "sk < :v AND pk = :pk", ":pk = pk AND :v > sk", "(pk = :pk) AND (sk < :v)",
    "(pk = :pk AND sk < :v)", "#pk = :pk and #sk < :v", "pk=:pk AND sk<:v", " pk\t=\n:pk AnD sk<:v "])
def test_spellings_of_one_condition(shelf, condition):
    wanted = shelf.expected(lambda row: row["pk"] == "p03" and row["sk"] < 12)
    assert shelf.query(condition, {"pk": "p03", "v": 12}) == wanted


@pytest.mark.parametrize("condition, more, message", [
    ("sk = :v", {":v": 1}, "Query condition missed key schema element: pk"),
    ("pk > :p", {":p": "a"}, "Query key condition not supported"),
    ("pk = :p AND pk = :p", {":p": "a"},
     "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"),
    ("pk = :p AND sk <> :v", {":p": "a", ":v": 1},
     "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: <>"),
    ("pk = :p OR sk = :v", {":p": "a", ":v": 1},
     "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: OR"),
    ("pk = :p AND sk = :v", {":p": "a", ":v": "1"},
     "One or more parameter values were invalid: Condition parameter type does not match schema type"),
    ("pk = :p AND begins_with(sk, :v)", {":p": "a", ":v": 1},
     "Invalid KeyConditionExpression: Incorrect operand type for operator or function; "
     "operator or function: begins_with, operand type: N"),
    ("pk = :p AND tag = :v", {":p": "a", ":v": "x"}, "Query condition missed key schema element: sk"),
])
def test_refused_conditions(fast, shelf, refused, condition, more, message):
    refused("ValidationException", message, fast.query, TableName=shelf.name, KeyConditionExpression=condition,
            ExpressionAttributeValues={name: marshal(value) for name, value in more.items()})


def ask(shelf, index=None, **members):
    """One page of a query of partition p05 (of tag x on global indexes)."""
    name, value = ("tag", "x") if index in ("keys", "some", "full") else ("pk", "p05")
    if index:
        members["IndexName"] = index
    return shelf.client.query(TableName=shelf.name, KeyConditionExpression=f"{name} = :v",
                              ExpressionAttributeValues={":v": {"S": value}}, **members)


@pytest.mark.parametrize("index", [None, "local", "keys", "some", "full"])
def test_select(shelf, index):
    name, value = ("tag", "x") if index in ("keys", "some", "full") else ("pk", "p05")
    projected = shelf.expected(lambda entry: entry[name] == value, index)
    whole = [shelf.rows[shelf.key(entry)] for entry in projected]
    order = shelf.order(index)

    def rows(answer):
        assert answer["Count"] == answer["ScannedCount"] == len(answer["Items"]) == len(projected)
        return [to_row(item) for item in answer["Items"]]

    same(rows(ask(shelf, index)), projected if index else whole, order)
    if index:
        same(rows(ask(shelf, index, Select="ALL_PROJECTED_ATTRIBUTES")), projected, order)
    if index in (None, "local", "full"):
        same(rows(ask(shelf, index, Select="ALL_ATTRIBUTES")), whole, order)
    counted = ask(shelf, index, Select="COUNT")
    assert (counted["Count"], counted["ScannedCount"]) == (len(projected), len(projected))
    assert "Items" not in counted
    some = [{n: row[n] for n in ("pk", "rank") if n in row} for row in projected]
    if index != "full" and index != "some":
        found = rows(ask(shelf, index, Select="SPECIFIC_ATTRIBUTES", ProjectionExpression="pk, #rank",
                         ExpressionAttributeNames={"#rank": "rank"}))
        same(found, some)


def test_select_refused(shelf, refused):
    def check(message, index=None, **members):
        refused("ValidationException", message, lambda **_: ask(shelf, index, **members))

    one = "1 validation error detected: "
    check(one + "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
          Select="ALL_PROJECTED_ATTRIBUTES")
    check(one + "Cannot specify the ProjectionExpression when choosing to get only the Count",
          Select="COUNT", ProjectionExpression="pk")
    check(one + "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
          Select="ALL_ATTRIBUTES", ProjectionExpression="pk")
    for index in ("keys", "some"):
        check("One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global "
              f"secondary index {index} because its projection type is not ALL", index, Select="ALL_ATTRIBUTES")
    check("Consistent reads are not supported on global secondary indexes", "full", ConsistentRead=True)
    check("The table does not have the specified index: absent", "absent")


@pytest.mark.parametrize("expression, values, holds", [
    ("tag = :t", {"t": "x"}, lambda row: row["tag"] == "x"),
    ("#rank BETWEEN :a AND :b", {"a": 2, "b": 5}, lambda row: 2 <= row["rank"] <= 5),
    ("tag IN (:x, :y) AND NOT #rank > :a", {"x": "x", "y": "y", "a": 3}, lambda r: r["tag"] in "xy" and r["rank"] <= 3),
    ("deep.#list[1].even = :yes", {"yes": True}, lambda row: row["sk"] % 2 == 0),
    ("size(note) > :n OR attribute_not_exists(note)", {"n": 10}, lambda row: len(row["note"]) > 10),
    ("contains(deep.#list, :n)", {"n": 7}, lambda row: row["sk"] == 7),
    ("absent = :n", {"n": 7}, lambda row: False),
])
def test_filters(shelf, expression, values, holds):
    """A filter runs after Limit has counted, and over the attributes of the item."""
    mine = shelf.expected(lambda row: row["pk"] == "p09")
    wanted = [row for row in mine if holds(row)]
    for limit in ({}, {"Limit": 4}):
        answers = list(shelf.query_pages("pk = :pk", {"pk": "p09", **values}, FilterExpression=expression, **limit))
        assert [to_row(item) for answer in answers for item in answer["Items"]] == wanted
        assert sum(answer["ScannedCount"] for answer in answers) == len(mine)
        assert sum(answer["Count"] for answer in answers) == len(wanted)


def test_filters_must_not_use_the_key(shelf, refused):
    for index, key in ((None, "sk"), ("local", "rank")):
        refused("ValidationException", "Filter Expression can only contain non-primary key attributes: "
                f"Primary key attribute: {key}", lambda **_: ask(
                    shelf, index, FilterExpression=f"#k = :v AND #k = :v", ExpressionAttributeNames={"#k": key}))


@pytest.mark.parametrize("index", [None, "local", "full"])
def test_pages_are_stable_while_items_come_and_go(new_store, index):
    """The item of the start key is deleted, others are written before and behind it: the query goes on
    to show all that is ahead of it, and nothing else."""
    store = new_store("pk:S sk:N", local=Index("pk:S rank:N", local=True), full=Index("pk:S rank:N"))
    for descending in (False, True):
        store.load({"pk": "p", "sk": sk, "rank": sk * 10} for sk in range(0, 200, 2))
        ahead = -1 if descending else 1
        members = {"IndexName": index} if index else {}
        seen, expected = [], list(store.rows.values())
        while True:
            answer = store.client.query(TableName=store.name, KeyConditionExpression="pk = :p", Limit=7, **members,
                                        ExpressionAttributeValues={":p": {"S": "p"}}, ScanIndexForward=not descending)
            seen += [to_row(item) for item in answer["Items"]]
            if "LastEvaluatedKey" not in answer:
                break
            members["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
            store.remove([seen[-1]])
            for move in (-1, 1, 9):
                sk = seen[-1]["sk"] + move * ahead
                row = {"pk": "p", "sk": sk, "rank": sk * 10, "new": len(seen)}
                if store.key(row) not in store.rows:
                    store.load([row])
                    expected += [row] if move > 0 else []
        assert seen == sorted(expected, key=lambda row: row["sk"], reverse=descending)
        store.remove(list(store.rows.values()))


def test_a_query_for_one_row_ends(shelf):
    """Both keys with =: there can be no second page, so a full one has no start key. The keys of an
    index are not unique: there the pages go on."""
    answer = next(shelf.query_pages("pk = :p AND sk = :s", {"p": "p04", "s": 11}, Limit=1))
    assert (answer["Count"], answer.get("LastEvaluatedKey")) == (1, None)
    wanted = shelf.expected(lambda e: (e["tag"], e["rank"]) == ("x", 3), "keys")
    for limit in (1, 2, len(wanted)):
        same(shelf.query("tag = :t AND #rank = :r", {"t": "x", "r": 3}, "keys", Limit=limit), wanted)


def test_start_keys_that_are_refused(shelf, refused):
    def check(message, start, condition="pk = :p AND sk > :s"):
        values = {":p": {"S": "p01"}, **({":s": {"N": "5"}} if ":s" in condition else {})}
        refused("ValidationException", message, shelf.client.query, TableName=shelf.name,
                KeyConditionExpression=condition,
                ExpressionAttributeValues=values, ExclusiveStartKey=to_item(start))

    check("The provided starting key is invalid", {"pk": "p01"})
    check("The provided starting key is invalid", {"pk": "p01", "sk": 9, "rank": 1})
    check("The provided starting key is outside query boundaries based on provided conditions", {"pk": "p02", "sk": 9},
          "pk = :p")
    check("The provided starting key does not match the range key predicate", {"pk": "p01", "sk": 4})
    check("The query can return at most one row and cannot be restarted", {"pk": "p01", "sk": 5}, "pk = :p AND sk = :s")


def test_pages_of_one_megabyte(new_store):
    """A page ends with the item that reaches about 1 MB; its units follow from the sizes of its items."""
    data = scenario.generator("large rows")
    store = new_store("pk:S sk:N")
    store.load({"pk": "p", "sk": sk, "v": "x" * data.randrange(30_000)} for sk in range(300))
    for consistent in (False, True):
        answers = list(scenario.pages(
            store.client.query, TableName=store.name, KeyConditionExpression="pk = :p", ConsistentRead=consistent,
            ReturnConsumedCapacity="TOTAL", ExpressionAttributeValues={":p": {"S": "p"}}))
        read = [[to_row(item) for item in answer["Items"]] for answer in answers]
        assert [row for rows in read for row in rows] == store.expected(lambda row: True)
        assert len(read) > 3
        for rows, answer in zip(read, answers):
            sizes = list(map(item_size, rows))
            assert answer["ConsumedCapacity"]["CapacityUnits"] == read_units(sum(sizes), consistent)
            if answer is not answers[-1]:  # the packed size of the service is a little larger
                assert sum(sizes) > 0.98 * PAGE and sum(sizes[:-1]) < PAGE


@pytest.mark.parametrize("name_size, size, changes, limit, found, units, more", [
    (255, 41_645, {}, 26, 25, 128, False), (1, 41_645, {24: 41_646}, None, 25, 127.5, True),
    (255, 43_372, {23: 43_387, 24: 44_999}, None, 25, 133.5, True),
    (1, 43_372, {23: 43_388, 24: 44_999}, None, 24, 127.5, True),
])
def test_where_the_service_cuts_a_page(new_store, name_size, size, changes, limit, found, units, more):
    """Recorded on the service: the page ends by a size of its own, in which names hardly count."""
    store = new_store("a:S b:S")
    store.load({"a": "AAAAA12345", "b": f"{number:02d}", "e" * name_size: "e" * changes.get(number, size)}
               for number in range(25))
    answer = store.client.query(
        TableName=store.name, KeyConditionExpression="a = :a", Select="COUNT", ReturnConsumedCapacity="TOTAL",
        ExpressionAttributeValues={":a": {"S": "AAAAA12345"}}, **({"Limit": limit} if limit else {}))
    assert (answer["Count"], answer["ScannedCount"]) == (found, found)
    assert answer["ConsumedCapacity"]["CapacityUnits"] == units
    last = answer.get("LastEvaluatedKey")
    assert last == ({"a": {"S": "AAAAA12345"}, "b": {"S": f"{found - 1:02d}"}} if more else None)
