"""Containers in which a package meets an empty project: a bare Debian, the release, and nothing of the checkout."""

import os
import re
import subprocess
import time
from pathlib import Path

import boto3

from checkout import ROOT
from server_process import STOP_DEADLINE_S

BASE = "docker.io/library/debian:bookworm-slim"
COMMAND_DEADLINE_S = 400
ENVIRONMENT = {"HOME": "/root", "LC_ALL": "C.UTF-8", "AWS_EC2_METADATA_DISABLED": "true"}


def podman(*arguments, check=True, errors=subprocess.PIPE):
    """Returns its output."""
    done = subprocess.run(["podman", *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=errors, text=True, timeout=COMMAND_DEADLINE_S)
    assert not check or done.returncode == 0, f"podman {arguments}: status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def languages():
    """What languages are installed on this machine as, and which of it they are called by: mounts and PATH."""
    mounts = ["/usr", "/etc/alternatives", "/etc/maven", *map(str, Path("/etc").glob("java-*"))]
    path = ["/usr/bin", "/bin"]
    roots = {"go": [tell("go", "env", "GOROOT")],
             "node": [str(Path(tell("node", "-p", "process.execPath")).resolve().parents[1])]}
    options = []
    for name, (root,) in roots.items():
        if not root.startswith("/usr/"):  # in a folder of its own, wherever that is
            options += ["--volume", f"{root}:/opt/{name}:ro"]
            root = f"/opt/{name}"
        if root != "/usr":
            path.insert(0, f"{root}/bin")
    for mount in mounts:
        if os.path.exists(mount):
            options += ["--volume", f"{mount}:{mount}:ro"]
    return [*options, "--env", "PATH=" + ":".join(path)]


def tell(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


class Box:
    """A container that runs until it is removed. /release holds the release, /project an empty folder, which the test sees
    too. It is in the tests' network, where nobody else is."""

    def __init__(self, release, project, *options, tools=False):
        self.project = project
        options = [*options, *(languages() if tools else [])]
        for name, value in ENVIRONMENT.items():
            options += ["--env", f"{name}={value}"]
        self.name = podman("create", "--network", "host", "--volume", f"{release}:/release:ro", "--volume",
                           f"{project}:/project", "--workdir", "/project", *options, BASE, "sleep", "infinity").split()[-1]
        podman("start", self.name)
        seen = self.run("sh", "-c", f"command -v stator; ls -d {ROOT}; true")
        assert re.fullmatch(r"ls: cannot access '[^']*': No such file or directory\n", seen), seen

    def run(self, *command, **environment):
        """A command, which must succeed; returns its output, errors among it."""
        variables = [word for name, value in environment.items() for word in ("--env", f"{name}={value}")]
        return podman("exec", *variables, self.name, *command, errors=subprocess.STDOUT)

    def timed(self, *command, **environment):
        """How long it took, in seconds."""
        began = time.monotonic()
        self.run(*command, **environment)
        return time.monotonic() - began

    def remove(self):
        podman("rm", "--force", "--time", 0, "--volumes", self.name)


class Server:
    """A server that a box runs."""

    def __init__(self, box, *command):
        self.box = box
        began = time.monotonic()
        self.process = subprocess.Popen(
            ["podman", "exec", box.name, "sh", "-c", 'echo $$; exec "$@"', "sh", *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.pid = int(self.process.stdout.readline())
        self.endpoint = re.search(r"listening on (\S+)", self.process.stdout.readline())[1]
        self.start_s = time.monotonic() - began

    def stop(self):
        """By SIGTERM; returns how long that took."""
        began = time.monotonic()
        self.box.run("sh", "-c", f"kill {self.pid}")
        assert self.process.wait(STOP_DEADLINE_S) == 0
        self.process.stdout.close()
        return time.monotonic() - began


def client_of(endpoint):
    return boto3.client("dynamodb", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="one",
                        aws_secret_access_key="any")


def write_and_read(endpoint):
    """A table and an item, and the item again; returns how long that took."""
    item = {"Title": {"S": "Blue"}, "Sold": {"N": "12345678901234567890.5"}}
    client = client_of(endpoint)
    began = time.monotonic()
    client.create_table(TableName="Albums", BillingMode="PAY_PER_REQUEST",
                        AttributeDefinitions=[{"AttributeName": "Title", "AttributeType": "S"}],
                        KeySchema=[{"AttributeName": "Title", "KeyType": "HASH"}])
    client.put_item(TableName="Albums", Item=item)
    assert client.get_item(TableName="Albums", Key={"Title": item["Title"]})["Item"] == item
    return time.monotonic() - began
