"""Hostile JSON: deep nesting, bad text, duplicate members, huge numbers; bounded memory."""

import json

import pytest

from raw_client import Connection

BODY_MAX = 16 * 1024 * 1024
SERIALIZATION = b'{"__type":"com.amazon.coral.service#SerializationException"}'
NESTING = ("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
           "beyond supported limit")


def refused(answer):
    return (answer.status, answer.body) == (400, SERIALIZATION)


NOT_JSON = {
    "word": b"nope",
    "open": b"{",
    "unclosed-string": b'{"a":"b',
    "trailing-comma": b'{"a":1,}',
    "array-comma": b'{"a":[1,]}',
    "single-quotes": b"{'a':1}",
    "bare-name": b"{a:1}",
    "comment": b'{"a":1} // x',
    "block-comment": b'{/* x */"a":1}',
    "two-values": b"{}{}",
    "text-after": b"{} x",
    "NaN": b'{"a":NaN}',
    "Infinity": b'{"a":-Infinity}',
    "leading-zero": b'{"a":01}',
    "plus": b'{"a":+1}',
    "dot-end": b'{"a":1.}',
    "dot-start": b'{"a":.5}',
    "bare-exponent": b'{"a":1e}',
    "hex": b'{"a":0x10}',
    "bad-escape": b'{"a":"\\x41"}',
    "short-escape": b'{"a":"\\u12"}',
    "raw-newline": b'{"a":"x\ny"}',
    "raw-tab": b'{"a":"x\ty"}',
    "raw-nul": b'{"a":"x\0y"}',
    "nul-between": b'{"a":\0"x"}',
    "nul-after": b"{}\0",
    "nul-only": b"\0",
    "blanks-only": b" \t\r\n ",
    "vertical-tab": b'{"a":\v1}',
    "no-break-space": b'{"a":\xc2\xa01}',
    "true-in-capitals": b'{"a":TRUE}',
}


@pytest.mark.parametrize("name", list(NOT_JSON))
def test_not_json(connection, name):
    assert refused(connection.call("ListTables", NOT_JSON[name]))
    assert connection.call("ListTables").status == 200


@pytest.mark.parametrize(
    "blanks", [b" {} ", b"\r\n\t{\r\n}\n", b'{ "Limit" : 1 , "x" : [ 1 , { } ] }'])
def test_blanks_are_fine(connection, blanks):
    assert connection.call("ListTables", blanks).status == 200


INVALID_UTF8 = {
    "ff": b"\xff",
    "continuation": b"\x80",
    "cut": b"\xe2\x82",
    "overlong": b"\xc0\xaf",
    "overlong-nul": b"\xc0\x80",
    "surrogate": b"\xed\xa0\x80",
    "beyond": b"\xf4\x90\x80\x80",
    "latin-1": "é".encode("latin-1"),
}


@pytest.mark.parametrize("name", list(INVALID_UTF8))
def test_invalid_utf8(connection, table, name):
    bad = INVALID_UTF8[name]
    for body in (
        b'{"TableName":"%s","Item":{"pk":{"S":"a%sb"}}}' % (table.encode(), bad),
        b'{"TableName":"%s","Item":{"pk":{"S":"a"},"n%sm":{"S":"v"}}}' % (table.encode(), bad),
        b'{"NoSuchMember":"%s"}' % bad,
    ):
        answer = connection.call("PutItem", body)
        assert answer.error()[:2] == (400, "SerializationException")


@pytest.mark.parametrize("escape", [b"\\ud800", b"\\udc00", b"\\ud800\\ud800", b"\\ud83dx", b"\\udc00\\ud800"])
def test_lone_surrogates_never_come_back_as_broken_text(connection, table, escape):
    body = b'{"TableName":"%s","Item":{"pk":{"S":"lone"},"v":{"S":"%s"}}}' % (table.encode(), escape)
    answer = connection.call("PutItem", body)
    assert answer.error()[:2] == (400, "SerializationException")
    got = connection.call("GetItem", {"TableName": table, "Key": {"pk": {"S": "lone"}}})
    assert got.json() == {}


def test_escaped_and_raw_text_are_the_same(connection, table):
    text = "é€😀\u2028\ufeff\u0000\u001f\u007f\"\\/\b\f\n\r\t"
    for ascii_only in (True, False):
        item = {"pk": {"S": "text"}, "é\u0000": {"S": text}, "": {"S": "empty name"}}
        del item[""]
        body = json.dumps({"TableName": table, "Item": item}, ensure_ascii=ascii_only)
        assert connection.call("PutItem", body).json() == {}
        key = {"TableName": table, "Key": {"pk": {"S": "text"}}, "ConsistentRead": True}
        assert connection.call("GetItem", key).json() == {"Item": item}


@pytest.mark.parametrize(
    "body, name",
    [
        (b'{"TableName":"first_one","TableName":"second_one"}', "second_one"),
        (b'{"TableName":"first_one","Table\\u004eame":"second_one"}', "second_one"),
        (b'{"TableName":"first_one","tablename":"x","TableName":"third_one"}', "third_one"),
    ],
)
def test_of_duplicate_members_the_last_wins(connection, body, name):
    expected = f"Requested resource not found: Table: {name} not found"
    assert connection.call("DescribeTable", body).error() == (400, "ResourceNotFoundException", expected)


def test_duplicate_attributes_and_types(connection, table):
    item = b'{"pk":{"S":"x"},"pk":{"S":"dup","S":"double"},"v":{"N":"1"},"v":{"S":"kept"}}'
    body = b'{"TableName":"%s","Item":%s}' % (table.encode(), item)
    assert connection.call("PutItem", body).json() == {}
    got = connection.call("GetItem", {"TableName": table, "Key": {"pk": {"S": "double"}}})
    assert got.json() == {"Item": {"pk": {"S": "double"}, "v": {"S": "kept"}}}
    assert connection.call("GetItem", {"TableName": table, "Key": {"pk": {"S": "dup"}}}).json() == {}


HUGE = {
    "exponent": b"1e999999",
    "negative-exponent": b"-1e-999999",
    "huge-exponent": b"1e" + b"9" * 1000,
    "digits": b"9" * 100_000,
    "fraction": b"0." + b"1" * 100_000,
    "million-digits": b"-" + b"7" * 1_000_000,
}


@pytest.mark.parametrize("name", list(HUGE))
def test_huge_numbers(connection, name):
    """Ignored in a member nobody knows; an error where a number is wanted or is not."""
    number = HUGE[name]
    assert connection.call("ListTables", b'{"NoSuchMember":%s}' % number).status == 200
    assert connection.call("ListTables", b'{"NoSuchMember":[{"x":%s}]}' % number).status == 200
    answer = connection.call("ListTables", b'{"Limit":%s}' % number)
    assert answer.status == 400
    assert answer.error()[1] in ("ValidationException", "SerializationException")
    kind = "NUMBER" if name in ("digits", "million-digits") else "DECIMAL"
    assert connection.call("DescribeTable", b'{"TableName":%s}' % number).error() == (
        400, "SerializationException", f"{kind}_VALUE cannot be converted to String")


def test_very_long_number_text(connection, table):
    """Number values are strings; a megabyte of digits is refused like 39 of them."""
    for text, message in (
        ("1" * 1_000_000, "Number overflow. Attempting to store a number with magnitude larger than "
                          "supported range"),
        ("0." + "1" * 1_000_000, "Attempting to store more than 38 significant digits in a Number"),
        ("1e" + "9" * 100_000, f"The parameter cannot be converted to a numeric value: 1e{'9' * 100_000}"),
    ):
        item = {"pk": {"S": "number"}, "v": {"N": text}}
        status, name, got = connection.call("PutItem", {"TableName": table, "Item": item}).error()
        assert (status, name) == (400, "ValidationException")
        assert got == "1 validation error detected: " + message


def test_zeros_around_a_number_do_not_count(connection, table):
    text = "0" * 10_000 + "12.5" + "0" * 10_000
    item = {"pk": {"S": "zeros"}, "v": {"N": text}}
    assert connection.call("PutItem", {"TableName": table, "Item": item}).json() == {}
    got = connection.call("GetItem", {"TableName": table, "Key": {"pk": {"S": "zeros"}}})
    assert got.json()["Item"]["v"] == {"N": "12.5"}


def nested(levels, kind):
    if kind == "M":
        return b'{"M":{"a":' * levels + b'{"S":"x"}' + b"}}" * levels
    return b'{"L":[' * levels + b'{"S":"x"}' + b"]}" * levels


@pytest.mark.parametrize("kind", ["M", "L"])
def test_nested_values(connection, table, kind):
    put = b'{"TableName":"%s","Item":{"pk":{"S":"deep"},"v":%s}}'
    for levels in (32, 40, 60):
        answer = connection.call("PutItem", put % (table.encode(), nested(levels, kind)))
        assert answer.error() == (400, "ValidationException", "1 validation error detected: " + NESTING)
    for levels in (100, 1000, 100_000, 1_000_000):
        answer = connection.call("PutItem", put % (table.encode(), nested(levels, kind)))
        assert answer.status == 400
        assert answer.error()[1] in ("ValidationException", "SerializationException")


@pytest.mark.parametrize("levels", [100, 10_000, 1_000_000])
def test_deep_unknown_members(connection, levels):
    """Well-formed but absurdly deep: ignored or refused, never a broken server."""
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        body = b'{"NoSuchMember":' + opening * levels + b"1" + closing * levels + b"}"
        answer = connection.call("ListTables", body)
        assert answer.status == 200 or refused(answer)
        if levels == 100:
            assert answer.status == 200


def test_many_members(connection):
    members = b",".join(b'"m%d":%d' % (n, n) for n in range(500_000))
    assert connection.call("ListTables", b"{" + members + b',"Limit":1}').status == 200


def test_memory_stays_bounded(start):
    """Twenty requests of the largest size and the worst shape do not add up."""
    server = start()
    attribute = b'{"a":{"S":"x"},'
    shapes = [
        b"[" * BODY_MAX,
        b'{"a":' * (BODY_MAX // 5),
        b'{"TableName":"nothing_here","Item":' + b'{"M":{"a":' * 1_600_000,
        b'{"TableName":"nothing_here","Item":{"a":{"L":[' + b'{"N":"1"},' * 1_600_000,
        b'{"TableName":"nothing_here","Item":' + attribute + b'"b":{"SS":["",' + b'"a",' * 4_000_000,
    ]
    with Connection(server) as connection:
        assert connection.call("ListTables").status == 200
        before = server.memory_kb()
        for _ in range(4):
            for shape in shapes:
                answer = connection.call("PutItem", shape[:BODY_MAX])
                assert refused(answer), answer
        assert connection.call("ListTables").status == 200
    if server.memory_is_meaningful():
        assert server.memory_kb() - before < 200_000
