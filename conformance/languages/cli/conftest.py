"""Fixtures of the AWS CLI suite."""

import json
import os
import subprocess

import pytest

from server_process import default_server

CALL_DEADLINE_S = 120


class Outcome:
    def __init__(self, finished):
        self.status = finished.returncode
        self.text = finished.stdout
        self.error = finished.stderr.strip()

    @property
    def json(self):
        assert self.status == 0, self.error
        return json.loads(self.text) if self.text.strip() else {}


@pytest.fixture(scope="session")
def buckets(tmp_path_factory):
    """The folder whose folders are the server's buckets."""
    return tmp_path_factory.mktemp("buckets")


@pytest.fixture(scope="session")
def server(buckets):
    with default_server("--s3-root", str(buckets)) as running:
        yield running


@pytest.fixture(scope="session")
def aws(server):
    """aws("list-tables", "--max-items", 5, output="text") runs the command line once."""
    def run(operation, *arguments, output="json", endpoint=None, service="dynamodb", **environment):
        words = [json.dumps(a) if isinstance(a, (dict, list)) else str(a) for a in arguments]
        command = [os.environ["AWS_CLI"], service, *operation.split(), *words,
                   "--endpoint-url", endpoint or server.endpoint, "--output", output]
        if server.scheme == "https":
            command.append("--no-verify-ssl")
        return Outcome(subprocess.run(
            command, env={**os.environ, "PYTHONUTF8": "1", **environment}, stdin=subprocess.DEVNULL,
            capture_output=True, encoding="utf-8", timeout=CALL_DEADLINE_S))

    return run
