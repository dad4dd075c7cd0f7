"""One test fails after a request did, one passes all the same, one fails without. ../../test_explained.py reads the report."""

import boto3
import pytest


def get(settings, table):
    client = boto3.client("dynamodb", **settings)
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.get_item(TableName=table, Key={"Id": {"S": "a"}})


@pytest.fixture(scope="module")
def shared(stator):
    return stator.new_database()


@pytest.fixture
def server(start_stator):
    return start_stator("--gsi-delay", "1")


def test_passes(database, shared):
    get(database, "OfTheTestThatPasses")
    get(shared, "OfTheTestThatPasses")


def test_fails(database, shared):
    get(database, "OfANewDatabase")
    get(shared, "OfTheFilesDatabase")
    assert 1 == 2


def test_fails_too(server):
    get(server.new_database(), "OfAnOwnServer")
    assert 1 == 3


@pytest.fixture
def half_made(database):
    get(database, "OfAFixture")
    raise ValueError("no fixture")


def test_has_no_fixture(half_made):
    pass


def test_fails_without_a_request(dynamodb):
    assert 1 == 4
