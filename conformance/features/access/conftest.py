"""Fixtures of the suite of access control."""

import pytest
from botocore.exceptions import ClientError

from guarded import Guarded
from own_servers import start  # noqa: F401


@pytest.fixture
def guard(start, tmp_path):  # noqa: F811
    """guard(content, *flags, mode="iam"): a server of the test's own for this access file."""
    return lambda content, *flags, **options: Guarded(tmp_path, content, *flags, start=start, **options)


@pytest.fixture
def refused():
    """refused(code, call, **arguments): the call fails with this code; returns the message."""
    def check(code, call, **arguments):
        with pytest.raises(ClientError) as caught:
            call(**arguments)
        error = caught.value.response["Error"]
        assert error["Code"] == code, error
        return error["Message"]
    return check
