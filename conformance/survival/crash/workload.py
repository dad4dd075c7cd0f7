"""What the kill test writes: its tables and items, and what all its workers have in common.

An item follows from its table, name, version and size, so an item made of parts of two writes, or
of none, is seen. Its index keys follow too: a new version moves it between the entries of indexes,
and now and then out of them.
"""

import collections
import hashlib
import random
import threading

from raw_client import Closed, Connection, request

# Tables of items that belong to one writer each; the last one is where indexes come and go.
OWNED = ("crash_hash", "crash_range", "crash_index", "crash_late")
COUNTS, CHAINS = "crash_counts", "crash_chains"
MOVED = ("crash_moved", "crash_moved_range")  # what transactions write to
TABLES = (*OWNED, COUNTS, CHAINS, *MOVED)
LATE = OWNED[-1]
EXPIRING = "crash_expiring"  # its items are swept, so it is none of those above
STREAMED = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}
# A backfill goes on in pieces of 256 KB: these items are a dozen of them.
FILLERS = [f"filler-{n:03d}" for n in range(400)]
FILLER_SIZE = 8000
BROKEN = (Closed, ConnectionError, TimeoutError)


def key_of(table, name):
    if table in ("crash_hash", LATE, MOVED[0]):
        return {"pk": {"S": name}}
    return {"pk": {"S": name[:3]}, "sk": {"S": name}}


def name_of(item):
    return item.get("sk", item["pk"])["S"]


def item_of(table, name, version, size):
    """The item of one version, with `size` characters of filling."""
    block = hashlib.sha256(f"{table}|{name}|{version}|{size}".encode()).hexdigest()
    item = {**key_of(table, name), "v": {"N": str(version)}, "l": {"S": block[:2]},
            "fill": {"S": (block * (size // 64 + 1))[:size]}}
    if block[2] < "c":
        item["g"] = {"S": block[3]}
    return item


def version_of(table, item):
    """The version an item holds, None without one; after checking that all its parts belong together."""
    if item is None:
        return None
    version = int(item["v"]["N"])
    wanted = item_of(table, name_of(item), version, len(item["fill"]["S"]))
    assert item == wanted, f"torn item {str(item)[:300]}"
    return version


def condition(version):
    """Members by which a write goes ahead only where the item has that version (None: is missing)."""
    if version is None:
        return {"ConditionExpression": "attribute_not_exists(pk)"}
    return {"ConditionExpression": "v = :expected",
            "ExpressionAttributeValues": {":expected": {"N": str(version)}}}


class Tally:
    """Counts acknowledged writes by kind and announces that enough have come."""

    def __init__(self):
        self.lock = threading.Lock()
        self.reached = threading.Event()
        self.kinds = collections.Counter()
        self.acknowledged = self.target = 0
        self.wanted = None

    def aim(self, more, wanted=None):
        """Announces the first write of the kind `wanted` (any without one) after `more`."""
        with self.lock:
            self.target, self.wanted = self.acknowledged + more, wanted
            self.reached.clear()

    def add(self, kind):
        with self.lock:
            self.acknowledged += 1
            self.kinds[kind] += 1
            if self.acknowledged >= self.target and self.wanted in (None, kind):
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

    def attempt(self, operation, body):
        """(name of the error or None, the answer)."""
        answer = self.connection.exchange(request(operation, body))
        assert answer.status in (200, 400), f"{operation}: {answer.status} {answer.body[:400]!r}"
        return None if answer.status == 200 else answer.error()[1], answer.json()

    def call(self, operation, body):
        error, answer = self.attempt(operation, body)
        assert error is None, f"{operation}: {answer}"
        return answer


def attributes(names):
    kinds = {"v": "N", "amount": "N"}
    return [{"AttributeName": n, "AttributeType": kinds.get(n, "S")} for n in names]


def keys(names):
    return [{"AttributeName": n, "KeyType": k} for n, k in zip(names, ("HASH", "RANGE"))]


def schema(*names):
    return {"BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": attributes(names),
            "KeySchema": keys(names)}


def index(name, *names, projection="ALL", include=()):
    return {"IndexName": name, "KeySchema": keys(names),
            "Projection": {"ProjectionType": projection,
                           **({"NonKeyAttributes": list(include)} if include else {})}}


def create_tables(client):
    def create(name, *key, local=(), glob=()):
        used = {k["AttributeName"]: None for i in (*local, *glob) for k in i["KeySchema"]}
        members = schema(*key)
        members["AttributeDefinitions"] = attributes([*dict.fromkeys([*key, *used])])
        if local:
            members["LocalSecondaryIndexes"] = list(local)
        if glob:
            members["GlobalSecondaryIndexes"] = list(glob)
        client.ok("CreateTable", TableName=name, **members, **STREAMED)

    create("crash_hash", "pk")
    create("crash_range", "pk", "sk", local=[index("newest", "pk", "v", projection="KEYS_ONLY")])
    create("crash_index", "pk", "sk",
           local=[index("loc", "pk", "l"), index("sparse", "pk", "g", projection="KEYS_ONLY")],
           glob=[index("glo", "g"), index("few", "l", "v", projection="INCLUDE", include=["g"])])
    create(LATE, "pk")
    create(COUNTS, "pk", glob=[index("ranking", "kind", "amount")])
    create(CHAINS, "pk", glob=[index("by_digest", "digest", "v")])
    create(MOVED[0], "pk", glob=[index("by_g", "g", "v")])
    create(MOVED[1], "pk", "sk", local=[index("by_v", "pk", "v")])
    create(EXPIRING, "pk", "sk", glob=[index("by_sk", "sk")])
    client.ok("UpdateTimeToLive", TableName=EXPIRING,
              TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
    for first in range(0, len(FILLERS), 25):
        client.ok("BatchWriteItem", RequestItems={LATE: [
            {"PutRequest": {"Item": item_of(LATE, name, 1, FILLER_SIZE)}}
            for name in FILLERS[first:first + 25]]})
