"""Fixtures of the suite of templates: `stator apply`, `stator schema`."""

import pytest

from own_servers import start  # noqa: F401
from seeded import add_seed_option, pytest_terminal_summary, seed  # noqa: F401
from world import World


@pytest.fixture
def world(start, tmp_path):  # noqa: F811
    return World(start("--explain", "1000"), tmp_path)


@pytest.fixture
def slow_world(start, tmp_path):  # noqa: F811
    """Tables and indexes take a second to change, of a clock that runs a thousand times as fast."""
    slow = World(start("--explain", "1000", "--control-plane-delay", "1"), tmp_path)
    slow.admin.move(rate=1000)
    return slow


def pytest_addoption(parser):
    add_seed_option(parser)
    parser.addoption("--tables", type=int, default=40, help="random tables of the round trips")
