#!/usr/bin/python3
"""Backups, restores, exports and imports of a large table: how long each takes, how much memory beside the data it
needs, and what a client that puts items into another table notices meanwhile. Then PutItem with point-in-time
recovery beside PutItem without, by CPU.

    tests/bench/backups.py --build build/release --items 1000000
"""

import argparse
import importlib
import pathlib
import tempfile
import threading
import time

import run
from expiry import BEGIN, Client, beside

import_bench = importlib.import_module("import")

JOB_S = 20  # for 1,000,000 items of 700 bytes
MEMORY_MB = 200
P99_MS = 5
RECOVERY_RATIO = 1.3
DEADLINE_S = 600


def wait_for(what, state):
    """Until `state` returns true."""
    deadline = time.monotonic() + DEADLINE_S
    while not state():
        if time.monotonic() > deadline:
            raise SystemExit(f"bench: {what} takes more than {DEADLINE_S} s")
        time.sleep(0.02)


class Jobs:
    def __init__(self, client, arn):
        self.client = client
        self.arn = arn

    def backup(self):
        made = self.client.call("CreateBackup", TableName="many", BackupName="bench")["BackupDetails"]["BackupArn"]
        wait_for("the backup", lambda: self.client.call("DescribeBackup", BackupArn=made)["BackupDescription"][
            "BackupDetails"]["BackupStatus"] == "AVAILABLE")
        self.backup_arn = made

    def restore(self):
        self.client.call("RestoreTableFromBackup", TargetTableName="restored", BackupArn=self.backup_arn)
        self.wait_active("restored")

    def restore_to_now(self):
        self.client.call("RestoreTableToPointInTime", SourceTableName="many", TargetTableName="recovered",
                         UseLatestRestorableTime=True)
        self.wait_active("recovered")

    def export(self):
        asked = self.client.call("ExportTableToPointInTime", TableArn=self.arn, S3Bucket="bucket")
        made = asked["ExportDescription"]["ExportArn"]

        def described():
            return self.client.call("DescribeExport", ExportArn=made)["ExportDescription"]

        wait_for("the export", lambda: described()["ExportStatus"] != "IN_PROGRESS")
        if described()["ExportStatus"] != "COMPLETED":
            raise SystemExit(f"bench: {described()}")
        self.data_prefix = f"AWSDynamoDB/{made.rsplit('/', 1)[1]}/data/"

    def import_table(self):
        asked = self.client.call(
            "ImportTable", S3BucketSource={"S3Bucket": "bucket", "S3KeyPrefix": self.data_prefix},
            InputFormat="DYNAMODB_JSON", InputCompressionType="GZIP",
            TableCreationParameters={
                "TableName": "imported", "BillingMode": "PAY_PER_REQUEST",
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"},
                                         {"AttributeName": "sk", "AttributeType": "N"}]})
        made = asked["ImportTableDescription"]["ImportArn"]

        def described():
            return self.client.call("DescribeImport", ImportArn=made)["ImportTableDescription"]

        wait_for("the import", lambda: described()["ImportStatus"] != "IN_PROGRESS")
        if described()["ImportStatus"] != "COMPLETED":
            raise SystemExit(f"bench: {described()}")

    def wait_active(self, table):
        wait_for(f"table {table}", lambda: self.client.call("DescribeTable", TableName=table)["Table"][
            "TableStatus"] == "ACTIVE")


def with_memory(server, work):
    """What beside() returns, and the most memory in MB that the work needs beside the store."""
    before_mb = server.resident_mb("RssAnon")
    most_mb = [before_mb]
    is_over = threading.Event()

    def watch():
        while not is_over.wait(0.05):
            most_mb[0] = max(most_mb[0], server.resident_mb("RssAnon"))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        taken_s, p99_ms = beside(server, work)
    finally:
        is_over.set()
        watcher.join()
    return taken_s, p99_ms, most_mb[0] - before_mb


def fill(program, server, folder, count):
    path = import_bench.write_files(folder, count)["plain JSON lines"]
    import_bench.seconds([program, "import", "many", path, "--key", import_bench.KEY,
                          "--endpoint-url", f"http://127.0.0.1:{server.port}"])


def jobs(program, options, place, folder):
    """The rows of all jobs."""
    (folder / "s3" / "bucket").mkdir(parents=True)
    goals = []
    flags = ["--port", "0", "--log-level", "error", "--clock", BEGIN, "--s3-root", str(folder / "s3"), *place]
    with run.Server([str(program), *flags]) as server:
        server.prepare()
        fill(program, server, folder, options.items)
        client = Client(server)
        client.call("UpdateContinuousBackups", TableName="many",
                    PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        client.admin("clock", advance="1h")
        steps = Jobs(client, client.call("DescribeTable", TableName="many")["Table"]["TableArn"])
        for title, work in (("backup", steps.backup), ("restore of a backup", steps.restore),
                            ("restore to a time", steps.restore_to_now), ("export", steps.export),
                            ("import", steps.import_table)):
            taken_s, p99_ms, memory_mb = with_memory(server, work)
            goals += [(f"{title} of {options.items:,} items", taken_s, "s", "at most", JOB_S),
                      ("  PutItem p99 beside", p99_ms, "ms", "at most", P99_MS),
                      ("  memory beside the data", memory_mb, "MB", "at most", MEMORY_MB)]
        for table in ("restored", "recovered", "imported"):
            count = client.call("DescribeTable", TableName=table)["Table"]["ItemCount"]
            if count != options.items:
                raise SystemExit(f"bench: {table} has {count} items, not {options.items}")
    return goals


def recovery(program, options):
    """The row of PutItem with recovery, beside PutItem without."""
    command = [str(program), "--port", "0", "--log-level", "error"]
    with run.Server(command) as on, run.Server(command) as off:
        for server in (on, off):
            server.prepare()
        Client(on).call("UpdateContinuousBackups", TableName="bench",
                        PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        runs = {on: [], off: []}
        for number in range(options.rounds):
            for server in (on, off) if number % 2 else (off, on):
                runs[server].append(server.load("putitem", options.seconds))
        run.head()
        ratio = run.cpu_ratio(runs[on], runs[off])
        run.row("PutItem without recovery", runs[off])
        run.row("PutItem with recovery", runs[on], ratio, "without")
    return [("PutItem with recovery, to PutItem", ratio, "x", "at most", RECOVERY_RATIO)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="folder of the programs")
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=2, help="of each run of PutItem (2)")
    parser.add_argument("--rounds", type=int, default=7, help="of PutItem (7)")
    parser.add_argument("--on-disk", action="store_true", help="the jobs with --db-path; in memory without")
    options = parser.parse_args()
    build = run.ROOT / options.build
    run.LOAD = build / "bench_load"
    # Not in /tmp, which may be memory.
    with tempfile.TemporaryDirectory(prefix="bench-", dir=run.ROOT / "build") as name:
        folder = pathlib.Path(name)
        place = ["--db-path", str(folder / "data")] if options.on_disk else []
        goals = jobs(build / "stator", options, place, folder)
    run.verdicts(goals + recovery(build / "stator", options))


if __name__ == "__main__":
    main()
