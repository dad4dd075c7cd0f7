"""What transactions consume, and how it is told (conformance/observed/capacity.md 3)."""

import pytest

from actions import check, delete, get, item, put, update, write

KB = 1024
TOTAL, INDEXES = ({"ReturnConsumedCapacity": kind} for kind in ("TOTAL", "INDEXES"))


def sized(key, size, **values):
    """An item of `size` bytes, `values` included."""
    one = item(key, **values)
    used = sum(len(name) + len(v.get("S", "")) for name, v in one.items())
    return {**one, "v": {"S": "x" * (size - used - 1)}}


def told(answer):
    entry, = answer["ConsumedCapacity"]
    return entry


@pytest.mark.parametrize("size, units, read_units", [(100, 2, 2), (KB, 2, 2), (KB + 1, 4, 2), (4 * KB, 8, 2),
                                                     (4 * KB + 1, 10, 4), (400 * KB, 800, 200)])
def test_twice_what_single_calls_cost(raw, table, size, units, read_units):
    key = f"size {size}"
    written = {"TableName": table, "CapacityUnits": units, "WriteCapacityUnits": units}
    assert told(write(raw, put(table, sized(key, size)), **TOTAL)) == written
    assert told(write(raw, check(table, key), **TOTAL)) == written
    answer = raw.ok("TransactGetItems", TransactItems=[get(table, key)], **TOTAL)
    assert told(answer) == {"TableName": table, "CapacityUnits": read_units, "ReadCapacityUnits": read_units}
    assert told(write(raw, update(table, key, "SET v = v", ConditionExpression="attribute_exists(pk)"),
                      **TOTAL)) == written
    assert told(write(raw, delete(table, key), **TOTAL)) == written


def test_the_larger_item_counts(raw, table):
    write(raw, put(table, sized("shrinks", 5 * KB)))
    assert told(write(raw, put(table, sized("shrinks", 100)), **TOTAL))["CapacityUnits"] == 10
    assert told(write(raw, put(table, sized("shrinks", 3 * KB)), **TOTAL))["CapacityUnits"] == 6
    assert told(write(raw, update(table, "shrinks", "REMOVE v"), **TOTAL))["CapacityUnits"] == 6


def test_nothing_there_costs_the_least(raw, table):
    for one in (check(table, "none", "attribute_not_exists(pk)"), delete(table,
                                                                         "none"), update(table, "none", "REMOVE n")):
        assert told(write(raw, one, **TOTAL))["CapacityUnits"] == 2
    answer = raw.ok("TransactGetItems", TransactItems=[get(table, "none"), get(table, "none 2")], **INDEXES)
    assert answer == {
        "Responses": [{}, {}], "ConsumedCapacity": [{
            "TableName": table, "CapacityUnits": 4, "ReadCapacityUnits": 4,
            "Table": {"CapacityUnits": 4, "ReadCapacityUnits": 4}
        }]
    }


def test_each_action_is_rounded_on_its_own(raw, table):
    actions = [put(table, sized(f"round {n}", 100)) for n in range(5)] + [put(table, sized("round 5", KB + 1))]
    assert told(write(raw, *actions, **TOTAL))["CapacityUnits"] == 14


def test_a_projection_saves_nothing(raw, table):
    write(raw, put(table, sized("projected", 9 * KB, n=1)))
    answer = raw.ok("TransactGetItems", TransactItems=[get(table, "projected", ProjectionExpression="n")], **TOTAL)
    assert told(answer)["CapacityUnits"] == 6


def test_modes(raw, table):
    for kind in ({}, {"ReturnConsumedCapacity": "NONE"}):
        assert write(raw, put(table, "mode"), **kind) == {}
        assert set(raw.ok("TransactGetItems", TransactItems=[get(table, "mode")], **kind)) == {"Responses"}
    assert told(write(raw, put(table, "mode"), **INDEXES)) == {
        "TableName": table, "CapacityUnits": 2, "WriteCapacityUnits": 2,
        "Table": {"CapacityUnits": 2, "WriteCapacityUnits": 2}
    }


def test_one_entry_for_each_table(raw, new_table):
    first, second = sorted((new_table(), new_table()))
    answer = write(raw, put(second, "a"), put(first, "a"), put(second, sized("b", 2 * KB)), **TOTAL)
    assert answer == {
        "ConsumedCapacity": [{"TableName": first, "CapacityUnits": 2, "WriteCapacityUnits": 2},
                             {"TableName": second, "CapacityUnits": 6, "WriteCapacityUnits": 6}]
    }
    answer = raw.ok("TransactGetItems", TransactItems=[get(second, "b"), get(first, "a")], **TOTAL)
    assert answer["ConsumedCapacity"] == [{"TableName": name, "CapacityUnits": 2, "ReadCapacityUnits": 2}
                                          for name in (first, second)]


def test_a_name_and_an_arn_are_one_entry(raw, table):
    arn = raw.describe(table)["TableArn"]
    entry = told(write(raw, put(arn, "one"), put(table, "two"), **TOTAL))
    assert (entry["CapacityUnits"], entry["TableName"] in (arn, table)) == (4, True)
    answer = raw.ok("TransactGetItems", TransactItems=[get(table, "one"), get(arn, "two")], **TOTAL)
    assert told(answer)["CapacityUnits"] == 4


@pytest.fixture
def indexed(new_table):
    """A table with the keys pk and sk, the local index loc on l and the global index glo on g."""
    def index(name, *keys):
        schema = [{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"))]
        return {"IndexName": name, "KeySchema": schema, "Projection": {"ProjectionType": "KEYS_ONLY"}}

    definitions = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "l", "g")]
    return new_table("pk:S sk:S",
                     AttributeDefinitions=definitions,
                     LocalSecondaryIndexes=[index("loc", "pk", "l")],
                     GlobalSecondaryIndexes=[index("glo", "g")])


def test_indexes_cost_what_they_always_cost(raw, indexed):
    def units(n):
        return {"CapacityUnits": n, "WriteCapacityUnits": n}

    in_global = item("p", sk="1", g="x")
    assert told(write(raw, put(indexed, in_global), **INDEXES)) == {
        "TableName": indexed, **units(3), "Table": units(2), "GlobalSecondaryIndexes": {"glo": units(1)}
    }
    in_both = item("p", sk="2", g="x", l="x")
    moved = update(indexed, item("p", sk="1"), "SET g = :g", {"g": "y"})
    assert told(write(raw, put(indexed, in_both), moved, **INDEXES)) == {
        "TableName": indexed, **units(8), "Table": units(4), "LocalSecondaryIndexes": {"loc": units(1)},
        "GlobalSecondaryIndexes": {"glo": units(3)}
    }
    assert told(write(raw, put(indexed, in_both), **TOTAL)) == {"TableName": indexed, **units(2)}


def test_metrics_of_collections(raw, indexed, table):
    asked = {"ReturnItemCollectionMetrics": "SIZE"}
    answer = write(raw, put(indexed, item("m1", sk="1")), put(indexed, item("m2", sk="1")), put(table, "m"), **asked)
    assert set(answer) == {"ItemCollectionMetrics"} and set(answer["ItemCollectionMetrics"]) == {indexed}
    found = answer["ItemCollectionMetrics"][indexed]
    assert sorted(entry["ItemCollectionKey"]["pk"]["S"] for entry in found) == ["m1", "m2"]
    assert all(entry["SizeEstimateRangeGB"] == [0, 1] for entry in found)
    assert write(raw, put(table, "m"), **asked) == {}
    assert write(raw, put(indexed, item("m1", sk="1")), ReturnItemCollectionMetrics="NONE") == {}
