"""The helpers of the packages for Python and Node.js: a rule that did not fire fails the test."""

import os
import pathlib
import shutil
import subprocess
import sys

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from faulty import Faults

PACKAGES = pathlib.Path(__file__).parents[3] / "server/packaging"
sys.path.insert(0, str(PACKAGES / "pypi"))


@pytest.fixture
def stator(start, monkeypatch):
    """The helper's object for a server of the test's own."""
    from stator import Stator

    server = start("--isolate", "key")
    monkeypatch.setenv("STATOR_ENDPOINT", server.endpoint)
    return Stator()


def lists(stator):
    """The number of attempts that succeeded, of one."""
    client = boto3.client("dynamodb", **stator.new_database(), config=Config(retries={"total_max_attempts": 1}))
    try:
        client.list_tables()
    except ClientError:
        return 0
    return 1


def test_a_rule_holds_inside(stator):
    with stator.fault("ListTables", error="InternalServerError") as fault:
        assert lists(stator) == 0
        assert fault.fired == 1
    assert lists(stator) == 1


def test_a_rule_that_did_not_fire_fails(stator):
    with pytest.raises(AssertionError, match="the fault fired 0 times, not once or more"):
        with stator.fault("PutItem", error="InternalServerError"):
            pass
    with pytest.raises(AssertionError, match="the fault fired 1 times, not 2"):
        with stator.fault("ListTables", times=2, error="InternalServerError"):
            lists(stator)
    with stator.fault("PutItem", optional=True, drop="after"):
        pass


def test_the_error_inside_is_the_tests_own(stator):
    with pytest.raises(ZeroDivisionError):
        with stator.fault("PutItem", drop="after"):
            1 / 0
    assert stator._admin("faults", None)["rules"] == []


NODE = """
const { verbs } = require('./admin.cjs');
(async () => {
  const server = verbs(process.env.STATOR_ENDPOINT);
  const rule = { match: { operation: 'ListTables' }, when: { times: 1 }, effect: { error: 'InternalServerError' } };
  const unmet = await server.fault(rule);
  await unmet.done().then(() => { throw new Error('no error'); }, (error) => console.log(error.message.split(':')[0]));
  const free = await server.fault({ ...rule, optional: true });
  console.log((await free.state()).fired);
  await free.done();
  const preset = await server.fault('hot-table orders');
  console.log(preset.name, (await preset.state()).matched);
  await preset.done().catch((error) => console.log(error.message));
  const many = await server.fault({ preset: 'flaky-1%', optional: true });
  console.log((await many.state()).fired);
  await many.done();
})().catch((error) => { console.error(error); process.exit(1); });
"""


PRINTED = """\
the fault fired 0 times, not 1
0
hot-table 0
the fault fired 0 times, not once or more: "hot-table orders"
0
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_node_has_the_same(server):
    ran = subprocess.run(["node", "-e", NODE], cwd=PACKAGES / "npm/stator", capture_output=True, text=True, timeout=60,
                         env={**os.environ, "STATOR_ENDPOINT": server.endpoint})
    assert (ran.returncode, ran.stdout) == (0, PRINTED), ran.stderr
    assert Faults(server).admin.ok("faults")["rules"] == []
