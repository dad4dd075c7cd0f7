"""Which pages may call the server: the table in SECURITY.md, row by row, in every mode."""

import re
from urllib.parse import quote

import pytest

from admin import admin_request

from checkout import ROOT
from client import Client
from raw_client import Connection, request
from server_process import Server, binary, given_endpoint

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

SECURITY = ROOT / "SECURITY.md"
BARE = {"Content-Type": None, "X-Amz-Target": None, "Authorization": None, "X-Amz-Date": None}
# What stands for a row's path.
REQUESTS = {
    "signed API": [request("ListTables")],
    "`/healthz`": [request(None, b"", BARE, "GET", "/healthz")],
    "admin path": [
        request(None, b"", BARE, "GET", "/_stator/marks"),
        request(None, b"", BARE, "GET", "/metrics"),
    ],
    "changes, requests": [
        request(None, b"", BARE, "GET", "/_stator/requests"),
        request(None, b"", BARE, "GET", "/_stator/requests?last=1"),
        # What a page sends without asking the browser.
        request(None, b"{}", {**BARE, "Content-Type": "text/plain"}, "POST", "/_stator/reset"),
        request(None, b"{}", {**BARE, "Content-Type": "text/plain"}, "POST", "/_stator/capacity"),
    ],
}
# The modes of each column: flags, and the name that the program is started by.
MODES = {
    "default": [("stator", [])],
    "`--cors '*'`": [("stator", ["--cors", "*"]), ("stator", ["-inMemory", "-port", "0"]),
                     ("java", []), ("java", ["-jar", "DynamoDBLocal.jar", "-inMemory", "-port", "0"])],
    "`--cors http://app.test`": [("stator", ["--cors", "http://app.test"]),
                                 ("java", ["--cors", "http://app.test"]),
                                 ("stator", ["-inMemory", "-port", "0", "-cors", "http://app.test"])],
}


def table():
    """The header's columns of modes, and the rows as (path, host, origin or None, outcomes)."""
    section = SECURITY.read_text().split("## Which pages may call it\n", 1)[1].split("\n## ", 1)[0]
    lines = [[cell.strip() for cell in line.strip("|").split(" | ")]
             for line in section.splitlines() if line.startswith("|")]
    rows = [(path, host.strip("`"), None if origin == "none" else origin.strip("`"), outcomes)
            for path, host, origin, *outcomes in lines[2:]]
    return lines[0][3:], rows


def outcome(server, data, host, origin):
    headers = f"Host: {host}\r\n" + (f"Origin: {origin}\r\n" if origin else "")
    with Connection(server) as connection:
        answer = connection.exchange(data.replace(b"Host: localhost\r\n", headers.encode(), 1))
    if answer.status == 403:
        assert answer.get("Access-Control-Allow-Origin") is None
        return "403", answer
    assert answer.status == 200, answer
    if answer.get("Access-Control-Allow-Origin") is not None:
        assert answer.get("Access-Control-Allow-Origin") in ("*", origin)
        return "readable", answer
    return ("unreadable" if origin else "served"), answer


def started(tmp_path, program, flags):
    path = binary()
    if program == "java":
        path = tmp_path / "java"
        path.symlink_to(binary())
    # Those in the place of DynamoDB Local listen beyond this machine: test_console.py has their token.
    return Server(*flags, program=str(path), add_port="-port" not in flags, cwd=tmp_path,
                  env={"STATOR_CONSOLE_TOKEN": "none"})


COLUMNS, ROWS = table()


def test_the_table_is_the_one_that_is_walked():
    assert COLUMNS == list(MODES)
    assert {row[0] for row in ROWS} == set(REQUESTS)
    assert len(ROWS) >= 30


@pytest.mark.parametrize("column, program, flags", [
    pytest.param(column, program, flags, id=" ".join([program, *flags]))
    for column, modes in MODES.items() for program, flags in modes])
def test_every_row(tmp_path, column, program, flags):
    wrong = []
    with started(tmp_path, program, flags) as server:
        for path, host, origin, outcomes in ROWS:
            wanted = outcomes[COLUMNS.index(column)]
            for data in REQUESTS[path]:
                found, _ = outcome(server, data, host, origin)
                if found != wanted:
                    wrong.append((data.split(b"\r\n")[0].decode(), host, origin, found, wanted))
    assert not wrong, "\n".join(map(str, wrong))


def test_nothing_is_done_for_a_page_that_is_refused(start):
    server = start("--cors", "*")
    with Connection(server) as connection:
        table_body = {"TableName": "stays", "BillingMode": "PAY_PER_REQUEST",
                      "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                      "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}
        assert connection.call("CreateTable", table_body).status == 200
        reset = request(None, b"{}", {**BARE, "Content-Type": "text/plain",
                                      "Origin": "https://evil.example"}, "POST", "/_stator/reset")
        assert connection.exchange(reset).status == 403
        assert connection.call("ListTables").json() == {"TableNames": ["stays"]}


def test_a_preflight_for_the_admin_path_is_answered_as_its_request(start):
    server = start("--cors", "*")
    for origin, status in (("https://evil.example", 403), ("http://localhost:3000", 403), ("http://localhost", 200)):
        asked = {**BARE, "Origin": origin, "Access-Control-Request-Method": "POST"}
        with Connection(server) as connection:
            answer = connection.exchange(request(None, b"", asked, "OPTIONS", "/_stator/reset"))
        assert answer.status == status
        assert (answer.get("Access-Control-Allow-Origin") is None) == (status == 403)


def test_allow_host_widens_the_admin_path(start):
    server = start("--allow-host", "db.test")
    for host, status in (("db.test:8000", 200), ("other.test:8000", 403)):
        with Connection(server) as connection:
            data = request(None, b"", {**BARE, "Host": host}, "GET", "/metrics")
            assert connection.exchange(data).status == status


def test_vary_where_the_answer_depends_on_the_origin(start):
    for flags, path, headers, varies in (
            ([], "/", {"Origin": "http://localhost"}, True), ([], "/", {"Origin": "http://a.test"}, True),
            (["--cors", "http://a.test"], "/", {"Origin": "http://a.test"}, True),
            (["--cors", "*"], "/", {"Origin": "http://a.test"}, False),
            ([], "/metrics", {}, True), (["--cors", "*"], "/metrics", {"Origin": "http://a.test"}, True),
            ([], "/healthz", {}, True)):
        with Connection(start(*flags)) as connection:
            answer = connection.exchange(request(None, b"", {**BARE, **headers}, "GET", path))
            assert answer.get("Vary") == ("Origin" if varies else None), (flags, path, headers)


@pytest.mark.parametrize("target, status", [
    ("http://evil.example:8000/metrics", 403), ("http://localhost:8000/metrics", 200),
    ("HTTP://[::1]:8000/metrics", 200), ("http://localhost:1.evil.example/metrics", 403),
    ("http://user@localhost/metrics", 400), ("http:///metrics", 400)])
def test_the_host_of_an_absolute_target_counts(start, target, status):
    for host in ("localhost", "evil.example"):
        with Connection(start()) as connection:
            connection.send(request(None, b"", {**BARE, "Host": host}, "GET", target))
            assert connection.receive().status == status


def test_an_absolute_target_is_taken(start):
    server = start()
    for target in ("http://dynamodb.us-east-1.amazonaws.com/", "http://localhost:8000",
                   "https://localhost:8000/", "http://localhost?a=b"):
        with Connection(server) as connection:
            answer = connection.exchange(request("ListTables", path=target))
            assert (answer.status, answer.json()) == (200, {"TableNames": []}), target
    with Connection(server) as connection:
        answer = connection.exchange(request("DescribeEndpoints", path="http://proxied.test:1/"))
        assert answer.json()["Endpoints"][0]["Address"] == "proxied.test:1"
        assert re.match("healthy", connection.exchange(
            request(None, b"", BARE, "GET", "http://localhost:8000")).body.decode())


def verbs():
    """Each verb of the admin path as (method, path), from its description."""
    found, path = [], None
    for line in (ROOT / "docs/admin-openapi.yaml").read_text().split("components:")[0].splitlines():
        if line.startswith("  /"):
            path = line.strip().rstrip(":")
        elif line in ("    get:", "    post:"):
            found.append((line.strip(" :").upper(), path))
    return found


VERBS = verbs()


def ask(server, method, path, headers):
    body = b"{}" if method == "POST" else None
    data = admin_request(path.removeprefix("/_stator/"), body, headers, method)
    if path == "/metrics":
        data = data.replace(b"/_stator//metrics", b"/metrics", 1)
    with Connection(server) as connection:
        return connection.exchange(data, method)


def test_no_verb_is_open_to_a_page_of_another_name(start):
    server = start()
    Client(server).create_table("stays")
    assert len(VERBS) > 40
    for method, path in VERBS:
        for headers in ({"Host": "evil.example:8000"}, {"Origin": "http://evil.example:8000"},
                        {"Host": "evil.example:8000", "Origin": "http://evil.example:8000"}):
            assert ask(server, method, path.replace("{name}", "stays"), headers).status == 403, (method, path, headers)
    assert Client(server).table_names() == ["stays"]


def test_a_page_of_another_port_has_no_verb_that_changes_and_no_requests(start):
    server = start()
    Client(server).create_table("stays")
    for method, path in VERBS:
        answer = ask(server, method, path.replace("{name}", "stays"), {"Origin": "http://localhost:9999"})
        is_closed = method == "POST" or path.startswith("/_stator/requests")
        assert (answer.status == 403) == is_closed, (method, path, answer.status)
    assert Client(server).table_names() == ["stays"]


@pytest.mark.parametrize("name", ["<img src=x onerror=alert(1)>", "../../_stator/reset", '"><b>x', "javascript:alert(1)",
                                  "\0", "\r\nX-Injected: 1", "a" * 2000])
def test_a_hostile_name_in_a_path_is_text(start, name):
    server = start("--function", "f")
    Client(server).create_table("stays")
    for method, path in VERBS:
        if "{name}" not in path:
            continue
        answer = ask(server, method, path.replace("{name}", quote(name, safe="")), {})
        assert answer.status in (400, 404), (method, path, answer)
        # A browser shows it as text, whatever is in it.
        assert answer.get("Content-Type") == "application/json" and answer.get("X-Content-Type-Options") == "nosniff"
        assert answer.get("X-Injected") is None and set(answer.json()) == {"error"}
    assert Client(server).table_names() == ["stays"]
