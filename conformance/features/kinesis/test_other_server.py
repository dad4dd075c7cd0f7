"""Changes that go to another server of Kinesis: its failures, its absence, the end of the process."""

import time

import pytest

from kinesis_world import Wire, arn_of, destinations, wait_for_status
from other_kinesis import OtherKinesis
from server_process import wait_until

NOT_PERMITTED = "User does not have a permission to use kinesis stream"


@pytest.fixture
def other():
    world = OtherKinesis()
    yield world
    world.close()


def begin(start, other, *flags, status="ACTIVE"):
    server = start("--kinesis-endpoint", other.endpoint, *flags)
    dynamodb = Wire(server)
    dynamodb.create_table(TableName="tbl", BillingMode="PAY_PER_REQUEST",
                          KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                          AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    enable(dynamodb)
    if status:
        wait_for_status(dynamodb, "tbl", status)
    return server, dynamodb


def enable(dynamodb):
    dynamodb.enable_kinesis_streaming_destination(TableName="tbl", StreamArn=arn_of("s"))


def put(dynamodb, key, number):
    dynamodb.put_item(TableName="tbl", Item={"pk": {"S": key}, "n": {"N": str(number)}})


def taken(other, count):
    wait_until(lambda: len(other.records) >= count, what=f"{count} records")
    found = [(one["dynamodb"]["Keys"]["pk"]["S"], int(one["dynamodb"]["NewImage"]["n"]["N"]))
             for one in other.changes()]
    assert len(found) == count, found
    return found


def in_order(found):
    last = {}
    for key, number in found:
        assert last.get(key, -1) < number, found
        last[key] = number
    return True


def test_requests_are_signed(start, other):
    _, dynamodb = begin(start, other)
    put(dynamodb, "a", 1)
    taken(other, 1)
    assert [operation for operation, _ in other.requests] == [
        "Kinesis_20131202.DescribeStreamSummary", "Kinesis_20131202.PutRecords"]
    for _, headers in other.requests:
        assert headers["content-type"] == "application/x-amz-json-1.1"
        assert "/us-east-1/kinesis/aws4_request, SignedHeaders=" in headers["authorization"]


@pytest.mark.parametrize("status", [None, "CREATING"])
def test_a_stream_that_is_not_there(start, other, status):
    other.stream_status = status
    _, dynamodb = begin(start, other, status="ENABLE_FAILED")
    assert destinations(dynamodb, "tbl")[0]["DestinationStatusDescription"] == NOT_PERMITTED
    other.stream_status = "ACTIVE"
    enable(dynamodb)
    wait_for_status(dynamodb, "tbl", "ACTIVE")


def test_without_an_answer_it_stays_enabling(start, other):
    other.stream_status = "ERROR"
    _, dynamodb = begin(start, other, status=None)
    wait_until(lambda: len(other.requests) > 2, what="attempts")
    assert destinations(dynamodb, "tbl")[0]["DestinationStatus"] == "ENABLING"
    put(dynamodb, "a", 1)
    other.stream_status = "ACTIVE"
    wait_for_status(dynamodb, "tbl", "ACTIVE")
    assert taken(other, 1) == [("a", 1)]  # changes count from the request on


def test_partial_failures_are_sent_again_in_order(start, other):
    _, dynamodb = begin(start, other)
    other.refusals = [lambda records: set(range(0, len(records), 2)), lambda records: set(range(1, len(records), 2)),
                      lambda records: set(range(len(records)))] * 3
    for number in range(30):
        put(dynamodb, f"k{number % 3}", number)
    found = taken(other, 30)
    assert in_order(found) and sorted(number for _, number in found) == list(range(30))


def test_errors_of_the_server_lose_nothing(start, other):
    server, dynamodb = begin(start, other)
    other.statuses = [500, 503, 400, 500]
    for number in range(10):
        put(dynamodb, "a", number)
    assert [number for _, number in taken(other, 10)] == list(range(10))
    server.wait_for_log("wait for Kinesis at")


def test_a_server_that_is_down_and_up_again(start, other):
    server, dynamodb = begin(start, other)
    port = other.port
    other.close()
    for number in range(20):
        put(dynamodb, f"k{number % 2}", number)
    again = OtherKinesis(port)
    try:
        found = taken(again, 20)
        assert in_order(found)
    finally:
        again.close()


def test_changes_that_wait_have_a_bound(start, other):
    server, dynamodb = begin(start, other, "--stream-max-bytes", "1M")
    port = other.port
    other.close()
    for number in range(20):
        dynamodb.put_item(TableName="tbl", Item={
            "pk": {"S": "a"}, "n": {"N": str(number)}, "v": {"S": "x" * 100_000 if number % 2 == 0 else "y"}})
    server.wait_for_log("are given up: too many bytes wait for Kinesis")
    put(dynamodb, "a", 20)
    again = OtherKinesis(port)
    try:
        wait_until(lambda: again.records and again.changes()[-1]["dynamodb"]["NewImage"]["n"]["N"] == "20")
        numbers = [int(change["dynamodb"]["NewImage"]["n"]["N"]) for change in again.changes()]
        assert numbers == list(range(numbers[0], 21)) and 0 < numbers[0] < 15
        put(dynamodb, "a", 21)
        taken(again, len(numbers) + 1)
    finally:
        again.close()


def test_a_kill_loses_nothing(start, other, tmp_path):
    flags = ("--db-path", tmp_path / "data")
    server, dynamodb = begin(start, other, *flags)
    other.statuses = [500] * 1000
    for number in range(10):
        put(dynamodb, "a", number)
    server.kill()
    other.statuses = []
    start("--kinesis-endpoint", other.endpoint, *flags)
    assert [number for _, number in taken(other, 10)] == list(range(10))


def test_a_server_that_hangs_delays_neither_writes_nor_the_end(start, other):
    server, dynamodb = begin(start, other)
    other.hangs.set()
    put(dynamodb, "a", 1)
    wait_until(lambda: len(other.requests) == 2, what="a request that hangs")
    for number in range(20):
        put(dynamodb, "b", number)
    begun = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - begun < 2


def test_disabling_sends_what_waits(start, other):
    _, dynamodb = begin(start, other)
    other.statuses = [500, 500]
    put(dynamodb, "a", 1)
    dynamodb.disable_kinesis_streaming_destination(TableName="tbl", StreamArn=arn_of("s"))
    put(dynamodb, "a", 2)
    assert taken(other, 1) == [("a", 1)]
    enable(dynamodb)
    wait_for_status(dynamodb, "tbl", "ACTIVE")
    put(dynamodb, "a", 3)
    assert taken(other, 2) == [("a", 1), ("a", 3)]
