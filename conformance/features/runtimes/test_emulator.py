"""AWS's emulator of a Lambda container as a process, with the function for Python in it: what each of its answers means."""

import json
import os
import socket
import sys

import pytest

from conftest import HERE, ROOT
from function_process import PATIENCE_S, Program, World
from server_process import free_port, wait_until

EMULATOR = ROOT / "build" / "conformance" / "aws-lambda-rie"
HANDLER = [sys.executable, "-m", "awslambdaric", "app.handler"]


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Emulator(Program):
    def __init__(self):
        self.port = free_port()
        super().__init__(
            [str(EMULATOR), "--runtime-interface-emulator-address", f"127.0.0.1:{self.port}",
             "--runtime-api-address", f"127.0.0.1:{free_port()}", *HANDLER],
            HERE / "python", AWS_LAMBDA_FUNCTION_TIMEOUT="2", AWS_LAMBDA_FUNCTION_NAME="f")
        wait_until(lambda: is_open(self.port), PATIENCE_S, "the emulator's port")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/2015-03-31/functions/function/invocations"


@pytest.fixture
def emulator():
    if "go" not in os.environ["STATOR_RUNTIMES"].split():
        missing = "no tools for Go, in which the emulator is written"
        pytest.fail(missing) if os.environ.get("STATOR_ALL") == "1" else pytest.skip(missing)
    running = Emulator()
    yield running
    print(running.text())  # shown when the test fails
    running.close()


@pytest.fixture
def world(start, emulator):
    return World(start("--function", f"f={emulator.url}", "--lambda-retry-backoff", "0"))


def test_answers_and_errors(world):
    world.write("ok", "ok", MaximumRetryAttempts=0)
    [call] = world.calls(1)
    assert (call["outcome"], call["records"], json.loads(call["answer"])) == ("ok", 2, {"count": 2})

    # Status 200 and no header, as for every error of a handler.
    world.write("fail", MaximumRetryAttempts=1)
    assert [failed["error"] for failed in world.calls(3)[1:]] == ["ValueError: no"] * 2

    world.write("second", "ok", FunctionResponseTypes=["ReportBatchItemFailures"])
    parts = world.calls(5)[-2:]
    assert [(part["outcome"], part["records"]) for part in parts] == [("partly failed", 2), ("ok", 1)]


def test_the_text_of_a_timeout(world):
    world.write("hang", MaximumRetryAttempts=0)
    assert "Task timed out after 2.00 seconds" in world.calls(1)[0]["error"]
    world.write("ok")
    assert wait_until(lambda: [call for call in world.calls(2) if call["outcome"] == "ok"])


def test_a_process_that_ends(world):
    """Status 502 with the error."""
    world.write("exit", MaximumRetryAttempts=0)
    failed = world.calls(1)[0]
    assert failed["outcome"] == "failed" and "Runtime.ExitError" in failed["error"], failed
    world.write("ok")
    assert wait_until(lambda: [call for call in world.calls(2) if call["outcome"] == "ok"])


def test_one_call_at_a_time(world):
    """A second call would get status 400."""
    for _ in range(3):
        world.write(*["ok"] * 20, ParallelizationFactor=10, BatchSize=1)
    assert [call["outcome"] for call in world.calls(60)] == ["ok"] * 60
    assert all(call["outcome"] == "ok" for call in world.admin.ok("triggers/invocations")["invocations"])


def test_invoke(world):
    event = {"Records": [{"dynamodb": {"NewImage": {"how": {"S": "ok"}}}}]}
    answer = world.lambdas.invoke(FunctionName="f", Payload=json.dumps(event))
    assert "FunctionError" not in answer and json.loads(answer["Payload"].read()) == {"count": 1}
    event["Records"][0]["dynamodb"]["NewImage"]["how"]["S"] = "fail"
    answer = world.lambdas.invoke(FunctionName="f", Payload=json.dumps(event))
    assert answer["FunctionError"] == "Unhandled"
    assert json.loads(answer["Payload"].read())["errorType"] == "ValueError"
