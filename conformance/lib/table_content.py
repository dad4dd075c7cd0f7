"""The content of tables: items of every type, and all that a client can see of a server's tables."""

import base64

from raw_client import request

# One of every type; numbers and sets as the service gives them back.
ATTRIBUTES = {
    "s": {"S": "text with \"quotes\", a line\nbreak, \\, '\u00fc' and \U0001F600"},
    "empty": {"S": ""},
    "n": {"N": "12345678901234567890123456789012345678"},
    "small": {"N": "-0.00000000000000000000000000000000000001"},
    "large": {"N": "1" + "0" * 125},
    "b": {"B": base64.b64encode(bytes(range(256))).decode()},
    "yes": {"BOOL": True},
    "nil": {"NULL": True},
    "ss": {"SS": ["", "a", "d\"e"]},
    "ns": {"NS": ["-1", "1.5", "99999999999999999999999999999999999999"]},
    "bs": {"BS": ["AQ==", "AQI="]},
    "l": {"L": [{"S": "x"}, {"N": "1"}, {"L": []}, {"M": {}}, {"NULL": True}, {"SS": ["q"]}]},
    "m": {"M": {"a b": {"M": {"null": {"L": [{"B": "AQ=="}]}}}, "$10": {"S": "x"}, "it's": {"N": "0"}}},
}


def nested(levels):
    value = {"S": "deep"}
    for _ in range(levels):
        value = {"L": [value]}
    return value


def items_of_every_type():
    items = [{"pk": {"S": f"only {name}"}, "sk": {"S": "1"}, name: value} for name, value in ATTRIBUTES.items()]
    items.append({"pk": {"S": "all"}, "sk": {"S": "1"}, **ATTRIBUTES})
    items.append({"pk": {"S": "deep"}, "sk": {"S": "1"}, "d": nested(31)})
    return items


def by_key(items):
    """Items by their key: what equality of exports means, whose order is no promise."""
    keyed = {(item["pk"]["S"], item["sk"]["S"]): item for item in items}
    assert len(keyed) == len(items), "an item twice"
    return keyed


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
