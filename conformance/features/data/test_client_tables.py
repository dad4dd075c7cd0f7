"""`stator create, describe, stream`: a table from a line of words, its description, its records."""

import json
import os
import pty
import subprocess

import pytest

from server_process import STOP_DEADLINE_S, binary, clean_environment


@pytest.fixture
def made(program, raw, request):
    """Creates a table with these words; the description that the server then has."""
    names = []

    def create(*words):
        names.append(f"made_{os.getpid()}_{request.node.name.split('[')[0]}_{len(names)}"[:200])
        assert program.done("create", names[-1], *words) == f"{names[-1]}: created\n"
        return raw.ok("DescribeTable", TableName=names[-1])["Table"]

    yield create
    for name in names:
        raw.ok("DeleteTable", TableName=name)


def keys_of(described):
    types = {one["AttributeName"]: one["AttributeType"] for one in described.get("AttributeDefinitions", [])}
    return [(one["AttributeName"], one["KeyType"], types.get(one["AttributeName"])) for one in described["KeySchema"]]


@pytest.mark.parametrize("words, keys", [
    (["pk"], [("pk", "HASH", "S")]),
    (["pk:N"], [("pk", "HASH", "N")]),
    (["pk", "sk:B"], [("pk", "HASH", "S"), ("sk", "RANGE", "B")]),
    (["a b:S", "x.y:N"], [("a b", "HASH", "S"), ("x.y", "RANGE", "N")]),
])
def test_keys(made, words, keys):
    table = made(*words)
    assert keys_of(table) == keys
    assert (table["TableStatus"], table["BillingModeSummary"]["BillingMode"]) == ("ACTIVE", "PAY_PER_REQUEST")
    assert "GlobalSecondaryIndexes" not in table and "StreamSpecification" not in table


def test_indexes_a_stream_and_a_time_to_live(made, raw):
    table = made("pk", "sk:N", "--index", "by_g=g:N", "--index", "by_sk=sk:N,pk", "--stream", "NEW_IMAGE",
                 "--ttl", "until")
    indexes = {one["IndexName"]: one for one in table["GlobalSecondaryIndexes"]}
    assert {name: [key[:2] for key in keys_of(one)] for name, one in indexes.items()} == {
        "by_g": [("g", "HASH")], "by_sk": [("sk", "HASH"), ("pk", "RANGE")]}
    assert all(one["Projection"] == {"ProjectionType": "ALL"} for one in indexes.values())
    assert {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]} == {
        "pk": "S", "sk": "N", "g": "N"}
    assert table["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    expiry = raw.ok("DescribeTimeToLive", TableName=table["TableName"])["TimeToLiveDescription"]
    assert expiry == {"AttributeName": "until", "TimeToLiveStatus": "ENABLED"}


@pytest.mark.parametrize("words, text", [
    ([], "TABLE: is missing"),
    (["made_1"], "PK: is missing"),
    (["made_1", "pk:X"], "create: 'pk:X' is not NAME:TYPE[,NAME:TYPE]"),
    (["made_1", ":S"], "create: ':S' is not NAME:TYPE[,NAME:TYPE]"),
    (["made_1", "pk", "--index", "g"], "create: 'g' is not NAME=KEY[,KEY]"),
    (["made_1", "pk", "--index", "g=a,b,c"], "create: 'a:S,b,c:S' is not NAME:TYPE[,NAME:TYPE]"),
    (["made_1", "pk", "--index", "g=pk:N"], "create: attribute 'pk' has two types"),
    (["made_1", "pk", "--stream", "ALL"],
     "--stream: 'ALL' is not KEYS_ONLY, NEW_IMAGE, OLD_IMAGE or NEW_AND_OLD_IMAGES"),
])
def test_mistakes(program, words, text):
    result = program.run("create", *words)
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"stator: {text} (see stator create --help)\n")


def test_what_the_service_refuses(program, new_table):
    table = new_table("pk:S")
    assert program.refused("create", table, "pk")[0].startswith("stator: ResourceInUseException: ")
    assert program.refused("create", "x", "pk")[0].startswith("stator: ValidationException: ")
    assert program.refused("describe", "made_nowhere")[0].startswith("stator: ResourceNotFoundException: ")


def test_a_description_is_a_line_or_indented(program, raw, new_table, server):
    table = new_table("pk:S sk:N")
    line = program.done("describe", table)
    assert line.count("\n") == 1
    assert json.loads(line) == raw.ok("DescribeTable", TableName=table)["Table"]
    ours, theirs = pty.openpty()
    subprocess.run([binary(), "describe", table, "--endpoint-url", server.endpoint], stdout=theirs, check=True,
                   env=clean_environment(), timeout=STOP_DEADLINE_S)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 1 << 16):
            shown += piece
    except OSError:  # the end of what a terminal has
        pass
    os.close(ours)
    assert json.loads(shown) == json.loads(line) and shown.count(b"\n") > 10


def test_a_stream_shows_what_it_has(made, program, raw):
    name = made("pk", "--stream", "NEW_AND_OLD_IMAGES")["TableName"]
    assert program.done("stream", name) == ""
    raw.ok("PutItem", TableName=name, Item={"pk": {"S": "a"}})
    raw.ok("DeleteItem", TableName=name, Key={"pk": {"S": "a"}})
    events = [json.loads(line)["event"] for line in program.done("stream", name).splitlines()]
    assert events == ["INSERT", "REMOVE"]
    assert program.done("stream", name) == program.done("watch", name, "--from-start", "--once")
