"""Servers of S3 from the registries, each with its keys, and an exporter that reads from them."""

import gzip
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import boto3
from botocore.config import Config

from checkout import ROOT

sys.path.insert(0, str(ROOT / "conformance" / "features" / "exports"))
from exporting import Exporter  # noqa: E402

HERE = Path(__file__).resolve().parent


class Store:
    """An endpoint with the keys for it."""

    has_tags_of_parts = True  # the ETag of an object of parts is S3's: their MD5s' MD5

    def __init__(self, endpoint, access_key, secret_key):
        self.endpoint = endpoint
        self.environment = {"AWS_ACCESS_KEY_ID": access_key, "AWS_SECRET_ACCESS_KEY": secret_key,
                            "AWS_REGION": "us-east-1"}
        self.s3 = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id=access_key,
                               aws_secret_access_key=secret_key, config=Config(s3={"addressing_style": "path"}))


class Moto(Store):
    """Checks no keys, but answers as S3 does."""

    def __init__(self):
        from moto.server import ThreadedMotoServer
        self.server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
        self.server.start()
        host, port = self.server.get_host_and_port()
        super().__init__(f"http://{host}:{port}", "moto", "moto")

    def stop(self):
        self.server.stop()


class S3rver(Store):
    """Checks keys."""

    has_tags_of_parts = False

    def __init__(self, folder):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        self.process = subprocess.Popen(
            [HERE / "node_modules" / ".bin" / "s3rver", "-d", folder, "-a", "127.0.0.1", "-p", "0"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True)
        line = next((line for line in self.process.stdout if "listening on" in line), None)
        assert line, "s3rver ended"
        # What it says of each request must not fill the pipe.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        super().__init__("http://" + line.split("listening on ")[1].strip(), "S3RVER", "S3RVER")

    def stop(self):
        self.process.kill()
        self.process.wait()


class StoreExporter(Exporter):
    """Reads what was written by boto3. The ETag is that of the last object read."""

    def __init__(self, server, store):
        super().__init__(server, None)
        self.store = store

    def object(self, key, bucket="bucket"):
        answer = self.store.s3.get_object(Bucket=bucket, Key=key)
        self.etag = answer["ETag"].strip('"')
        return answer["Body"].read()

    def records_of(self, files):
        """What DynamoDB JSON files hold."""
        return [json.loads(line) for file in files
                for line in gzip.decompress(self.object(file["dataFileS3Key"])).splitlines()]

    def open_uploads(self, bucket="bucket"):
        return self.store.s3.list_multipart_uploads(Bucket=bucket)
