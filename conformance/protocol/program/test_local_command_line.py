"""DynamoDB Local's command lines: flags, banner, isolation, where data lives; and
the same through a program named java."""

import re
import socket
import subprocess
from pathlib import Path

import pytest

from admin import Admin
from client import Client
from raw_client import Closed, Connection, request
from server_process import (
    STOP_DEADLINE_S, binary, clean_environment, free_port, given_endpoint, run_to_end, wait_until)

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

JAR = ["-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar"]
BANNER = "Initializing DynamoDB Local with the following configuration:"
BARE = {"Content-Type": None, "X-Amz-Target": None, "Authorization": None, "X-Amz-Date": None,
        "Content-Length": None}


def settings_of(server):
    """What the banner tells, which an empty line ends."""
    lines = server.stdout_text.decode().splitlines()
    first = lines.index(BANNER)
    settings = dict(line.split("\t", 1) for line in lines[first + 1:first + 8])
    assert set(settings) == {"Port:", "InMemory:", "Version:", "DbPath:", "SharedDb:",
                             "shouldDelayTransientStatuses:", "CorsParams:"}
    assert lines[first + 8] == ""
    return settings


def root_status(server):
    with Connection(server) as connection:
        return connection.exchange(request(None, b"", BARE, "GET"), "GET").status


@pytest.fixture
def java(tmp_path, monkeypatch):
    """Server and run_to_end start the program under the name java. The folder that holds nothing
    else is the one to run in."""
    link = tmp_path / "bin" / "java"
    link.parent.mkdir()
    link.symlink_to(Path(binary()).resolve())
    monkeypatch.setenv("STATOR_BINARY", str(link))
    work = tmp_path / "work"
    work.mkdir()
    return work


@pytest.mark.parametrize("front", [JAR, JAR[1:], []], ids=["java", "jar", "bare"])
def test_flags_and_banner(start, tmp_path, front):
    port = free_port()
    server = start(*front, "-port", port, "-inMemory", "-sharedDb", "-disableTelemetry",
                   add_port=False, cwd=tmp_path)
    assert server.port == port
    settings = settings_of(server)
    assert settings["Port:"] == str(port)
    assert settings["InMemory:"] == "true"
    assert settings["DbPath:"] == "null"
    assert settings["SharedDb:"] == "true"
    assert settings["shouldDelayTransientStatuses:"] == "false"
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
        assert connection.exchange(request(None, b"", BARE, "GET", "/healthz"), "GET").status == 200
        answer = connection.exchange(request(None, b"", BARE, "GET"), "GET")
        assert answer.error()[:2] == (400, "MissingAuthenticationTokenException")
    # What `curl -I` sends, which many compose files compare with 400.
    with Connection(server) as connection:
        assert connection.exchange(request(None, b"", BARE, "HEAD"), "HEAD").status == 400


def test_a_second_table_of_a_name_has_the_text_that_scripts_match(start, tmp_path):
    local = start(*JAR, "-inMemory", "-port", "0", add_port=False, cwd=tmp_path)
    for server, text in ((local, "Cannot create preexisting table"), (start(), "Table already exists: Things")):
        client = Client(server)
        client.create_table("Things")
        answer = client.send("CreateTable", {
            "TableName": "Things", "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
        assert answer.json()["message"] == text


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
    client, admin = Client(server), Admin(server)
    admin.move(mode="manual")
    # As documented, only global indexes that are added or removed take their time.
    client.create_table("later")
    assert client.describe("later")["TableStatus"] == "ACTIVE"
    index = {"IndexName": "by-name", "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}],
             "Projection": {"ProjectionType": "ALL"}}
    client.ok("UpdateTable", TableName="later",
              AttributeDefinitions=[{"AttributeName": "name", "AttributeType": "S"}],
              GlobalSecondaryIndexUpdates=[{"Create": index}])

    def index_states():
        indexes = client.describe("later").get("GlobalSecondaryIndexes", [])
        return [index["IndexStatus"] for index in indexes]

    assert index_states() == ["CREATING"]
    assert client.describe("later")["TableStatus"] == "UPDATING"
    client.ok("PutItem", TableName="later", Item={"pk": {"S": "1"}, "name": {"S": "one"}})
    admin.move(advance="1m")
    wait_until(lambda: index_states() == ["ACTIVE"], what="the index")
    client.ok("UpdateTable", TableName="later",
              GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-name"}}])
    assert index_states() == ["DELETING"]


def test_root_closes_the_connection(start, tmp_path):
    """Tools that wait for this answer never read it to its end and never close."""
    server = start(*JAR, "-inMemory", "-port", "0", add_port=False, cwd=tmp_path)
    with Connection(server) as connection:
        answer = connection.exchange(request(None, b"", BARE, "GET"), "GET")
        assert (answer.status, answer.get("Connection")) == (400, "close")
        with pytest.raises(Closed):
            connection.receive()


def test_waits_a_moment_for_the_port_of_a_server_just_killed(tmp_path):
    def takes_the_port():
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            command = [binary(), *JAR, "-inMemory", "-port", str(other.getsockname()[1])]
            starting = subprocess.Popen(command, env=clean_environment(), cwd=tmp_path, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            assert "is in use, trying again for 1000 ms" in starting.stderr.readline()
        line = starting.stdout.readline()
        starting.terminate()
        errors = starting.communicate(timeout=STOP_DEADLINE_S)[1]
        if "Address already in use" in errors:  # the port became free too late
            return False
        assert (BANNER in line, errors, starting.returncode) == (True, "", 0)
        return True

    wait_until(takes_the_port, what="a start on the port")


def test_does_not_wait_for_ever(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        ended = run_to_end(*JAR, "-inMemory", "-port", other.getsockname()[1], cwd=tmp_path)
    assert ended.returncode == 1
    assert ended.stderr.endswith("Address already in use\n")


def test_waits_a_moment_for_the_folder_too(start, tmp_path):
    """Killed and started again at once, as tools do; the kernel may still be at the first one's end."""
    for _ in range(20):
        server = start(*JAR, "-dbPath", "data", "-port", "0", add_port=False, cwd=tmp_path)
        server.process.kill()
    server = start(*JAR, "-dbPath", "data", "-port", "0", add_port=False, cwd=tmp_path)
    held = run_to_end(*JAR, "-dbPath", "data", "-port", "0", cwd=tmp_path)
    assert held.returncode == 1
    assert f"in use by another process (process {server.pid})" in held.stderr


def test_listens_on_all_addresses_of_both_families(start, tmp_path):
    server = start(*JAR, "-inMemory", "-port", "0", add_port=False, cwd=tmp_path)
    for host in ("127.0.0.1", "127.0.0.2", "::1"):
        with Connection(server, host=host) as connection:
            assert connection.exchange(request("ListTables")).json() == {"TableNames": []}


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


# --- Under the name java --------------------------------------------------------------------------

@pytest.mark.parametrize("front", [
    JAR, ["-jar", "/home/dynamodblocal/DynamoDBLocal.jar"],
    ["-Xmx512m", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-jar", "DynamoDBLocal.jar"],
    ["-cp", "DynamoDBLocal.jar:lib/*", "com.amazonaws.services.dynamodbv2.local.main.ServerRunner"],
], ids=["jar", "folder", "options", "class"])
def test_java_runs_the_jar(start, java, front):
    server = start(*front, "-inMemory", "-sharedDb", "-port", "0", add_port=False, cwd=java)
    assert server.host == "0.0.0.0"
    settings = settings_of(server)
    assert (settings["InMemory:"], settings["SharedDb:"]) == ("true", "true")
    assert root_status(server) == 400
    Client(server, "us-east-1", "one").create_table("shared")
    assert Client(server, "eu-west-1", "two").table_names() == ["shared"]
    assert server.stop() == 0
    assert list(java.iterdir()) == []


def test_java_in_the_form_of_testcontainers(start, java):
    """Entry point `java -Djava.library.path=...`, arguments `-jar ...`; the port is the image's."""
    entry_point = ["-Djava.library.path=./DynamoDBLocal_lib"]
    server = start(*entry_point, "-jar", "DynamoDBLocal.jar", "-sharedDb", "-disableTelemetry",
                   env={"STATOR_PORT": "0"}, add_port=False, cwd=java)
    assert settings_of(server)["SharedDb:"] == "true"
    assert Client(server).table_names() == []
    assert root_status(server) == 400
    assert server.stop() == 0
    assert {path.name for path in java.iterdir()} >= {"data.mdb"}


def test_java_takes_stators_own_flags(start, java):
    server = start("--db-path", "data", cwd=java)
    assert server.host == "0.0.0.0"
    assert root_status(server) == 400
    assert server.stdout_text.startswith(b"Stator ")
    Client(server, "us-east-1", "one").create_table("kept")
    assert Client(server, "us-east-1", "two").table_names() == ["kept"]
    assert server.stop() == 0
    assert [path.name for path in java.iterdir()] == ["data"]
    with start("serve", "--db-path", "data", "--http-root", "aws", "--host", "127.0.0.1", cwd=java) as server:
        assert (server.host, root_status(server)) == ("127.0.0.1", 200)
        assert Client(server).table_names() == ["kept"]
        health = run_to_end("health", "--port", server.port)
        assert (health.returncode, health.stderr) == (0, "")


def test_variables_win_over_what_no_flag_says(start, java):
    folder = java / "elsewhere"
    variables = {"STATOR_HTTP_ROOT": "aws", "STATOR_HOST": "127.0.0.1", "STATOR_PORT": "0",
                 "STATOR_ISOLATE": "region", "STATOR_DB_PATH": str(folder)}
    server = start(*JAR, env=variables, add_port=False, cwd=java)
    assert settings_of(server)["DbPath:"] == str(folder)
    assert (server.host, root_status(server)) == ("127.0.0.1", 200)
    Client(server, "us-east-1", "one").create_table("apart")
    assert Client(server, "us-east-1", "two").table_names() == ["apart"]
    assert Client(server, "eu-west-1", "one").table_names() == []
    assert server.stop() == 0
    assert [path.name for path in java.iterdir()] == ["elsewhere"]


def test_flags_win_over_variables(start, java):
    variables = {"STATOR_PORT": "1", "STATOR_ISOLATE": "key", "STATOR_DB_PATH": str(java / "unused")}
    server = start(*JAR, "-inMemory", "-sharedDb", "-port", "0", env=variables, add_port=False, cwd=java)
    assert settings_of(server)["InMemory:"] == "true"
    Client(server, "us-east-1", "one").create_table("shared")
    assert Client(server, "eu-west-1", "two").table_names() == ["shared"]
    assert server.stop() == 0
    assert list(java.iterdir()) == []


NO_MACHINE = ["Error: Could not create the Java Virtual Machine.",
              "Error: A fatal exception has occurred. Program will exit."]


@pytest.mark.parametrize("arguments, lines, more", [
    (["-jar", "other.jar"], ["Error: Unable to access jarfile other.jar"], 0),
    (["-jar", "/opt/other.jar", "-sharedDb"], ["Error: Unable to access jarfile /opt/other.jar"], 0),
    (["-cp", "x", "no.Such"], ["Error: Could not find or load main class no.Such",
                               "Caused by: java.lang.ClassNotFoundException: no.Such"], 0),
    (["-cp"], ["Error: -cp requires class path specification"], 0),
    (["--add-opens"], ["Error: --add-opens requires modules to be specified"], 0),
    (["-bogus", "-jar", "DynamoDBLocal.jar"], ["Unrecognized option: -bogus", *NO_MACHINE], 1),
    (["-sharedDb", "-inMemory"], ["Unrecognized option: -sharedDb", *NO_MACHINE], 1),
])
def test_java_fails_like_java(java, arguments, lines, more):
    """With Java's own lines; `more` are hints of ours behind them."""
    result = run_to_end(*arguments, cwd=java)
    assert (result.returncode, result.stdout) == (1, "")
    said = result.stderr.splitlines()
    assert said[:len(lines)] == lines
    assert len(said) == len(lines) + more
    assert all("-jar DynamoDBLocal.jar" in hint for hint in said[len(lines):])
    assert list(java.iterdir()) == []


@pytest.mark.parametrize("arguments", [[], ["-Xmx1g"], ["-cp", "x"]])
def test_java_without_a_program(java, arguments):
    result = run_to_end(*arguments, cwd=java)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("Usage: java ")


def test_java_tells_what_it_is(java):
    for flag, stream in (("-version", "stderr"), ("--version", "stdout"), ("-fullversion", "stderr")):
        result = run_to_end(flag)
        assert result.returncode == 0
        assert getattr(result, stream).startswith("Stator 0.1.0, in the place of Java")
        assert result.stdout + result.stderr == getattr(result, stream)
    for flag, stream in (("-help", "stderr"), ("-h", "stderr"), ("-?", "stderr"), ("--help", "stdout")):
        result = run_to_end(flag)
        assert result.returncode == 0
        assert getattr(result, stream).startswith("Usage: java ")
        assert result.stdout + result.stderr == getattr(result, stream)
    assert run_to_end(*JAR, "-version").stdout == "3.3.1\n"
    assert run_to_end("version").stdout == "Stator 0.1.0\n"
