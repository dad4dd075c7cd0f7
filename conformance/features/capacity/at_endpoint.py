"""What the programs beside this file need to be run against a server: `python3 hot_partition.py http://localhost:8000`.

Seconds are the server's where its clock can be moved (`--clock manual`), and real ones elsewhere."""

import json
import os
import sys
import time
import urllib.error
import urllib.request

import boto3
from botocore.config import Config

USAGE = "usage: python3 PROGRAM.py http://HOST:PORT"


def waiter(endpoint):
    """wait(seconds) for the endpoint."""
    def move(seconds):
        body = json.dumps({"advance": f"{round(seconds * 1_000_000)}us"}).encode()
        urllib.request.urlopen(f"{endpoint}/_stator/clock", data=body, timeout=60).close()

    try:
        move(0)
    except (urllib.error.HTTPError, urllib.error.URLError):
        return time.sleep
    return move


def connect():
    """(client, wait): one that does not try again by itself, so that each refusal is seen."""
    if len(sys.argv) != 2:
        raise SystemExit(USAGE)
    endpoint = sys.argv[1].rstrip("/")
    for name, value in (("AWS_ACCESS_KEY_ID", "local"), ("AWS_SECRET_ACCESS_KEY", "local")):
        os.environ.setdefault(name, value)
    config = Config(retries={"mode": "standard", "total_max_attempts": 1})
    client = boto3.client("dynamodb", endpoint_url=endpoint, region_name="us-east-1", config=config)
    return client, waiter(endpoint)


def create(client, table, keys="pk:S", writes=None):
    """A table; with `writes` of so much provisioned throughput, else on demand."""
    pairs = [word.split(":") for word in keys.split()]
    mode = {"BillingMode": "PAY_PER_REQUEST"}
    if writes:
        mode = {"BillingMode": "PROVISIONED",
                "ProvisionedThroughput": {"ReadCapacityUnits": writes, "WriteCapacityUnits": writes}}
    client.create_table(
        TableName=table, **mode,
        KeySchema=[{"AttributeName": name, "KeyType": kind} for (name, _), kind in zip(pairs, ("HASH", "RANGE"))],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": type_} for name, type_ in pairs])
    client.get_waiter("table_exists").wait(TableName=table)
