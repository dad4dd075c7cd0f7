"""Fixtures of the suite of Kinesis destinations."""

import itertools

import pytest

from boto3_fixtures import new_table, raw, refused, server  # noqa: F401
from kinesis_world import Wire, arn_of, kinesis_client
from own_servers import start  # noqa: F401
from server_process import given_endpoint

NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def dynamodb(server):  # noqa: F811
    return Wire(server)


@pytest.fixture(scope="session")
def kinesis(server):  # noqa: F811
    """The client of Kinesis, on the same endpoint."""
    if given_endpoint():
        pytest.skip("needs Kinesis on the same endpoint, and STATOR_ENDPOINT is set")
    return kinesis_client(server.endpoint)


@pytest.fixture
def new_stream(kinesis):
    """new_stream(shards) creates a stream of its own and returns its name."""
    names = []

    def create(shards=1):
        name = f"stream-{next(NUMBERS)}"
        kinesis.create_stream(StreamName=name, ShardCount=shards)
        names.append(name)
        return name

    yield create
    for name in names:
        if name in kinesis.list_streams()["StreamNames"]:
            kinesis.delete_stream(StreamName=name)


@pytest.fixture
def streaming(dynamodb, new_table, new_stream):  # noqa: F811
    """streaming(types, precision) makes a table with an active destination; returns (table, stream)."""
    def create(types="pk:S", precision=None, shards=1):
        table, stream = new_table(types), new_stream(shards)
        configuration = {"ApproximateCreationDateTimePrecision": precision} if precision else {}
        dynamodb.enable_kinesis_streaming_destination(
            TableName=table, StreamArn=arn_of(stream), EnableKinesisStreamingConfiguration=configuration)
        return table, stream

    return create
