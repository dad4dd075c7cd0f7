"""`stator log`: the requests that a server answers, as they are answered."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import termios
import time

import pytest

from client import Client
from own_servers import start  # noqa: F401
from server_process import STOP_DEADLINE_S, binary, clean_environment, free_port, run_to_end


@pytest.fixture
def followed(start):  # noqa: F811
    """follow(server, *words) is a process of `stator log -f`, whose beginning has been read."""
    running = []

    def follow(server, *words):
        Client(server).ok("ListTables")  # so that it has a line to begin with
        process = subprocess.Popen([binary(), "log", "-f", *words, "--endpoint-url", server.endpoint],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean_environment())
        running.append(process)
        assert "ListTables" in process.stdout.readline()
        return process

    yield follow
    for process in running:
        process.kill()
        process.wait()


def put(server, table="t01"):
    return Client(server).send("PutItem", {"TableName": table, "Item": {"pk": {"S": "a"}}})


def test_the_last_requests(start):  # noqa: F811
    server = start()
    client = Client(server)
    client.create_table("t01")
    put(server)
    put(server, "t02")
    lines = run_to_end("log", "--endpoint-url", server.endpoint).stdout.splitlines()
    told = [json.loads(line) for line in lines]
    assert [(one["operation"], one["status"]) for one in told][-2:] == [("PutItem", 200), ("PutItem", 400)]
    assert {one["origin"] for one in told} == {"client"}
    text = run_to_end("log", "--output", "text", "--last", "1", "--endpoint-url", server.endpoint).stdout
    assert text.count("\n") == 1
    assert " 400 PutItem t02 ResourceNotFoundException: " in text
    of_table = run_to_end("log", "--table", "t01", "--output", "text", "--endpoint-url", server.endpoint).stdout
    assert " 200 PutItem t01" in of_table and "t02" not in of_table


def test_a_request_comes_soon_after_it_was_answered(start, followed):  # noqa: F811
    server = start()
    log = followed(server, "--output", "text")

    def seconds():
        put(server, "t02")
        begun = time.monotonic()
        assert " 400 PutItem t02 ResourceNotFoundException: " in log.stdout.readline()
        return time.monotonic() - begun

    assert any(seconds() < 0.2 for _ in range(50))  # one of many has a machine for itself
    log.terminate()
    out, err = log.communicate(timeout=STOP_DEADLINE_S)
    assert (log.returncode, out, err) == (0, "", "")


def test_it_waits_for_a_server_that_is_started_again(start, followed):  # noqa: F811
    port = str(free_port())
    server = start("--port", port, add_port=False)
    log = followed(server)
    for _ in range(10):
        put(server, "before")
    for _ in range(10):
        assert json.loads(log.stdout.readline())["table"] == "before"
    assert server.stop() == 0
    told = log.stderr.readline()
    assert told.startswith("stator: ") and told.endswith(", waiting for it\n")
    again = start("--port", port, add_port=False)
    put(again, "after")
    assert json.loads(log.stdout.readline())["table"] == "after"


def test_a_line_of_text_at_a_terminal(start):  # noqa: F811
    server = start()
    Client(server).ok("ListTables")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with subprocess.Popen([binary(), "log", "--endpoint-url", server.endpoint], stdout=theirs, env=clean_environment()):
        os.close(theirs)
        line = os.read(ours, 1000).decode()
    os.close(ours)
    assert line.endswith(" 200 ListTables\r\n")


def test_mistakes(start):  # noqa: F811
    server = start("--explain", "0")
    for words, status, complaint in (
            (["--output", "xml"], 2, "'xml' is not text or jsonl"), (["--last", "0"], 2, "--last"),
            (["--table", "a b"], 2, "'a b' is no name or ARN of a table"), (["more"], 2, "more"),
            ([], 1, "the server remembers no requests: --explain 0"), (["-f"], 1, "the server remembers no requests")):
        done = run_to_end("log", *words, "--endpoint-url", server.endpoint)
        assert (done.returncode, done.stdout) == (status, "")
        assert complaint in done.stderr
    done = run_to_end("log", "-f", "--endpoint-url", "http://localhost:1")
    assert done.returncode == 1 and "Connection refused" in done.stderr
