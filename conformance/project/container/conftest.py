"""Real containers of the image: started as users' compose files, pipelines and modules start them."""

import json
import os
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import boto3
import pytest
from botocore.config import Config

from server_process import START_DEADLINE_S, wait_until

WORK = Path(os.environ["CONTAINER_WORK"])
IMAGE = (WORK / "image").read_text().strip()

FIGURES = []  # what was measured, a line each; the summary prints them


def pytest_terminal_summary(terminalreporter):
    for line in FIGURES:
        terminalreporter.write_line("measured: " + line)


def podman(*arguments, check=True, **options):
    done = subprocess.run(["podman", *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120, **options)
    assert not check or done.returncode == 0, f"podman {arguments}: {done.stdout} {done.stderr}"
    return done


def inspect(name, kind="container"):
    return json.loads(podman("inspect", "--type", kind, name).stdout)[0]


class Container:
    """A container that runs in the background; its port 8000 is reached at its own address."""

    def __init__(self, *options, command=(), image=IMAGE, port=8000):
        self.name = podman("create", *options, image, *command).stdout.strip()
        self.port = port

    def start(self):
        podman("start", self.name)
        return self

    def wait_until_it_answers(self):
        wait_until(self._status, what="an answer of the container")
        return self

    def _status(self):
        state = self.state()
        assert state["Status"] not in ("exited", "dead"), f"ended: {state} {self.logs()}"
        try:
            return self.get("/")
        except OSError:
            return None

    def get(self, path):
        """The status of a GET."""
        try:
            with urllib.request.urlopen(self.endpoint + path, timeout=START_DEADLINE_S) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    @property
    def endpoint(self):
        networks = inspect(self.name)["NetworkSettings"]["Networks"]
        address = next(iter(networks.values()))["IPAddress"]
        return f"http://{address}:{self.port}"

    def client(self, region="us-east-1", key="key"):
        return boto3.client("dynamodb", endpoint_url=self.endpoint, region_name=region,
                            aws_access_key_id=key, aws_secret_access_key="secret",
                            config=Config(retries={"max_attempts": 0}))

    def state(self):
        return inspect(self.name)["State"]

    def logs(self):
        """Standard output and standard error of its process."""
        done = podman("logs", self.name)
        return done.stdout + done.stderr

    def run(self, *command, options=()):
        """A command inside; its exit status, output and errors."""
        return podman("exec", *options, self.name, *command, check=False)

    def wait_for_end(self):
        """The exit status of a container that ends by itself."""
        wait_until(lambda: self.state()["Status"] in ("exited", "stopped"), what="its end")
        return self.state()["ExitCode"]

    def remove(self):
        podman("rm", "--force", "--time", 0, "--volumes", self.name)


@pytest.fixture
def create():
    """Makes containers (not started) that are gone after the test."""
    made = []

    def make(*options, **named):
        made.append(Container(*options, **named))
        return made[-1]

    yield make
    for container in made:
        container.remove()


@pytest.fixture
def start(create):
    """Starts a container and waits until it answers."""
    return lambda *options, **named: create(*options, **named).start().wait_until_it_answers()


@pytest.fixture
def volume():
    name = podman("volume", "create").stdout.strip()
    yield name
    podman("volume", "rm", "--force", name)


def create_table(client, name="Music"):
    return client.create_table(
        TableName=name,
        AttributeDefinitions=[{"AttributeName": "artist", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "artist", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )["TableDescription"]


def put(client, artist, table="Music"):
    client.put_item(TableName=table, Item={"artist": {"S": artist}})


def artists(client, table="Music"):
    return sorted(item["artist"]["S"] for item in client.scan(TableName=table)["Items"])
