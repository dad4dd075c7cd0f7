"""The process: start, stop, ports, bad flags, folders, environment variables."""

import re
import signal
import socket

import pytest

from client import Client
from raw_client import Closed, Connection, request
from server_process import run_to_end, given_endpoint, wait_until

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")


def assert_one_line_failure(result, *words):
    """A non-zero status, nothing on stdout, one line on stderr that names the trouble."""
    assert result.returncode not in (0, None) and result.returncode > 0, result
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, result.stderr
    for word in words:
        assert word.lower() in lines[0].lower(), lines[0]


def console_lines(server):
    """The line after the first one, where the program was built with the console."""
    with Connection(server) as connection:
        answer = connection.exchange(request(None, b"", {}, "GET", "/_stator/console/"))
    return [f"Console: http://127.0.0.1:{server.port}/_stator/console/\n"] if answer.status == 200 else []


def test_the_start_line(start):
    server = start()
    line = f"Stator 0.1.0 listening on http://127.0.0.1:{server.port} (data in memory)\n"
    console = console_lines(server)
    assert server.stop() == 0
    assert server.stdout_text.decode() == "".join([line, *console])


def test_without_a_console_there_is_one_line(start):
    server = start("--console", "off")
    assert server.stop() == 0
    assert len(server.stdout_text.decode().splitlines()) == 1


def test_the_start_line_names_the_folder(start, tmp_path):
    server = start("--console", "off", "--db-path", tmp_path / "db")
    assert server.stop() == 0
    lines = server.stdout_text.decode().splitlines()
    assert len(lines) == 1
    assert re.match(rf"Stator 0\.1\.0 listening on http://127\.0\.0\.1:{server.port} \(", lines[0])
    assert str(tmp_path / "db") in lines[0]


def test_localhost_means_both_loopback_addresses(start):
    server = start()
    hosts = ["127.0.0.1"]
    with socket.socket(socket.AF_INET6) as probe:
        try:
            probe.bind(("::1", 0))
            hosts.append("::1")
        except OSError:
            pass  # No IPv6 on this machine.
    for host in hosts:
        with Connection(server, host=host) as connection:
            assert connection.call("ListTables").status == 200


def test_host_flag(start):
    server = start("--host", "127.0.0.1")
    assert server.host == "127.0.0.1"
    with Connection(server) as connection:
        assert connection.call("ListTables").status == 200
    with pytest.raises(ConnectionRefusedError):
        Connection(server, host="127.0.0.2")


def test_given_port(start):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = start("--port", port, add_port=False)
    assert server.port == port


def test_port_in_use():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        assert_one_line_failure(run_to_end("--port", port), str(port))


def test_a_port_can_be_used_again_at_once(start):
    first = start()
    with Connection(first) as connection:
        assert connection.call("ListTables").status == 200
        assert first.stop() == 0
    second = start("--port", first.port, add_port=False)
    with Connection(second) as connection:
        assert connection.call("ListTables").status == 200


BAD_FLAGS = {
    "unknown": (["--nonsense"], ["nonsense"]),
    "unknown-short": (["-x"], ["-x"]),
    "stray-word": (["nonsense"], ["nonsense"]),
    "missing-value": (["--db-path"], ["db-path"]),
    "port-word": (["--port", "http"], ["port", "http"]),
    "port-range": (["--port", "65536"], ["port", "65536"]),
    "port-negative": (["--port", "-1"], ["port"]),
    "sync": (["--sync", "maybe"], ["sync", "maybe"]),
    "wording": (["--error-wording", "modern"], ["error-wording", "modern"]),
    "isolate": (["--isolate", "account"], ["isolate", "account"]),
    "account": (["--account-id", "12345"], ["account-id", "12345"]),
    "delay": (["--control-plane-delay", "soon"], ["control-plane-delay", "soon"]),
    "delay-negative": (["--control-plane-delay", "-1"], ["control-plane-delay"]),
    "collection-limit": (["--item-collection-limit", "0"], ["item-collection-limit", "0"]),
    "level": (["--log-level", "loud"], ["log-level", "loud"]),
    "format": (["--log-format", "xml"], ["log-format", "xml"]),
    "threads": (["--threads", "many"], ["threads", "many"]),
    "connections": (["--max-connections", "few"], ["max-connections", "few"]),
    "idle": (["--idle-timeout", "x"], ["idle-timeout"]),
    "host": (["--host", "no.such.host.invalid", "--port", "0"], ["no.such.host.invalid"]),
    "cert-without-key": (["--tls-cert", "/nowhere/cert.pem", "--port", "0"], ["tls"]),
    "cert-missing": (["--tls-cert", "/nowhere/cert.pem", "--tls-key", "/nowhere/key.pem", "--port", "0"],
                     ["/nowhere/"]),
    "memory-and-path": (["-inMemory", "-dbPath", "/tmp"],
                        ["dbPath and inMemory cannot be set at the same time."]),
}


@pytest.mark.parametrize("name", list(BAD_FLAGS))
def test_bad_flags(name):
    flags, words = BAD_FLAGS[name]
    assert_one_line_failure(run_to_end(*flags), *words)


@pytest.mark.parametrize("name, value", [("port", "http"), ("sync", "maybe"), ("error-wording", "modern")])
def test_bad_environment_variables(name, value):
    variable = "STATOR_" + name.upper().replace("-", "_")
    assert_one_line_failure(run_to_end(env={variable: value}), variable, value)


def test_help_and_version():
    text = run_to_end("--help")
    assert (text.returncode, text.stderr) == (0, "")
    lines = text.stdout.splitlines()
    assert len(lines) <= 50 and max(map(len, lines)) <= 120
    for flag in ("--port", "--host", "--db-path", "--sync", "--error-wording", "--isolate",
                 "--control-plane-delay", "--gsi-delay", "--eventual-read-lag", "--account-id",
                 "--item-collection-limit",
                 "--log-level", "--log-format", "--threads",
                 "--max-connections", "--idle-timeout", "--request-timeout", "--tls-cert", "--tls-key",
                 "--tls", "--help", "--version", "STATOR_"):
        assert flag in text.stdout, flag
    version = run_to_end("--version")
    assert (version.returncode, version.stderr) == (0, "")
    assert re.fullmatch(r"[Ss]tator 0\.1\.0.*\n", version.stdout)


def test_unusable_folders(tmp_path):
    plain = tmp_path / "file"
    plain.write_text("not a folder")
    for path in (plain, plain / "below", "/proc/nothing/here"):
        assert_one_line_failure(run_to_end("--db-path", path, "--port", "0"), str(path))


def test_a_folder_in_use_is_refused(start, tmp_path):
    server = start("--db-path", tmp_path)
    client = Client(server)
    client.create_table("mine")
    assert_one_line_failure(run_to_end("--db-path", tmp_path, "--port", "0"), str(tmp_path))
    assert client.table_names() == ["mine"]
    assert server.stop() == 0
    again = start("--db-path", tmp_path)
    assert Client(again).table_names() == ["mine"]


def test_a_foreign_file_in_place_of_the_data_is_refused(tmp_path):
    """Whatever the file is, it must neither be opened as ours nor overwritten."""
    run = run_to_end("--db-path", tmp_path, "--port", "nonsense")
    assert run.returncode != 0
    junk = b"this is no database" * 1000
    (tmp_path / "data.mdb").write_bytes(junk)
    assert_one_line_failure(run_to_end("--db-path", tmp_path, "--port", "0"), str(tmp_path))
    assert (tmp_path / "data.mdb").read_bytes() == junk


def test_data_of_another_format_version_is_refused(start, tmp_path):
    """The record `format` holds "stator" and the version (engine/storage/FORMAT.md)."""
    server = start("--db-path", tmp_path)
    Client(server).create_table("kept")
    assert server.stop() == 0
    data = tmp_path / "data.mdb"
    content = data.read_bytes()
    name = b"formatstator"
    behind = content.index(name) + len(name)
    version = int.from_bytes(content[behind:behind + 4], "big")
    ours, other = (name + number.to_bytes(4, "big") for number in (version, 77))
    data.write_bytes(content.replace(ours, other))
    assert_one_line_failure(run_to_end("--db-path", tmp_path, "--port", "0"), "version", "77",
                            str(version))
    assert data.read_bytes() == content.replace(ours, other)
    data.write_bytes(content)
    assert Client(start("--db-path", tmp_path)).table_names() == ["kept"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_an_idle_server(start, number):
    server = start()
    with Connection(server) as connection:
        assert connection.call("ListTables").status == 200
        server.signal(number)
        assert connection.wait_closed() == b""
        assert server.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_request_in_flight_is_finished(start, tmp_path, number):
    """Half the body, the signal, the other half: the write is answered and kept. There is half a second for it, so that a
    slow machine may need another try."""
    server = start("--db-path", tmp_path)
    Client(server).create_table("flight")
    assert server.stop() == 0
    item = {"pk": {"S": "a"}, "v": {"S": "x" * 100_000}}
    data = request("PutItem", {"TableName": "flight", "Item": item}, {"Expect": "100-continue"})
    head, _, body = data.partition(b"\r\n\r\n")

    def is_finished():
        server = start("--db-path", tmp_path)

        def refused():
            try:
                Connection(server).close()
                return False
            except (ConnectionRefusedError, ConnectionResetError):
                return True

        with Connection(server) as connection:
            connection.send(head + b"\r\n\r\n")
            assert connection.receive_head()[0] == 100
            connection.send(body[:50_000])
            server.signal(number)
            wait_until(refused, what="the end of listening")
            connection.send_as_far_as_taken(body[50_000:])
            try:
                answer = connection.receive()
            except Closed:
                answer = None
            assert connection.wait_closed() == b""
        assert server.wait() == 0
        assert answer is None or (answer.status, answer.body) == (200, b"{}")
        return answer

    wait_until(is_finished, what="an answer")
    again = start("--db-path", tmp_path)
    assert Client(again).ok("GetItem", TableName="flight", Key={"pk": {"S": "a"}}) == {"Item": item}


def test_a_stalled_request_cannot_hold_up_the_end(start):
    server = start("--request-timeout", "0.5")
    with Connection(server) as connection:
        connection.send(request("ListTables", b"{}", {"Content-Length": "100"}))
        server.signal(signal.SIGTERM)
        connection.wait_closed()
    assert server.wait() == 0


def test_two_signals_do_not_break_the_end(start):
    server = start()
    server.signal(signal.SIGTERM)
    server.signal(signal.SIGTERM)
    assert server.wait() in (0, -signal.SIGTERM)


def test_environment_variables(start, tmp_path):
    server = start(add_port=False, env={
        "STATOR_PORT": "0", "STATOR_DB_PATH": str(tmp_path / "db"), "STATOR_SYNC": "lazy",
        "STATOR_ACCOUNT_ID": "123456789012", "STATOR_ERROR_WORDING": "classic",
        "STATOR_LOG_LEVEL": "debug", "STATOR_ISOLATE": "none",
    })
    client = Client(server)
    table = client.create_table("by_env")
    assert ":123456789012:table/by_env" in table["TableArn"]
    assert client.error("GetItem", TableName="", Key={"pk": {"S": "a"}}) == (
        400, "ValidationException",
        "1 validation error detected: Value '' at 'tableName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1")
    assert Client(server, region="eu-west-1").table_names() == ["by_env"]
    assert list((tmp_path / "db").iterdir())
    server.wait_for_log("ListTables")


def test_a_flag_beats_its_variable(start):
    server = start("--account-id", "111122223333", env={"STATOR_ACCOUNT_ID": "123456789012"})
    assert ":111122223333:" in Client(server).create_table("tab")["TableArn"]
