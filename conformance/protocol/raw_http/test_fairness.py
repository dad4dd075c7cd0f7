"""A light client beside heavy ones: what is short does not wait behind long reads, nor behind a
connection that sends many requests at once."""

import json
import multiprocessing
import statistics
import time

import pytest

from client import Client
from raw_client import Closed, Connection, request
from server_process import given_endpoint, is_sanitized

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

ASKED = 300
# The half of the answers come within; 27 ms beside scans when they shared a thread.
MEDIAN_MAX_S = 0.008


@pytest.fixture(scope="module")
def fill_requests():
    """Puts of 16,000 tiny items."""
    out = []
    for first in range(0, 16_000, 25):
        puts = [{"PutRequest": {"Item": {"pk": {"S": f"{first + i:08}"}, "n": {"N": "1"}}}}
                for i in range(25)]
        out.append(request("BatchWriteItem", json.dumps({"RequestItems": {"tiny": puts}}).encode()))
    return out


def send_again_and_again(server_address, data, answers, begun):
    """A process of its own: sends `data`, reads its answers, for ever."""
    class Server:
        host, port = server_address
        scheme = "http"

    with Connection(Server) as connection:
        while True:
            connection.send(data)
            for _ in range(answers):
                assert connection.receive().status == 200
            begun.set()


def median_beside(server, count, data, answers=1):
    address = (server.host, server.port)
    heavy = []
    for _ in range(count):
        begun = multiprocessing.Event()
        heavy.append((multiprocessing.Process(target=send_again_and_again, daemon=True,
                                              args=(address, data, answers, begun)), begun))
    try:
        for process, _ in heavy:
            process.start()
        for _, begun in heavy:
            assert begun.wait(30)
        get = request("GetItem", b'{"TableName":"tiny","Key":{"pk":{"S":"00000007"}}}')
        took_s = []
        with Connection(server) as connection:
            for _ in range(ASKED):
                asked = time.perf_counter()
                assert connection.exchange(get).status == 200
                took_s.append(time.perf_counter() - asked)
        return statistics.median(took_s)
    finally:
        for process, _ in heavy:
            process.kill()
            process.join()


@pytest.fixture
def tiny(start, fill_requests):
    server = start()
    Client(server).create_table("tiny")
    with Connection(server) as connection:
        for data in fill_requests:
            assert connection.exchange(data).status == 200
    return server


def test_beside_scans(tiny):
    median_s = median_beside(tiny, 4, request("Scan", b'{"TableName":"tiny"}'))
    if tiny.memory_is_meaningful():
        assert median_s < MEDIAN_MAX_S


def test_behind_pipelines(tiny):
    put = request("PutItem", b'{"TableName":"tiny","Item":{"pk":{"S":"x"},"n":{"N":"1"}}}')
    median_s = median_beside(tiny, 2, put * 2_000, answers=2_000)
    if tiny.memory_is_meaningful():
        assert median_s < MEDIAN_MAX_S


# A sanitized build may not end more before the request's deadline.
LARGE_ITEMS = 5 if is_sanitized() else 99


def put_large_items(client):
    for number in range(LARGE_ITEMS):
        client.ok("PutItem", TableName="tiny",
                  Item={"pk": {"S": f"large {number}"}, "a": {"S": "a" * 385_000}})


def dearest_write(*more):
    """A transaction that searches each large item for as many terms as a condition may have: half a second."""
    condition = " OR ".join(f"contains(a,:{number})" for number in range(150))
    values = {f":{number}": {"S": "a" * number + "b"} for number in range(150)}
    checks = [{"ConditionCheck": {"TableName": "tiny", "Key": {"pk": {"S": f"large {number}"}},
                                  "ConditionExpression": f"NOT({condition})",
                                  "ExpressionAttributeValues": values}} for number in range(LARGE_ITEMS)]
    return request("TransactWriteItems", json.dumps({"TransactItems": checks + list(more)}).encode())


def test_beside_the_dearest_write(tiny):
    put_large_items(Client(tiny))
    median_s = median_beside(tiny, 1, dearest_write())
    if not is_sanitized():
        assert median_s < MEDIAN_MAX_S


def test_a_long_read_gives_the_same_answer(tiny):
    """Its beginning was read on another thread."""
    client = Client(tiny)
    page = client.ok("Scan", TableName="tiny", ReturnConsumedCapacity="TOTAL")
    assert page["Count"] == page["ScannedCount"] == len(page["Items"]) == 16_000
    again = client.ok("Scan", TableName="tiny", ReturnConsumedCapacity="TOTAL")
    assert again == page
    short = client.ok("Scan", TableName="tiny", Limit=2)
    assert short["Items"] == page["Items"][:2]
    assert client.error("Scan", TableName="none")[1] == "ResourceNotFoundException"


def test_a_client_that_hangs_up_during_a_long_read(tiny):
    scan = request("Scan", b'{"TableName":"tiny"}')
    for _ in range(20):
        with Connection(tiny) as connection:
            connection.send(scan)
    assert Client(tiny).ok("Scan", TableName="tiny")["Count"] == 16_000


def dearest_put(name):
    return dearest_write({"Put": {"TableName": "tiny", "Item": {"pk": {"S": name}}}})


def is_there(client, name):
    return "Item" in client.ok("GetItem", TableName="tiny", Key={"pk": {"S": name}}, ConsistentRead=True)


def test_a_client_that_hangs_up_during_a_long_write(tiny):
    """What nobody waits for is not done."""
    client = Client(tiny)
    put_large_items(client)
    with Connection(tiny) as connection:
        connection.send(dearest_put("wanted"))
        assert connection.receive().status == 200
    with Connection(tiny) as connection:
        connection.send(dearest_put("unwanted"))
    client.ok("PutItem", TableName="tiny", Item={"pk": {"S": "behind"}})  # writes are done in turn
    assert is_there(client, "wanted") and not is_there(client, "unwanted")


def test_writes_that_take_longer_than_a_request_may(start):
    """Each of many waits for those before it: until the deadline, then it is not done."""
    server = start("--request-timeout", "1")
    client = Client(server)
    client.create_table("tiny")
    put_large_items(client)
    names = [f"put {number}" for number in range(16)]
    connections = [Connection(server) for _ in names]
    for connection, name in zip(connections, names):
        connection.send(dearest_put(name))
    answered = []
    for connection, name in zip(connections, names):
        with connection:
            try:
                assert connection.receive().status == 200
                answered.append(name)
            except Closed:
                pass
    assert [name for name in names if is_there(client, name)] == answered
    assert len(answered) < len(names)
