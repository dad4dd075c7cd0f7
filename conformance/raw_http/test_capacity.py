"""/_stator/capacity and `stator capacity`: what they tell and change (docs/capacity.md)."""

import pytest

from admin import Admin
from client import Client
from server_process import given_endpoint, run_to_end

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

ONE_WRITE = "partition-writes=1,on-demand-writes=4,heat-split=off"


@pytest.fixture
def table(start):
    server = start("--clock", "2027-01-01T00:00:00Z", "--capacity", ONE_WRITE)
    client = Client(server)
    client.create_table("things")
    return server, client, Admin(server)


def put(client, key="a"):
    return client.send("PutItem", {"TableName": "things", "Item": {"pk": {"S": key}}})


def write_side(admin):
    return admin.ok("capacity", {"table": "things"})["tables"][0]["write"]


def test_observed_and_enforced(table):
    _, client, admin = table
    for _ in range(3):
        assert put(client).status == 200
    assert write_side(admin)["throttled"] == {"TableWriteKeyRangeThroughputExceeded": 2}
    assert write_side(admin)["consumed_units"] == 1
    told = admin.ok("capacity", {"table": "things", "throttling": "enforce"})["tables"][0]
    assert told["throttling"] == "enforce"
    assert told["throttled_keys"] == [{"key": {"S": "a"}, "units": 2}]
    refused = put(client)
    assert refused.status == 400
    assert refused.json()["throttlingReasons"] == [
        {"reason": "TableWriteKeyRangeThroughputExceeded",
         "resource": "arn:aws:dynamodb:us-east-1:000000000000:table/things"}]
    admin.move(advance="1s")
    assert put(client).status == 200
    admin.ok("capacity", {"table": "things", "throttling": "off"})
    assert put(client).status == 200
    assert write_side(admin)["consumed_units"] == 2


def test_more_partitions(table):
    _, _, admin = table
    firsts = [0, 1 << 22, 1 << 23, 3 << 22]
    told = admin.ok("capacity", {})["tables"][0]
    assert [part["first_hash"] for part in told["partitions"]] == firsts
    told = admin.ok("capacity", {"table": "things", "partitions": 8})["tables"][0]
    assert [part["first_hash"] for part in told["partitions"]] == [i << 21 for i in range(8)]
    assert [split["cause"] for split in told["splits"]] == ["throughput"] * 4


@pytest.mark.parametrize("body, status, error", [
    ({"table": "other"}, 404, "there is no such table or index"),
    ({"table": 1}, 400, "table is to be a string"),
    ({"table": "things", "throttling": "on"}, 400, "throttling is to be off, observe or enforce"),
    ({"partitions": 0}, 400, "partitions is to be a number from 1 to 1024"),
    ({"tables": "things"}, 400, "the body may have the members table, index, region, access_key, "
                                "throttling and partitions"),
])
def test_mistakes(table, body, status, error):
    answer = table[2].send("capacity", body)
    assert (answer.status, answer.json()) == (status, {"error": error})


def test_without_throttling(start):
    admin = Admin(start("--throttling", "off"))
    assert admin.send("capacity", {}).json() == {
        "error": "the server was started with --throttling off and counts nothing"}


@pytest.mark.parametrize("setting, why", [
    ("burst-seconds=0", "burst-seconds is a whole number from 1 to 86400"),
    ("burst-seconds=1s", "burst-seconds is a whole number from 1 to 86400"),
    ("adaptive=on", "adaptive is one of instant, delayed, off"),
    ("burst=1", "there is no 'burst'"),
])
def test_settings_that_are_none(setting, why):
    ended = run_to_end("--capacity", setting, "--port", "0")
    assert ended.returncode == 2
    assert why in ended.stderr


def test_the_command(table):
    server, client, _ = table
    for _ in range(2):
        put(client)

    def told(*arguments):
        ended = run_to_end("capacity", *arguments, "--endpoint", server.endpoint)
        assert (ended.returncode, ended.stderr) == (0, ""), ended
        return ended.stdout.splitlines()

    assert told() == ["things (us-east-1): PAY_PER_REQUEST, throttling observe, 4 partitions",
                      "  read  0 units, 0 in the last minute",
                      "  write 1 units, 0 in the last minute",
                      "    throttled 1: TableWriteKeyRangeThroughputExceeded"]
    assert "    S a: 1 units" in told("things")
    assert told("--region", "eu-west-1") == ["no tables"]
    ended = run_to_end("capacity", "other", "--endpoint", server.endpoint)
    assert ended.returncode == 1
    assert "there is no such table or index" in ended.stderr
