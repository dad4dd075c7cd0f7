"""Deadlines and the connection limit: slow, silent and numerous clients hold nothing for long.
Each test waits for the server to close; a server that never does runs into the socket's deadline. A client that is slow by
chance may be closed early by so impatient a server, so whatever is to be answered is tried again."""

import select

import pytest

from raw_client import Closed, Connection, chunked, is_answered, request, wait_until_answered
from server_process import wait_until

IMPATIENT = ("--idle-timeout", "0.3", "--request-timeout", "0.5")


@pytest.fixture
def impatient(start):
    return start(*IMPATIENT)


def assert_closed_without_success(received):
    """Closed at once, or after an error answer."""
    assert received == b"" or received.startswith(b"HTTP/1.1 4"), received[:200]


def test_silent_connection_is_closed(impatient):
    with Connection(impatient) as connection:
        assert connection.wait_closed() == b""


def test_connection_is_closed_when_idle_after_an_answer(impatient):
    def is_answered_twice_and_closed():
        with Connection(impatient) as connection:
            return is_answered(connection) and is_answered(connection) and connection.wait_closed() == b""

    wait_until(is_answered_twice_and_closed, what="two answers and the end")


PARTS = {
    "request-line": b"POST / HT",
    "headers": request("ListTables").partition(b"X-Amz")[0],
    "body": request("ListTables", b"{}", {"Content-Length": "100"}),
    "chunk": request("ListTables", chunked(b"{}")[:-3],
                     {"Content-Length": None, "Transfer-Encoding": "chunked"}),
    "expected-body": request("ListTables", b"", {"Content-Length": "2", "Expect": "100-continue"}),
}


@pytest.mark.parametrize("part", list(PARTS))
def test_request_that_stops_is_closed(impatient, part):
    with Connection(impatient) as connection:
        connection.send(PARTS[part])
        received = connection.wait_closed()
        if part == "expected-body":
            assert received.startswith(b"HTTP/1.1 100 ")
            received = received.partition(b"\r\n\r\n")[2]
        assert_closed_without_success(received)
    wait_until_answered(impatient)


@pytest.mark.parametrize("start_at", ["headers", "body"])
def test_request_that_trickles_is_closed(impatient, start_at):
    """One byte now and then keeps no request alive: the deadline holds for the whole of it."""
    data = request("ListTables", b"{}" + b" " * 2000)
    sent = 20 if start_at == "headers" else data.index(b"\r\n\r\n") + 4
    with Connection(impatient) as connection:
        connection.send(data[:sent])
        while sent < len(data):
            # Readable means closed (or refused): nothing else is due before the request is whole.
            if select.select([connection.socket], [], [], 0.05)[0]:
                break
            if not connection.send_as_far_as_taken(data[sent:sent + 1]):
                break
            sent += 1
        assert sent < len(data), "a request of more than a minute was accepted"
        assert_closed_without_success(connection.wait_closed())


def test_one_slow_client_does_not_delay_others(start):
    server = start("--threads", "1")
    with Connection(server) as slow, Connection(server) as quick:
        slow.send(PARTS["body"])
        for _ in range(50):
            assert quick.call("ListTables").status == 200
        slow.send(b" " * 98)
        assert slow.receive().status == 200


def closed_or_status(server, data):
    """The status that a connection of its own gets for `data`, or None when it is closed."""
    try:
        with Connection(server) as extra:
            extra.send_as_far_as_taken(data)
            return extra.receive().status
    except (Closed, ConnectionRefusedError, ConnectionResetError):
        return None


def test_connection_limit(start):
    """Connections that are in a request keep their places; health is told all the same."""
    server = start("--max-connections", "8", "--threads", "1")
    whole = request("ListTables")
    health = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    held = [Connection(server) for _ in range(8)]
    for connection in held:
        assert connection.call("ListTables").status == 200
        connection.send(whole[:40])
    for _ in range(20):
        assert closed_or_status(server, whole) in (503, None)
    wait_until(lambda: closed_or_status(server, whole) == 503, what="a status for one too many")
    wait_until(lambda: closed_or_status(server, health) == 200, what="health at the limit")
    for connection in held:
        connection.send(whole[40:])
        assert connection.receive().status == 200
    assert closed_or_status(server, whole) == 200


def test_the_longest_idle_connection_makes_room(start):
    for threads in ("1", "4"):
        server = start("--max-connections", "8", "--threads", threads)
        held = [Connection(server) for _ in range(8)]
        for connection in held:
            assert connection.call("ListTables").status == 200
        assert held[0].call("ListTables").status == 200  # from now on held[1] is the longest idle
        with Connection(server) as new:
            assert new.call("ListTables").status == 200
            if threads == "1":
                assert held[1].wait_closed() == b""
                assert held[0].call("ListTables").status == 200
        crowd = [Connection(server) for _ in range(30)]
        # So many at once find no room for a moment.
        wait_until(lambda: closed_or_status(server, request("ListTables")) == 200, what="room")
        for connection in held + crowd:
            connection.close()


def test_connections_that_come_and_go_are_not_counted_for_ever(start):
    server = start("--max-connections", "8")
    for _ in range(100):
        wait_until_answered(server)


def test_idle_connections_cost_little_memory(start):
    server = start()
    with Connection(server) as connection:
        assert connection.call("ListTables").status == 200
    before = server.memory_kb("VmRSS")
    held = [Connection(server) for _ in range(500)]
    for connection in held:
        assert connection.call("ListTables").status == 200
    if server.memory_is_meaningful():
        assert server.memory_kb("VmRSS") - before < 500 * 64
    for connection in held:
        connection.close()
