"""Request bodies: chunked, compressed, limits of 16 MiB and 16 KB (conformance/observed/wire.md 7)."""

import gzip
import json
import zlib

import pytest

from raw_client import Closed, Connection, chunked, request

BODY_MAX = 16 * 1024 * 1024
BODY = json.dumps({"TableName": "nothing_here"}).encode()
EXPECTED = (400, "ResourceNotFoundException", "Requested resource not found: Table: nothing_here not found")
CHUNKED = {"Content-Length": None, "Transfer-Encoding": "chunked"}


def describe(body, headers=None):
    return request("DescribeTable", body, headers)


@pytest.mark.parametrize(
    "body",
    [
        chunked(BODY),
        chunked(*[BODY[n:n + 1] for n in range(len(BODY))]),
        chunked(BODY[:9], BODY[9:], extension=b";name=value;other=\"quoted\""),
        chunked(BODY, trailers=b"X-Trailer: one\r\nX-Other: two\r\n"),
        chunked(BODY).replace(b"%x" % len(BODY), b"%08X" % len(BODY), 1),
    ],
    ids=["one", "single-bytes", "extensions", "trailers", "upper-case-size"],
)
def test_chunked_request(connection, body):
    for _ in range(2):
        assert connection.exchange(describe(body, CHUNKED)).error() == EXPECTED


def test_chunked_request_in_single_bytes(connection):
    data = describe(chunked(BODY[:5], BODY[5:], trailers=b"A: b\r\n"), CHUNKED)
    for position in range(len(data)):
        connection.send(data[position:position + 1])
    assert connection.receive().error() == EXPECTED


def test_chunked_requests_pipelined(connection):
    connection.send(describe(chunked(BODY), CHUNKED) * 20 + describe(BODY) * 20)
    for _ in range(40):
        assert connection.receive().error() == EXPECTED


def test_chunked_empty_body_is_an_empty_body(connection):
    answer = connection.exchange(describe(chunked(), CHUNKED))
    assert answer.body == b'{"__type":"com.amazon.coral.service#SerializationException"}'


@pytest.mark.parametrize("size", [b"xyz", b"-1", b"fffffffffffffffffff"])
def test_bad_chunk_size_is_refused(server, size):
    with Connection(server) as connection:
        connection.send_as_far_as_taken(describe(size + b"\r\n" + BODY + b"\r\n0\r\n\r\n", CHUNKED))
        try:
            assert connection.receive().status in (400, 413)
            assert connection.wait_closed() == b""
        except Closed as closed:
            assert closed.received == b""


def deflated(data):
    return zlib.compress(data)


@pytest.mark.parametrize(
    "encoding, body",
    [
        ("gzip", gzip.compress(BODY)),
        ("gzip", gzip.compress(BODY[:7]) + gzip.compress(BODY[7:20]) + gzip.compress(BODY[20:])),
        ("gzip", gzip.compress(BODY) + gzip.compress(b"")),
        ("gzip", gzip.compress(BODY, compresslevel=0)),
        ("deflate", deflated(BODY)),
    ],
    ids=["gzip", "gzip-members", "gzip-empty-member", "gzip-stored", "deflate"],
)
def test_compressed_request(connection, encoding, body):
    for framing in ({}, CHUNKED):
        sent = chunked(body[:10], body[10:]) if framing else body
        answer = connection.exchange(describe(sent, {"Content-Encoding": encoding, **framing}))
        assert answer.error() == EXPECTED


def test_compressed_request_larger_than_its_buffers(connection, table):
    item = {"pk": {"S": "inflated"}, "v": {"S": "ab" * 150_000}}
    body = gzip.compress(json.dumps({"TableName": table, "Item": item}).encode())
    answer = connection.exchange(request("PutItem", body, {"Content-Encoding": "gzip"}))
    assert answer.json() == {}
    key = {"pk": item["pk"]}
    got = connection.call("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True})
    assert got.json() == {"Item": item}


BROKEN = bytearray(gzip.compress(BODY))
BROKEN[-6] ^= 1


@pytest.mark.parametrize(
    "encoding, body",
    [
        ("gzip", BODY),
        ("gzip", b""),
        ("gzip", gzip.compress(BODY)[:-4]),
        ("gzip", bytes(BROKEN)),
        ("gzip", gzip.compress(BODY) + b"junk"),
        ("gzip", deflated(BODY)),
        ("deflate", BODY),
        ("deflate", b""),
        ("deflate", deflated(BODY)[:-3]),
        ("deflate", zlib.compress(BODY)[2:-4]),
        ("deflate", gzip.compress(BODY)),
        ("br", BODY),
        ("zstd", BODY),
        ("nonsense", BODY),
    ],
    ids=["gzip-plain", "gzip-empty", "gzip-cut", "gzip-crc", "gzip-junk-after", "gzip-is-deflate",
         "deflate-plain", "deflate-empty", "deflate-cut", "deflate-raw", "deflate-is-gzip",
         "br", "zstd", "nonsense"],
)
def test_broken_or_unknown_encoding_is_500(connection, encoding, body):
    answer = connection.exchange(describe(body, {"Content-Encoding": encoding}))
    assert answer.status == 500
    assert answer.get("x-amz-crc32") == str(zlib.crc32(answer.body))
    assert connection.exchange(describe(BODY)).error() == EXPECTED


def test_inflated_body_has_the_same_limit(connection):
    exact = BODY + b" " * (BODY_MAX - len(BODY))
    answer = connection.exchange(describe(gzip.compress(exact, 1), {"Content-Encoding": "gzip"}))
    assert answer.error() == EXPECTED
    for encoding, compress in (("gzip", gzip.compress), ("deflate", deflated)):
        answer = connection.exchange(describe(compress(exact + b" "), {"Content-Encoding": encoding}))
        assert answer.status == 500
    assert connection.exchange(describe(BODY)).error() == EXPECTED


def test_a_gzip_bomb_costs_no_memory(start):
    server = start()
    bomb = gzip.compress(b" " * (400 * 1024 * 1024), 1)
    assert len(bomb) < BODY_MAX
    before = server.memory_kb()
    with Connection(server) as connection:
        assert connection.exchange(describe(bomb, {"Content-Encoding": "gzip"})).status == 500
    if server.memory_is_meaningful():
        assert server.memory_kb() - before < 100_000


def test_body_of_exactly_16_mib_passes_the_size_check(connection):
    exact = BODY + b" " * (BODY_MAX - len(BODY))
    assert connection.exchange(describe(exact)).error() == EXPECTED
    half = BODY_MAX // 2
    data = describe(chunked(exact[:half], exact[half:]), CHUNKED)
    assert connection.exchange(data).error() == EXPECTED


def assert_413(answer):
    assert answer.status == 413
    assert answer.get("Transfer-Encoding").lower() == "chunked"
    assert answer.get("Content-Length") is None
    assert answer.body == b""


@pytest.mark.parametrize("expect", [None, "100-continue"])
def test_one_byte_more_is_413_before_the_body_is_sent(server, expect):
    headers = {"Content-Length": str(BODY_MAX + 1), "Expect": expect}
    with Connection(server) as connection:
        connection.send(describe(b"", headers))
        assert_413(connection.receive())


def test_one_byte_more_is_413_for_a_client_that_sends_all_first(server):
    with Connection(server) as connection:
        connection.send_as_far_as_taken(describe(BODY + b" " * (BODY_MAX + 1 - len(BODY))))
        assert_413(connection.receive())


def test_one_byte_more_in_chunks_is_413(server):
    body = BODY + b" " * (BODY_MAX + 1 - len(BODY))
    with Connection(server) as connection:
        connection.send_as_far_as_taken(describe(chunked(body[:BODY_MAX], body[BODY_MAX:]), CHUNKED))
        assert_413(connection.receive())


@pytest.mark.parametrize(
    "data",
    [
        request("NoSuchThing", b"", {"Content-Length": str(BODY_MAX + 1), "Authorization": None}),
        request(None, b"", {"Content-Length": str(BODY_MAX + 1)}, method="PUT"),
        request(None, b"", {"Content-Length": str(BODY_MAX + 1), "Content-Type": "text/plain"}),
    ],
    ids=["unknown-target", "method", "content-type"],
)
def test_413_comes_before_every_other_check(server, data):
    with Connection(server) as connection:
        connection.send(data)
        assert_413(connection.receive())


def test_headers_up_to_16_kb(server):
    with Connection(server) as connection:
        assert connection.exchange(describe(BODY, {"X-Fill": "x" * 15_000})).error() == EXPECTED
        many = {f"X-Fill-{n}": "y" * 90 for n in range(140)}
        assert connection.exchange(describe(BODY, many)).error() == EXPECTED


@pytest.mark.parametrize(
    "headers",
    [{"X-Fill": "x" * 17_000}, {f"X-Fill-{n}": "y" * 90 for n in range(200)}],
    ids=["one", "many"],
)
def test_headers_over_16_kb_are_400(server, headers):
    with Connection(server) as connection:
        connection.send_as_far_as_taken(describe(BODY, headers))
        assert connection.receive().status == 400
        assert connection.wait_closed() == b""


def test_request_line_over_16_kb_is_400(server):
    fields = {"Content-Type": None}
    with Connection(server) as connection:
        path = "/?" + "q" * 15_000
        assert connection.exchange(request(None, b"", fields, "GET", path)).status == 200
    with Connection(server) as connection:
        path = "/?" + "q" * 17_000
        connection.send_as_far_as_taken(request(None, b"", fields, "GET", path))
        assert connection.receive().status == 400
        assert connection.wait_closed() == b""
