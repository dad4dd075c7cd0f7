"""Power cuts while 8 clients write, played from a record of the real program's writes and syncs.

The program is recorded once; each cut then makes the folder from the record up to some moment, with
what was not synced dropped, reordered or torn, and starts the program on it as after a boot. With
commit nothing that was acknowledged may be missing; with lazy the folder is the state of some
moment, with all that was acknowledged before the program chose it. Each folder passes `stator check`. How
old the state is, is printed; with STATOR_LONG=1 that may be the interval at most.
"""

import hashlib
import json
import os
import random
import statistics
import threading
import time

import pytest

from client import Client
from raw_client import Closed, Connection, request
from replay import FILES, Disk, put_in_place, read_record
from server_process import Server, run_to_end, wait_until

WRITERS = 8
KEYS_PER_WRITER = 12
# The load ends after so many answers with commit, after so many states on the disk with lazy.
ANSWERS, STATES = 1_200, 6
INTERVAL_S = 0.5
# Of a sync of data.mdb with lazy: long enough that what it makes safe is written over meanwhile.
SYNC_MS = 60
TABLE = "cut"
BROKEN = (Closed, ConnectionError, TimeoutError)
SCHEMA = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "g")],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "GlobalSecondaryIndexes": [{
        "IndexName": "by_g", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}]}],
}


def item_of(name, version, size):
    block = hashlib.sha256(f"{name}#{version}".encode()).hexdigest()
    fill = (block * (size // 64 + 1))[:size]
    digest = hashlib.sha256(f"{name}|{version}|{fill}".encode()).hexdigest()
    return {"pk": {"S": name}, "v": {"N": str(version)}, "g": {"S": block[:2]},
            "fill": {"S": fill}, "sum": {"S": digest}}


def version_of(item):
    name, version, fill = item["pk"]["S"], int(item["v"]["N"]), item["fill"]["S"]
    assert item == item_of(name, version, len(fill)), f"wrong item {name}: {json.dumps(item)[:300]}"
    return version


class Writer:
    """Puts and deletes its own keys; remembers when each write was sent and when acknowledged."""

    def __init__(self, number, seed):
        self.random = random.Random(f"{seed}-{number}")
        # name -> [(version or None, sent, acknowledged)]; times are CLOCK_MONOTONIC nanoseconds.
        self.history = {f"w{number}-{k}": [(None, 0, 0)] for k in range(KEYS_PER_WRITER)}
        self.version = self.answers = 0
        self.failure = None

    def run(self, server):
        try:
            with Connection(server) as connection:
                while True:
                    self.work(connection)
        except BROKEN:
            pass  # the end of the load
        except BaseException as failure:
            self.failure = failure

    def work(self, connection):
        name = self.random.choice(list(self.history))
        sent = time.monotonic_ns()
        if self.random.random() < 0.2:
            version = None
            connection.send(request("DeleteItem", {"TableName": TABLE, "Key": {"pk": {"S": name}}}))
        else:
            self.version += 1
            version = self.version
            size = self.random.choice((0, 50, 300, 2500, 9000))
            connection.send(request("PutItem", {"TableName": TABLE, "Item": item_of(name, version, size)}))
        self.history[name].append((version, sent, None))
        answer = connection.receive()
        assert answer.status == 200, answer.body[:300]
        self.history[name][-1] = (version, sent, time.monotonic_ns())
        self.answers += 1


def record_load(sync, folder, recorder, log, boot, seed):
    """The writers, after a load that was recorded; the server is killed."""
    server = Server("--db-path", folder, "--sync", sync, "--sync-interval", INTERVAL_S,
                    env={"LD_PRELOAD": str(recorder), "POWER_CUT_FOLDER": str(folder),
                         "POWER_CUT_LOG": str(log), "POWER_CUT_BOOT_ID": str(boot),
                         "POWER_CUT_SYNC_MS": str(SYNC_MS if sync == "lazy" else 0)})
    Client(server).ok("CreateTable", TableName=TABLE, **SCHEMA)
    ready = time.monotonic_ns()
    writers = [Writer(n, seed) for n in range(WRITERS)]
    threads = [threading.Thread(target=w.run, args=(server,), daemon=True) for w in writers]
    for thread in threads:
        thread.start()
    states = set()

    def is_enough():
        states.add((folder / "synced").read_bytes())
        if any(writer.failure for writer in writers):
            return True
        if sync == "commit":
            return sum(writer.answers for writer in writers) >= ANSWERS
        return len(states) > STATES

    wait_until(is_enough, what="enough load")
    server.kill()
    for thread in threads:
        thread.join()
    for writer in writers:
        if writer.failure:
            raise writer.failure
    return writers, ready


def contents(server):
    """Every item, by name, and the entries of the index."""
    with Connection(server) as connection:
        found = []
        for more in ({}, {"IndexName": "by_g"}):
            items, start = {}, {}
            while True:
                answer = connection.exchange(request("Scan", {"TableName": TABLE, **more, **start})).json()
                assert "Items" in answer, answer
                for item in answer["Items"]:
                    items[item["pk"]["S"]] = item
                if "LastEvaluatedKey" not in answer:
                    break
                start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
            found.append(items)
    return found


def check_state(items, writers, must_have_ns, cut_ns):
    """Whether `items` is the state of one moment, not before must_have_ns; how old it is, in ns."""
    latest_sent, earliest_missing = 0, None
    for writer in writers:
        for name, history in writer.history.items():
            found = version_of(items[name]) if name in items else None
            # Several deletions in a row look alike: any of them will do.
            places = [i for i, (version, sent, _) in enumerate(history)
                      if version == found and sent <= cut_ns]
            assert places, f"{name}: version {found} was never written by then"
            acknowledged = [i for i, (_, _, done) in enumerate(history)
                            if done is not None and done <= must_have_ns]
            place = max(places)
            least = max(acknowledged)
            assert place >= least, f"{name}: version {found}, but {history[least]} was promised"
            # With several places for a deletion, the weaker bounds.
            latest_sent = max(latest_sent, history[min(p for p in places if p >= least)][1])
            if place + 1 < len(history) and history[place + 1][2] is not None:
                missing = history[place + 1][2]
                earliest_missing = missing if earliest_missing is None else min(earliest_missing, missing)
    if earliest_missing is None:
        return 0
    assert latest_sent <= earliest_missing, "the state of no moment: a later write without an earlier"
    return max(0, cut_ns - earliest_missing)


@pytest.mark.parametrize("sync", ["commit", "lazy"])
def test_only_what_was_promised(recorder, tmp_path, cuts, seed, figures, sync):
    folder, log, boot = tmp_path / "data", tmp_path / "log", tmp_path / "boot"
    folder.mkdir()
    boot.write_text("before\n")
    writers, ready_ns = record_load(sync, folder, recorder, log, boot, seed)
    entries = read_record(log)
    behind = [i for i, entry in enumerate(entries) if entry.time_ns >= ready_ns]
    # The program chooses each state after it has told the file `synced` of the one before, so what was acknowledged by then
    # is in it.
    told = [i for i in behind if (entries[i].kind, entries[i].file) == ("E", FILES.index("synced"))]
    # From then on the table is there for sure.
    first = behind[0] if sync == "commit" else told[1] + 1
    chance = random.Random(f"{seed}-{sync}")
    moments = sorted(chance.randrange(first, len(entries)) for _ in range(cuts))
    boot.write_text("after\n")
    disk = Disk(entries)
    ages_ms = []
    started = time.monotonic()
    for number, moment in enumerate(moments):
        disk.advance(moment)
        cut_ns = entries[moment].time_ns
        put_in_place(folder, disk.after_cut(chance))
        with Server("--db-path", folder, "--sync", sync,
                    env={"LD_PRELOAD": str(recorder), "POWER_CUT_BOOT_ID": str(boot)}) as server:
            table, index = contents(server)
        assert table == index, f"cut {number}: the index differs from its table"
        must_have_ns = cut_ns if sync == "commit" else entries[[i for i in told if i < moment][-2]].time_ns
        try:
            ages_ms.append(check_state(table, writers, must_have_ns, cut_ns) / 1e6)
        except AssertionError as wrong:
            raise AssertionError(f"cut {number} of {sync}, entry {moment}: {wrong}") from wrong
        checked = run_to_end("check", folder)
        assert checked.returncode == 0, f"cut {number}: {checked.stdout} {checked.stderr}"
    if os.environ.get("STATOR_LONG") == "1":
        assert max(ages_ms) <= INTERVAL_S * 1000
    older = sum(age > 0 for age in ages_ms)
    writes = sum(len(history) - 1 for w in writers for history in w.history.values())
    figures.append(
        f"--sync {sync}: {cuts} cuts in {len(entries)} writes and syncs of {writes} requests: "
        f"{cuts - older} complete, {older} older (by {max(ages_ms):.0f} ms at most, median "
        f"{statistics.median(ages_ms):.0f}, interval {INTERVAL_S * 1000:.0f}), none refused, wrong or "
        f"damaged; {time.monotonic() - started:.0f} s")
