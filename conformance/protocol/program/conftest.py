"""Fixtures of the suite of the program: servers of a test's own."""

from own_servers import start  # noqa: F401
