"""What kills, marks and resets do to destinations and hosted streams."""

import threading

from admin import Admin
from kinesis_world import Wire, arn_of, changes, destinations, kinesis_client, read_all, wait_for_records
from server_process import run_to_end


def world(server):
    return Wire(server, retries={"max_attempts": 0}), kinesis_client(server.endpoint)


def begin(dynamodb, kinesis):
    kinesis.create_stream(StreamName="s", ShardCount=2)
    dynamodb.create_table(TableName="tbl", BillingMode="PAY_PER_REQUEST",
                          KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                          AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    dynamodb.enable_kinesis_streaming_destination(TableName="tbl", StreamArn=arn_of("s"))


def test_a_kill_loses_and_repeats_nothing(start, tmp_path):
    flags = ("--db-path", tmp_path / "data")
    server = start(*flags)
    dynamodb, kinesis = world(server)
    begin(dynamodb, kinesis)
    done = [0]

    def write():
        try:
            while True:
                dynamodb.put_item(TableName="tbl", Item={"pk": {"S": str(done[0] % 7)}, "n": {"N": str(done[0])}})
                done[0] += 1
        except Exception:  # the server was killed
            return

    for _ in range(2):
        writer = threading.Thread(target=write)
        writer.start()
        before = done[0]
        while done[0] < before + 150:
            writer.join(0.01)
        server.kill()
        writer.join()
        server = start(*flags)
        dynamodb, kinesis = world(server)
        dynamodb.put_item(TableName="tbl", Item={"pk": {"S": "end"}, "n": {"N": str(done[0])}})
        # A write that the kill left without an answer may have been done.
        numbers = sorted(int(one["dynamodb"]["NewImage"]["n"]["N"]) for one in changes(_all(kinesis, done[0])))
        assert set(numbers) == set(range(done[0] + 1))
        dynamodb.delete_item(TableName="tbl", Key={"pk": {"S": "end"}})
        done[0] += 1
    assert server.stop() == 0
    checked = run_to_end("check", tmp_path / "data")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def _all(kinesis, last):
    from server_process import wait_until

    def complete():
        records = [one for one in read_all(kinesis, "s") if b'"NewImage"' in one["Data"]]
        found = {int(one["dynamodb"]["NewImage"]["n"]["N"]) for one in changes(records)}
        return records if last in found else None

    records = wait_until(complete, what="the last change")
    ids = [one["eventID"] for one in changes(records)]
    assert len(ids) == len(set(ids))
    return records


def test_marks_have_streams_and_destinations(start):
    server = start()
    admin, (dynamodb, kinesis) = Admin(server), world(server)
    begin(dynamodb, kinesis)
    dynamodb.put_item(TableName="tbl", Item={"pk": {"S": "a"}})
    wait_for_records(kinesis, "s", 1)
    admin.mark("one")
    dynamodb.put_item(TableName="tbl", Item={"pk": {"S": "b"}})
    wait_for_records(kinesis, "s", 2)
    dynamodb.disable_kinesis_streaming_destination(TableName="tbl", StreamArn=arn_of("s"))
    kinesis.create_stream(StreamName="other", ShardCount=1)
    kinesis.delete_stream(StreamName="s")
    admin.rollback("one")
    assert kinesis.list_streams()["StreamNames"] == ["s"]
    assert destinations(dynamodb, "tbl")[0]["DestinationStatus"] == "ACTIVE"
    assert [one["dynamodb"]["Keys"] for one in changes(read_all(kinesis, "s"))] == [{"pk": {"S": "a"}}]
    dynamodb.put_item(TableName="tbl", Item={"pk": {"S": "c"}})
    assert changes(wait_for_records(kinesis, "s", 2))[-1]["eventName"] == "INSERT"


def test_reset_removes_streams(start):
    server = start()
    admin, (dynamodb, kinesis) = Admin(server), world(server)
    begin(dynamodb, kinesis)
    admin.reset()
    assert kinesis.list_streams()["StreamNames"] == []
    begin(dynamodb, kinesis)
    assert read_all(kinesis, "s") == []
