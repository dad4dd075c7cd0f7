"""Presets: rules under one name, by the admin path, the command line, a header and a flag."""

import pytest
from botocore.exceptions import ClientError

from admin import Admin
from boto3_fixtures import make_client
from client import Client
from raw_client import Connection, request
from server_process import run_to_end

PRESETS = {"flaky-1%25": None, "throttled": None, "hot-table": "orders", "lost-answers": None, "half-batches": None, "conflicts": None,
           "slow": None, "bad-network": None, "az-outage": None, "region-outage": "eu-west-1", "iterators": None, "stale": "1s"}


@pytest.mark.parametrize("name", PRESETS)
def test_each_preset_makes_rules_that_can_be_listed(faults, name):
    argument = PRESETS[name]
    made = faults.admin.ok(f"faults/presets/{name}", {"argument": argument} if argument else {})["rules"]
    listed = faults.admin.ok("faults")["rules"]
    assert made == listed and all(rule["rule"]["effect"] for rule in listed)


def test_an_sdk_gets_through_throttling(server, faults, table):
    faults.admin.ok("faults/presets/throttled", {})
    client = make_client(server.endpoint, retries={"mode": "standard", "max_attempts": 3})
    client.put_item(TableName=table, Item={"pk": {"S": "a"}})
    assert faults.of("throttled")["fired"] == 2
    with pytest.raises(ClientError) as caught:
        make_client(server.endpoint, retries={"total_max_attempts": 2}).get_item(TableName=table, Key={"pk": {"S": "a"}})
    assert caught.value.response["Error"]["Code"] == "ProvisionedThroughputExceededException"


def test_the_command_line_makes_presets(server, faults):
    made = run_to_end("fault", "preset", "flaky-1%", "--endpoint", server.endpoint)
    assert (made.returncode, made.stdout) == (0, "added flaky\n")
    made = run_to_end("fault", "preset", "hot-table", "orders", "--endpoint", server.endpoint)
    assert (made.returncode, made.stdout) == (0, "added hot-table\n")
    assert faults.of("hot-table")["rule"]["match"]["table"] == "orders"
    wrong = run_to_end("fault", "preset", "?", "--endpoint", server.endpoint)
    assert wrong.returncode == 1 and "the presets: flaky-1%, throttled, hot-table" in wrong.stderr


def test_a_header_names_a_preset_for_one_request(server, table):
    body = {"TableName": table, "Key": {"pk": {"S": "a"}}}
    with Connection(server) as connection:
        answer = connection.exchange(request("GetItem", body, {"x-stator-fault": "preset throttled"}))
        assert answer.error()[:2] == (400, "ProvisionedThroughputExceededException")
        assert connection.exchange(request("GetItem", body)).status == 200


def test_a_server_can_begin_with_a_preset(start):
    server = start("--faults", "preset region-outage us-east-1")
    client = make_client(server.endpoint, retries={"total_max_attempts": 1})
    with pytest.raises(Exception, match="Connection"):
        client.list_tables()
    refused = run_to_end("--faults", "preset none", "--port", "0")
    assert refused.returncode == 1 and "--faults: no such preset: 'none'" in refused.stderr


def test_a_preset_without_its_argument_is_refused(faults):
    refused = faults.admin.send("faults/presets/hot-table", {})
    assert (refused.status, refused.json()) == (400, {"error": "the preset hot-table needs a TABLE"})
    assert faults.admin.ok("faults")["rules"] == []



@pytest.mark.parametrize("variable, outcomes", [("DYNAMODB_ERROR_PROBABILITY", (400, 400)),
                                                ("DYNAMODB_READ_ERROR_PROBABILITY", (400, 200)),
                                                ("DYNAMODB_WRITE_ERROR_PROBABILITY", (200, 400))])
def test_localstacks_variables_are_understood(start, variable, outcomes):
    server = start(env={variable: "1.0"})
    client = Client(server)
    client.create_table("orders")  # never fails
    key = {"TableName": "orders", "Key": {"pk": {"S": "a"}}}
    got, deleted = client.send("GetItem", key), client.send("DeleteItem", key)
    assert (got.status, deleted.status) == outcomes
    for answer in (got, deleted):
        assert answer.status == 200 or answer.error()[1] == "ProvisionedThroughputExceededException"


def test_a_wrong_share_ends_the_start(start):
    refused = run_to_end("--port", "0", env={"DYNAMODB_ERROR_PROBABILITY": "often"})
    assert refused.returncode == 1
    assert "DYNAMODB_ERROR_PROBABILITY: the preset error-probability needs a number from 0 to 1" in refused.stderr
    server = start(env={"DYNAMODB_ERROR_PROBABILITY": "0"})
    assert Admin(server).ok("faults")["rules"] == []
