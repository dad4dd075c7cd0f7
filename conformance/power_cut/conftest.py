"""Options of the suite, the recorder's library, and the figures printed at the end."""

import random
import subprocess
from pathlib import Path

import pytest

from server_process import given_endpoint

FIGURES = []


def pytest_addoption(parser):
    parser.addoption("--cuts", type=int, default=20, help="power cuts per durability mode")
    parser.addoption("--seed", type=int, default=None, help="seed of the random choices")


def pytest_collection_modifyitems(items):
    if given_endpoint():
        for item in items:
            item.add_marker(pytest.mark.skip(reason="records its server, and STATOR_ENDPOINT is set"))


@pytest.fixture(scope="session")
def cuts(request):
    return request.config.getoption("--cuts")


@pytest.fixture(scope="session")
def seed(request):
    given = request.config.getoption("--seed")
    chosen = random.SystemRandom().randrange(2**32) if given is None else given
    FIGURES.append(f"seed {chosen}")
    return chosen


@pytest.fixture(scope="session")
def recorder(tmp_path_factory):
    library = tmp_path_factory.mktemp("recorder") / "recorder.so"
    source = Path(__file__).parent / "recorder.cpp"
    subprocess.run(["c++", "-std=c++20", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"],
                   check=True)
    return library


@pytest.fixture(scope="session")
def figures():
    return FIGURES


def pytest_terminal_summary(terminalreporter):
    if FIGURES:
        terminalreporter.section("figures")
        for line in FIGURES:
            terminalreporter.write_line(line)
