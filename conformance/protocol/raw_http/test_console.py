"""The console's pages: who gets them at /, what is served below /_stator/console/, with which headers."""

import gzip
import re

import pytest

from client import Client
from metrics_page import Page
from raw_client import Connection, request
from server_process import given_endpoint

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

BARE = {"Content-Type": None, "X-Amz-Target": None, "Authorization": None, "X-Amz-Date": None,
        "Content-Length": None}
HEALTHY = b"healthy: dynamodb.us-east-1.amazonaws.com "
BROWSER = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0",
           "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"}
PROTECTION = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
              "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin"}


def get(server, path, headers=None, method="GET"):
    with Connection(server) as connection:
        return connection.exchange(request(None, b"", {**BARE, **(headers or {})}, method, path), method)


def has_pages(server):
    """Whether the program was built with the console."""
    return get(server, "/_stator/console/").status == 200


@pytest.fixture(scope="module")
def pages(server):
    if not has_pages(server):
        pytest.skip("the program was built without the console")
    return server


def steady(answer):
    """The headers that two equal answers have in common."""
    return [(name, value) for name, value in answer.headers if name.lower() not in ("date", "x-amzn-requestid")]


# --- the root

@pytest.mark.parametrize("headers", [
    {}, {"Accept": "*/*", "User-Agent": "curl/8.5"}, {"Accept": "application/json"},
    {"Accept": "text/html, image/gif, image/jpeg, */*; q=0.2", "User-Agent": "Java/17.0.9"},
    {**BROWSER, "Authorization": "AWS4-HMAC-SHA256 x"}, {**BROWSER, "X-Amz-Date": "20260101T000000Z"},
], ids=["bare", "curl", "json", "java", "signed", "dated"])
def test_the_root_of_what_is_no_browser(server, headers):
    answer = get(server, "/", headers)
    assert (answer.status, answer.body) == (200, HEALTHY)
    names = [name.lower() for name, _ in answer.headers]
    assert names == ["server", "date", "content-type", "content-length", "x-amzn-requestid", "x-amz-crc32",
                     "vary"] or "vary" not in names and len(names) == 6


def test_a_head_of_the_root_is_what_it_is_without_pages(start, server):
    without = start("--console", "off")
    for headers in ({}, BROWSER):
        shown, plain = (get(one, "/", headers, "HEAD") for one in (server, without))
        assert (shown.status, shown.body) == (plain.status, plain.body)
        for name in ("Content-Type", "Content-Length", "X-Amz-Crc32", "Location"):
            assert shown.get(name) == plain.get(name), name


def test_a_browser_at_the_root(server):
    answer = get(server, "/", BROWSER)
    if not has_pages(server):
        assert (answer.status, answer.body) == (200, HEALTHY)
        return
    assert (answer.status, answer.body) == (302, b"")
    assert answer.get("Location") == "_stator/console/" and answer.get("Cache-Control") == "no-store"
    assert "Accept" in [value for name, value in answer.headers if name.lower() == "vary"]


@pytest.mark.parametrize("flags, body", [
    (["--http-root", "local"], b"MissingAuthenticationToken"), (["--console", "off"], HEALTHY),
    (["--admin", "off"], HEALTHY)])
def test_a_browser_at_the_root_of_a_server_without_pages(start, flags, body):
    server = start(*flags)
    answer = get(server, "/", BROWSER)
    assert answer.status == (400 if "local" in flags else 200) and body in answer.body
    # A browser gets what every client gets, but for the id of its request and the time.
    plain = get(server, "/")
    assert (answer.status, answer.body) == (plain.status, plain.body)
    assert steady(answer) == steady(plain)


def test_a_browser_at_the_root_by_a_foreign_name(pages):
    assert get(pages, "/", {**BROWSER, "Host": "evil.example:8000"}).status == 403


# --- headers

POLICY = {"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "connect-src": "'self'",
          "img-src": "'self' data: blob:", "font-src": "'self'", "base-uri": "'none'", "form-action": "'none'",
          "frame-ancestors": "'none'", "require-trusted-types-for": "'script'", "trusted-types": "svelte-trusted-html"}


def test_every_answer_below_the_console_has_the_policy(server):
    for path, headers, method in (("/_stator/console/", {}, "GET"), ("/_stator/console", {}, "GET"),
                                  ("/_stator/console/no.such", {}, "GET"), ("/_stator/console/", {}, "POST"),
                                  ("/_stator/console/", {"Host": "evil.example"}, "GET"),
                                  ("/_stator/console/", {"Origin": "https://evil.example"}, "GET")):
        answer = get(server, path, headers, method)
        policy = answer.get("Content-Security-Policy")
        assert dict(one.split(" ", 1) for one in policy.split("; ")) == POLICY
        assert {name: answer.get(name) for name in PROTECTION} == PROTECTION, (path, headers, method)
        assert answer.status == (403 if headers else answer.status)


def test_the_admin_path_is_protected_too(server):
    for path in ("/_stator/marks", "/_stator/nothing", "/metrics"):
        answer = get(server, path)
        assert {name: answer.get(name) for name in PROTECTION} == PROTECTION
        assert answer.get("Content-Security-Policy") is None
    assert get(server, "/healthz").get("X-Frame-Options") is None


# --- files

def test_pages_are_left_out_or_off(start):
    off = get(start("--console", "off"), "/_stator/console/")
    assert (off.status, off.body) == (404, b"The console is off: --console off\n")
    server = start()
    if has_pages(server):
        return
    answer = get(server, "/_stator/console/")
    assert answer.status == 404 and answer.body.startswith(b"This program was built without the console.")
    assert answer.get("Content-Type").startswith("text/plain")


def test_without_an_admin_path_there_is_nothing(start):
    assert get(start("--admin", "off"), "/_stator/console/").body == b"<UnknownOperationException/>\n"


def test_the_page_and_its_files(pages):
    page = get(pages, "/_stator/console/", {"Accept-Encoding": "gzip, deflate"})
    assert (page.status, page.get("Content-Encoding")) == (200, "gzip")
    assert page.get("Content-Type") == "text/html; charset=utf-8" and page.get("Cache-Control") == "no-cache"
    html = gzip.decompress(page.body)
    assert get(pages, "/_stator/console/").body == html
    for route in ("t/Orders/items", "log/ABC", "t/my.table/items?q=1"):
        assert get(pages, f"/_stator/console/{route}").body == html
    head = get(pages, "/_stator/console/", {"Accept-Encoding": "gzip"}, "HEAD")
    assert head.get("Content-Length") == str(len(page.body)) and head.body == b""
    names = re.findall(rb'(?:src|href)="/_stator/console/(assets/[^"]+)"', html)
    assert names
    for name in names:
        answer = get(pages, "/_stator/console/" + name.decode(), {"Accept-Encoding": "gzip"})
        assert answer.status == 200 and gzip.decompress(answer.body)
        assert answer.get("Cache-Control") == "public, max-age=31536000, immutable"


def test_a_page_that_is_known(pages):
    tag = get(pages, "/_stator/console/", {"Accept-Encoding": "gzip"}).get("ETag")
    assert re.fullmatch(r'"[0-9a-f]{32}"', tag)
    with Connection(pages) as connection:
        for _ in range(2):  # the connection goes on
            answer = connection.exchange(request(None, b"", {**BARE, "If-None-Match": tag}, "GET", "/_stator/console/"))
            assert (answer.status, answer.body) == (304, b"") and answer.get("Content-Length") is None


# --- the token

def test_browsers_beyond_this_machine_need_the_token(start):
    server = start("--host", "*", "--console-token", "a-token-of-16-chars")
    beyond = {"Host": "192.168.1.5:8000", "User-Agent": BROWSER["User-Agent"]}
    refused = get(server, "/_stator/marks", beyond)
    assert refused.status == 401 and "x-stator-token" in refused.json()["error"]
    assert get(server, "/_stator/marks", {**beyond, "x-stator-token": "a-token-of-16-charz"}).status == 401
    assert get(server, "/_stator/marks", {**beyond, "x-stator-token": "a-token-of-16-chars"}).status == 200
    assert get(server, "/_stator/marks", {**beyond, "Host": "localhost:8000"}).status == 200
    assert get(server, "/_stator/marks", {"Host": "192.168.1.5:8000", "User-Agent": "curl/8"}).status == 200
    assert get(server, "/_stator/console/", beyond).status in (200, 404)
    assert get(server, "/healthz", beyond).status == 200


def test_a_token_is_made_at_each_start(start):
    server = start("--host", "*")
    beyond = {"Host": "192.168.1.5:8000", "User-Agent": BROWSER["User-Agent"]}
    assert get(server, "/_stator/marks", beyond).status == 401
    if not has_pages(server):
        return
    line = server.stdout_text.decode().splitlines()[1]
    token = re.fullmatch(r"Console: http://localhost:\d+/_stator/console/#token=([0-9a-f-]{36})", line)[1]
    assert get(server, "/_stator/marks", {**beyond, "x-stator-token": token}).status == 200
    assert token not in server.log()


def test_no_token_on_request_and_on_this_machine(start):
    beyond = {"Host": "192.168.1.5:8000", "User-Agent": BROWSER["User-Agent"]}
    server = start("--host", "*", "--console-token", "none")
    assert get(server, "/_stator/marks", beyond).status == 200
    server.wait_for_log("--console-token none")
    assert get(start(), "/_stator/marks", beyond).status == 200


# --- looking changes nothing

def test_requests_of_the_console_are_marked(start):
    server = start()
    client = Client(server)
    client.create_table("orders")
    table = {"TableName": "orders"}

    def sent(headers):
        with Connection(server) as connection:
            return connection.call("Scan", table, headers=headers).get("x-amzn-RequestId")

    def listed(query=""):
        return get(server, "/_stator/requests" + query).json()

    before = listed()
    counted = Page(server)
    used = get(server, "/_stator/capacity/orders").json()["tables"][0]["read"]["consumed_units"]
    ids = [sent({"x-stator-console": "1"}) for _ in range(3)]
    assert listed()["requests"] == before["requests"]
    own = listed(f"?origin=console&after={before['last']}")
    assert [one["request_id"] for one in own["requests"]] == ids and own["lost"] == 0
    assert [one["sequence"] for one in own["requests"]] == [before["last"] + n for n in (1, 2, 3)]
    assert {one["origin"] for one in own["requests"]} == {"console"}
    now = Page(server)
    assert {key for key in now.values if "Scan" in dict(key[1]).values()} == set()
    assert now.value("stator_console_requests_total") == counted.value("stator_console_requests_total") + 3
    assert get(server, "/_stator/capacity/orders").json()["tables"][0]["read"]["consumed_units"] == used
    sent({})
    assert get(server, "/_stator/capacity/orders").json()["tables"][0]["read"]["consumed_units"] > used
    assert [one["operation"] for one in listed()["requests"]][0] == "Scan"


def test_without_an_admin_path_the_mark_means_nothing(start):
    server = start("--admin", "off", "--throttling", "enforce")
    with Connection(server) as connection:
        assert connection.call("ListTables", {}, headers={"x-stator-console": "1"}).status == 200
