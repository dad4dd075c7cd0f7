"""Connections: keep-alive, pipelining, split and joined segments, 100-continue, half-closed and broken
clients, HTTP/1.0 (conformance/observed/wire.md 1, 3)."""

import socket

import pytest

from raw_client import DEADLINE_S, Closed, Connection, request
from server_process import wait_until


def missing(number):
    """A request whose answer carries `number`, so that the order of answers shows."""
    return request("DescribeTable", {"TableName": f"order_{number}"})


def assert_missing(answer, number):
    expected = f"Requested resource not found: Table: order_{number} not found"
    assert answer.error() == (400, "ResourceNotFoundException", expected)


def test_keep_alive_over_many_requests(connection):
    for number in range(100):
        assert_missing(connection.exchange(missing(number)), number)


def test_errors_do_not_end_the_connection(connection):
    for body in (b"not json", b"", b'{"Limit":"x"}', b'{"Limit":0}'):
        assert connection.call("ListTables", body).status == 400
    assert connection.exchange(request(method="PUT")).status == 404
    assert connection.exchange(request("Unknown")).status == 400
    assert connection.call("ListTables").status == 200


def test_connection_close_is_honoured(connection):
    answer = connection.exchange(request("ListTables", headers={"Connection": "close"}))
    assert answer.status == 200
    assert answer.get("Connection").lower() == "close"
    assert connection.wait_closed() == b""


def test_http_1_0_is_answered_and_closed(connection):
    data = request("ListTables", version="HTTP/1.0", headers={"Connection": None})
    answer = connection.exchange(data)
    assert answer.status == 200
    assert answer.json()["TableNames"] is not None
    assert answer.get("Transfer-Encoding") is None
    assert connection.wait_closed() == b""


def test_many_requests_in_one_segment(connection):
    connection.send(b"".join(missing(n) for n in range(100)))
    for number in range(100):
        assert_missing(connection.receive(), number)


def test_different_requests_in_one_segment(connection, table):
    item = {"pk": {"S": "pipelined"}, "v": {"N": "1"}}
    key = {"pk": item["pk"]}
    connection.send(
        request("PutItem", {"TableName": table, "Item": item})
        + request("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True})
        + request(method="GET", headers={"X-Amz-Target": None, "Content-Type": None})
        + request("DeleteItem", {"TableName": table, "Key": key, "ReturnValues": "ALL_OLD"})
        + request("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True})
    )
    assert connection.receive().json() == {}
    assert connection.receive().json() == {"Item": item}
    assert connection.receive().body == b"healthy: dynamodb.us-east-1.amazonaws.com "
    assert connection.receive().json() == {"Attributes": item}
    assert connection.receive().json() == {}


def test_request_in_single_bytes(connection):
    data = missing(7)
    for position in range(len(data)):
        connection.send(data[position:position + 1])
    assert_missing(connection.receive(), 7)


@pytest.mark.parametrize("cut", [1, 5, -40, -30, -1])
def test_segment_ends_inside_the_next_request(connection, cut):
    first, second = missing(1), missing(2)
    connection.send(first + second[:cut])
    assert_missing(connection.receive(), 1)
    connection.send(second[cut:] + missing(3))
    assert_missing(connection.receive(), 2)
    assert_missing(connection.receive(), 3)


def test_pipelined_requests_of_very_different_sizes(connection, table):
    big = {"pk": {"S": "big"}, "v": {"S": "x" * 300_000}}
    put = request("PutItem", {"TableName": table, "Item": big})
    get = request("GetItem", {"TableName": table, "Key": {"pk": {"S": "big"}}, "ConsistentRead": True})
    connection.send_as_far_as_taken((put + get) * 5)
    for _ in range(5):
        assert connection.receive().json() == {}
        assert connection.receive().json() == {"Item": big}
    assert connection.call("DeleteItem", {"TableName": table, "Key": {"pk": {"S": "big"}}}).status == 200


def test_expect_100_continue(connection):
    data = request("DescribeTable", {"TableName": "order_9"}, {"Expect": "100-continue"})
    head, _, body = data.partition(b"\r\n\r\n")
    connection.send(head + b"\r\n\r\n")
    status, _, version, headers = connection.receive_head()
    assert (status, version) == (100, "HTTP/1.1")
    assert not [name for name, _ in headers if name.lower() in ("content-length", "transfer-encoding")]
    connection.send(body)
    assert_missing(connection.receive(), 9)
    assert_missing(connection.exchange(missing(10)), 10)


def test_expect_100_continue_with_the_body_already_sent(connection):
    connection.send(request("DescribeTable", {"TableName": "order_3"}, {"Expect": "100-continue"}))
    assert_missing(connection.receive(), 3)
    assert_missing(connection.exchange(missing(4)), 4)


def test_half_close_after_the_request_still_gets_the_answer(connection):
    connection.send(missing(5) + missing(6))
    connection.finish_sending()
    assert_missing(connection.receive(), 5)
    assert_missing(connection.receive(), 6)
    assert connection.wait_closed() == b""


def test_half_close_inside_a_request_ends_the_connection(connection):
    connection.send(missing(5)[:-3])
    connection.finish_sending()
    left = connection.wait_closed()
    assert left == b"" or left.startswith(b"HTTP/1.1 400 ")


def test_clients_that_vanish_do_no_harm(server):
    for cut in (0, 1, 30, 200, -1, None):
        connection = Connection(server)
        connection.send(missing(1)[:cut])
        # Closing with SO_LINGER 0 sends a reset instead of an orderly end.
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()
    with Connection(server) as connection:
        assert_missing(connection.exchange(missing(2)), 2)


def test_header_names_in_any_case_and_blanks_around_values(connection):
    data = missing(8)
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    odd = [lines[0]]
    for number, line in enumerate(lines[1:]):
        name, _, value = line.partition(b": ")
        odd.append((name.upper() if number % 2 else name.lower()) + b": \t " + value + b" \t ")
    assert_missing(connection.exchange(b"\r\n".join(odd) + b"\r\n\r\n" + body), 8)


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\x01\x02\x03\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x11" * 64 + b"\r\n\r\n",
        b"HELLO\r\n\r\n",
        b"POST / HTTP/9.9\r\nHost: a\r\n\r\n",
        b"POST / HTTP/1.1\r\nno colon here\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        b"POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nHost: a\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nHost: a\r\nX-Amz-Date: 1\r\n 2\r\nContent-Length: 2\r\n\r\n{}",
    ],
    ids=["control", "tls-hello", "word", "version", "no-colon", "negative-length", "bad-length",
         "huge-length", "two-lengths", "length-and-chunked", "length-twice", "chunked-1.0", "no-host",
         "two-hosts", "folded"],
)
def test_what_is_not_http_is_refused(server, garbage):
    """Answered 400 (413 for a length beyond all limits) or just closed; the server lives on."""
    with Connection(server) as connection:
        connection.send_as_far_as_taken(garbage)
        try:
            answer = connection.receive()
            assert answer.status in (400, 413, 505), answer
            assert connection.wait_closed() == b""
        except Closed as closed:
            assert closed.received == b""
    with Connection(server) as connection:
        assert_missing(connection.exchange(missing(1)), 1)


def test_garbage_after_a_request_spoils_only_what_follows(server):
    with Connection(server) as connection:
        connection.send(missing(1) + b"\x00\xff garbage\r\n\r\n")
        assert_missing(connection.receive(), 1)
        left = connection.wait_closed()
        assert left == b"" or left.startswith(b"HTTP/1.1 400 ")


def test_many_connections_at_once(server):
    connections = [Connection(server) for _ in range(200)]
    try:
        for number, connection in enumerate(connections):
            connection.send(missing(number))
        for number, connection in enumerate(connections):
            assert_missing(connection.receive(), number)
    finally:
        for connection in connections:
            connection.close()


def test_answers_wait_for_slow_readers_without_filling_memory(start):
    """A client that asks for 600 MB and reads nothing must not make the server hold them."""
    server = start()
    with Connection(server) as connection:
        connection.call("CreateTable", {
            "TableName": "slow", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        })
        item = {"pk": {"S": "a"}, "v": {"S": "x" * 300_000}}
        assert connection.call("PutItem", {"TableName": "slow", "Item": item}).status == 200
    before = server.memory_kb()
    with Connection(server) as connection:
        get = request("GetItem", {"TableName": "slow", "Key": {"pk": {"S": "a"}}})
        connection.socket.settimeout(1)
        try:
            connection.socket.sendall(get * 2000)
        except (socket.timeout, BrokenPipeError, ConnectionResetError):
            pass  # The server stopped reading, or gave this client up.
        connection.socket.settimeout(DEADLINE_S)
        assert connection.receive().json() == {"Item": item}
        if server.memory_is_meaningful():
            assert server.memory_kb() - before < 100_000
    with Connection(server) as connection:
        wait_until(lambda: connection.call("ListTables").status == 200, what="an answer")
