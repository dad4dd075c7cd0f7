"""Practice: programs that meet throttling, and what cures them. Each is a file to copy from; time is the server's."""

import os
import pathlib
import subprocess
import sys

import hot_partition
import launch
import nightly_batch
import overloaded_index
import plot
import pytest
import queue_table
from checkout import ROOT
from metrics_page import Page
from throttled_world import ONE_SECOND

ONCE = {"retries": {"mode": "standard", "total_max_attempts": 1}}
SMALL_PARTITIONS = "partition-writes=10,partition-reads=30,on-demand-writes=40,on-demand-reads=120"
KEY_RANGE = "TableWriteKeyRangeThroughputExceeded"
INDEX_WRITE = "IndexWriteProvisionedThroughputExceeded"
TABLE_WRITE = "TableWriteProvisionedThroughputExceeded"


LAUNCH = "partition-writes=50,partition-reads=150,on-demand-writes=200,on-demand-reads=600,window-seconds=5"
# What each program prints, beside a server with such a --capacity.
TOLD = {
    "hot_partition": (SMALL_PARTITIONS, [
        *["24 votes for ada in 1 shards: 14 refused"] * 3, "ada has 30 votes",
        *["24 votes for bob in 12 shards: 0 refused"] * 3, "bob has 72 votes"]),
    "overloaded_index": (ONE_SECOND, ["20 orders: 15 refused"] * 3 + ["20 orders: 0 refused"] * 3),
    "nightly_batch": (ONE_SECOND, [
        "Hasty: 100 rows, 40 requests, 95 rows given up", "Patient: 100 rows, 14 requests, 0 rows given up"]),
    "launch": (LAUNCH, [
        "every day, 100 a second, refused: [0, 0]", "launch, 300 a second, refused: [100, 100, 100, 100, 100, 100]",
        "half an hour later, refused: [0, 0]"]),
    "auto_scaling": ("initial-burst-seconds=300", ["behind minute 1: 7 writes a second", "behind minute 17: 5 writes a second"]),
    "queue_table": (SMALL_PARTITIONS, [
        "8 messages in 1 lanes: 0 refused, 2 taken, 6 could not be deleted",
        *["8 messages in 1 lanes: 0 refused, 2 taken, 8 could not be deleted"] * 2,
        *["8 messages in 8 lanes: 0 refused, 8 taken, 0 could not be deleted"] * 3]),
}


class Watch:
    """A table's writes by second, and a drawing of them in docs/."""

    def __init__(self, here, table, index=""):
        self.here = here
        self.record = plot.Recorder(lambda: Page(here.server), table, index)
        self.seconds = self.record.seconds

    def wait(self, seconds):
        for _ in range(seconds):
            self.record()
            self.here.wait(1)

    def draw(self, name, title, marks):
        """Compares with the picture that is there; STATOR_DRAW=1 draws it."""
        drawn = plot.drawing(self.seconds, title, marks)
        picture = ROOT / "docs/internals/images" / f"{name}.svg"
        if os.environ.get("STATOR_DRAW"):
            picture.write_text(drawn)
        assert picture.read_text() == drawn


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
    here = world(LAUNCH)
    here.table("Users")
    client = one_attempt(here)
    watch = Watch(here, "Users")
    assert launch.traffic(client, "Users", 4, 100, watch.wait) == [0] * 4
    assert launch.traffic(client, "Users", 8, 300, watch.wait, first=10_000) == [100] * 8
    here.wait(1800)
    assert launch.traffic(client, "Users", 6, 300, watch.wait, first=20_000) == [0] * 6
    assert here.throttled("Users") == {KEY_RANGE: 800}
    assert watch.seconds == [(100, 0)] * 4 + [(200, 100)] * 8 + [(300, 0)] * 6
    watch.draw("launch", "A launch on a new table on demand",
               {0: "every day", 4: "launch: 300 writes a second", 12: "half an hour later"})


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


def test_a_hot_partition_by_second(world):
    here = world(SMALL_PARTITIONS)
    here.table("Votes")
    client, watch = one_attempt(here), Watch(here, "Votes")
    for candidate, shards in (("ada", 1), ("bob", 12)):
        for _ in range(6):
            hot_partition.vote(client, "Votes", candidate, 24, shards)
            watch.wait(1)
    assert watch.seconds == [(10, 14)] * 6 + [(24, 0)] * 6
    watch.draw("hot-partition", "24 votes a second for a hot item, and over 12 items",
               {0: "one item", 6: "the same votes over 12 items"})


def test_an_overloaded_index_by_second(world):
    here = world()
    client = one_attempt(here)
    client.create_table(**overloaded_index.definition(table_writes=100, index_writes=5))
    watch = Watch(here, "Orders", "ByStatus")
    for second in range(12):
        if second == 6:
            overloaded_index.raise_index(client, 20)
        overloaded_index.place_orders(client, 100 * second, 20)
        watch.wait(1)
    assert watch.seconds == [(5, 15)] * 7 + [(20, 0)] * 5  # what is raised comes in from the next second on
    watch.draw("overloaded-index", "20 orders a second, held up by an index of 5 writes",
               {0: "an index of 5 writes", 7: "an index of 20"})


def test_a_nightly_batch_by_second(world):
    """Each row that is sent again counts once more."""
    here = world()
    here.table("Import", 5, 5)
    watch = Watch(here, "Import")
    assert nightly_batch.load(one_attempt(here), "Import", range(100), wait=watch.wait)[1] == 0
    watch.wait(1)
    assert sum(served for served, _ in watch.seconds) == 100
    assert max(served for served, _ in watch.seconds) == 5 + 5 * 3  # behind a wait of 4 s
    watch.draw("nightly-batch", "100 rows into a table of 5 writes, with waits of 1, 2 and 4 seconds",
               {0: "four batches of 25 rows, each sent again after 1, 2, 4 s"})


def test_a_queue_by_second(world):
    here = world(SMALL_PARTITIONS)
    here.table("Messages", types="queue:S number:N")
    client, watch = one_attempt(here), Watch(here, "Messages")
    for queue, lanes in (("mail", 1), ("post", 8)):
        for second in range(6):
            queue_table.send(client, "Messages", queue, range(8 * second, 8 * second + 8), lanes)
            queue_table.receive(client, "Messages", queue, 10, lanes)
            watch.wait(1)
    assert all(served == 10 and refused for served, refused in watch.seconds[:6])
    assert watch.seconds[6:] == [(16, 0)] * 6
    watch.draw("queue", "8 messages a second through a queue of one key, and of 8",
               {0: "one key", 6: "8 keys"})


@pytest.mark.parametrize("program", TOLD)
def test_a_program_runs_against_an_endpoint(world, program):
    capacity, told = TOLD[program]
    here = world(capacity)
    path = pathlib.Path(__file__).parent / f"{program}.py"
    done = subprocess.run([sys.executable, path, here.server.endpoint], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == told
    assert subprocess.run([sys.executable, path], capture_output=True, timeout=60).returncode == 1
