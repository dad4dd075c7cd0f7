#!/usr/bin/python3
"""A mapping that calls a function at once with batches of 100 records: the server's CPU while a client writes
10,000 records a second, and how soon settle returns after the last call. Then PutItem to a table with a stream
and five mappings beside PutItem to one with a stream alone, by CPU and by throughput.

    tests/bench/triggers.py --build build/release
"""

import argparse
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import run
from expiry import Client

RECORDS_PER_S = 10_000
IN_BATCH = 25
CPU_CORES = 1
SETTLE_MS = 50
MAPPINGS = 5
WRITERS_RATIO = 1.03  # aim
LAMBDA_HEADERS = {
    "Content-Type": "application/json", "X-Amz-Date": "20270101T000000Z",
    "Authorization": "AWS4-HMAC-SHA256 Credential=bench/20270101/us-east-1/lambda/aws4_request, "
                     "SignedHeaders=host;x-amz-date, Signature=" + "0" * 64}


class Function:
    """Answers at once; counts the records by their events' ends, which costs less than reading them."""

    def __init__(self):
        self.records = 0
        self.last = 0.0
        function = self
        lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()
                with lock:
                    function.records += body.count(b'"eventID"')
                    function.last = time.monotonic()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def flags(self):
        """It serves f0, f1 and so on: a stream has one mapping to a function."""
        url = f"http://127.0.0.1:{self.server.server_port}/"
        return [word for number in range(MAPPINGS) for word in ("--function", f"f{number}={url}")]


def with_stream(client, table):
    made = client.call("CreateTable", TableName=table, BillingMode="PAY_PER_REQUEST",
                       StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
                       KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                       AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    return made["TableDescription"]["LatestStreamArn"]


def make_mapping(client, stream, function="f0", **more):
    body = {"EventSourceArn": stream, "FunctionName": function, "StartingPosition": "LATEST", "BatchSize": 100, **more}
    client.connection.request("POST", "/2015-03-31/event-source-mappings", json.dumps(body), LAMBDA_HEADERS)
    answer = client.connection.getresponse()
    text = answer.read()
    if answer.status != 202:
        raise SystemExit(f"bench: a mapping: {answer.status} {text[:300]!r}")


def write_steadily(client, table, seconds):
    """Writes RECORDS_PER_S items a second; returns how many."""
    count = 0
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        client.call("BatchWriteItem", RequestItems={table: [
            {"PutRequest": {"Item": {"pk": {"S": f"k{number}"}, "v": {"S": "x" * 100}}}}
            for number in range(count, count + IN_BATCH)]})
        count += IN_BATCH
        ahead_s = count / RECORDS_PER_S - (time.monotonic() - begun)
        if ahead_s > 0.002:
            time.sleep(ahead_s)
    return count


def delivery(program, seconds):
    function = Function()
    with run.Server([str(program), "--port", "0", "--log-level", "error", *function.flags()]) as server:
        client, other = Client(server), Client(server)
        make_mapping(client, with_stream(client, "many"))
        other.admin("triggers/settle")
        before_us = server.cpu_us()
        begun = time.monotonic()
        count = write_steadily(client, "many", seconds)
        taken_s = time.monotonic() - begun
        settled = other.admin("triggers/settle")
        settle_ms = (time.monotonic() - function.last) * 1000
        cores = (server.cpu_us() - before_us) / 1e6 / taken_s
        if not settled["settled"] or function.records < count:
            raise SystemExit(f"bench: {function.records} of {count} records came")
        return [(f"{count / taken_s:,.0f} records/s through a mapping", cores, "cores", "at most", CPU_CORES),
                ("  settle after the last call", settle_ms, "ms", "at most", SETTLE_MS)]


def writers(program, options):
    """PutItem to a table with five mappings, beside one without."""
    function = Function()
    command = [str(program), "--port", "0", "--log-level", "error", *function.flags()]
    with run.Server(command) as on, run.Server(command) as off:
        for server in (on, off):
            server.prepare()
            client = Client(server)
            client.call("UpdateTable", TableName="bench", StreamSpecification={
                "StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
            stream = client.call("DescribeTable", TableName="bench")["Table"]["LatestStreamArn"]
            for number in range(MAPPINGS if server is on else 0):
                # None of its records passes, so that the function's own work counts for nothing.
                pattern = json.dumps({"dynamodb": {"Keys": {"pk": {"S": [f"none-{number}"]}}}})
                make_mapping(client, stream, f"f{number}", FilterCriteria={"Filters": [{"Pattern": pattern}]})
        runs = {on: [], off: []}
        for number in range(options.rounds):
            for server in (on, off) if number % 2 else (off, on):
                runs[server].append(server.load("putitem", options.seconds))
        run.head()
        ratio = run.cpu_ratio(runs[on], runs[off])
        run.row("PutItem with a stream", runs[off])
        run.row(f"PutItem with {MAPPINGS} mappings", runs[on], ratio, "stream alone")
    return [(f"PutItem with {MAPPINGS} mappings, to a stream alone (aim)", ratio, "x", "at most", WRITERS_RATIO)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="folder of the programs")
    parser.add_argument("--seconds", type=float, default=2, help="of each run of PutItem (2)")
    parser.add_argument("--rounds", type=int, default=7, help="of PutItem (7)")
    parser.add_argument("--delivery-seconds", type=float, default=10)
    options = parser.parse_args()
    build = run.ROOT / options.build
    run.LOAD = build / "bench_load"
    goals = delivery(build / "stator", options.delivery_seconds)
    run.verdicts(goals + writers(build / "stator", options))


if __name__ == "__main__":
    main()
