"""Shards that follow from splits of their table's partitions: driven until one is hot, over a restart."""

from datetime import datetime

import pytest

from admin import Admin
from conftest import clients_of
from reader import StreamReader, children_of, records_of, shards_of
from test_lineage import check_lineage, check_within, count_up, counts, up_to

# One partition, which two windows at nine tenths of ten writes a second make hot; split two minutes later.
SMALL = ("initial-burst-seconds=300,partition-reads=30,partition-writes=10,on-demand-reads=30,on-demand-writes=10,"
         "on-demand-partitions=1,split-seconds=120,heat-windows=2")
KEYS = [f"key-{i}" for i in range(9)]


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Life:
    def __init__(self, start, *flags):
        self.start, self.flags = start, flags
        self.begin("--clock", "2027-01-01")

    def begin(self, *flags):
        self.server = self.start("--threads", "1", "--capacity", SMALL, *self.flags, *flags)
        self.aws, self.admin = clients_of(self.server), Admin(self.server)

    def heat(self, table, times=121):
        """Each second all keys; returns how often that was."""
        for _ in range(times):
            count_up(self.aws, table, KEYS)
            self.admin.move(advance="1s")
        return times

    def partitions(self):
        (one,) = self.admin.ok("capacity")["tables"]
        return one["partitions"]

    def open_shards(self, arn):
        return [shard for shard in shards_of(self.aws.streams, arn).values()
                if "EndingSequenceNumber" not in shard["SequenceNumberRange"]]


@pytest.mark.parametrize("throttling", ["observe", "enforce"])
def test_a_partition_that_is_split_closes_a_shard_and_opens_two(start, throttling):
    life = Life(start, "--throttling", throttling)
    table, arn = life.aws.create()
    reader = StreamReader(life.aws.streams, arn)
    writes = life.heat(table)
    seen = reader.read()
    assert len(life.partitions()) == 1 and len(shards_of(life.aws.streams, arn)) == 1
    life.admin.move(advance="3m")
    assert len(life.partitions()) == 2
    parent, *children = shards_of(life.aws.streams, arn)
    assert children == children_of(life.aws.streams, arn, parent) and len(children) == 2
    count_up(life.aws, table, KEYS, times=2)
    seen += reader.read()
    assert counts(records_of(seen)) == up_to(KEYS, writes + 2)
    shards = shards_of(life.aws.streams, arn)
    check_lineage(shards)
    check_within(shards, seen)
    assert {shard for shard, _ in seen} == set(shards), "keys lie on both sides"
    # They open at the split's moment, which is not where the clock was moved to.
    split, = life.admin.ok("capacity")["tables"][0]["splits"]
    for child in children:
        assert abs(int(child[8:28]) / 1000 - moment(split["time"])) < 20
    assert moment(life.admin.time()) - moment(split["time"]) > 50
    # A roll-over keeps both ranges.
    life.admin.move(advance="4h")
    count_up(life.aws, table, KEYS)
    seen += reader.read()
    assert counts(records_of(seen)) == up_to(KEYS, writes + 3)
    assert [len(children_of(life.aws.streams, arn, child)) for child in children] == [1, 1]
    assert len(life.open_shards(arn)) == 2


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_over_a_restart(start, tmp_path, ending):
    life = Life(start, "--db-path", tmp_path / "data")
    table, arn = life.aws.create()
    writes = life.heat(table)

    def again():
        if ending == "kill":
            life.server.kill()
        else:
            assert life.server.stop() == 0
        life.begin()

    again()
    assert len(shards_of(life.aws.streams, arn)) == 1
    life.admin.move(advance="3m")  # the split that was due happens in this process
    assert len(shards_of(life.aws.streams, arn)) == 3
    again()
    count_up(life.aws, table, KEYS)
    assert len(life.partitions()) == 2 and len(life.open_shards(arn)) == 2
    found = StreamReader(life.aws.streams, arn).read()
    assert counts(records_of(found)) == up_to(KEYS, writes + 1)
    items = {item["pk"]["S"]: int(item["n"]["N"]) for item in life.aws.db.scan(TableName=table)["Items"]}
    assert items == {key: numbers[-1] for key, numbers in counts(records_of(found)).items()}
    check_within(shards_of(life.aws.streams, arn), found)


def test_a_stream_that_is_enabled_later_begins_with_them(start):
    life = Life(start)
    table, _ = life.aws.create(view=None)
    life.heat(table)
    life.admin.move(advance="2m")
    assert len(life.partitions()) == 2
    specification = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    answer = life.aws.db.update_table(TableName=table, StreamSpecification=specification)
    arn = answer["TableDescription"]["LatestStreamArn"]
    assert len(life.open_shards(arn)) == len(shards_of(life.aws.streams, arn)) == 2
    life.admin.move(advance="1m")
    count_up(life.aws, table, KEYS)
    found = StreamReader(life.aws.streams, arn).read()
    assert len(found) == len(KEYS) and {shard for shard, _ in found} == set(shards_of(life.aws.streams, arn))


def test_without_partitions_a_stream_has_one_shard(start):
    life = Life(start, "--throttling", "off")
    table, arn = life.aws.create()
    life.heat(table, times=130)
    life.admin.move(advance="3m")
    assert len(shards_of(life.aws.streams, arn)) == 1


def test_a_rollback_takes_shards_and_partitions_back(start):
    life = Life(start)
    table, arn = life.aws.create()
    life.admin.ok("marks/before", {})
    for _ in range(2):
        life.heat(table)
        assert len(shards_of(life.aws.streams, arn)) == 1
        life.admin.move(advance="3m")
        assert (len(life.partitions()), len(shards_of(life.aws.streams, arn))) == (2, 3)
        life.admin.ok("marks/before/rollback", {})
        assert (len(life.partitions()), len(shards_of(life.aws.streams, arn))) == (1, 1)
