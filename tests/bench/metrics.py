#!/usr/bin/python3
"""What a scrape of GET /metrics costs the server with many tables, half of them with an index, a stream
and time to live, and what a client that reads items notices meanwhile. Says whether the goal is met.

    tests/bench/metrics.py --build build/release --tables 1000
"""

import argparse
import http.client
import statistics
import threading

import run
from expiry import Client

GOAL_MS = 20  # of CPU, for 1,000 tables


def create(client, number):
    members = {}
    definitions = [{"AttributeName": "pk", "AttributeType": "S"}]
    if number % 2:
        definitions.append({"AttributeName": "by", "AttributeType": "S"})
        members = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
                   "GlobalSecondaryIndexes": [{
                       "IndexName": "by-by", "Projection": {"ProjectionType": "ALL"},
                       "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}]}]}
    name = f"bench-table-{number:06d}"
    client.call("CreateTable", TableName=name, BillingMode="PAY_PER_REQUEST",
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                AttributeDefinitions=definitions, **members)
    if number % 2:
        client.call("UpdateTimeToLive", TableName=name,
                    TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
    client.call("PutItem", TableName=name, Item={"pk": {"S": "a"}, "by": {"S": "b"}})


def scrape(connection):
    connection.request("GET", "/metrics")
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise SystemExit(f"bench: {answer.status} {text[:300]!r}")
    return text


def beside(server, connection):
    """The p99 of one client's reads in us, while there are ten scrapes a second."""
    is_over = threading.Event()

    def scrape_on():
        while not is_over.wait(0.1):
            scrape(connection)

    thread = threading.Thread(target=scrape_on)
    thread.start()
    figures = server.load("getitem", 3, 1)
    is_over.set()
    thread.join()
    return figures["p99_us"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="folder of the programs")
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--scrapes", type=int, default=50)
    options = parser.parse_args()
    build = run.ROOT / options.build
    run.LOAD = build / "bench_load"
    with run.Server([str(build / "stator"), "--port", "0", "--log-level", "error"]) as server:
        client = Client(server)
        for number in range(options.tables):
            create(client, number)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        size = len(scrape(connection))
        taken_ms = []
        for _ in range(options.scrapes):
            before_us = server.cpu_us()
            scrape(connection)
            taken_ms.append((server.cpu_us() - before_us) / 1000)
        median_ms = statistics.median(taken_ms)
        print(f"{options.tables} tables, {size / 1024:.0f} KB: CPU {median_ms:.2f} ms a scrape, "
              f"at most {max(taken_ms):.2f} ms")
        server.prepare()
        alone = server.load("getitem", 3, 1)["p99_us"]
        print(f"p99 of a client's GetItem: alone {alone:.0f} us, beside scrapes "
              f"{beside(server, connection):.0f} us")
    run.verdicts([("a scrape of each 1,000 tables", median_ms * 1000 / options.tables, "ms of CPU", "at most", GOAL_MS)])


if __name__ == "__main__":
    main()
