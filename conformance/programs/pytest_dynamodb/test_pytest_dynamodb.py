"""pytest-dynamodb, which starts DynamoDB Local as `java -jar DynamoDBLocal.jar` or uses a running one:
the project beside this file is run by a pytest of its own, with Stator in its place."""

import os
import pathlib
import socket
import subprocess
import sys
import xml.etree.ElementTree

import boto3
import pytest

import server_process

PROJECT = pathlib.Path(__file__).parent / "project"
DEADLINE_S = 120

pytestmark = pytest.mark.skipif(
    server_process.given_endpoint() is not None, reason="it starts servers of its own")


def run_project(folder, module, *flags):
    """Runs a module of the project, with Stator as `java`; returns the report of its pytest."""
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    (bin_folder / "java").symlink_to(server_process.binary())
    report = folder / "report.xml"
    environment = server_process.clean_environment(
        {"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "TMPDIR": str(folder)})
    result = subprocess.run(
        [sys.executable, "-m", "pytest", module, "--basetemp", folder / "tmp", "--junitxml", report, *flags],
        cwd=PROJECT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=DEADLINE_S)
    assert result.returncode == 0, result.stdout + result.stderr
    return xml.etree.ElementTree.parse(report).find("testsuite")


def outcome(suite):
    return {name: int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")}


def is_refused(port):
    with socket.socket() as client:
        client.settimeout(10)
        return client.connect_ex(("127.0.0.1", port)) != 0


def test_the_plugin_starts_and_stops_the_server(tmp_path):
    install = tmp_path / "dynamodb"
    install.mkdir()
    (install / "DynamoDBLocal.jar").touch()
    suite = run_project(tmp_path, "test_started.py", "--dynamodb-dir", install)
    assert outcome(suite) == {"tests": 4, "failures": 0, "errors": 0, "skipped": 0}
    ports = suite.find("properties/property[@name='ports']").get("value").split()
    assert len(set(ports)) == 2
    for port in map(int, ports):
        server_process.wait_until(lambda: is_refused(port), what=f"nobody listens on port {port}")
    assert [path.name for path in install.iterdir()] == ["DynamoDBLocal.jar"]


def test_the_plugin_uses_a_running_server(tmp_path):
    with server_process.Server("-inMemory", "-port", "0", add_port=False) as server:
        # The credentials and the Region of the plugin: without -sharedDb others see other tables.
        client = boto3.client(
            "dynamodb", endpoint_url=f"http://127.0.0.1:{server.port}", region_name="us-west-1",
            aws_access_key_id="fakeMyKeyId", aws_secret_access_key="fakeSecretAccessKey")
        client.create_table(
            TableName="kept", BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])
        suite = run_project(tmp_path, "test_running.py", "--dynamodb-port", str(server.port))
        assert outcome(suite) == {"tests": 2, "failures": 0, "errors": 0, "skipped": 0}
        assert client.list_tables()["TableNames"] == ["kept"]
