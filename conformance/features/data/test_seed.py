"""`--seed DIR`: what a server has when it says that it listens."""

import errno
import gzip
import http.client
import json
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from client import Client
from data_program import all_items, items_of_every_type, ordered
from server_process import STOP_DEADLINE_S, binary, clean_environment, free_port, run_to_end, wait_until
from test_copy import TABLE, schema_of
from test_ion import zstd


def keys(name):
    return {"TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}


@pytest.fixture
def folder(tmp_path):
    """Two tables: one with everything and items in two files, one by its name alone."""
    seed = tmp_path / "seed"
    seed.mkdir()
    (seed / "Music.table.json").write_text(json.dumps(
        {**TABLE, "TableName": "Music", "TimeToLiveSpecification": {"AttributeName": "expires", "Enabled": True}}))
    items = [{**item, "l": {"N": "1"}} for item in items_of_every_type()]
    (seed / "Music.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items[:9]))
    (seed / "Music.more.json").write_text(json.dumps({"Items": items[9:], "Count": 1}, indent=2))
    plain = keys("Music.Tiny")
    del plain["TableName"]
    (seed / "Music.Tiny.table.json").write_text(json.dumps(plain))
    (seed / "Music.Tiny.csv").write_text("pk,n:N\na,1\n")
    (seed / ".hidden").write_text("x")
    return seed


@pytest.mark.parametrize("flags", [[], ["--tls", "self-signed"], ["--host", "127.0.0.1", "--throttling", "enforce"],
                                   ["--isolate", "none", "--control-plane-delay", "0.1"]],
                         ids=lambda flags: flags[0] if flags else "plain")
def test_tables_and_items(start, folder, flags):
    client = Client(start("--seed", folder, *flags))
    assert client.ok("ListTables")["TableNames"] == ["Music", "Music.Tiny"]
    assert ordered(all_items(client, "Music")) == ordered(
        {**item, "l": {"N": "1"}} for item in items_of_every_type())
    assert all_items(client, "Music.Tiny") == [{"pk": {"S": "a"}, "n": {"N": "1"}}]
    assert client.ok("DescribeTimeToLive", TableName="Music")["TimeToLiveDescription"]["AttributeName"] == "expires"
    assert [index["IndexName"] for index in client.describe("Music")["GlobalSecondaryIndexes"]] == ["Global"]
    client.close()


@pytest.mark.parametrize("name, form", [("Limited.table.json", lambda table: {"Table": table}), ("template.yaml", lambda table: {
    "Resources": {"T": {"Type": "AWS::DynamoDB::Table", "Properties": {**table, "BillingMode": "PAY_PER_REQUEST"}}}})])
def test_a_limit_of_minus_one_is_none(start, tmp_path, name, form):
    """Descriptions of the service have it, and CreateTable refuses it."""
    limits = {"MaxReadRequestUnits": 9, "MaxWriteRequestUnits": -1}
    table = {**keys("Limited"), "OnDemandThroughput": limits}
    if name == "Limited.table.json":
        del table["BillingMode"]
        table["BillingModeSummary"] = {"BillingMode": "PAY_PER_REQUEST"}
    (tmp_path / name).write_text(json.dumps(form(table)))
    client = Client(start("--seed", tmp_path / name))
    assert client.describe("Limited")["OnDemandThroughput"]["MaxReadRequestUnits"] == 9
    assert client.describe("Limited")["OnDemandThroughput"].get("MaxWriteRequestUnits", -1) == -1
    client.close()


def test_ion_and_zstd(start, folder):
    lines = '$ion_1_0 {Item:{pk:"b",n:2.}}\n{Item:{pk:"c",s:$dynamodb_SS::["x"]}}\n'
    (folder / "Music.Tiny.more.ion.zst").write_bytes(zstd(lines.encode()))
    client = Client(start("--seed", folder))
    assert sorted(all_items(client, "Music.Tiny"), key=str) == sorted([
        {"pk": {"S": "a"}, "n": {"N": "1"}}, {"pk": {"S": "b"}, "n": {"N": "2"}},
        {"pk": {"S": "c"}, "s": {"SS": ["x"]}}], key=str)
    client.close()


def test_a_description_and_an_export(start, tmp_path, folder):
    """What `aws dynamodb describe-table` and `stator export` say of one server makes another."""
    first = Client(start("--seed", folder))
    again = tmp_path / "again"
    again.mkdir()
    described = {"Table": first.describe("Music")}
    (again / "Music.table.json").write_text(json.dumps(described))
    assert run_to_end("export", "Music", again / "Music/", "--format", "export",
                      "--endpoint-url", first.server.endpoint).returncode == 0
    second = Client(start("--seed", again))
    assert schema_of(second, "Music")[0] == schema_of(first, "Music")[0]
    assert ordered(all_items(second, "Music")) == ordered(all_items(first, "Music"))
    first.close()
    second.close()


def test_a_second_start_leaves_tables_alone(start, folder, tmp_path):
    flags = ("--seed", folder, "--db-path", tmp_path / "data")
    server = start(*flags)
    client = Client(server)
    client.ok("DeleteItem", TableName="Music.Tiny", Key={"pk": {"S": "a"}})
    client.close()
    assert server.stop() == 0
    client = Client(start(*flags))
    assert all_items(client, "Music.Tiny") == []
    client.close()


def health(port):
    """Status and body; None while nobody listens."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=STOP_DEADLINE_S)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except ConnectionRefusedError:
        return None
    finally:
        connection.close()


def open_for_reader(pipe):
    """Once somebody reads it; what is written waits for that."""
    def opened():
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            assert error.errno == errno.ENXIO
            return None

    descriptor = wait_until(opened, what="a reader of the pipe")
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "w")


def test_health_waits_for_the_data(start, folder):
    """Items out of a pipe that nobody has written yet: so long the server is loading."""
    items = folder / "Music.Tiny.csv"
    items.unlink()
    os.mkfifo(items)
    port = free_port()
    with ThreadPoolExecutor(1) as pool:
        starting = pool.submit(start, "--port", port, "--seed", folder, add_port=False)
        try:
            assert wait_until(lambda: health(port), what="a server that listens") == (
                503, "loading the tables of --seed\n")
            asked = run_to_end("health", "--port", port)
            assert asked.returncode == 1 and "status 503" in asked.stderr
        finally:
            with open_for_reader(items) as writer:
                writer.write("pk,n:N\na,1\n")
        client = Client(starting.result())
    assert health(port) == (200, "ok\n")
    assert run_to_end("health", "--port", port).returncode == 0
    assert all_items(client, "Music.Tiny") == [{"pk": {"S": "a"}, "n": {"N": "1"}}]
    client.close()


@pytest.mark.parametrize("name, text, told", [
    ("Other.csv", "a,b\n", "Other.csv: no NAME.table.json and no template has the table it belongs to"),
    ("Bad.table.json", "{", "Bad.table.json: it is no JSON, column 2: it ends too early"),
    ("Bad.table.json", '{"TableName":"Worse"}', "Bad.table.json: it is of table 'Worse', its name is of another"),
    ("Bad.table.json", "{}", "Bad.table.json: Bad: 2 validation errors detected: "),
    ("Music.Tiny.x.json", '{"n":1}', "Music.Tiny.x.json line 1: the key attribute 'pk' is missing"),
    ("Bad.table.json", json.dumps(keys("Bad")) + "{}", "Bad.table.json: it is no JSON, column 187"),
    ("Music.Tiny.x.csv", "pk,a,a\nb,1,2\n", "Music.Tiny.x.csv line 1: the column 'a' is there twice"),
    ("Music.Tiny.x.csv", "id,a\nb,1\n", "Music.Tiny.x.csv line 1: no column has the name of the key attribute 'pk'"),
    ("Music.Tiny.x.json", "An error occurred\n", "it looks like plain text"),
    ("Music.Tiny.x.json.gz", gzip.compress(b'{"pk":"b"}') + b"\0" * 512, "what follows its gzip data is no gzip"),
], ids=range(10))
def test_what_is_wrong(folder, name, text, told):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    result = run_to_end("--port", "0", "--seed", folder)
    assert (result.returncode, result.stdout) == (1, "")
    assert told in result.stderr


def test_mistakes(tmp_path):
    result = run_to_end("--port", "0", "--seed", tmp_path / "none")
    assert result.returncode == 1 and "No such file or directory" in result.stderr
    result = run_to_end("--port", "0", "--seed", tmp_path, "--clock", "manual", "--control-plane-delay", "1")
    assert result.returncode == 2 and "CREATING" in result.stderr


# --- Whole or not there ----------------------------------------------------------------------------

@pytest.mark.parametrize("flags", [[], ["--control-plane-delay", "0.1"]], ids=["", "delay"])
def test_what_fails_leaves_no_part_of_a_table(start, folder, tmp_path, flags):
    """Deletion protection or not; those before it stay, and both are told."""
    place = ["--db-path", tmp_path / "data", *flags]
    items = folder / "Zoo.jsonl"
    (folder / "Zoo.table.json").write_text(json.dumps({**keys("Zoo"), "DeletionProtectionEnabled": True}))
    items.write_text("".join(f'{{"pk":"p{i}"}}\n' for i in range(3000)) + '{"n":1}\n')
    result = run_to_end("--port", "0", "--seed", folder, *place)
    assert (result.returncode, result.stdout) == (1, "")
    assert "Zoo.jsonl line 3001: the key attribute 'pk' is missing" in result.stderr
    assert "stator: --seed: table 'Zoo' is removed again\n" in result.stderr
    assert result.stderr.endswith("stator: --seed: complete, and persisted with --db-path: Music.Tiny, Music\n")
    server = start(*place)
    client = Client(server)
    assert client.ok("ListTables")["TableNames"] == ["Music", "Music.Tiny"]
    client.close()
    assert server.stop() == 0
    items.write_text('{"pk":"right"}\n')
    client = Client(start("--seed", folder, *place))
    assert all_items(client, "Zoo") == [{"pk": {"S": "right"}}]
    client.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_start_that_is_ended_while_it_loads(start, folder, tmp_path, number):
    """Part of the items are there by then; the next start says so and makes the table anew."""
    described = {**keys("Zoo"), "DeletionProtectionEnabled": True, "Tags": [{"Key": "k", "Value": "v"}]}
    (folder / "Zoo.table.json").write_text(json.dumps(described))
    pipe, lines = folder / "Zoo.jsonl", [f'{{"pk":"p{i}","t":"{"x" * 200}"}}\n' for i in range(3000)]
    os.mkfifo(pipe)
    flags = ["--seed", str(folder), "--db-path", str(tmp_path / "data")]
    port = free_port()
    running = subprocess.Popen([binary(), "--port", str(port), *flags], env=clean_environment(),
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        with open_for_reader(pipe) as writer:
            writer.write("".join(lines))
            writer.flush()
            client = Client(SimpleNamespace(scheme="http", host="127.0.0.1", port=port,
                                            endpoint=f"http://127.0.0.1:{port}"))
            wait_until(lambda: client.ok("Scan", TableName="Zoo", Select="COUNT")["Count"] > 100, what="items")
            assert client.ok("ListTagsOfResource", ResourceArn=client.describe("Zoo")["TableArn"])["Tags"] == [
                {"Key": "stator:seeding", "Value": ""}, {"Key": "k", "Value": "v"}]
            client.close()
            running.send_signal(number)
            # The file has no end before: otherwise the rest could be loaded until the signal is noticed.
            told = running.communicate(timeout=STOP_DEADLINE_S)[1]
    finally:
        running.kill()
        running.wait()
    if number == signal.SIGTERM:
        assert "table 'Zoo' stays incomplete; the next start with --seed loads it again" in told
    pipe.unlink()
    pipe.write_text("".join(lines[1000:]))
    server = start(*flags)
    expected = "stator: --seed: table 'Zoo' is incomplete because a start ended while loading it: it is loaded again"
    server.wait_for_log(f"^{expected}$")
    client = Client(server)
    assert sorted(item["pk"]["S"] for item in all_items(client, "Zoo")) == sorted(f"p{i}" for i in range(1000, 3000))
    zoo = client.describe("Zoo")
    assert zoo["DeletionProtectionEnabled"]
    assert client.ok("ListTagsOfResource", ResourceArn=zoo["TableArn"])["Tags"] == [{"Key": "k", "Value": "v"}]
    assert len(all_items(client, "Music")) == len(items_of_every_type())
    client.close()


def test_a_tag_of_its_own_is_needed(folder):
    tags = [{"Key": f"k{i}", "Value": "v"} for i in range(50)]
    (folder / "Zoo.table.json").write_text(json.dumps({**keys("Zoo"), "Tags": tags}))
    result = run_to_end("--port", "0", "--seed", folder)
    assert "Zoo.table.json: it has more than 49 tags, and --seed needs one while it loads" in result.stderr
    (folder / "Zoo.table.json").write_text(json.dumps({**keys("Zoo"), "Tags": {"k": "v"}}))
    assert "Zoo.table.json: Zoo: Start of structure or map found" in run_to_end("--port", "0", "--seed", folder).stderr


# --- Templates -------------------------------------------------------------------------------------

TEMPLATE = """\
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "orders-${AWS::Region}"
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      TimeToLiveSpecification: {AttributeName: expires, Enabled: true}
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}
      Tags: [{Key: team, Value: a}]
  Users:
    Type: AWS::Serverless::SimpleTable
"""
MODEL = {"ModelMetadata": {"Version": "3.0"}, "DataModel": [{
    "TableName": "Model", "KeyAttributes": {"PartitionKey": {"AttributeName": "pk", "AttributeType": "S"}},
    "TableData": [{"pk": {"S": "a"}, "n": {"N": "12345678901234567890123456789012345678"}}, {"pk": {"S": "b"}, "s": {"SS": ["x"]}}]}]}


def write(folder, name, content):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize("flags", [[], ["--isolate", "key"], ["--control-plane-delay", "0.1"]],
                         ids=lambda flags: flags[0] if flags else "plain")
def test_a_template_is_a_seed(start, tmp_path, flags):
    path = write(tmp_path, "template.yaml", TEMPLATE)
    client = Client(start("--seed", path, *flags), key=os.environ.get("AWS_ACCESS_KEY_ID", "stator"))
    assert client.ok("ListTables")["TableNames"] == ["Users", "orders-us-east-1"]
    orders = client.describe("orders-us-east-1")
    assert client.ok("DescribeTimeToLive", TableName="orders-us-east-1")["TimeToLiveDescription"]["AttributeName"] == "expires"
    recovery = client.ok("DescribeContinuousBackups", TableName="orders-us-east-1")["ContinuousBackupsDescription"]
    assert recovery["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"
    assert client.ok("ListTagsOfResource", ResourceArn=orders["TableArn"])["Tags"] == [{"Key": "team", "Value": "a"}]
    client.close()


def test_health_waits_for_the_tables_of_a_template(start, tmp_path):
    """Under --isolate key the tables belong to the key of the environment."""
    folder = tmp_path / "seed"
    write(folder, "template.yaml", TEMPLATE)
    items = folder / "Users.csv"
    os.mkfifo(items)
    port = free_port()
    with ThreadPoolExecutor(1) as pool:
        starting = pool.submit(start, "--port", port, "--seed", folder, "--isolate", "key", add_port=False)
        try:
            assert wait_until(lambda: health(port), what="a server that listens") == (
                503, "loading the tables of --seed\n")
        finally:
            with open_for_reader(items) as writer:
                writer.write("id\na\n")
        server = starting.result()
    assert health(port) == (200, "ok\n")
    client = Client(server, key=os.environ.get("AWS_ACCESS_KEY_ID", "stator"))
    assert all_items(client, "Users") == [{"id": {"S": "a"}}]
    client.close()
    other = Client(server, key="other")
    assert other.ok("ListTables")["TableNames"] == []
    other.close()


def test_a_folder_has_templates_and_their_items(start, tmp_path):
    """Sample items of a model, items in files, and files that are neither."""
    folder = tmp_path / "seed"
    write(folder, "template.yaml", TEMPLATE)
    write(folder, "model.json", MODEL)
    write(folder, "Plain.table.json", keys("Plain"))
    write(folder, "Users.csv", "id,n:N\nu,1\n")
    write(folder, "Plain.json", [{"pk": "p"}])
    write(folder, "included.yml", "name: x\n")
    write(folder, "README.md", "What this folder has.\n")
    client = Client(start("--seed", folder))
    assert client.ok("ListTables")["TableNames"] == ["Model", "Plain", "Users", "orders-us-east-1"]
    assert all_items(client, "Users") == [{"id": {"S": "u"}, "n": {"N": "1"}}]
    assert all_items(client, "Plain") == [{"pk": {"S": "p"}}]
    assert ordered(all_items(client, "Model")) == ordered(MODEL["DataModel"][0]["TableData"])
    client.close()


def test_a_template_without_its_data_is_no_seed(start, tmp_path):
    """What failed leaves nothing of a template, and the next start makes all of it."""
    folder = tmp_path / "seed"
    write(folder, "template.yaml", TEMPLATE)
    place = ["--db-path", tmp_path / "data"]
    items = write(folder, "Users.jsonl", '{"id":"a"}\n{"n":1}\n')
    result = run_to_end("--port", "0", "--seed", folder, *place)
    assert (result.returncode, result.stdout) == (1, "")
    assert "Users.jsonl line 2: the key attribute 'id' is missing" in result.stderr
    assert "table 'Users' is removed again" in result.stderr and "table 'orders-us-east-1' is removed again" in result.stderr
    server = start(*place)
    client = Client(server)
    assert client.ok("ListTables")["TableNames"] == []
    client.close()
    assert server.stop() == 0
    items.write_text('{"id":"a"}\n')
    client = Client(start("--seed", folder, *place))
    assert client.ok("ListTables")["TableNames"] == ["Users", "orders-us-east-1"]
    client.close()


def test_a_template_that_changed_is_told(start, tmp_path):
    path = write(tmp_path, "template.yaml", TEMPLATE)
    place = ["--db-path", tmp_path / "data"]
    server = start("--seed", path, *place)
    assert server.stop() == 0
    path.write_text(TEMPLATE.replace("AttributeName: expires", "AttributeName: until"))
    server = start("--seed", path, *place)
    server.wait_for_log("^stator: --seed: table 'orders-us-east-1' is not as in .*template.yaml, and stays; stator apply changes it$")
    client = Client(server)
    assert client.ok("DescribeTimeToLive", TableName="orders-us-east-1")["TimeToLiveDescription"]["AttributeName"] == "expires"
    client.close()


@pytest.mark.parametrize("text, told", [
    (TEMPLATE.replace("AttributeName: pk, KeyType", "KeyName: pk, KeyType"), "template.yaml:8:"),
    (TEMPLATE.replace("${AWS::Region}", "${Stage}"), "template.yaml:5:"),
    ("Resources: [", "template.yaml:"),
    (TEMPLATE.replace("{AttributeName: pk, KeyType", "{AttributeName: other, KeyType"), "template.yaml:2:"),
], ids=["key", "parameter", "syntax", "refused"])
def test_a_mistake_in_a_template_makes_nothing(start, tmp_path, text, told):
    folder = tmp_path / "seed"
    write(folder, "Ages.table.json", keys("Ages"))
    write(folder, "template.yaml", text)
    place = ["--db-path", tmp_path / "data"]
    result = run_to_end("--port", "0", "--seed", folder, *place)
    assert (result.returncode, result.stdout) == (1, "") and told in result.stderr
    client = Client(start(*place))
    assert client.ok("ListTables")["TableNames"] == []
    client.close()
