"""A light client beside heavy ones: what is short does not wait behind long requests, nor behind a connection that sends
many at once. The order of the answers says so; how long each takes is for the part `fair` of ./dev bench."""

import json
import select
import threading

import pytest

from client import Client
from raw_client import Closed, Connection, request
from server_process import given_endpoint, is_sanitized, wait_until

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")


@pytest.fixture(scope="module")
def fill_requests():
    """Puts of 16,000 tiny items."""
    out = []
    for first in range(0, 16_000, 25):
        puts = [{"PutRequest": {"Item": {"pk": {"S": f"{first + i:08}"}, "n": {"N": "1"}}}}
                for i in range(25)]
        out.append(request("BatchWriteItem", json.dumps({"RequestItems": {"tiny": puts}}).encode()))
    return out


@pytest.fixture
def tiny(start, fill_requests):
    """With one thread for connections, which light and heavy ones share."""
    server = start("--threads", "1")
    Client(server).create_table("tiny")
    with Connection(server) as connection:
        for data in fill_requests:
            assert connection.exchange(data).status == 200
    return server


def assert_overtaken(server, heavy):
    """A short request is answered before a long one that came first. More than one try, because whoever does the long one
    may have all of the machine while the others stand still."""
    light = request("GetItem", b'{"TableName":"tiny","Key":{"pk":{"S":"00000007"}}}')
    with Connection(server) as long, Connection(server) as short:
        assert short.exchange(light).status == 200

        def is_first():
            long.send(heavy)
            assert short.exchange(light).json() == {"Item": {"pk": {"S": "00000007"}, "n": {"N": "1"}}}
            is_behind = not select.select([long.socket], [], [], 0)[0]
            assert long.receive().status == 200
            return is_behind

        wait_until(is_first, what="the short answer first")


def test_beside_scans(tiny):
    assert_overtaken(tiny, request("Scan", b'{"TableName":"tiny"}'))


def test_behind_pipelines(tiny):
    """What a connection has sent at once is not done at once: others see the item on its way from the first to the last."""
    count = 2_000
    puts = b"".join(request("PutItem", b'{"TableName":"tiny","Item":{"pk":{"S":"x"},"n":{"N":"%d"}}}' % number)
                    for number in range(1, count + 1))
    client = Client(tiny)

    def is_seen_on_its_way():
        client.ok("DeleteItem", TableName="tiny", Key={"pk": {"S": "x"}})

        def send_all():
            with Connection(tiny) as connection:
                connection.send(puts)
                statuses.update(connection.receive().status for _ in range(count))

        statuses, seen = set(), set()
        sender = threading.Thread(target=send_all)
        sender.start()
        while sender.is_alive():
            answer = client.ok("GetItem", TableName="tiny", Key={"pk": {"S": "x"}}, ConsistentRead=True)
            seen.add(int(answer["Item"]["n"]["N"]) if answer else 0)
        sender.join()
        assert statuses == {200}
        return seen - {0, count}

    wait_until(is_seen_on_its_way, what="an answer between those of a pipeline")


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
    assert_overtaken(tiny, dearest_write())


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


def test_writes_that_take_longer_than_a_request_may(start, tmp_path):
    """Each of many waits for those before it: until the deadline, then it is not done."""
    first = start("--db-path", tmp_path)
    Client(first).create_table("tiny")
    put_large_items(Client(first))
    assert first.stop() == 0
    server = start("--db-path", tmp_path, "--request-timeout", "1")
    names = [f"put {number}" for number in range(16)]
    connections = [Connection(server) for _ in names]
    for connection, name in zip(connections, names):
        connection.send_as_far_as_taken(dearest_put(name))
    answered = []
    for connection, name in zip(connections, names):
        with connection:
            try:
                if connection.receive().status == 200:
                    answered.append(name)
            except Closed:
                pass
    assert server.stop() == 0
    client = Client(start("--db-path", tmp_path))
    assert [name for name in names if is_there(client, name)] == answered
    assert len(answered) < len(names)
