"""Fixtures of the suite of the Model Context Protocol's own client."""

import pytest

from own_servers import start  # noqa: F401
from server_process import default_server


@pytest.fixture(scope="session")
def server():
    with default_server() as running:
        yield running
