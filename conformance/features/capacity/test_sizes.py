"""Partitions know their bytes, and one that has too many is split where half of them lie."""

import pytest

from admin import Admin
from client import Client
from definitions import key_schema
from places import hash16
from scenario_file import content

LARGE = 100_000
FLAG = f"initial-burst-seconds=300,partition-bytes={LARGE}"


class Sized:
    def __init__(self, server, **members):
        self.server, self.client, self.admin = server, Client(server), Admin(server)
        names = ("pk", "sk", *members.pop("more", ()))
        self.client.ok("CreateTable", TableName="Things", KeySchema=key_schema("pk", "sk"),
                       AttributeDefinitions=[{"AttributeName": one, "AttributeType": "S"} for one in names],
                       ProvisionedThroughput={"ReadCapacityUnits": 50, "WriteCapacityUnits": 50}, **members)

    def put(self, partition, sort="0", size=10_000, **members):
        self.client.ok("PutItem", TableName="Things", Item={
            "pk": {"S": partition}, "sk": {"S": sort}, "filler": {"S": "x" * size}, **members})

    def told(self, index=""):
        (one,) = [one for one in self.admin.ok("capacity")["tables"] if one.get("index", "") == index]
        return one

    def bytes(self, index=""):
        return [one["bytes"] for one in self.told(index)["partitions"]]

    def table_bytes(self):
        return self.client.describe("Things")["TableSizeBytes"]


@pytest.fixture
def sized(start):
    return lambda *flags, **members: Sized(start("--capacity", FLAG, "--throttling", "observe", *flags), **members)


def index(name, partition, sort=None, kind="GlobalSecondaryIndexes"):
    schema = [{"AttributeName": partition, "KeyType": "HASH"}]
    if sort:
        schema.append({"AttributeName": sort, "KeyType": "RANGE"})
    made = {"IndexName": name, "KeySchema": schema, "Projection": {"ProjectionType": "ALL"}}
    if kind.startswith("Global"):
        made["ProvisionedThroughput"] = {"ReadCapacityUnits": 50, "WriteCapacityUnits": 50}
    return {kind: [made]}


SIZES = [one for one in next(one for one in content()["scenarios"] if one["id"] == "P40")["cases"] if one["size_gib"]]


@pytest.mark.parametrize("case", SIZES, ids=lambda case: case["why"])
def test_partitions_of_a_size(start, case):
    """P40 where it speaks of bytes: 10 GiB are 100,000 bytes here, written in items of a tenth in even places."""
    server = start("--capacity", FLAG, "--throttling", "observe")
    client = Client(server)
    client.ok("CreateTable", TableName="Things", KeySchema=key_schema("pk"),
              AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
              ProvisionedThroughput={"ReadCapacityUnits": case["read"], "WriteCapacityUnits": case["write"]})
    places = {}
    for number in range(2000):
        places.setdefault(hash16(f"key-{number}") * case["size_gib"] >> 16, f"key-{number}")
    for place in sorted(range(case["size_gib"]), key=lambda one: f"{one:06b}"[::-1]):
        client.ok("PutItem", TableName="Things", Item={"pk": {"S": places[place]}, "filler": {"S": "x" * 9_900}})
    assert len(Admin(server).ok("capacity")["tables"][0]["partitions"]) == case["partitions"]


def test_bytes_follow_the_items(sized):
    table = sized()
    for number in range(5):
        table.put(f"key-{number}")
    assert table.bytes() == [table.table_bytes()]
    table.put("key-0", size=20)
    table.client.ok("DeleteItem", TableName="Things", Key={"pk": {"S": "key-1"}, "sk": {"S": "0"}})
    assert table.bytes() == [table.table_bytes()]


def test_split_between_items(sized):
    table = sized()
    for number in range(40):
        table.put(f"key-{number}")
    told = table.told()
    assert 4 < len(told["partitions"]) <= 8
    assert all(split["cause"] == "size" for split in told["splits"])
    assert sum(table.bytes()) == table.table_bytes() and max(table.bytes()) <= LARGE
    # What a partition tells is what lies in it.
    begins = [one["first_hash"] for one in told["partitions"]] + [1 << 24]
    places = [hash16(f"key-{number}") << 8 for number in range(40)]
    for number, (begin, end) in enumerate(zip(begins, begins[1:])):
        counted = sum(begin >> 8 << 8 <= place < end >> 8 << 8 for place in places)
        assert abs(table.bytes()[number] - counted * 10_020) <= 10_100


def test_a_collection_is_divided(sized):
    table = sized()
    for number in range(14):
        table.put("one", f"sort-{number:02}")
    told = table.told()
    assert len(told["partitions"]) == 2 and told["partitions"][1]["divides_collection"]
    # Half of the first ten, and what came behind them.
    assert table.bytes() == [5 * 10_020, 9 * 10_020]
    assert sum(table.bytes()) == table.table_bytes()


def test_a_collection_with_a_local_index_stays_whole(sized):
    table = sized(more=["l"], **index("local", "pk", "l", "LocalSecondaryIndexes"))
    for number in range(15):
        table.put("one", f"sort-{number:02}", l={"S": "x"})
    assert len(table.bytes()) == 1 and table.bytes()[0] > 2 * table.table_bytes() * 0.99
    table.put("two", l={"S": "x"})
    for number in range(15):
        table.put("two", f"sort-{number:02}", l={"S": "x"})
    assert len(table.bytes()) == 2


def test_an_index_is_split_for_itself(sized):
    table = sized(more=["g"], **index("by_g", "g"))
    for number in range(30):
        table.put(f"key-{number}", g={"S": f"group-{number % 3}"})
    description = table.client.describe("Things")["GlobalSecondaryIndexes"][0]
    assert sum(table.bytes("by_g")) == description["IndexSizeBytes"]
    assert len(table.bytes("by_g")) > 1
    for number in range(30):
        table.put(f"key-{number}", g={"S": "group-x"})
    description = table.client.describe("Things")["GlobalSecondaryIndexes"][0]
    assert sum(table.bytes("by_g")) == description["IndexSizeBytes"]


def test_an_entry_that_moves_takes_its_bytes_along(sized):
    """Of equal size before and after: the index as a whole has not changed."""
    table = sized(more=["g"], **index("by_g", "g"))
    for number in range(30):
        table.put(f"key-{number}", g={"S": f"group-{number:02}"})
    begins = [one["first_hash"] for one in table.told("by_g")["partitions"]] + [1 << 24]
    assert len(begins) > 3

    def partition(group):
        return next(n for n, end in enumerate(begins[1:]) if hash16(group) < end >> 8)

    before = table.bytes("by_g")
    target = min(range(len(before)), key=before.__getitem__)
    group = next(f"group-{n:02}" for n in range(30, 99) if partition(f"group-{n:02}") == target)
    number = next(n for n in range(30) if partition(f"group-{n:02}") != target)
    entry_bytes = sum(before) // 30  # give or take the digits of a key
    table.put(f"key-{number}", g={"S": group})
    after = table.bytes("by_g")
    assert sum(after) == sum(before)
    moved = [now - then for now, then in zip(after, before)]
    origin = partition(f"group-{number:02}")
    assert abs(moved[target] - entry_bytes) <= 1 and moved[origin] == -moved[target]
    assert [n for n, change in enumerate(moved) if change] == sorted([origin, target])


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_kept(start, sized, tmp_path, ending):
    table = sized("--db-path", tmp_path / "data")
    for number in range(40):
        table.put(f"key-{number}")
    before = table.told()
    table.admin.ok("capacity", {"table": "Things"})  # answers when all splits are stored
    if ending == "kill":
        table.server.kill()
    else:
        assert table.server.stop() == 0
    server = start("--capacity", FLAG, "--db-path", tmp_path / "data")
    (after,) = Admin(server).ok("capacity")["tables"]
    assert [one["first_hash"] for one in after["partitions"]] == [one["first_hash"] for one in before["partitions"]]
    assert sum(one["bytes"] for one in after["partitions"]) == sum(one["bytes"] for one in before["partitions"])
    assert after["splits"] == before["splits"]
    if ending == "stop":
        assert after["partitions"][0]["bytes"] == before["partitions"][0]["bytes"]
