"""Fixtures of the suite of metrics."""

from own_servers import start  # noqa: F401
