"""Fixtures of the suite of bulk puts."""

import pytest

from own_servers import start  # noqa: F401
from bulk import Bulk


@pytest.fixture
def bulk(start, tmp_path):  # noqa: F811
    """A server with the buckets `source` and `reports` below tmp_path/s3, and its clients."""
    for bucket in ("source", "reports"):
        (tmp_path / "s3" / bucket).mkdir(parents=True)
    return Bulk(start("--s3-root", tmp_path / "s3"), tmp_path / "s3")
