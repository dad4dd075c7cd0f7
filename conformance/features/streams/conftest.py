"""Fixtures of the suite of stream consumers: boto3's two clients, tables with a stream, a clock to move."""

import itertools
from datetime import datetime
from types import SimpleNamespace

import boto3
import pytest
from botocore.config import Config

from admin import Admin
from definitions import attributes, key_schema, wait
from own_servers import start  # a fixture
from raw_client import Closed
from scenario import SEED, pytest_terminal_summary  # used by pytest
from server_process import default_server

NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def server():
    with default_server() as running:
        yield running


def clients_of(server):
    """boto3's clients of a server: `db`, `streams`, and `create`, which makes a table with a stream."""
    config = Config(max_pool_connections=20)
    members = {"endpoint_url": server.endpoint, "region_name": "us-east-1", "config": config, "verify": False}
    session = boto3.session.Session()
    db = session.client("dynamodb", **members)
    tables = []

    def create(types="pk:S", view="NEW_AND_OLD_IMAGES"):
        name = f"streams_table_{SEED}_{next(NUMBERS)}"
        stream = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": view}} if view else {}
        keys = [word.split(":")[0] for word in types.split()]
        answer = db.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=key_schema(*keys),
                                 AttributeDefinitions=attributes(types), **stream)
        tables.append(name)
        wait(db, "table_exists", name)
        return name, answer["TableDescription"].get("LatestStreamArn")

    return SimpleNamespace(db=db, streams=session.client("dynamodbstreams", **members), create=create,
                           tables=tables)


@pytest.fixture
def aws(server):
    clients = clients_of(server)
    yield clients
    for name in clients.tables:
        clients.db.delete_table(TableName=name)
        wait(clients.db, "table_not_exists", name)


class Clock:
    """The engine's: clock("4h") moves it ahead, and what became due on the way has happened."""

    def __init__(self, server):
        self.admin = Admin(server)

    def __call__(self, amount):
        self.admin.move(advance=amount)

    def now_s(self):
        return int(datetime.fromisoformat(self.admin.time().replace("Z", "+00:00")).timestamp())

    def is_there(self):
        try:
            return self.admin.send("clock").status == 200
        except (Closed, OSError, AssertionError, ValueError):
            return False


@pytest.fixture
def clock(server):
    made = Clock(server)
    if not made.is_there():
        pytest.skip("moves the clock, which this server does not let us")
    return made
