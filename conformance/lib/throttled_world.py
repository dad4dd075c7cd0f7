"""Fixtures for throughput: servers with a clock of their own that stands until it is moved, and boto3's clients whose
waits between attempts pass on that clock."""

import json
from types import SimpleNamespace

import botocore.endpoint
import pytest

from admin import Admin
from boto3_fixtures import make_client
from client import Client
from definitions import attributes, key_schema

EPOCH = "2027-01-01T00:00:00Z"
ONE_SECOND = "initial-burst-seconds=1"


@pytest.fixture
def standing(start):
    """standing(throttling, capacity) starts a server whose time stands. One thread, because several may pass a
    request each too much."""
    def begin(throttling, capacity=None):
        flags = ["--clock", EPOCH, "--throttling", throttling, "--threads", "1"]
        return start(*flags, *(["--capacity", capacity] if capacity else []))

    return begin


class World:
    """A server that refuses what is too much, and what is seen of it."""

    def __init__(self, server):
        self.server, self.admin, self.waited_s = server, Admin(server), []

    def wait(self, seconds):
        """In the place of time.sleep(): the server's time passes, ours does not."""
        self.waited_s.append(seconds)
        if seconds:
            self.admin.move(advance=f"{round(seconds * 1_000_000)}us")

    def client(self, mode="standard", **options):
        """boto3's client and each answer it got: `client.seen`, (status, body) by attempt."""
        options.setdefault("retries", {"mode": mode})
        made = make_client(self.server.endpoint, **options)
        made.seen = []

        def see(response_dict, **_):
            if response_dict:
                made.seen.append((response_dict["status_code"], json.loads(response_dict["body"] or b"{}")))

        made.meta.events.register("response-received.dynamodb", see)
        return made

    def table(self, name, read=None, write=None, types="pk:S", **members):
        if read:
            mode = {"BillingMode": "PROVISIONED",
                    "ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write}}
        else:
            mode = {"BillingMode": "PAY_PER_REQUEST"}
        keys = [word.split(":")[0] for word in types.split()][:2]
        made = {"KeySchema": key_schema(*keys), "AttributeDefinitions": attributes(types), **members}
        client = Client(self.server)  # old SDKs do not know each member
        client.ok("CreateTable", TableName=name, **mode, **made)
        client.close()

    def told(self, table, index=""):
        """What the admin path tells of a table or an index."""
        (one,) = [one for one in self.admin.ok("capacity")["tables"]
                  if (one["table"], one.get("index", "")) == (table, index)]
        return one

    def throttled(self, table, index="", dimension="write"):
        return self.told(table, index)[dimension]["throttled"]


@pytest.fixture
def world(standing, monkeypatch):
    """world(capacity) starts a server; what boto3 waits before it tries again passes on that server's clock."""
    def begin(capacity=ONE_SECOND, is_waiting=True):
        made = World(standing("enforce", capacity))
        sleep = made.wait if is_waiting else made.waited_s.append
        monkeypatch.setattr(botocore.endpoint, "time", SimpleNamespace(sleep=sleep))
        return made

    return begin
