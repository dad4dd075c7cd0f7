"""Fixtures of the suite of a current boto3."""

import sys

from boto3_fixtures import dynamodb, make_client, new_table, refused, server  # noqa: F401
from checkout import CONFORMANCE

sys.path.append(str(CONFORMANCE / "features/capacity"))  # its programs, and keys by their places

from own_servers import start  # noqa: E402, F401
from throttled_world import standing, world  # noqa: E402, F401
