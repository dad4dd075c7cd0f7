"""Hints for readers of streams that wait for the end of a shard that stays open (docs/explain.md)."""

import pytest

from admin import Admin
from client import Client
from raw_client import Connection
from server_process import given_endpoint, run_to_end

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

UNREAD = "The stream has records, all its shards are open, and no request reads them."
ENDLESS = "The last 20 reads of this shard came without a pause and found nothing."
CLOCK = "2027-01-01T00:00:00Z"


class Stream:
    def __init__(self, server):
        self.server = server
        self.client = Client(server)
        self.admin = Admin(server)
        self.client.create_table("orders", StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
        self.arn = self.client.describe("orders")["LatestStreamArn"]

    def put(self, key="a"):
        self.client.ok("PutItem", TableName="orders", Item={"pk": {"S": key}})

    def ask(self, operation, **members):
        with Connection(self.server) as connection:
            answer = connection.call(operation, members,
                                     headers={"X-Amz-Target": "DynamoDBStreams_20120810." + operation})
        assert answer.status == 200, answer
        return answer.json()

    def shards(self):
        return self.ask("DescribeStream", StreamArn=self.arn)["StreamDescription"]["Shards"]

    def iterator(self, kind="TRIM_HORIZON", shard=-1):
        return self.ask("GetShardIterator", StreamArn=self.arn, ShardId=self.shards()[shard]["ShardId"],
                        ShardIteratorType=kind)["ShardIterator"]

    def read(self, iterator, times, pause="5ms"):
        """Reads on and on, by a clock that this moves, and returns the next iterator."""
        for _ in range(times):
            iterator = self.ask("GetRecords", ShardIterator=iterator)["NextShardIterator"]
            if pause:
                self.admin.move(advance=pause)
        return iterator

    def hints(self):
        """The hints of all requests to streams, oldest first."""
        requests = self.admin.ok("requests?show=hints")["requests"]
        told = [hint for one in reversed(requests) for hint in one["hints"]
                if one["operation"] in ("DescribeStream", "GetShardIterator", "GetRecords")]
        return [hint[:hint.index(".") + 1] for hint in told]


@pytest.fixture
def stream(start):
    return Stream(start("--clock", "manual"))


def test_a_reader_that_waits_for_a_closed_shard(stream):
    stream.put()
    stream.admin.move(advance="1s")
    for _ in range(2):
        stream.shards()
    assert stream.hints() == []
    stream.shards()
    assert stream.hints() == [UNREAD]
    stream.shards()
    assert stream.hints() == [UNREAD]  # once for a reader
    shown = run_to_end("explain", "--hints", "--endpoint", stream.server.endpoint).stdout
    assert UNREAD in shown and "'stator clock advance 5h'" in shown and "--stream-rollover" in shown


def test_what_the_hint_says_helps(stream):
    """The recipe of docs/troubleshooting.md."""
    stream.put()
    stream.admin.move(advance="1s")
    for _ in range(3):
        assert all("EndingSequenceNumber" not in one["SequenceNumberRange"] for one in stream.shards())
    moved = run_to_end("clock", "advance", "5h", "--endpoint", stream.server.endpoint)
    assert moved.returncode == 0, moved
    first, child = stream.shards()[:2]
    assert "EndingSequenceNumber" in first["SequenceNumberRange"] and child["ParentShardId"] == first["ShardId"]
    assert stream.hints() == []
    answer = stream.ask("GetRecords", ShardIterator=stream.iterator(shard=0))
    assert len(answer["Records"]) == 1 and "NextShardIterator" not in answer


def test_a_stream_without_records_has_nothing_to_read(stream):
    for _ in range(5):
        stream.shards()
    assert stream.hints() == []


def test_a_record_that_came_after_the_looks_was_not_missed(stream):
    for _ in range(3):
        stream.shards()
    stream.admin.move(advance="1s")
    stream.put()
    assert stream.hints() == []


def test_a_reader_that_reads_gets_no_hint(stream):
    stream.put()
    stream.admin.move(advance="1s")
    iterator = stream.iterator()
    for _ in range(5):
        stream.shards()
        iterator = stream.read(iterator, 1, "1s")
    assert stream.hints() == []


def test_looks_of_several_access_keys_are_not_added_up(start):
    stream = Stream(start("--clock", "manual"))
    stream.put()
    stream.admin.move(advance="1s")
    for key in ("one", "two", "three"):
        other = Client(stream.server, key=key)
        with Connection(stream.server) as connection:
            answer = connection.call("DescribeStream", {"StreamArn": stream.arn}, headers={
                **other.headers, "X-Amz-Target": "DynamoDBStreams_20120810.DescribeStream"})
            assert answer.status == 200
    assert stream.hints() == []


def test_a_loop_that_waits_for_the_last_iterator(stream):
    stream.put()
    iterator = stream.read(stream.iterator(), 1)
    iterator = stream.read(iterator, 19)
    assert stream.hints() == []
    iterator = stream.read(iterator, 1)
    assert stream.hints() == [ENDLESS]
    stream.read(iterator, 10)
    assert stream.hints() == [ENDLESS]


def test_a_loop_from_the_end_is_one_too(stream):
    stream.put()
    stream.read(stream.iterator("LATEST"), 25)
    assert stream.hints() == [ENDLESS]


@pytest.mark.parametrize("pause", ["100ms", "250ms", "1s"])
def test_a_reader_that_pauses_gets_no_hint(stream, pause):
    stream.put()
    stream.read(stream.iterator(), 40, pause)
    assert stream.hints() == []


def test_a_clock_that_stands_says_nothing_about_pauses(stream):
    stream.put()
    stream.read(stream.iterator(), 40, None)
    assert stream.hints() == []


def test_records_between_the_reads_begin_anew(stream):
    iterator = stream.read(stream.iterator(), 15)
    stream.put()
    stream.read(iterator, 16)
    assert stream.hints() == []


def test_a_shard_that_has_ended_by_now_gets_no_hint(stream):
    stream.read(stream.iterator(), 25)
    stream.admin.move(advance="5h")
    assert stream.hints() == []
