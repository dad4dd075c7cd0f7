"""HTTP/2 by prior knowledge: what it shares with HTTP/1.1, and clients that try to hold or to flood the server.
conformance/languages/javascript has a client that knows nothing else."""

import json
import signal
import socket
import struct
import subprocess

import pytest

from admin import Admin
from metrics_page import Page
from raw_client import AMZ_DATE, DEADLINE_S, authorization, request, wait_until_answered
from server_process import is_sanitized, wait_until

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS = 1, 1, 4
INITIAL_WINDOW = 4  # a setting


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def _length(number):
    """An integer of HPACK with a prefix of 7 bits."""
    if number < 127:
        return bytes((number,))
    out, number = b"\x7f", number - 127
    while number >= 128:
        out, number = out + bytes((number % 128 + 128,)), number // 128
    return out + bytes((number,))


def fields(*pairs):
    """Literal fields that no table keeps."""
    return b"".join(b"\x00" + _length(len(name)) + name.encode() + _length(len(value)) + value.encode()
                    for name, value in pairs)


def get(path="/healthz", authority="localhost", *more):
    return fields((":method", "GET"), (":scheme", "http"), (":path", path), (":authority", authority), *more)


def post(*more):
    return fields((":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "localhost"), *more)


def settings(*pairs):
    return frame(SETTINGS, payload=b"".join(struct.pack(">HI", *pair) for pair in pairs))


class Http2Connection:
    def __init__(self, server, *first_settings, preface=True):
        self.socket = socket.create_connection((server.host, server.port), DEADLINE_S)
        self.buffer = b""
        if preface:
            self.send(PREFACE + settings(*first_settings))

    def send(self, data):
        self.socket.sendall(data)

    def send_as_far_as_taken(self, data):
        try:
            self.socket.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def request(self, stream, block, flags=END_STREAM):
        self.send(frame(HEADERS, flags | END_HEADERS, stream, block))

    def receive(self):
        """The next frame: (kind, flags, stream, payload); None at the end."""
        try:
            while len(self.buffer) < 9 or len(self.buffer) < 9 + int.from_bytes(self.buffer[:3], "big"):
                block = self.socket.recv(262144)
                if not block:
                    return None
                self.buffer += block
        except ConnectionResetError:
            return None
        size = int.from_bytes(self.buffer[:3], "big")
        kind, flags = self.buffer[3], self.buffer[4]
        stream, payload = int.from_bytes(self.buffer[5:9], "big"), self.buffer[9:9 + size]
        self.buffer = self.buffer[9 + size:]
        return kind, flags, stream, payload

    def until(self, *kinds, stream=None):
        """The next frame of one of these kinds; None if the connection ends before."""
        while (found := self.receive()) is not None:
            if found[0] in kinds and stream in (None, found[2]):
                return found
        return None

    def body(self, stream):
        """The response's body, up to its end."""
        body = b""
        while found := self.until(HEADERS, DATA, RST_STREAM, stream=stream):
            assert found[0] != RST_STREAM, found
            body += found[3] if found[0] == DATA else b""
            if found[1] & END_STREAM:
                return body
        raise AssertionError(f"the connection ended after {body!r}")

    def wait_closed(self):
        """Reads to the end and returns the error of the last GOAWAY, None if there was none."""
        code = None
        while found := self.receive():
            if found[0] == GOAWAY:
                code = struct.unpack(">I", found[3][4:8])[0]
        return code

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


IMPATIENT = ("--idle-timeout", "0.3", "--request-timeout", "0.5")
NO_ERROR = 0
PROTOCOL_ERROR = 1
REFUSED_STREAM = 7
LIST_TABLES = (("x-amz-target", "DynamoDB_20120810.ListTables"), ("content-type", "application/x-amz-json-1.0"),
               ("authorization", authorization()), ("x-amz-date", AMZ_DATE))
MANY = 20_000


@pytest.fixture
def impatient(start):
    return start(*IMPATIENT)


def curl(server, *arguments, data=b""):
    """(status, version, body) by curl, a client that is not ours."""
    done = subprocess.run(
        ["curl", "-sS", "--max-time", "60", "--http2-prior-knowledge", "-w", "\n%{http_code} %{http_version}", *arguments],
        input=data, capture_output=True, check=True)
    body, _, line = done.stdout.rpartition(b"\n")
    status, version = line.split()
    return int(status), version.decode(), body


def url(server, path="/"):
    return f"http://{server.host}:{server.port}{path}"


def headers_of(operation):
    return [part for name, value in (("X-Amz-Target", f"DynamoDB_20120810.{operation}"), ("Authorization", authorization()),
                                     ("X-Amz-Date", AMZ_DATE), ("Content-Type", "application/x-amz-json-1.0"))
            for part in ("-H", f"{name}: {value}")]


def test_reads_and_writes(server, table):
    item = {"pk": {"S": "http2"}, "text": {"S": "x" * 300_000}}
    put = json.dumps({"TableName": table, "Item": item}).encode()
    assert curl(server, *headers_of("PutItem"), "--data-binary", "@-", url(server), data=put) == (200, "2", b"{}")
    key = json.dumps({"TableName": table, "Key": {"pk": item["pk"]}})
    status, version, body = curl(server, *headers_of("GetItem"), "-d", key, url(server))
    assert (status, version) == (200, "2")
    assert json.loads(body)["Item"] == item


def test_a_body_without_a_length(server):
    status, _, body = curl(server, *headers_of("ListTables"), "-H", "Content-Length:", "-T", "-", "-X", "POST", url(server),
                           data=b'{"Limit": 1}')
    assert (status, list(json.loads(body))[:1]) == (200, ["TableNames"])


def test_a_head_request_and_compression(server):
    assert curl(server, "-I", url(server, "/healthz"))[0] == 200
    assert curl(server, "--compressed", url(server, "/metrics"))[0] == 200


def test_the_bounds_of_bodies_are_those_of_http_1(server):
    """The response comes before the end of the request; the client is then told to send no more of it."""
    with Http2Connection(server) as connection:
        connection.request(1, post(*LIST_TABLES, ("content-length", str(17 * 1024 * 1024))), flags=0)
        answer = connection.until(HEADERS, stream=1)
        assert b"413" in answer[3]
        if not answer[1] & END_STREAM:
            connection.body(1)
        assert struct.unpack(">I", connection.until(RST_STREAM, stream=1)[3]) == (NO_ERROR,)
    wait_until_answered(server)


def test_the_client_is_told_to_continue(server):
    with Http2Connection(server) as connection:
        connection.request(1, post(*LIST_TABLES, ("expect", "100-continue"), ("content-length", "2")), flags=0)
        assert connection.until(HEADERS)[1] & 1 == 0
        connection.send(frame(DATA, 1, 1, b"{}"))
        assert json.loads(connection.body(1))["TableNames"] is not None


def test_many_streams_at_once(server):
    with Http2Connection(server) as connection:
        for stream in range(1, 101, 2):
            connection.request(stream, post(*LIST_TABLES), flags=0)
        for stream in range(99, 0, -2):
            connection.send(frame(DATA, 1, stream, b"{}"))
        ended = set()
        while len(ended) < 50:
            found = connection.until(DATA)
            if found[1] & 1:
                ended.add(found[2])


def test_the_authority_is_the_host(start):
    running = start()
    foreign = ("-H", "Host: rebound.example", url(running, "/_stator/tables"))
    assert curl(running, *foreign)[0] == 403
    assert curl(running, url(running, "/_stator/tables"))[0] == 200
    assert curl(running, "-H", "Origin: http://page.example", url(running, "/_stator/tables"))[0] == 403
    with Http2Connection(running) as connection:
        connection.request(1, get("/healthz", "localhost", ("host", "rebound.example")))
        assert connection.until(HEADERS, RST_STREAM)[0] == RST_STREAM


def test_requests_are_logged_and_counted(start):
    running = start("--log-level", "debug")
    curl(running, *headers_of("ListTables"), "-d", "{}", url(running))
    running.wait_for_log("ListTables .*status=200")
    assert Page(running).value("stator_requests_total", operation="ListTables", code="200") == 1


def test_requests_name_their_connection(start):
    running = start()
    with Http2Connection(running) as first:
        for stream in (1, 3):
            first.request(stream, post(*LIST_TABLES), flags=0)
            first.send(frame(DATA, END_STREAM, stream, b"{}"))
            first.body(stream)
    curl(running, *headers_of("DescribeLimits"), "-d", "{}", url(running))
    limits, *lists = Admin(running).ok("requests")["requests"]
    numbers = {one["client"]["connection"] for one in lists}
    assert len(numbers) == 1
    assert limits["client"]["connection"] > numbers.pop() > 0


def test_an_idle_connection_is_told_and_closed(impatient):
    with Http2Connection(impatient) as connection:
        assert connection.wait_closed() == 0


def test_pings_do_not_keep_a_connection(impatient):
    with Http2Connection(impatient) as connection:
        def is_closed():
            is_taken = connection.send_as_far_as_taken(frame(PING, payload=b"12345678"))
            return not is_taken or connection.until(PING, GOAWAY) is None

        wait_until(is_closed, what="the end")


SLOW = {
    "preface": PREFACE[:10],
    "settings": PREFACE + settings()[:5],
    "header": PREFACE + settings() + frame(HEADERS, 1, 1, get()[:9]),
    "body": PREFACE + settings() + frame(HEADERS, END_HEADERS, 1, post(*LIST_TABLES, ("content-length", "9"))),
}


@pytest.mark.parametrize("part", SLOW)
def test_a_client_that_stops_in_the_middle(impatient, part):
    with Http2Connection(impatient, preface=False) as connection:
        connection.send(SLOW[part])
        connection.wait_closed()
    wait_until_answered(impatient)


def test_a_window_of_nothing_holds_no_response(impatient):
    with Http2Connection(impatient, (INITIAL_WINDOW, 0)) as connection:
        connection.request(1, get("/metrics"))
        assert connection.until(RST_STREAM, stream=1) is not None
        connection.wait_closed()
    wait_until_answered(impatient)


def test_a_client_that_does_not_read(impatient):
    with Http2Connection(impatient, (INITIAL_WINDOW, 2**31 - 1)) as connection:
        connection.send(frame(8, payload=struct.pack(">I", 2**31 - 1 - 65535)))
        for stream in range(1, 2 * MANY, 2):
            if not connection.send_as_far_as_taken(frame(HEADERS, 5, stream, get("/metrics"))):
                break
    wait_until_answered(impatient)


def test_garbage_after_the_preface(server):
    with Http2Connection(server, preface=False) as connection:
        connection.send(PREFACE + b"\xff" * 100)
        assert connection.wait_closed() in (PROTOCOL_ERROR, 6)  # or the size of the frame
    with Http2Connection(server, preface=False) as connection:
        connection.send(PREFACE + frame(HEADERS, 5, 1, get()))
        assert connection.wait_closed() == PROTOCOL_ERROR
    wait_until_answered(server)


def test_http_1_after_the_preface(server):
    with Http2Connection(server, preface=False) as connection:
        connection.send(PREFACE + request("ListTables"))
        connection.wait_closed()


def test_a_header_without_end(server):
    with Http2Connection(server) as connection:
        connection.send(frame(HEADERS, 1, 1, get()))
        piece = frame(CONTINUATION, 0, 1, fields(("x", "y" * 1000)))
        sent = 0
        while sent < MANY and connection.send_as_far_as_taken(piece):
            sent += 1
        connection.wait_closed()
        assert sent < MANY
    wait_until_answered(server)


def test_a_long_list_of_headers(server):
    with Http2Connection(server) as connection:
        connection.request(1, get("/healthz", "localhost", *((f"x-{n}", "y" * 100) for n in range(100))))
        assert connection.body(1) == b"ok\n"
        # Longer than the parser takes, and longer than is kept for it.
        connection.request(3, get("/healthz", "localhost", *((f"x-{n}", "y" * 1000) for n in range(16))))
        found = connection.until(HEADERS, RST_STREAM, stream=3)
        assert found[0] == HEADERS
        block = get("/healthz", "localhost", *((f"x-{n}", "y" * 2000) for n in range(30)))
        pieces = [block[at:at + 16000] for at in range(0, len(block), 16000)]
        connection.send(frame(HEADERS, 1, 5, pieces[0]))
        for piece in pieces[1:-1]:
            connection.send(frame(CONTINUATION, 0, 5, piece))
        connection.send(frame(CONTINUATION, END_HEADERS, 5, pieces[-1]))
        assert connection.until(HEADERS, RST_STREAM, stream=5)[0] == RST_STREAM
        connection.request(7, get())
        assert connection.body(7) == b"ok\n"


def test_a_header_that_unpacks_to_much(server):
    """One long field in the table, then thousands of references to it."""
    with Http2Connection(server) as connection:
        stored = b"\x40\x01x" + b"\x7f" + bytes((3901 - 127) % 128 + 128 for _ in "1") + bytes(((3901 - 127) // 128,))
        block = get() + stored + b"y" * 3901 + b"\xbe" * 10_000
        connection.request(1, block)
        assert connection.until(HEADERS, RST_STREAM, stream=1)[0] == RST_STREAM
        connection.request(3, get())
        assert connection.body(3) == b"ok\n"


def test_rapid_resets(server):
    with Http2Connection(server) as connection:
        stream = 1
        while stream < 2 * MANY and connection.send_as_far_as_taken(
                frame(HEADERS, 5, stream, post(*LIST_TABLES)) + frame(RST_STREAM, 0, stream, struct.pack(">I", 8))):
            stream += 2
        assert connection.wait_closed() is not None or stream < 2 * MANY
    wait_until_answered(server)


@pytest.mark.parametrize("flood", [frame(PING, payload=b"12345678"), settings() * 4, settings((INITIAL_WINDOW, 1)) * 2],
                         ids=["ping", "settings", "window"])
def test_floods_of_what_wants_an_answer(start, flood):
    """A client that reads no answers to them."""
    running = start()
    with Http2Connection(running) as connection:
        sent = 0
        while sent < 100 * MANY and connection.send_as_far_as_taken(flood * 1000):
            sent += 1000
        assert sent < 100 * MANY
    if running.memory_is_meaningful():
        assert running.memory_kb() < 200 * 1024
    wait_until_answered(running)


def test_more_streams_than_are_allowed(server):
    with Http2Connection(server) as connection:
        for stream in range(1, 2 * 101 + 1, 2):
            connection.request(stream, post(*LIST_TABLES), flags=0)
        found = connection.until(RST_STREAM, GOAWAY)
        assert found[0] == GOAWAY or struct.unpack(">I", found[3]) == (REFUSED_STREAM,)


def test_a_field_that_http_1_would_take_for_two(server):
    for value in ("a\r\nx-amz-target: b", "a\nb", "a\0b"):
        with Http2Connection(server) as connection:
            connection.request(1, get("/healthz", "localhost", ("x-a", value)))
            assert connection.until(HEADERS, RST_STREAM, stream=1)[0] == RST_STREAM
    for name, value in (("transfer-encoding", "chunked"), ("connection", "close"), ("Upper", "a"), ("x y", "a"), ("x:", "a")):
        with Http2Connection(server) as connection:
            connection.request(1, get("/healthz", "localhost", (name, value)))
            assert connection.until(HEADERS, RST_STREAM, stream=1)[0] == RST_STREAM, name
    for path in ("/healthz HTTP/1.1\r\nx: y", "http://other.example/healthz", ""):
        with Http2Connection(server) as connection:
            connection.request(1, get(path))
            assert connection.until(HEADERS, RST_STREAM, stream=1)[0] == RST_STREAM, path


@pytest.mark.skipif(is_sanitized(), reason="the response has half a second")
def test_a_stop_answers_what_has_begun(start):
    running = start()
    with Http2Connection(running) as busy, Http2Connection(running) as idle:
        busy.request(1, post(*LIST_TABLES), flags=0)
        busy.send(frame(PING, payload=b"12345678"))
        idle.send(frame(PING, payload=b"12345678"))
        assert busy.until(PING)[1] == ACK
        assert idle.until(PING)[1] == ACK
        running.signal(signal.SIGTERM)
        assert idle.wait_closed() == 0
        busy.send(frame(DATA, 1, 1, b"{}"))
        assert "TableNames" in json.loads(busy.body(1))
        busy.wait_closed()
    assert running.wait() == 0


def test_settings_come_first(server):
    with Http2Connection(server) as connection:
        assert connection.receive()[0] == SETTINGS
