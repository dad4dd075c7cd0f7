"""A server with a function f, its tables, and programs that serve f."""

import itertools
import subprocess
import tempfile

import boto3
from botocore.config import Config

from admin import Admin
from definitions import attributes, key_schema
from server_process import binary, clean_environment, wait_until

NUMBERS = itertools.count(1)
PATIENCE_S = 60


class Program:
    """Runs until close(). Its output is in a file."""

    def __init__(self, command, folder, **variables):
        self._out = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            command, cwd=folder, env=clean_environment(variables), stdin=subprocess.DEVNULL,
            stdout=self._out, stderr=subprocess.STDOUT)

    def text(self):
        self._out.seek(0)
        return self._out.read()

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=PATIENCE_S)
        finally:
            self.process.kill()
            self._out.close()


class World:
    def __init__(self, server):
        self.server = server
        self.admin = Admin(server)
        members = {"endpoint_url": server.endpoint, "region_name": "us-east-1",
                   "config": Config(retries={"max_attempts": 0})}
        self.db = boto3.client("dynamodb", **members)
        self.lambdas = boto3.client("lambda", **members)

    def launch(self, command, folder):
        return Program([binary(), "function", "f", "--endpoint", self.server.endpoint, "--", *command], folder)

    def write(self, *how, **mapping):
        """Maps a new table with one item for each word, which says what the function does, to f."""
        name = f"runtimes_{next(NUMBERS)}"
        self.db.create_table(
            TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=key_schema("pk"),
            AttributeDefinitions=attributes("pk:S"),
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
        for number, word in enumerate(how):
            self.db.put_item(TableName=name, Item={"pk": {"S": str(number)}, "how": {"S": word}})
        stream = self.db.describe_table(TableName=name)["Table"]["LatestStreamArn"]
        self.lambdas.create_event_source_mapping(
            EventSourceArn=stream, FunctionName="f", StartingPosition="TRIM_HORIZON", **mapping)

    def calls(self, count):
        """The first calls that reached the function, once so many have ended."""
        def seen():
            calls = [call for call in self.admin.ok("triggers/invocations")["invocations"]
                     if call["outcome"] != "not reached"]
            return len(calls) >= count and calls

        return wait_until(seen, PATIENCE_S, f"{count} calls")
