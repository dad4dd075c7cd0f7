"""Answers: headers, checksum, exact error bodies, compression (conformance/observed/wire.md 3, 4, 7)."""

import gzip
import re
import zlib
from email.utils import parsedate_to_datetime

import pytest

from raw_client import Connection, request

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/"


def exchanges(table):
    """One request of each kind of answer: (name, request)."""
    item = {"pk": {"S": "answers"}}
    arn = ARN + table
    return {
        "object": request("ListTables"),
        "empty-object": request("PutItem", {"TableName": table, "Item": item}),
        "empty-body": request("TagResource", {"ResourceArn": arn, "Tags": [{"Key": "k", "Value": "v"}]}),
        "validation": request("ListTables", {"Limit": 0}),
        "not-found": request("DescribeTable", {"TableName": "nothing_here"}),
        "bad-json": request("ListTables", b"{"),
        "unknown-operation": request("Nothing"),
        "no-authentication": request("ListTables", headers={"Authorization": None}),
        "wrong-method": request("ListTables", method="PUT"),
        "healthy": request(method="GET", headers={"Content-Type": None}),
        "broken-encoding": request("ListTables", headers={"Content-Encoding": "gzip"}),
    }


@pytest.mark.parametrize("kind", list(exchanges("t")))
def test_headers_of_every_answer(connection, table, kind):
    answer = connection.exchange(exchanges(table)[kind])
    assert answer.version == "HTTP/1.1"
    assert re.fullmatch(r"[0-9A-Z]{52}", answer.get("x-amzn-RequestId"))
    assert answer.get("x-amz-crc32") == str(zlib.crc32(answer.body))
    assert answer.get("Content-Length") == str(len(answer.body))
    assert answer.get("Transfer-Encoding") is None
    date = parsedate_to_datetime(answer.get("Date"))
    assert answer.get("Date").endswith(" GMT") and date.year >= 2020
    assert answer.get("Server")
    assert [name for name, _ in answer.headers if name.lower().startswith("access-control")] == []
    assert connection.call("ListTables").status == 200


def test_request_ids_are_unique(server):
    seen = set()
    for _ in range(4):
        with Connection(server) as connection:
            connection.send(request("ListTables") * 100)
            seen.update(connection.receive().get("x-amzn-RequestId") for _ in range(100))
    assert len(seen) == 400


def test_known_checksums(connection, table):
    """Values seen on the real service for the bodies it sends most."""
    fixed = {
        "empty-object": (200, b"{}", "2745614147"),
        "empty-body": (200, b"", "0"),
        "bad-json": (400, b'{"__type":"com.amazon.coral.service#SerializationException"}', "3948637019"),
        "unknown-operation": (
            400, b'{"__type":"com.amazon.coral.service#UnknownOperationException"}', "1368724161"),
        "wrong-method": (404, b"<UnknownOperationException/>\n", "3552371480"),
        "healthy": (200, b"healthy: dynamodb.us-east-1.amazonaws.com ", "3128867991"),
    }
    for kind, expected in fixed.items():
        answer = connection.exchange(exchanges(table)[kind])
        assert (answer.status, answer.body, answer.get("x-amz-crc32")) == expected


@pytest.mark.parametrize(
    "sent, expected",
    [
        ("application/x-amz-json-1.0", "application/x-amz-json-1.0"),
        ("application/json", "application/json"),
        ("application/x-amz-json-1.0; charset=utf-8", "application/x-amz-json-1.0"),
        ("  application/json ;charset=utf-8 ", "application/json"),
    ],
)
def test_content_type_mirrors_the_request(connection, sent, expected):
    for body, status in ((b"{}", 200), (b"{", 400), (b'{"Limit":0}', 400)):
        answer = connection.call("ListTables", body, {"Content-Type": sent})
        assert (answer.status, answer.get("Content-Type")) == (status, expected)


def test_content_type_without_one_in_the_request(connection):
    """Only an empty body may come without a content type."""
    answer = connection.call("ListTables", b"", {"Content-Type": None})
    assert answer.body == b'{"__type":"com.amazon.coral.service#SerializationException"}'
    assert answer.get("Content-Type") == "application/json"


@pytest.mark.parametrize(
    "operation, body, status, expected",
    [
        ("DescribeTable", {"TableName": "nothing_here"}, 400,
         '{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",'
         '"message":"Requested resource not found: Table: nothing_here not found"}'),
        ("GetItem", {"TableName": "nothing_here", "Key": {"pk": {"S": "a"}}}, 400,
         '{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",'
         '"message":"Requested resource not found"}'),
        ("ListTables", {"Limit": 101}, 400,
         '{"__type":"com.amazon.coral.validate#ValidationException",'
         '"message":"1 validation error detected: Value \'101\' at \'limit\' failed to satisfy '
         'constraint: Member must have value less than or equal to 100"}'),
        ("ListTables", {"Limit": []}, 400,
         '{"__type":"com.amazon.coral.service#SerializationException",'
         '"Message":"Unrecognized collection type class java.lang.Integer"}'),
        ("CreateTable", None, 400,
         '{"__type":"com.amazonaws.dynamodb.v20120810#ResourceInUseException",'
         '"message":"Table already exists: raw_table"}'),
    ],
    ids=["not-found", "item-not-found", "validation", "serialization", "in-use"],
)
def test_error_bodies_to_the_byte(connection, table, operation, body, status, expected):
    body = body or {
        "TableName": table, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    }
    answer = connection.call(operation, body)
    assert (answer.status, answer.body.decode()) == (status, expected)


def test_request_text_is_escaped_in_errors(connection):
    name = 'a"b\\c/é\u2028😀\u0001\n'
    answer = connection.call("DescribeTable", {"TableName": name})
    expected = (
        f"1 validation error detected: Value '{name}' at 'tableName' failed to satisfy constraint: "
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
    )
    assert answer.error() == (400, "ValidationException", expected)


@pytest.fixture(scope="module")
def sized(server, client, table):
    """sized(n) is a request whose answer body has exactly n bytes."""
    empty = b'{"Item":{"pk":{"S":"sized"},"v":{"S":""}}}'

    def make(size):
        item = {"pk": {"S": "sized"}, "v": {"S": "z" * (size - len(empty))}}
        client.ok("PutItem", TableName=table, Item=item)
        key = {"TableName": table, "Key": {"pk": item["pk"]}, "ConsistentRead": True}
        plain = client.send("GetItem", key)
        assert len(plain.body) == size and plain.get("Content-Encoding") is None
        return key, plain.body

    return make


ACCEPTED = [
    ("gzip", "gzip"),
    ("deflate", "deflate"),
    ("GZip", "gzip"),
    ("gzip, deflate", "gzip"),
    ("deflate, gzip", "deflate"),
    ("deflate,gzip", "deflate"),
    ("gzip;q=0.5, deflate;q=0.8", "deflate"),
    ("gzip;q=0.5,deflate;q=0.4", "gzip"),
    ("gzip; q=0.001", "gzip"),
    ("deflate;q=1, gzip;q=7", "deflate"),
    ("gzip;q=0", None),
    ("gzip;q=0.0, deflate;q=0", None),
    ("gzip;q=0, deflate", "deflate"),
    ("*", "gzip"),
    ("identity", None),
    ("br, zstd, compress, x-gzip", None),
    ("br, gzip;q=0.3", "gzip"),
    ("identity, deflate;q=0.5", "deflate"),
    ("", None),
    ("*, deflate;q=0.5", "gzip"),
    ("*, identity", "gzip"),
    ("*, gzip;q=0.5", "deflate"),
    ("*;q=0.5,identity", "gzip"),
    ("deflate;q=0.5,gzip;q=0.x", "gzip"),
    ("gzip;q =0;q=1", "gzip"),
    ("gzip;nq=0;q=1", None),
    ("br,identity;q=0.5,gzip;q=0.0001", "gzip"),
    (["identity", "gzip"], None),
    (["deflate", "gzip"], "deflate"),
    (None, None),
]


@pytest.mark.parametrize("accept, expected", ACCEPTED, ids=[str(a) for a, _ in ACCEPTED])
def test_accept_encoding(connection, sized, accept, expected):
    key, plain = sized(6000)
    answer = connection.call("GetItem", key, {"Accept-Encoding": accept})
    assert answer.status == 200
    assert answer.get("Content-Encoding") == expected
    unpack = {"gzip": gzip.decompress, "deflate": zlib.decompress, None: bytes}[expected]
    assert unpack(answer.body) == plain
    assert answer.get("x-amz-crc32") == str(zlib.crc32(answer.body))
    assert answer.get("Content-Length") == str(len(answer.body))
    assert (len(answer.body) < len(plain)) == (expected is not None)


def test_small_answers_are_never_compressed(connection, sized):
    for size, encoding in ((100, None), (4095, None), (4097, "gzip")):
        key, plain = sized(size)
        answer = connection.call("GetItem", key, {"Accept-Encoding": "gzip"})
        assert answer.get("Content-Encoding") == encoding
        assert (gzip.decompress(answer.body) if encoding else answer.body) == plain


def test_large_errors_are_compressed_too(connection):
    name = "n" * 9000
    plain = connection.call("DescribeTable", {"TableName": name})
    packed = connection.call("DescribeTable", {"TableName": name}, {"Accept-Encoding": "deflate"})
    assert (plain.status, packed.status) == (400, 400)
    assert packed.get("Content-Encoding") == "deflate"
    assert zlib.decompress(packed.body) == plain.body
    assert packed.get("x-amz-crc32") == str(zlib.crc32(packed.body))


def test_compressed_and_plain_answers_share_a_connection(connection, sized):
    key, plain = sized(200_000)
    packed = request("GetItem", key, {"Accept-Encoding": "gzip"})
    connection.send((packed + request("GetItem", key)) * 5)
    for _ in range(5):
        assert gzip.decompress(connection.receive().body) == plain
        assert connection.receive().body == plain
