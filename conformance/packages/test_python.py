"""The wheel in an empty environment, beside Debian's boto3 and pytest."""

import shutil

import pytest

from conftest import HELPERS, command_runner, only

USE = """
import boto3
from stator import Stator

with Stator("--clock", "2027-01-01T00:00:00Z") as server:
    client = boto3.client("dynamodb", **server.new_database())
    client.create_table(TableName="Albums", BillingMode="PAY_PER_REQUEST",
                        AttributeDefinitions=[{"AttributeName": "Title", "AttributeType": "S"}],
                        KeySchema=[{"AttributeName": "Title", "KeyType": "HASH"}])
    client.put_item(TableName="Albums", Item={"Title": {"S": "Blue"}})
    assert client.scan(TableName="Albums")["Items"] == [{"Title": {"S": "Blue"}}]
    assert server.clock(advance="1h")["time"] == "2027-01-01T01:00:00.000Z"
    assert server.endpoint_url == server.endpoint
    ended = server._server
assert ended.returncode == 0
try:
    Stator("--no-such-flag")
    raise SystemExit("it started")
except RuntimeError as error:
    assert "--no-such-flag" in str(error), error
print("used")
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """One for the three tests; the last removes the package again."""
    folder = tmp_path_factory.mktemp("python")
    run = command_runner(folder, "environment")
    run("/usr/bin/python3", "-m", "venv", "--system-site-packages", "environment")
    run("environment/bin/pip", "install", "--no-index", "--disable-pip-version-check", only("pypi/*_x86_64.whl"))
    return folder / "environment"


def test_program_and_api(environment, project, run):
    assert run(environment / "bin" / "stator", "version").startswith("Stator ")
    assert run(environment / "bin" / "python", "-m", "stator", "version").startswith("Stator ")
    (project / "use.py").write_text(USE)
    # Not on PATH: the API knows where the package's program is.
    assert run(environment / "bin" / "python", "use.py") == "used\n"


def test_the_pytest_plugin_is_there_by_itself(environment, project, run):
    shutil.copy(HELPERS / "pytest" / "test_albums.py", project)
    told = run(environment / "bin" / "python", "-m", "pytest", "-p", "no:cacheprovider", "-q")
    assert " passed" in told and "failed" not in told and "skipped" not in told


def test_nothing_stays_when_it_is_removed(environment, run):
    folders = [environment / "bin", *environment.glob("lib/python3*/site-packages")]
    here = [path for folder in folders for path in folder.iterdir() if "stator" in path.name]
    assert len(here) == 3, here
    run(environment / "bin" / "pip", "uninstall", "--yes", "stator-db")
    assert not [path for path in here if path.exists()]
