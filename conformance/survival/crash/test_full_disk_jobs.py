"""Imports, bulk puts and exports on disks without space: FAILED with a plain reason, no half-made table, nothing else
harmed, and the same job passes once there is space."""

import base64
import json
import os
import random
import sys
from pathlib import Path

import pytest

FEATURES = Path(__file__).resolve().parents[2] / "features"
sys.path[:0] = [str(FEATURES / name) for name in ("imports", "bulk", "exports")]

from bulk import Bulk, line  # noqa: E402
from exporting import Exporter  # noqa: E402
from importing import Importer, counts  # noqa: E402
from server_process import wait_until  # noqa: E402
from table_content import by_key  # noqa: E402

MB = 1024 * 1024
DATA_SIZE, LATER_SIZE = 24 * MB, 96 * MB
FILL = 50 * 1024
MANY = 800  # 40 MB
FULL = " cannot be stored: the data folder is full or cannot be written"


def item(number):
    return {"pk": {"S": f"k{number}"}, "sk": {"S": "1"}, "fill": {"S": chr(97 + number % 26) * FILL}}


def text_of(numbers):
    return "".join(json.dumps({"Item": item(number)}) + "\n" for number in numbers).encode()


@pytest.fixture
def data_disk(disk_of):
    return disk_of(DATA_SIZE)


@pytest.fixture
def buckets(tmp_path_factory):
    """Not on the disk of the data."""
    root = tmp_path_factory.mktemp("s3")
    for name in ("bucket", "source", "reports"):
        (root / name).mkdir()
    return root


class World:
    """A server whose data lies on a small disk, with a table beside the jobs that nothing may harm."""

    def __init__(self, start, disk, root, kind):
        self.flags = ("--db-path", disk.folder / "db", "--s3-root", root)
        self.start = lambda: start(*self.flags, prefix=disk.prefix())
        self.kind, self.root, self.disk = kind, root, disk
        self.begin()
        self.tool.client.create_table("Other", sort_key="sk")
        self.tool.client.ok("PutItem", TableName="Other", Item=item(7))

    def begin(self):
        self.tool = self.kind(self.start(), self.root)

    def check_other(self):
        assert self.tool.scan("Other") == [item(7)]


def test_an_import_that_does_not_fit(start, data_disk, buckets):
    world = World(start, data_disk, buckets, Importer)
    world.tool.write("big/all.json", text_of(range(MANY)))
    failed = world.tool.failed("big/")
    assert failed["FailureMessage"] == "the items" + FULL, failed
    assert world.tool.status() is None
    world.check_other()

    # What it took is free again, for a smaller one and after a kill too.
    world.tool.write("small/all.json", text_of(range(100)))
    assert counts(world.tool.completed("small/")) == (100, 100, 0)
    world.tool.server.kill()
    world.begin()
    assert world.tool.describe(failed["ImportArn"]) == failed
    assert by_key(world.tool.scan()) == by_key([item(number) for number in range(100)])
    world.tool.client.ok("DeleteTable", TableName="Things")

    data_disk.resize(LATER_SIZE)
    assert counts(world.tool.completed("big/")) == (MANY, MANY, 0)
    world.check_other()
    assert world.tool.server.stop() == 0


def test_a_bulk_put_that_does_not_fit(start, data_disk, buckets):
    world = World(start, data_disk, buckets, Bulk)
    world.tool.client.create_table("Things", sort_key="sk")
    world.tool.object("all.json", [line({"Item": item(number)}) for number in range(MANY)])
    failed = world.tool.run()
    assert failed["BulkOperationStatus"] == "FAILED" and failed["FailureMessage"] == "the records" + FULL, failed
    there = by_key(world.tool.scan())
    assert failed["ProcessedItemCount"] - failed["FailedItemCount"] == len(there) < MANY
    assert there == by_key([item(number) for number in range(len(there))])
    world.check_other()

    data_disk.resize(LATER_SIZE)
    assert world.tool.run()["BulkOperationStatus"] == "COMPLETED"
    assert by_key(world.tool.scan()) == by_key([item(number) for number in range(MANY)])
    assert world.tool.server.stop() == 0


def test_copies_that_find_no_room_wait_for_it(start, data_disk, buckets):
    """A backup and an export are not complete before all their items are there, over a kill, too."""
    world = World(start, data_disk, buckets, Exporter)
    arn = world.tool.create(recovery=False)
    items = [item(number) for number in range(250)]  # more than half of the disk
    world.tool.put(items)
    world.tool.enable_recovery()
    backup = world.tool.client.ok("CreateBackup", TableName="Things", BackupName="large")["BackupDetails"]["BackupArn"]
    export = world.tool.begin(arn)["ExportArn"]

    def status():
        described = world.tool.client.ok("DescribeBackup", BackupArn=backup)["BackupDescription"]
        return described["BackupDetails"]["BackupStatus"], world.tool.describe(export)["ExportStatus"]

    wait_until(lambda: room(data_disk) < MB, deadline_s=60, what="a full disk")
    assert status() == ("CREATING", "IN_PROGRESS")
    world.check_other()
    world.tool.server.kill()
    world.begin()
    assert status() == ("CREATING", "IN_PROGRESS")
    assert by_key(world.tool.scan()) == by_key(items)

    data_disk.resize(LATER_SIZE)
    wait_until(lambda: status() == ("AVAILABLE", "COMPLETED"), deadline_s=60, what="the copies")
    assert world.tool.items(world.tool.describe(export)) == by_key(items)
    world.tool.client.ok("RestoreTableFromBackup", TargetTableName="Restored", BackupArn=backup)
    wait_until(lambda: world.tool.client.describe("Restored")["TableStatus"] == "ACTIVE", what="the restore")
    assert by_key(world.tool.scan("Restored")) == by_key(items)
    world.check_other()
    assert world.tool.server.stop() == 0


@pytest.mark.parametrize("source", ["backup", "history"])
def test_a_restore_that_finds_no_room_waits_for_it(start, data_disk, buckets, source):
    """The table stays CREATING, over a kill, too; no request sees a part of its items, and the log has the reason."""
    world = World(start, data_disk, buckets, Exporter)
    world.tool.create(recovery=False)
    items = [item(number) for number in range(140)]  # twice they fit, three times they do not
    world.tool.put(items)
    world.tool.enable_recovery()
    backup = world.tool.client.ok("CreateBackup", TableName="Things", BackupName="one")["BackupDetails"]["BackupArn"]

    def is_available():
        described = world.tool.client.ok("DescribeBackup", BackupArn=backup)["BackupDescription"]
        return described["BackupDetails"]["BackupStatus"] == "AVAILABLE"

    wait_until(is_available, deadline_s=60, what="the backup")
    if source == "backup":
        world.tool.client.ok("RestoreTableFromBackup", TargetTableName="Restored", BackupArn=backup)
    else:
        world.tool.client.ok("RestoreTableToPointInTime", SourceTableName="Things", TargetTableName="Restored",
                             UseLatestRestorableTime=True)

    def check_waiting():
        world.tool.server.wait_for_log("the restore of table 'Restored' waits for room")
        described = world.tool.client.describe("Restored")
        assert (described["TableStatus"], described["RestoreSummary"]["RestoreInProgress"]) == ("CREATING", True)
        assert world.tool.client.error("Scan", TableName="Restored")[1] == "ResourceNotFoundException"
        world.check_other()
        assert by_key(world.tool.scan()) == by_key(items)

    check_waiting()
    world.tool.server.kill()
    world.begin()
    check_waiting()
    data_disk.resize(LATER_SIZE)
    world.tool.client.wait_active("Restored")
    assert by_key(world.tool.scan("Restored")) == by_key(items)
    assert world.tool.client.describe("Restored")["ItemCount"] == len(items)
    world.check_other()
    assert world.tool.server.stop() == 0


def room(disk):
    """Bytes that are free."""
    seen = os.statvfs(f"/proc/{disk.holder.pid}/root{disk.folder}")
    return seen.f_bavail * seen.f_frsize


def test_an_export_into_buckets_without_space(start, disk_of, tmp_path):
    disk = disk_of(2 * MB)
    root = Path(f"/proc/{disk.holder.pid}/root{tmp_path}")  # the disk, seen from here
    (root / "bucket").mkdir()
    exporter = Exporter(start("--s3-root", tmp_path, prefix=disk.prefix()), root)
    arn = exporter.create()
    # Of no pattern that gzip would shorten to less than the disk holds.
    items = [{"pk": {"S": f"k{number}"}, "sk": {"S": "1"}, "fill": {"B": noise(number)}} for number in range(100)]
    exporter.put(items)
    failed = exporter.export(arn)
    assert failed["ExportStatus"] == "FAILED" and "space" in failed["FailureMessage"], failed
    assert not list(root.rglob("manifest*")), "no manifest names files that are not whole"
    assert by_key(exporter.scan()) == by_key(items)

    disk.resize(LATER_SIZE)
    again = exporter.export(arn)
    assert again["ExportStatus"] == "COMPLETED"
    assert exporter.items(again) == by_key(items)
    assert exporter.server.stop() == 0


def noise(number):
    return base64.b64encode(random.Random(number).randbytes(FILL)).decode()
