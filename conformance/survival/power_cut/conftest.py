"""Options of the suite, the recorder's library, and the figures printed at the end."""

import subprocess
from pathlib import Path

import pytest

from seeded import add_seed_option, figures, pytest_terminal_summary, seed  # noqa: F401
from server_process import given_endpoint


def pytest_addoption(parser):
    parser.addoption("--cuts", type=int, default=20, help="power cuts per durability mode")
    add_seed_option(parser)


def pytest_collection_modifyitems(items):
    if given_endpoint():
        for item in items:
            item.add_marker(pytest.mark.skip(reason="records its server, and STATOR_ENDPOINT is set"))


@pytest.fixture(scope="session")
def cuts(request):
    return request.config.getoption("--cuts")


@pytest.fixture(scope="session")
def recorder(tmp_path_factory):
    library = tmp_path_factory.mktemp("recorder") / "recorder.so"
    source = Path(__file__).parent / "recorder.cpp"
    subprocess.run(["c++", "-std=c++20", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"],
                   check=True)
    return library
