"""Options of the stress suite and the figures it prints at the end."""

import pytest

from own_servers import start  # noqa: F401
from seeded import add_seed_option, figures, pytest_terminal_summary, seed  # noqa: F401
from server_process import given_endpoint


def pytest_addoption(parser):
    parser.addoption("--seconds", type=float, default=14, help="of load, for all mixes together")
    parser.addoption("--rollbacks", type=int, default=150, help="rollbacks beside table changes alone")
    add_seed_option(parser)


def pytest_collection_modifyitems(items):
    if given_endpoint():
        for item in items:
            item.add_marker(pytest.mark.skip(reason="moves the clock of its server, and STATOR_ENDPOINT is set"))


@pytest.fixture(scope="session")
def seconds(request):
    return request.config.getoption("--seconds")


@pytest.fixture(scope="session")
def rollbacks(request):
    return request.config.getoption("--rollbacks")
