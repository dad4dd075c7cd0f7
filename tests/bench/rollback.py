#!/usr/bin/python3
"""What a test costs that goes back to a mark when it ends: it writes 100 items into a table of many, with
an index. Says whether the goal is met, which the size of the table has nothing to do with.

    tests/bench/rollback.py --build build/release --items 1000000
"""

import argparse
import http.client
import statistics
import time

import run
from expiry import Client

GOAL_MS = 5
WRITES = 100
BATCH = 25


def admin(connection, path):
    connection.request("POST", f"/_stator/marks/{path}")
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise SystemExit(f"bench: {answer.status} {text[:300]!r}")


def item(number, by):
    return {"pk": {"S": f"item-{number:09d}"}, "by": {"S": by}, "fill": {"S": "x" * 200}}


def fill(client, items):
    client.call("CreateTable", TableName="large", BillingMode="PAY_PER_REQUEST",
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"},
                                      {"AttributeName": "by", "AttributeType": "S"}],
                GlobalSecondaryIndexes=[{"IndexName": "by-by", "Projection": {"ProjectionType": "ALL"},
                                         "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}]}])
    for start in range(0, items, BATCH):
        client.call("BatchWriteItem", RequestItems={"large": [
            {"PutRequest": {"Item": item(number, f"seed-{number % 1000}")}} for number in range(start, start + BATCH)]})


def one_test(client, turn):
    """Half of the writes change items, half are new ones."""
    for number in range(WRITES):
        known = number % 2 == 0
        key = (turn * 7919 + number * 104729) % 1000 if known else 10**8 + number
        client.call("PutItem", TableName="large", Item=item(key, f"test-{number}"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="folder of the programs")
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--db-path", help="an empty folder; in memory without")
    options = parser.parse_args()
    build = run.ROOT / options.build
    place = ["--db-path", options.db_path] if options.db_path else []
    with run.Server([str(build / "stator"), "--port", "0", "--log-level", "error", *place]) as server:
        client = Client(server)
        fill(client, options.items)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        marked, back = [], []
        for turn in range(options.turns):
            begun = time.perf_counter()
            admin(connection, "seeded")
            marked.append((time.perf_counter() - begun) * 1000)
            one_test(client, turn)
            begun = time.perf_counter()
            admin(connection, "seeded/rollback")
            back.append((time.perf_counter() - begun) * 1000)
        print(f"{options.items} items: mark {statistics.median(marked):.2f} ms, rollback of {WRITES} writes "
              f"{statistics.median(back):.2f} ms, at most {max(back):.2f} ms")
    run.verdicts([(f"rollback of {WRITES} writes", statistics.median(back), "ms", "at most", GOAL_MS)])


if __name__ == "__main__":
    main()
