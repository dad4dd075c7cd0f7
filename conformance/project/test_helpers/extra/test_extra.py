"""A test that uses the servers and then, with EXTRA_HELD=FILE, writes FILE and waits to be killed; without,
it fails. ../test_helpers.py looks what is left of them."""

import os
import pathlib
import threading

import boto3


def test_held_or_failed(dynamodb, start_stator):
    own = start_stator("--gsi-delay", "1")
    for client in dynamodb, boto3.client("dynamodb", **own.new_database()):
        client.list_tables()
    assert "EXTRA_HELD" in os.environ, "failed on purpose"
    pathlib.Path(os.environ["EXTRA_HELD"]).write_text("held")
    threading.Event().wait(600)
