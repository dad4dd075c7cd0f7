#!/usr/bin/python3
"""Runs the bench: the bare Beast server and Stator under the same load, in turns.

Machines are noisy, so each row is measured in rounds, the bare server and Stator one right after
the other, and medians are printed; the ratio is the median of the rounds' ratios. CPU is the
server process's time per request, all its threads together. The bare server answers every request
with the same item of 700 bytes: a request that reads or writes more is still divided by one simple
GetItem or PutItem. Also: the times from starting the process to its first answer and from SIGTERM
to its end, resident memory when idle, and how the rate grows with connections when every write
waits for the disk.

Instead: --before compares with another build of Stator, --flat compares a small table with a large one, --soak watches the memory under a load of
everything.
"""

import argparse
import http.client
import json
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Title, mode of the load, mode of the bare server's load it is divided by, connections, and the
# goal: (column, at most).
ROWS = (
    ("GetItem", "getitem", "getitem", 16, ("ratio", 1.5)),
    ("Query of 10 items", "query", "getitem", 16, ("ratio", 3.5)),
    ("BatchGetItem of 100", "batchget", "getitem", 16, ("ratio", 16)),
    ("PutItem", "putitem", "putitem", 16, ("ratio", 2.0)),
    ("UpdateItem with a condition", "updateitem", "putitem", 16, ("ratio", 2.2)),
    ("BatchWriteItem of 25", "batchwrite", "putitem", 16, ("ratio", 12)),
    ("PutItem, one global index", "putindexed", "putitem", 16, None),
    ("Query page of 1 MB", "querypage", "getitem", 2, ("cpu_us", 1600)),
    ("Scan page of 1 MB, nothing passes", "scanpage", "getitem", 2, ("cpu_us", 600)),
)
# Requests beside those they stand for: title, mode of the load, mode of the other, connections, at most
# how much of its CPU.
STATEMENTS = (
    ("SELECT by the whole key", "selectitem", "getitem", 16, 1.6),
    ("SELECT page of 1 MB", "selectpage", "querypage", 2, 1.1),
)
TRANSACTIONS = (
    ("TransactWriteItems of 4 puts", "transactwrite4", "putitem", 16, 4),
    ("TransactWriteItems of 25 puts", "transactwrite25", "putitem", 16, 14),
    ("TransactGetItems of 25", "transactget25", "batchget25", 16, 1.2),
)
# This one grows a table from nothing.
INSERT = ("INSERT of a new item", "insert", "putfresh", 16, 1.5)
# What a client of short requests must not notice: title, mode of the load, connections.
HEAVY = (("4 scanning 1 MB of tiny items", "scantiny", 4), ("2 pipelining PutItem", "pipeline", 2),
         ("8 GetRecords of 1,000 records", "getrecords", 8),
         ("4 transactions of 100 puts of 40 KB", "transactwritelarge", 4),
         ("1 transaction that searches those items", "transactsearch", 1))
# With --before: title, mode, connections.
COMPARED = tuple((title, mode, connections)
                 for title, mode, _, connections, _ in ROWS + TRANSACTIONS) + HEAVY
# Parts of the bench that --only can name beside the modes of ROWS.
PARTS = ("createtable", "stalledindex", "streams", "statements", "transactions", "fair")


class Server:
    """A server process; listens on a port of its own choice, stopped on leaving the block."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        match = re.search(r"listening on http://\S+:(\d+)", line)
        if not match:
            sys.exit(f"bench: {command[0]} did not start: {line!r}")
        self.port = int(match[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        if self.process.wait(timeout=30) != 0:
            sys.exit(f"bench: {self.process.args[0]} ended with {self.process.returncode}")

    def load_command(self, mode, *more):
        return [str(LOAD), "--port", str(self.port), "--pid", str(self.process.pid),
                "--mode", mode, *map(str, more)]

    def load(self, mode, seconds, connections=16, *more):
        output = subprocess.run(
            self.load_command(mode, "--connections", connections, "--duration", seconds, *more),
            check=True, text=True, stdout=subprocess.PIPE).stdout
        return json.loads(output.splitlines()[-1])

    def load_beside(self, heavy_mode, heavy_connections, mode, seconds):
        """Two loads at the same time, the second on one connection; the figures of both."""
        command = self.load_command(heavy_mode, "--connections", heavy_connections, "--duration", seconds)
        with subprocess.Popen(command, text=True, stdout=subprocess.PIPE) as heavy:
            heavy.stdout.readline()  # it has begun
            light = self.load(mode, seconds, 1)
            figures = heavy.stdout.read()
        if heavy.returncode != 0:
            sys.exit("bench: the load failed")
        return json.loads(figures), light

    def prepare(self, *more):
        for mode in ("prepare", *more):
            subprocess.run(self.load_command(mode), check=True)

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def cpu_us(self):
        """What all threads of the process have used so far."""
        clock = (~self.process.pid << 3) | 2  # clock_getcpuclockid()
        return time.clock_gettime_ns(clock) / 1000

    def resident_mb(self, what="VmRSS"):
        """`what`: VmRSS, or RssAnon alone: without the pages of the store, which are a file's."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{what}:\s+(\d+) kB", status)[1]) / 1024


def median(rows, key):
    return statistics.median(row[key] for row in rows)


def row(title, runs, ratio=None, divisor=""):
    print(f"{title:<50}{median(runs, 'rate'):>10.0f}{median(runs, 'cpu_us'):>10.2f}"
          f"{median(runs, 'p50_us'):>9.0f}{median(runs, 'p99_us'):>9.0f}"
          f"{'' if ratio is None else f'{ratio:>8.2f} of {divisor}'}", flush=True)


def head():
    print(f"{'':<50}{'requests/s':>10}{'CPU us':>10}{'p50 us':>9}{'p99 us':>9}{'ratio':>8}")


def cpu_ratio(runs, bare_runs):
    return statistics.median(ours["cpu_us"] / theirs["cpu_us"]
                             for ours, theirs in zip(runs, bare_runs))


def against_bare(bare, rows, flags, suffix, options):
    """In each round the bare rows and Stator's, one after the other. Answers title -> figure."""
    bare_modes = {bare_mode for _, _, bare_mode, _, _ in rows}
    bare_runs = {mode: [] for mode in bare_modes}
    runs = {mode: [] for _, mode, _, _, _ in rows}
    with Server(STATOR + flags) as stator:
        stator.prepare()
        for mode in bare_modes:
            bare.load(mode, 0.5)
        for _, mode, _, connections, _ in rows:  # warm caches
            stator.load(mode, 0.5, connections)
        for _ in range(options.rounds):
            measured = set()
            for _, mode, bare_mode, connections, _ in rows:
                if bare_mode not in measured:
                    bare_runs[bare_mode].append(bare.load(bare_mode, options.seconds))
                    measured.add(bare_mode)
                runs[mode].append(stator.load(mode, options.seconds, connections))
    for mode in sorted(bare_modes):
        row(f"bare Beast, {mode} load", bare_runs[mode])
    figures = {}
    for title, mode, bare_mode, _, goal in rows:
        ratio = cpu_ratio(runs[mode], bare_runs[bare_mode])
        row(f"stator in memory, {title}{suffix}", runs[mode], ratio, f"bare {bare_mode}")
        if goal:
            figures[title] = ratio if goal[0] == "ratio" else median(runs[mode], goal[0])
    return figures


def with_commit(bare, folder, options):
    """Writes that wait for the disk, over connections; how much a batch saves."""
    rows = [("getitem", 16, "GetItem"), ("putitem", 1, "PutItem"), ("putitem", 16, "PutItem"),
            ("putitem", 64, "PutItem")]
    runs, bare_runs = {}, {}
    with Server(STATOR + ["--db-path", str(folder), "--sync", "commit"]) as stator:
        stator.prepare()
        for _ in range(options.rounds):
            for mode, connections, _ in rows:
                bare_runs.setdefault((mode, connections), []).append(
                    bare.load(mode, options.seconds, connections))
                runs.setdefault((mode, connections), []).append(
                    stator.load(mode, options.seconds, connections))
    for mode, connections, title in rows:
        key = (mode, connections)
        row(f"stator --sync commit, {title}, {connections}", runs[key],
            cpu_ratio(runs[key], bare_runs[key]), f"bare {mode}, {connections}")
    return statistics.median(many["rate"] / one["rate"]
                             for many, one in zip(runs["putitem", 64], runs["putitem", 1]))


def start_and_end_ms(times):
    """From starting the process to its first answer, and from SIGTERM to its end beside idle connections."""
    starts, ends = [], []
    for _ in range(times):
        started = time.perf_counter()
        with Server(STATOR) as stator:
            if stator.get("/healthz") != 200:
                sys.exit("bench: /healthz did not answer 200")
            starts.append((time.perf_counter() - started) * 1000)
            held = [socket.create_connection(("127.0.0.1", stator.port)) for _ in range(100)]
            stator.get("/healthz")
            ending = time.perf_counter()
        ends.append((time.perf_counter() - ending) * 1000)
        for connection in held:
            connection.close()
    return statistics.median(starts), statistics.median(ends)


def idle_memory_mb():
    with Server(STATOR) as stator:
        stator.get("/healthz")
        alone = stator.resident_mb()
        Tables(stator).create("idle")
        return alone, stator.resident_mb()


class Tables:
    """Creates and deletes tables, and asks for what is not the load's, on a connection of its own."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)

    def ask(self, operation, target="DynamoDB_20120810", **members):
        """The answer's body, as it came."""
        today = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        self.connection.request("POST", "/", json.dumps(members), {
            "X-Amz-Target": f"{target}.{operation}", "X-Amz-Date": today,
            "Content-Type": "application/x-amz-json-1.0",
            "Authorization": f"AWS4-HMAC-SHA256 Credential=bench/{today[:8]}/us-east-1/dynamodb/"
                             "aws4_request, SignedHeaders=host;x-amz-date, Signature=00"})
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            sys.exit(f"bench: {operation} answered {answer.status}")
        return body

    def call(self, operation, target="DynamoDB_20120810", **members):
        return json.loads(self.ask(operation, target, **members))

    def stream(self, operation, **members):
        return self.call(operation, "DynamoDBStreams_20120810", **members)

    def create(self, name):
        self.call("CreateTable", TableName=name, BillingMode="PAY_PER_REQUEST",
                  AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                  KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])

    def delete(self, name):
        self.call("DeleteTable", TableName=name)


def create_table_growth(options):
    """CPU of CreateTable beside many tables, divided by that beside few."""
    sizes, at_once = (10, 10_000), 50
    results = {size: [] for size in sizes}
    with Server(STATOR) as few, Server(STATOR) as many:
        servers = dict(zip(sizes, ((few, Tables(few)), (many, Tables(many)))))
        for size, (_, tables) in servers.items():
            for number in range(size):
                tables.create(f"table-{number:05}")
        # Small blocks in turns, so that the small server stays small and both meet the same noise.
        for _ in range(20 * options.rounds):
            for size, (server, tables) in servers.items():
                before_us = server.cpu_us()
                for number in range(at_once):
                    tables.create(f"more-{number}")
                results[size].append((server.cpu_us() - before_us) / at_once)
                for number in range(at_once):
                    tables.delete(f"more-{number}")
    cpu_us = {size: statistics.median(results[size]) for size in sizes}
    for size in sizes:
        print(f"{f'CreateTable beside {size:,} tables':<50}{'':>10}{cpu_us[size]:>10.2f}")
    return cpu_us[sizes[1]] / cpu_us[sizes[0]]


def stalled_index_growth(options):
    """CPU of writes behind 100,000 changes that a late index has not seen, divided by that of the
    first ones. The delay is longer than the run, so the index stands still throughout."""
    behind = 100_000
    with Server(STATOR + ["--threads", options.threads, "--gsi-delay", "86400"]) as stator:
        stator.prepare()
        stator.load("putitem", 0.5)  # warm caches, without touching the index
        runs, written = [], 0
        while len(runs) < 2 or written < behind:
            runs.append(stator.load("putindexed", options.seconds))
            written += runs[-1]["rate"] * options.seconds
    row(f"PutItem, late index stalled, first of {written:,.0f}", runs[:1])
    row("the same, last", runs[-1:])
    return runs[-1]["cpu_us"] / runs[0]["cpu_us"]


def streams(options):
    """PutItem on a table with a stream of both images against PutItem, and a page of 1,000 records.
    Answers the ratio and the CPU of such a page."""
    runs = {"putitem": [], "putstreamed": []}
    with Server(STATOR + ["--threads", options.threads]) as stator:
        stator.prepare("fillstreamed")
        tables = Tables(stator)
        arn = tables.call("DescribeTable", TableName="streamed")["Table"]["LatestStreamArn"]
        shard = tables.stream("DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
        # The table was filled by inserts, so these records have one image; the puts behind them may
        # be too many for all to be kept.
        iterator = tables.stream("GetShardIterator", StreamArn=arn, ShardId=shard,
                                 ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        # One right behind the other, as a reader that is behind asks for them: not parsed in between.
        pages, before_us = 500, stator.cpu_us()
        for _ in range(pages):
            page = tables.ask("GetRecords", "DynamoDBStreams_20120810", ShardIterator=iterator)
            if page.count(b'"eventID"') != 1000:
                sys.exit("bench: a page of the stream is not full")
        page_ms = (stator.cpu_us() - before_us) / pages / 1000
        for mode in runs:
            stator.load(mode, 0.5)  # warm caches
        for _ in range(options.rounds):
            for mode, figures in runs.items():
                figures.append(stator.load(mode, options.seconds))
    ratio = cpu_ratio(runs["putstreamed"], runs["putitem"])
    row("PutItem, once more", runs["putitem"])
    row("PutItem, stream of both images", runs["putstreamed"], ratio, "PutItem")
    print(f"{'GetRecords of 1,000 records of 700 bytes':<50}{'':>10}{page_ms * 1000:>10.2f}", flush=True)
    return ratio, page_ms


def in_turns(pairs, options):
    """Requests beside those they stand for, in turns. Answers the ratios of their CPU."""
    runs = {}
    with Server(STATOR + ["--threads", options.threads]) as stator:
        stator.prepare()
        for _, mode, other, connections, _ in pairs:  # warm caches
            for each in (other, mode):
                stator.load(each, 0.5, connections)
        for number in range(options.rounds):
            for _, mode, other, connections, _ in pairs:
                for each in (other, mode) if number % 2 else (mode, other):
                    runs.setdefault((mode, each), []).append(
                        stator.load(each, options.seconds, connections))
    return [turn_goal(pair, runs[pair[1], pair[1]], runs[pair[1], pair[2]]) for pair in pairs]


def turn_goal(pair, runs, other_runs):
    title, _, other, _, goal = pair
    ratio = cpu_ratio(runs, other_runs)
    row(f"{other}, in turns", other_runs)
    row(title, runs, ratio, other)
    return f"{title}, to {other}", ratio, "x", "at most", goal


def inserts(options):
    """INSERT beside PutItem, each in a server of its own for each run."""
    _, mode, other, connections, _ = INSERT
    runs = {mode: [], other: []}
    for number in range(options.rounds):
        for each in (other, mode) if number % 2 else (mode, other):
            with Server(STATOR + ["--threads", options.threads]) as stator:
                subprocess.run(stator.load_command("createfresh"), check=True)
                stator.load(each, 0.5, connections)  # warm caches
                runs[each].append(stator.load(each, options.seconds, connections,
                                              "--first", 500_000_000))
    return turn_goal(INSERT, runs[mode], runs[other])


def fairness(options):
    """A GetItem client alone and beside heavy ones, and those alone and beside it. Answers its p99
    beside each, in ms. The loads share the machine's cores with the server."""
    alone, runs = [], {mode: [] for _, mode, _ in HEAVY}
    with Server(STATOR + ["--threads", options.threads]) as stator:
        stator.prepare("filltiny", "fillstreamed")
        for _ in range(options.rounds):
            alone.append(stator.load("getitem", options.seconds, 1))
            for _, mode, connections in HEAVY:
                heavy = stator.load(mode, options.seconds, connections)
                runs[mode].append((heavy, *stator.load_beside(mode, connections, "getitem",
                                                              options.seconds)))

    def show(title, figures, ratio=""):
        print(f"{title:<50}{median(figures, 'rate'):>10.0f}{'':>10}"
              f"{median(figures, 'p50_us'):>9.0f}{median(figures, 'p99_us'):>9.0f}{ratio}", flush=True)

    show("GetItem, 1 connection, alone", alone)
    p99_ms = {}
    for title, mode, _ in HEAVY:
        heavy, beside, light = zip(*runs[mode])
        kept = statistics.median(b["rate"] / h["rate"] for h, b in zip(heavy, beside))
        show(f"{title}, alone", heavy)
        show("  beside GetItem", beside, f"{kept:>8.2f} of alone")
        show("  GetItem beside", light)
        p99_ms[title] = median(light, "p99_us") / 1000
    return p99_ms


def verdicts(rows):
    """Prints title, value, unit and whether the value is at most (or at least) the goal."""
    print()
    for title, value, unit, word, goal in rows:
        met = value <= goal if word == "at most" else value >= goal
        print(f"{title:<50}{value:>10.2f} {unit:<3}"
              f" ({word} {goal:g}: {'met' if met else 'MISSED'})")


def is_asked(name, options):
    return not options.only or name in options.only


def everything(build, options):
    threads = ["--threads", options.threads]
    rows = [entry for entry in ROWS if is_asked(entry[1], options)]
    head()
    with Server([str(build / "bench_bare_server"), "0"]) as bare:
        if options.only_bare:
            for mode in ("getitem", "putitem"):
                row(f"bare Beast, {mode} load",
                    [bare.load(mode, options.seconds) for _ in range(options.rounds)])
            return
        figures = against_bare(bare, rows, threads, "", options)
        goals = [(title, figures[title], "x" if goal[0] == "ratio" else "us", "at most", goal[1])
                 for title, _, _, _, goal in rows if goal]
        if not options.only:
            against_bare(bare, [ROWS[0], ROWS[3]], [], ", default threads", options)
            # Not in /tmp, which may be memory: these rows are about a disk.
            folder = tempfile.mkdtemp(prefix="bench-", dir=ROOT / "build")
            try:
                gain = with_commit(bare, folder, options)
            finally:
                shutil.rmtree(folder)
    if is_asked("createtable", options):
        goals += [("CreateTable, CPU, 10,000 tables to 10", create_table_growth(options), "x",
                   "at most", 1.5)]
    if is_asked("stalledindex", options):
        goals += [("PutItem behind 100,000 late changes, CPU to first", stalled_index_growth(options),
                   "x", "at most", 1.2)]
    if is_asked("streams", options):
        ratio, page_ms = streams(options)
        goals += [("PutItem, stream of both images, to PutItem", ratio, "x", "at most", 1.5),
                  ("GetRecords of 1,000 records", page_ms, "ms", "at most", 1)]
    if is_asked("statements", options):
        goals += in_turns(STATEMENTS, options) + [inserts(options)]
    if is_asked("transactions", options):
        goals += in_turns(TRANSACTIONS, options)
    if is_asked("fair", options):
        goals += [(f"GetItem p99 beside {title}", p99_ms, "ms", "at most", 5)
                  for title, p99_ms in fairness(options).items()]
    if not options.only:
        alone_mb, table_mb = idle_memory_mb()
        start_ms, end_ms = start_and_end_ms(20)
        goals += [("--sync commit, 64 connections to 1", gain, "x", "at least", 10),
                  ("start to first answer", start_ms, "ms", "at most", 30),
                  ("SIGTERM to the end", end_ms, "ms", "at most", 100),
                  ("idle resident memory", alone_mb, "MB", "at most", 12),
                  ("the same with one table", table_mb, "MB", "at most", 12)]
    verdicts(goals)


def compare(now, then, rows, options, names=("now", "before")):
    """Each row on two servers, in turns; the ratio is that of their CPU. Answers title -> ratio."""
    runs = {}
    for stator in (now, then):
        stator.prepare("filltiny", "fillstreamed")
    for _, mode, connections in rows:  # warm caches
        for stator in (now, then):
            stator.load(mode, 0.5, connections)
    for number in range(options.rounds):
        for _, mode, connections in rows:
            for stator in (then, now) if number % 2 else (now, then):
                runs.setdefault((mode, stator), []).append(
                    stator.load(mode, options.seconds, connections))
    head()
    ratios = {}
    for title, mode, _ in rows:
        ratios[title] = cpu_ratio(runs[mode, now], runs[mode, then])
        row(f"{names[1]}, {title}", runs[mode, then])
        row(f"{names[0]}, {title}", runs[mode, now], ratios[title], names[1])
    return ratios


def before(options):
    """This build and another one; with --on-disk in folders, synced lazily."""
    rows = [entry for entry in COMPARED if is_asked(entry[1], options)]
    # Not in /tmp, which may be memory.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=ROOT / "build"))
    flags = {which: ["--threads", options.threads] +
             (["--db-path", str(folder / which)] if options.on_disk else []) for which in ("now", "then")}
    try:
        with Server(STATOR + flags["now"]) as now, \
                Server([options.before] + STATOR[1:] + flags["then"]) as then:
            compare(now, then, rows, options)
    finally:
        shutil.rmtree(folder)


def flat(options):
    """GetItem, PutItem and Query of 10 small items, in a table of 1,000 items and in a large one.

    Each size has a server of its own; they are measured in turns."""
    sizes = (1_000, options.flat)
    modes = (("smallget", "GetItem"), ("smallput", "PutItem"), ("smallquery", "Query"))
    runs = {}
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=ROOT / "build"))
    try:
        flags = [["--db-path", str(folder / str(size))] if options.on_disk else []
                 for size in sizes]
        with Server(STATOR + ["--threads", options.threads] + flags[0]) as small, \
                Server(STATOR + ["--threads", options.threads] + flags[1]) as large:
            servers = dict(zip(sizes, (small, large)))
            for size, stator in servers.items():
                started = time.perf_counter()
                subprocess.run(stator.load_command("fill", "--items", size), check=True)
                print(f"{size:,} items written in {time.perf_counter() - started:.1f} s,"
                      f" {stator.resident_mb():,.0f} MB resident", flush=True)
            head()
            for _ in range(options.rounds):
                for mode, _ in modes:
                    for size, stator in servers.items():
                        runs.setdefault((mode, size), []).append(
                            stator.load(mode, options.seconds, options.connections,
                                        "--items", size))
    finally:
        shutil.rmtree(folder)
    goals = []
    for mode, title in modes:
        for size in sizes:
            row(f"{title}, {size:,} items, {options.connections} connections", runs[mode, size])
        for key, unit in (("p50_us", "latency"), ("cpu_us", "CPU")):
            growth = statistics.median(
                large[key] / small[key]
                for small, large in zip(runs[mode, sizes[0]], runs[mode, sizes[1]]))
            goals.append((f"{title}, {unit}, large to small", growth, "x", "at most", 1.3))
    verdicts(goals)


def soak(options):
    """Resident memory under a load of everything, sampled every few seconds."""
    total_s = options.soak * 60
    with Server(STATOR) as stator:
        stator.prepare()
        command = stator.load_command("mix", "--connections", 64, "--duration", total_s)
        samples = []
        with subprocess.Popen(command, text=True, stdout=subprocess.PIPE) as load:
            started = time.perf_counter()
            while load.poll() is None:
                try:
                    load.wait(timeout=max(1, total_s / 60))
                except subprocess.TimeoutExpired:
                    samples.append((time.perf_counter() - started, stator.resident_mb(),
                                    stator.resident_mb("RssAnon")))
                    print(f"{samples[-1][0]:>8.0f} s{samples[-1][1]:>10.1f} MB resident, of it"
                          f"{samples[-1][2]:>8.1f} MB without the store", flush=True)
            if load.returncode != 0:
                sys.exit("bench: the load failed")
            print(load.stdout.read().splitlines()[-1])
    # The working set is met within the first quarter.
    quarter = [sample for sample in samples if sample[0] <= total_s / 4]
    rest = [sample for sample in samples if sample[0] > total_s / 4]
    growth = max(sample[1] for sample in rest) - max(sample[1] for sample in quarter)
    highest = max(sample[1] for sample in quarter)
    verdicts([("growth after the first quarter", growth, "MB", "at most", highest * 0.05)])


def main():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="folder of the programs")
    parser.add_argument("--seconds", type=float, default=3, help="of each run (3)")
    parser.add_argument("--rounds", type=int, default=3, help="of each row (3)")
    parser.add_argument("--threads", default="1", help="Stator's threads beside the bare one (1)")
    parser.add_argument("--only", default=[], type=lambda names: names.split(","),
                        help="modes of the load, joined by commas: these rows alone; also\n"
                             + ", ".join(PARTS))
    parser.add_argument("--only-bare", action="store_true", help="try the bench itself")
    parser.add_argument("--before", metavar="PROGRAM", help="another build of Stator to compare with")
    parser.add_argument("--flat", type=int, nargs="?", const=5_000_000, metavar="ITEMS",
                        help="a table of 1,000 items against one of ITEMS (5,000,000)")
    parser.add_argument("--connections", type=int, default=1, help="with --flat (1)")
    parser.add_argument("--on-disk", action="store_true", help="with --flat and --before")
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="a load of everything")
    options = parser.parse_args()
    known = [mode for _, mode, _ in COMPARED] if options.before else \
        [mode for _, mode, *_ in ROWS] + list(PARTS)
    if unknown := set(options.only) - set(known):
        parser.error(f"--only knows no {', '.join(sorted(unknown))}; but {', '.join(known)}")

    global LOAD, STATOR
    build = ROOT / options.build
    LOAD = build / "bench_load"
    STATOR = [str(build / "stator"), "--port", "0", "--log-level", "error"]
    if options.before:
        before(options)
    elif options.flat:
        flat(options)
    elif options.soak:
        soak(options)
    else:
        everything(build, options)


if __name__ == "__main__":
    main()
