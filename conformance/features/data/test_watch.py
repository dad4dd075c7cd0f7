"""`stator watch`: the changes of a table, from its stream."""

import json
import subprocess

import pytest

from admin import Admin
from client import Client
from own_servers import start  # noqa: F401
from server_process import STOP_DEADLINE_S, binary, clean_environment
from table_content import ask_streams


def stream_of(view):
    return {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": view}}


@pytest.fixture
def changed(raw, new_table):
    """A table whose item was put, changed and deleted."""
    table = new_table("pk:S sk:N", **stream_of("NEW_AND_OLD_IMAGES"))
    key = {"pk": {"S": "a"}, "sk": {"N": "1"}}
    raw.ok("PutItem", TableName=table, Item={**key, "n": {"N": "1"}, "same": {"S": "x"}})
    raw.ok("UpdateItem", TableName=table, Key=key, UpdateExpression="SET n = :n, t = :t",
           ExpressionAttributeValues={":n": {"N": "2"}, ":t": {"SS": ["b", "a"]}})
    raw.ok("DeleteItem", TableName=table, Key=key)
    return table


def test_plain_lines(program, changed):
    told = [json.loads(line) for line in program.done("watch", changed, "--from-start", "--once").splitlines()]
    assert [line.pop("event") for line in told] == ["INSERT", "MODIFY", "REMOVE"]
    assert all(line.pop("time") > 1_500_000_000 for line in told)
    keys = {"pk": "a", "sk": 1}
    first = {**keys, "n": 1, "same": "x"}
    second = {**first, "n": 2, "t": ["a", "b"]}
    assert told == [{"keys": keys, "new": first}, {"keys": keys, "old": first, "new": second},
                    {"keys": keys, "old": second}]


def test_lines_of_text_show_what_differs(program, changed):
    lines = program.done("watch", changed, "--from-start", "--once", "--output", "text").splitlines()
    assert [line.split(" ", 1)[1] for line in lines] == [
        "INSERT pk=a sk=1: n 1, same x", 'MODIFY pk=a sk=1: n 1 -> 2, t ["a","b"]', "REMOVE pk=a sk=1"]


def test_records_as_they_came(program, raw, changed):
    told = [json.loads(line) for line in
            program.done("watch", changed, "--from-start", "--once", "--output", "dynamodb-json").splitlines()]
    assert [record["eventName"] for record in told] == ["INSERT", "MODIFY", "REMOVE"]
    assert told[0]["dynamodb"]["Keys"] == {"pk": {"S": "a"}, "sk": {"N": "1"}}
    assert told[1]["dynamodb"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"


def test_without_a_flag_only_new_changes(program, changed):
    assert program.done("watch", changed, "--once") == ""


def test_keys_only(program, raw, new_table):
    table = new_table(**stream_of("KEYS_ONLY"))
    raw.ok("PutItem", TableName=table, Item={"pk": {"S": "a"}, "n": {"N": "1"}})
    (line,) = program.done("watch", table, "--from-start", "--once", "--output", "text").splitlines()
    assert line.endswith(" INSERT pk=a")


def test_changes_of_a_key_come_in_order_over_shards(start):  # noqa: F811
    own = start("--clock", "manual")
    client = Client(own)
    table = "py_watched"
    client.ok("CreateTable", TableName=table, BillingMode="PAY_PER_REQUEST",
              AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
              KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}], **stream_of("NEW_IMAGE"))
    for round_ in range(4):
        for key in range(8):
            client.ok("PutItem", TableName=table, Item={"pk": {"S": str(key)}, "n": {"N": str(round_)}})
        Admin(own).move(advance="5h")  # a shard takes records for four hours
    stream = client.ok("DescribeTable", TableName=table)["Table"]["LatestStreamArn"]
    described = ask_streams(client, "DescribeStream", StreamArn=stream)
    assert len(described["StreamDescription"]["Shards"]) > 2
    run = subprocess.run([binary(), "watch", table, "--from-start", "--once", "--endpoint-url", own.endpoint],
                         capture_output=True, text=True, env=clean_environment(), timeout=STOP_DEADLINE_S)
    assert run.stderr == "" and run.returncode == 0
    told = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(told) == 32
    for key in range(8):
        assert [line["new"]["n"] for line in told if line["keys"]["pk"] == str(key)] == [0, 1, 2, 3]


def test_it_follows_until_a_signal(server, raw, new_table):
    table = new_table(**stream_of("NEW_IMAGE"))
    watcher = subprocess.Popen([binary(), "watch", table, "--from-start", "--endpoint-url", server.endpoint],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean_environment())
    try:
        for number in ("1", "2"):
            raw.ok("PutItem", TableName=table, Item={"pk": {"S": "a"}, "n": {"N": number}})
            assert json.loads(watcher.stdout.readline())["new"] == {"pk": "a", "n": int(number)}
        watcher.terminate()
        out, err = watcher.communicate(timeout=STOP_DEADLINE_S)
        assert (watcher.returncode, out, err) == (0, "", "")
    finally:
        watcher.kill()
        watcher.wait()


def test_a_full_disk_is_an_error(server, changed):
    with open("/dev/full", "w") as full:
        run = subprocess.run([binary(), "watch", changed, "--from-start", "--once", "--endpoint-url", server.endpoint],
                             stdout=full, stderr=subprocess.PIPE, text=True, env=clean_environment(),
                             timeout=STOP_DEADLINE_S)
    assert (run.returncode, run.stderr) == (1, "stator: stdout: No space left on device\n")


def test_mistakes(program, raw, new_table):
    table = new_table()
    assert program.refused("watch", table) == [f"stator: table '{table}' has no stream"]
    error, hint = program.refused("watch", "py_missing_table")
    assert error.startswith("stator: ResourceNotFoundException: ")
    assert hint.startswith("stator: hint: There is no table 'py_missing_table' ")
