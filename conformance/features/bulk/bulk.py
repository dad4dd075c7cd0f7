"""Writes objects, puts them in bulk, and reads the reports as a user would."""

import base64
import gzip
import hashlib
import json
import subprocess

from admin import Admin
from client import Client
from server_process import wait_until
from table_content import all_pages

DEADLINE_S = 120
ENDS = ("COMPLETED", "COMPLETED_WITH_ERRORS", "CANCELLED", "FAILED")


def item(key, **attributes):
    return {"pk": {"S": key}, **attributes}


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


def line(record):
    return json.dumps(record, separators=(",", ":"))


class Bulk:
    def __init__(self, server, root):
        self.server = server
        self.root = root
        self.client = Client(server)
        self.admin = Admin(server)

    def object(self, key, records, bucket="source", pack=lambda data: data):
        """An object whose lines are the records: texts, or what is written as JSON."""
        lines = [record if isinstance(record, str) else line(record) for record in records]
        self.bytes(key, pack("".join(text + "\n" for text in lines).encode()), bucket)

    def bytes(self, key, data, bucket="source"):
        path = self.root / bucket / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def start(self, table="Things", input=None, output=None, **members):
        return self.client.ok("StartBulkPutItems", **self.request(table, input, output), **members)["BulkOperationDescription"]

    @staticmethod
    def request(table="Things", input=None, output=None):
        return {"TableName": table,
                "InputS3Configuration": {"S3Bucket": "source", "InputFormat": "DYNAMODB_JSON", **(input or {})},
                "OutputS3Configuration": {"S3Bucket": "reports", "OutputType": ["ERROR", "CONDITION_CHECK_FAILURE"],
                                          **(output or {})}}

    def describe(self, arn):
        return self.client.ok("DescribeBulkOperation", BulkOperationArn=arn)["BulkOperationDescription"]

    def wait(self, arn):
        """The description at the end."""
        def ended():
            description = self.describe(arn)
            return description if description["BulkOperationStatus"] in ENDS else None

        return wait_until(ended, deadline_s=DEADLINE_S, what="the end of the bulk put")

    def run(self, *arguments, **members):
        return self.wait(self.start(*arguments, **members)["BulkOperationArn"])

    def scan(self, table="Things", **members):
        return all_pages(self.client, "Scan", TableName=table, **members)

    def keys(self, table="Things"):
        return sorted(found["pk"]["S"] for found in self.scan(table))

    def report(self, description):
        """The manifest, and the lines of its files by their type, with all sums checked."""
        output = description["OutputS3Configuration"]
        prefix = output.get("S3KeyPrefix", "")
        folder = (prefix.rstrip("/") + "/" if prefix else "") + "AWSDynamoDB/"
        folder += description["BulkOperationArn"].rsplit("/", 1)[1]
        bucket = self.root / output["S3Bucket"]
        manifest = json.loads((bucket / folder / "manifest.json").read_text())
        lines = {type: [] for type in output["OutputType"]}
        for file in manifest["files"]:
            assert file["s3Key"].startswith(f"{folder}/{file['outputType']}/")
            packed = (bucket / file["s3Key"]).read_bytes()
            assert base64.b64encode(hashlib.md5(packed).digest()).decode() == file["md5Checksum"]
            found = [json.loads(text) for text in gzip.decompress(packed).decode().splitlines()]
            assert len(found) == file["itemCount"]
            lines[file["outputType"]] += found
        assert manifest["bulkOperationArn"] == description["BulkOperationArn"]
        assert manifest["processedItemCount"] == description["ProcessedItemCount"]
        assert manifest["failedItemCount"] == description["FailedItemCount"]
        return manifest, lines


def place(found):
    """Where a line of a report says that its record is."""
    pointer = found["itemS3Pointer"]
    return pointer["bucket"], pointer["key"], pointer["itemIndex"]
