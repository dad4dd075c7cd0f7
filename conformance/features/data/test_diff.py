"""`stator diff`: items of tables, files and endpoints, compared by their keys."""

import json

import pytest

from client import Client
from data_program import items_of_every_type, put_all


def diff(program, status, *words, **options):
    """The lines on stdout."""
    result = program.run("diff", *words, **options)
    assert (result.returncode, result.stderr) == (status, ""), result
    return result.stdout.splitlines()


def told(program, status, *words, **options):
    result = program.run("diff", *words, **options)
    assert (result.returncode, result.stdout) == (status, ""), result
    return result.stderr


@pytest.fixture
def sides(raw, new_table):
    """Two tables: one item is equal, one has changed, one is in the first and one in the second alone."""
    tables = [new_table("artist:S year:N"), new_table("artist:S year:N")]
    items = [{"artist": {"S": "a"}, "year": {"N": str(year)}, "n": {"N": "1"}} for year in (9, 10, 11)]
    put_all(raw, tables[0], items)
    changed = {**items[1], "n": {"N": "2"}, "new": {"BOOL": True}}
    put_all(raw, tables[1], [items[0], changed, {"artist": {"S": "b"}, "year": {"N": "1"}}])
    return tables


def test_two_tables(program, sides):
    first, second = sides
    assert diff(program, 3, first, second) == [
        "~ artist=a year=10: n 1 -> 2, new - -> true", "- artist=a year=11", "+ artist=b year=1", "1 equal, 3 different"]
    assert diff(program, 3, second, first) == [
        "~ artist=a year=10: n 2 -> 1, new true -> -", "+ artist=a year=11", "- artist=b year=1", "1 equal, 3 different"]
    assert diff(program, 0, first, first) == ["3 equal, 0 different"]
    assert diff(program, 3, first, second, "--ignore", "n,new")[:1] == ["- artist=a year=11"]


def test_lines_of_json(program, sides):
    lines = [json.loads(line) for line in diff(program, 3, *sides, "--output", "jsonl")]
    assert lines[0] == {"state": "changed", "keys": {"artist": "a", "year": 10}, "old": {"artist": "a", "n": 1, "year": 10},
                        "new": {"artist": "a", "n": 2, "new": True, "year": 10}}
    assert [(line["state"], "old" in line, "new" in line) for line in lines[1:]] == [
        ("removed", True, False), ("added", False, True)]
    typed = json.loads(diff(program, 3, *sides, "--output", "dynamodb-json")[0])
    assert typed["old"] == {"artist": {"S": "a"}, "n": {"N": "1"}, "year": {"N": "10"}}


@pytest.mark.parametrize("name", ["songs.jsonl", "songs.json.gz", "songs.csv", "songs.ion", "./songs/"])
def test_a_table_and_its_file(program, raw, sides, name):
    first, second = sides
    program.done("export", first, name)
    assert diff(program, 0, first, name) == ["3 equal, 0 different"]
    assert diff(program, 3, name, second)[-1] == "1 equal, 3 different"
    raw.ok("DeleteItem", TableName=first, Key={"artist": {"S": "a"}, "year": {"N": "9"}})
    assert diff(program, 3, name, first) == ["- artist=a year=9", "2 equal, 1 different"]


def test_two_files(program, tmp_path):
    program.write("a.jsonl", '{"id":{"S":"1"},"n":{"N":"1.0"},"s":{"SS":["a","b"]}}\n{"id":{"S":"2"},"n":{"N":"1"}}\n')
    program.write("b.jsonl", '{"id":{"S":"2"},"n":{"S":"1"}}\n{"s":{"SS":["b","a"]},"n":{"N":"1"},"id":{"S":"1"}}\n')
    key = ["--key", "id:S"]
    assert diff(program, 3, "a.jsonl", "b.jsonl", *key) == ["~ id=2: n 1 (N) -> 1 (S)", "1 equal, 1 different"]
    with open(tmp_path / "a.jsonl") as file:
        assert diff(program, 0, "-", "a.jsonl", *key, stdin=file.read()) == ["2 equal, 0 different"]
    assert "--key: is missing" in told(program, 2, "a.jsonl", "b.jsonl")


def test_items_of_every_type_are_equal_to_themselves(program, raw, new_table):
    table, other = new_table("pk:S sk:N"), new_table("pk:S sk:N")
    items = items_of_every_type()
    for name in (table, other):
        put_all(raw, name, items)
    assert diff(program, 0, table, other) == [f"{len(items)} equal, 0 different"]
    program.done("export", table, "all.jsonl.zst")
    assert diff(program, 0, "all.jsonl.zst", other) == [f"{len(items)} equal, 0 different"]


def test_many_pages(program, raw, new_table):
    table, other = new_table(), new_table()
    items = [{"pk": {"S": f"{number}"}, "text": {"S": "x" * 2000}} for number in range(1500)]
    put_all(raw, table, items)
    put_all(raw, other, [item for item in items if item["pk"]["S"] != "700"])
    assert diff(program, 3, table, other) == ["- pk=700", "1,499 equal, 1 different"]


def test_two_endpoints(program, raw, start, new_table):
    other_server = start()
    other = Client(other_server)
    table = new_table()
    other.create_table(table)
    other.create_table("copy")
    raw.ok("PutItem", TableName=table, Item={"pk": {"S": "a"}})
    for name in (table, "copy"):
        other.ok("PutItem", TableName=name, Item={"pk": {"S": "a"}, "n": {"N": "1"}})
    assert diff(program, 3, table, f"endpoint:{other_server.endpoint}") == [
        "~ pk=a: n - -> 1", "0 equal, 1 different"]
    assert diff(program, 3, f"endpoint:{other_server.endpoint}/copy", table)[0] == "~ pk=a: n 1 -> -"
    assert diff(program, 0, f"endpoint:{other_server.endpoint}/copy", f"endpoint:{other_server.endpoint}/{table}") == [
        "1 equal, 0 different"]
    sides = [f"endpoint:{other_server.endpoint}"] * 2
    assert "names no table: add /TABLE" in told(program, 1, *sides)


def test_an_arn_says_the_region(program, start):
    server = start()
    near, far = Client(server), Client(server, region="eu-west-1")
    for client, year in ((near, "1"), (far, "2")):
        client.create_table("Regions")
        client.ok("PutItem", TableName="Regions", Item={"pk": {"S": "a"}, "n": {"N": year}})
        client.ok("PutItem", TableName="Regions", Item={"pk": {"S": "b"}})
    arn = far.describe("Regions")["TableArn"]
    here = {"endpoint": False}
    address = ["--endpoint-url", server.endpoint, "--region", "us-east-1"]
    assert diff(program, 3, "Regions", arn, *address, **here) == ["~ pk=a: n 1 -> 2", "1 equal, 1 different"]
    assert diff(program, 3, f"endpoint:{server.endpoint}/{arn}", "Regions", *address, **here)[0] == "~ pk=a: n 2 -> 1"
    near.ok("PutItem", TableName="Regions", Item={"pk": {"S": "a"}, "n": {"N": "2"}})
    assert diff(program, 0, arn, near.describe("Regions")["TableArn"], *address, **here) == ["2 equal, 0 different"]
    near.close()
    far.close()


def test_mistakes(program, raw, new_table):
    table, other = new_table(), new_table("pk:N")
    assert "has another key" in told(program, 1, table, other)
    assert told(program, 1, table, "nowhere").startswith("stator: ResourceNotFoundException: nowhere: ")
    assert "missing.jsonl" in told(program, 1, table, "missing.jsonl")
    program.write("no.jsonl", '{"pk":{"S":"a"}}\n{"other":{"S":"a"}}\n')
    assert "no.jsonl line 2: the key attribute 'pk' is missing" in told(program, 1, table, "no.jsonl")
    program.write("typed.jsonl", '{"pk":{"N":"1"}}\n')
    assert "the key attribute 'pk' is not of the key's type" in told(program, 1, table, "typed.jsonl")
    assert "'pk' is a key and cannot be ignored" in told(program, 1, table, table, "--ignore", "pk")
    for words, why in ((["a"], "diff: needs two sides"), (["-", "-", "--key", "a:S"], "stdin is one side only"),
                       (["a.json", "b.json", "--key", "a"], "is not NAME:TYPE"),
                       (["a", "endpoint:htp://x/t"], "stator: endpoint:htp://x/t: 'htp://x' is not http://HOST:PORT "),
                       (["endpoint:http://x:99999/t", "a"], "stator: endpoint:http://x:99999/t: 'http://x:99999' is not "),
                       (["a", "http://x:99999"], "'http://x:99999' is no table and no file; an address is "
                                                 "endpoint:http://HOST:PORT/TABLE")):
        assert why in told(program, 2, *words)


def test_control_characters_are_escaped(program, raw, new_table):
    table, other = new_table(), new_table()
    raw.ok("PutItem", TableName=table, Item={"pk": {"S": "a\x1b[2J\n"}, "\x07": {"S": "\x1b"}})
    raw.ok("PutItem", TableName=other, Item={"pk": {"S": "a\x1b[2J\n"}})
    (line, _) = diff(program, 3, table, other)
    assert line.isprintable()
