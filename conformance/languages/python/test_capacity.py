"""ConsumedCapacity and ItemCollectionMetrics with boto3 (conformance/observed/capacity.md 1 to 3)."""

import pytest

KB = 1024


def sized(size, key="c", **extra):
    """An item of exactly `size` bytes with the names pk and v, `extra` not counted."""
    return {"pk": {"S": key}, "v": {"S": "x" * (size - 3 - len(key))}, **extra}


def units(answer):
    return answer["ConsumedCapacity"]["CapacityUnits"]


@pytest.mark.parametrize("size, write, read", [
    (4, 1, 1), (KB, 1, 1), (KB + 1, 2, 1), (2 * KB, 2, 1), (2 * KB + 1, 3, 1), (4 * KB, 4, 1),
    (4 * KB + 1, 5, 2), (8 * KB, 8, 2), (8 * KB + 1, 9, 3), (400 * KB, 400, 100),
])
def test_units_at_the_borders(dynamodb, table, size, write, read):
    asked = {"TableName": table, "ReturnConsumedCapacity": "TOTAL"}
    key = {"pk": {"S": "c"}}
    assert units(dynamodb.put_item(Item=sized(size), **asked)) == write
    assert units(dynamodb.get_item(Key=key, ConsistentRead=True, **asked)) == read
    assert units(dynamodb.get_item(Key=key, **asked)) == read / 2
    assert units(dynamodb.delete_item(Key=key, **asked)) == write


def test_absent_items_cost_the_least(dynamodb, table):
    asked = {"TableName": table, "Key": {"pk": {"S": "absent"}}, "ReturnConsumedCapacity": "TOTAL"}
    assert units(dynamodb.get_item(**asked)) == 0.5
    assert units(dynamodb.get_item(ConsistentRead=True, **asked)) == 1
    assert units(dynamodb.delete_item(**asked)) == 1


def test_replacing_costs_the_larger_item(dynamodb, table):
    asked = {"TableName": table, "ReturnConsumedCapacity": "TOTAL"}
    assert units(dynamodb.put_item(Item=sized(5 * KB), **asked)) == 5
    assert units(dynamodb.put_item(Item=sized(100), **asked)) == 5
    assert units(dynamodb.put_item(Item=sized(3 * KB), **asked)) == 3
    assert units(dynamodb.put_item(Item=sized(3 * KB), **asked)) == 3


def test_shape_of_the_answer(dynamodb, table):
    for mode, extra in (("TOTAL", {}), ("INDEXES", {"Table": {"CapacityUnits": 1.0}})):
        answer = dynamodb.put_item(TableName=table, Item=sized(9, "d"), ReturnConsumedCapacity=mode)
        assert answer["ConsumedCapacity"] == {"TableName": table, "CapacityUnits": 1.0, **extra}
        answer = dynamodb.get_item(TableName=table, Key={"pk": {"S": "d"}}, ConsistentRead=True,
                                   ReturnConsumedCapacity=mode)
        assert answer["ConsumedCapacity"] == {"TableName": table, "CapacityUnits": 1.0, **extra}
    for mode in ({}, {"ReturnConsumedCapacity": "NONE"}):
        assert "ConsumedCapacity" not in dynamodb.put_item(TableName=table, Item=sized(9, "d"), **mode)


@pytest.fixture
def indexed(new_table):
    """A table with the keys pk and sk, the local index loc on l and the global index glo on g and h
    that also carries p."""
    names = ("pk", "sk", "l", "g", "h")
    return new_table(
        "pk:S sk:S", AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in names],
        LocalSecondaryIndexes=[{
            "IndexName": "loc", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}]}],
        GlobalSecondaryIndexes=[{
            "IndexName": "glo", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["p"]},
            "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "h", "KeyType": "RANGE"}]}])


@pytest.fixture
def charged(dynamodb, indexed):
    """charged(item) puts the item and returns (total, table, loc, glo); None means not charged."""
    def arms(answer):
        capacity = answer["ConsumedCapacity"]
        for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
            assert capacity.get(kind) != {}
        local = capacity.get("LocalSecondaryIndexes", {}).get("loc", {}).get("CapacityUnits")
        every = capacity.get("GlobalSecondaryIndexes", {}).get("glo", {}).get("CapacityUnits")
        return capacity["CapacityUnits"], capacity["Table"]["CapacityUnits"], local, every

    def put(**values):
        item = {name: {"S": value} for name, value in {"pk": "a", "sk": "b", **values}.items()}
        return arms(dynamodb.put_item(TableName=indexed, Item=item, ReturnConsumedCapacity="INDEXES"))

    def delete():
        return arms(dynamodb.delete_item(TableName=indexed, Key={"pk": {"S": "a"}, "sk": {"S": "b"}},
                                         ReturnConsumedCapacity="INDEXES"))

    put.delete = delete
    return put


def test_sparse_indexes_are_free(charged):
    assert charged() == (1, 1, None, None)
    assert charged(g="x") == (1, 1, None, None)
    assert charged(h="x") == (1, 1, None, None)
    assert charged.delete() == (1, 1, None, None)


def test_only_what_an_index_stores_counts(charged):
    """A 3 KB attribute is charged to the table and the index with everything, not to the other."""
    assert charged(g="g", h="h", p="p", other="x" * 3000) == (4, 3, None, 1)
    assert charged(l="l", other="x" * 3000) == (3 + 3 + 1, 3, 3, 1)
    assert charged.delete() == (6, 3, 3, None)


def test_unchanged_entries_are_free(charged):
    assert charged(g="g", h="h", p="p", l="l") == (3, 1, 1, 1)
    assert charged(g="g", h="h", p="p", l="l") == (1, 1, None, None)
    assert charged(g="g", h="h", p="p", l="l", other="1") == (2, 1, 1, None)
    assert charged(g="g", h="h", p="q", l="l", other="1") == (3, 1, 1, 1)


def test_moving_an_entry_costs_both_sides(charged):
    assert charged(g="g", h="1", p="x" * 1490) == (4, 2, None, 2)
    assert charged(g="g", h="2", p="x" * 1490) == (6, 2, None, 4)
    assert charged(g="z", h="2", p="") == (2 + 3, 2, None, 3)
    assert charged.delete() == (2, 1, None, 1)


def test_total_includes_the_indexes(dynamodb, indexed):
    item = {n: {"S": n} for n in ("pk", "sk", "l", "g", "h")}
    answer = dynamodb.put_item(TableName=indexed, Item=item, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == {"TableName": indexed, "CapacityUnits": 3.0}


def test_item_collection_metrics(dynamodb, indexed, table):
    key = {"pk": {"S": "m"}, "sk": {"S": "1"}}
    wanted = {"ItemCollectionKey": {"pk": {"S": "m"}}, "SizeEstimateRangeGB": [0.0, 1.0]}
    answer = dynamodb.put_item(TableName=indexed, Item=key, ReturnItemCollectionMetrics="SIZE")
    assert answer["ItemCollectionMetrics"] == wanted
    answer = dynamodb.delete_item(TableName=indexed, Key=key, ReturnItemCollectionMetrics="SIZE")
    assert answer["ItemCollectionMetrics"] == wanted
    for name, mode in ((indexed, "NONE"), (table, "SIZE")):
        item = {"pk": {"S": "m"}, "sk": {"S": "1"}}
        answer = dynamodb.put_item(TableName=name, Item=item, ReturnItemCollectionMetrics=mode)
        assert "ItemCollectionMetrics" not in answer
