"""Streams of Kinesis on the server under test: clients, names, reading whole shards."""

import json

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from boto3_fixtures import make_client
from client import Client
from server_process import wait_until

ACCOUNT = "000000000000"


def kinesis_client(endpoint):
    config = Config(connect_timeout=10, read_timeout=30, retries={"max_attempts": 0})
    return boto3.client("kinesis", endpoint_url=endpoint, region_name="us-east-1", config=config)


class Wire:
    """A boto3 client. The operations on destinations are sent as plain JSON, under boto3's names and with its errors,
    because the packaged boto3 does not know all of their members."""

    def __init__(self, server, **options):
        self.boto3 = make_client(server.endpoint, **options)
        self.plain = Client(server)

    def __getattr__(self, name):
        if "kinesis" not in name:
            return getattr(self.boto3, name)
        return lambda **members: self.send("".join(word.title() for word in name.split("_")), members)

    def send(self, operation, members):
        answer = self.plain.send(operation, members)
        if answer.status == 200:
            return answer.json()
        _, code, message = answer.error()
        raise ClientError({"Error": {"Code": code, "Message": message}}, operation)


def arn_of(stream, region="us-east-1", account=ACCOUNT):
    return f"arn:aws:kinesis:{region}:{account}:stream/{stream}"


def read_shard(kinesis, stream, shard, **start):
    """All records of a shard from a position on, which is its beginning by default."""
    start.setdefault("ShardIteratorType", "TRIM_HORIZON")
    iterator = kinesis.get_shard_iterator(StreamName=stream, ShardId=shard, **start)["ShardIterator"]
    records = []
    while True:
        page = kinesis.get_records(ShardIterator=iterator, Limit=1000)
        records += page["Records"]
        iterator = page["NextShardIterator"]
        if not page["Records"] and page["MillisBehindLatest"] == 0:
            return records


def read_all(kinesis, stream):
    """The records of all shards, each shard's in its order."""
    shards = [shard["ShardId"] for shard in kinesis.list_shards(StreamName=stream)["Shards"]]
    return [record for shard in shards for record in read_shard(kinesis, stream, shard)]


def wait_for_records(kinesis, stream, count):
    """Waits until the stream has that many records; returns them."""
    def enough():
        records = read_all(kinesis, stream)
        return records if len(records) >= count else None

    records = wait_until(enough, what=f"{count} records in {stream}", pause_s=0.02)
    assert len(records) == count, records
    return records


def changes(records):
    return [json.loads(record["Data"]) for record in records]


def destinations(dynamodb, table):
    answer = dynamodb.describe_kinesis_streaming_destination(TableName=table)
    assert answer["TableName"] == table
    return answer["KinesisDataStreamDestinations"]


def wait_for_status(dynamodb, table, status):
    """Waits until the newest destination has that status; returns it."""
    def reached():
        newest = destinations(dynamodb, table)[0]
        return newest if newest["DestinationStatus"] == status else None

    return wait_until(reached, what=f"destination {status}", pause_s=0.02)
