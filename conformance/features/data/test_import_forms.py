"""`stator import` takes what other commands take and write, and says first what it takes a file for."""

import json
import subprocess

import pytest

from data_program import all_items, ordered, put_all
from server_process import STOP_DEADLINE_S, binary, clean_environment
from test_import import table  # noqa: F401

ITEMS = [{"pk": {"S": "a"}, "sk": {"N": "1"}, "v": {"SS": ["x"]}}, {"pk": {"S": "b"}, "sk": {"N": "2"}}]
PLAIN = [{"pk": "a", "sk": 1}, {"pk": "b", "sk": 2}]
PUTS = [{"PutRequest": {"Item": item}} for item in ITEMS]

# Each form: the text, and what it is taken for.
FORMS = {
    "input of batch-write-item": ({"DataImport": PUTS}, "DynamoDB JSON, input of batch-write-item"),
    "its whole input": ({"RequestItems": {"DataImport": PUTS, "Other": [{"PutRequest": {"Item": {}}}]}},
                        "DynamoDB JSON, input of batch-write-item"),
    "output of batch-get-item": ({"Responses": {"DataImport": ITEMS}, "UnprocessedKeys": {}},
                                 "DynamoDB JSON, output of batch-get-item"),
    "input of transact-write-items": (
        {"TransactItems": [{"Put": {"TableName": "DataImport", "Item": item}} for item in ITEMS]},
        "DynamoDB JSON, the list 'TransactItems', input of transact-write-items"),
    "an event of Lambda": (
        {"Records": [{"eventName": "INSERT", "dynamodb": {"Keys": {}, "NewImage": item}} for item in ITEMS]},
        "DynamoDB JSON, the list 'Records', records of a stream"),
    "a list": ({"users": ITEMS, "total": 2}, "DynamoDB JSON, the list 'users'"),
}


def is_read_as(program, *arguments, **options):
    """What the first line on stderr says of an import that must succeed."""
    result = program.run("import", *arguments, **options)
    assert result.returncode == 0, result
    return result.stderr.splitlines()[0].partition(" is read as ")[2]


@pytest.mark.parametrize("indent", [None, 2], ids=["in one line", "over lines"])
@pytest.mark.parametrize("form", FORMS)
def test_a_list_of_items(program, raw, table, form, indent):  # noqa: F811
    whole, told = FORMS[form]
    program.write("items.json", json.dumps(whole, indent=indent))
    assert is_read_as(program, table, "items.json") == told
    assert ordered(all_items(raw, table)) == ordered(ITEMS)


@pytest.mark.parametrize("around, told", [
    (lambda item: {"Item": item}, ""), (lambda item: {"Attributes": item}, ", output of update-item"),
    (lambda item: {"Item": item, "ConsumedCapacity": {"CapacityUnits": 0.5}}, ", output of get-item"),
    (lambda item: {"TableName": "Any", "Item": item}, ", input of put-item"),
    (lambda item: {"PutRequest": {"Item": item}}, ", input of batch-write-item")],
    ids=["Item", "update-item", "get-item", "put-item", "request"])
def test_one_item_each(program, raw, table, around, told):  # noqa: F811
    """In lines, and as the AWS CLI prints them, one after another."""
    lines = "".join(json.dumps(around(item)) + "\n" for item in ITEMS)
    assert is_read_as(program, table, "-", stdin=lines) == "DynamoDB JSON Lines" + told
    assert ordered(all_items(raw, table)) == ordered(ITEMS)
    printed = "".join(json.dumps(around(item), indent=4) + "\n" for item in ITEMS[::-1])
    assert is_read_as(program, table, "-", stdin=printed) == "DynamoDB JSON objects one after another" + told
    assert ordered(all_items(raw, table)) == ordered(ITEMS)


def test_requests_delete(program, raw, table):  # noqa: F811
    put_all(raw, table, ITEMS)
    requests = {table: [{"DeleteRequest": {"Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}}},
                        {"PutRequest": {"Item": {"pk": {"S": "c"}, "sk": {"N": "3"}}}}]}
    program.write("requests.json", json.dumps(requests))
    program.done("import", table, "requests.json")
    assert sorted(item["pk"]["S"] for item in all_items(raw, table)) == ["b", "c"]


def test_the_requests_of_other_tables(program, raw, table):  # noqa: F811
    """Of several tables none is guessed."""
    program.write("requests.json", json.dumps({"One": PUTS[:1], "Two": PUTS[1:]}))
    assert program.refused("import", table, "requests.json")[0] == \
        "stator: requests.json line 1: it has items of several tables: 'One' and 'Two'"


def test_objects_over_several_lines(program, raw, table):  # noqa: F811
    """A wrong one goes to the rejects in a line, which reads as before."""
    texts = [json.dumps(item, indent=2) for item in [PLAIN[0], {"pk": "no"}, PLAIN[1]]]
    program.write("items.json", "\n".join(texts))
    told = program.refused("import", table, "items.json", "--keep-going")
    assert told == ["stator: items.json line 5: the key attribute 'sk' is missing",
                    "stator: 1 invalid record in rejects.txt"]
    assert json.loads((program.folder / "rejects.txt").read_text()) == {"pk": "no"}
    assert len(all_items(raw, table)) == 2


@pytest.mark.parametrize("name, text, told", [
    ("items.csv", "pk,sk\na,1\n", "CSV"), ("items.csv", "pk;sk\na;1\n", "CSV with semicolons"),
    ("items.jsonl", json.dumps(PLAIN[0]), "JSON Lines"), ("items.jsonl", json.dumps(ITEMS[0]), "DynamoDB JSON Lines"),
    ("items.json", json.dumps(PLAIN), "JSON array"), ("items.ion", "$ion_1_0 {Item:{pk:\"a\",sk:1.}}\n", "Ion"),
    ("items.json", json.dumps({"Items": ITEMS, "Count": 2}), "DynamoDB JSON, output of scan or query"),
    ("items.csv", "pk,sk\n", "CSV")])
def test_the_first_line_says_what_a_file_is(program, table, name, text, told):  # noqa: F811
    program.write(name, text)
    assert program.run("import", table, name).stderr == f"{name} is read as {told}\n"


def test_a_line_for_each_file(program, table):  # noqa: F811
    """Before that of a refusal. What is refused as a whole is taken for nothing."""
    program.write("a.csv", "pk,sk\na,1\n")
    program.write("b.json", json.dumps({"pk": "b"}))
    program.write("c.json", "")
    lines = program.run("import", table, "a.csv", "b.json").stderr.splitlines()
    assert lines[:3] == ["a.csv is read as CSV", "b.json is read as JSON Lines",
                         "stator: b.json line 1: the key attribute 'sk' is missing"]
    assert program.run("import", table, "c.json").stderr.startswith("stator: c.json is empty\n")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["pk\tsk\tv\r\né😀\t1\tx\r\n", json.dumps({"pk": "é😀", "sk": 1, "v": "x"}, ensure_ascii=False)],
                         ids=["CSV", "JSON"])
def test_utf16(program, raw, table, encoding, text):  # noqa: F811
    """As spreadsheets and PowerShell write it."""
    program.write("items", ("\ufeff" + text).encode(encoding))
    program.done("import", table, "items")
    assert all_items(raw, table) == [{"pk": {"S": "é😀"}, "sk": {"N": "1"}, "v": {"S": "x"}}]


def test_types_in_small_letters(program, raw, table):  # noqa: F811
    program.write("items", json.dumps({
        "pk": {"s": "a"}, "sk": {"n": "1"}, "set": {"sS": ["x"]}, "yes": {"bOOL": True}, "nil": {"nULLValue": True},
        "map": {"m": {"s": {"l": [{"b": "AQ=="}]}}}}))
    assert is_read_as(program, table, "items") == "DynamoDB JSON Lines, types in small letters"
    assert all_items(raw, table) == [{
        "pk": {"S": "a"}, "sk": {"N": "1"}, "set": {"SS": ["x"]}, "yes": {"BOOL": True}, "nil": {"NULL": True},
        "map": {"M": {"s": {"L": [{"B": "AQ=="}]}}}}]


def test_a_list_that_arrives_bit_by_bit(program, raw, table):  # noqa: F811
    """Its items are written before it ends, so a list may be longer than the memory."""
    item = {"pk": "p", "sk": 0, "t": "x" * 60_000}
    process = subprocess.Popen(
        [binary(), "import", table, "-", "--endpoint-url", program.endpoint], cwd=program.folder,
        env=clean_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        process.stdin.write(b'{"users":[')
        for i in range(1000):
            process.stdin.write((", " if i else "").encode() + json.dumps({**item, "sk": i % 50}).encode())
        process.stdin.flush()
        assert process.stderr.readline() == b"stdin is read as JSON, the list 'users'\n"
        process.stdin.write(b"]}")
        process.stdin.close()
        assert process.wait(STOP_DEADLINE_S) == 0
        assert process.stdout.read().startswith(b"1,000 items written")
    finally:
        process.kill()
        process.wait()
    assert len(all_items(raw, table)) == 50


DESCRIPTION = {"TableName": "Old", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
               "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}


def test_a_dump_of_dyno(program, raw, table):  # noqa: F811
    lines = "".join(json.dumps(each) + "\n" for each in [DESCRIPTION, *ITEMS])
    assert is_read_as(program, table, "-", stdin=lines) == "DynamoDB JSON Lines, a dump of dyno"
    assert ordered(all_items(raw, table)) == ordered(ITEMS)


def test_only_the_first_line_describes_a_table(program, raw, table):  # noqa: F811
    lines = "".join(json.dumps(each) + "\n" for each in [ITEMS[0], DESCRIPTION])
    result = program.run("import", table, "-", stdin=lines)
    assert result.returncode == 1 and "line 2" in result.stderr, result
    keyed = {**PLAIN[1], **DESCRIPTION}
    assert is_read_as(program, table, "-", stdin=json.dumps(keyed) + "\n") == "JSON Lines"
    assert len(all_items(raw, table)) == 2


def dump(program, folder, *pages):
    (program.folder / folder / "data").mkdir(parents=True)
    program.write(f"{folder}/schema.json", json.dumps({"Table": DESCRIPTION}))
    for number, items in enumerate(pages, start=1):
        page = {"Items": items, "Count": len(items), "ScannedCount": len(items)}
        program.write(f"{folder}/data/{number:04}.json", json.dumps(page))


@pytest.mark.parametrize("named", ["dump/Old", "dump"])
def test_a_dump_of_dynamodump(program, raw, table, named):  # noqa: F811
    dump(program, "dump/Old", ITEMS[:1], [], ITEMS[1:])
    assert is_read_as(program, table, named) == "a dump of dynamodump"
    assert ordered(all_items(raw, table)) == ordered(ITEMS)


def test_of_several_dumps_that_of_the_table(program, raw, table):  # noqa: F811
    dump(program, "dump/Other", [{"pk": {"S": "other"}, "sk": {"N": "9"}}])
    dump(program, "dump/Another", [{"pk": {"S": "another"}, "sk": {"N": "9"}}])
    result = program.run("import", table, "dump")
    assert result.returncode == 1
    assert "dump holds dumps of 2 tables, name one: dump/Another" in result.stderr, result
    assert all_items(raw, table) == []
    dump(program, f"dump/{table}", ITEMS)
    assert is_read_as(program, table, "dump") == "a dump of dynamodump"
    assert ordered(all_items(raw, table)) == ordered(ITEMS)


def test_a_broken_file_of_a_dump_is_named(program, raw, table):  # noqa: F811
    dump(program, "dump", ITEMS[:1])
    program.write("dump/data/0002.json", "<html>")
    result = program.run("import", table, "dump")
    assert result.returncode == 1 and "dump/data/0002.json" in result.stderr, result
