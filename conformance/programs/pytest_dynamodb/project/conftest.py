"""The fixtures of the project: those of the plugin, and its factories with settings of their own."""

import socket

import pytest
from pytest_dynamodb import factories

delayed_proc = factories.dynamodb_proc(delay=True)
delayed = factories.dynamodb("delayed_proc", access_key="delayed", region="eu-west-1")
running = factories.dynamodb("dynamodb_noproc")


@pytest.fixture
def make_table():
    """Creates a table of songs and waits for it."""

    def make(resource, name):
        table = resource.create_table(
            TableName=name,
            AttributeDefinitions=[
                {"AttributeName": "artist", "AttributeType": "S"},
                {"AttributeName": "title", "AttributeType": "S"},
            ],
            KeySchema=[
                {"AttributeName": "artist", "KeyType": "HASH"},
                {"AttributeName": "title", "KeyType": "RANGE"},
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        table.meta.client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        return table

    return make


@pytest.fixture(scope="session", autouse=True)
def ports(record_testsuite_property):
    """Tells the report on which ports servers ran."""
    used = []
    yield used
    record_testsuite_property("ports", " ".join(map(str, used)))


@pytest.fixture
def note_port(ports):
    """Notes the port of a process that answers."""

    def note(process):
        with socket.create_connection((process.host, process.port), timeout=10):
            ports.append(process.port)

    return note
