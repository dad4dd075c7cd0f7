"""What requests and answers hold together is bounded (--max-memory): beyond it status 503, one line
in the log, and the process stays below the bound and a fixed part. By STATOR_LONG=1 with the
default of 1 GiB and as many connections as an attack would have."""

import json
import os
import select

import pytest

from admin import Admin
from client import Client
from metrics_page import Page
from raw_client import Closed, Connection, request
from server_process import given_endpoint, is_sanitized, wait_until

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

IS_LONG = os.environ.get("STATOR_LONG") == "1"
FLAGS = () if IS_LONG else ("--max-memory", "128M")
BOUND_KB = (1024 if IS_LONG else 128) * 1024
FIXED_KB = 300 * 1024
CONNECTIONS = 40 if IS_LONG else 16


def fill(client, count, text):
    client.create_table("held")
    for number in range(count):
        item = {"pk": {"S": str(number)}, "v": {"S": text}}
        client.ok("PutItem", TableName="held", Item=item)


def assert_bounded(server):
    if server.memory_is_meaningful():
        assert server.memory_kb("VmHWM") < BOUND_KB + FIXED_KB


def short_lines(server):
    return [line for line in server.log().splitlines() if "--max-memory" in line]


# A batch gets about 1 MB from each partition.
MANY_PARTITIONS = ("--capacity", "on-demand-partitions=256")


def batch_of(count):
    keys = [{"pk": {"S": str(number)}} for number in range(count)]
    return request("BatchGetItem", json.dumps({"RequestItems": {"held": {"Keys": keys}}}).encode())


def test_answers_that_nobody_reads(start):
    """Each is rendered to six times the stored size; 42 items make 96 MB."""
    server = start(*MANY_PARTITIONS, *FLAGS)
    client = Client(server)
    count = 42 if IS_LONG else 12
    fill(client, count, "\x01" * 380_000)
    asked = batch_of(count)
    held = []
    statuses = []
    for _ in range(CONNECTIONS):
        held.append(Connection(server))
        held[-1].send(asked)
        first = held[-1].socket.recv(12)  # it is answered, and waits
        statuses.append(first[9:12])
        # Beside them small requests are served.
        assert client.ok("GetItem", TableName="held", Key={"pk": {"S": "none"}}) == {}
    # So slow with sanitizers that some requests run out of time, and answers are given up before memory is short.
    out_of_time = set() if server.memory_is_meaningful() else {b""}
    assert set(statuses) <= {b"200", b"503"} | out_of_time and b"200" in statuses
    assert_bounded(server)
    if not server.memory_is_meaningful():
        return
    assert b"503" in statuses
    server.wait_for_log("--max-memory")
    assert len(short_lines(server)) == 1
    for connection in held:
        connection.close()
    server.wait_for_log("request memory is below its limit again")

    def is_whole():
        with Connection(server) as connection:
            answer = connection.exchange(asked)
            return answer.status == 200 and len(answer.body) > count * 6 * 380_000

    wait_until(is_whole, what="the whole answer")
    assert_bounded(server)


def test_an_answer_that_nobody_takes_is_given_up(start, tmp_path):
    """Nobody has to go away for it, so that its memory is free again."""
    first = start("--db-path", tmp_path)
    fill(Client(first), 12, "\x01" * 380_000)
    assert first.stop() == 0
    # A sanitizer makes the work of the request itself take more than a second.
    seconds = "20" if is_sanitized() else "1"
    server = start("--db-path", tmp_path, "--request-timeout", seconds, *MANY_PARTITIONS)

    def is_alone():
        try:
            return Page(server).value("stator_connections") == 1
        except Closed:  # so impatient a server may close it too
            return False

    with Connection(server) as connection:
        connection.send(batch_of(12))
        assert connection.socket.recv(1) == b"H"
        wait_until(is_alone, what="the end of the connection")
        assert len(connection.wait_closed()) < 12 * 6 * 380_000


def test_bodies_that_are_never_finished(start):
    server = start(*FLAGS)
    part = request("PutItem", b"x" * 15_000_000, {"Content-Length": "16000000"})
    held = [Connection(server) for _ in range(100 if IS_LONG else 20)]
    for connection in held:
        connection.send_as_far_as_taken(part)
    refused = {}

    def is_one_refused():
        answered, _, _ = select.select([c.socket for c in held if c not in refused], [], [], 0)
        for connection in [c for c in held if c.socket in answered]:
            try:
                refused[connection] = connection.receive_head()[0]
            except Closed:
                refused[connection] = None
        return 503 in refused.values()

    wait_until(is_one_refused, what="a body that is refused")
    assert set(refused.values()) <= {503, None}
    wait_until(lambda: short_lines(server), what="a line of the log")
    for connection in held:
        connection.close()
    assert_bounded(server)
    assert len(short_lines(server)) == 1


def test_updates_that_build_large_values(start):
    """60 times the same list doubled, on many connections at once."""
    server = start(*FLAGS)
    client = Client(server)
    client.create_table("held")
    terms = ", ".join(f"#a{number} = list_append(:v, :v)" for number in range(60))
    values = {":v": {"L": [{"N": "1"}] * 15_000}}
    body = json.dumps({"TableName": "held", "Key": {"pk": {"S": "1"}},
                       "UpdateExpression": "SET " + terms,
                       "ExpressionAttributeNames": {f"#a{number}": f"a{number}" for number in range(60)},
                       "ExpressionAttributeValues": values}).encode()
    connections = [Connection(server) for _ in range(CONNECTIONS)]
    for connection in connections:
        connection.send(request("UpdateItem", body))
    for connection in connections:
        assert connection.receive().status in (400, 503)
        connection.close()
    assert client.ok("GetItem", TableName="held", Key={"pk": {"S": "1"}}) == {}
    assert_bounded(server)


def test_an_ordinary_load_is_never_refused(start):
    """Four clients, pages and batches of the largest sizes, with a small part of the memory."""
    server = start(*FLAGS)
    client = Client(server)
    fill(client, 20, "x" * 390_000)
    for _ in range(20):
        client.ok("Scan", TableName="held")
        keys = [{"pk": {"S": str(number)}} for number in range(20)]
        client.ok("BatchGetItem", RequestItems={"held": {"Keys": keys}})
        puts = [{"PutRequest": {"Item": {"pk": {"S": str(number)}, "v": {"S": "y" * 390_000}}}}
                for number in range(20)]
        client.ok("BatchWriteItem", RequestItems={"held": puts})
    assert short_lines(server) == []


def test_recorded_bodies_take_the_place_of_older_ones(start):
    """What --explain-bytes admits is held for as many requests of each kind as --explain says, however many come."""
    kept = 10
    server = start("--explain", str(kept), "--explain-bytes", "1000000")
    client, of_console = Client(server), Client(server)
    of_console.headers["x-stator-console"] = "1"
    client.create_table("held")
    text = {"S": "x" * 300_000}
    puts = {"held": [{"PutRequest": {"Item": {"pk": {"S": str(number)}, "v": text}}} for number in range(3)]}
    values = {f":v{number}": text for number in range(3)}
    kinds = (("PutItem", client, 400, {"TableName": "none", "Item": {"pk": {"S": "a"}, **{f"v{n}": text for n in range(3)}}}),
             ("Scan", client, 200, {"TableName": "held", "FilterExpression": "v IN (:v0, :v1, :v2) AND pk = :none",
                                    "ExpressionAttributeValues": {**values, ":none": {"S": "none"}}}),
             ("BatchWriteItem", client, 200, {"RequestItems": puts}),
             ("BatchWriteItem", of_console, 200, {"RequestItems": puts}))

    def send(count):
        for _ in range(count):
            for operation, sender, status, body in kinds:
                answer = sender.send(operation, body)
                assert answer.status == status, f"{operation}: {answer.status} {answer.body[:300]!r}"

    send(2 * kept)
    before = server.memory_kb("RssAnon")
    send(8 * kept)
    # Four rings of 10 bodies are 36 MB; without a bound the rest would be 288 MB more.
    if server.memory_is_meaningful():
        assert server.memory_kb("RssAnon") - before < 72 * 1024

    listed = Admin(server).ok("requests?origin=all")["requests"]
    sent = [each for each in listed if each["operation"] in ("PutItem", "Scan", "BatchWriteItem")]
    # A request is recorded after its response is sent, so the last of each kind may be on its way into the place of another.
    assert len(kinds) * (kept - 1) <= sum(each.get("count", 1) for each in sent) <= len(kinds) * kept
    for each in sent:
        whole = Admin(server).ok("requests/" + each["request_id"])
        assert len(whole["request"]) == whole["request_bytes"] > 900_000 and "cut" not in whole
