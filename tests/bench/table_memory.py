#!/usr/bin/python3
"""What counting throughput costs of memory: RssAnon of a server with many tables that were written to, with
--throttling observe less with off, for tables alone and for tables with an index each. Says whether the goal is met.

    tests/bench/table_memory.py --build build/release --tables 10000
"""

import argparse

import run
from expiry import Client

GOAL_KB = 4  # a table, or a table's index
KEYS = 20  # that each is asked for


def definition(number, has_index):
    names = ["pk", "by"] if has_index else ["pk"]
    members = {}
    if has_index:
        members = {"GlobalSecondaryIndexes": [{
            "IndexName": "by-by", "Projection": {"ProjectionType": "KEYS_ONLY"},
            "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}]}]}
    return {"TableName": f"bench-table-{number:06d}", "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in names], **members}


def anonymous_kb(program, throttling, options, has_index):
    flags = ["--port", "0", "--log-level", "error", "--throttling", throttling]
    with run.Server([program, *flags]) as server:
        client = Client(server)
        for number in range(options.tables):
            table = definition(number, has_index)
            client.call("CreateTable", **table)
            puts = [{"PutRequest": {"Item": {"pk": {"S": f"customer#{key:010d}"}, "by": {"S": f"status#{key:010d}"}}}}
                    for key in range(KEYS)]
            client.call("BatchWriteItem", RequestItems={table["TableName"]: puts})
            client.call("GetItem", TableName=table["TableName"], Key={"pk": {"S": "customer#0000000000"}})
        return server.resident_mb("RssAnon") * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="folder of the programs")
    parser.add_argument("--tables", type=int, default=10_000)
    options = parser.parse_args()
    program = str(run.ROOT / options.build / "stator")
    verdicts = []
    for title, has_index in (("table", False), ("table with an index", True)):
        off_kb, observe_kb = (anonymous_kb(program, throttling, options, has_index) for throttling in ("off", "observe"))
        each_kb = (observe_kb - off_kb) / options.tables
        print(f"{options.tables} of a {title}: RssAnon {off_kb / 1024:.1f} MB with off, {observe_kb / 1024:.1f} MB with "
              f"observe, {each_kb:.2f} KB each", flush=True)
        verdicts.append((f"counting for a {title}", each_kb, "KB", "at most", GOAL_KB * (1 + has_index)))
    run.verdicts(verdicts)


if __name__ == "__main__":
    main()
