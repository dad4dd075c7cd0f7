"""The official runtime clients, under `stator function` and alone."""

import json

import pytest

from function_process import PATIENCE_S, Program, World
from server_process import wait_until


PATHS = ["", "/_stator/function/f"]


@pytest.fixture
def world(start):
    return World(start("--function", "f,timeout=3s", "--lambda-retry-backoff", "0"))


@pytest.fixture
def programs():
    running = []
    yield running
    for program in running:
        program.close()


def test_under_the_launcher(world, language, programs):
    """One program after another as they end: a batch, an error, a part, a response that is too long."""
    program = world.launch(language.command, language.folder)
    programs.append(program)
    world.write("ok", "ok", MaximumRetryAttempts=0)
    [call] = world.calls(1)
    assert (call["outcome"], call["records"]) == ("ok", 2), call
    assert json.loads(call["answer"]) == {"count": 2}
    wait_until(lambda: f"{call['requestId']} handles 2 {call['requestId']}" in program.text(), PATIENCE_S)

    world.write("fail", MaximumRetryAttempts=0)
    failed = world.calls(2)[-1]
    assert failed["error"] == f"{language.error}: {language.message}"

    world.write("second", "ok", FunctionResponseTypes=["ReportBatchItemFailures"])
    parts = world.calls(4)[-2:]
    assert [(part["outcome"], part["records"]) for part in parts] == [("partly failed", 2), ("ok", 1)]

    world.write("long", MaximumRetryAttempts=0)
    long = world.calls(5)[-1]
    assert "ResponseSizeTooLarge" in long["error"], long["error"]
    # Whatever the client did then, the next call has a process.
    world.write("ok")
    assert world.calls(6)[-1]["outcome"] == "ok"


def test_timeout(world, language, programs):
    programs.append(world.launch(language.command, language.folder))
    world.write("hang", MaximumRetryAttempts=0)
    assert world.calls(1)[0]["error"].endswith("Error: Task timed out after 3.00 seconds")
    world.write("ok")
    assert world.calls(2)[-1]["outcome"] == "ok"


def run_alone(world, language, command, path):
    """As in a debugger, without the launcher."""
    api = f"{language.prefix or ''}{world.server.host}:{world.server.port}{path}"
    return Program(
        command, language.folder, AWS_LAMBDA_RUNTIME_API=api, AWS_LAMBDA_FUNCTION_NAME="f",
        AWS_LAMBDA_FUNCTION_VERSION="$LATEST", AWS_LAMBDA_FUNCTION_MEMORY_SIZE="128", _HANDLER=command[-1],
        LAMBDA_TASK_ROOT=str(language.folder), AWS_LAMBDA_LOG_GROUP_NAME="/aws/lambda/f",
        AWS_LAMBDA_LOG_STREAM_NAME="$LATEST")


@pytest.mark.parametrize("path", PATHS)
def test_alone(world, language, programs, path):
    """On the bare path, and with a prefix."""
    program = run_alone(world, language, language.command, path)
    programs.append(program)
    if path and language.prefix is None:
        wait_until(lambda: "Invalid hostnamePort" in program.text(), PATIENCE_S)
        return
    world.write("ok", "ok", MaximumRetryAttempts=0)
    [call] = world.calls(1)
    assert call["outcome"] == "ok", program.text()


@pytest.mark.parametrize("path", PATHS)
def test_handler_that_is_not_there_alone(world, language, programs, path):
    """What waits gets the client's report; with a prefix, some clients cannot send one."""
    if language.missing is None:
        return
    world.write("ok", MaximumRetryAttempts=0)
    world.admin.ok("triggers/settle", {"timeout_ms": 30000})
    program = run_alone(world, language, language.missing, path)
    programs.append(program)
    if path and language.mute is not None:
        wait_until(lambda: program.process.poll() not in (None, 0), PATIENCE_S, "the end of the program")
        assert language.mute in program.text()
        [waiting] = world.admin.ok("triggers")["mappings"]
        assert (waiting["status"], waiting["reason"]) == ("blocked", "waiting for a runtime"), waiting
        return
    assert world.calls(1)[0]["error"].startswith(f"{language.unloadable}: "), program.text()


def test_handler_that_is_not_there(world, language, programs):
    if language.missing is None:
        return  # such a program does not compile
    world.write("ok", MaximumRetryAttempts=0)
    programs.append(world.launch(language.missing, language.folder))
    assert world.calls(1)[0]["error"].startswith(f"{language.unloadable}: ")
