"""Nothing that the server does waits for somebody to read its stdout or stderr."""

import json
import os
import re
import resource
import signal
import subprocess

import pytest

from client import Client
from raw_client import Connection, authorization, request
from server_process import (LISTENING, STOP_DEADLINE_S, Server, binary, clean_environment, free_port, given_endpoint,
                            wait_until)

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

# More than a pipe holds, and than the server lets wait.
MANY_BYTES = 3 * 1024 * 1024
LOST = re.compile(r"(\d+) log lines? (?:was|were) lost")
LINES = ["--log-level", "debug"]


class Bare:
    """A server whose stdout and stderr the test has chosen; found by its port."""

    scheme = "http"
    host = "127.0.0.1"

    def __init__(self, *flags, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec=None):
        self.port = free_port()
        self.process = subprocess.Popen(
            [binary(), *map(str, flags), "--port", str(self.port)], env=clean_environment(),
            stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, preexec_fn=preexec)
        self.pid = self.process.pid
        wait_until(self._answers, what="an answer of /healthz")

    def _answers(self):
        assert self.process.poll() is None, f"ended with status {self.process.returncode}"
        try:
            with Connection(self) as connection:
                return connection.exchange(health()).status == 200
        except OSError:
            return False

    def end(self):
        """SIGTERM; the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=STOP_DEADLINE_S)


def health():
    return request(None, b"", {"Content-Type": None, "X-Amz-Target": None}, "GET", "/healthz")


@pytest.fixture
def bare():
    started = []

    def begin(*flags, **options):
        started.append(Bare(*flags, **options))
        return started[-1]

    yield begin
    for server in started:
        server.process.kill()
        server.process.wait()


def call_many(server, bytes_wanted=MANY_BYTES):
    """Requests whose log lines have that many bytes; each is answered. How many they were."""
    name = "x" * 200
    count = bytes_wanted // 500
    with Connection(server) as connection:
        for _ in range(count // 50):
            connection.send(request("DescribeTable", {"TableName": name}) * 50)
            for _ in range(50):
                assert connection.receive().status == 400
    return count // 50 * 50


def assert_serves(server):
    with Connection(server) as connection:
        assert connection.call("ListTables").status == 200
        assert connection.exchange(health()).status == 200


def test_a_pipe_that_nobody_reads(bare):
    reading, writing = os.pipe()
    server = bare(*LINES, stderr=writing)
    call_many(server)
    assert_serves(server)
    assert server.end() == 0
    os.close(writing)
    os.close(reading)


def test_at_the_default_level(bare):
    """What a client can make the server log without any flag: made-up Regions."""
    reading, writing = os.pipe()
    server = bare(stderr=writing)
    Client(server).create_table("here")
    with Connection(server) as connection:
        body = {"TableName": "here", "Key": {"pk": {"S": "a"}}}
        for number in range(1500):
            headers = {"Authorization": authorization(f"made-up-region-{number:040}")}
            assert connection.call("GetItem", body, headers).status == 400
    assert_serves(server)
    assert server.end() == 0
    os.close(writing)
    with os.fdopen(reading) as log:
        lines = log.read().splitlines()
    assert 50 <= len(lines) <= 110, len(lines)
    assert "are not reported" in lines[-1]


def test_lost_lines_are_counted_where_they_are_missing(bare):
    reading, writing = os.pipe()
    server = bare(*LINES, "--log-format", "json", stderr=writing)
    os.close(writing)
    count = call_many(server)
    with os.fdopen(reading, "rb") as pipe:
        text = b""
        while b" lost" not in text:
            text += os.read(pipe.fileno(), 65536)
        assert_serves(server)
        while b"ListTables" not in text:
            text += os.read(pipe.fileno(), 65536)
        assert server.end() == 0
        text += pipe.read()
    lines = [json.loads(line) for line in text.decode().splitlines()]
    kinds = [line.get("operation", line["message"]) for line in lines]
    told = [kind for kind in kinds if LOST.search(kind)]
    assert len(told) == 1
    at = kinds.index(told[0])
    assert lines[at]["level"] == "warning"
    before = kinds[:at].count("DescribeTable")
    assert kinds.count("DescribeTable") == before
    assert before + int(LOST.search(told[0])[1]) == count
    assert kinds[at + 1] == "ListTables"


def test_everything_is_there_after_a_normal_end(bare):
    """A reader that reads gets every line, in order, also those of just before the end."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        server = bare(*LINES, stderr=reader.stdin)
        reader.stdin.close()
        with Connection(server) as connection:
            for number in range(300):
                connection.call("DescribeTable", {"TableName": f"table_{number:03}"})
        assert server.end() == 0
        lines = reader.stdout.read().decode().splitlines()
    found = [re.search(r"table_(\d+)", line) for line in lines]
    assert [int(match[1]) for match in found if match] == list(range(300))
    assert not [line for line in lines if "lost" in line]


def test_a_reader_that_is_stopped(bare):
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as reader:
        server = bare(*LINES, stderr=reader.stdin)
        reader.stdin.close()
        reader.send_signal(signal.SIGSTOP)
        try:
            call_many(server)
            assert_serves(server)
            assert server.end() == 0
        finally:
            reader.send_signal(signal.SIGCONT)


def test_a_reader_that_has_ended(bare):
    reading, writing = os.pipe()
    server = bare(*LINES, stderr=writing)
    os.close(reading)
    os.close(writing)
    call_many(server, 100_000)
    assert_serves(server)
    assert server.end() == 0


def test_a_terminal_that_is_halted(bare):
    master, slave = os.openpty()
    server = bare(*LINES, stderr=slave)
    os.close(slave)
    call_many(server)
    assert_serves(server)
    assert server.end() == 0
    os.close(master)


def test_a_full_disk(bare):
    with open("/dev/full", "wb") as full:
        server = bare(*LINES, stderr=full, stdout=full)
    call_many(server, 100_000)
    assert_serves(server)
    assert server.end() == 0


def test_a_file_at_its_limit(bare, tmp_path):
    with open(tmp_path / "log", "wb") as log:
        server = bare(*LINES, stderr=log,
                      preexec=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)))
    call_many(server, 300_000)
    assert_serves(server)
    assert server.end() == 0
    assert (tmp_path / "log").stat().st_size <= 50_000


def test_stdout_that_nobody_reads(bare):
    """Full before the server says where it listens."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while os.write(writing, b"x" * 4096):
            pass
    except BlockingIOError:
        os.set_blocking(writing, True)
    server = bare(stdout=writing, stderr=writing)
    assert_serves(server)
    assert server.end() == 0
    os.close(writing)
    os.close(reading)


def test_closed_streams_are_not_taken_for_files(bare, tmp_path):
    """With stderr closed, the next file opened has its number: no line may end in the data."""
    def close_all():
        for number in (0, 1, 2):
            os.close(number)

    flags = [*LINES, "--db-path", tmp_path / "data"]
    server = bare(*flags, stdout=None, stderr=None, preexec=close_all)
    targets = [os.readlink(f"/proc/{server.pid}/fd/{number}") for number in (0, 1, 2)]
    assert targets == ["/dev/null"] * 3
    Client(server).create_table("there")
    call_many(server, 100_000)
    assert_serves(server)
    assert server.end() == 0
    with Server("--db-path", tmp_path / "data") as again:
        assert Client(again).ok("ListTables")["TableNames"] == ["there"]


def test_seeding_while_nobody_reads(bare, tmp_path):
    """A seed that fails says why, and the process ends without a reader."""
    (tmp_path / "T.table.json").write_text("{")
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while os.write(writing, b"x" * 4096):
            pass
    except BlockingIOError:
        os.set_blocking(writing, True)
    with subprocess.Popen([binary(), "--seed", str(tmp_path), "--port", "0"], env=clean_environment(),
                          stdout=writing, stderr=writing) as process:
        try:
            assert process.wait(timeout=STOP_DEADLINE_S) == 1
        finally:
            process.kill()
    os.close(writing)
    os.close(reading)


def test_lines_of_the_start_come_before_the_line_on_stdout():
    with subprocess.Popen([binary(), "--port", "0"], env=clean_environment({"STATOR_PROT": "1"}),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        text = b""
        while not LISTENING.search(text):
            block = os.read(process.stdout.fileno(), 65536)
            assert block, text
            text += block
        process.terminate()
        assert text.index(b"STATOR_PROT") < text.index(b"listening on")
