"""Kills the server at random moments under 16 writing connections: nothing acknowledged may be lost.

The moment is a number of acknowledged writes, so that no test waits for a clock. SIGKILL leaves
the page cache alone; what it shows is that every answer came after its commit and that a commit
cut in half is never seen.
"""

import random
import statistics
import threading
import time

import pytest

from client import Client
from raw_client import Connection
from server_process import Server
from workload import Churner, Tally, Writer, create_tables

CONNECTIONS = 16
ROUND_SECONDS = 1.5
WAIT_DEADLINE_S = 120


class Figures:
    def __init__(self):
        self.reads = self.doubts = self.applied = 0
        self.starts_ms = []

    def add(self, reads, doubts, applied):
        self.reads += reads
        self.doubts += doubts
        self.applied += applied


def begin(folder, sync, figures):
    started = time.monotonic()
    server = Server("--db-path", folder, "--sync", sync)
    figures.starts_ms.append((time.monotonic() - started) * 1000)
    return server


def check(server, writers, churner, figures):
    with Connection(server) as connection:
        churner.check(connection)
        for writer in writers:
            figures.add(*writer.check(connection))


def write_until_killed(server, workers, tally, count):
    """Runs all workers, kills the server after `count` acknowledged writes; returns the rate."""
    tally.aim(count)
    threads = [threading.Thread(target=w.run, args=(server,), daemon=True) for w in workers]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    reached = tally.reached.wait(WAIT_DEADLINE_S)
    elapsed = time.monotonic() - started
    server.kill()
    for thread in threads:
        thread.join(WAIT_DEADLINE_S)
        assert not thread.is_alive(), "a writer did not notice the end of its connection"
    for worker in workers:
        if worker.failure:
            raise worker.failure
    assert reached, f"{count} writes did not come within {WAIT_DEADLINE_S} s"
    return count / elapsed


@pytest.mark.parametrize("sync", ["commit", "lazy"])
def test_killed_under_load(sync, tmp_path, rounds, seed, figures):
    chance = random.Random(f"{seed}-{sync}")
    tally, measured = Tally(), Figures()
    writers = [Writer(n, tally, f"{seed}-{sync}") for n in range(CONNECTIONS - 1)]
    churner = Churner(tally, f"{seed}-{sync}")
    most = 200
    started = time.monotonic()

    server = begin(tmp_path, sync, measured)
    create_tables(Client(server))
    for _ in range(rounds):
        rate = write_until_killed(server, [*writers, churner], tally, chance.randint(1, most))
        most = max(100, min(4000, int(rate * ROUND_SECONDS)))
        server = begin(tmp_path, sync, measured)
        check(server, writers, churner, measured)

    # An orderly end and one more look, so that recovery itself has left no trace.
    assert server.stop() == 0
    server = begin(tmp_path, sync, measured)
    check(server, writers, churner, measured)
    assert server.stop() == 0
    figures.append(
        f"--sync {sync}: {rounds} kills, {tally.acknowledged} acknowledged writes, {measured.doubts} in "
        f"doubt ({measured.applied} applied), {churner.created} tables created, {churner.deleted} deleted, "
        f"{measured.reads} items read back, start {min(measured.starts_ms):.0f}/"
        f"{statistics.median(measured.starts_ms):.0f}/{max(measured.starts_ms):.0f} ms "
        f"(least/median/most), {time.monotonic() - started:.0f} s")
