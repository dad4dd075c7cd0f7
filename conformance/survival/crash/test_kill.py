"""Kills the server at random moments under 16 writers: nothing acknowledged may be lost.

The moment is a number of acknowledged writes, or the first one of some kind after it, so that no
test waits for a clock. SIGKILL leaves the page cache alone; what it shows is that every answer came
after its commit and that a commit cut in half is never seen. After each kill `stator check` passes,
every promise of every writer is kept, every index equals its table, and so does every stream when it
is replayed. Of a transaction all is there or nothing, and sent again it has its effect once.
"""

import random
import shutil
import signal
import statistics
import threading
import time

import pytest

from client import Client
from definers import Churner, Indexer, contents_of
from followers import Expirer, Follower
from raw_client import Connection
from server_process import Server, assert_whole
from transactions import check_streams
from workload import TABLES, Tally, create_tables
from writers import Ledger, Writer, check_writers

WRITERS = 16
ROUND_SECONDS = 0.6
KILLS_OF_A_FOLDER = 100
WAIT_DEADLINE_S = 120
# Half of the kills come right after one of these.
MOMENTS = ("create index", "delete index", "CreateTable", "DeleteTable", "BatchWriteItem", "counter",
           "TransactWriteItems")


class Crew:
    """Everybody who works on the folder, and what they were promised."""

    def __init__(self, seed):
        self.tally, self.ledger = Tally(), Ledger()
        self.writers = [Writer(n, self.tally, self.ledger, seed) for n in range(WRITERS)]
        self.churner, self.indexer = Churner(self.tally, seed), Indexer(self.tally, seed)
        self.expirer = Expirer(self.tally, seed)
        self.followers = [Follower(table) for table in TABLES]
        self.doubts = self.applied = self.compared = 0

    def work_until_killed(self, server, count, moment):
        """Kills the server after `count` acknowledged writes; returns the rate."""
        workers = [*self.writers, self.churner, self.indexer, self.expirer]
        before = self.tally.acknowledged
        self.tally.aim(count, moment)
        threads = [threading.Thread(target=w.run, args=(server,), daemon=True) for w in workers]
        started = time.monotonic()
        for thread in threads:
            thread.start()
        reached = self.tally.reached.wait(WAIT_DEADLINE_S)
        elapsed = time.monotonic() - started
        status = server.kill()
        for thread in threads:
            thread.join(WAIT_DEADLINE_S)
            assert not thread.is_alive(), "a worker did not notice the end of its connection"
        for worker in workers:
            if worker.failure:
                raise worker.failure
        assert reached, f"{count} writes did not come within {WAIT_DEADLINE_S} s"
        assert status == -signal.SIGKILL, f"the server had ended by itself: {status} {server.log()[-2000:]}"
        return (self.tally.acknowledged - before) / elapsed

    def check(self, server):
        with Connection(server) as connection:
            self.churner.check(connection)
            self.indexer.check(connection)
            contents, compared = contents_of(connection)
            for follower in self.followers:
                follower.check(connection, contents[follower.table])
            check_streams(self.followers, self.writers)
            # Sends again what is in doubt, so the streams go on behind this.
            doubts, applied = check_writers(connection, contents, self.writers, self.ledger)
            self.expirer.check(server, connection)
        self.doubts, self.applied = self.doubts + doubts, self.applied + applied
        self.compared += compared

    def ended_shards(self):
        return sum(len(f.finished) for f in (*self.followers, self.expirer.follower))

    def story(self):
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.tally.kinds.items()))
        records = sum(f.records for f in (*self.followers, self.expirer.follower))
        return (f"{self.tally.acknowledged} acknowledged writes ({kinds}), {self.doubts} in doubt "
                f"({self.applied} applied), {self.compared} indexes compared, {records} stream records replayed "
                f"over {self.ended_shards()} shards that ended, "
                f"{self.indexer.unfinished} starts with an unfinished index")


class Folder:
    """One data folder, on which a server begins again after each kill."""

    def __init__(self, path, sync, name):
        self.path, self.sync = path, sync
        self.chance, self.crew = random.Random(name), Crew(name)
        self.most = 200  # acknowledged writes before a kill
        self.starts_ms = []

    def begin(self):
        started = time.monotonic()
        # Shards roll over while the server works, and now and then each becomes several.
        server = Server("--db-path", self.path, "--sync", self.sync, "--threads", self.chance.randint(1, 4),
                        "--stream-rollover", self.chance.choice((1, 2, 14400)),
                        "--stream-shards", self.chance.randint(1, 3))
        self.starts_ms.append((time.monotonic() - started) * 1000)
        return server

    def begin_and_check(self):
        assert_whole(self.path)
        server = self.begin()
        self.crew.check(server)
        return server

    def kill(self, server):
        """The server that goes on after this one, which is killed."""
        moment = self.chance.choice(MOMENTS) if self.chance.random() < 0.5 else None
        rate = self.crew.work_until_killed(server, self.chance.randint(1, self.most), moment)
        self.most = max(100, min(4000, int(rate * ROUND_SECONDS)))
        if self.chance.random() < 0.1:
            self.begin().kill()  # While it takes up what was left.
        return self.begin_and_check()

    def kill_often(self, kills):
        server = self.begin()
        create_tables(Client(server))
        for _ in range(kills):
            server = self.kill(server)
        # An orderly end and one more look, so that recovery itself has left no trace.
        assert server.stop() == 0
        assert self.begin_and_check().stop() == 0
        assert self.crew.ended_shards() > 0 or kills < 10


@pytest.mark.parametrize("sync", ["commit", "lazy"])
def test_killed_under_load(sync, tmp_path, kills, seed, figures):
    # Streams keep a day, so a folder of many kills would grow until most time went into reading it.
    for first in range(0, kills, KILLS_OF_A_FOLDER):
        started = time.monotonic()
        count = min(KILLS_OF_A_FOLDER, kills - first)
        path = tmp_path / str(first)
        folder = Folder(path, sync, f"{seed}-{sync}-{first}")
        folder.kill_often(count)
        shutil.rmtree(path)
        starts_ms = folder.starts_ms
        figures.append(f"--sync {sync}: {count} kills, {folder.crew.story()}, start {min(starts_ms):.0f}/"
                       f"{statistics.median(starts_ms):.0f}/{max(starts_ms):.0f} ms (least/median/most), "
                       f"{time.monotonic() - started:.0f} s")
