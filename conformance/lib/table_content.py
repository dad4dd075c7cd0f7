"""All that a client can see of the tables of a server."""

from raw_client import request


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
