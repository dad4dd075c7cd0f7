"""Options of the crash suite and the figures it prints at the end."""

import random

import pytest

from server_process import given_endpoint

FIGURES = []


def pytest_addoption(parser):
    parser.addoption("--rounds", type=int, default=50, help="kills per durability mode")
    parser.addoption("--seed", type=int, default=None, help="seed of the random choices")


def pytest_collection_modifyitems(items):
    if given_endpoint():
        for item in items:
            item.add_marker(pytest.mark.skip(reason="kills its server, and STATOR_ENDPOINT is set"))


@pytest.fixture(scope="session")
def rounds(request):
    return request.config.getoption("--rounds")


@pytest.fixture(scope="session")
def seed(request):
    given = request.config.getoption("--seed")
    chosen = random.SystemRandom().randrange(2**32) if given is None else given
    # Printed even when a test hangs or the run is cut off.
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"crash: seed {chosen}", flush=True)
    FIGURES.append(f"seed {chosen}")
    return chosen


@pytest.fixture(scope="session")
def figures():
    return FIGURES


def pytest_terminal_summary(terminalreporter):
    if FIGURES:
        terminalreporter.section("figures")
        for line in FIGURES:
            terminalreporter.write_line(line)
