"""For a conftest.py: boto3 clients aimed at the server under test, and tables."""

import itertools

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from client import Client
from definitions import attributes, key_schema, wait
from server_process import default_server

NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def server():
    with default_server() as running:
        yield running


def make_client(endpoint, kind="client", **options):
    """A boto3 client (or resource) for the endpoint."""
    factory = getattr(boto3.session.Session(), kind)
    return factory("dynamodb", endpoint_url=endpoint, region_name="us-east-1", config=Config(**options), verify=False)


@pytest.fixture(scope="session")
def dynamodb(server):
    """The low-level boto3 client."""
    return make_client(server.endpoint)


@pytest.fixture(scope="session")
def resource(server):
    """The boto3 resource, which maps Python values."""
    return make_client(server.endpoint, "resource")


@pytest.fixture(scope="session")
def raw(server):
    """Plain JSON, for members that the packaged SDK does not know."""
    opened = Client(server)
    yield opened
    opened.close()


@pytest.fixture
def new_table(dynamodb):
    """new_table("pk:S sk:N", ...) creates a table of its own and returns its name."""
    names = []

    def create(types="pk:S", **members):
        name = members.pop("TableName", f"py_table_{next(NUMBERS)}")
        keys = [word.split(":")[0] for word in types.split()][:2]
        members.setdefault("KeySchema", key_schema(*keys))
        members.setdefault("AttributeDefinitions", attributes(types))
        if "ProvisionedThroughput" not in members:
            members.setdefault("BillingMode", "PAY_PER_REQUEST")
        dynamodb.create_table(TableName=name, **members)
        names.append(name)
        wait(dynamodb, "table_exists", name)
        return name

    yield create
    pages = dynamodb.get_paginator("list_tables").paginate()
    existing = {name for page in pages for name in page["TableNames"]}
    for name in dict.fromkeys(names):
        if name in existing:
            dynamodb.delete_table(TableName=name)
            wait(dynamodb, "table_not_exists", name)


@pytest.fixture(scope="module")
def table(dynamodb):
    """One table with the string key pk per file of tests."""
    name = f"py_shared_{next(NUMBERS)}"
    dynamodb.create_table(TableName=name, BillingMode="PAY_PER_REQUEST",
                          KeySchema=key_schema("pk"), AttributeDefinitions=attributes("pk:S"))
    wait(dynamodb, "table_exists", name)
    yield name
    dynamodb.delete_table(TableName=name)
    wait(dynamodb, "table_not_exists", name)


@pytest.fixture
def refused():
    """refused(code, message, call, **arguments) asserts that the call fails exactly so."""
    def check(code, message, call, **arguments):
        with pytest.raises(ClientError) as caught:
            call(**arguments)
        error = caught.value.response["Error"]
        assert (error["Code"], error["Message"]) == (code, message)
        return caught.value.response

    return check


@pytest.fixture(scope="session")
def fast(server):
    """A client for bulk work: 70 connections, and no check of parameters before they are sent."""
    return make_client(server.endpoint, max_pool_connections=70, parameter_validation=False)
