"""DynamoDB Local's command lines (ecosystem.md 7): flags, banner, isolation, where data lives."""

import re
import socket

import pytest

from client import Client
from raw_client import Connection, request
from server_process import given_endpoint, run_to_end

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

JAR = ["-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar"]
BANNER = "Initializing DynamoDB Local with the following configuration:"
BARE = {"Content-Type": None, "X-Amz-Target": None, "Authorization": None, "X-Amz-Date": None,
        "Content-Length": None}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize("front", [JAR, JAR[1:], []], ids=["java", "jar", "bare"])
def test_flags_and_banner(start, tmp_path, front):
    port = free_port()
    server = start(*front, "-port", port, "-inMemory", "-sharedDb", "-disableTelemetry",
                   add_port=False, cwd=tmp_path)
    assert server.port == port
    lines = server.stdout_text.decode().splitlines()
    first = lines.index(BANNER)
    settings = dict(line.split("\t", 1) for line in lines[first + 1:first + 8])
    assert set(settings) == {"Port:", "InMemory:", "Version:", "DbPath:", "SharedDb:",
                             "shouldDelayTransientStatuses:", "CorsParams:"}
    assert settings["Port:"] == str(port)
    assert settings["InMemory:"] == "true"
    assert settings["DbPath:"] == "null"
    assert settings["SharedDb:"] == "true"
    assert settings["shouldDelayTransientStatuses:"] == "false"
    assert lines[first + 8] == ""
    assert Client(server).table_names() == []
    assert list(tmp_path.iterdir()) == []
    assert server.stop() == 0


def test_port_zero(start, tmp_path):
    server = start(*JAR, "-inMemory", "-port", "0", "-sharedDb", add_port=False, cwd=tmp_path)
    assert server.port > 0
    assert Client(server).table_names() == []


def test_root_answers_400_there(start, tmp_path):
    server = start(*JAR, "-inMemory", "-port", "0", add_port=False, cwd=tmp_path)
    with Connection(server) as connection:
        answer = connection.exchange(request(None, b"", BARE, "GET"), "GET")
        assert answer.error()[:2] == (400, "MissingAuthenticationTokenException")
        assert connection.exchange(request(None, b"", BARE, "GET", "/healthz"), "GET").status == 200


def test_shared_db_shares_over_regions_and_keys(start, tmp_path):
    server = start(*JAR, "-inMemory", "-sharedDb", "-port", "0", add_port=False, cwd=tmp_path)
    Client(server, "us-east-1", "one").create_table("shared")
    assert Client(server, "eu-west-1", "two").table_names() == ["shared"]


def test_without_it_keys_and_regions_are_apart(start, tmp_path):
    server = start(*JAR, "-inMemory", "-port", "0", add_port=False, cwd=tmp_path)
    Client(server, "us-east-1", "one").create_table("apart")
    assert Client(server, "us-east-1", "one").table_names() == ["apart"]
    assert Client(server, "us-east-1", "two").table_names() == []
    assert Client(server, "eu-west-1", "one").table_names() == []


@pytest.mark.parametrize("flags", [[], ["-sharedDb"]])
def test_data_in_the_current_folder_by_default(start, tmp_path, flags):
    for expected in ([], ["kept"]):
        server = start(*JAR, "-port", "0", *flags, add_port=False, cwd=tmp_path)
        client = Client(server)
        assert client.table_names() == expected
        if not expected:
            client.create_table("kept")
        assert server.stop() == 0
        assert list(tmp_path.iterdir())


def test_db_path(start, tmp_path):
    folder = tmp_path / "here"
    folder.mkdir()
    for expected in ([], ["kept"]):
        server = start(*JAR, "-dbPath", folder, "-optimizeDbBeforeStartup", "-port", "0",
                       add_port=False, cwd=tmp_path)
        client = Client(server)
        assert client.table_names() == expected
        if not expected:
            client.create_table("kept")
        assert server.stop() == 0
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_delay_transient_statuses(start, tmp_path):
    server = start(*JAR, "-inMemory", "-delayTransientStatuses", "-port", "0", add_port=False, cwd=tmp_path)
    client = Client(server)
    assert client.create_table("later")["TableStatus"] == "CREATING"
    assert client.describe("later")["TableStatus"] == "CREATING"
    client.wait_active("later")


def test_cors_flag(start, tmp_path):
    server = start(*JAR, "-inMemory", "-cors", "*", "-port", "0", add_port=False, cwd=tmp_path)
    with Connection(server) as connection:
        answer = connection.call("ListTables", b"{}", {"Origin": "http://app.test"})
        assert answer.get("Access-Control-Allow-Origin") == "*"


def test_version_and_help(tmp_path):
    version = run_to_end(*JAR, "-version", cwd=tmp_path)
    assert (version.returncode, version.stderr) == (0, "")
    assert re.search(r"\d+\.\d+\.\d+", version.stdout)
    text = run_to_end(*JAR, "-help", cwd=tmp_path)
    assert (text.returncode, text.stderr) == (0, "")
    for flag in ("-port", "-inMemory", "-sharedDb", "-dbPath", "-cors", "-delayTransientStatuses",
                 "-optimizeDbBeforeStartup", "-disableTelemetry", "-help", "-version"):
        assert flag in text.stdout, flag


@pytest.mark.parametrize("flags", [["-x"], ["-port"], ["-port", "x"], ["-inMemory", "-dbPath", "."]])
def test_bad_flags_fail(tmp_path, flags):
    result = run_to_end(*JAR, *flags, cwd=tmp_path)
    assert result.returncode > 0
    assert len([line for line in result.stderr.splitlines() if line.strip()]) == 1
    assert list(tmp_path.iterdir()) == []
