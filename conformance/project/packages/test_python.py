"""The wheel in an empty environment, beside Debian's boto3 and pytest."""

import shutil
import time
import zipfile

import pytest

from box import Box
from conftest import HELPERS, RELEASE, inside, only, told_figures

WHEEL = "pypi/*_x86_64.whl"
USE = """
import time
import zipfile
import boto3
from stator import Stator

began = time.monotonic()
with Stator("--clock", "2027-01-01T00:00:00Z") as server:
    started = time.monotonic()
    client = boto3.client("dynamodb", **server.new_database())
    client.create_table(TableName="Albums", BillingMode="PAY_PER_REQUEST",
                        AttributeDefinitions=[{"AttributeName": "Title", "AttributeType": "S"}],
                        KeySchema=[{"AttributeName": "Title", "KeyType": "HASH"}])
    client.put_item(TableName="Albums", Item={"Title": {"S": "Blue"}})
    assert client.scan(TableName="Albums")["Items"] == [{"Title": {"S": "Blue"}}]
    used = time.monotonic()
    assert server.clock(advance="1h")["time"] == "2027-01-01T01:00:00.000Z"
    assert server.endpoint_url == server.endpoint
    ended = server._server
    stopping = time.monotonic()
stopped = time.monotonic()
assert ended.returncode == 0
try:
    Stator("--no-such-flag")
    raise SystemExit("it started")
except RuntimeError as error:
    assert "--no-such-flag" in str(error), error
print("figures:", started - began, used - started, stopped - stopping)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A box and an environment for the three tests; the last removes the package again."""
    box = Box(RELEASE, tmp_path_factory.mktemp("python"), tools=True)
    began = time.monotonic()
    box.run("/usr/bin/python3", "-m", "venv", "--system-site-packages", "/environment")
    box.run("/environment/bin/pip", "install", "--no-index", "--disable-pip-version-check", inside(WHEEL))
    box.installed_s = time.monotonic() - began
    yield box
    box.remove()


def test_program_and_api(environment):
    assert environment.run("/environment/bin/stator", "version").startswith("Stator ")
    assert environment.run("/environment/bin/python", "-m", "stator", "version").startswith("Stator ")
    (environment.project / "use.py").write_text(USE)
    # Not on PATH: the API knows where the package's program is.
    told = environment.run("/environment/bin/python", "use.py")
    told_figures("pip: wheel, by its API and boto3", [only(WHEEL)], environment.installed_s, told)


def test_the_pytest_plugin_is_there_by_itself(environment):
    shutil.copy(HELPERS / "pytest" / "test_albums.py", environment.project)
    told = environment.run("/environment/bin/python", "-m", "pytest", "-p", "no:cacheprovider", "-q",
                           PYTHONDONTWRITEBYTECODE="1")  # what pytest would leave beside the plug-in is not the package's
    assert " passed" in told and "failed" not in told and "skipped" not in told


def test_elsewhere_pip_takes_the_wheel_without_a_program():
    with zipfile.ZipFile(only("pypi/*-none-any.whl")) as wheel, zipfile.ZipFile(only(WHEEL)) as whole:
        others = {name for name in whole.namelist() if name.endswith("/scripts/stator")}
        assert "stator/py.typed" in whole.namelist()
        assert len(others) == 1 and set(wheel.namelist()) == set(whole.namelist()) - others


def test_nothing_stays_when_it_is_removed(environment):
    find = ("find", "/environment/bin", "/environment/lib", "-name", "*stator*", "-prune")
    assert len(environment.run(*find).splitlines()) == 3
    environment.run("/environment/bin/pip", "uninstall", "--yes", "stator-db")
    assert environment.run(*find) == ""
