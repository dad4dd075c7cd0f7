"""Shards that a moved clock splits and rolls over: parents are delivered before their children, and nothing is lost."""

import pytest

from called import BEGIN, Reply, World, function_flags, keys_of
from own_servers import start  # noqa: F401

# One partition, which two windows at nine tenths of ten writes a second make hot; split two minutes later.
HOT = ("initial-burst-seconds=300,partition-reads=30,partition-writes=10,on-demand-reads=30,on-demand-writes=10,"
       "on-demand-partitions=1,split-seconds=120,heat-windows=2")
KEYS = [f"key-{number}" for number in range(9)]


class Splitting:
    """A table with a mapping whose shard is split, and the function's calls."""

    def __init__(self, world, **mapping):
        self.world = world
        self.table = world.table()
        self.uuid = world.map(self.table, **mapping)
        self.rounds = 0

    def write(self, times=1):
        """Each second all keys get the next value."""
        for _ in range(times):
            for key in KEYS:
                self.world.put(self.table, key, v=self.rounds)
            self.rounds += 1
            self.world.admin.move(advance="1s")

    def shards(self):
        """Each with its parent, from the oldest on."""
        streams = self.world.streams
        shards = streams.describe_stream(StreamArn=self.world.stream(self.table))["StreamDescription"]["Shards"]
        return {shard["ShardId"]: shard.get("ParentShardId") for shard in shards}

    def delivered(self):
        """The shards of the calls that went well, in their order."""
        return [call["shardId"] for call in self.world.invocations() if call["outcome"] == "ok"]

    def values(self):
        """Of each key, as they were first seen."""
        seen = {key: [] for key in KEYS}
        for record in self.world.functions.records():
            value = int(record["dynamodb"]["NewImage"]["v"]["S"])
            if value not in seen[keys_of(record)]:
                seen[keys_of(record)].append(value)
        return seen


@pytest.fixture
def hot_world(start, functions):  # noqa: F811
    return World(start(*function_flags(functions), "--threads", "1", "--clock", BEGIN, "--capacity", HOT), functions)


def check_lineage(shards, delivered):
    """No call for a child comes before the last one for its parent."""
    for shard, parent in shards.items():
        if shard in delivered and parent in delivered:
            last_of_parent = len(delivered) - 1 - delivered[::-1].index(parent)
            assert last_of_parent < delivered.index(shard), (shard, parent)


@pytest.mark.parametrize("factor", [1, 3])
def test_children_of_a_split_wait_for_their_parent(hot_world, functions, factor):
    """The function answers nobody until the split is over and the children have records."""
    splitting = Splitting(hot_world, ParallelizationFactor=factor)
    is_open = []
    functions.answer("f", lambda *_: None if is_open else Reply(429))
    splitting.write(times=121)
    assert len(splitting.shards()) == 1
    hot_world.admin.move(advance="3m")
    splitting.write(times=2)
    assert len(splitting.shards()) == 3 and splitting.delivered() == []
    functions.events.clear()
    is_open.append(True)
    hot_world.admin.move(advance="2m")
    assert hot_world.settle()[splitting.uuid]["status"] == "idle"
    shards, delivered = splitting.shards(), splitting.delivered()
    assert set(delivered) == set(shards), "keys lie on both sides"
    check_lineage(shards, delivered)
    assert splitting.values() == {key: list(range(splitting.rounds)) for key in KEYS}


def test_a_split_and_a_rollover_while_records_are_delivered(hot_world):
    splitting = Splitting(hot_world, BatchSize=7)
    splitting.write(times=121)
    hot_world.admin.move(advance="3m")
    splitting.write(times=3)
    hot_world.admin.move(advance="4h")
    splitting.write(times=3)
    hot_world.admin.move(advance="1m")
    assert hot_world.settle()[splitting.uuid]["status"] == "idle"
    shards, delivered = splitting.shards(), splitting.delivered()
    assert len(shards) == 5 and set(delivered) == set(shards)
    check_lineage(shards, delivered)
    assert splitting.values() == {key: list(range(splitting.rounds)) for key in KEYS}
