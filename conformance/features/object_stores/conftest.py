"""Fixtures of the suite of exports to servers of S3."""

import pytest

from hostile import HostileStore
from own_servers import start  # noqa: F401
from stores import Moto, S3rver, StoreExporter


@pytest.fixture(scope="session")
def stores(tmp_path_factory):
    """Both servers, started once, by name."""
    running = {"moto": Moto(), "s3rver": S3rver(tmp_path_factory.mktemp("s3rver"))}
    for store in running.values():
        store.s3.create_bucket(Bucket="bucket")
    yield running
    for store in running.values():
        store.stop()


@pytest.fixture(params=["moto", "s3rver"])
def store(stores, request):
    return stores[request.param]


@pytest.fixture
def exporter(start, store):  # noqa: F811
    """A server of Stator that exports to the store, and its clients."""
    return StoreExporter(start("--s3-endpoint", store.endpoint, env=store.environment), store)


@pytest.fixture
def hostile():
    """hostile(tls=False): a server of S3 with faults, stopped at the end of the test."""
    running = []

    def begin(**options):
        running.append(HostileStore(**options))
        return running[-1]

    yield begin
    for one in running:
        one.stop()
