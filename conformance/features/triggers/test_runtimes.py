"""Functions whose processes fetch their calls: each row of the Runtime API, played by plain HTTP. Where a process
ends or is late, the server's own second for it passes."""

import base64
import http.client
import json
import re
import socket
import threading
import time

import pytest

from called import BEGIN, World
from own_servers import start  # noqa: F401
from runtime_client import VERSION, Process, Runtime
from server_process import wait_until

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TRACE = re.compile(r"Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=0")
ERROR = {"errorMessage": "no", "errorType": "ValueError", "stackTrace": []}
RESPONSE_MAX = 6291556


@pytest.fixture
def make_world(start):  # noqa: F811
    def make(*flags, function="f"):
        return World(start("--function", function, "--lambda-retry-backoff", "0", *flags), None)

    return make


@pytest.fixture
def world(make_world):
    return make_world()


@pytest.fixture
def runtime(world):
    return Runtime(world.server)


def written(world, *names, **mapping):
    """A table with these items and a mapping to f; the mapping's UUID."""
    table = world.table()
    uuid = world.map(table, **mapping)
    for name in names:
        world.put(table, name)
    return uuid


def outcomes(world, count):
    """The first calls that reached the function, once they have ended."""
    def seen():
        calls = [call for call in world.invocations() if call["outcome"] != "not reached"]
        return len(calls) >= count and calls

    return wait_until(seen, what=f"{count} calls")


def test_event_and_response(world, runtime):
    uuid = written(world, "a")
    event = runtime.next()
    assert event.keys == ["a"]
    assert UUID.fullmatch(event.id)
    assert TRACE.fullmatch(event.headers["Lambda-Runtime-Trace-Id"])
    assert event.headers["Lambda-Runtime-Invoked-Function-Arn"] == "arn:aws:lambda:us-east-1:000000000000:function:f"
    assert event.headers["Content-Type"] == "application/json"
    assert "Lambda-Runtime-Client-Context" not in event.headers
    assert 50 < int(event.headers["Lambda-Runtime-Deadline-Ms"]) / 1000 - time.time() < 61
    answer = runtime.respond(event, {})
    assert (answer.status, answer.text) == (202, '{"status":"OK"}\n')
    assert answer.headers["Content-Type"] == "application/json"
    world.settle()
    assert world.result(uuid) == "OK"
    [call] = outcomes(world, 1)
    assert call["outcome"] == "ok" and call["requestId"] == event.id


def test_poll_waits_for_an_event(world, runtime):
    runtime.begin_poll()
    wait_until(lambda: world.admin.ok("triggers") is not None)
    written(world, "a")
    event = runtime.finish_poll()
    assert event.keys == ["a"] and runtime.respond(event).status == 202
    world.settle()


def test_error_uses_up_retries(world, runtime):
    uuid = written(world, "a", MaximumRetryAttempts=1)
    for _ in range(2):
        event = runtime.next()
        answer = runtime.fail(event, ERROR, {"Lambda-Runtime-Function-Error-Type": "ValueError"})
        assert (answer.status, answer.text) == (202, '{"status":"OK"}\n')
    world.settle()
    assert world.result(uuid) == "PROBLEM: Function call failed"
    first, second = outcomes(world, 2)
    assert first["error"] == "ValueError: no" and second["attempt"] == 2
    [failure] = world.failures()
    assert failure["message"]["responseContext"] == {
        "statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"}


def test_error_without_an_object(world, runtime):
    written(world, "a", MaximumRetryAttempts=0)
    event = runtime.next()
    assert runtime.fail(event, "boom", {"Lambda-Runtime-Function-Error-Type": "Runtime.Bad"}).status == 202
    [call] = outcomes(world, 1)
    assert call["error"] == "Runtime.Bad: boom"


def test_partial_failures(world, runtime):
    table = world.table()
    for name in "abc":
        world.put(table, name)
    world.map(table, FunctionResponseTypes=["ReportBatchItemFailures"])
    event = runtime.next()
    assert event.keys == ["a", "b", "c"]
    number = event.body["Records"][1]["dynamodb"]["SequenceNumber"]
    assert runtime.respond(event, {"batchItemFailures": [{"itemIdentifier": number}]}).status == 202
    again = runtime.next()
    assert again.keys == ["b", "c"] and runtime.respond(again, {"batchItemFailures": []}).status == 202
    world.settle()
    assert [call["outcome"] for call in outcomes(world, 2)] == ["partly failed", "ok"]


@pytest.mark.parametrize("trailers, reason", [
    ({"Lambda-Runtime-Function-Error-Type": "", "Lambda-Runtime-Function-Error-Body": ""}, None),
    ({"Lambda-Runtime-Function-Error-Type": "main.Bad",
      "Lambda-Runtime-Function-Error-Body": base64.b64encode(json.dumps(ERROR).encode()).decode()}, "ValueError: no"),
    ({"Lambda-Runtime-Function-Error-Type": "main.Bad", "Lambda-Runtime-Function-Error-Body": "?"}, "main.Bad: "),
    ({"Lambda-Runtime-Function-Error-Type": "Long", "Lambda-Runtime-Function-Error-Body": base64.b64encode(
        json.dumps({**ERROR, "stackTrace": ["x" * 100_000]}).encode()).decode()}, "ValueError: no"),
])
def test_chunks_with_trailers(world, runtime, trailers, reason):
    written(world, "a", MaximumRetryAttempts=0)
    answer = runtime.respond_in_chunks(runtime.next(), [b'{"batchItem', b'Failures":[]}'], trailers)
    assert (answer.status, answer.text) == (202, '{"status":"OK"}\n')
    [call] = outcomes(world, 1)
    assert call.get("error") == reason
    assert call["outcome"] == ("failed" if reason else "ok")


@pytest.mark.parametrize("mode, status", [(None, 202), ("streaming", 202), ("Buffered", 202), ("other", 400)])
def test_response_mode(world, runtime, mode, status):
    written(world, "a")
    event = runtime.next()
    answer = runtime.respond(event, {}, {"Lambda-Runtime-Function-Response-Mode": mode} if mode else {})
    assert answer.status == status
    if status == 400:
        assert answer.error == "InvalidFunctionResponseMode"


def test_ids_that_are_none_or_settled(world, runtime):
    written(world, "a")
    event = runtime.next()
    unknown = runtime.respond("00000000-0000-4000-8000-000000000000", {})
    assert (unknown.status, unknown.body) == (400, {"errorMessage": "Invalid request ID",
                                                    "errorType": "InvalidRequestID"})
    assert runtime.respond(event, {}).status == 202
    again, error = runtime.respond(event, {}), runtime.fail(event, ERROR)
    for answer, state in ((again, "InvocationResponse"), (error, "InvocationErrorResponse")):
        assert answer.status == 403
        assert answer.body == {
            "errorMessage": f"State transition from RuntimeResponseSentState to {state} failed for runtime. "
                            "Error: State transition is not allowed",
            "errorType": "InvalidStateTransition"}


def test_poll_of_a_process_that_has_a_call(world, runtime):
    written(world, "a")
    event = runtime.next()
    answer = runtime.send("GET", f"{VERSION}/invocation/next")
    assert (answer.status, answer.error) == (403, "InvalidStateTransition")
    assert runtime.respond(event).status == 202
    world.settle()


@pytest.mark.parametrize("size", [RESPONSE_MAX + 1, 17 * 1024 * 1024])
def test_long_response(world, runtime, size):
    written(world, "a", MaximumRetryAttempts=0)
    event = runtime.next()
    try:
        answer = runtime.respond(event, b" " * size)
    except (BrokenPipeError, ConnectionResetError):  # the answer came before the end of the body
        answer = None
    if answer is not None:
        assert answer.status == 413
        assert answer.body == {"errorMessage": "Exceeded maximum allowed payload size (6291556 bytes).",
                               "errorType": "RequestEntityTooLarge"}
    [call] = outcomes(world, 1)
    assert call["error"].startswith("Function.ResponseSizeTooLarge: Response payload size (")
    if size < 16 * 1024 * 1024:
        assert f"({size} bytes) exceeded maximum allowed payload size (6291556 bytes)." in call["error"]


def test_longest_response(world, runtime):
    written(world, "a")
    assert runtime.respond(runtime.next(), b" " * RESPONSE_MAX).status == 202
    assert outcomes(world, 1)[0]["outcome"] == "ok"


def test_cause_of_a_megabyte_as_a_header(world, runtime):
    written(world, "a", MaximumRetryAttempts=0)
    event = runtime.next()
    answer = runtime.fail(event, ERROR, {"Lambda-Runtime-Function-XRay-Error-Cause": "x" * 1_000_000})
    assert answer.status == 202
    assert outcomes(world, 1)[0]["error"] == "ValueError: no"


def test_other_long_headers_are_refused(world, runtime):
    assert runtime.fail_start(ERROR).status == 202
    with socket.create_connection((world.server.host, world.server.port), timeout=30) as line:
        line.sendall(f"POST {VERSION}/init/error HTTP/1.1\r\nHost: localhost\r\nX: {'x' * 40_000}\r\n\r\n".encode())
        assert line.recv(100).startswith(b"HTTP/1.1 400 ")


def test_timeout(make_world):
    world = make_world(function="f,timeout=200ms")
    runtime = Runtime(world.server)
    written(world, "a", MaximumRetryAttempts=0)
    event = runtime.next()
    [call] = outcomes(world, 1)
    assert call["error"] == f"Sandbox.Timedout: RequestId: {event.id} Error: Task timed out after 0.20 seconds"
    late = runtime.respond(event, {})
    assert (late.status, late.error) == (400, "InvalidRequestID")


def test_process_that_ends(world, runtime):
    written(world, "a", MaximumRetryAttempts=0)
    event = runtime.next()
    runtime.close()
    [call] = outcomes(world, 1)
    assert call["error"] == \
        f"Runtime.ExitError: RequestId: {event.id} Error: Runtime exited with error: exit status 1"


def test_answer_on_another_connection(world, runtime):
    uuid = written(world, "a")
    event = runtime.next()
    other = Runtime(world.server)
    runtime.close()
    assert other.respond(event, {}).status == 202
    world.settle()
    assert world.result(uuid) == "OK"


def test_connections_for_one_request_each(world):
    """Their end says nothing about the process."""
    written(world, "a")
    event = Runtime(world.server).next(Connection="close")
    other = Runtime(world.server)
    # Longer than the second in which a process that has ended must answer.
    wait_until(lambda: world.processes() == 1)
    with pytest.raises(AssertionError):
        wait_until(lambda: [c for c in world.invocations() if c["outcome"] == "failed"], deadline_s=1.5)
    assert other.respond(event, {}).status == 202
    assert outcomes(world, 1)[0]["outcome"] == "ok"


def test_poll_of_a_process_that_has_gone(world, runtime):
    """An event never goes to a closed connection."""
    runtime.begin_poll()
    table = world.table()
    world.map(table)
    wait_until(lambda: world.processes() == 1)
    runtime.close()
    wait_until(lambda: world.processes() == 0)
    world.put(table, "a")
    other = Runtime(world.server)
    event = other.next()
    assert event.keys == ["a"] and other.respond(event).status == 202
    world.settle()
    assert [call["attempt"] for call in outcomes(world, 1)] == [1]


def test_nobody_polls(world):
    """Uses up no retry, and the first poll ends the wait."""
    uuid = written(world, "a", MaximumRetryAttempts=0)
    state = world.settle()[uuid]
    assert (state["status"], state["reason"]) == ("blocked", "waiting for a runtime")
    [mapping] = world.admin.ok("triggers")["mappings"]
    assert mapping["runtimes"] == 0 and mapping["hasFunction"]
    assert world.result(uuid) == "PROBLEM: Function call failed"
    runtime = Runtime(world.server)
    event = runtime.next()
    assert event.keys == ["a"] and runtime.respond(event).status == 202
    world.settle()
    assert world.result(uuid) == "OK" and not world.failures()


def test_init_error_fails_what_waits(world, runtime):
    uuid = written(world, "a", MaximumRetryAttempts=5)
    world.settle()
    answer = runtime.fail_start({"errorMessage": "cannot import app", "errorType": "Runtime.ImportModuleError"})
    assert (answer.status, answer.text) == (202, '{"status":"OK"}\n')
    call = outcomes(world, 1)[0]
    assert call["error"] == "Runtime.ImportModuleError: cannot import app"
    state = world.settle()[uuid]
    assert state["reason"] == "waiting for a runtime"
    # Once for each process that could not start.
    assert len(outcomes(world, 1)) == 1
    [mapping] = world.admin.ok("triggers")["mappings"]
    assert json.loads(mapping["initError"])["errorType"] == "Runtime.ImportModuleError"
    wait_until(lambda: "function f: cannot start" in world.server.log())
    assert runtime.respond(runtime.next()).status == 202
    world.settle()
    assert world.result(uuid) == "OK"
    assert "initError" not in world.admin.ok("triggers")["mappings"][0]


def test_bare_path_serves_the_only_function(world):
    runtime = Runtime(world.server, prefix="")
    written(world, "a", MaximumRetryAttempts=0)
    assert runtime.fail(runtime.next(), ERROR).status == 202
    outcomes(world, 1)
    assert runtime.fail_start(ERROR).status == 202


def test_two_functions(make_world):
    world = make_world("--function", "g")
    f, g = Runtime(world.server, "f"), Runtime(world.server, "g")
    table = world.table()
    world.map(table, "f")
    world.map(table, "g")
    world.put(table, "a")
    of_f, of_g = f.next(), g.next()
    assert of_g.headers["Lambda-Runtime-Invoked-Function-Arn"].endswith(":g")
    assert g.respond(of_f).status == 400  # not its own
    assert f.respond(of_f).status == g.respond(of_g).status == 202
    world.settle()
    bare = Runtime(world.server, prefix="")
    answer = bare.send("GET", f"{VERSION}/invocation/next")
    assert (answer.status, answer.error) == (404, "FunctionNotFound")
    assert bare.fail_start(ERROR).status == 202
    wait_until(lambda: "some function: cannot start" in world.server.log())
    unknown = Runtime(world.server, "other").send("GET", f"{VERSION}/invocation/next")
    assert (unknown.status, unknown.error) == (404, "FunctionNotFound")


def test_as_many_lanes_as_processes(world):
    """Three calls run at once on three processes, and no fourth."""
    table = world.table()
    uuid = world.map(table, ParallelizationFactor=10, BatchSize=1)
    runtimes = [Runtime(world.server) for _ in range(3)]
    for runtime in runtimes:
        runtime.begin_poll()
    wait_until(lambda: world.processes() == 3)
    for number in range(30):
        world.put(table, f"k{number}")
    events = [runtime.finish_poll() for runtime in runtimes]
    lanes = world.admin.ok("triggers")["mappings"][0]["shards"][0]["lanes"]
    assert sum(lane["state"] == "calling" for lane in lanes) == 3
    seen = []
    lock = threading.Lock()

    def work(runtime, event):
        while event:
            with lock:
                seen.extend(event.keys)
                is_last = len(seen) == 30
            assert runtime.respond(event).status == 202
            if is_last:
                world.settle()
                world.server.stop()
            try:
                event = runtime.next()
            except (OSError, http.client.HTTPException):
                return

    threads = [threading.Thread(target=work, args=pair) for pair in zip(runtimes, events)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert sorted(seen) == sorted(f"k{number}" for number in range(30)) and uuid


def test_concurrency_is_a_limit_too(make_world):
    world = make_world(function="f,concurrency=1")
    runtimes = [Runtime(world.server) for _ in range(2)]
    for runtime in runtimes:
        runtime.begin_poll()
    table = world.table()
    world.map(table, ParallelizationFactor=10, BatchSize=1)
    for number in range(10):
        world.put(table, f"k{number}")
    event = runtimes[0].finish_poll()
    [mapping] = world.admin.ok("triggers")["mappings"]
    assert sum(lane["state"] == "calling" for lane in mapping["shards"][0]["lanes"]) == 1
    assert runtimes[0].respond(event).status == 202


@pytest.mark.parametrize("method, path, status", [
    ("GET", "/2018-06-01/runtime/restore/next", 404),
    ("POST", "/2018-06-01/runtime/restore/error", 404),
    ("POST", "/2020-01-01/extension/register", 404),
    ("PUT", "/2022-07-01/telemetry", 404),
    ("GET", "/2018-06-01/runtime/invocation/1/response", 404),
    ("POST", "/2018-06-01/runtime/invocation/next", 404),
    ("POST", "/2018-06-01/runtime/invocation//response", 400),
    ("GET", "", 404),
])
@pytest.mark.parametrize("prefix", ["", "/_stator/function/f"])
def test_other_paths(world, prefix, method, path, status):
    if not prefix + path:
        path = VERSION + "/"
    answer = Runtime(world.server, prefix=prefix).send(method, path, b"{}" if method != "GET" else None)
    assert answer.status == status


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}])
@pytest.mark.parametrize("flags", [(), ("--admin", "off")])
@pytest.mark.parametrize("prefix", ["", "/_stator/function/f"])
def test_pages_of_others_have_no_access(start, headers, flags, prefix):  # noqa: F811
    server = start("--function", "f", *flags)
    runtime = Runtime(server, prefix=prefix)
    runtime.connection.request("GET", f"{prefix}{VERSION}/invocation/next", headers=headers)
    assert runtime.connection.getresponse().status == 403


def test_without_an_admin_path(start):  # noqa: F811
    server = start("--function", "f", "--admin", "off")
    world = World(server, None)
    written(world, "a")
    runtime = Runtime(server)
    event = runtime.next()
    assert event.keys == ["a"] and runtime.respond(event).status == 202


def test_waiting_processes_stop_no_shutdown(world):
    runtimes = [Runtime(world.server) for _ in range(20)]
    for runtime in runtimes:
        runtime.begin_poll()
    written(world, "a")
    wait_until(lambda: world.processes() == 20)
    assert [runtime.finish_poll().keys for runtime in runtimes[:1]] == [["a"]]
    began = time.monotonic()
    assert world.server.stop() == 0
    assert time.monotonic() - began < 10
    for runtime in runtimes[1:]:
        with pytest.raises((OSError, http.client.HTTPException)):
            runtime.finish_poll()


def test_restart_while_a_call_runs(world, runtime, start, tmp_path):  # noqa: F811
    """What a stopped server had given away comes again from the next one."""
    flags = ("--function", "f", "--db-path", tmp_path)
    first = World(start(*flags), None)
    written(first, "a")
    assert Runtime(first.server).next().keys == ["a"]
    first.server.stop()
    second = World(start(*flags), None)
    process = Process(second.server, lambda event: {})
    wait_until(lambda: process.events)
    assert process.events[0].keys == ["a"]
    second.settle()


def test_moves_of_the_clock_wait_for_the_answer(start):  # noqa: F811
    world = World(start("--function", "f", "--clock", BEGIN), None)
    process = Process(world.server, lambda event: {})
    table = world.table()
    world.map(table, BatchSize=10, MaximumBatchingWindowInSeconds=30)
    world.put(table, "a")
    world.settle()
    assert not process.events
    world.admin.move(advance="31s")
    assert [event.keys for event in process.events] == [["a"]]
