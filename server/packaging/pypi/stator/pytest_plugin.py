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
