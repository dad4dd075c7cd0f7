"""For a conftest.py or a test file: servers of a test's own."""

import pytest

from server_process import Server, given_endpoint


@pytest.fixture
def start():
    """start(*flags, ...) starts a server of the test's own, killed at the end of the test."""
    if given_endpoint():
        pytest.skip("needs a server started by the test, and STATOR_ENDPOINT is set")
    started = []

    def begin(*flags, **options):
        started.append(Server(*flags, **options))
        return started[-1]

    yield begin
    for running in started:
        running.kill()
