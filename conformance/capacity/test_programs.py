"""Practice: programs that meet throttling, and what cures them. Each is a file to copy from; time is the server's."""

import os
import pathlib

import hot_partition
import launch
import nightly_batch
import overloaded_index
import plot
import pytest
import queue_table
from metrics_page import Page

ONCE = {"retries": {"mode": "standard", "total_max_attempts": 1}}
SMALL_PARTITIONS = "partition-writes=10,partition-reads=30,on-demand-writes=40,on-demand-reads=120"
KEY_RANGE = "TableWriteKeyRangeThroughputExceeded"
INDEX_WRITE = "IndexWriteProvisionedThroughputExceeded"
TABLE_WRITE = "TableWriteProvisionedThroughputExceeded"


def one_attempt(here):
    """A client that does not try again, so that each refusal is seen."""
    return here.client(retries=ONCE["retries"])


def test_a_hot_partition_is_cured_by_write_sharding(world):
    here = world(SMALL_PARTITIONS)  # 10 writes a second each, 40 in the table
    here.table("Votes")
    client = one_attempt(here)
    assert hot_partition.vote(client, "Votes", "ada", 24) == 14
    assert here.throttled("Votes") == {KEY_RANGE: 14}
    assert here.told("Votes")["throttled_keys"][0]["key"] == {"S": "ada#0"}
    here.wait(1)
    assert hot_partition.vote(client, "Votes", "bob", 24, shards=12) == 0
    assert here.throttled("Votes") == {KEY_RANGE: 14}
    assert hot_partition.count(client, "Votes", "ada") == 10
    assert hot_partition.count(client, "Votes", "bob", shards=12) == 24


def test_an_overloaded_index_throttles_its_table(world):
    here = world()
    client = one_attempt(here)
    client.create_table(**overloaded_index.definition(table_writes=100, index_writes=5))
    assert overloaded_index.place_orders(client, 0, 20) == 15
    last = client.seen[-1][1]["ThrottlingReasons"]
    assert [one["reason"] for one in last] == [INDEX_WRITE]
    assert last[0]["resource"].endswith("table/Orders/index/ByStatus")
    assert here.throttled("Orders") == {}
    assert here.throttled("Orders", "ByStatus") == {INDEX_WRITE: 15}
    assert here.told("Orders")["write"]["consumed_units"] == 5

    # An order that is not in the index does not need it.
    assert overloaded_index.place_orders(client, 100, 20, status=None) == 0
    # With as many units as the orders take, the index holds nothing up.
    overloaded_index.raise_index(client, 20)
    here.wait(1)
    assert overloaded_index.place_orders(client, 200, 20) == 0
    assert here.throttled("Orders", "ByStatus") == {INDEX_WRITE: 15}


def test_a_nightly_batch_without_waiting(world):
    """10 attempts at the same moment are as good as one: of 100 rows 5 are written."""
    here = world()
    here.table("Import", 5, 5)
    assert nightly_batch.load(one_attempt(here), "Import", range(100)) == (40, 95)
    assert here.told("Import")["write"]["consumed_units"] == 5
    # The first batch leaves 20 of 25 rows, ten times; of the others nothing passes.
    assert here.throttled("Import")[TABLE_WRITE] == 10 * 20 + 30 * 25


@pytest.mark.parametrize("mode, attempts", [("standard", 3), ("legacy", 10)])
def test_a_nightly_batch_that_leaves_trying_again_to_the_sdk(world, mode, attempts):
    """The SDK tries again what is refused as a whole, and not what is left of a batch: of the 40 calls that is all
    but the first."""
    here = world(is_waiting=False)
    here.table("Import", 5, 5)
    client = here.client(mode)
    assert nightly_batch.load(client, "Import", range(100)) == (40, 95)
    assert len(client.seen) == 1 + 39 * attempts
    assert len(here.waited_s) == 39 * (attempts - 1)
    assert [status for status, _ in client.seen] == [200] + [400] * 39 * attempts
    assert here.throttled("Import")[TABLE_WRITE] == 20 + (9 * 20 + 30 * 25) * attempts


def test_a_nightly_batch_whose_sdk_waits(world):
    """Each wait of the legacy mode passes on the server's clock, so in time its attempts are let through."""
    here = world()
    here.table("Import", 5, 5)
    client = here.client("legacy")
    calls, lost = nightly_batch.load(client, "Import", range(100), attempts=100)
    assert lost == 0
    assert here.told("Import")["write"]["consumed_units"] == 100
    assert len(client.seen) == calls + len(here.waited_s)
    assert set(here.waited_s) <= {0.05, 0.1, 0.2}  # one is a fifth of a second away


def test_a_nightly_batch_with_waiting(world):
    """The same rows take 19 seconds at least, and 5 requests a batch are enough."""
    here = world()
    here.table("Import", 5, 5)
    sent, lost = nightly_batch.load(one_attempt(here), "Import", range(100), wait=here.wait)
    assert lost == 0
    assert here.told("Import")["write"]["consumed_units"] == 100
    assert sent <= 4 * 5
    assert 95 / 5 <= sum(here.waited_s) <= 2 * 95 / 5


def test_a_launch_outgrows_the_first_ceiling(world):
    """A new table on demand serves 200 writes a second here, and half an hour later twice of what it was seen to."""
    here = world("partition-writes=50,partition-reads=150,on-demand-writes=200,on-demand-reads=600,window-seconds=5")
    here.table("Users")
    client = one_attempt(here)
    record = plot.Recorder(lambda: Page(here.server), "Users")

    def second_over(_):
        record()
        here.wait(1)

    assert launch.traffic(client, "Users", 4, 100, second_over) == [0] * 4
    assert launch.traffic(client, "Users", 8, 300, second_over, first=10_000) == [100] * 8
    here.wait(1800)
    assert launch.traffic(client, "Users", 6, 300, second_over, first=20_000) == [0] * 6
    assert here.throttled("Users") == {KEY_RANGE: 800}
    assert record.seconds == [(100, 0)] * 4 + [(200, 100)] * 8 + [(300, 0)] * 6
    marks = {0: "every day", 4: "launch: 300 writes a second", 12: "half an hour later"}
    drawn = plot.drawing(record.seconds, "A launch on a new table on demand", marks)
    picture = pathlib.Path(__file__).parents[2] / "docs" / "launch.svg"
    if os.environ.get("STATOR_DRAW"):
        picture.write_text(drawn)
    assert picture.read_text() == drawn


def test_a_queue_of_one_key_is_hot(world):
    """Each message is written twice, when it comes and when it goes, and all of that in one partition."""
    here = world(SMALL_PARTITIONS)
    here.table("Messages", types="queue:S number:N")
    client = one_attempt(here)
    assert queue_table.send(client, "Messages", "mail", range(8)) == []
    assert queue_table.receive(client, "Messages", "mail", 10) == ([0, 1], 6)
    assert here.throttled("Messages") == {KEY_RANGE: 6}
    assert here.told("Messages")["throttled_keys"] == [{"key": {"S": "mail#0"}, "units": 6.0}]
    here.wait(1)
    assert queue_table.receive(client, "Messages", "mail", 10) == ([2, 3, 4, 5, 6, 7], 0)
    here.wait(1)
    assert queue_table.send(client, "Messages", "post", range(8), lanes=8) == []
    assert queue_table.receive(client, "Messages", "post", 10, lanes=8) == (list(range(8)), 0)
    assert here.throttled("Messages") == {KEY_RANGE: 6}
