"""What all workers of the stress suite share: the server, when to end, what answers are expected, and
the tables. A worker is a class with a method step(); run_all() runs each on a thread of its own until
the time is over or one of them fails, and then ends the server beside those that are still at work.
"""

import collections
import json
import random
import threading

from admin import admin_request
from client import Client
from raw_client import Closed, Connection, request
from server_process import wait_until

BROKEN = (Closed, ConnectionError, TimeoutError)
ANSWER_DEADLINE_S = 300  # a verb of the admin path waits for those before it
# What another worker, or a rollback, may bring about at any time.
USUAL = {"ConditionalCheckFailedException", "ResourceNotFoundException", "TransactionCanceledException",
         "TransactionConflictException", "TransactionInProgressException", "ProvisionedThroughputExceededException",
         "ThrottlingException", "DuplicateItemException"}
# What changes of tables may meet beside it.
OF_TABLES = USUAL | {"ResourceInUseException", "LimitExceededException", "ValidationException", "TableNotFoundException"}
OF_STREAMS = USUAL | {"TrimmedDataAccessException", "ExpiredIteratorException"}

ACCOUNTS = [f"a{number:02d}" for number in range(16)]
MONEY_EACH = 1000
KEYS = [(f"p{p}", f"s{s}") for p in range(6) for s in range(10)]


def string(text):
    return {"S": text}


def number(value):
    return {"N": str(value)}


def key(pk, sk):
    return {"pk": string(pk), "sk": string(sk)}


class World:
    """One server and its load."""

    def __init__(self, server, seed):
        self.server = server
        self.seed = seed
        self.is_over = threading.Event()
        self.is_ending = False  # from here on connections may break
        self.failure = None
        self.counts = collections.Counter()

    def fail(self, text):
        self.failure = self.failure or text
        self.is_over.set()


class Worker:
    """Derive, and do one thing in step(). Each has dice of its own, so a seed repeats what it asks."""

    def __init__(self, world, name):
        self.world = world
        self.name = name
        self.dice = random.Random(f"{world.seed}-{name}")
        self.client = Client(world.server)
        self.last = None

    def ask(self, operation, expected=USUAL, service="DynamoDB", **members):
        """The decoded answer, or None for one of the errors that are expected."""
        self.last = operation, members
        target = {"X-Amz-Target": f"{service}_20120810.{operation}", **self.client.headers}
        answer = self.exchange(request(operation, members, target))
        kind = "200" if answer.status == 200 else answer.error()[1]
        self.world.counts[f"{operation} {kind}"] += 1
        if answer.status == 200:
            return answer.json() if answer.body else {}
        is_expected = answer.status == 400 and kind in expected
        assert is_expected, f"{operation} {members}: {answer.status} {answer.body[:600]!r}"
        return None

    def ask_streams(self, operation, **members):
        return self.ask(operation, OF_STREAMS, "DynamoDBStreams", **members)

    def admin(self, path, body=None, expected=(200,)):
        """The answer of a verb below /_stator/: one of the expected statuses, or that its time was over."""
        self.last = path, body
        method = "GET" if body is None else "POST"
        answer = self.exchange(admin_request(path, body), method)
        self.world.counts[f"{method} {path.split('/')[0]} {answer.status}"] += 1
        assert answer.status in expected or ran_out_of_time(answer), \
            f"{path} {body}: {answer.status} {answer.body[:600]!r}"
        return answer

    def exchange(self, data, method="POST"):
        """On the worker's connection, and now and then on a new one."""
        if self.client.connection is None or self.dice.random() < 0.02:
            self.close()
            self.client.connection = Connection(self.world.server)
            self.client.connection.socket.settimeout(ANSWER_DEADLINE_S)
        return self.client.connection.exchange(data, method)

    def close(self):
        if self.client.connection:
            self.client.connection.close()
            self.client.connection = None

    def run(self):
        try:
            while not self.world.is_over.is_set():
                self.step()
        except BROKEN as broken:
            if not self.world.is_ending:
                self.world.fail(f"{self.name}: {broken!r}, after {self.last}")
        except Exception as wrong:  # Reported by the main thread.
            if not self.world.is_ending:
                self.world.fail(f"{self.name}: {wrong!r}, after {self.last}")
        finally:
            self.close()


def run_all(world, workers, until):
    """`until` returns whether it was enough; it is asked while they work."""
    threads = [threading.Thread(target=worker.run, name=worker.name) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        wait_until(lambda: world.failure or until(), deadline_s=24 * 3600, what="the end of the load", pause_s=0.05)
    finally:
        # The process ends beside requests of all kinds: that must be as sound as the rest.
        world.is_ending = True
        try:
            status = world.server.stop()
        finally:
            world.is_over.set()
            for thread in threads:
                thread.join()
    assert not world.failure, f"{world.failure}\nlog: {world.server.log()[-3000:]}"
    assert status == 0, f"ended with status {status}: {world.server.log()[-3000:]}"


def index(name, *names):
    return {"IndexName": name, "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": n, "KeyType": k} for n, k in zip(names, ("HASH", "RANGE"))]}


STREAMED = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}


def attributes(*names):
    return {"AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in names]}


def create_tables(client):
    by_g = {"GlobalSecondaryIndexes": [index("by_g", "g")]}
    client.create_table("sealed", "sk", **attributes("pk", "sk", "g"), **by_g, **STREAMED)
    client.create_table("money", **STREAMED)
    client.create_table("shared", "sk", **attributes("pk", "sk", "g", "l"), **by_g, **STREAMED,
                        LocalSecondaryIndexes=[index("by_l", "pk", "l")])
    client.create_table("shifting", "sk", **STREAMED)
    for table in ("shared", "shifting"):
        client.ok("UpdateTimeToLive", TableName=table,
                  TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
    for account in ACCOUNTS:
        client.ok("PutItem", TableName="money", Item={"pk": string(account), "amount": number(MONEY_EACH)})
    for number_of, (pk, sk) in enumerate(KEYS):
        item = {**key(pk, sk), "g": string(f"g{number_of % 5}"), "l": string(sk), "n": number(0)}
        for table in ("sealed", "shared", "shifting"):
            client.ok("PutItem", TableName=table, Item=item)


def ran_out_of_time(answer):
    """A verb waits for those before it. Where each write of the disk takes long, its time may be over first."""
    return answer.status == 503 and "while this request could wait: ask again" in answer.json()["error"]


def told(answer):
    return json.dumps(answer, sort_keys=True)
