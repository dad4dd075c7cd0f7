"""Fixtures of the suite of import, export and copy."""

import pytest

from boto3_fixtures import dynamodb, new_table, raw, server  # noqa: F401
from own_servers import start  # noqa: F401
from data_program import Program


@pytest.fixture
def program(server, tmp_path):  # noqa: F811
    """The program as a command, aimed at the shared server, at work in a folder of the test."""
    return Program(server.endpoint, tmp_path)


def pytest_addoption(parser):
    parser.addoption("--items", type=int, default=2_000, help="for the copies from and to DynamoDB Local")
