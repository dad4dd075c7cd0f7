"""What a data folder holds, and where the golden folders lie.

tests/golden/format-N/ has a data folder as a program of format version N left it (data.mdb.xz) and
its content as that program told it (content.json.xz).
"""

import json
import lzma
from pathlib import Path

from raw_client import request

TOKENS_SINCE = 5      # the first version that keeps tokens
THROUGHPUT_SINCE = 6  # the first that keeps what tables can serve
MARKS_SINCE = 7       # and the first that keeps states to go back to
GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"


def versions():
    return sorted(int(folder.name.removeprefix("format-")) for folder in GOLDEN.glob("format-*"))


def unpack(version, folder):
    """Puts a copy of a golden data folder at `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    packed = (GOLDEN / f"format-{version}" / "data.mdb.xz").read_bytes()
    (folder / "data.mdb").write_bytes(lzma.decompress(packed))


def expected(version):
    return json.loads(lzma.decompress((GOLDEN / f"format-{version}" / "content.json.xz").read_bytes()))


def keep(version, folder, content):
    """Makes `folder` and its content the golden ones of a version."""
    target = GOLDEN / f"format-{version}"
    target.mkdir(parents=True, exist_ok=True)
    pack = lambda data: lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)
    (target / "data.mdb.xz").write_bytes(pack((folder / "data.mdb").read_bytes()))
    (target / "content.json.xz").write_bytes(pack(json.dumps(content, sort_keys=True).encode()))


def transaction(amount=5):
    """A transaction that is sent once where the folder is made, and again where it is opened."""
    move = lambda name, sign: {"Update": {
        "TableName": "accounts", "Key": {"pk": {"S": name}},
        "UpdateExpression": f"SET balance = balance {sign} :amount",
        "ExpressionAttributeValues": {":amount": {"N": str(amount)}}}}
    note = {"Put": {"TableName": "notes", "Item": {"pk": {"S": "first"}, "sk": {"N": "1"}},
                    "ConditionExpression": "attribute_not_exists(pk)"}}
    return {"ClientRequestToken": "golden-token", "TransactItems": [move("a", "-"), move("b", "+"), note]}


def divide(admin):
    """Sets what one table can serve: it has 4 partitions, and 6 have 4 more boundaries."""
    told = admin.ok("capacity", {"table": "notes", "partitions": 6, "throttling": "enforce"})["tables"]
    assert len(told[0]["partitions"]) == 8


def all_pages(client, operation, **members):
    """The items of all pages, in their order."""
    items, more = [], {}
    while True:
        page = client.ok(operation, **members, **more)
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        more = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def ask_streams(client, operation, **members):
    target = {"X-Amz-Target": f"DynamoDBStreams_20120810.{operation}"}
    answer = client.connection.exchange(request(None, members, {**client.headers, **target}))
    assert answer.status == 200, f"{operation}: {answer.body[:600]!r}"
    return answer.json()


def streams_of(client, name):
    """The streams of a table as described, and the records of each shard."""
    streams = []
    for stream in ask_streams(client, "ListStreams", TableName=name)["Streams"]:
        place = {"StreamArn": stream["StreamArn"]}
        description = ask_streams(client, "DescribeStream", **place)["StreamDescription"]
        records = []
        for shard in description["Shards"]:
            token = ask_streams(client, "GetShardIterator", **place, ShardId=shard["ShardId"],
                                ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
            records.append(ask_streams(client, "GetRecords", ShardIterator=token)["Records"])
        streams.append({"description": description, "records": records})
    return streams


def content_of(client):
    """Everything a client can see: tables and indexes as described, tags, all items in order, and
    where there are any, streams and what expires."""
    content = {}
    for name in client.table_names():
        description = client.describe(name)
        tags = client.ok("ListTagsOfResource", ResourceArn=description["TableArn"])["Tags"]
        indexes = [index["IndexName"] for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
                   for index in description.get(kind, [])]
        content[name] = {
            "description": description,
            "tags": tags,
            "items": all_pages(client, "Scan", TableName=name, ConsistentRead=True),
            "indexes": {index: all_pages(client, "Scan", TableName=name, IndexName=index)
                        for index in indexes},
        }
        if streams := streams_of(client, name):
            content[name]["streams"] = streams
            content[name]["ttl"] = client.ok("DescribeTimeToLive", TableName=name)
    return content
