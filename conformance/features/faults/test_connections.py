"""Answers that come late, broken or not at all."""

import json
import socket
import threading
import time

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError

from admin import Admin
from boto3_fixtures import make_client
from client import Client
from raw_client import Closed, Connection, request
from server_process import wait_until

STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}}


def put(client, table, pk="a", **members):
    return client.put_item(TableName=table, Item={"pk": {"S": pk}}, **members)


def stream_records(server, table):
    client = make_client(server.endpoint)
    arn = client.describe_table(TableName=table)["Table"]["LatestStreamArn"]
    raw = Client(server)
    raw.headers = {**raw.headers}

    def ask(operation, **body):
        with Connection(server) as connection:
            answer = connection.exchange(request(None, body, {"X-Amz-Target": f"DynamoDBStreams_20120810.{operation}"}))
            assert answer.status == 200, answer
            return answer.json()

    shard = ask("DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
    iterator = ask("GetShardIterator", StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    return ask("GetRecords", ShardIterator=iterator)["Records"]


def test_a_write_whose_answer_is_lost_is_there(server, faults, new_table):
    table = new_table(**STREAM)
    faults.add("PutItem", {"times": 1}, drop="after")
    client = make_client(server.endpoint, retries={"mode": "standard", "max_attempts": 3})
    with pytest.raises(ClientError) as caught:  # the SDK's own retry meets the item
        put(client, table, ConditionExpression="attribute_not_exists(pk)")
    assert caught.value.response["Error"]["Code"] == "ConditionalCheckFailedException"
    assert faults.of()["fired"] == 1
    assert len(stream_records(server, table)) == 1
    lost = [seen for seen in Admin(server).ok("requests?show=all")["requests"] if "fault" in seen]
    assert lost[0]["fault"]["committed"] is True and lost[0]["status"] == 200


def test_a_transaction_with_a_token_is_applied_once(server, faults, new_table):
    table = new_table()
    faults.add("TransactWriteItems", {"times": 1}, drop="after")
    client = make_client(server.endpoint, retries={"mode": "standard", "max_attempts": 3})
    client.transact_write_items(TransactItems=[{"Update": {
        "TableName": table, "Key": {"pk": {"S": "a"}}, "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}}}}])
    assert faults.of()["fired"] == 1
    assert client.get_item(TableName=table, Key={"pk": {"S": "a"}})["Item"]["n"] == {"N": "1"}


def test_a_drop_before_leaves_nothing(server, faults, new_table):
    table = new_table(**STREAM)
    faults.add("PutItem", drop="before")
    client = make_client(server.endpoint, retries={"total_max_attempts": 1})
    with pytest.raises(ConnectionClosedError):
        put(client, table)
    assert "Item" not in client.get_item(TableName=table, Key={"pk": {"S": "a"}})
    assert stream_records(server, table) == []
    lost = [seen for seen in Admin(server).ok("requests?show=all")["requests"] if "fault" in seen]
    assert lost[0]["fault"]["committed"] is False and lost[0]["status"] == 0


def test_a_connection_ends_in_the_way_that_is_asked_for(server, faults):
    data = request("ListTables", {})
    for how, end in (("fin", b""), ("rst", ConnectionResetError)):
        faults.add("ListTables", drop="before", how=how)
        with socket.create_connection((server.host, server.port), 30) as line:
            line.sendall(data)
            try:
                got = line.recv(100)
            except ConnectionResetError as error:
                got = type(error)
            assert got == end, how


def test_a_hanging_request_is_silent_until_its_timeout(start):
    server = start("--request-timeout", "1")
    Admin(server).ok("faults", {"match": {"operation": "ListTables"}, "effect": {"drop": "before", "how": "hang"}})
    begun = time.monotonic()
    with pytest.raises(Closed) as caught:
        Client(server).connection or Connection(server).exchange(request("ListTables", {}))
    assert caught.value.received == b""
    assert time.monotonic() - begun >= 1


def test_delayed_requests_hold_no_thread(start):
    server = start("--threads", "1")
    Admin(server).ok("faults", {"match": {"operation": "ListTables"}, "effect": {"delay": "30s"}})
    waiting = [Connection(server) for _ in range(100)]
    for connection in waiting:
        connection.send(request("ListTables", {}))
    wait_until(lambda: Admin(server).ok("faults/fault-1")["fired"] == 100, what="all wait")
    with open(f"/proc/{server.process.pid}/status") as status:
        threads = next(int(line.split()[1]) for line in status if line.startswith("Threads:"))
    assert threads < 20
    Client(server).create_table("others")  # is not delayed
    begun = time.monotonic()
    server.process.terminate()
    server.process.wait(20)
    assert time.monotonic() - begun < 10
    for connection in waiting:
        connection.close()


def test_a_delay_comes_before_the_answer(server, faults):
    faults.add("ListTables", {"times": 1}, delay="300ms")
    begun = time.monotonic()
    assert Client(server).send("ListTables", {}).status == 200
    assert time.monotonic() - begun >= 0.3


def test_one_of_many_pipelined_requests_is_dropped(server, faults):
    faults.add("ListTables", {"nth": 3}, drop="after")
    with Connection(server) as connection:
        connection.send(request("ListTables", {}) * 5)
        assert [connection.receive().status for _ in range(2)] == [200, 200]
        with pytest.raises(Closed):
            connection.receive()
    assert faults.of()["matched"] == 3


def test_an_sdk_retries_a_wrong_sum(server, faults, table):
    faults.add("GetItem", {"times": 1}, corrupt="crc")
    client = make_client(server.endpoint, retries={"mode": "standard", "max_attempts": 3})
    client.get_item(TableName=table, Key={"pk": {"S": "none"}})
    assert faults.of()["matched"] == 2


@pytest.mark.parametrize("how", ["byte", "cut", "empty", "json"])
def test_an_sdk_does_not_hang_on_a_broken_answer(server, faults, table, how):
    faults.add("GetItem", {"times": 1}, corrupt=how)
    client = make_client(server.endpoint, retries={"mode": "standard", "max_attempts": 3})
    done = threading.Event()

    def ask():
        try:
            client.get_item(TableName=table, Key={"pk": {"S": "none"}})
        except Exception:  # noqa: BLE001: which one depends on the SDK
            pass
        done.set()

    threading.Thread(target=ask, daemon=True).start()
    assert done.wait(30)
    assert faults.of()["fired"] == 1


def test_an_answer_comes_in_pieces(server, faults):
    names = Client(server).send("ListTables", {}).json()
    faults.add("ListTables", drip={"bytes": 4, "every": "10ms"})
    began = time.monotonic()
    with socket.create_connection((server.host, server.port), 30) as line:
        line.sendall(request("ListTables", {}))
        received, pieces = b"", 0
        while b"\r\n\r\n" not in received or not received.endswith(b"}"):
            part = line.recv(65536)
            assert part
            received, pieces = received + part, pieces + 1
        head, body = received.split(b"\r\n\r\n", 1)
        assert f"Content-Length: {len(body)}".encode() in head and pieces > 2
        assert time.monotonic() - began >= 0.01 * (len(body) // 4 - 1)
        faults.clear()
        line.sendall(request("ListTables", {}))  # the connection goes on
        assert line.recv(65536).startswith(b"HTTP/1.1 200")
    assert json.loads(body) == names


def test_an_sdk_reads_an_answer_in_pieces(server, faults, table):
    client = make_client(server.endpoint, retries={"total_max_attempts": 1})
    put(client, table, "dripped")
    faults.add("GetItem", drip={"bytes": 1, "every": "1ms"})
    assert client.get_item(TableName=table, Key={"pk": {"S": "dripped"}})["Item"] == {"pk": {"S": "dripped"}}


def test_a_delay_by_the_engines_clock_ends_when_that_is_moved(start):
    server = start("--clock", "2027-01-01T00:00:00Z")
    admin = Admin(server)
    admin.move(mode="manual")
    admin.ok("faults", {"name": "r", "effect": {"delay": "1h", "clock": "engine"}})
    ended = []

    def ask():
        ended.append((Client(server).send("ListTables", {}).status, time.monotonic()))

    asking = threading.Thread(target=ask)
    asking.start()
    wait_until(lambda: admin.ok("faults/r")["fired"] == 1, what="the request")
    admin.move(advance="59m")
    assert ended == []
    moved = time.monotonic()
    admin.move(advance="1m")
    asking.join()
    status, at = ended[0]
    assert status == 200 and at - moved < 5


def test_a_delay_may_go_on_to_the_next_rule(server, faults):
    faults.add("ListTables", name="slow", delay="1ms", and_on=True)
    faults.add("ListTables", {"times": 1}, name="broken", error="InternalServerError")
    assert [Client(server).send("ListTables", {}).status for _ in range(2)] == [500, 200]
    assert (faults.of("slow")["fired"], faults.of("broken")["fired"]) == (2, 1)
