"""Writes objects, imports them, and reads what came of it."""

import gzip
import json
import subprocess

from client import Client
from server_process import wait_until
from table_content import all_pages

DEADLINE_S = 120


def parameters(name="Things", **more):
    return {"TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"},
                                     {"AttributeName": "sk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            **more}


def lines(items):
    return "".join(json.dumps({"Item": item}) + "\n" for item in items).encode()


def pack(data, compression):
    if compression == "GZIP":
        return gzip.compress(data)
    if compression == "ZSTD":
        return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return data


class Importer:
    def __init__(self, server, root):
        self.server = server
        self.root = root
        self.client = Client(server)

    def write(self, key, data, bucket="bucket"):
        path = self.root / bucket / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def begin(self, prefix=None, bucket="bucket", table=None, **members):
        source = {"S3Bucket": bucket, **({"S3KeyPrefix": prefix} if prefix is not None else {})}
        members.setdefault("InputFormat", "DYNAMODB_JSON")
        description = self.client.ok("ImportTable", S3BucketSource=source,
                                     TableCreationParameters=table or parameters(),
                                     **members)["ImportTableDescription"]
        assert description["ImportStatus"] == "IN_PROGRESS"
        return description

    def describe(self, arn):
        return self.client.ok("DescribeImport", ImportArn=arn)["ImportTableDescription"]

    def wait(self, arn):
        """The description at the end."""
        def ended():
            description = self.describe(arn)
            return description if description["ImportStatus"] != "IN_PROGRESS" else None

        return wait_until(ended, deadline_s=DEADLINE_S, what="the end of the import")

    def run(self, prefix=None, **members):
        return self.wait(self.begin(prefix, **members)["ImportArn"])

    def completed(self, prefix=None, **members):
        description = self.run(prefix, **members)
        assert description["ImportStatus"] == "COMPLETED", description
        return description

    def failed(self, prefix=None, **members):
        description = self.run(prefix, **members)
        assert description["ImportStatus"] == "FAILED", description
        return description

    def status(self, table="Things"):
        """The table's status; None without a table."""
        if table not in self.client.ok("ListTables")["TableNames"]:
            return None
        return self.client.ok("DescribeTable", TableName=table)["Table"]["TableStatus"]

    def scan(self, table="Things", **more):
        return all_pages(self.client, "Scan", TableName=table, **more)

    def errors(self, description):
        """The lines of the log."""
        path = self.root / "_logs" / "aws-dynamodb" / "imports" / (description["ImportArn"].rsplit("/", 1)[1] + ".jsonl")
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def counts(description):
    return (description["ProcessedItemCount"], description["ImportedItemCount"], description["ErrorCount"])
