#!/usr/bin/python3
"""Makes the golden folder of a format version with a program that writes it.

Usage: make.py BINARY VERSION, with conformance/lib on PYTHONPATH. For a new format version only:
golden folders that are there already are history and stay as they are.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import content
from admin import Admin
from client import Client
from server_process import Server

LATE = 3600  # seconds by which index changes are still to come when the folder is closed


def define(client, name, keys, types=None, **members):
    kinds = ("HASH", "RANGE")
    types = types or {}
    attributes = {*keys, *types}
    client.ok("CreateTable", TableName=name, BillingMode="PAY_PER_REQUEST",
              AttributeDefinitions=[{"AttributeName": a, "AttributeType": types.get(a, "S")}
                                    for a in sorted(attributes)],
              KeySchema=[{"AttributeName": k, "KeyType": t} for k, t in zip(keys, kinds)], **members)


def index(name, partition, sort, projection="ALL", extra=()):
    schema = [{"AttributeName": a, "KeyType": "HASH"} for a in partition]
    schema += [{"AttributeName": a, "KeyType": "RANGE"} for a in sort]
    projected = {"ProjectionType": projection}
    if extra:
        projected["NonKeyAttributes"] = list(extra)
    return {"IndexName": name, "KeySchema": schema, "Projection": projected}


def every_type(number):
    return {
        "s": {"S": f"text \u00e9\u4e16\U0001f600 {number}"}, "n": {"N": "-12345678901234567890.5e-3"},
        "big": {"N": "9.9999999999999999999999999999999999999E+125"}, "b": {"B": "AAECA/8="},
        "yes": {"BOOL": True}, "no": {"BOOL": False}, "none": {"NULL": True}, "empty": {"S": ""},
        "ss": {"SS": ["a", "b", "\u00fc"]}, "ns": {"NS": ["1", "-2.5", "0"]}, "bs": {"BS": ["AA==", "/w=="]},
        "l": {"L": [{"N": "1"}, {"S": "two"}, {"L": [{"M": {}}]}]},
        "m": {"M": {"deep": {"M": {"er": {"L": [{"BOOL": True}]}}}, "\u00fc": {"S": "short"}}},
    }


def fill_types(client):
    define(client, "types", ["pk"], {"pk": "N"},
           Tags=[{"Key": "team", "Value": "storage"}, {"Key": "empty", "Value": ""}])
    for number in range(20):
        client.ok("PutItem", TableName="types", Item={"pk": {"N": str(number - 10)}, **every_type(number)})
    client.ok("PutItem", TableName="types", Item={"pk": {"N": "1000"}, "large": {"S": "x" * 399_000}})


def fill_long_keys(client):
    """Sort keys that share what fits into a key of the store, so that they go on in nodes."""
    define(client, "long", ["pk", "sk"], {"sk": "B"})
    tails = ["", "AAAA", "AAAB", "AAAC" * 100, "////" * 120]
    for partition in ("p", "q" * 64, "r" * 65, "s" * 2048):
        for tail in tails:
            for head in (0, 400, 660, 668, 680):
                sort = ("QUJD" * (head // 4) + tail) or "AA=="
                client.ok("PutItem", TableName="long", Item={
                    "pk": {"S": partition}, "sk": {"B": sort}, "v": {"N": str(len(sort))}})


def fill_indexed(client, name="indexed"):
    define(client, name, ["pk", "sk"], {"rank": "N", "group": "S", "hash": "B"},
           LocalSecondaryIndexes=[index("by_l", ["pk"], ["rank"]),
                                  index("few", ["pk"], ["group"], "INCLUDE", ["s", "m"])],
           GlobalSecondaryIndexes=[index("by_g", ["group"], ["rank"]), index("by_h", ["hash"], [], "KEYS_ONLY"),
                                   index("many", ["group", "hash"], ["rank", "sk"], "INCLUDE", ["n"])])
    for number in range(60):
        item = {"pk": {"S": f"p{number % 7}"}, "sk": {"S": f"s{number:03}"}, "group": {"S": f"g{number % 5}\0"},
                **every_type(number)}
        if number % 3:
            item["rank"] = {"N": str(number % 4)}
        if number % 4:
            item["hash"] = {"B": ["AA==", "AP8=", "/w=="][number % 3]}
        client.ok("PutItem", TableName=name, Item=item)


def change_indexed(client, name="indexed"):
    """Leaves index changes of every kind behind that are not applied yet."""
    for number in range(0, 60, 2):
        key = {"pk": {"S": f"p{number % 7}"}, "sk": {"S": f"s{number:03}"}}
        if number % 6 == 0:
            client.ok("DeleteItem", TableName=name, Key=key)
        else:
            client.ok("UpdateItem", TableName=name, Key=key, UpdateExpression="SET #g = :g, n = :n", ExpressionAttributeNames={"#g": "group"},
                      ExpressionAttributeValues={":g": {"S": f"moved{number % 3}"}, ":n": {"N": "1"}})


def fill_streamed(client, name="streamed"):
    """Two streams, the first disabled, and items that expire."""
    stream = lambda view: {"StreamEnabled": True, "StreamViewType": view}
    define(client, name, ["pk"], StreamSpecification=stream("NEW_AND_OLD_IMAGES"))
    client.ok("UpdateTimeToLive", TableName=name,
              TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
    put = lambda number: client.ok("PutItem", TableName=name, Item={
        "pk": {"S": f"p{number % 5}"}, "ttl": {"N": str(1830297600 + number)}, **every_type(number)})
    for number in range(12):
        put(number)
    client.ok("DeleteItem", TableName=name, Key={"pk": {"S": "p0"}})
    client.ok("UpdateTable", TableName=name, StreamSpecification={"StreamEnabled": False})
    put(12)
    client.ok("UpdateTable", TableName=name, StreamSpecification=stream("NEW_IMAGE"))
    for number in range(13, 20):
        put(number)


def fill_transacted(client):
    """A client's token that is kept as long as the clock stands."""
    define(client, "accounts", ["pk"])
    define(client, "notes", ["pk", "sk"], {"sk": "N"})
    for name in ("a", "b"):
        client.ok("PutItem", TableName="accounts", Item={"pk": {"S": name}, "balance": {"N": "100"}})
    client.ok("TransactWriteItems", **content.transaction())


def fill_spent(client):
    """A table whose bucket of writes is not full: 15 of 900 units are drawn, while time stands."""
    client.ok("CreateTable", TableName="spent", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
              AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
              ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 3})
    for number in range(15):
        client.ok("PutItem", TableName="spent", Item={"pk": {"S": f"p{number}"}})


def fill_backed_up(client, admin):
    """A table with recovery, an accident an hour later, a backup of before, and one of a deleted table."""
    for name in ("backed_up", "deleted"):
        define(client, name, ["pk"])
        client.ok("UpdateContinuousBackups", TableName=name,
                  PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        for number in range(10):
            client.ok("PutItem", TableName=name, Item={"pk": {"S": f"p{number}"}, **every_type(number)})
    client.ok("CreateBackup", TableName="backed_up", BackupName="golden")
    admin.move(advance="1h")
    for number in range(5):
        client.ok("DeleteItem", TableName="backed_up", Key={"pk": {"S": f"p{number}"}})
    client.ok("DeleteTable", TableName="deleted")


def fill_doomed(client):
    """A large table, to be deleted at the last moment."""
    define(client, "doomed", ["pk"])
    for start in range(0, 15000, 25):
        puts = [{"PutRequest": {"Item": {"pk": {"S": f"d{n}"}}}} for n in range(start, start + 25)]
        assert not client.ok("BatchWriteItem", RequestItems={"doomed": puts})["UnprocessedItems"]


def main(program, version):
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "golden"
        # Time stands, so that nothing becomes too old.
        server = Server("--db-path", folder, "--clock", "2027-01-01T00:00:00Z", program=program)
        client = Client(server)
        fill_types(client)
        fill_streamed(client)
        fill_long_keys(client)
        fill_indexed(client)
        fill_transacted(client)
        fill_spent(client)
        fill_backed_up(client, Admin(server))
        content.divide(Admin(server))
        define(client, "empty", ["pk"])
        assert server.stop() == 0

        # Index changes that are still to come, and a deleted table whose data is not swept yet.
        server = Server("--db-path", folder, "--gsi-delay", LATE, program=program)
        client = Client(server)
        change_indexed(client)
        fill_indexed(client, "late")
        fill_doomed(client)
        # A state to go back to, before the last changes.
        Admin(server).mark("golden")
        client.ok("PutItem", TableName="empty", Item={"pk": {"S": "not any more"}})
        client.ok("DeleteTable", TableName="doomed")
        server.kill()
        subprocess.run([program, "compact", folder], check=True, capture_output=True)

        # What it comes to when all of that is done, as the same program tells it.
        copy = Path(scratch) / "copy"
        copy.mkdir()
        shutil.copy(folder / "data.mdb", copy)
        server = Server("--db-path", copy, program=program)
        content.keep(version, folder, content.content_of(Client(server)))
        assert server.stop() == 0
    target = content.GOLDEN / f"format-{version}"
    for path in sorted(target.iterdir()):
        print(path.name, os.path.getsize(path), "bytes")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
