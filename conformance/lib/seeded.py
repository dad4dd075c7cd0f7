"""For the conftest.py of a suite that makes random choices and measures: its seed, and the figures
printed at the end."""

import random

import pytest

FIGURES = []


def add_seed_option(parser):
    parser.addoption("--seed", type=int, default=None, help="seed of the random choices")


@pytest.fixture(scope="session")
def seed(request):
    given = request.config.getoption("--seed")
    chosen = random.SystemRandom().randrange(2**32) if given is None else given
    FIGURES.append(f"seed {chosen}")
    # Printed even when a test hangs or the run is cut off.
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"{request.config.rootpath.name}: seed {chosen}", flush=True)
    return chosen


@pytest.fixture(scope="session")
def figures():
    return FIGURES


def pytest_terminal_summary(terminalreporter):
    if FIGURES:
        terminalreporter.section("figures")
        for line in FIGURES:
            terminalreporter.write_line(line)
