"""Readers that follow the lineage of shards: from the oldest record and from now, over roll-overs, splits,
expired iterators, streams that end and records that are gone."""

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.exceptions import ClientError

from admin import Admin
from conftest import clients_of
from reader import StreamReader, children_of, number_of, records_of, shards_of
from server_process import wait_until


def count_up(aws, table, keys, times=1):
    """Adds 1 to the counter `n` of each key: each change tells its place in its key's order."""
    for _ in range(times):
        for key in keys:
            aws.db.update_item(TableName=table, Key={"pk": {"S": key}}, UpdateExpression="ADD n :one",
                               ExpressionAttributeValues={":one": {"N": "1"}})


def counts(records):
    """The counters of each key in the order of the records."""
    found = defaultdict(list)
    for record in records:
        image = record["dynamodb"]["NewImage"]
        found[image["pk"]["S"]].append(int(image["n"]["N"]))
    return dict(found)


def up_to(keys, last, first=1):
    return {key: list(range(first, last + 1)) for key in keys}


def refused(code, call, **members):
    with pytest.raises(ClientError) as caught:
        call(**members)
    assert caught.value.response["Error"]["Code"] == code


def check_lineage(shards):
    """Each shard's numbers lie behind those of its parent, ids rise, only leaves are open."""
    assert list(shards) == sorted(shards)
    parents = {shard.get("ParentShardId") for shard in shards.values()}
    for shard_id, shard in shards.items():
        span = shard["SequenceNumberRange"]
        assert ("EndingSequenceNumber" in span) == (shard_id in parents)
        if "EndingSequenceNumber" in span:
            assert int(span["StartingSequenceNumber"]) <= int(span["EndingSequenceNumber"])
        parent = shards.get(shard.get("ParentShardId"))
        if parent:
            end = int(parent["SequenceNumberRange"]["EndingSequenceNumber"])
            assert end < int(span["StartingSequenceNumber"])


def check_within(shards, found):
    """Records lie in the range of their shard, and rise within it."""
    by_shard = defaultdict(list)
    for shard_id, record in found:
        by_shard[shard_id].append(number_of(record))
    for shard_id, numbers in by_shard.items():
        span = shards[shard_id]["SequenceNumberRange"]
        assert numbers == sorted(set(numbers))
        assert numbers[0] >= int(span["StartingSequenceNumber"])
        assert numbers[-1] <= int(span.get("EndingSequenceNumber", numbers[-1]))


KEYS = [f"key-{i}" for i in range(7)]


def test_everything_from_the_oldest_record_on_over_roll_overs(aws, clock):
    table, arn = aws.create()
    for generation in range(4):
        if generation:
            clock("4h")
        count_up(aws, table, KEYS, times=3)
    found = StreamReader(aws.streams, arn).read()
    assert counts(records_of(found)) == up_to(KEYS, 12)
    shards = shards_of(aws.streams, arn)
    assert len(shards) == 4 and len({shard_id for shard_id, _ in found}) == 4
    check_lineage(shards)
    check_within(shards, found)
    assert records_of(found) == sorted(records_of(found), key=number_of)
    assert len({record["eventID"] for _, record in found}) == len(found)


def test_small_pages_of_shards_and_of_records_tell_the_same(aws, clock):
    table, arn = aws.create()
    for _ in range(3):
        count_up(aws, table, KEYS)
        clock("4h")
    assert shards_of(aws.streams, arn, page=1) == shards_of(aws.streams, arn)
    assert StreamReader(aws.streams, arn, limit=2).read() == StreamReader(aws.streams, arn).read()


def test_a_reader_at_work_follows_roll_overs_although_its_iterators_expire(aws, clock):
    table, arn = aws.create()
    reader, seen = StreamReader(aws.streams, arn), []
    for _ in range(4):
        count_up(aws, table, KEYS)
        seen += reader.read()
        count_up(aws, table, KEYS)
        clock("4h")
        seen += reader.read()
    assert counts(records_of(seen)) == up_to(KEYS, 8)
    assert reader.expired == 4
    assert len(reader.order) == 5


def test_a_closed_shard_ends_once_it_is_read_and_its_child_is_there_before(aws, clock):
    table, arn = aws.create()
    count_up(aws, table, ["a"], times=3)
    parent, = shards_of(aws.streams, arn)
    clock("4h")
    child, = children_of(aws.streams, arn, parent)
    iterator = aws.streams.get_shard_iterator(StreamArn=arn, ShardId=parent, ShardIteratorType="TRIM_HORIZON")
    first = aws.streams.get_records(ShardIterator=iterator["ShardIterator"], Limit=2)
    assert len(first["Records"]) == 2
    rest = aws.streams.get_records(ShardIterator=first["NextShardIterator"])
    assert len(rest["Records"]) == 1 and "NextShardIterator" not in rest
    count_up(aws, table, ["a"])
    assert counts(records_of(StreamReader(aws.streams, arn, positions={parent: None}).read())) == {"a": [4]}
    assert children_of(aws.streams, arn, child) == []


def test_latest_sees_what_comes_later_and_follows_the_children(aws, clock):
    table, arn = aws.create()
    count_up(aws, table, KEYS, times=2)
    clock("4h")
    count_up(aws, table, KEYS)
    reader = StreamReader(aws.streams, arn, "LATEST")
    assert reader.read() == []
    count_up(aws, table, KEYS)
    seen = reader.read()
    assert counts(records_of(seen)) == up_to(KEYS, 4, first=4)
    for _ in range(2):
        clock("4h")
        count_up(aws, table, KEYS)
        seen += reader.read()
    assert counts(records_of(seen)) == up_to(KEYS, 6, first=4)


def test_latest_on_a_stream_without_records_misses_nothing(aws):
    table, arn = aws.create()
    reader = StreamReader(aws.streams, arn, "LATEST")
    count_up(aws, table, KEYS, times=2)
    assert counts(records_of(reader.read())) == up_to(KEYS, 2)


def test_another_reader_goes_on_from_the_positions_of_the_first(aws, clock):
    table, arn = aws.create()
    count_up(aws, table, KEYS, times=2)
    first = StreamReader(aws.streams, arn, limit=5)
    seen, _ = first.poll()
    assert len(seen) == 5
    clock("4h")
    count_up(aws, table, KEYS)
    second = StreamReader(aws.streams, arn, positions=first.positions())
    seen += second.read()
    count_up(aws, table, KEYS)
    clock("4h")
    count_up(aws, table, KEYS)
    third = StreamReader(aws.streams, arn, positions=second.positions())
    seen += third.read()
    assert counts(records_of(seen)) == up_to(KEYS, 5)


def test_shards_split_and_keys_stay_together(start, tmp_path):
    flags = ("--db-path", tmp_path, "--stream-shards")
    server = start(*flags, 1)
    aws = clients_of(server)
    table, arn = aws.create()
    keys = [f"key-{i}" for i in range(40)]
    count_up(aws, table, keys)
    found = StreamReader(aws.streams, arn).read()
    last = None
    for shards in (2, 4, 4):
        assert server.stop() == 0
        server = start(*flags, shards)
        renewed = clients_of(server)
        Admin(server).move(advance="4h")
        count_up(renewed, table, keys)
        reader = StreamReader(renewed.streams, arn, positions=last)
        found = found + reader.read() if last else reader.read()
        last = reader.positions()
    assert counts(records_of(found)) == up_to(keys, 4)
    listed = shards_of(renewed.streams, arn)
    check_lineage(listed)
    check_within(listed, found)
    family = defaultdict(list)
    for shard_id, shard in listed.items():
        family[shard.get("ParentShardId")].append(shard_id)
    root, = family[None]
    assert len(family[root]) == 2
    assert [len(family[child]) for child in family[root]] == [2, 2]
    assert all(len(family[g]) == 1 for child in family[root] for g in family[child])
    homes = defaultdict(list)
    for shard_id, record in found:
        homes[record["dynamodb"]["Keys"]["pk"]["S"]].append(shard_id)
    for path in homes.values():  # one shard in each generation, each the child of the one before
        assert len(path) == 4
        assert [listed[s].get("ParentShardId") for s in path] == [None, *path[:-1]]
    assert len({path[-1] for path in homes.values()}) == 4


def test_many_writers_while_shards_roll_over(aws, clock):
    table, arn = aws.create()
    reader, seen = StreamReader(aws.streams, arn), []
    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(count_up, aws, table, [f"{w}-{i}" for i in range(5)], 20) for w in range(4)]
        for _ in range(4):
            clock("4h")
            seen += records_of(reader.read())
        for writer in writers:
            writer.result()
    clock("4h")
    seen += records_of(reader.read())
    assert counts(seen) == up_to([f"{w}-{i}" for w in range(4) for i in range(5)], 20)
    again = StreamReader(aws.streams, arn).read()
    assert records_of(again) == seen
    check_within(shards_of(aws.streams, arn), again)


def disable(aws, table):
    aws.db.update_table(TableName=table, StreamSpecification={"StreamEnabled": False})
    wait_until(lambda: aws.db.describe_table(TableName=table)["Table"]["TableStatus"] == "ACTIVE")


def enable(aws, table, view="NEW_AND_OLD_IMAGES"):
    specification = {"StreamEnabled": True, "StreamViewType": view}
    answer = aws.db.update_table(TableName=table, StreamSpecification=specification)
    wait_until(lambda: aws.db.describe_table(TableName=table)["Table"]["TableStatus"] == "ACTIVE")
    return answer["TableDescription"]["LatestStreamArn"]


def status(aws, arn):
    return aws.streams.describe_stream(StreamArn=arn)["StreamDescription"]["StreamStatus"]


def test_disabled_and_enabled_again_makes_two_streams(aws):
    table, old = aws.create()
    live = StreamReader(aws.streams, old)
    count_up(aws, table, KEYS)
    disable(aws, table)
    wait_until(lambda: status(aws, old) == "DISABLED")
    described = aws.db.describe_table(TableName=table)["Table"]
    assert "StreamSpecification" not in described and described["LatestStreamArn"] == old
    count_up(aws, table, KEYS)
    new = enable(aws, table, "NEW_IMAGE")
    assert new > old
    wait_until(lambda: status(aws, new) == "ENABLED")
    count_up(aws, table, KEYS)
    for reader in (live, StreamReader(aws.streams, old)):
        assert counts(records_of(reader.read())) == up_to(KEYS, 1)
        assert all(at.ended for at in reader.shards.values())
    assert counts(records_of(StreamReader(aws.streams, new).read())) == up_to(KEYS, 3, first=3)
    listed = aws.streams.list_streams(TableName=table)["Streams"]
    assert sorted(s["StreamArn"] for s in listed) == [old, new]
    assert all(s["TableName"] == table and s["StreamArn"].endswith(s["StreamLabel"]) for s in listed)


def test_the_stream_of_a_deleted_table_is_read_to_its_end(aws, clock):
    table, arn = aws.create()
    count_up(aws, table, KEYS)
    clock("4h")
    count_up(aws, table, KEYS)
    aws.db.delete_table(TableName=table)
    aws.tables.remove(table)
    wait_until(lambda: status(aws, arn) == "DISABLED")
    reader = StreamReader(aws.streams, arn)
    assert counts(records_of(reader.read())) == up_to(KEYS, 2)
    assert all(at.ended for at in reader.shards.values())
    clock("25h")
    refused("ResourceNotFoundException", aws.streams.describe_stream, StreamArn=arn)
    assert aws.streams.list_streams(TableName=table)["Streams"] == []


def test_a_reader_that_comes_too_late_goes_on_with_what_is_left(aws, clock):
    table, arn = aws.create()
    first = StreamReader(aws.streams, arn)
    count_up(aws, table, KEYS)
    shard_id, record = first.read()[0]
    count_up(aws, table, KEYS)
    clock("23h")
    count_up(aws, table, KEYS)
    clock("2h")
    # The shard was closed less than a day ago and is still there, its records are not.
    refused("TrimmedDataAccessException", aws.streams.get_shard_iterator, StreamArn=arn, ShardId=shard_id,
            ShardIteratorType="AFTER_SEQUENCE_NUMBER", SequenceNumber=record["dynamodb"]["SequenceNumber"])
    assert counts(records_of(StreamReader(aws.streams, arn).read())) == up_to(KEYS, 3, first=3)
    clock("24h")
    assert StreamReader(aws.streams, arn).read() == []
    count_up(aws, table, KEYS)
    assert counts(records_of(StreamReader(aws.streams, arn).read())) == up_to(KEYS, 4, first=4)
