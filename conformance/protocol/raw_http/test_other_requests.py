"""Requests that are no operation: health, other paths, CORS (conformance/observed/wire.md 6)."""

import pytest

from raw_client import Connection, request

BARE = {"Content-Type": None, "X-Amz-Target": None, "Authorization": None, "X-Amz-Date": None,
        "Content-Length": None}
HEALTHY = b"healthy: dynamodb.us-east-1.amazonaws.com "


def bare(method, path="/", headers=None):
    return request(None, b"", {**BARE, **(headers or {})}, method, path)


def test_root_is_the_health_text(connection):
    answer = connection.exchange(bare("GET"))
    assert (answer.status, answer.body) == (200, HEALTHY)
    assert answer.get("Content-Type").split(";")[0] == "text/plain"


def test_healthz(connection):
    assert connection.exchange(bare("GET", "/healthz")).status == 200


@pytest.mark.parametrize("path", ["/nothing", "/healthz/more", "/%2e%2e/etc/passwd", "//", "/?/x/../healthz"])
def test_get_of_another_path(connection, path):
    answer = connection.exchange(bare("GET", path))
    assert answer.status in ((200,) if path.startswith("/?") else range(400, 405))
    assert connection.exchange(bare("GET")).body == HEALTHY


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"])
def test_other_methods(connection, method):
    answer = connection.exchange(bare(method))
    assert (answer.status, answer.body) == (404, b"<UnknownOperationException/>\n")
    assert answer.get("x-amz-crc32") == "3552371480"
    assert connection.exchange(bare("GET")).body == HEALTHY


@pytest.mark.parametrize("path, status", [("/", 200), ("/healthz", 200), ("/nothing", 404)])
def test_head_is_get_without_a_body(connection, path, status):
    connection.send(bare("HEAD", path) + bare("GET", path) + bare("GET"))
    head = connection.receive("HEAD")
    get = connection.receive()
    assert (head.status, get.status) == (status, status)
    assert head.get("Content-Length") == str(len(get.body))
    assert connection.receive().body == HEALTHY


def test_get_with_a_body_reads_it(connection):
    connection.send(request(None, b"{}", {"Content-Type": None}, "GET") + bare("GET"))
    assert connection.receive().body == HEALTHY
    assert connection.receive().body == HEALTHY


def test_absolute_form_and_host_do_not_matter(connection):
    answer = connection.exchange(bare("GET", "/", {"Host": "000000000000.ddb.us-east-1.amazonaws.com"}))
    assert answer.body == HEALTHY


def cors_headers(answer):
    return {name.lower(): value for name, value in answer.headers
            if name.lower().startswith("access-control")}


def test_origin_adds_cors_headers(connection):
    for data in (
        request("ListTables", headers={"Origin": "http://app.test"}),
        request("ListTables", b"{", {"Origin": "http://app.test"}),
        request("Nothing", headers={"Origin": "null"}),
        bare("GET", headers={"Origin": "http://app.test"}),
        bare("PUT", headers={"Origin": "http://app.test"}),
    ):
        found = cors_headers(connection.exchange(data))
        exposed = {n.strip().lower() for n in found.pop("access-control-expose-headers").split(",")}
        assert {"x-amzn-requestid", "x-amzn-errortype", "x-amzn-errormessage", "date"} <= exposed
        assert found == {"access-control-allow-origin": "*"}


def test_preflight(connection):
    asked = {
        "Origin": "http://app.test",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,x-amz-date,x-amz-target",
    }
    answer = connection.exchange(bare("OPTIONS", headers=asked))
    assert (answer.status, answer.body, answer.get("Content-Length")) == (200, b"", "0")
    found = cors_headers(answer)
    assert found["access-control-allow-origin"] == "*"
    assert found["access-control-max-age"] == "172800"
    assert found["access-control-allow-methods"] == "POST"
    assert found["access-control-allow-headers"] == asked["Access-Control-Request-Headers"]
    assert connection.call("ListTables").status == 200


def test_preflight_without_wishes_echoes_none(connection):
    found = cors_headers(connection.exchange(bare("OPTIONS", headers={"Origin": "http://app.test"})))
    assert found["access-control-allow-origin"] == "*"
    assert "access-control-allow-methods" not in found
    assert "access-control-allow-headers" not in found


def answer_to_page(server, origin, host="localhost"):
    """Status and CORS headers of what a page of that origin asks."""
    with Connection(server) as connection:
        answer = connection.exchange(request("ListTables", headers={"Origin": origin, "Host": host}))
        return answer.status, cors_headers(answer).get("access-control-allow-origin")


def test_pages_of_this_machine_alone_by_default(start):
    server = start()
    for origin in ("http://localhost:3000", "https://app.localhost", "http://127.0.0.1:8080",
                   "http://127.8.9.1", "http://[::1]:5173", "HTTP://LOCALHOST"):
        assert answer_to_page(server, origin) == (200, "*"), origin
    for origin in ("http://app.test", "null", "http://localhost.evil.example", "http://10.0.0.1",
                   "http://127.0.0.1.evil.example", "http://evil.example/localhost", "localhost"):
        assert answer_to_page(server, origin) == (200, None), origin


def test_cors_flag_widens(start):
    assert answer_to_page(start("--cors", "*"), "http://app.test") == (200, "*")
    server = start("--cors", "http://a.test, https://b.test:1")
    for origin in ("http://a.test", "https://b.test:1"):
        assert answer_to_page(server, origin) == (200, origin)
    for origin in ("http://b.test", "http://localhost:3000"):
        assert answer_to_page(server, origin) == (200, None)


@pytest.mark.parametrize("flags", [[], ["--cors", "*"], ["-inMemory"]])
def test_pages_that_rebind_their_name_are_refused(start, flags):
    """DNS rebinding: a page's own name points at this machine, so browsers ask no CORS."""
    server = start(*flags) if "-inMemory" not in flags else start(*flags, "-port", "0",
                                                                 add_port=False)
    for host in ("evil.example.com", "evil.example.com:8000", "localhost.evil.example"):
        assert answer_to_page(server, f"http://{host}", host)[0] == 403, host
        with Connection(server) as connection:  # no browser, no Origin
            assert connection.call("ListTables", b"{}", {"Host": host}).status == 200
    for host in ("localhost:8000", "127.0.0.1:8000", "10.1.2.3", "[::1]:8000", "dynamodb:8000",
                 "db.localhost"):
        assert answer_to_page(server, "http://localhost:3000", host)[0] == 200, host


def test_names_with_dots_can_be_allowed(start):
    server = start("--allow-host", "db.test, Host.Docker.Internal")
    for host in ("db.test:8000", "DB.TEST", "host.docker.internal:8000", "db.test.:80"):
        assert answer_to_page(server, "http://localhost", host)[0] == 200, host
    assert answer_to_page(server, "http://localhost", "sub.db.test")[0] == 403


def test_a_header_cannot_be_smuggled_through_the_echo(server):
    """A bare line break inside a header value must never reach the answer's headers."""
    data = bare("OPTIONS", headers={"Origin": "a", "Access-Control-Request-Headers": "x\nInjected: 1"})
    with Connection(server) as connection:
        connection.send_as_far_as_taken(data)
        connection.finish_sending()
        assert b"\nInjected: 1" not in connection.wait_closed().replace(b"\r\n", b"|")
