# SPDX-License-Identifier: Apache-2.0
"""Fixtures for pytest, there as soon as the package is installed. `dynamodb` needs boto3.

One server runs for all tests, from the first that asks for it. Each test that takes `dynamodb` has an empty
database in it:

    def test_put(dynamodb):                     # a boto3 client
        dynamodb.create_table(...)

`database` holds the settings of that client: boto3.resource("dynamodb", **database) sees the same
tables. A test that needs flags of its own starts a server for itself:

    def test_slow_tables(start_stator):
        server = start_stator("--control-plane-delay", "2")
        client = boto3.client("dynamodb", **server.new_database())

Such a server's time moves, and what became due has happened when these return:

    server.clock(advance="25h")                 # or set="2027-01-01T00:00:00Z", rate=60, mode="manual"
    server.reset()                              # removes all its tables
    server.mark("seeded")                       # remembers the state of all its databases,
    server.rollback("seeded")                   # and goes back to it, before each test for instance

Tests that begin with filled tables: their module, or its conftest.py, says by a fixture `stator_seed` what fills an
empty database. That is done once for the module, on a server of its own, and before each test that takes `seeded` it
goes back to that state:

    @pytest.fixture(scope="module")
    def stator_seed():
        return fill                             # which is called with a boto3 client

    def test_delete(seeded):                    # a boto3 client of the filled database
        seeded.delete_table(TableName="Albums")
"""

import contextlib

import pytest

from stator.server import Stator


@pytest.fixture(scope="session")
def stator():
    server = Stator()
    yield server
    server.stop()


@pytest.fixture
def start_stator():
    with contextlib.ExitStack() as servers:
        def start(*flags):
            server = Stator(*flags)
            servers.callback(server.stop)
            return server

        yield start


@pytest.fixture
def database(stator):
    return stator.new_database()


@pytest.fixture
def dynamodb(database):
    import boto3

    return boto3.client("dynamodb", **database)


@pytest.fixture(scope="module")
def stator_seed():
    pytest.fail("the fixture `seeded` needs a fixture `stator_seed` that returns what fills its database")


@pytest.fixture(scope="module")
def seeded_stator(stator_seed):
    import boto3

    with Stator() as server:
        server.seeded_database = server.new_database()
        stator_seed(boto3.client("dynamodb", **server.seeded_database))
        server.mark("seeded")
        yield server


@pytest.fixture
def seeded_database(seeded_stator):
    seeded_stator.rollback("seeded")
    return seeded_stator.seeded_database


@pytest.fixture
def seeded(seeded_database):
    import boto3

    return boto3.client("dynamodb", **seeded_database)
