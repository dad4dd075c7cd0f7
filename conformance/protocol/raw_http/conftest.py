"""Fixtures of the raw HTTP suite: a shared server, connections and clients on it."""

import pytest

from client import Client
from own_servers import start  # noqa: F401
from raw_client import Connection
from server_process import default_server

# Filled by test_cases.py, printed at the end.
PENDING = {}


@pytest.fixture(scope="session")
def server():
    """The server of all tests that need no flags of their own. Pages may use it, as in the cloud."""
    with default_server("--cors", "*") as running:
        yield running


@pytest.fixture
def connection(server):
    with Connection(server) as opened:
        yield opened


@pytest.fixture(scope="session")
def client(server):
    opened = Client(server)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def table(client):
    """An empty table with the string key pk; tests use keys of their own."""
    client.drop_table("raw_table")
    client.create_table("raw_table")
    yield "raw_table"
    client.drop_table("raw_table")


def pytest_configure(config):
    config.stator_pending = PENDING


def pytest_terminal_summary(terminalreporter):
    """Cases of operations still to come are counted and named, not passed over in silence."""
    if not PENDING:
        return
    total = sum(len(ids) for ids in PENDING.values())
    terminalreporter.section(f"pending: {total} cases")
    for reason, ids in sorted(PENDING.items()):
        terminalreporter.write_line(f"{len(ids):4} {reason}")
