"""A server of a test, and the program at work on it in a folder of the test."""

import json
import subprocess

from admin import Admin
from client import Client
from server_process import STOP_DEADLINE_S, binary, clean_environment


class Program:
    def __init__(self, endpoint, folder):
        self.endpoint = endpoint
        self.folder = folder

    def run(self, *words, stdin="", endpoint=None):
        """The finished process."""
        address = ["--endpoint-url", endpoint or self.endpoint]
        return subprocess.run([binary(), *map(str, words), *address], cwd=self.folder, env=clean_environment(),
                              input=stdin, capture_output=True, text=True, timeout=4 * STOP_DEADLINE_S)

    def ends(self, status, *words, **options):
        """The lines on stdout of a command with this exit status."""
        done = self.run(*words, **options)
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done.stdout.splitlines()

    def complaints(self, status, *words, **options):
        """The lines on stderr instead."""
        done = self.run(*words, **options)
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done.stderr.splitlines()

    def write(self, name, content):
        """A file of the test; content that is no text becomes JSON."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return name


class World:
    """A server of the test's own, the program aimed at it, and what the server saw."""

    def __init__(self, server, folder):
        self.server = server
        self.program = Program(server.endpoint, folder)
        self.client = Client(server)
        self.admin = Admin(server)

    def seen(self):
        """The cursor of the list of requests; operations_since() lists those after it."""
        return self.admin.ok("requests?last=1")["cursor"]

    def operations_since(self, cursor):
        answer = self.admin.ok(f"requests?show=all&after={cursor}")
        assert not answer.get("lost")
        return [request["operation"] for request in answer["requests"]]

    def fail(self, operation, nth=1):
        """The nth request of this operation fails, with an error that no client repeats."""
        self.admin.ok("faults", {"name": "r", "match": {"operation": operation}, "when": {"nth": nth},
                                 "effect": {"error": {"type": "ResourceInUseException", "message": "as the test asks", "any": True}}})

    def failures(self):
        fired = self.admin.ok("faults/r")["fired"]
        self.admin.ok("faults/clear", {})
        return fired

    def tags(self, table):
        arn = self.client.describe(table)["TableArn"]
        return {tag["Key"]: tag["Value"] for tag in self.client.ok("ListTagsOfResource", ResourceArn=arn)["Tags"]}

    def ttl(self, table):
        told = self.client.ok("DescribeTimeToLive", TableName=table)["TimeToLiveDescription"]
        return told.get("AttributeName") if told["TimeToLiveStatus"].startswith("ENABL") else None
