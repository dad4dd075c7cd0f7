"""Everything at once, from many threads: no answer but those that are expected, no sum that changes, no
rollback that leaves something behind, no report of a sanitizer, and an end on request."""

import time

import pytest

from admin import Admin
from client import Client
from items import Items, Looks, StreamReaders, Statements, Transfers
from recovery import Recovery
from steering import Clock, OtherMarks, Rollbacks, Watchers
from tables import Changes, Churn, Resets
from world import World, create_tables, run_all

# Settings under which more of the program is at work: late indexes and reads, transactions in flight, a thread of the
# queue's own, an fsync for each batch.
MIXES = {
    "memory": (),
    "late": ("--gsi-delay", "0.02", "--eventual-read-lag", "0.02", "--transaction-time", "0.01",
             "--stream-rollover", "60"),
    "disk": ("--sync", "commit", "--stream-shards", "2"),
}
# What has to have happened before it was enough, however slow the machine is.
WANTED = ("rollbacks", "sums", "CreateTable 200", "DeleteTable 200", "UpdateTable 200", "GetRecords 200",
          "ExecuteStatement 200", "TransactWriteItems 200", "GET metrics 200", "GET capacity 200", "GET requests 200",
          "POST clock 200", "POST reset 200", "CreateBackup 200", "UpdateContinuousBackups 200",
          "RestoreTableFromBackup 200", "RestoreTableToPointInTime 200", "restored sums")
PATIENCE_S = 180
# The admin lane runs one verb at a time and gives each three quarters of this. ANSWER_DEADLINE_S has room for some of
# them in turn.
PATIENT = ("--request-timeout", "240")


def everybody(world, is_late):
    return [Rollbacks(world, "rollbacks", is_late), Clock(world, "clock"), OtherMarks(world, "marks"),
            Watchers(world, "watcher0"), Watchers(world, "watcher1"), Churn(world, "churn0"), Churn(world, "churn1"),
            Changes(world, "changes"), Resets(world, "resets"), Items(world, "items0"), Items(world, "items1"),
            Statements(world, "statements"), Transfers(world, "transfers0"), Transfers(world, "transfers1"),
            StreamReaders(world, "streams"), Looks(world, "looks"), Recovery(world, "recovery0"),
            Recovery(world, "recovery1")]


@pytest.mark.parametrize("mix", MIXES)
def test_everything_at_once(start, seed, seconds, figures, tmp_path, mix):
    folder = ("--db-path", tmp_path / "data") if mix == "disk" else ()
    server = start(*MIXES[mix], *folder, "--threads", "3", *PATIENT)
    create_tables(Client(server))
    world = World(server, f"{seed}-{mix}")
    counts = world.counts
    begun = time.monotonic()

    def was_enough():
        passed = time.monotonic() - begun
        missing = [kind for kind in WANTED if counts[kind] == 0]
        assert not missing or passed < seconds + PATIENCE_S, f"no {missing} in {sorted(counts.items())}"
        return passed >= seconds / len(MIXES) and not missing

    run_all(world, everybody(world, is_late=mix == "late"), until=was_enough)
    figures.append(f"{mix}: {sum(counts.values())} requests, {counts['rollbacks']} rollbacks, {counts['sums']} sums")


# What ended the process once: the thread of a rollback looked at the tables that two others replaced.
def test_rollbacks_beside_table_changes(start, seed, rollbacks, figures):
    server = start("--threads", "2", *PATIENT)
    client = Client(server)
    create_tables(client)
    for number in range(min(rollbacks, 300)):  # the more tables, the longer each look
        client.create_table(f"bystander{number}")
    Admin(server).mark("m")
    world = World(server, f"{seed}-rollbacks")
    workers = [Rollbacks(world, "rollbacks", is_late=False), Churn(world, "churn0"), Churn(world, "churn1"),
               Recovery(world, "recovery0")]
    begun = time.monotonic()
    run_all(world, workers, until=lambda: world.counts["rollbacks"] >= rollbacks)
    figures.append(f"rollbacks: {world.counts['rollbacks']} in {time.monotonic() - begun:.0f} s")
