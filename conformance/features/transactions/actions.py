"""What the tests say in short: actions, reasons of a cancellation, records of a stream."""

import boto3

CANCELLED = "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]"
NONE = {"Code": "None"}
FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
CONFLICT = {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}


def item(key, **values):
    """item("a", n=1, s="text", l=[…]): texts and whole numbers, anything else as it is."""
    def value(v):
        return {"S": v} if isinstance(v, str) else {"N": str(v)} if isinstance(v, int) else v

    return {"pk": value(key), **{name: value(v) for name, v in values.items()}}


def action(kind, table, key, **members):
    """An action on an item of a table whose key is pk; `key` may be a whole key or item."""
    key = key if isinstance(key, dict) else item(key)
    return {kind: {"TableName": table, "Item" if kind == "Put" else "Key": key, **members}}


def put(table, key, **members):
    return action("Put", table, key, **members)


def update(table, key, expression, values=None, **members):
    if values:
        members["ExpressionAttributeValues"] = {f":{n}": v for n, v in item("", **values).items() if n != "pk"}
    return action("Update", table, key, UpdateExpression=expression, **members)


def delete(table, key, **members):
    return action("Delete", table, key, **members)


def check(table, key, condition="attribute_exists(pk)", **members):
    return action("ConditionCheck", table, key, ConditionExpression=condition, **members)


def get(table, key, **members):
    return action("Get", table, key, **members)


def write(client, *actions, **members):
    """TransactWriteItems that must succeed."""
    return client.ok("TransactWriteItems", TransactItems=list(actions), **members)


def read(client, *actions, **members):
    """TransactGetItems that must succeed: its Responses."""
    return client.ok("TransactGetItems", TransactItems=list(actions), **members)["Responses"]


def refused(answer, error, message):
    """The answer is this error, named without what stands before the #."""
    assert answer.error() == (400, error, message)


def cancelled(answer, *reasons):
    """The answer is a cancelled transaction with exactly these reasons."""
    assert answer.status == 400, answer
    body = answer.json()
    codes = ", ".join(reason["Code"] for reason in reasons)
    assert body == {
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "CancellationReasons": list(reasons), "Message": CANCELLED.format(codes)
    }


def send_write(client, *actions, **members):
    return client.send("TransactWriteItems", {"TransactItems": list(actions), **members})


def send_read(client, *actions, **members):
    return client.send("TransactGetItems", {"TransactItems": list(actions), **members})


def send_statements(client, *texts, **members):
    """ExecuteTransaction of statements without parameters."""
    return client.send("ExecuteTransaction", {"TransactStatements": [{"Statement": text} for text in texts], **members})


def stored(client, table, key):
    """The item or None."""
    key = key if isinstance(key, dict) else item(key)
    return client.ok("GetItem", TableName=table, Key=key, ConsistentRead=True).get("Item")


STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}


def records(client, table):
    """The records of the table's stream, which has one shard, as (event, key, new image)."""
    streams = boto3.session.Session().client("dynamodbstreams",
                                             endpoint_url=client.server.endpoint,
                                             region_name="us-east-1",
                                             verify=False)
    arn = client.describe(table)["LatestStreamArn"]
    shard, = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    token = streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"],
                                       ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    found = []
    while page := streams.get_records(ShardIterator=token):
        if not page["Records"]:
            return found
        found += [(r["eventName"], r["dynamodb"]["Keys"], r["dynamodb"].get("NewImage")) for r in page["Records"]]
        token = page["NextShardIterator"]
    raise AssertionError("not reached")
