#!/usr/bin/python3
"""Time to live on a large table: how fast its items get their entries when it is enabled, how fast
expired ones go when the clock is moved by a year, and what a client that puts items into another
table notices meanwhile. The items expire at random seconds of the year.

    tests/bench/expiry.py --build build/release --items 1000000
"""

import argparse
import http.client
import json
import random
import threading
import time

import run

YEAR_S = 365 * 86400
BEGIN = "2027-01-01T00:00:00Z"
BEGIN_S = 1798761600
IN_BATCH = 25
AUTHORIZATION = ("AWS4-HMAC-SHA256 Credential=bench/20270101/us-east-1/dynamodb/aws4_request, "
                 "SignedHeaders=host;x-amz-date, Signature=" + "0" * 64)


class Client:
    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=3600)

    def post(self, path, headers, body):
        self.connection.request("POST", path, json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"bench: {path} {headers}: {answer.status} {text[:300]!r}")
        return json.loads(text)

    def call(self, operation, **body):
        return self.post("/", {"X-Amz-Target": "DynamoDB_20120810." + operation,
                               "Content-Type": "application/x-amz-json-1.0",
                               "Authorization": AUTHORIZATION, "X-Amz-Date": "20270101T000000Z"}, body)

    def admin(self, verb, **body):
        return self.post("/_stator/" + verb, {}, body)


def fill(client, items):
    client.call("CreateTable", TableName="expiring", BillingMode="PAY_PER_REQUEST",
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    times = random.Random(7)
    for first in range(0, items, IN_BATCH):
        client.call("BatchWriteItem", RequestItems={"expiring": [
            {"PutRequest": {"Item": {"pk": {"S": f"session-{number:012d}"}, "data": {"S": "x" * 100},
                                     "ttl": {"N": str(BEGIN_S + times.randrange(YEAR_S - 10))}}}}
            for number in range(first, min(items, first + IN_BATCH))]})


def beside(server, work):
    """Seconds that the work takes, and the worst p99 in ms of runs of a light client meanwhile."""
    taken, failures = [], []

    def timed():
        begun = time.monotonic()
        try:
            work()
        except SystemExit as failure:  # would end the thread alone
            failures.append(failure)
        taken.append(time.monotonic() - begun)

    thread = threading.Thread(target=timed)
    thread.start()
    p99_us = []
    while thread.is_alive():
        p99_us.append(server.load("putitem", 0.5, 1)["p99_us"])
    thread.join()
    for failure in failures:
        raise failure
    # The last run went on when the work was done.
    return taken[0], max(p99_us[:-1] or p99_us) / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="folder of the programs")
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--db-path", help="an empty folder; in memory without")
    options = parser.parse_args()
    build = run.ROOT / options.build
    run.LOAD = build / "bench_load"
    flags = ["--port", "0", "--log-level", "error", "--clock", BEGIN, "--request-timeout", "3600"]
    if options.db_path:
        flags += ["--db-path", options.db_path]
    with run.Server([str(build / "stator"), *flags]) as server:
        server.prepare()
        client = Client(server)
        fill(client, options.items)
        print(f"putting into another table alone, p99: {server.load('putitem', 2, 1)['p99_us'] / 1000:.2f} ms")

        def enable():
            client.call("UpdateTimeToLive", TableName="expiring",
                        TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": True})
            client.admin("ttl/sweep")  # answers when all items have their entries; none is expired

        enable_s, enable_p99_ms = beside(server, enable)
        move_s, move_p99_ms = beside(server, lambda: client.admin("clock", advance="365d"))
        left = client.call("Scan", TableName="expiring", Select="COUNT")["Count"]
    if left != 0:
        raise SystemExit(f"bench: {left} items are left")
    run.verdicts([
        ("entries made", options.items / enable_s, "/s", "at least", 50_000),
        ("p99 beside", enable_p99_ms, "ms", "at most", 10),
        ("expired items deleted", options.items / move_s, "/s", "at least", 50_000),
        ("p99 beside", move_p99_ms, "ms", "at most", 10),
    ])


if __name__ == "__main__":
    main()
