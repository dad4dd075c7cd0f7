"""What meets a transaction in flight: --transaction-time keeps one there for as long as the clock stands still."""

import threading
import time
from contextlib import contextmanager
from datetime import datetime, timezone

import pytest
from botocore.exceptions import ClientError

from actions import (CONFLICT, FAILED, NONE, STREAM, cancelled, check, delete, get, item, put, read, records, refused,
                     send_read, send_statements, send_write, stored, update, write)
from admin import Admin
from boto3_fixtures import make_client
from client import Client
from raw_client import Closed, Connection, request
from scenario import unique_name
from server_process import STOP_DEADLINE_S, given_endpoint, wait_until

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

ONGOING = "Transaction is ongoing for the item"
FLAGS = ["--transaction-time", "60", "--clock", "manual"]


class Flight:
    """A TransactWriteItems, or what else `send` sends, that is waited for by a thread of its own."""
    def __init__(self, server, *actions, send=send_write, **members):
        self.answer, self.send = None, send
        self.thread = threading.Thread(target=self._send, args=(Client(server), actions, members))
        self.thread.start()

    def _send(self, client, actions, members):
        try:
            self.answer = self.send(client, *actions, **members)
        except (Closed, ConnectionError) as error:  # the server was killed
            self.answer = error

    def landed(self):
        self.thread.join(STOP_DEADLINE_S)
        assert not self.thread.is_alive(), "the transaction is still in flight"
        return self.answer


def ongoing(client, table, key):
    answer = send_read(client, get(table, key))
    return answer.status == 400 and answer.json()["CancellationReasons"] == [CONFLICT]


class Sky:
    """A server with a table, and what is done on it."""
    def __init__(self, server):
        self.server, self.client, self.admin = server, Client(server), Admin(server)

    @contextmanager
    def flying(self, *actions, **members):
        """A transaction is in flight inside; it has landed behind."""
        (kind, first), = actions[0].items()
        flight = Flight(self.server, *actions, **members)
        wait_until(lambda: ongoing(self.client, first["TableName"], {"pk": first.get("Key", first.get("Item"))["pk"]}),
                   what="the transaction is in flight")
        yield flight
        assert flight.thread.is_alive()
        self.admin.move(advance="1m")
        assert (flight.landed().status, flight.answer.json()) == (200, {})


@pytest.fixture
def sky(start):
    made = Sky(start(*FLAGS))
    made.client.create_table("things")
    made.client.create_table("streamed", **STREAM)
    for name in ("things", "streamed"):
        for key in ("a", "b", "c", "d"):
            made.client.ok("PutItem", TableName=name, Item=item(key, n=1))
    return made


def flown(table="things"):
    """Each kind of action, on a, b, c and d."""
    return (put(table, item("a", n=2)), update(table, "b", "SET n = :n", {"n": 2}), delete(table,
                                                                                           "c"), check(table, "d"))


def test_single_writes_fail(sky):
    client, key = sky.client, item("a")
    with sky.flying(*flown()):
        for name in "abcd":
            key = item(name)
            for answer in (client.send("PutItem", {"TableName": "things", "Item": item(name, n=9)}),
                           client.send("UpdateItem",
                                       {"TableName": "things", "Key": key, "UpdateExpression": "REMOVE n"}),
                           client.send("DeleteItem", {"TableName": "things", "Key": key})):
                refused(answer, "TransactionConflictException", ONGOING)
                assert "message" in answer.json()
        client.ok("PutItem", TableName="things", Item=item("e", n=9))
        client.ok("PutItem", TableName="streamed", Item=item("a", n=9))
    found = read(client, *(get("things", name) for name in "abcde"))
    assert found == [{"Item": item("a", n=2)}, {"Item": item("b", n=2)}, {}, {"Item": item("d", n=1)},
                     {"Item": item("e", n=9)}]
    for name in "abcd":
        client.ok("PutItem", TableName="things", Item=item(name, n=3))


def test_another_transaction_is_cancelled(sky):
    """With the conflict at those items that it shares, and nothing told of the others."""
    client = sky.client
    with sky.flying(*flown()):
        cancelled(
            send_write(client, put("things", "e"), delete("things", "b"), check("things", "d"), put("things", "f")),
            NONE, CONFLICT, CONFLICT, NONE)
        cancelled(send_write(client, *(check("things", name) for name in "abcd")), *4 * [CONFLICT])
        assert stored(client, "things", "e") is None
        second = Flight(sky.server, put("things", "e"), put("streamed", "a"))
        wait_until(lambda: ongoing(client, "things", "e"), what="the second transaction is in flight")
    assert second.landed().status == 200


def test_transactional_reads_are_cancelled(sky):
    client = sky.client
    with sky.flying(*flown()):
        cancelled(send_read(client, get("things", "e"), get("things", "a"), get("streamed", "a")), NONE, CONFLICT,
                  NONE)
        cancelled(send_read(client, *(get("things", name) for name in "abcd")), *4 * [CONFLICT])
        assert read(client, get("things", "e"), get("streamed", "a")) == [{}, {"Item": item("a", n=1)}]
    assert read(client, get("things", "a")) == [{"Item": item("a", n=2)}]


def by_key(items):
    return sorted(items, key=lambda one: one["pk"]["S"])


@pytest.mark.parametrize("strong", [True, False])
def test_other_reads_see_what_was(sky, strong):
    client, consistent = sky.client, {"ConsistentRead": strong}
    old = [item(name, n=1) for name in "abcd"]

    def seen():
        one = client.ok("GetItem", TableName="things", Key=item("a"), **consistent)["Item"]
        keys = {"things": {"Keys": [item(name) for name in "abcd"], **consistent}}
        batch = client.ok("BatchGetItem", RequestItems=keys)["Responses"]["things"]
        scan = client.ok("Scan", TableName="things", **consistent)["Items"]
        query = client.ok("Query",
                          TableName="things",
                          KeyConditionExpression="pk = :a",
                          ExpressionAttributeValues={":a": {"S": "a"}},
                          **consistent)["Items"]
        return one, by_key(batch), by_key(scan), query

    with sky.flying(*flown()):
        assert seen() == (old[0], old, old, old[:1])
    new = [item("a", n=2), item("b", n=2), item("d", n=1)]
    assert seen() == (new[0], new, new, new[:1])


def test_entries_of_a_batch_come_back(sky):
    """Those on items in flight are unprocessed, the others are done."""
    client = sky.client

    def request(name, n):
        return {"PutRequest": {"Item": item(name, n=n)}}

    with sky.flying(*flown()):
        answer = client.ok("BatchWriteItem",
                           RequestItems={
                               "things": [request("a", 7),
                                          request("e", 7), {"DeleteRequest": {"Key": item("d")}}],
                               "streamed": [request("a", 7)]
                           })
        left = answer["UnprocessedItems"]
        assert set(left) == {"things"}
        assert sorted(left["things"], key=str) == sorted([request("a", 7), {"DeleteRequest": {"Key": item("d")}}],
                                                         key=str)
        assert stored(client, "things", "e") == item("e", n=7) and stored(client, "streamed", "a") == item("a", n=7)
    assert client.ok("BatchWriteItem", RequestItems=left)["UnprocessedItems"] == {}
    assert stored(client, "things", "a") == item("a", n=7)


def test_statements_that_write_fail(sky):
    client = sky.client
    with sky.flying(*flown()):
        for name in "abcd":
            for text in (f"UPDATE things SET n = 9 WHERE pk = '{name}'",
                         f"DELETE FROM things WHERE pk = '{name}' AND n = 9"):
                refused(client.send("ExecuteStatement", {"Statement": text}), "TransactionConflictException", ONGOING)
        text = "INSERT INTO things VALUE {'pk': 'a'}"  # there is one, but that is not looked at
        refused(client.send("ExecuteStatement", {"Statement": text}), "TransactionConflictException", ONGOING)
        assert client.ok("ExecuteStatement", Statement="SELECT n FROM things WHERE pk = 'a'") == {
            "Items": [{"n": {"N": "1"}}]
        }
        client.ok("ExecuteStatement", Statement="INSERT INTO things VALUE {'pk': 'e', 'n': 9}")
    found = read(client, *(get("things", name) for name in "abcde"))
    assert found == [{"Item": item("a", n=2)}, {"Item": item("b", n=2)}, {}, {"Item": item("d", n=1)},
                     {"Item": item("e", n=9)}]


def test_members_of_a_batch_of_statements_fail(sky):
    client, conflict = sky.client, {"Error": CONFLICT, "TableName": "things"}

    def batch(*texts):
        return client.ok("BatchExecuteStatement", Statements=[{"Statement": text} for text in texts])["Responses"]

    with sky.flying(*flown()):
        assert batch("UPDATE things SET n = 9 WHERE pk = 'a'", "UPDATE streamed SET n = 9 WHERE pk = 'a'",
                     "INSERT INTO things VALUE {'pk': 'e', 'n': 9}", "DELETE FROM things WHERE pk = 'd'") == [
                         conflict, {"TableName": "streamed"}, {"TableName": "things"}, conflict
                     ]
        assert batch("SELECT * FROM things WHERE pk = 'a'") == [{"TableName": "things", "Item": item("a", n=1)}]
    assert stored(client, "things", "e") == item("e", n=9) and stored(client, "things", "d") == item("d", n=1)


def test_transactions_of_statements_are_cancelled(sky):
    client = sky.client
    with sky.flying(*flown()):
        cancelled(
            send_statements(client, "SELECT * FROM things WHERE pk = 'e'", "SELECT * FROM things WHERE pk = 'a'",
                            "SELECT * FROM streamed WHERE pk = 'a'"), NONE, CONFLICT, NONE)
        cancelled(
            send_statements(client, "INSERT INTO things VALUE {'pk': 'e'}", "DELETE FROM things WHERE pk = 'b'",
                            "EXISTS(SELECT * FROM things WHERE pk = 'd' AND n = 7)"), NONE, CONFLICT, CONFLICT)
        assert stored(client, "things", "e") is None
        second = Flight(sky.server, "INSERT INTO things VALUE {'pk': 'e'}", send=send_statements)
        wait_until(lambda: ongoing(client, "things", "e"), what="the statement is in flight")
    assert (second.landed().status, second.answer.json()) == (200, {"Responses": []})


def test_a_transaction_of_statements_in_flight(sky):
    """It holds its items like another, and its token is of these statements alone."""
    client, once = sky.client, {"ClientRequestToken": unique_name("t")}
    texts = ("UPDATE things SET n = n + 1 WHERE pk = 'a'", "EXISTS(SELECT * FROM things WHERE pk = 'b' AND n = 1)")
    flight = Flight(sky.server, *texts, send=send_statements, **once)
    wait_until(lambda: ongoing(client, "things", "a") and ongoing(client, "things", "b"), what="it is in flight")
    refused(client.send("PutItem", {"TableName": "things", "Item": item("b")}), "TransactionConflictException", ONGOING)
    answer = send_statements(client, *texts, **once)
    refused(answer, "TransactionInProgressException", "Transaction from previous request is still in progress")
    assert set(answer.json()) == {"__type", "Message"}
    assert send_statements(client, texts[0], **once).error()[1] == "IdempotentParameterMismatchException"
    other = Flight(sky.server, put("things", "e"), **once)
    wait_until(lambda: ongoing(client, "things", "e"), what="the other operation's is in flight, too")
    sky.admin.move(advance="1m")
    assert (flight.landed().status, flight.answer.json()) == (200, {"Responses": []})
    assert (other.landed().status, other.answer.json()) == (200, {})
    assert send_statements(client, *texts, **once).json() == {"Responses": []}
    assert stored(client, "things", "a") == item("a", n=2)


def test_what_is_cancelled_never_flies(sky):
    """Its answer comes at once, and its items are free."""
    client = sky.client
    cancelled(send_write(client, put("things", "a"), check("things", "nobody")), NONE, FAILED)
    client.ok("PutItem", TableName="things", Item=item("a", n=4))
    assert read(client, get("things", "a")) == [{"Item": item("a", n=4)}]


def test_the_token_of_a_running_request(sky):
    once = {"ClientRequestToken": unique_name("t")}
    running = "Transaction from previous request is still in progress"
    with sky.flying(*flown(), **once):
        answer = send_write(sky.client, *flown(), **once)
        refused(answer, "TransactionInProgressException", running)
        assert answer.json()["Message"] == running
    assert write(sky.client, *flown(), **once) == {}
    sky.admin.move(advance="9m59s")
    assert write(sky.client, *flown(), **once) == {}
    sky.admin.move(advance="2s")  # ten minutes after it was done, not after it was sent
    with sky.flying(*flown(), **once):
        pass


def test_boto3_waits_for_a_running_request(sky):
    """TransactionInProgressException is tried again by itself, a cancelled transaction is not."""
    boto = make_client(sky.server.endpoint, retries={"mode": "legacy", "max_attempts": 3})
    once = {"ClientRequestToken": unique_name("t")}
    with sky.flying(*flown(), **once):
        with pytest.raises(ClientError) as caught:
            boto.transact_write_items(TransactItems=list(flown()), **once)
        assert caught.value.response["Error"]["Code"] == "TransactionInProgressException"
        assert caught.value.response["ResponseMetadata"]["RetryAttempts"] == 3
        with pytest.raises(boto.exceptions.TransactionCanceledException) as caught:
            boto.transact_write_items(TransactItems=[put("things", "a")])
        assert caught.value.response["ResponseMetadata"]["RetryAttempts"] == 0
        with pytest.raises(boto.exceptions.TransactionConflictException):
            boto.put_item(TableName="things", Item=item("a"))


def test_records_appear_when_it_lands(sky):
    before = records(sky.client, "streamed")
    with sky.flying(*flown("streamed")):
        assert records(sky.client, "streamed") == before
    assert [event for event, _, _ in records(sky.client, "streamed")[len(before):]] == ["MODIFY", "MODIFY", "REMOVE"]


def test_many_in_flight_at_once(sky):
    """Each holds its own items; time lets all of them land."""
    flights = [Flight(sky.server, put("things", f"many {n}"), put("things", f"more {n}")) for n in range(20)]
    for n in range(20):
        wait_until(lambda n=n: ongoing(sky.client, "things", f"many {n}"), what="all are in flight")
    sky.admin.move(advance="59s")
    assert all(flight.thread.is_alive() for flight in flights)
    sky.admin.move(advance="1s")
    assert [flight.landed().status for flight in flights] == 20 * [200]


@pytest.mark.parametrize("sync", ["commit", "lazy"])
def test_a_kill_in_flight_leaves_nothing(start, tmp_path, sync):
    flags = [*FLAGS, "--db-path", tmp_path, "--sync", sync]
    sky = Sky(start(*flags))
    sky.client.create_table("things", **STREAM)
    sky.client.ok("PutItem", TableName="things", Item=item("a", n=1))
    once = {"ClientRequestToken": unique_name("t")}
    flight = Flight(sky.server, *flown()[::2], **once)
    wait_until(lambda: ongoing(sky.client, "things", "a"), what="the transaction is in flight")
    sky.server.kill()
    assert isinstance(flight.landed(), Exception)
    sky = Sky(start(*flags))
    assert read(sky.client, get("things", "a")) == [{"Item": item("a", n=1)}]
    assert len(records(sky.client, "things")) == 1
    with sky.flying(*flown()[:1], put("things", "z"), **once):
        pass


def test_an_end_in_flight(start, tmp_path):
    """The server ends in time and in peace; what it had not answered is done or not, as a whole."""
    flags = [*FLAGS, "--db-path", tmp_path]
    sky = Sky(start(*flags))
    sky.client.create_table("things")
    flight = Flight(sky.server, put("things", "a"), put("things", "b"))
    wait_until(lambda: ongoing(sky.client, "things", "a"), what="the transaction is in flight")
    assert sky.server.stop() == 0
    flight.landed()
    client = Client(start(*flags))
    assert stored(client, "things", "a") == stored(client, "things", "b") == None or (stored(
        client, "things", "a"), stored(client, "things", "b")) == (item("a"), item("b"))


def test_who_hung_up_is_done_all_the_same_or_not_at_all(sky):
    """Nobody waits for it any more: its items become free."""
    with Connection(sky.server) as connection:
        connection.send(request("TransactWriteItems", {"TransactItems": list(flown())}))
        wait_until(lambda: ongoing(sky.client, "things", "a"), what="the transaction is in flight")
    sky.admin.move(advance="1m")
    wait_until(lambda: send_read(sky.client, get("things", "a"), get("things", "b")).status == 200,
               what="its items are free")
    found = read(sky.client, get("things", "a"), get("things", "b"))
    assert [entry["Item"]["n"]["N"] for entry in found] in (["1", "1"], ["2", "2"])


def test_a_deleted_table(sky):
    """A transaction on a table that is gone when it lands is refused, and changes nothing elsewhere."""
    flight = Flight(sky.server, put("things", "e"), put("streamed", "e"))
    wait_until(lambda: ongoing(sky.client, "things", "e"), what="the transaction is in flight")
    sky.client.drop_table("things")
    sky.admin.move(advance="1m")
    refused(flight.landed(), "ResourceNotFoundException", "Requested resource not found")
    assert stored(sky.client, "streamed", "e") is None


def test_what_expires_in_flight(sky):
    """Chosen here: it is deleted in its time, and what was decided about it is decided anew."""
    now = round(time.time()) + 10 * 86_400
    sky.admin.move(set=f"{datetime.fromtimestamp(now, timezone.utc):%Y-%m-%dT%H:%M:%SZ}")
    setting = {"AttributeName": "ttl", "Enabled": True}
    sky.client.ok("UpdateTimeToLive", TableName="things", TimeToLiveSpecification=setting)
    sky.client.ok("PutItem", TableName="things", Item=item("a", ttl=now + 30))
    exists = {"ConditionExpression": "attribute_exists(pk)"}
    flight = Flight(sky.server, update("things", "a", "SET n = :n", {"n": 2}, **exists), put("things", "e"))
    wait_until(lambda: ongoing(sky.client, "things", "a"), what="the transaction is in flight")
    sky.admin.move(advance="45s")
    assert stored(sky.client, "things", "a") is None
    sky.admin.move(advance="15s")
    cancelled(flight.landed(), FAILED, NONE)
    assert stored(sky.client, "things", "a") is None and stored(sky.client, "things", "e") is None
