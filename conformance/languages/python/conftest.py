"""Fixtures of the Python suite."""

# All of them are used by pytest or by the tests.
from boto3_fixtures import (attributes, dynamodb, fast, key_schema, make_client, new_table, raw, refused, resource,
                            server, table, wait)
from scenario import new_store, pytest_terminal_summary
