"""Fixtures of the suite of backups: a client, tables, and the number of rounds."""

import pytest

from boto3_fixtures import dynamodb, make_client, new_table, raw, server  # noqa: F401
from own_servers import start  # noqa: F401


def pytest_addoption(parser):
    parser.addoption("--rounds", type=int, default=6, help="backups beside writers; every third one meets a kill")


@pytest.fixture
def rounds(request):
    return request.config.getoption("--rounds")
