"""Writers that know what they were promised, and the check of those promises after a crash.

A Writer owns its keys, so it knows every item's version. An operation whose answer did not come is
in doubt: afterwards the old and the new version are both right, anything else is a loss. Items
carry a checksum over all they hold, so an item made of parts of two writes shows as torn.
"""

import hashlib
import random
import threading

from raw_client import Closed, Connection, request

TABLES = ("crash_hash", "crash_range", "crash_index")
KEYS_PER_WRITER = 24
CHURN_TABLES = tuple(f"churn_{n}" for n in range(8))
BROKEN = (Closed, ConnectionError, TimeoutError)


def key_of(table, name):
    key = {"pk": {"S": name}}
    return key if table == "crash_hash" else {**key, "sk": {"S": name[::-1]}}


def checksum(name, version, fill):
    return hashlib.sha256(f"{name}|{version}|{fill}".encode()).hexdigest()


def item_of(table, name, version, size):
    """The item of one version: `size` characters that follow from name and version."""
    block = hashlib.sha256(f"{name}#{version}".encode()).hexdigest()
    fill = (block * (size // 64 + 1))[:size]
    return {
        **key_of(table, name), "version": {"N": str(version)}, "fill": {"S": fill},
        "sum": {"S": checksum(name, version, fill)}, "l": {"S": block[:8]}, "g": {"S": block[8:12]},
    }


def version_of(item, name):
    """The version an item holds, after checking that all its parts belong together."""
    if item is None:
        return None
    version = int(item["version"]["N"])
    wanted = checksum(name, version, item["fill"]["S"])
    assert item["pk"]["S"] == name and item["sum"]["S"] == wanted, f"torn item {name} {item}"
    block = hashlib.sha256(f"{name}#{version}".encode()).hexdigest()
    assert item["l"]["S"] == block[:8] and item["fill"]["S"][:64] == block[:len(item["fill"]["S"])][:64]
    return version


class Tally:
    """Counts acknowledged writes and announces that enough have come."""

    def __init__(self):
        self.lock = threading.Lock()
        self.reached = threading.Event()
        self.acknowledged = 0
        self.target = None

    def aim(self, more):
        with self.lock:
            self.target = self.acknowledged + more
            self.reached.clear()

    def add(self):
        with self.lock:
            self.acknowledged += 1
            if self.acknowledged == self.target:
                self.reached.set()


class Worker:
    """Sends operations on one connection until it breaks; work() is one operation."""

    def __init__(self, tally, seed):
        self.tally = tally
        self.random = random.Random(seed)
        self.connection = None
        self.failure = None

    def run(self, server):
        try:
            with Connection(server) as self.connection:
                while True:
                    self.work()
        except BROKEN:
            pass  # The kill.
        except BaseException as failure:  # Reported by the main thread.
            self.failure = failure
            self.tally.reached.set()

    def call(self, operation, body):
        answer = self.connection.exchange(request(operation, body))
        assert answer.status == 200, f"{operation}: {answer.status} {answer.body[:400]!r}"
        return answer.json()


class Writer(Worker):
    """Puts and deletes items of its own keys."""

    def __init__(self, number, tally, seed):
        super().__init__(tally, f"{seed}-{number}")
        names = [f"w{number:02d}-{k}" for k in range(KEYS_PER_WRITER)]
        self.versions = {(TABLES[k % len(TABLES)], name): None for k, name in enumerate(names)}
        self.places = list(self.versions)
        self.last_version = 0
        self.doubt = None

    def work(self):
        table, name = place = self.random.choice(self.places)
        old = self.versions[place]
        show_old = self.random.random() < 0.5
        extra = {"TableName": table, "ReturnValues": "ALL_OLD" if show_old else "NONE"}
        if old is not None and self.random.random() < 0.25:
            self.doubt = (place, None)
            answer = self.call("DeleteItem", {**extra, "Key": key_of(table, name)})
        else:
            self.last_version += 1
            self.doubt = (place, self.last_version)
            size = self.random.choice((0, 50, 300, 900, 2500))
            if self.random.random() < 0.02:
                size = self.random.randrange(10_000, 120_000)
            item = item_of(table, name, self.last_version, size)
            answer = self.call("PutItem", {**extra, "Item": item})
        # The answer is there: from here on the write must survive.
        self.versions[place] = self.doubt[1]
        self.doubt = None
        self.tally.add()
        if show_old:
            seen = version_of(answer.get("Attributes"), name)
            assert seen == old, f"{place}: replaced version {seen}, expected {old}"

    def check(self, connection):
        """Reads every key back; returns (reads, doubts, doubtful writes that were applied)."""
        applied = 0
        connection.send(b"".join(
            request("GetItem", {"TableName": t, "Key": key_of(t, n), "ConsistentRead": True})
            for t, n in self.places))
        for table, name in self.places:
            answer = connection.receive()
            assert answer.status == 200, f"{table} {name}: {answer.status} {answer.body[:300]!r}"
            place = (table, name)
            found = version_of(answer.json().get("Item"), name)
            if self.doubt and self.doubt[0] == place:
                assert found in (self.versions[place], self.doubt[1]), (
                    f"{place}: version {found}, neither {self.versions[place]} nor {self.doubt[1]}")
                applied += found == self.doubt[1] != self.versions[place]
                self.versions[place] = found
            assert found == self.versions[place], (
                f"lost: {place} holds version {found}, {self.versions[place]} was acknowledged")
        doubts = int(self.doubt is not None)
        self.doubt = None
        return len(self.places), doubts, applied


class Churner(Worker):
    """Creates tables with one item and deletes them again."""

    def __init__(self, tally, seed):
        super().__init__(tally, f"{seed}-tables")
        self.present = set()
        self.doubt = None  # The table whose creation or deletion was not answered.
        self.without_item = None  # A table that is there; its item may be.
        self.created = self.deleted = 0

    def work(self):
        name = self.random.choice(CHURN_TABLES)
        self.doubt = name
        if name not in self.present:
            self.call("CreateTable", {"TableName": name, **schema("pk")})
            self.present.add(name)
            self.created += 1
            self.doubt, self.without_item = None, name
            self.call("PutItem", {"TableName": name, "Item": {"pk": {"S": name}}})
            self.without_item = None
        else:
            self.call("DeleteTable", {"TableName": name})
            self.present.discard(name)
            self.deleted += 1
            self.doubt = None
        self.tally.add()

    def check(self, connection):
        listed = set(connection.call("ListTables", {}).json()["TableNames"])
        assert set(TABLES) <= listed, f"lost tables {set(TABLES) - listed}"
        found = listed - set(TABLES)
        assert found - {self.doubt} == self.present - {self.doubt}, (
            f"tables {sorted(found)}, acknowledged {sorted(self.present)}, in doubt {self.doubt}")
        for name in sorted(listed):
            table = connection.call("DescribeTable", {"TableName": name}).json()["Table"]
            assert table["TableStatus"] == "ACTIVE", f"{name} is {table['TableStatus']}"
        for name in sorted(found):
            item = {"pk": {"S": name}}
            got = connection.call("GetItem", {"TableName": name, "Key": item}).json()
            if name in (self.doubt, self.without_item):
                assert got in ({}, {"Item": item})
                assert connection.call("PutItem", {"TableName": name, "Item": item}).status == 200
            else:
                assert got == {"Item": item}, f"{name} lost its item"
        self.present = found
        self.doubt = self.without_item = None


def schema(*names, **more):
    kinds = ("HASH", "RANGE")
    return {
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": n, "AttributeType": "S"} for n in names],
        "KeySchema": [{"AttributeName": n, "KeyType": k} for n, k in zip(names, kinds)],
        **more,
    }


def index(name, *keys):
    return [{"IndexName": name, "Projection": {"ProjectionType": "ALL"},
             "KeySchema": [{"AttributeName": k, "KeyType": t} for k, t in zip(keys, ("HASH", "RANGE"))]}]


def create_tables(client):
    client.ok("CreateTable", TableName="crash_hash", **schema("pk"))
    client.ok("CreateTable", TableName="crash_range", **schema("pk", "sk"))
    indexed = schema("pk", "sk", LocalSecondaryIndexes=index("loc", "pk", "l"),
                     GlobalSecondaryIndexes=index("glo", "g"))
    indexed["AttributeDefinitions"] += [{"AttributeName": n, "AttributeType": "S"} for n in ("l", "g")]
    client.ok("CreateTable", TableName="crash_index", **indexed)
