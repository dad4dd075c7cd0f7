"""Fixtures of the suite of event source mappings."""

import itertools

import pytest

from boto3_fixtures import dynamodb, make_client, new_table, raw, refused, server  # noqa: F401
from called import Functions, World, function_flags
from lambda_api import Lambda, lambda_client
from own_servers import start  # noqa: F401

NUMBERS = itertools.count(1)
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


@pytest.fixture
def client(server):  # noqa: F811
    """boto3's client of Lambda."""
    return lambda_client(server.endpoint)


@pytest.fixture
def api(server):  # noqa: F811
    return Lambda(server)


@pytest.fixture
def stream(dynamodb, new_table):  # noqa: F811
    """The ARN of the stream of a new table."""
    name = new_table(StreamSpecification=STREAM)
    return dynamodb.describe_table(TableName=name)["Table"]["LatestStreamArn"]


@pytest.fixture
def own_stream():
    """own_stream(server) makes a table with a stream on it and returns the stream's ARN."""
    def make(running, table="things"):
        own = make_client(running.endpoint)
        made = own.create_table(
            TableName=table, BillingMode="PAY_PER_REQUEST", StreamSpecification=STREAM,
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
        return made["TableDescription"]["LatestStreamArn"]

    return make


@pytest.fixture
def function():
    """A name of its own for each test."""
    return f"function_{next(NUMBERS)}"


@pytest.fixture
def functions():
    serving = Functions()
    yield serving
    serving.close()


@pytest.fixture
def world(start, functions):  # noqa: F811
    """A server that calls f and g; retries follow at once."""
    return World(start(*function_flags(functions), "--lambda-retry-backoff", "0"), functions)
