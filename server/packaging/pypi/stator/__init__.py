# SPDX-License-Identifier: Apache-2.0
"""Stator, a local DynamoDB, started and stopped by Python:

    from stator import Stator

    with Stator() as server:
        client = boto3.client("dynamodb", **server.new_database())

With pytest its fixtures are there by themselves: stator/pytest_plugin.py.
"""

from stator.limits import Limits
from stator.server import Stator, program

__all__ = ["Limits", "Stator", "program"]
