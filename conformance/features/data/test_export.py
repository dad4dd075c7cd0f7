"""`stator export`, and back by `stator import`: nothing is lost on the way."""

import csv
import gzip
import io
import json
import os

import pytest

from data_program import all_items, items_of_every_type, ordered, plain_items, put_all
from server_process import Server, free_port, run_to_end

SCHEMA = {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"},
                                   {"AttributeName": "sk", "AttributeType": "N"}],
          "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]}


@pytest.fixture
def two_tables(raw):
    """One to export, one to import to."""
    for name in ("DataOut", "DataBack"):
        raw.create_table(name, **SCHEMA)
    yield "DataOut", "DataBack"
    for name in ("DataOut", "DataBack"):
        raw.ok("DeleteTable", TableName=name)


def there_and_back(program, raw, tables, items, name, *flags):
    """Exports and imports; what arrived."""
    put_all(raw, tables[0], items)
    line = program.done("export", tables[0], name, *flags)
    assert line.startswith(f"{len(items)} items of {tables[0]} in "), line
    program.done("import", tables[1], name, *(flags if "--delimiter" in flags else []))
    return ordered(all_items(raw, tables[1]))


@pytest.mark.parametrize("name, flags", [
    ("items.jsonl", []), ("items.json.gz", []), ("items.csv", []), ("items.csv.gz", []),
    ("items.jsonl.zst", []), ("items.csv.zst", []), ("items.ion", []), ("items.ion.gz", []), ("items.ion.zst", []),
    ("items", ["--format", "ion", "--compression", "zstd"]), ("items.gz", ["--format", "csv", "--compression", "none"]),
    ("items.json", ["--format", "scan", "--compression", "gzip"]),
    ("items.csv", ["--delimiter", ";"]), ("items.csv", ["--delimiter", "tab"]),
    ("items.json", ["--format", "scan"]),
], ids=lambda value: " ".join(value) if isinstance(value, list) else value)
def test_every_type(program, raw, two_tables, name, flags):
    items = items_of_every_type()
    assert there_and_back(program, raw, two_tables, items, name, *flags) == ordered(items)
    assert os.listdir(program.folder) == [name], "nothing else is left"


@pytest.mark.parametrize("name", ["items.jsonl", "items.csv", "items.json"])
def test_an_empty_table(program, raw, two_tables, name):
    flags = ["--format", "scan"] if name == "items.json" else []
    if name != "items.jsonl":
        assert there_and_back(program, raw, two_tables, [], name, *flags) == []
        return
    assert program.done("export", two_tables[0], name).startswith("0 items")
    assert program.refused("import", two_tables[1], name)[0] == f"stator: {name} is empty"


def test_plain_json(program, raw, two_tables):
    items = plain_items()
    put_all(raw, two_tables[0], items)
    program.done("export", two_tables[0], "items.jsonl", "--format", "json")
    lines = [json.loads(line, parse_int=str) for line in (program.folder / "items.jsonl").read_text().splitlines()]
    assert {line["pk"]: line for line in lines}["only n"] == {
        "pk": "only n", "sk": "1", "n": "12345678901234567890123456789012345678"}
    program.done("import", two_tables[1], "items.jsonl")
    assert ordered(all_items(raw, two_tables[1])) == ordered(items)


def test_plain_json_says_what_it_loses(program, raw, two_tables):
    put_all(raw, two_tables[0], [{"pk": {"S": "a"}, "sk": {"N": "1"}, "s": {"NS": ["1", "2"]},
                                  "l": {"L": [{"B": "AQ=="}, {"BS": ["AQI="]}]}}])
    result = program.run("export", two_tables[0], "-", "--format", "json")
    assert result.returncode == 0
    assert json.loads(result.stdout) == {"pk": "a", "sk": 1, "s": [1, 2], "l": ["AQ==", ["AQI="]]}
    assert result.stderr.splitlines()[0] == (
        "stator: 2 sets became arrays and 1 binary value strings of Base64: plain JSON has neither, "
        "--format dynamodb-json keeps them")


def test_csv_is_what_others_read(program, raw, two_tables):
    put_all(raw, two_tables[0], [
        {"pk": {"S": "a,\"b\"\nc"}, "sk": {"N": "1"}, "title": {"S": ""}, "n": {"N": "1.50"}},
        {"pk": {"S": "b"}, "sk": {"N": "2"}, "n": {"S": "text"}}])
    program.done("export", two_tables[0], "items.csv")
    rows = list(csv.DictReader(io.StringIO((program.folder / "items.csv").read_text(), newline="")))
    assert sorted(rows, key=lambda row: row["pk"]) == [
        {"pk": "a,\"b\"\nc", "sk": "1", "n:N": "1.5", "title": "", "n": ""},
        {"pk": "b", "sk": "2", "n:N": "", "title": "", "n": "text"}]


def test_the_cli_s_form_is_that_of_the_cli(program, raw, two_tables):
    put_all(raw, two_tables[0], items_of_every_type())
    program.done("export", two_tables[0], "scan.json.gz", "--format", "scan")
    answer = json.loads(gzip.decompress((program.folder / "scan.json.gz").read_bytes()))
    assert answer["Count"] == answer["ScannedCount"] == len(items_of_every_type())
    assert ordered(answer["Items"]) == ordered(all_items(raw, two_tables[0]))


def test_many_pages(program, raw, two_tables):
    """8 MB, read by one and by nine segments, by way of stdout."""
    program.write("items", "".join(json.dumps({"pk": f"p{i}", "sk": i, "t": "x" * 20_000}) + "\n"
                                   for i in range(400)))
    program.done("import", two_tables[0], "items")
    for segments in (1, 9):
        result = program.run("export", two_tables[0], "-", "--segments", segments)
        items = [json.loads(line)["Item"] for line in result.stdout.splitlines()]
        assert sorted(item["pk"]["S"] for item in items) == sorted(f"p{i}" for i in range(400))
        assert result.stderr.startswith("400 items of DataOut in ")


# --- What is wrong ---------------------------------------------------------------------------------

def test_nothing_is_left_of_what_failed(program, raw, two_tables, start):
    assert program.refused("export", "DataNone", "x.csv") == [
        f"stator: there is no table 'DataNone' at {program.endpoint}"]
    assert "No such file or directory" in program.refused("export", two_tables[0], "no/x.csv")[0]
    assert os.listdir(program.folder) == []


@pytest.mark.parametrize("command", [["export", "DataNone", "x.csv"], ["import", "DataNone", os.devnull]])
def test_without_an_endpoint_it_is_the_server_that_runs_here(command):
    """Found by its command line; the command's own is among those that are read."""
    port = free_port()
    with Server("--port", port, add_port=False):
        result = run_to_end(*command)
    assert result.returncode == 1, result
    assert result.stderr.startswith(f"stator: there is no table 'DataNone' at http://localhost:{port}"), result


@pytest.mark.parametrize("arguments, word", [
    (["export", "T"], "FILE"), (["export", "T", "f"], "--format"), (["export", "T", "f.csv", "--segments", "0"], "segments"),
])
def test_mistakes(arguments, word):
    result = run_to_end(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1 and word in result.stderr
