"""`stator tables, get, query, scan, put, delete, sql`: the commands for people, at a terminal and in pipes."""

import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import termios
import threading

import pytest

from data_program import OwnEndpoint, all_items, put_all
from server_process import STOP_DEADLINE_S, binary, clean_environment

DIGITS = "12345678901234567890123456789012345678"


def lines(text):
    """Items of JSON lines; numbers as their text."""
    return [json.loads(line, parse_int=str, parse_float=str) for line in text.splitlines()]


@pytest.fixture
def songs(raw, new_table):
    """A table with an index, and ten items under one key."""
    table = new_table("artist:S year:N title:S", GlobalSecondaryIndexes=[{
        "IndexName": "by_title", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "title", "KeyType": "HASH"}, {"AttributeName": "year", "KeyType": "RANGE"}]}])
    put_all(raw, table, [{"artist": {"S": "a"}, "year": {"N": str(year)}, "title": {"S": f"t{year % 2}"}}
                         for year in range(1990, 2000)])
    return table


def years(program, *arguments):
    return [item["year"] for item in lines(program.done(*arguments))]


# --- Keys --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("types, key, typed", [
    ("pk:S", ["seven"], {"pk": {"S": "seven"}}),
    ("pk:N", ["-7.5"], {"pk": {"N": "-7.5"}}),
    ("pk:B", ["AQI="], {"pk": {"B": "AQI="}}),
    ("pk:S sk:N", ["a b", DIGITS], {"pk": {"S": "a b"}, "sk": {"N": DIGITS}}),
    ("pk:N sk:B", ["0", "/w=="], {"pk": {"N": "0"}, "sk": {"B": "/w=="}}),
])
def test_keys_of_every_type(program, raw, new_table, types, key, typed):
    table = new_table(types)
    plain = {name: json.loads(text) if kind == "N" else text for (name, value), text in zip(typed.items(), key)
             for kind in value}
    assert program.done("put", table, json.dumps({**plain, "n": 1})) == ""
    assert all_items(raw, table) == [{**typed, "n": {"N": "1"}}]
    (item,) = lines(program.done("get", table, *key))
    assert item == {**dict(zip(typed, key)), "n": "1"}
    assert lines(program.done("query", table, key[0])) == [item]
    assert program.done("delete", table, *key) == ""
    assert all_items(raw, table) == []
    assert program.refused("get", table, *key) == ["stator: there is no such item"]


def test_a_wrong_type_names_the_key_and_its_type(program, raw, new_table):
    table = new_table("pk:N sk:B")
    wrong_number = "stator: key 'pk' is of type N, and 'x' is not a number"
    for command in (["get", table, "x", "AQ=="], ["query", table, "x"], ["delete", table, "x", "AQ=="]):
        assert program.refused(*command, status=2) == [wrong_number]
    wrong_binary = "stator: key 'sk' is of type B, and '?' is not Base64"
    assert program.refused("get", table, "1", "?", status=2) == [wrong_binary]
    assert program.refused("query", table, "1", "--sk", "> ?", status=2) == [wrong_binary]
    assert program.refused("put", table, '{"pk":"1","sk":"AQ=="}', status=2) == [
        "stator: key 'pk' is of type N, and \"1\" is not a number"]
    assert program.refused("get", table, "1", status=2) == [
        f"stator: table '{table}' has the sort key 'sk', its value is missing"]
    assert all_items(raw, table) == []


# --- Query and scan ----------------------------------------------------------------------------------

@pytest.mark.parametrize("condition, expected", [
    ("= 1995", [1995]), ("< 1992", [1990, 1991]), ("<= 1991", [1990, 1991]), ("> 1997", [1998, 1999]),
    (">= 1998", [1998, 1999]), ("between 1993 1995", [1993, 1994, 1995]), ("between 1993 and 1994", [1993, 1994]),
])
def test_conditions_on_the_sort_key(program, songs, condition, expected):
    assert years(program, "query", songs, "a", "--sk", condition) == [str(year) for year in expected]


def test_begins_with(program, raw, new_table):
    table = new_table("pk:S sk:S")
    put_all(raw, table, [{"pk": {"S": "a"}, "sk": {"S": day}} for day in ("2014-12-31", "2015-01-01", "2015-10-02")])
    assert [item["sk"] for item in lines(program.done("query", table, "a", "--sk", "begins_with 2015"))] == [
        "2015-01-01", "2015-10-02"]


def test_query_of_an_index(program, songs):
    assert years(program, "query", songs, "t1", "--index", "by_title", "--sk", "> 1994") == ["1995", "1997", "1999"]
    assert years(program, "query", songs, "t1", "--index", "by_title", "--desc", "--limit", 2) == ["1999", "1997"]
    assert program.refused("query", songs, "t1", "--index", "by_tilte", status=2) == [
        f"stator: table '{songs}' has no index 'by_tilte', it has by_title"]


def test_scan_with_a_filter(program, songs):
    found = years(program, "scan", songs, "--filter", "year > 1995 AND title = 't1'")
    assert sorted(found) == ["1997", "1999"]
    assert len(years(program, "scan", songs, "--limit", 3)) == 3
    assert len(years(program, "scan", songs, "--filter", "begins_with(title, \"t\")", "--limit", 4)) == 4
    assert program.refused("scan", songs, "--filter", "year >") == [
        "stator: ValidationException: Invalid FilterExpression: Syntax error; token: \"<EOF>\", near: \">\""]


def test_a_limit_over_pages(program, raw, new_table):
    table = new_table("pk:S sk:N")
    put_all(raw, table, [{"pk": {"S": "a"}, "sk": {"N": str(i)}, "t": {"S": "x" * 300_000}} for i in range(12)])
    for limit in (1, 5, 12, 100):
        shown = lines(program.done("query", table, "a", "--limit", limit))
        assert [item["sk"] for item in shown] == [str(i) for i in range(min(limit, 12))]
    assert len(lines(program.done("sql", f'SELECT sk FROM "{table}"', "--limit", 11))) == 11


# --- Put and statements ------------------------------------------------------------------------------

NO_ITEMS = {
    "[1]": "object of JSON",
    '{"pk":"a"': "JSON, column 10: it ends too early",
    '{"pk":"a","n":NaN}': "JSON, column 15: NaN is no number of JSON",
    '{"pk":"a","n":True}': "JSON, column 15: True is true in JSON",
    "{'pk':'a'}": "JSON, column 2: texts and names are in double quotes",
    '{"pk":"a",}': "JSON, column 11: no comma stands before }",
}


def test_put_of_plain_and_typed_json(program, raw, new_table):
    table = new_table()
    program.done("put", table, f'{{"pk":"a","n":{DIGITS},"l":[1,null,true,"x",{{"m":{{}}}}]}}')
    program.done("put", table, "--typed", '{"pk":{"S":"b"},"s":{"NS":["1","2"]}}')
    program.write("item.json", '{"pk": "c",\n "t": "from a file"}\n')
    program.done("put", table, "-f", "item.json")
    program.done("put", table, "-f", "-", stdin='\ufeff{\r\n"pk":"d"}\r\n')
    assert sorted(all_items(raw, table), key=str) == [
        {"pk": {"S": "a"}, "n": {"N": DIGITS}, "l": {"L": [
            {"N": "1"}, {"NULL": True}, {"BOOL": True}, {"S": "x"}, {"M": {"m": {"M": {}}}}]}},
        {"pk": {"S": "b"}, "s": {"NS": ["1", "2"]}}, {"pk": {"S": "c"}, "t": {"S": "from a file"}}, {"pk": {"S": "d"}}]
    assert lines(program.done("get", table, "a"))[0]["n"] == DIGITS
    for text, told in NO_ITEMS.items():
        assert program.refused("put", table, text, status=2) == ["stator: the item is no " + told]
    program.write("item.json", '{"pk": "e",\n "t": None}\n')
    assert program.refused("put", table, "-f", "item.json", status=2) == [
        "stator: the item is no JSON, line 2, column 7: None is null in JSON"]
    assert "--typed reads DynamoDB JSON" in program.refused("put", table, '{"pk":{"S":"a"}}', status=2)[0]
    assert program.refused("put", table, "-f", "none.json", status=2) == [
        "stator: none.json: No such file or directory"]
    assert program.refused("put", table, "{}") == [
        "stator: ValidationException: One or more parameter values were invalid: Missing the key pk in the item",
        f"stator: hint: The key of table '{table}' is pk (S); of these Item has none"]


def test_sql(program, raw, new_table):
    table = new_table()
    assert program.done("sql", f"INSERT INTO {table} VALUE {{'pk':'a','n':1}}") == ""
    assert lines(program.done("sql", f"SELECT n FROM {table} WHERE pk = 'a'")) == [{"n": "1"}]
    (error,) = program.refused("sql", "SELECT")
    assert error.startswith("stator: ValidationException: Statement wasn't well formed")


def test_statements_from_a_pipe(program, raw, new_table):
    table = new_table()
    insert = f"INSERT INTO {table} VALUE {{'pk':'%s'}}"
    told = program.done("sql", stdin=f"{insert % 'a'};\n\n  {insert % 'b'} ; \nSELECT pk FROM {table} WHERE pk = 'b'\n")
    assert lines(told) == [{"pk": "b"}]
    assert len(all_items(raw, table)) == 2
    result = program.run("sql", stdin=f"SELECT\n{insert % 'c'}\n")
    assert (result.returncode, result.stdout, len(all_items(raw, table))) == (1, "", 2)
    assert result.stderr.startswith("stator: ValidationException")


def test_statements_at_a_prompt(program, raw, new_table):
    table = new_table()
    ours, its = pty.openpty()
    with subprocess.Popen([binary(), "sql", "--endpoint-url", program.endpoint], stdin=its, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=clean_environment()) as process:
        os.close(its)
        # A failure does not end it.
        os.write(ours, f"SELECT\nINSERT INTO {table} VALUE {{'pk':'a'}}\nSELECT pk FROM {table} WHERE pk = 'a';\nexit\n".encode())
        stdout, stderr = process.communicate(timeout=STOP_DEADLINE_S)
    os.close(ours)
    assert (process.returncode, lines(stdout)) == (0, [{"pk": "a"}])
    assert stderr.count("us-east-1> ") == 4 and "ValidationException" in stderr


# --- Tables ------------------------------------------------------------------------------------------

def test_tables(program, songs):
    (row,) = lines(program.done("tables", songs))
    assert list(row) == ["table", "status", "mode", "items", "bytes", "keys", "indexes"]
    assert (row["table"], row["status"], row["mode"]) == (songs, "ACTIVE", "on-demand")
    assert (row["keys"], row["indexes"]) == ("artist S, year N", "by_title (title S, year N)")
    assert row in lines(program.done("tables"))
    error, hint = program.refused("tables", "NoSuchTable")
    assert error == "stator: ResourceNotFoundException: Requested resource not found: Table: NoSuchTable not found"
    assert hint.startswith("stator: hint: There is no table 'NoSuchTable' for Region us-east-1: ")


# --- Output ------------------------------------------------------------------------------------------

@pytest.fixture
def small(raw, new_table):
    table = new_table("pk:S sk:N")
    put_all(raw, table, [{"pk": {"S": "a"}, "sk": {"N": "1"}, "b": {"BOOL": True}, "t": {"S": "one"}},
                         {"pk": {"S": "a"}, "sk": {"N": "20"}, "t": {"S": "a \"long\" text"}}])
    return table


def test_forms_of_output(program, small):
    assert program.done("query", small, "a") == (
        '{"pk":"a","sk":1,"b":true,"t":"one"}\n{"pk":"a","sk":20,"t":"a \\"long\\" text"}\n')
    assert program.done("query", small, "a", "--output", "jsonl") == program.done("query", small, "a")
    assert json.loads(program.done("query", small, "a", "--output", "json")) == [
        {"pk": "a", "sk": 1, "b": True, "t": "one"}, {"pk": "a", "sk": 20, "t": "a \"long\" text"}]
    assert program.done("query", small, "b", "--output", "json") == "[]\n"
    assert json.loads(program.done("get", small, "a", "1", "--output", "json")) == {
        "pk": "a", "sk": 1, "b": True, "t": "one"}
    assert lines(program.done("get", small, "a", "20", "--output", "dynamodb-json")) == [
        {"pk": {"S": "a"}, "sk": {"N": "20"}, "t": {"S": "a \"long\" text"}}]
    assert program.done("query", small, "a", "--output", "table") == (
        'pk  sk  b     t\n'
        '--  --  ----  -------------\n'
        'a    1  true  one\n'
        'a   20        a "long" text\n')
    rows = list(csv.reader(io.StringIO(program.done("query", small, "a", "--output", "csv"), newline="")))
    assert rows == [["pk", "sk", "b:BOOL", "t"], ["a", "1", "true", "one"], ["a", "20", "", "a \"long\" text"]]
    assert program.run("query", small, "a", "--output", "xml").returncode == 2


def test_units(program, small):
    result = program.run("query", small, "a", "--units")
    assert (result.returncode, result.stderr) == (0, "stator: 0.5 capacity units\n")
    assert program.run("query", small, "a", "--units", "--consistent").stderr == "stator: 1 capacity unit\n"
    assert program.run("put", small, '{"pk":"a","sk":3}', "--units").stderr == "stator: 1 capacity unit\n"


def test_explain_tells_what_the_server_did(program, small):
    result = program.run("query", small, "a", "--explain")
    told = re.sub("took [0-9]+ us", "took N us", result.stderr).splitlines()
    assert told[:3] == ["stator: Query", "stator:   units 0.5", "stator:   took N us"], result
    assert told[3].startswith("stator:   read Query of the table, 1 page with "), result
    assert result.stdout == program.run("query", small, "a").stdout
    scanned = program.run("scan", small, "--filter", "pk = 'none'", "--explain").stderr
    assert "stator: Scan\nstator:   -> " in scanned and "read Scan of the table" in scanned
    put = program.run("put", small, '{"pk":"a","sk":3}', "--explain")
    assert put.stderr.startswith("stator: PutItem\nstator:   units 1.0\n"), put
    failed = program.run("sql", f"SELECT * FROM {small} WHERE", "--explain")
    assert failed.returncode == 1 and failed.stderr.startswith("stator: ExecuteStatement\n"), failed



def at_terminal(program, columns, *arguments):
    """What the command writes to a terminal of that width."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([binary(), *arguments, "--endpoint-url", program.endpoint], stdin=subprocess.DEVNULL,
                          stdout=its, stderr=subprocess.PIPE, env=clean_environment()) as process:
        os.close(its)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # the terminal's other end is closed
            pass
        os.close(ours)
        errors = process.stderr.read().decode()
        assert process.wait(STOP_DEADLINE_S) == 0, errors
    return shown.decode().replace("\r\n", "\n"), errors


def test_a_table_at_a_terminal(program, small):
    shown, errors = at_terminal(program, 24, "query", small, "a")
    assert shown.splitlines() == ["pk  sk  b     t", "--  --  ----  ----------", "a    1  true  one",
                                  "a   20        a \"long\" …"]
    assert errors == ""
    assert "a \"long\" text" in at_terminal(program, 24, "query", small, "a", "--full")[0]
    shown, errors = at_terminal(program, 10, "query", small, "a")
    assert shown.splitlines()[0] == "pk  sk"
    assert errors == "stator: 2 columns have no space here; --output jsonl shows everything\n"


def test_items_do_not_move_the_cursor(program, raw, small):
    put_all(raw, small, [{"pk": {"S": "evil"}, "sk": {"N": "1"}, "\u001b[1m": {"S": "\u001b[2J\u0007\n\u202e"}}])
    shown, _ = at_terminal(program, 80, "query", small, "evil")
    assert "\\u001b[2J\\u0007\\n\\u202e" in shown and "\\u001b[1m" in shown
    assert "\u001b" not in shown and "\u0007" not in shown


class PagedEndpoint(OwnEndpoint):
    """A table whose second page of a Scan waits until the test lets it go."""

    TABLE = {"Table": {"TableStatus": "ACTIVE", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                       "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}}

    def __init__(self, pages):
        super().__init__()
        self.pages = pages
        self.may_go_on = threading.Event()
        self.asked = 0

    def answer(self, request):
        answer = self.TABLE
        if request.headers["X-Amz-Target"].endswith("Scan"):
            self.asked += 1
            if self.asked > 1:
                self.may_go_on.wait(STOP_DEADLINE_S)
            answer = {"Items": [{"pk": {"S": f"{self.asked}-{i}"}, "t": {"S": "x" * 1000}} for i in range(100)]}
            if self.asked < self.pages:
                answer["LastEvaluatedKey"] = {"pk": {"S": str(self.asked)}}
        return json.dumps(answer).encode()

    def __exit__(self, *error):
        self.may_go_on.set()
        super().__exit__(*error)


def started(endpoint, *arguments):
    return subprocess.Popen([binary(), *arguments, "--endpoint-url", endpoint.address], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment())


def test_the_first_page_is_out_before_the_second_is_read():
    with PagedEndpoint(pages=2) as endpoint, started(endpoint, "scan", "T") as process:
        first = [json.loads(process.stdout.readline())["pk"] for _ in range(100)]
        assert first == [f"1-{i}" for i in range(100)]
        assert not endpoint.may_go_on.is_set()
        endpoint.may_go_on.set()
        rest = process.stdout.read().splitlines()
        assert (process.wait(STOP_DEADLINE_S), len(rest), endpoint.asked) == (0, 100, 2)


@pytest.mark.parametrize("form", ["jsonl", "json", "table", "dynamodb-json"])
def test_a_reader_that_goes_ends_it_quietly(form):
    with PagedEndpoint(pages=1_000_000) as endpoint, started(endpoint, "scan", "T", "--output", form) as process:
        endpoint.may_go_on.set()
        process.stdout.readline()
        process.stdout.close()
        assert (process.wait(STOP_DEADLINE_S), process.stderr.read()) == (0, b"")
        assert endpoint.asked < 100


def test_a_full_disk_is_an_error(program, small):
    with open("/dev/full", "wb") as full:
        result = subprocess.run([binary(), "query", small, "a", "--endpoint-url", program.endpoint], stdout=full,
                                stderr=subprocess.PIPE, env=clean_environment(), timeout=program.timeout_s)
    assert (result.returncode, result.stderr) == (1, b"stator: stdout: No space left on device\n")


# --- Errors ------------------------------------------------------------------------------------------

def test_endpoints(program, small):
    environment = {"AWS_ENDPOINT_URL_DYNAMODB": program.endpoint}
    assert len(lines(program.done("query", small, "a", endpoint=False, env=environment))) == 2
    error, hint, *_ = program.refused("query", small, "a", "--region", "eu-west-1")
    assert error == f"stator: ResourceNotFoundException: Requested resource not found: Table: {small} not found"
    assert hint == (f"stator: hint: There is a table '{small}' for Region us-east-1; "
                    "this request was signed for Region eu-west-1")


@pytest.mark.parametrize("arguments, words", [
    (["get"], "TABLE: is missing"), (["get", "T"], "PK: is missing"), (["query", "T", "a", "b"], "'b' is too much"),
    (["query", "T", "a", "--sk", "2015"], "--sk: '2015' is not =, <, <=, >, >= or begins_with and a value"),
    (["scan", "T", "--filter", "a = 'x"], "--filter: a ' has no end"), (["put", "T"], "JSON: is missing"),
    (["put", "T", "{}", "-f", "x"], "--file: not together with JSON"),
    (["scan", "T", "--limit", "0"], "--limit: '0' is not a whole number from 1 to 1000000000"),
])
def test_mistakes_in_a_command_line(program, arguments, words):
    result = program.run(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert words in result.stderr and result.stderr.endswith(f"(see stator {arguments[0]} --help)\n")
