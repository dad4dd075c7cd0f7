"""`--seed DIR`: what a server has when it says that it listens."""

import errno
import http.client
import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from client import Client
from data_program import all_items, items_of_every_type, ordered
from server_process import free_port, run_to_end, wait_until
from test_copy import TABLE, schema_of


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
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except ConnectionRefusedError:
        return None
    finally:
        connection.close()


def write_to_reader(pipe, text):
    """Once somebody reads it."""
    def opened():
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            assert error.errno == errno.ENXIO
            return None

    with os.fdopen(wait_until(opened, what="a reader of the pipe"), "w") as file:
        file.write(text)


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
            write_to_reader(items, "pk,n:N\na,1\n")
        client = Client(starting.result())
    assert health(port) == (200, "ok\n")
    assert run_to_end("health", "--port", port).returncode == 0
    assert all_items(client, "Music.Tiny") == [{"pk": {"S": "a"}, "n": {"N": "1"}}]
    client.close()


@pytest.mark.parametrize("name, text, told", [
    ("Other.csv", "a,b\n", "Other.csv: there is no NAME.table.json to whose table it belongs"),
    ("Bad.table.json", "{", "Bad.table.json: it is no JSON object"),
    ("Bad.table.json", '{"TableName":"Worse"}', "Bad.table.json: it is of table 'Worse', its name is of another"),
    ("Bad.table.json", "{}", "Bad.table.json: ValidationException: "),
    ("Music.Tiny.x.json", '{"n":1}', "Music.Tiny.x.json line 1: the key attribute 'pk' is missing"),
], ids=range(5))
def test_what_is_wrong(folder, name, text, told):
    (folder / name).write_text(text)
    result = run_to_end("--port", "0", "--seed", folder)
    assert (result.returncode, result.stdout) == (1, "")
    assert told in result.stderr


def test_mistakes(tmp_path):
    result = run_to_end("--port", "0", "--seed", tmp_path / "none")
    assert result.returncode == 1 and "No such file or directory" in result.stderr
    result = run_to_end("--port", "0", "--seed", tmp_path, "--clock", "manual", "--control-plane-delay", "1")
    assert result.returncode == 2 and "CREATING" in result.stderr
