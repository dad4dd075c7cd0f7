"""Fixtures of the suite of throughput."""

from own_servers import start  # noqa: F401
from throttled_world import standing, world  # noqa: F401
