"""Point-in-time recovery over moved clocks, restarts, kills, marks, and with little room."""

import boto3
import pytest

from admin import Admin
from boto3_fixtures import make_client
from server_process import run_to_end, wait_until


def make_streams_client(endpoint):
    return boto3.client("dynamodbstreams", endpoint_url=endpoint, region_name="us-east-1", verify=False)


class World:
    """A server with the table Things, and its recovery."""

    def __init__(self, server):
        self.server = server
        self.admin = Admin(server)
        self.db = make_client(server.endpoint)

    def create(self):
        self.db.create_table(TableName="Things", BillingMode="PAY_PER_REQUEST",
                             AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                             KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
        self.enable()

    def enable(self):
        self.db.update_continuous_backups(
            TableName="Things", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})

    def window(self):
        answer = self.db.describe_continuous_backups(TableName="Things")
        return answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]

    def latest(self):
        return self.window()["LatestRestorableDateTime"]

    def put(self, key, **attributes):
        self.db.put_item(TableName="Things", Item={"pk": {"S": key}, **attributes})

    def delete(self, key):
        self.db.delete_item(TableName="Things", Key={"pk": {"S": key}})

    def restored(self, name, moment):
        """The keys that a restore to the moment makes."""
        self.db.restore_table_to_point_in_time(SourceTableName="Things", TargetTableName=name,
                                               RestoreDateTime=moment)
        self.db.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 0.05, "MaxAttempts": 600})
        return sorted(item["pk"]["S"] for page in self.db.get_paginator("scan").paginate(TableName=name)
                      for item in page["Items"])


@pytest.fixture
def folder(tmp_path):
    return ("--db-path", tmp_path / "data")


def test_an_accident_three_days_later(start):
    world = World(start("--clock", "manual"))
    world.create()
    for key in "abc":
        world.put(key)
    good = world.latest()
    world.admin.move(advance="72h")
    world.put("d")
    before = world.latest()
    world.admin.move(advance="1s")
    for key in "abcd":
        world.delete(key)
    assert world.restored("Before", before) == ["a", "b", "c", "d"]
    assert world.restored("Good", good) == ["a", "b", "c"]


def test_history_survives_restarts_and_kills(start, folder):
    world = World(start("--clock", "manual", *folder))
    world.create()
    moments = []
    for round_number, end in enumerate(("stop", "kill", "stop")):
        world.put(f"k{round_number}")
        moments.append(world.latest())
        world.admin.move(advance="1h")
        world.delete("k0")
        getattr(world.server, end)()
        world = World(start(*folder))
    assert world.restored("First", moments[0]) == ["k0"]
    assert world.restored("Last", moments[2]) == ["k1", "k2"]
    world.server.stop()
    checked = run_to_end("check", folder[1])
    assert checked.returncode == 0, checked.stdout


def test_a_rollback_removes_the_history_after_its_mark(start):
    world = World(start("--clock", "manual"))
    world.create()
    world.put("a")
    world.admin.move(advance="1h")
    world.admin.mark("m")
    moment = world.latest()
    world.admin.move(advance="1h")
    world.put("b")
    world.admin.rollback("m")
    assert world.latest() == moment, "the mark's time is the present again"
    world.put("c")
    world.admin.move(advance="1h")
    world.put("d")
    assert world.restored("Copy", moment) == ["a", "c"]


def test_the_oldest_history_gives_way(start):
    world = World(start("--pitr-max-bytes", "1M", "--clock", "manual"))
    world.create()
    begin = world.window()["EarliestRestorableDateTime"]
    for number in range(60):
        world.put(f"k{number % 5}", text={"S": str(number % 10) * 40_000})
        world.admin.move(advance="1s")
    wait_until(lambda: world.window()["EarliestRestorableDateTime"] > begin, what="a later start of the window")
    world.server.wait_for_log("exceeds --pitr-max-bytes")
    moment = world.window()["EarliestRestorableDateTime"]
    assert world.restored("Copy", moment) == ["k0", "k1", "k2", "k3", "k4"]
    with pytest.raises(world.db.exceptions.InvalidRestoreTimeException):
        world.restored("Early", begin)


def test_history_does_not_push_out_stream_records(start):
    world = World(start("--stream-max-bytes", "1M"))
    world.create()
    for number in range(60):
        world.put(f"k{number % 5}", text={"S": "x" * 50_000})
    world.db.create_table(TableName="Watched", BillingMode="PAY_PER_REQUEST",
                          AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                          KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                          StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    world.db.put_item(TableName="Watched", Item={"pk": {"S": "first"}})
    world.put("last")
    arn = world.db.describe_table(TableName="Watched")["Table"]["LatestStreamArn"]
    streams = make_streams_client(world.server.endpoint)
    shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
    iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
    records = streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in records] == ["first"]
    assert "--stream-max-bytes" not in world.server.log()


def test_a_full_store_serves_writes_again_when_backups_go(start):
    world = World(start("--max-bytes", "96M"))
    world.create()
    world.db.update_continuous_backups(TableName="Things",
                                       PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False})
    for number in range(100):
        world.put(f"k{number}", text={"S": "x" * 100_000})
    backups = []

    def status(arn):
        return world.db.describe_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]["BackupStatus"]

    # A backup that does not fit waits for room: CREATING until then.
    for number in range(12):
        try:
            made = world.db.create_backup(TableName="Things", BackupName=f"backup{number}")
        except world.db.exceptions.InternalServerError:
            break
        backups.append(made["BackupDetails"]["BackupArn"])
        try:
            wait_until(lambda: status(backups[-1]) == "AVAILABLE", deadline_s=2)
        except AssertionError:
            break
    assert 2 <= len(backups) < 12
    assert keys_of(world) == {f"k{number}" for number in range(100)}
    world.db.delete_backup(BackupArn=backups[0])
    for arn in backups[1:]:
        wait_until(lambda: status(arn) == "AVAILABLE", what="room for the backup that waited")
    for arn in backups[1:]:
        world.db.delete_backup(BackupArn=arn)
    wait_until(lambda: puts(world, "after"), what="a write with room again")


def keys_of(world):
    return {item["pk"]["S"] for page in world.db.get_paginator("scan").paginate(TableName="Things")
            for item in page["Items"]}


def puts(world, key):
    try:
        world.put(key)
    except world.db.exceptions.InternalServerError:
        return False
    return True
