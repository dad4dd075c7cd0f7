# SPDX-License-Identifier: Apache-2.0
"""Stator, a local DynamoDB, for tests with pytest. Copy this file into the folder of your tests; beside
a conftest.py of your own name it stator_fixtures.py and say pytest_plugins = ["stator_fixtures"].

One server runs for all tests. Each test that takes `dynamodb` has an empty database in it:

    def test_put(dynamodb):                     # a boto3 client
        dynamodb.create_table(...)

`database` holds the settings of that client: boto3.resource("dynamodb", **database) sees the same
tables. A test that needs flags of its own starts a server for itself:

    def test_slow_tables(start_stator):
        server = start_stator("--control-plane-delay", "2")
        client = boto3.client("dynamodb", **server.new_database())

Such a server's time moves, and what became due has happened when these return:

    server.clock(advance="25h")                 # or set="2027-01-01T00:00:00Z", rate=60, mode="manual"
    server.reset()                              # removes all its tables
    server.mark("seeded")                       # remembers the state of all its databases,
    server.rollback("seeded")                   # and goes back to it, before each test for instance

The program is $STATOR, else `stator` on PATH.
"""

import contextlib
import json
import os
import re
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request
import uuid

import boto3
import pytest

START_DEADLINE_S, STOP_DEADLINE_S, ADMIN_DEADLINE_S = 30, 10, 60


class Stator:
    def __init__(self, *flags):
        command = [os.environ.get("STATOR") or "stator", "--port", "0", "--isolate", "key", *flags]
        self._log = tempfile.TemporaryFile("w+", errors="replace")
        self._server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log, text=True)
        # Its standard input closes when this process ends in whatever way; then it ends the server.
        self._guard = subprocess.Popen(
            ["sh", "-c", 'read _; kill "$0"', str(self._server.pid)], stdin=subprocess.PIPE)
        with self._killed_after(START_DEADLINE_S):
            lines = (re.search(r"listening on (\S+)", line) for line in self._server.stdout)
            found = next(filter(None, lines), None)
            if not found:
                raise RuntimeError(f"{command} did not listen: {self._wait()}")
        self.endpoint = found[1]

    @contextlib.contextmanager
    def _killed_after(self, deadline_s):
        timer = threading.Timer(deadline_s, self._server.kill)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _wait(self):
        """Waits for the end of the server; returns its status and log."""
        self._server.communicate()
        self._guard.kill()
        self._guard.communicate()
        with self._log as log:
            log.seek(0)
            return f"status {self._server.returncode}\n{log.read()}"

    def stop(self):
        self._server.terminate()
        with self._killed_after(STOP_DEADLINE_S):
            outcome = self._wait()
        if self._server.returncode != 0:
            raise RuntimeError(f"{self._server.args} ended with {outcome}")

    def new_database(self):
        """Settings of a client for an empty database: its access key is new, and keys share nothing."""
        return {"endpoint_url": self.endpoint, "region_name": "us-east-1",
                "aws_access_key_id": uuid.uuid4().hex, "aws_secret_access_key": "any"}

    def clock(self, **move):
        """Moves the time of all its databases, and returns it: time, mode and rate."""
        return self._admin("clock", move or None)

    def reset(self, **owner):
        """Removes all tables, or those of an access_key; returns how many."""
        return self._admin("reset", owner)["tables"]

    def mark(self, name="seeded"):
        """Remembers the state of all its databases, and the time if it is moved later."""
        self._admin(f"marks/{name}", {})

    def rollback(self, name="seeded"):
        """Goes back to it; it may be gone back to again."""
        self._admin(f"marks/{name}/rollback", {})

    def _admin(self, path, body):
        data = None if body is None else json.dumps(body).encode()
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with direct.open(f"{self.endpoint}/_stator/{path}", data, ADMIN_DEADLINE_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path} {body}: {error.read().decode()}") from None


@pytest.fixture(scope="session")
def stator():
    server = Stator()
    yield server
    server.stop()


@pytest.fixture
def start_stator():
    with contextlib.ExitStack() as servers:
        def start(*flags):
            server = Stator(*flags)
            servers.callback(server.stop)
            return server

        yield start


@pytest.fixture
def database(stator):
    return stator.new_database()


@pytest.fixture
def dynamodb(database):
    return boto3.client("dynamodb", **database)
