"""Fixtures of the suite of faults on demand."""

import pytest

from boto3_fixtures import dynamodb, new_table, raw, server, table  # noqa: F401
from faulty import Faults
from own_servers import start  # noqa: F401
from server_process import given_endpoint


@pytest.fixture
def faults(server):  # noqa: F811
    """The rules of the server; none remains after the test."""
    if given_endpoint():
        pytest.skip("needs the admin path, and STATOR_ENDPOINT is set")
    rules = Faults(server)
    yield rules
    rules.clear()
