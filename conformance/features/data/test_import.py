"""`stator import`: every format, wrong records, tables that are made or not there."""

import gzip
import http.server
import json
import subprocess
import sys
import threading
import time

import pytest

from data_program import all_items, items_of_every_type, ordered, plain_items
from server_process import binary, clean_environment, run_to_end


@pytest.fixture
def table(raw):
    raw.create_table("DataImport", AttributeDefinitions=[
        {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}])
    yield "DataImport"
    raw.ok("DeleteTable", TableName="DataImport")


def plain(item):
    """An item as plain JSON, for values that plain JSON has; its numbers must be written as they are."""
    def value(attribute):
        (kind, content), = attribute.items()
        return {"S": json.dumps, "N": str, "BOOL": json.dumps, "L": json.dumps,
                "NULL": lambda _: "null"}[kind](content)
    return "{" + ", ".join(f"{json.dumps(name)}: {value(attribute)}"
                           for name, attribute in item.items()) + "}"


# --- Formats, recognised by content ----------------------------------------------------------------

def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


DYNAMODB_JSON = {
    "bare lines": lines,
    "wrapped lines": lambda items: lines({"Item": item} for item in items),
    "no last line break": lambda items: lines(items)[:-1],
    "windows": lambda items: "\ufeff" + lines(items).replace("\n", "\r\n"),
    "empty lines between": lambda items: "\n\n" + lines(items).replace("\n", "\n \n"),
    "array": json.dumps,
    "pretty array": lambda items: json.dumps(items, indent=2),
    "scan": lambda items: json.dumps({"Items": items, "Count": len(items), "ScannedCount": len(items),
                                      "ConsumedCapacity": None}, indent=4),
    "two scans": lambda items: "".join(json.dumps(page, indent=4) for page in (
        {"Count": 3, "Items": items[:3], "LastEvaluatedKey": {"pk": {"S": "}]\\\""}}},
        {"Items": items[3:]})),
}


@pytest.mark.parametrize("form", DYNAMODB_JSON)
@pytest.mark.parametrize("packed", [False, True], ids=["", "gzip"])
def test_dynamodb_json(program, raw, table, form, packed):
    items = items_of_every_type()
    data = DYNAMODB_JSON[form](items).encode()
    program.write("items", gzip.compress(data) if packed else data)
    assert program.done("import", table, "items").startswith(f"{len(items)} items written to {table} in ")
    assert ordered(all_items(raw, table)) == ordered(items)


@pytest.mark.parametrize("form", [lambda texts: "\n".join(texts), lambda texts: f"[{', '.join(texts)}]"],
                         ids=["lines", "array"])
def test_plain_json(program, raw, table, form):
    items = plain_items()
    program.done("import", table, "-", stdin=form([plain(item) for item in items]))
    assert ordered(all_items(raw, table)) == ordered(items)


def test_plain_json_nested(program, raw, table):
    program.done("import", table, "-", stdin='{"pk":"a","sk":1e2,"l":[1,"x",[],{"m":null}],"t":true,"k":1,"k":2}')
    assert all_items(raw, table) == [{
        "pk": {"S": "a"}, "sk": {"N": "100"}, "t": {"BOOL": True}, "k": {"N": "2"},
        "l": {"L": [{"N": "1"}, {"S": "x"}, {"L": []}, {"M": {"m": {"NULL": True}}}]}}]


@pytest.mark.parametrize("first", [
    '{"Items":[],"pk":"a","sk":1}', '{"Count":0,"Items":[],"pk":"a","sk":1}', '{"Items":[1],"pk":"a","sk":1}',
    '{"Items":["Items"],"pk":"a","sk":1}', '{"Items":[{}],"pk":"a","sk":1}', '{"Items":[{"k":1}],"pk":"a","sk":1}',
    '{"Items":[{"k":{"T":1}}],"pk":"a","sk":1}', '{"Count":1,"pk":"a","sk":1}'])
def test_a_plain_item_is_no_answer(program, raw, table, first):
    """Whatever attributes it begins with."""
    assert program.done("import", table, "-", stdin=first + '\n{"pk":"b","sk":2}\n').startswith("2 items written")
    assert [item["pk"]["S"] for item in ordered(all_items(raw, table))] == ["a", "b"]


@pytest.mark.parametrize("answer, count", [
    ('{"Items": [], "Count": 0, "ScannedCount": 0, "ConsumedCapacity": null}', 0), ('{"Count": 0, "Items": []}', 0),
    ('{"LastEvaluatedKey": {"pk": {"S": "Items"}}, "Items" : [ {"pk" : {"S": "a"}, "sk": {"N": "1"}}]}', 1)])
def test_an_answer_is_no_plain_item(program, raw, table, answer, count):
    assert program.done("import", table, "-", stdin=answer).startswith(f"{count} item")
    assert len(all_items(raw, table)) == count


def test_an_answer_without_items(program, raw, table):
    """Of several, as a count prints it: nothing is passed over in silence."""
    assert program.refused("import", table, "-", stdin='{"Items": [{"pk": {"S": "a"}, "sk": {"N": "1"}}]}\n{"Count": 3}')[
        0] == "stator: stdin line 2: an answer without Items"


def test_the_format_can_be_told(program, raw, table):
    """What looks like DynamoDB JSON may be meant as plain."""
    program.done("import", table, "-", "--format", "json", stdin='{"pk":"a","sk":1,"v":{"S":"x"}}')
    assert all_items(raw, table)[0]["v"] == {"M": {"S": {"S": "x"}}}
    assert "DynamoDB JSON" in program.refused("import", table, "-", "--format", "dynamodb-json",
                                              stdin='{"pk":"a","sk":1}')[0]


def test_csv(program, raw, table):
    text = ('pk,sk,title,n:N,tags:SS,m:M,yes:BOOL,b:B,colon:N:S\r\n'
            'a,1,"x, ""y""\nz",1e3,"[""q"",""p""]","{""k"":{""N"":""1""}}",true,AQ==,plain\r\n'
            'b,2,"",,,,,,\r\n')
    program.done("import", table, "-", stdin=text)
    assert ordered(all_items(raw, table)) == [
        {"pk": {"S": "a"}, "sk": {"N": "1"}, "title": {"S": "x, \"y\"\nz"}, "n": {"N": "1000"},
         "tags": {"SS": ["p", "q"]}, "m": {"M": {"k": {"N": "1"}}}, "yes": {"BOOL": True},
         "b": {"B": "AQ=="}, "colon:N": {"S": "plain"}},
        {"pk": {"S": "b"}, "sk": {"N": "2"}, "title": {"S": ""}}]


@pytest.mark.parametrize("word", ["tab", "\\t", "\t"], ids=["tab", "escape", "character"])
def test_csv_with_a_header_and_a_delimiter_of_its_own(program, raw, table, word):
    program.done("import", table, "-", "--format", "csv", "--delimiter", word, "--header", "pk,sk,n:N",
                 stdin="a\t1\t2\n")
    assert all_items(raw, table) == [{"pk": {"S": "a"}, "sk": {"N": "1"}, "n": {"N": "2"}}]


@pytest.mark.parametrize("name, delimiter", [("items.csv", ";"), ("items.tsv", "\t"), ("items.csv", ",")])
def test_the_header_says_what_is_between_cells(program, raw, table, name, delimiter):
    rows = [["pk", "sk", "n:N", "v"], ["a", "1", "2", "x"]]
    program.write(name, "".join(delimiter.join(row) + "\n" for row in rows))
    program.done("import", table, name)
    assert all_items(raw, table) == [{"pk": {"S": "a"}, "sk": {"N": "1"}, "n": {"N": "2"}, "v": {"S": "x"}}]


def test_many_files_and_the_last_of_a_key_counts(program, raw, table):
    program.write("a", "".join(f'{{"pk":"p{i % 7}","sk":1,"v":{i}}}\n' for i in range(1000)))
    program.write("b", '{"pk":"p3","sk":1,"v":-1}')
    assert program.done("import", table, "a", "b").startswith("1,001 items")
    assert {item["pk"]["S"]: item["v"]["N"] for item in all_items(raw, table)} == {
        f"p{i % 7}": str(i) if i % 7 != 3 else "-1" for i in range(993, 1000)}


# --- What is wrong ---------------------------------------------------------------------------------

WRONG = {
    '{"pk":"a"}': "the key attribute 'sk' is missing",
    '{"pk":1,"sk":1}': "the key attribute 'pk' is of type N, the table's is S",
    '{"pk":"a","sk":1': "it is no JSON, column 17: it ends too early",
    "{'pk':'a','sk':1}": "it is no JSON, column 2: texts and names are in double quotes",
    '{"pk":"a","sk":1,"x":None}': "it is no JSON, column 22: None is null in JSON",
    '[1]': "it is no JSON object",
    '{"pk":"a","sk":1,"n":1e999}': "Number overflow. Attempting to store a number with magnitude larger "
                                   "than supported range",
    '{"pk":"","sk":1}': "One or more parameter values are not valid. The AttributeValue for a key "
                        "attribute cannot contain an empty string value. Key: pk",
    '{"pk":"a","sk":1,"big":"' + "x" * 410_000 + '"}': "Item size has exceeded the maximum allowed size",
    '{"pk":"a","sk":1,"d":' + "[" * 40 + "]" * 40 + "}": "Nesting Levels have exceeded supported limits",
}


def mixed_file():
    """Good lines around each wrong one, the wrong ones and their reasons by line."""
    texts, reasons = [], {}
    for number, (text, reason) in enumerate(WRONG.items()):
        texts += [f'{{"pk":"good{number}","sk":1}}', text]
        reasons[len(texts)] = reason
    return "\n".join([*texts, '{"pk":"last","sk":1}']), reasons


def test_keep_going(program, raw, table):
    text, reasons = mixed_file()
    program.write("items.jsonl", text)
    told = program.refused("import", table, "items.jsonl", "--keep-going", "--rejects", "wrong.jsonl")
    for number, reason in reasons.items():
        assert any(line.startswith(f"stator: items.jsonl line {number}: {reason}") for line in told), reason
    assert told[-1] == f"stator: {len(WRONG)} invalid records in wrong.jsonl"
    assert len(told) == len(WRONG) + 1
    rejected = (program.folder / "wrong.jsonl").read_text().splitlines()
    assert sorted(rejected) == sorted(WRONG)
    assert {item["pk"]["S"] for item in all_items(raw, table)} == {
        *(f"good{number}" for number in range(len(WRONG))), "last"}


@pytest.mark.parametrize("wrong", list(WRONG), ids=range(len(WRONG)))
def test_a_wrong_line_ends_it(program, raw, table, wrong):
    program.write("items.jsonl", '{"pk":"a","sk":1}\n' + wrong + "\n")
    told = program.refused("import", table, "items.jsonl")
    assert told[0].startswith(f"stator: items.jsonl line 2: {WRONG[wrong]}")
    written = len(all_items(raw, table))
    noun = "item" if written == 1 else "items"
    assert told[1] == f"stator: stopped: {written} {noun} written to {table}, the rest is not"
    assert not (program.folder / "rejects.txt").exists()


def test_wrong_lines_of_csv(program, raw, table):
    program.write("items.csv", 'pk,sk,ss:SS\n"a\nb",1,\nx,1\nx,y,\nc,3,nonsense\nd,4,"[""a""]"\n')
    told = program.refused("import", table, "items.csv", "--keep-going")
    assert told == [
        "stator: items.csv line 4: it has 2 cells, the header has 3",
        "stator: items.csv line 5: The parameter cannot be converted to a numeric value: y",
        "stator: items.csv line 6: a cell of a column with a type is no JSON of that type",
        "stator: 3 invalid records in rejects.txt"]
    assert (program.folder / "rejects.txt").read_text() == "pk,sk,ss:SS\nx,1\nx,y,\nc,3,nonsense\n"
    assert len(all_items(raw, table)) == 2


def test_files_that_cannot_be_read(program, table):
    assert program.refused("import", table, "missing.csv")[0] == \
        "stator: missing.csv: No such file or directory"
    program.write("cut.gz", gzip.compress(b'{"pk":"a","sk":1}\n' * 1000)[:-20])
    told = program.refused("import", table, "cut.gz")
    assert told[0] == "stator: cut.gz: its gzip data are cut short"
    program.write("cut.json", '[{"pk":"a","sk":1},{"pk":"b"')
    assert program.refused("import", table, "cut.json")[0] == \
        "stator: cut.json line 1: the file ends too early, or this is no JSON"


# --- Tables and servers ----------------------------------------------------------------------------

def test_a_table_that_is_not_there(program, raw):
    told = program.refused("import", "DataMade", "-", stdin='{"pk":"a","sk":1}')
    assert told == [f"stator: there is no table 'DataMade' at {program.endpoint}; "
                    "--key NAME:S or NAME:S,NAME:N makes it"]
    program.done("import", "DataMade", "-", "--key", "pk:S,sk:N", stdin='{"pk":"a","sk":1}')
    described = raw.describe("DataMade")
    assert [key["AttributeName"] for key in described["KeySchema"]] == ["pk", "sk"]
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    raw.ok("DeleteTable", TableName="DataMade")


def test_a_table_that_was_made_is_told_of(program, raw):
    """With one item in it, it stays."""
    text = '{"pk":"a"}\n' * 1000 + "{}"
    told = program.refused("import", "DataMade", "-", "--key", "pk:S", "--connections", "1", stdin=text)
    assert told[-1].endswith("the rest is not; table 'DataMade' was made by this command and stays")
    raw.ok("DeleteTable", TableName="DataMade")


def test_a_server_that_is_not_there(program):
    told = program.refused("import", "Any", "-", "--endpoint-url", "http://localhost:1", endpoint=False)
    assert told == ["stator: http://localhost:1: Connection refused"]


def test_a_server_of_another_kind(program):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as other:
        threading.Thread(target=other.serve_forever).start()
        address = f"http://127.0.0.1:{other.server_port}"
        told = program.refused("import", "Any", "-", "--endpoint-url", address, endpoint=False, stdin="{}")
        other.shutdown()
    assert told == [f"stator: {address} answered status 501, is it an endpoint of DynamoDB?"]


def test_over_tls(start, program, raw):
    secure = start("--tls", "self-signed")
    program.done("import", "DataTls", "-", "--key", "pk:S", "--endpoint-url", secure.endpoint,
                 endpoint=False, stdin='{"pk":"a"}')
    assert secure.stop() == 0


@pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"])
def test_the_endpoint_is_that_of_the_environment(program, raw, table, name):
    elsewhere = {"AWS_ENDPOINT_URL": "http://localhost:1"}
    told = program.done("import", table, "-", stdin='{"pk":"a","sk":1}', endpoint=False,
                        env={**elsewhere, name: program.endpoint})
    assert told.startswith("1 item")
    assert len(all_items(raw, table)) == 1
    # A flag comes first.
    program.done("import", table, "-", stdin='{"pk":"b","sk":1}', env=elsewhere)
    assert len(all_items(raw, table)) == 2


def test_the_region_and_access_key_are_those_of_the_environment(start, program):
    server = start("--isolate", "key")
    program.endpoint = server.endpoint
    of_one = {"AWS_ACCESS_KEY_ID": "one", "AWS_REGION": "eu-west-1"}
    program.done("import", "DataRegion", "-", "--key", "pk:S", stdin='{"pk":"a"}', env=of_one)
    assert "there is no table" in program.refused("import", "DataRegion", "-", stdin='{"pk":"a"}')[0]
    program.done("import", "DataRegion", "-", stdin='{"pk":"a"}', env=of_one)


@pytest.mark.parametrize("arguments, word", [
    (["import"], "TABLE"), (["import", "T"], "FILE"), (["import", "T", "f", "--format", "xml"], "xml"),
    (["import", "T", "f", "--key", "pk"], "NAME:TYPE"), (["import", "T", "f", "--delimiter", "ab"], "ab"),
    (["import", "T", "f", "--rate", "0"], "rate"), (["import", "T", "f", "--endpoint-url", "x"], "x"),
])
def test_mistakes(arguments, word):
    result = run_to_end(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("stator: ") and result.stderr.count("\n") == 1
    assert word in result.stderr and f"stator {arguments[0]} --help" in result.stderr


# --- Many ------------------------------------------------------------------------------------------

def test_memory_does_not_grow_with_the_file(program, raw, table):
    """130 MB in a process that may have 100 MB of memory beside its program."""
    item = json.dumps({"pk": "p", "sk": 0, "t": "x" * 60_000})
    program.write("wrap", "".join(item.replace('"sk": 0', f'"sk": {i % 50}') + "\n" for i in range(2200)))
    limited = ("import resource, os, sys; resource.setrlimit(resource.RLIMIT_DATA, (2**27 - 2**24, -1)); "
               "os.execv(sys.argv[1], sys.argv[1:])")
    result = subprocess.run([sys.executable, "-c", limited, binary(), "import", table, "wrap",
                             "--endpoint-url", program.endpoint], cwd=program.folder,
                            env=clean_environment(), capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert len(all_items(raw, table)) == 50


def test_a_rate(program, raw, table):
    """Batches of all connections wait for each other's time, and all are written. The last of 25 passes when those before
    it have had theirs: never sooner, on a machine that is slow later."""
    program.write("items", "".join(f'{{"pk":"p{i}","sk":1}}\n' for i in range(1_000)))
    begun = time.monotonic()
    program.done("import", table, "items", "--rate", "1000", "--connections", "3")
    assert time.monotonic() - begun > 0.9
    assert len(all_items(raw, table)) == 1_000
