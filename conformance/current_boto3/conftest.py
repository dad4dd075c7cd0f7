"""Fixtures of the suite of a current boto3."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "capacity"))  # its programs, and keys by their places

from own_servers import start  # noqa: E402, F401
from throttled_world import standing, world  # noqa: E402, F401
