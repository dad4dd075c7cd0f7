"""Keeps pytest out of the examples: test_helpers.py runs them as their users would."""

import pytest

from own_servers import start  # noqa: F401
from projects import make_program

collect_ignore = ["pytest", "extra", "go", "jest", "junit", "vitest", "cases"]


@pytest.fixture
def program(tmp_path):
    """The program `stator` in a folder of its own."""
    return make_program(tmp_path / "bin")
