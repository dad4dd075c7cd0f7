"""Fixtures of the suite of statements."""

import pytest

from boto3_fixtures import dynamodb, new_table, raw, server, table  # noqa: F401
from own_servers import start  # noqa: F401
from statements import INDEXES


def pytest_addoption(parser):
    parser.addoption("--statements", type=int, default=5000, metavar="N",
                     help="random statements beside native requests (5000)")


@pytest.fixture(scope="module")
def things(raw):  # noqa: F811
    """The table `PqThings` with indexes and a few items, as the rows of errors have it."""
    raw.create_table("PqThings", "sk", **INDEXES)
    raw.wait_active("PqThings")
    for key in ("a", "b"):
        for number in ("1", "2", "3"):
            item = {"pk": {"S": key}, "sk": {"S": number}, "g": {"S": "x"}, "n": {"N": number},
                    "ss": {"SS": ["p"]}, "t": {"S": f"{key}{number}"}}
            raw.ok("PutItem", TableName="PqThings", Item=item)
    yield "PqThings"
    raw.ok("DeleteTable", TableName="PqThings")
