"""Fixtures of the suite of transactions."""

import pytest

from actions import STREAM
from boto3_fixtures import dynamodb, new_table, raw, server, table  # noqa: F401
from own_servers import start  # noqa: F401


@pytest.fixture
def streamed(new_table):  # noqa: F811
    """A table with a stream."""
    return new_table(**STREAM)
