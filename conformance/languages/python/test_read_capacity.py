"""Units of Query, Scan and UpdateItem with boto3: the documented rules and examples."""

from decimal import Decimal

import pytest

import scenario
from definitions import attributes, key_schema, wait
from scenario import Index, to_item
from sizes import KB, item_size, number_size, read_units

ASKED = {"ReturnConsumedCapacity": "INDEXES"}


def sized(size, row, name="v"):
    """The row with one more attribute that makes it exactly `size` bytes."""
    return {**row, name: "x" * (size - item_size(row) - len(name))}


@pytest.mark.parametrize("text, size", [
    ("0", 1), ("1", 2), ("12", 2), ("15", 2), ("123", 3), ("1234", 3), ("12345", 4), ("100", 2), ("1010", 3),
    ("1.5", 3), ("0.15", 2), ("1.234", 4), ("3.14159", 5), ("100.5", 4), ("0.0000001", 2), ("1E125", 2), ("1E-100", 2),
    ("-42", 3), ("-12345", 5), ("-1E125", 3), ("12345678901234567890123456789012345678", 20)])
def test_our_own_arithmetic(text, size):
    assert number_size(text) == size


def test_our_own_sizes():
    assert item_size({"pk": "user#1", "sk": "2025-07-01", "n": 42, "ok": True}) == 26
    assert item_size({"pk": "東京"}) == 8
    assert item_size({"pk": "a", "ss": {"ab", "c"}, "ns": {1, 120}, "b": b"\x01\x02"}) == 18
    assert item_size({"pk": "a", "m": {"x": Decimal("1.5"), "l": ["ab", None]}}) == 22
    assert item_size({"pk": "a", "l": [], "m": {}}) == 11
    assert item_size({"pk": "s1", "sk": "1", "gsiPk": "g", "proj": "p", "other": "x" * 3000}) == 3023


@pytest.fixture(scope="module")
def store(new_store):
    return new_store("pk:S sk:N", keys=Index("pk:S r:N", "KEYS_ONLY", local=True), glob=Index("g:S r:N", ["p"]))


def ask(store, pk, index=None, name="pk", **members):
    if index:
        members["IndexName"] = index
    return store.client.query(TableName=store.name, KeyConditionExpression=f"{name} = :v",
                              ExpressionAttributeValues={":v": {"S": pk}}, **ASKED, **members)


def consumed(store, table, local=None, every=None):
    """What an answer must report of its units."""
    wanted = {"TableName": store.name, "CapacityUnits": table + (local or 0) + (every or 0),
              "Table": {"CapacityUnits": table}}
    if local is not None:
        wanted["LocalSecondaryIndexes"] = {"keys": {"CapacityUnits": local}}
    if every is not None:
        wanted["GlobalSecondaryIndexes"] = {"glob": {"CapacityUnits": every}}
    return wanted


def test_sizes_are_summed_before_rounding(store):
    """1,500 items of 64 bytes are 96,000 bytes: 24 units, 12 eventually consistent."""
    store.load(sized(64, {"pk": "many", "sk": n}) for n in range(1000, 2500))
    for more in ({}, {"Select": "COUNT"}, {"ProjectionExpression": "sk"},
                 {"FilterExpression": "attribute_exists(absent)"}):
        assert ask(store, "many", ConsistentRead=True, **more)["ConsumedCapacity"] == consumed(store, 24)
        assert ask(store, "many", **more)["ConsumedCapacity"] == consumed(store, 12)


def test_every_page_is_rounded(store):
    store.load(sized(1500, {"pk": "pages", "sk": n}) for n in range(10))
    for limit in range(1, 12):
        units = [answer["ConsumedCapacity"]["CapacityUnits"] for answer in scenario.pages(
            store.client.query, TableName=store.name, KeyConditionExpression="pk = :v", ConsistentRead=True,
            Limit=limit,
            ExpressionAttributeValues={":v": {"S": "pages"}}, **ASKED)]
        read = [limit] * (10 // limit) + [10 % limit]
        assert units == [read_units(count * 1500, True) for count in read]


def test_nothing_found_costs_the_least(store):
    assert ask(store, "absent")["ConsumedCapacity"] == consumed(store, 0.5)
    assert ask(store, "absent", ConsistentRead=True)["ConsumedCapacity"] == consumed(store, 1)
    assert ask(store, "absent", "keys", ConsistentRead=True)["ConsumedCapacity"] == consumed(store, 0, local=1)
    assert ask(store, "absent", "keys")["ConsumedCapacity"] == consumed(store, 0, local=0.5)
    assert ask(store, "absent", "glob", "g")["ConsumedCapacity"] == consumed(store, 0, every=0.5)


@pytest.mark.parametrize("size, strong, eventual", [(100, 3, 1.5), (9 * KB, 9, 4.5)])
def test_fetches_through_a_local_index(store, size, strong, eventual):
    """Every item that is fetched is rounded on its own, beside the entries that were read."""
    pk = f"fetch{size}"
    store.load(sized(size, {"pk": pk, "sk": n, "r": n}) for n in range(3))
    for more in ({"Select": "ALL_ATTRIBUTES"}, {"ProjectionExpression": "v"},
                 {"Select": "ALL_ATTRIBUTES", "FilterExpression": "attribute_not_exists(v)"}):
        answer = ask(store, pk, "keys", **more)
        assert answer["ConsumedCapacity"] == consumed(store, eventual, local=0.5)
        answer = ask(store, pk, "keys", ConsistentRead=True, **more)
        assert answer["ConsumedCapacity"] == consumed(store, strong, local=1)
    assert ask(store, pk, "keys")["ConsumedCapacity"] == consumed(store, 0, local=0.5)
    assert ask(store, pk, "keys", ProjectionExpression="sk, r")["ConsumedCapacity"] == consumed(store, 0, local=0.5)
    assert ask(store, pk, "keys", Select="COUNT")["ConsumedCapacity"] == consumed(store, 0, local=0.5)


def test_the_documented_examples(store):
    """Four entries of 200 bytes and four items of 300: 5 units, 2.5 eventually consistent. Eight
    entries of 2,000 bytes on a global index: 2 units."""
    pk = "p" * 180
    rows = [sized(300, {"pk": pk, "sk": n, "r": n}) for n in range(10, 14)]
    assert {item_size({k: row[k] for k in ("pk", "sk", "r")}) for row in rows} <= set(range(189, 200))
    store.load(rows)
    answer = ask(store, pk, "keys", ConsistentRead=True, Select="ALL_ATTRIBUTES")
    assert answer["ConsumedCapacity"] == consumed(store, 4, local=1)
    assert ask(store, pk, "keys", Select="ALL_ATTRIBUTES")["ConsumedCapacity"] == consumed(store, 2, local=0.5)
    store.load({**sized(2000, {"pk": "e", "sk": n, "r": n, "g": "group"}, "p"), "other": "x" * 3000} for n in range(8))
    assert ask(store, "group", "glob", "g")["ConsumedCapacity"] == consumed(store, 0, every=2)
    answer = store.client.scan(TableName=store.name, IndexName="glob", **ASKED)
    assert answer["ConsumedCapacity"]["Table"] == {"CapacityUnits": 0}


@pytest.mark.parametrize("billing, partitions", [
    ({"ProvisionedThroughput": {"ReadCapacityUnits": 100, "WriteCapacityUnits": 100}}, 1),
    ({"BillingMode": "PAY_PER_REQUEST"}, 4)])
def test_scans_pay_for_every_partition(fast, billing, partitions):
    """A new on-demand table has four partitions, each costs at least the minimum."""
    name = scenario.unique_name("py-scan")
    fast.create_table(TableName=name, KeySchema=key_schema("pk"), AttributeDefinitions=attributes("pk:S"), **billing)
    wait(fast, "table_exists", name)
    try:
        for _ in range(2):
            for consistent, units in ((True, partitions), (False, partitions / 2)):
                answer = fast.scan(TableName=name, ConsistentRead=consistent, **ASKED)
                assert answer["ConsumedCapacity"] == {
                    "TableName": name, "CapacityUnits": units, "Table": {"CapacityUnits": units}}
            fast.put_item(TableName=name, Item={"pk": {"S": "only"}})
    finally:
        fast.delete_table(TableName=name)


def update(store, row, expression, mode="INDEXES", **values):
    members = scenario.placeholders(values, expression)
    return store.client.update_item(TableName=store.name, Key=store.key_item(row), UpdateExpression=expression,
                                    ReturnConsumedCapacity=mode, **members)["ConsumedCapacity"]


def test_updates_cost_the_larger_item(store):
    row = {"pk": "update", "sk": 1}
    assert update(store, row, "SET v = :v", v="x" * 100) == consumed(store, 1)
    assert item_size({**row, "v": "x" * 3000}) in range(2 * KB + 1, 3 * KB + 1)
    assert update(store, row, "SET v = :v", v="x" * 3000) == consumed(store, 3)
    assert update(store, row, "SET v = :v", v="x" * 3000) == consumed(store, 3), "nothing changed"
    assert update(store, row, "REMOVE absent") == consumed(store, 3)
    assert update(store, row, "SET v = :v", v="x") == consumed(store, 3)
    assert update(store, row, "SET v = :v", mode="TOTAL", v="x") == {"TableName": store.name, "CapacityUnits": 1}
    answer = store.client.update_item(TableName=store.name, Key=store.key_item(row))
    assert "ConsumedCapacity" not in answer


def test_updates_of_index_entries(store):
    """The measured examples: an entry appears, moves, grows, shrinks, stays and goes."""
    row = {"pk": "entries", "sk": 1}

    def step(expected, expression, **values):
        assert update(store, row, expression, **values) == consumed(store, *expected)

    step((2, 1, 2), "SET g = :g, r = :r, p = :p", g="g", r=1, p="x" * 1500)
    step((2, None, 4), "SET g = :g", g="h")
    step((2, None, None), "SET v = :v", v="y")
    step((3, None, 3), "SET p = :p", p="x" * 3000)
    step((3, None, 3), "SET p = :p", p="z")
    step((1, None, None), "SET p = :p", p="z")
    step((1, 1 + 1, 1 + 1), "SET r = :r", r=2)
    step((1, None, 1), "REMOVE g")
    step((1, 1, None), "REMOVE r")
    store.client.delete_item(TableName=store.name, Key=store.key_item(row))


def test_failed_conditions_report_nothing(store, refused):
    answer = refused("ConditionalCheckFailedException", "The conditional request failed", store.client.update_item,
                     TableName=store.name, Key=to_item({"pk": "none", "sk": 1}), UpdateExpression="SET g = :v",
                     ConditionExpression="attribute_exists(pk)", ExpressionAttributeValues={":v": {"S": "x"}}, **ASKED)
    assert "ConsumedCapacity" not in answer
