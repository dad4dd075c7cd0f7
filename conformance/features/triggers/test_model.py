"""Random writes, filters, failures, kills and moves of the clock, beside a model of what each function gets: every
matching record at least once, in order per key, and poison ends where the parameters say. STATOR_LONG=1 kills 100 times.
"""

import http.client
import json
import os
import random
import threading

import pytest

from called import Functions, Reply, World, error, function_flags, keys_of
from own_servers import start  # noqa: F401
from runtime_client import Runtime

KILLS = 100 if os.environ.get("STATOR_LONG") == "1" else 10
KEYS = [f"k{number}" for number in range(6)]
RETRIES = 2
BUCKET = "arn:aws:s3:::failures"
PATTERN = {"dynamodb": {"NewImage": {"kind": {"S": [{"anything-but": "skip"}]}}}}


def change_of(record):
    """What identifies a record: whether it removes, and the value that no other write has."""
    images = record["dynamodb"]
    is_removal = record["eventName"] == "REMOVE"
    return is_removal, images["OldImage" if is_removal else "NewImage"]["v"]["S"]


def kind_of(record):
    return record["dynamodb"].get("NewImage", {"kind": {"S": "good"}})["kind"]["S"]


class Function:
    """Fails poison always and flaky records once, and now and then is not reached."""

    def __init__(self, seed, reports_items):
        self.draw = random.Random(seed)
        self.reports_items = reports_items
        self.lock = threading.Lock()
        self.first_seen = []  # (key, change)
        self.delivered = set()
        self.failed_once = set()
        self.poison_alone = {}

    def answer(self, event, _):
        records = event["Records"]
        with self.lock:
            self.see(records)
            luck = self.draw.random()
            if luck < 0.1:
                raise ConnectionError("the function has gone")
            if luck < 0.2:
                return Reply(503)
            bad = next((at for at, record in enumerate(records) if self.fails(record)), len(records))
            self.failed_once.update(change_of(record) for record in records if kind_of(record) == "flaky")
            if bad < len(records) and not self.reports_items:
                self.count(records)
                return error()
            self.delivered.update(change_of(record) for record in records[:bad])
            if bad == len(records):
                return None
            if bad == 0:
                self.count(records)
            return Reply(200, {"batchItemFailures": [
                {"itemIdentifier": records[bad]["dynamodb"]["SequenceNumber"]}]})

    def see(self, records):
        for record in records:
            seen = keys_of(record), change_of(record)
            if seen not in self.first_seen:
                self.first_seen.append(seen)

    def fails(self, record):
        kind = kind_of(record)
        return kind == "poison" or (kind == "flaky" and change_of(record) not in self.failed_once)

    def count(self, records):
        if len(records) == 1 and kind_of(records[0]) == "poison":
            change = change_of(records[0])
            self.poison_alone[change] = self.poison_alone.get(change, 0) + 1


class Mortal(threading.Thread):
    """A process of h that ends in the middle of a call now and then, until its server ends."""

    def __init__(self, server, function):
        super().__init__(daemon=True)
        self.server = server
        self.function = function
        self.start()

    def run(self):
        runtime = Runtime(self.server, "h")
        try:
            while True:
                event = runtime.next()
                records = event.body["Records"]
                with self.function.lock:
                    self.function.see(records)
                    dies = self.function.draw.random() < 0.1
                if dies:
                    runtime.close()
                    runtime = Runtime(self.server, "h")
                    continue
                with self.function.lock:
                    self.function.delivered.update(map(change_of, records))
                if runtime.respond(event, {}).status != 202:
                    return
        except (OSError, http.client.HTTPException, AssertionError, ValueError):
            pass


class Writes:
    """What was written, in order: (key, change, kind)."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.made = []
        self.present = {}

    def write(self, world, table):
        key = self.draw.choice(KEYS)
        if key in self.present and self.draw.random() < 0.15:
            world.db.delete_item(TableName=table, Key={"pk": {"S": key}})
            self.made.append((key, (True, self.present.pop(key)), "good"))
            return
        kind, = self.draw.choices(("good", "flaky", "skip", "poison"), (60, 15, 15, 10))
        value = str(len(self.made))
        world.put(table, key, v=value, kind=kind)
        self.present[key] = value
        self.made.append((key, (False, value), kind))


def settle_all(world):
    """Waits for all mappings, and moves the clock to what they wait for."""
    for _ in range(500):
        if all(state["status"] == "idle" for state in world.settle().values()):
            return
        world.admin.move(advance="1m")
    raise AssertionError(world.admin.ok("triggers"))


def discarded_in(folder):
    """By the UUID of the mapping. A kill may leave a file that was not finished."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix != ".part":
            uuid = path.relative_to(folder).parts[2]
            records = json.loads(path.read_text())["payload"]["Records"]
            found.setdefault(uuid, set()).update(map(change_of, records))
    return found


def in_order_of_keys(changes):
    return {key: [change for of, change in changes if of == key] for key in KEYS}


@pytest.mark.parametrize("factor, seed", [(1, 11), (3, 12)])
def test_every_record_arrives_in_order(start, tmp_path, factor, seed):  # noqa: F811
    served = Functions()
    functions = {"f": Function(seed, False), "g": Function(seed + 1, True), "h": Function(seed + 2, False)}
    for name in ("f", "g"):
        served.answer(name, functions[name].answer)
    folder = tmp_path / "failures"
    flags = ("--db-path", tmp_path / "data", *function_flags(served), "--function", "h", "--lambda-retry-backoff", "0",
             "--function-destination", f"{BUCKET}={folder}")

    def begin():
        world = World(start(*flags), served)
        Mortal(world.server, functions["h"])
        return world

    world = begin()
    table = world.table()
    members = {"ParallelizationFactor": factor, "BatchSize": 4}
    ends = {"BisectBatchOnFunctionError": True, "MaximumRetryAttempts": RETRIES,
            "DestinationConfig": {"OnFailure": {"Destination": BUCKET}}}
    uuids = {
        "f": world.map(table, "f", FilterCriteria={"Filters": [{"Pattern": json.dumps(PATTERN)}]}, **members, **ends),
        "g": world.map(table, "g", FunctionResponseTypes=["ReportBatchItemFailures"], **members, **ends),
        "h": world.map(table, "h", **members)}
    writes = Writes(seed)
    for _ in range(KILLS):
        for _ in range(writes.draw.randint(1, 15)):
            writes.write(world, table)
            if writes.draw.random() < 0.05:
                world.admin.move(advance=f"{writes.draw.randint(1, 30)}s")
        world.server.kill()
        world = begin()
    settle_all(world)

    wanted = {
        "f": [(key, change) for key, change, kind in writes.made if not change[0] and kind != "skip"],
        "g": [(key, change) for key, change, _ in writes.made],
        "h": [(key, change) for key, change, _ in writes.made]}
    poison = {change for _, change, kind in writes.made if kind == "poison"}
    discarded = discarded_in(folder)
    assert poison
    for name, function in functions.items():
        assert in_order_of_keys(function.first_seen) == in_order_of_keys(wanted[name]), name
        lost = set() if name == "h" else poison
        assert discarded.get(uuids[name], set()) == lost, name
        assert function.delivered == {change for _, change in wanted[name]} - lost, name
    for name in ("f", "g"):
        calls = functions[name].poison_alone
        assert set(calls) == poison
        assert all(RETRIES < count <= RETRIES + 1 + KILLS for count in calls.values()), (name, calls)
    served.close()
