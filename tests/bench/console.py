#!/usr/bin/python3
"""What the web console costs, as one table with goals: bytes in the program, memory, requests with the console closed
and with a page open on the log, an idle server with an open page, and how fast a table of many items can be looked at.

    tests/bench/console.py --build build/release --items 1000000
    tests/bench/console.py --only items --items 100000
    tests/bench/console.py --only size --without OTHER/stator     # a build with -DSTATOR_CONSOLE=OFF

A page is stood in for by its requests; conformance/features/console measures the browser."""

import argparse
import contextlib
import gzip
import http.client
import json
import pathlib
import statistics
import threading
import time

import run
from expiry import AUTHORIZATION, Client

PARTS = ("size", "memory", "closed", "open", "idle", "verbs", "tables", "items")
ROWS = (("GetItem", "getitem", 16), ("Query of 10 items", "query", 16), ("PutItem", "putitem", 16))
LOADERS = 4
IN_BATCH = 25
TABLES = 1000
# As the grid asks: a place of the table is a segment of a Scan.
SEGMENTS = 1000
PAGE_ITEMS = 100
JUMPS = 200
CONSOLE = {"x-stator-console": "1", "Connection": "keep-alive"}


class Page:
    """What the page `log` asks for while it is open, once a second; the clock every five."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.ask_on)

    def get(self, path):
        self.connection.request("GET", "/_stator/" + path, headers=CONSOLE)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"bench: {path}: {answer.status} {text[:300]!r}")
        return json.loads(text)

    def ask_on(self):
        cursor, second = 0, 0
        while not self.is_over.wait(1):
            cursor = self.get(f"requests?show=all&after={cursor}&limit=1000")["cursor"]
            if second % 5 == 0:
                self.get("clock")
            second += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()
        self.connection.close()


class Bench:
    def __init__(self, options):
        self.options = options
        self.program = str(run.ROOT / options.build / "stator")
        self.goals = []

    def server(self, *flags):
        return run.Server([self.program, "--port", "0", "--log-level", "error", *flags])

    def add(self, title, value, unit, goal, word="at most"):
        self.goals.append((title, value, unit, word, goal))

    def size(self):
        """What the program grows by: the difference to one without the console, or else its files."""
        if self.options.without:
            grown = pathlib.Path(self.program).stat().st_size - pathlib.Path(self.options.without).stat().st_size
        else:
            dist = run.ROOT / "server/console/web/dist"
            files = [file for file in dist.rglob("*") if file.is_file()]
            if not files:
                raise SystemExit(f"bench: {dist} has no files: build the pages")
            grown = sum(len(gzip.compress(file.read_bytes(), 9, mtime=0)) for file in files)
        self.add("the program's growth" if self.options.without else "the pages, packed", grown / 1000, "kB",
                 400 if self.options.without else 250)

    def memory(self):
        """RssAnon of an idle server with the console and without it, in turns."""
        found = {}
        for _ in range(self.options.rounds):
            for flag in ("on", "off"):
                with self.server("--console", flag) as server:
                    server.get("/healthz")
                    found.setdefault(flag, []).append(server.resident_mb("RssAnon"))
        self.add("idle memory of the console", statistics.median(found["on"]) - statistics.median(found["off"]), "MB", 1)

    def ratios(self, title, goal, with_flags, without_flags, has_page):
        print(f"\n{title}")
        with contextlib.ExitStack() as running:
            one = running.enter_context(self.server("--threads", "1", *with_flags))
            other = running.enter_context(self.server("--threads", "1", *without_flags))
            if has_page:
                running.enter_context(Page(one))
            ratios = run.compare(one, other, ROWS, self.options, ("with", "without"))
        for row, ratio in ratios.items():
            self.add(f"{row}, {title}", ratio, "x", goal)

    def closed(self):
        self.ratios("console closed", 1.01, ["--console", "on"], ["--console", "off"], has_page=False)

    def open(self):
        self.ratios("one page open on the log", 1.03, [], [], has_page=True)

    def idle(self):
        with self.server() as server, Page(server):
            begin, before_us = time.monotonic(), server.cpu_us()
            time.sleep(self.options.idle)
            used = (server.cpu_us() - before_us) / 1e6 / (time.monotonic() - begin)
        self.add("an open page, idle server", used * 100, "% of a core", 1)

    def timed(self, title, server, page, path, goal_ms):
        """The CPU of a verb."""
        taken = []
        for _ in range(self.options.rounds * 3):
            before_us = server.cpu_us()
            page.get(path)
            taken.append((server.cpu_us() - before_us) / 1000)
        self.add(title, statistics.median(taken), "ms of CPU", goal_ms)

    def verbs(self):
        """Each verb that a page asks repeatedly, after a thousand requests and ten thousand changes."""
        with self.server() as server:
            client, page = Client(server), Page(server)
            client.call("CreateTable", TableName="verbs", BillingMode="PAY_PER_REQUEST",
                        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
            client.call("UpdateTimeToLive", TableName="verbs",
                        TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
            client.admin("marks/before")
            put_items(server, "verbs", 10_000, ttl=True)
            for path in ("requests?show=all", "requests?show=all&after=0", "marks", "marks/before/changes?limit=100", "due",
                         "ttl/verbs?limit=100", "streams/verbs", "transactions", "capacity/verbs", "capacity/verbs/series",
                         "history?table=verbs&limit=100&key=%7B%22pk%22%3A%7B%22S%22%3A%22p0%22%7D%7D", "info"):
                self.timed("GET " + path.split("?")[0], server, page, path, 20)

    def tables(self):
        with self.server() as server:
            client = Client(server)
            for number in range(TABLES):
                client.call("CreateTable", TableName=f"table-{number:06d}", BillingMode="PAY_PER_REQUEST",
                            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
            page, taken = Page(server), []
            for _ in range(self.options.rounds):
                begin = time.monotonic()
                assert len(page.get("tables")["tables"]) == TABLES
                taken.append((time.monotonic() - begin) * 1000)
        self.add(f"{TABLES:,} tables in one request", statistics.median(taken), "ms", 300)

    def items(self):
        """The first rows, a jump to 60 % and 200 jumps anywhere, of a table of `--items`."""
        count = self.options.items
        with self.server("--console", "on") as server:
            client = Client(server)
            client.call("CreateTable", TableName="many", BillingMode="PAY_PER_REQUEST",
                        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
            begin = time.monotonic()
            put_items(server, "many", count)
            print(f"{count:,} items put in {time.monotonic() - begin:.1f} s", flush=True)
            told = next(each for each in Page(server).get("tables")["tables"] if each["table"] == "many")
            if told["items"] != count:
                raise SystemExit(f"bench: the table is said to have {told['items']} items")
            first = [scan(server, Limit=PAGE_ITEMS) for _ in range(self.options.rounds)]
            self.add(f"first rows of {count:,} items", statistics.median(first), "ms", 300)
            sixty = [scan(server, Segment=SEGMENTS * 6 // 10, TotalSegments=SEGMENTS, Limit=800) for _ in range(self.options.rounds)]
            self.add("a jump to 60 %", statistics.median(sixty), "ms", 300)
            before_mb = server.resident_mb("RssAnon")
            jumps = [scan(server, Segment=number * 7919 % SEGMENTS, TotalSegments=SEGMENTS, Limit=800) for number in range(JUMPS)]
            self.add(f"the slowest of {JUMPS} jumps", max(jumps), "ms", 300)
            self.add(f"the server's growth in {JUMPS} jumps", server.resident_mb("RssAnon") - before_mb, "MB", 10)


def headers_of(operation):
    return {"X-Amz-Target": "DynamoDB_20120810." + operation, "Content-Type": "application/x-amz-json-1.0",
            "Authorization": AUTHORIZATION, "X-Amz-Date": "20270101T000000Z", "x-stator-console": "1"}


def scan(server, **members):
    """How long a page of the table takes, in ms, its JSON read."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.connect()
    begin = time.monotonic()
    connection.request("POST", "/", json.dumps({"TableName": "many", **members}), headers_of("Scan"))
    answer = connection.getresponse()
    page = json.loads(answer.read())
    taken_ms = (time.monotonic() - begin) * 1000
    connection.close()
    if answer.status != 200 or not page["Items"]:
        raise SystemExit(f"bench: Scan {members}: {answer.status} with {len(page.get('Items', []))} items")
    return taken_ms


def put_items(server, table, count, ttl=False):
    """Items of about 150 bytes, by several clients."""
    def put_some(first_batch):
        client = Client(server)
        for first in range(first_batch * IN_BATCH, count, IN_BATCH * LOADERS):
            client.call("BatchWriteItem", RequestItems={table: [
                {"PutRequest": {"Item": {"pk": {"S": f"p{number}"}, "note": {"S": f"item {number} " + "x" * 100},
                                         "n": {"N": str(number)}, **({"ttl": {"N": "4000000000"}} if ttl else {})}}}
                for number in range(first, min(count, first + IN_BATCH))]})

    threads = [threading.Thread(target=put_some, args=[number]) for number in range(LOADERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="folder of the programs")
    parser.add_argument("--without", default="", help="a program that was built without the console, for `size`")
    parser.add_argument("--items", type=int, default=1_000_000, help="of the large table (1,000,000)")
    parser.add_argument("--seconds", type=float, default=2, help="of each run of a load (2)")
    parser.add_argument("--rounds", type=int, default=7, help="of each measurement (7)")
    parser.add_argument("--idle", type=float, default=30, help="seconds of the idle server (30)")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts to measure (all)")
    options = parser.parse_args()
    run.LOAD = run.ROOT / options.build / "bench_load"
    bench = Bench(options)
    for part in options.only:
        getattr(bench, part)()
    run.verdicts(bench.goals)


if __name__ == "__main__":
    main()
