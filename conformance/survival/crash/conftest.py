"""Options of the crash suite and the figures it prints at the end."""

import os
import shutil

import pytest

from own_servers import start  # noqa: F401
from seeded import add_seed_option, figures, pytest_terminal_summary, seed  # noqa: F401
from server_process import given_endpoint
from small_disk import SmallDisk


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


@pytest.fixture
def disk_of(tmp_path):
    """Makes a disk of some bytes on `tmp_path`, for one test."""
    if os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("nsenter"):
        pytest.skip("needs root to mount a small disk")
    disks = []

    def make(size):
        disks.append(SmallDisk(tmp_path, size))
        if not disks[-1].usable:
            pytest.skip("mounting is not allowed here")
        return disks[-1]

    yield make
    for disk in disks:
        disk.close()
