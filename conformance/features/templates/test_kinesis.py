"""Destinations in Kinesis, as templates ask for them: applied, compared, printed."""

import json

import boto3
import pytest

from test_apply import READS, users

ARN = "arn:aws:kinesis:us-east-1:000000000000:stream/"
REASON = "User does not have a permission to use kinesis stream"


def streaming(stream, **members):
    """A template of a table whose changes go to a stream of Kinesis."""
    arn = {"Fn::Sub": "arn:aws:kinesis:${AWS::Region}:${AWS::AccountId}:stream/" + stream}
    return users(KinesisStreamSpecification={"StreamArn": arn, **members})


@pytest.fixture
def streams(world):
    """The server of the test has the streams one and two."""
    kinesis = boto3.client("kinesis", endpoint_url=world.server.endpoint, region_name="us-east-1",
                           aws_access_key_id="key", aws_secret_access_key="secret")
    for name in ("one", "two"):
        kinesis.create_stream(StreamName=name, ShardCount=1)


def destinations(world):
    """Stream and precision of each destination that is enabled."""
    told = world.client.ok("DescribeKinesisStreamingDestination", TableName="Users")["KinesisDataStreamDestinations"]
    return [(one["StreamArn"].split("/")[1], one.get("ApproximateCreationDateTimePrecision")) for one in told
            if one["DestinationStatus"] == "ACTIVE"]


def test_a_destination_is_made_and_then_nothing(world, streams):
    world.program.write("t.json", streaming("one"))
    world.program.ends(0, "apply", "t.json")
    assert destinations(world) == [("one", None)]
    before = world.seen()
    assert world.program.ends(0, "apply", "t.json")[0] == "= Users"
    assert set(world.operations_since(before)) <= READS


def test_a_destination_changes(world, streams):
    world.program.write("t.json", streaming("one"))
    world.program.ends(0, "apply", "t.json")
    world.program.write("t.json", streaming("one", ApproximateCreationDateTimePrecision="MICROSECOND"))
    assert world.program.ends(0, "apply", "t.json")[0] == f"~ Users  kinesis: {ARN}one -> {ARN}one MICROSECOND"
    assert destinations(world) == [("one", "MICROSECOND")]
    world.program.write("t.json", streaming("two"))
    assert world.program.ends(0, "apply", "t.json")[0] == f"~ Users  kinesis: {ARN}one MICROSECOND -> {ARN}two"
    assert destinations(world) == [("two", None)]
    world.program.write("t.json", users())  # what a template does not say stays
    assert world.program.ends(0, "apply", "t.json")[0] == "= Users"
    assert destinations(world) == [("two", None)]


def test_a_stream_that_is_not_there(world, streams):
    world.program.write("t.json", streaming("three"))
    assert world.program.complaints(1, "apply", "t.json")[-1].endswith(
        f"Users: its Kinesis destination cannot be enabled: {REASON}")
    assert destinations(world) == []
    world.program.write("t.json", streaming("two"))
    world.program.ends(0, "apply", "t.json")
    assert destinations(world) == [("two", None)]


def test_a_seed_goes_without_a_stream_that_is_not_there(start, tmp_path):
    (tmp_path / "template.json").write_text(json.dumps(streaming("three")))
    from client import Client
    server = start("--seed", str(tmp_path / "template.json"))
    assert Client(server).describe("Users")["TableStatus"] == "ACTIVE"


def test_schema_and_diff_have_the_destination(world, streams):
    world.program.write("t.json", streaming("one", ApproximateCreationDateTimePrecision="MICROSECOND"))
    world.program.ends(0, "apply", "t.json")
    for form in ("cloudformation", "stator"):
        text = "\n".join(world.program.ends(0, "schema", "--as", form))
        assert json.dumps(ARN + "one") in text
        assert world.program.ends(0, "apply", "--check", "-", stdin=text)[0] == "= Users"
    terraform = world.program.ends(0, "schema", "--as", "terraform")
    assert 'resource "aws_dynamodb_kinesis_streaming_destination" "Users" {' in terraform
    assert f'  stream_arn = "{ARN}one"' in terraform
    assert "a model has no Kinesis destination" in world.program.complaints(0, "schema", "--as", "workbench")[-1]
    world.program.write("other.json", streaming("two"))
    lines = world.program.ends(3, "schema", "diff", "other.json", "endpoint:" + world.server.endpoint)
    assert f"kinesis: {ARN}two -> {ARN}one MICROSECOND" in "\n".join(lines)
