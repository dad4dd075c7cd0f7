"""Options of the crash suite and the figures it prints at the end."""

import pytest

from seeded import add_seed_option, figures, pytest_terminal_summary, seed  # noqa: F401
from server_process import given_endpoint


def pytest_addoption(parser):
    parser.addoption("--kills", type=int, default=50, help="kills per durability mode")
    parser.addoption("--damages", type=int, default=40, help="damaged folders")
    add_seed_option(parser)


def pytest_collection_modifyitems(items):
    if given_endpoint():
        for item in items:
            item.add_marker(pytest.mark.skip(reason="kills its server, and STATOR_ENDPOINT is set"))


@pytest.fixture(scope="session")
def kills(request):
    return request.config.getoption("--kills")


@pytest.fixture(scope="session")
def damages(request):
    return request.config.getoption("--damages")
