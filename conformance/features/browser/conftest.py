"""Fixtures of the browser suite: servers of a test's own."""

from own_servers import start  # noqa: F401
