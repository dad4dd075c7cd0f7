#!/usr/bin/python3
"""Runs the bench: the bare Beast server and Stator under the same load, in turns.

Machines are noisy, so each row is measured in rounds, the bare server and Stator one right after
the other, and medians are printed; the ratio is the median of the rounds' ratios. CPU is the
server process's time per request, all its threads together. Also: the time from starting the
process to its first answer, resident memory when idle, and how the rate grows with connections
when every write waits for the disk.
"""

import argparse
import http.client
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


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

    def load(self, mode, seconds, connections=16, prepare=False):
        command = [str(LOAD), "--port", str(self.port), "--pid", str(self.process.pid),
                   "--mode", mode, "--connections", str(connections), "--duration", str(seconds)]
        output = subprocess.run(command + ["--prepare"] * prepare, check=True, text=True,
                                stdout=subprocess.PIPE).stdout
        return json.loads(output)

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def resident_mb(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024


def median(rows, key):
    return statistics.median(row[key] for row in rows)


def row(title, runs, ratio=None):
    print(f"{title:<44}{median(runs, 'rate'):>10.0f}{median(runs, 'cpu_us'):>9.2f}"
          f"{median(runs, 'p50_us'):>10.0f}{median(runs, 'p99_us'):>10.0f}"
          f"{'' if ratio is None else f'{ratio:>8.2f}'}", flush=True)


def head():
    print(f"{'':<44}{'requests/s':>10}{'CPU us':>9}{'p50 us':>10}{'p99 us':>10}{'ratio':>8}")


def against_bare(bare, title, mode, flags, options):
    """Bare, Stator, bare, Stator...: one row each, and the median ratio of CPU per request."""
    bare_runs, runs = [], []
    with Server(STATOR + flags) as stator:
        stator.load("getitem", 0.3, prepare=True)  # the table, its items, and warm caches
        stator.load(mode, 0.5)
        bare.load(mode, 0.5)
        for _ in range(options.rounds):
            bare_runs.append(bare.load(mode, options.seconds))
            runs.append(stator.load(mode, options.seconds))
    ratio = cpu_ratio(runs, bare_runs)
    row(f"bare Beast, {mode} load", bare_runs)
    row(title, runs, ratio)
    return ratio


def cpu_ratio(runs, bare_runs):
    return statistics.median(ours["cpu_us"] / theirs["cpu_us"]
                             for ours, theirs in zip(runs, bare_runs))


def with_commit(bare, folder, options):
    """Writes that wait for the disk, over connections; how much a batch saves."""
    rows = [("getitem", 16, "GetItem"), ("putitem", 1, "PutItem"), ("putitem", 16, "PutItem"),
            ("putitem", 64, "PutItem")]
    runs, bare_runs = {}, {}
    with Server(STATOR + ["--db-path", str(folder), "--sync", "commit"]) as stator:
        stator.load("putitem", 0.3, prepare=True)
        for _ in range(options.rounds):
            for mode, connections, _ in rows:
                bare_runs.setdefault((mode, connections), []).append(
                    bare.load(mode, options.seconds, connections))
                runs.setdefault((mode, connections), []).append(
                    stator.load(mode, options.seconds, connections))
    for mode, connections, title in rows:
        key = (mode, connections)
        row(f"stator --sync commit, {title}, {connections}", runs[key],
            cpu_ratio(runs[key], bare_runs[key]))
    return statistics.median(many["rate"] / one["rate"]
                             for many, one in zip(runs["putitem", 64], runs["putitem", 1]))


def first_answer_ms(times):
    results = []
    for _ in range(times):
        started = time.perf_counter()
        with Server(STATOR) as stator:
            if stator.get("/healthz") != 200:
                sys.exit("bench: /healthz did not answer 200")
            results.append((time.perf_counter() - started) * 1000)
    return statistics.median(results)


def idle_memory_mb():
    with Server(STATOR) as stator:
        stator.get("/healthz")
        alone = stator.resident_mb()
        body = json.dumps({
            "TableName": "idle", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]})
        today = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        connection = http.client.HTTPConnection("127.0.0.1", stator.port, timeout=10)
        connection.request("POST", "/", body, {
            "X-Amz-Target": "DynamoDB_20120810.CreateTable", "X-Amz-Date": today,
            "Content-Type": "application/x-amz-json-1.0",
            "Authorization": f"AWS4-HMAC-SHA256 Credential=bench/{today[:8]}/us-east-1/dynamodb/"
                             "aws4_request, SignedHeaders=host;x-amz-date, Signature=00"})
        if connection.getresponse().status != 200:
            sys.exit("bench: CreateTable did not answer 200")
        connection.close()
        return alone, stator.resident_mb()


def main():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("--build", default="build/release", help="folder of the programs")
    parser.add_argument("--seconds", type=float, default=3, help="of each run (3)")
    parser.add_argument("--rounds", type=int, default=3, help="of each row (3)")
    parser.add_argument("--threads", default="1", help="Stator's threads beside the bare one (1)")
    parser.add_argument("--only-bare", action="store_true", help="try the bench itself")
    options = parser.parse_args()

    global LOAD, STATOR
    build = ROOT / options.build
    LOAD = build / "bench_load"
    STATOR = [str(build / "stator"), "--port", "0", "--log-level", "error"]
    head()
    with Server([str(build / "bench_bare_server"), "0"]) as bare:
        if options.only_bare:
            for mode in ("getitem", "putitem"):
                row(f"bare Beast, {mode} load",
                    [bare.load(mode, options.seconds) for _ in range(options.rounds)])
            return
        threads = ["--threads", options.threads]
        get = against_bare(bare, "stator in memory, GetItem", "getitem", threads, options)
        put = against_bare(bare, "stator in memory, PutItem", "putitem", threads, options)
        against_bare(bare, "stator in memory, GetItem, default threads", "getitem", [], options)
        against_bare(bare, "stator in memory, PutItem, default threads", "putitem", [], options)
        # Not in /tmp, which may be memory: these rows are about a disk.
        folder = tempfile.mkdtemp(prefix="bench-", dir=ROOT / "build")
        try:
            gain = with_commit(bare, folder, options)
        finally:
            shutil.rmtree(folder)
    start_ms = first_answer_ms(20)
    alone_mb, table_mb = idle_memory_mb()

    print()
    for title, value, unit, goal, met in (
            ("GetItem, CPU against bare", get, "x", "at most 1.6", get <= 1.6),
            ("PutItem, CPU against bare", put, "x", "at most 2.2", put <= 2.2),
            ("--sync commit, 64 connections to 1", gain, "x", "at least 10", gain >= 10),
            ("start to first answer", start_ms, "ms", "at most 30", start_ms <= 30),
            ("idle resident memory", alone_mb, "MB", "at most 12", alone_mb <= 12),
            ("the same with one table", table_mb, "MB", "at most 12", table_mb <= 12)):
        print(f"{title:<44}{value:>10.2f} {unit:<3} ({goal}: {'met' if met else 'MISSED'})")


if __name__ == "__main__":
    main()
