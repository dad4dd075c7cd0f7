"""Fixtures of the suite of imports from S3."""

import pytest

from own_servers import start  # noqa: F401
from importing import Importer


@pytest.fixture
def importer(start, tmp_path):  # noqa: F811
    """A server with buckets below tmp_path/s3, of which `bucket` exists, and its clients."""
    (tmp_path / "s3" / "bucket").mkdir(parents=True)
    return Importer(start("--s3-root", tmp_path / "s3"), tmp_path / "s3")
