"""Fixtures of the suite of queues and topics: moto's server, and functions from the suite of triggers."""

import sys

import pytest

from checkout import ROOT
from own_servers import start  # noqa: F401

sys.path.insert(0, str(ROOT / "conformance" / "features" / "triggers"))
from called import Functions  # noqa: E402


@pytest.fixture(scope="session")
def moto():
    """The endpoint of a server of SQS and SNS."""
    from moto.server import ThreadedMotoServer
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def functions():
    serving = Functions()
    yield serving
    serving.close()
