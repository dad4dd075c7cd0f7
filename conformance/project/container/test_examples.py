"""The files in docker/ that users copy, and compose files as they are in use for DynamoDB Local."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import boto3
import pytest
import yaml

from checkout import ROOT
from conftest import IMAGE, artists, create_table, inspect, podman, put
from server_process import wait_until

HERE = Path(__file__).parent
DOCKER = ROOT / "docker"


class Project:
    """A compose file, up and down."""

    def __init__(self, file, name):
        self.file, self.name = Path(file), name

    def compose(self, *arguments):
        done = subprocess.run(["podman-compose", "-f", self.file.name, "-p", self.name, *arguments],
                              cwd=self.file.parent, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120)
        assert done.returncode == 0, f"{done.stdout} {done.stderr}"

    def up(self):
        self.compose("up", "-d", "--no-build")

    def down(self, *arguments):
        self.compose("down", *arguments)

    def container(self):
        names = podman("ps", "-q", "--filter", f"label=com.docker.compose.project={self.name}")
        return inspect(names.stdout.strip())


@pytest.fixture
def compose(tmp_path):
    """Brings a copy of a compose file up, so that its relative folders are the test's."""
    projects = []

    def up(file):
        copy = tmp_path / Path(file).name
        shutil.copy(file, copy)
        projects.append(Project(copy, f"test{len(projects)}"))
        projects[-1].up()
        return projects[-1]

    yield up
    for project in projects:
        project.down("-v")


def client(port, endpoint="http://localhost"):
    made = boto3.client("dynamodb", endpoint_url=f"{endpoint}:{port}", region_name="us-east-1",
                        aws_access_key_id="any", aws_secret_access_key="any")

    def answers():
        try:
            return made.list_tables()
        except made.exceptions.ClientError:
            raise
        except Exception as error:  # noqa: BLE001 - not listening yet, in botocore's many forms
            return "Could not connect" not in str(error) and "Connection" not in str(error) and None

    wait_until(answers, what="an answer")
    return made


def keeps_data(project, port):
    create_table(client(port))
    put(client(port), "Nina")
    project.down()
    project.up()
    assert artists(client(port)) == ["Nina"]


def test_our_compose_file(compose):
    project = compose(DOCKER / "compose.yaml")
    keeps_data(project, 8000)
    container = project.container()
    assert container["HostConfig"]["ReadonlyRootfs"]
    assert "no-new-privileges" in container["HostConfig"]["SecurityOpt"]
    assert container["EffectiveCaps"] in (None, [])


def test_the_documented_compose_file(compose, tmp_path):
    (tmp_path / "docker" / "dynamodb").mkdir(parents=True)
    keeps_data(compose(HERE / "compose/documented.yaml"), 8000)
    assert list((tmp_path / "docker" / "dynamodb").iterdir())


def test_a_compose_file_with_a_health_check(compose):
    project = compose(HERE / "compose/checked.yaml")
    create_table(client(8200))
    container = project.container()
    assert container["Config"]["Healthcheck"]["Test"][0] == "CMD-SHELL"
    podman("healthcheck", "run", container["Id"])
    assert inspect(container["Id"])["State"]["Health"]["Status"] == "healthy"


def test_a_compose_file_with_its_own_entry_point(compose):
    keeps_data(compose(HERE / "compose/entry_point.yaml"), 8000)


def shell(line, variables):
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"} | variables
    done = subprocess.run(["bash", "-ec", line], env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{line}: {done.stderr}"
    return done.stdout


def is_this_image(name):
    """The name of an example's image, at a version that is ours."""
    labels = inspect(IMAGE, "image")["Config"]["Labels"]
    return name == "YOUR.REGISTRY/stator:" + labels["org.opencontainers.image.version"]


def test_github_actions(create):
    job = yaml.safe_load((DOCKER / "examples/github-actions.yml").read_text())["jobs"]["test"]
    service = job["services"]["dynamodb"]
    assert is_this_image(service["image"])
    options = [f"--publish={port}" for port in service["ports"]]
    options += [f"--env={name}={value}" for name, value in service["env"].items()]
    container = create(*options).start().wait_until_it_answers()
    # What the runner waits for.
    podman("healthcheck", "run", container.name)
    create_table(container.client(key="another"))
    lines = [step["run"] for step in job["steps"] if "run" in step]
    assert [json.loads(shell(line, job["env"])) for line in lines] == [{"TableNames": ["Music"]}]


@pytest.fixture
def known_host(tmp_path):
    """Gives an address a name, in this process's mount namespace alone."""
    hosts = tmp_path / "hosts"

    def name(host, address):
        hosts.write_text(f"127.0.0.1 localhost\n{address} {host}\n")
        subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)

    yield name
    subprocess.run(["umount", "/etc/hosts"], check=True)


def test_gitlab_ci(start, known_host):
    job = yaml.safe_load((DOCKER / "examples/gitlab-ci.yml").read_text())["test"]
    service = job["services"][0]
    assert is_this_image(service["name"])
    container = start(command=service["command"])
    create_table(container.client(key="another"))
    known_host(service["alias"], container.endpoint.split("//")[1].split(":")[0])
    assert [json.loads(shell(line, job["variables"])) for line in job["script"]] == [
        {"TableNames": ["Music"]}]
