"""A writer that knows what it was promised, and the check of those promises after a crash.

A write whose answer did not come is in doubt: afterwards it is there or not, and which of both is
from then on as good as promised. Anything else is a write that was lost, or applied twice.
"""

import collections
import hashlib
import threading

from raw_client import request
from transactions import Moves
from workload import (CHAINS, COUNTS, FILLERS, LATE, OWNED, Worker, condition, item_of, key_of, name_of,
                      version_of)

KEYS_PER_WRITER = 24
REFUSED = "ConditionalCheckFailedException"
NAMES_SHARED = ("one", "two", "three")


class Keys:
    """Items of one writer's own, each known by version: puts, updates, deletes, conditions, batches."""

    def __init__(self, writer, number):
        self.writer, self.random = writer, writer.random
        names = [f"{number:02d}x{k:02d}" for k in range(KEYS_PER_WRITER)]
        self.versions = {(OWNED[k % len(OWNED)], name): None for k, name in enumerate(names)}
        self.places = list(self.versions)
        self.last_version = 0
        self.doubt = {}  # place -> the version it may have instead

    def work(self):
        place = self.random.choice(self.places)
        self.random.choices((self.put, self.update, self.delete, self.refused, self.batch),
                            (6, 4, 3, 2, 2))[0](place)

    def promise(self, operation, changes, body):
        """Sends a write after which `changes` (place -> version) are to be true."""
        self.doubt = changes
        answer = self.writer.call(operation, body)
        # The answer is there: from here on the write must survive.
        self.versions.update(changes)
        self.doubt = {}
        self.writer.tally.add(operation)
        return answer

    def new_item(self, place):
        self.last_version += 1
        size = self.random.choice((0, 50, 300, 900, 2500))
        if self.random.random() < 0.01:
            size = self.random.randrange(10_000, 120_000)
        return item_of(*place, self.last_version, size)

    def guard(self, place):
        """A condition that holds, or none."""
        return condition(self.versions[place]) if self.random.random() < 0.5 else {}

    def changed_alone(self, operation, place, version, body):
        """A write to one item, which tells what it replaced."""
        old = self.versions[place]
        answer = self.promise(operation, {place: version},
                              {"TableName": place[0], "ReturnValues": "ALL_OLD", **body})
        seen = version_of(place[0], answer.get("Attributes"))
        assert seen == old, f"{place}: replaced version {seen}, expected {old}"

    def put(self, place):
        item = self.new_item(place)
        self.changed_alone("PutItem", place, self.last_version, {"Item": item, **self.guard(place)})

    def delete(self, place):
        body = {"Key": key_of(*place), **self.guard(place)}
        self.changed_alone("DeleteItem", place, None, body)

    def update(self, place):
        item = self.new_item(place)
        names = [name for name in ("v", "l", "g", "fill") if name in item]
        text = "SET " + ", ".join(f"{name} = :{name}" for name in names)
        body = {"Key": key_of(*place), "UpdateExpression": text + ("" if "g" in item else " REMOVE g"),
                **self.guard(place)}
        body["ExpressionAttributeValues"] = {**body.get("ExpressionAttributeValues", {}),
                                             **{f":{name}": item[name] for name in names}}
        self.changed_alone("UpdateItem", place, self.last_version, body)

    def refused(self, place):
        """A write whose condition does not hold."""
        there = self.versions[place] is not None
        body = {"TableName": place[0], **condition(None if there else 1)}
        if self.random.random() < 0.5:
            error, _ = self.writer.attempt("DeleteItem", {**body, "Key": key_of(*place)})
        else:
            error, _ = self.writer.attempt("PutItem", {**body, "Item": self.new_item(place)})
        assert error == REFUSED, f"{place}: {error} for a condition that does not hold"

    def batch(self, _):
        changes, tables = {}, collections.defaultdict(list)
        for place in self.random.sample(self.places, self.random.randint(2, 20)):
            if self.random.random() < 0.3:
                changes[place] = None
                tables[place[0]].append({"DeleteRequest": {"Key": key_of(*place)}})
            else:
                item = self.new_item(place)
                changes[place] = self.last_version
                tables[place[0]].append({"PutRequest": {"Item": item}})
        answer = self.promise("BatchWriteItem", changes, {"RequestItems": tables})
        assert answer == {"UnprocessedItems": {}}

    def check(self, connection, contents):
        """Reads every key back, one by one and among all items; (doubts, doubtful writes applied)."""
        connection.send(b"".join(
            request("GetItem", {"TableName": t, "Key": key_of(t, n), "ConsistentRead": True})
            for t, n in self.places))
        doubts, applied = len(self.doubt), 0
        for place in self.places:
            answer = connection.receive()
            assert answer.status == 200, f"{place}: {answer.status} {answer.body[:300]!r}"
            item = answer.json().get("Item")
            assert item == contents[place[0]].get(place[1]), f"{place}: GetItem and Scan differ"
            found = version_of(place[0], item)
            allowed = {self.versions[place], self.doubt.get(place, self.versions[place])}
            assert found in allowed, f"lost: {place} holds version {found}, promised was one of {allowed}"
            applied += found != self.versions[place]
            self.versions[place] = found
        self.doubt = {}
        return doubts, applied


class Counts:
    """Counters all writers add to, each also to a number of its own beside the sum."""

    def __init__(self, writer, number):
        self.writer, self.own = writer, f"w{number:02d}"
        self.counted = collections.Counter()
        self.doubt = None

    def work(self):
        name = self.doubt = self.writer.random.choice(NAMES_SHARED)
        answer = self.writer.call("UpdateItem", {
            "TableName": COUNTS, "Key": {"pk": {"S": name}}, "ReturnValues": "ALL_NEW",
            "UpdateExpression": f"SET kind = :kind ADD amount :one, {self.own} :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}, ":kind": {"S": "counter"}}})
        self.counted[name] += 1
        self.doubt = None
        self.writer.tally.add("counter")
        self.compare(name, answer["Attributes"])

    def compare(self, name, item):
        found = int(item.get(self.own, {"N": "0"})["N"])
        doubtful = int(self.doubt == name)
        assert 0 <= found - self.counted[name] <= doubtful, (
            f"counter {name} of {self.own}: {found}, acknowledged {self.counted[name]}, doubtful {doubtful}")
        total = sum(int(value["N"]) for key, value in item.items() if key.startswith("w"))
        assert int(item["amount"]["N"]) == total, f"counter {name}: parts of different additions: {item}"
        return found

    def check(self, _, contents):
        doubts, applied = int(self.doubt is not None), 0
        for name in NAMES_SHARED:
            found = self.compare(name, contents[COUNTS].get(name, {"amount": {"N": "0"}}))
            applied += found - self.counted[name]
            self.counted[name] = found
        self.doubt = None
        return doubts, applied


class Ledger:
    """Who moved each chain from which version to the next; shared by all writers."""

    def __init__(self):
        self.lock = threading.Lock()
        self.steps = {}  # (name, version) -> (digest before, digest)
        self.known = {name: (0, "") for name in NAMES_SHARED}

    def acknowledge(self, name, version, step):
        with self.lock:
            assert (name, version) not in self.steps, f"two writers made version {version} of {name}"
            self.steps[name, version] = step

    def check(self, contents, doubts):
        """`doubts`: (name, version, step) of those whose answer did not come; how many were applied."""
        applied = 0
        for name in NAMES_SHARED:
            version, digest = version_and_digest(contents[CHAINS].get(name))
            at, digests = self.known[name][0], {self.known[name][1]}
            while at < version:
                at += 1
                promised = self.steps.pop((name, at), None)
                steps = [promised] if promised else [s for n, v, s in doubts if (n, v) == (name, at)]
                applied += promised is None
                digests = {after for before, after in steps if before in digests}
            assert digest in digests, f"chain {name} broke before version {version}"
            lost = [v for n, v in self.steps if n == name]
            assert not lost, f"chain {name} is at version {version}, acknowledged were {lost}"
            assert at == version, f"chain {name} went back from {at} to {version}"
            self.known[name] = (version, digest)
        return applied


def version_and_digest(item):
    return (int(item["v"]["N"]), item["digest"]["S"]) if item else (0, "")


class Chain:
    """Compare and set: reads a version, writes the next if nobody was faster. Each digest covers
    all before, so a step that was lost or made twice shows in every later one."""

    def __init__(self, writer, number, ledger):
        self.writer, self.number, self.ledger = writer, number, ledger
        self.doubt = None

    def work(self):
        name = self.writer.random.choice(NAMES_SHARED)
        body = {"TableName": CHAINS, "Key": {"pk": {"S": name}}}
        item = self.writer.call("GetItem", {**body, "ConsistentRead": True}).get("Item")
        version, before = version_and_digest(item)
        after = hashlib.sha256(f"{before}|{self.number}|{version}".encode()).hexdigest()[:16]
        step = (name, version + 1, (before, after))
        guarded = condition(version or None)
        guarded["ExpressionAttributeValues"] = {
            **guarded.get("ExpressionAttributeValues", {}),
            ":v": {"N": str(version + 1)}, ":digest": {"S": after}}
        self.doubt = step
        error, answer = self.writer.attempt("UpdateItem", {
            **body, **guarded, "UpdateExpression": "SET v = :v, digest = :digest",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
        self.doubt = None
        if error is None:
            self.ledger.acknowledge(*step)
            self.writer.tally.add("compare and set")
        else:
            assert error == REFUSED, answer
            assert version_and_digest(answer["Item"])[0] > version, f"refused for nothing: {answer}"


class Writer(Worker):
    """One connection that does all of it."""

    def __init__(self, number, tally, ledger, seed):
        super().__init__(tally, f"{seed}-{number}")
        self.keys, self.counts = Keys(self, number), Counts(self, number)
        self.chain, self.moves = Chain(self, number, ledger), Moves(self, number)

    def work(self):
        self.random.choices((self.keys, self.counts, self.chain, self.moves), (6, 2, 2, 3))[0].work()


def check_writers(connection, contents, writers, ledger):
    """All promises against `contents` (table -> name -> item); (doubts, doubtful writes applied)."""
    doubts = applied = 0
    for writer in writers:
        for part in (writer.keys, writer.counts, writer.moves):
            some, done = part.check(connection, contents)
            doubts, applied = doubts + some, applied + done
    steps = [w.chain.doubt for w in writers if w.chain.doubt]
    applied += ledger.check(contents, steps)
    for writer in writers:
        writer.chain.doubt = None
    own = {place for writer in writers for place in writer.keys.places}
    for table in OWNED:
        fillers = FILLERS if table == LATE else []
        strange = {name for name in contents[table] if (table, name) not in own} ^ set(fillers)
        assert not strange, f"{table}: too many or too few: {sorted(strange)[:5]}"
        for name in fillers:
            assert version_of(table, contents[table][name]) == 1
    return doubts + len(steps), applied
