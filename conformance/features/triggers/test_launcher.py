"""`stator function`: a program that is started again and again, and what it is told."""

import base64
import json
import os
import resource
import signal
import subprocess
import sys

import pytest

from called import World
from own_servers import start  # noqa: F401
from runtime_client import Runtime
from server_process import STOP_DEADLINE_S, binary, clean_environment, run_to_end, wait_until

# A runtime client in a few lines: handles events as the first word says, and ends after an error as official ones do.
PROGRAM = '''
import http.client, json, os, sys, time
how, api = sys.argv[1], os.environ["AWS_LAMBDA_RUNTIME_API"]
line = http.client.HTTPConnection(api, timeout=60)
path = "/2018-06-01/runtime/"
def post(where, body):
    line.request("POST", path + where, json.dumps(body))
    got = line.getresponse()
    got.read()
    if got.status != 202:
        sys.exit(1)
if how == "unloadable":
    post("init/error", {"errorType": "Runtime.ImportModuleError", "errorMessage": "no app"})
    sys.exit(1)
if how == "broken":
    sys.exit(3)
print("started", os.getpid(), flush=True)
while True:
    line.request("GET", path + "invocation/next")
    got = line.getresponse()
    event = json.loads(got.read())
    at = got.headers["Lambda-Runtime-Aws-Request-Id"]
    print("handles", len(event.get("Records", [])), flush=True)
    print("to stderr", file=sys.stderr, flush=True)
    if how == "environment":
        post("invocation/%s/response" % at, dict(os.environ))
    elif how == "fail":
        post("invocation/%s/error" % at, {"errorType": "Bad", "errorMessage": "no"})
    elif how == "exit":
        os._exit(2)
    elif how == "hang":
        time.sleep(3600)
    elif how == "stubborn":
        import signal
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        post("invocation/%s/response" % at, {"pid": os.getpid()})
    else:
        post("invocation/%s/response" % at, {"pid": os.getpid()})
'''


class Launcher:
    def __init__(self, server, tmp_path, *words, name="f", flags=(), env=None):
        self.out = (tmp_path / f"{name}.out").open("w+")
        self.process = subprocess.Popen(
            [binary(), "function", name, "--endpoint", server.endpoint, *flags, "--", *words],
            env=clean_environment(env), stdin=subprocess.DEVNULL, stdout=self.out, stderr=subprocess.STDOUT)

    def text(self):
        self.out.seek(0)
        return self.out.read()

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(timeout=STOP_DEADLINE_S)


@pytest.fixture
def world(start):  # noqa: F811
    return World(start("--function", "f,timeout=1s", "--function", "g", "--lambda-retry-backoff", "0"), None)


@pytest.fixture
def launch(world, tmp_path):
    launched = []

    def begin(how, **options):
        launched.append(Launcher(world.server, tmp_path, sys.executable, "-c", PROGRAM, how, **options))
        return launched[-1]

    yield begin
    for launcher in launched:
        launcher.process.kill()
        launcher.process.wait()
        print(launcher.text())  # shown when the test fails
        launcher.out.close()


def written(world, name="a", **mapping):
    table = world.table()
    uuid = world.map(table, **mapping)
    world.put(table, name)
    return uuid


def ended(world, count=1):
    def seen():
        calls = [call for call in world.invocations() if call["outcome"] != "not reached"]
        return len(calls) >= count and calls

    try:
        return wait_until(seen, what=f"{count} calls")
    finally:
        print(world.invocations(), world.admin.ok("triggers"))


def test_batch_and_output(world, launch):
    launcher = launch("ok")
    written(world)
    [call] = ended(world)
    assert call["outcome"] == "ok"
    wait_until(lambda: f"{call['requestId']} to stderr" in launcher.text())
    assert f"{call['requestId']} handles 1" in launcher.text()
    assert "- started" in launcher.text()
    assert call["log"].splitlines() == ["handles 1", "to stderr"]
    assert launcher.stop() == 0


def test_log_of_a_call(world, launch):
    launch("ok")

    def answer():
        try:
            return world.lambdas.invoke(FunctionName="f", LogType="Tail")
        except world.lambdas.exceptions.ResourceNotReadyException:
            return None

    lines = base64.b64decode(wait_until(answer)["LogResult"]).decode().splitlines()
    assert [line.split()[0] for line in lines] == ["START", "handles", "to", "END", "REPORT"]


def test_environment(world, launch):
    launch("environment", flags=("--handler", "app.handler"))
    written(world, MaximumRetryAttempts=0)
    answer = json.loads(ended(world)[0]["answer"])
    url = world.server.endpoint.rstrip("/")
    expected = {
        "AWS_LAMBDA_FUNCTION_NAME": "f", "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST", "_HANDLER": "app.handler",
        "AWS_LAMBDA_LOG_GROUP_NAME": "/aws/lambda/f", "LAMBDA_TASK_ROOT": os.getcwd(), "TZ": ":UTC",
        "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1", "AWS_ENDPOINT_URL_DYNAMODB": url,
        "AWS_ENDPOINT_URL_DYNAMODB_STREAMS": url}
    assert {name: answer.get(name) for name in expected} == expected
    for name in ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "AWS_LAMBDA_LOG_STREAM_NAME", "AWS_ACCESS_KEY_ID",
                 "AWS_SECRET_ACCESS_KEY"):
        assert answer[name]
    assert answer["AWS_LAMBDA_RUNTIME_API"].startswith("127.0.0.1:") and "_LAMBDA_SERVER_PORT" not in answer


def test_handler_is_the_last_word(world, launch):
    """The client for Node.js reads it there."""
    launch("environment")
    written(world, MaximumRetryAttempts=0)
    assert json.loads(ended(world)[0]["answer"])["_HANDLER"] == "environment"


def test_error(world, launch):
    launch("fail")
    written(world, MaximumRetryAttempts=1)
    assert [call["error"] for call in ended(world, 2)] == ["Bad: no"] * 2


def test_program_that_exits_is_started_again(world, launch):
    launcher = launch("exit")
    written(world, MaximumRetryAttempts=1)
    for call in ended(world, 2):
        assert call["error"].startswith("Runtime.ExitError: RequestId: ") and call["error"].endswith("exit status 2")
    wait_until(lambda: "f: ended, exit status 2, starts again" in launcher.text())


def test_program_that_hangs_is_killed(world, launch):
    launcher = launch("hang")
    written(world, MaximumRetryAttempts=1)
    for call in ended(world, 2):
        assert call["error"].endswith("Error: Task timed out after 1.00 seconds")
    wait_until(lambda: "f: killed, because the time of its call is over" in launcher.text())
    assert launcher.text().count("started") >= 2


@pytest.mark.parametrize("how, error", [
    ("unloadable", "Runtime.ImportModuleError: no app"),
    ("broken", "Runtime.ExitError: Runtime exited with error: exit status 3"),
])
def test_program_that_cannot_start(world, launch, how, error):
    """What waits fails once for each start, and the starts become rarer."""
    written(world, MaximumRetryAttempts=1)
    world.settle()
    launcher = launch(how)
    for call in ended(world, 2):
        assert call["error"] == error
    assert "starts again in 250 ms" in launcher.text()


def test_several_processes(world, launch):
    launch("ok", flags=("--processes", "3"))
    table = world.table()
    world.map(table, ParallelizationFactor=10, BatchSize=1)
    wait_until(lambda: world.processes() == 3)
    for number in range(60):
        world.put(table, f"k{number}")
    world.settle()
    assert len({json.loads(call["answer"])["pid"] for call in ended(world, 60)}) > 1


def test_two_functions(world, launch):
    launch("ok")
    launch("fail", name="g")
    table = world.table()
    world.map(table, "f", MaximumRetryAttempts=0)
    world.map(table, "g", MaximumRetryAttempts=0)
    world.put(table, "a")
    assert sorted(call["outcome"] for call in ended(world, 2)) == ["failed", "ok"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_program(world, launch, number):
    launcher = launch("ok")
    written(world)
    pid = json.loads(ended(world)[0]["answer"])["pid"]
    assert launcher.stop(number) == 0
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"))


def test_too_few_descriptors_end_it(world):
    """Some of the processes run by then."""
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    ended = run_to_end("function", "f", "--endpoint", world.server.endpoint, "--processes", "60", "--",
                       "sleep", "3600", preexec=limit)
    assert ended.returncode == 1 and "Too many open files" in ended.stderr, ended.stderr


def test_where_ends_of_processes_are_ignored(world, launch):
    """As below a shell that traps SIGCHLD."""
    previous = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        launcher = launch("exit")
    finally:
        signal.signal(signal.SIGCHLD, previous)
    written(world, MaximumRetryAttempts=1)
    for call in ended(world, 2):
        assert call["error"].endswith("exit status 2")
    assert launcher.stop() == 0


def test_a_stubborn_program_is_killed(world, launch):
    launcher = launch("stubborn")
    written(world)
    pid = json.loads(ended(world)[0]["answer"])["pid"]
    launcher.process.send_signal(signal.SIGTERM)
    assert launcher.stop() == 0
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"))


def test_a_killed_launcher_leaves_nothing(world, launch):
    launcher = launch("ok")
    written(world)
    pid = json.loads(ended(world)[0]["answer"])["pid"]
    launcher.process.kill()
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"))
    wait_until(lambda: world.processes() == 0)


def test_server_that_starts_later(start, tmp_path):  # noqa: F811
    """The program outlives the server."""
    first = start("--function", "f", "--db-path", tmp_path / "data")
    launcher = Launcher(first, tmp_path, sys.executable, "-c", PROGRAM, "ok")
    try:
        world = World(first, None)
        world.map(world.table())
        wait_until(lambda: world.processes() == 1)
        first.stop()
        wait_until(lambda: "f: the server does not answer" in launcher.text())
        second = World(start("--function", "f", "--db-path", tmp_path / "data", "--port", first.port,
                             add_port=False), None)
        wait_until(lambda: second.processes() == 1)
        assert launcher.text().count("started") == 1
    finally:
        launcher.process.kill()
        launcher.process.wait()


def test_its_port_is_for_the_program_alone(world, launch):
    launch("environment")
    written(world, MaximumRetryAttempts=0)
    api = json.loads(ended(world)[0]["answer"])["AWS_LAMBDA_RUNTIME_API"]
    host, port = api.split(":")
    runtime = Runtime(type("Server", (), {"host": host, "port": int(port)}), prefix="")
    answer = runtime.send("GET", "/2018-06-01/runtime/invocation/next", headers={"Origin": "http://evil.example"})
    assert answer.status == 400


def test_token_of_a_server_with_access_control(start, tmp_path):  # noqa: F811
    token = "0123456789abcdef"
    server = start("--function", "f", "--auth", "audit", "--console-token", token)
    runtime = Runtime(server)
    path, error = "/2018-06-01/runtime/init/error", b'{"errorType":"E","errorMessage":"by hand"}'
    assert runtime.send("POST", path, error).status == 401
    assert Runtime(server, prefix="").send("POST", path, error).status == 401
    assert runtime.send("POST", path, error, {"x-stator-token": token}).status == 202
    launcher = Launcher(server, tmp_path, sys.executable, "-c", PROGRAM, "unloadable",
                        env={"STATOR_CONSOLE_TOKEN": token})
    try:
        wait_until(lambda: "function f: cannot start" in server.log() and "no app" in server.log())
    finally:
        launcher.process.kill()
        launcher.process.wait()


@pytest.mark.parametrize("words, text", [
    (["f"], "-- COMMAND"), ([], "NAME"), (["a b", "--", "x"], "'a b' is not a name"),
    (["f", "--processes", "65", "--", "x"], "--processes"), (["f", "x", "--", "x"], "x"),
])
def test_mistakes(words, text):
    ran = run_to_end("function", *words)
    assert ran.returncode == 2 and text in ran.stderr, ran.stderr


def test_program_that_is_not_there(world):
    ran = run_to_end("function", "f", "--endpoint", world.server.endpoint, "--", "/no/such/program")
    assert ran.returncode == 1
    assert "cannot run /no/such/program: No such file or directory" in ran.stderr
