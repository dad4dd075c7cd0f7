"""Exports and reads them back as a consumer would: by their manifests."""

import base64
import gzip
import hashlib
import json

from admin import Admin
from client import Client
from ion_reader import read_ion
from server_process import wait_until
from table_content import all_pages, by_key

DEADLINE_S = 120


class Exporter:
    def __init__(self, server, root):
        self.server = server
        self.root = root
        self.client = Client(server)
        self.admin = Admin(server)

    def create(self, name="Things", recovery=True):
        description = self.client.create_table(name, sort_key="sk")
        if recovery:
            self.enable_recovery(name)
        return description["TableArn"]

    def enable_recovery(self, name="Things"):
        self.client.ok("UpdateContinuousBackups", TableName=name,
                       PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})

    def put(self, items, table="Things"):
        for begin in range(0, len(items), 25):
            requests = [{"PutRequest": {"Item": item}} for item in items[begin:begin + 25]]
            left = self.client.ok("BatchWriteItem", RequestItems={table: requests})
            assert left["UnprocessedItems"] == {}

    def put_values(self, **values):
        """An item for each keyword, with the number as v; None deletes it."""
        for name, value in values.items():
            key = {"pk": {"S": name}, "sk": {"S": "1"}}
            if value is None:
                self.client.ok("DeleteItem", TableName="Things", Key=key)
            else:
                self.client.ok("PutItem", TableName="Things", Item={**key, "v": {"N": str(value)}})

    def scan(self, table="Things"):
        return all_pages(self.client, "Scan", TableName=table)

    def begin(self, arn, **members):
        members.setdefault("S3Bucket", "bucket")
        description = self.client.ok("ExportTableToPointInTime", TableArn=arn, **members)["ExportDescription"]
        assert description["ExportStatus"] == "IN_PROGRESS"
        return description

    def describe(self, export_arn):
        return self.client.ok("DescribeExport", ExportArn=export_arn)["ExportDescription"]

    def wait(self, export_arn):
        """The description at the end."""
        def ended():
            description = self.describe(export_arn)
            return description if description["ExportStatus"] != "IN_PROGRESS" else None

        return wait_until(ended, deadline_s=DEADLINE_S, what="the end of the export")

    def export(self, arn, **members):
        return self.wait(self.begin(arn, **members)["ExportArn"])

    # ---- what was written

    def object(self, key, bucket="bucket"):
        return (self.root / bucket / key).read_bytes()

    def checked_manifest(self, key):
        """A manifest whose checksum is right, as text."""
        text = self.object(key)
        assert self.object(key.replace(".json", ".md5")).decode() == md5(text)
        return text.decode()

    def manifests(self, description):
        """The summary, and a list of the data files' lines."""
        summary = json.loads(self.checked_manifest(description["ExportManifest"]))
        lines = self.checked_manifest(summary["manifestFilesS3Key"]).splitlines()
        return summary, [json.loads(line) for line in lines]

    def records(self, description):
        """What the data files hold, one for each line, with every sum and count checked."""
        summary, files = self.manifests(description)
        records = []
        for file in files:
            packed = self.object(file["dataFileS3Key"])
            assert md5(packed) == file["md5Checksum"]
            assert hashlib.md5(packed).hexdigest() == file["etag"]
            assert packed[4:8] == b"\0\0\0\0", "the header has a time"
            lines = gzip.decompress(packed).decode().splitlines()
            assert len(lines) == file["itemCount"]
            read = read_ion if summary["outputFormat"] == "ION" else json.loads
            records += [read(line) for line in lines]
        assert len(records) == summary["itemCount"] == description["ItemCount"]
        return records

    def items(self, description):
        return by_key([record["Item"] for record in self.records(description)])


def md5(data):
    return base64.b64encode(hashlib.md5(data).digest()).decode()
