"""DynamoDB Streams with boto3, read as its clients read them: shard by shard, parents first."""

import boto3
import pytest
from botocore.exceptions import ClientError

from admin import Admin
from conftest import attributes, key_schema, make_client
from own_servers import start as start_server  # noqa: F401
from server_process import wait_until

BOTH = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


def streams_client(endpoint):
    return boto3.session.Session().client("dynamodbstreams", endpoint_url=endpoint, region_name="us-east-1",
                                          verify=False)


@pytest.fixture(scope="session")
def streams(server):
    return streams_client(server.endpoint)


def arn_of(client, name):
    return client.describe_table(TableName=name)["Table"]["LatestStreamArn"]


def shards_of(streams, arn):
    """All shards, in pages, parents before their children."""
    shards, more = [], {}
    while True:
        page = streams.describe_stream(StreamArn=arn, Limit=2, **more)["StreamDescription"]
        shards += page["Shards"]
        if "LastEvaluatedShardId" not in page:
            break
        more = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}
    ids = [shard["ShardId"] for shard in shards]
    assert ids == sorted(set(ids))
    for shard in shards:  # one that is gone may be named
        assert shard.get("ParentShardId", "") < shard["ShardId"]
    return shards


def iterator(streams, arn, shard, kind="TRIM_HORIZON", **members):
    return streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType=kind,
                                      **members)["ShardIterator"]


def read(streams, token, limit=1000):
    """The records there are now, and the iterator behind them."""
    records = []
    while token:
        page = streams.get_records(ShardIterator=token, Limit=limit)
        records += page["Records"]
        token = page.get("NextShardIterator")
        if not page["Records"]:
            break
    return records, token


def replay(streams, arn, limit=1000):
    """What the stream's records make of nothing, and how many there were."""
    table, count = {}, 0
    for shard in shards_of(streams, arn):
        records, token = read(streams, iterator(streams, arn, shard), limit)
        assert (token is None) == ("EndingSequenceNumber" in shard["SequenceNumberRange"])
        numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in records]
        assert numbers == sorted(numbers)
        for record in records:
            count += 1
            change = record["dynamodb"]
            key = change["Keys"]["pk"]["S"]
            assert change.get("OldImage") == table.get(key)
            assert record["eventName"] == (
                "REMOVE" if "NewImage" not in change else "MODIFY" if key in table else "INSERT")
            table.pop(key, None)
            if "NewImage" in change:
                table[key] = change["NewImage"]
    return table, count


def items_of(client, name):
    pages = client.get_paginator("scan").paginate(TableName=name, ConsistentRead=True)
    return {item["pk"]["S"]: item for page in pages for item in page["Items"]}


def refused(code, call, **members):
    with pytest.raises(ClientError) as caught:
        call(**members)
    assert caught.value.response["Error"]["Code"] == code
    return caught.value.response["Error"]["Message"]


def put(client, name, key, value="1"):
    client.put_item(TableName=name, Item={"pk": {"S": key}, "v": {"N": value}})


def test_a_stream_tells_what_happened(dynamodb, streams, new_table):
    name = new_table(StreamSpecification=BOTH)
    arn = arn_of(dynamodb, name)
    for number in range(30):
        put(dynamodb, name, f"k{number % 10}", str(number // 20))
    dynamodb.delete_item(TableName=name, Key={"pk": {"S": "k0"}})
    dynamodb.update_item(TableName=name, Key={"pk": {"S": "k1"}}, UpdateExpression="SET w = :w",
                         ExpressionAttributeValues={":w": {"L": [{"BOOL": True}]}})
    table, count = replay(streams, arn, limit=7)
    assert table == items_of(dynamodb, name)
    assert count == 10 + 10 + 1 + 1  # ten puts changed nothing
    description = streams.describe_stream(StreamArn=arn)["StreamDescription"]
    assert description["StreamStatus"] == "ENABLED"
    assert description["KeySchema"] == [{"AttributeName": "pk", "KeyType": "HASH"}]
    listed = streams.list_streams(TableName=name)["Streams"]
    assert [(one["StreamArn"], one["TableName"]) for one in listed] == [(arn, name)]


def test_latest_begins_behind_what_is_there(dynamodb, streams, new_table):
    name = new_table(StreamSpecification=BOTH)
    arn = arn_of(dynamodb, name)
    put(dynamodb, name, "before")
    shard, = shards_of(streams, arn)
    token = iterator(streams, arn, shard, "LATEST")
    put(dynamodb, name, "behind")
    records, token = read(streams, token)
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in records] == ["behind"]
    put(dynamodb, name, "later")
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in read(streams, token)[0]] == ["later"]


def test_by_sequence_number(dynamodb, streams, new_table):
    name = new_table(StreamSpecification=BOTH)
    arn = arn_of(dynamodb, name)
    for number in range(12):  # past the tenth, where texts grow longer
        put(dynamodb, name, f"k{number}")
    shard, = shards_of(streams, arn)
    records, _ = read(streams, iterator(streams, arn, shard))
    for place, record in enumerate(records):
        number = record["dynamodb"]["SequenceNumber"]
        at = iterator(streams, arn, shard, "AT_SEQUENCE_NUMBER", SequenceNumber=number)
        behind = iterator(streams, arn, shard, "AFTER_SEQUENCE_NUMBER", SequenceNumber=number)
        assert read(streams, at)[0] == records[place:]
        assert read(streams, behind)[0] == records[place + 1:]
    start = shard["SequenceNumberRange"]["StartingSequenceNumber"]
    assert read(streams, iterator(streams, arn, shard, "AT_SEQUENCE_NUMBER", SequenceNumber=start))[0] == records


def test_each_enabling_is_a_stream(dynamodb, streams, new_table):
    name = new_table()
    arns = []
    for value in ("1", "2"):
        put(dynamodb, name, "k", "0" + value)
        dynamodb.update_table(TableName=name, StreamSpecification=BOTH)
        arns.append(arn_of(dynamodb, name))
        put(dynamodb, name, value)
        dynamodb.update_table(TableName=name, StreamSpecification={"StreamEnabled": False})
    assert len(set(arns)) == 2
    for arn, key in zip(arns, ("1", "2")):
        table, count = replay(streams, arn)
        assert (list(table), count) == ([key], 1)
        assert streams.describe_stream(StreamArn=arn)["StreamDescription"]["StreamStatus"] == "DISABLED"
    assert [one["StreamArn"] for one in streams.list_streams(TableName=name)["Streams"]] == arns


def test_the_stream_of_a_deleted_table(dynamodb, streams, new_table):
    name = new_table(StreamSpecification=BOTH)
    arn = arn_of(dynamodb, name)
    put(dynamodb, name, "k")
    dynamodb.delete_table(TableName=name)
    table, count = replay(streams, arn)
    assert (list(table), count) == (["k"], 1)
    assert streams.describe_stream(StreamArn=arn)["StreamDescription"]["StreamStatus"] == "DISABLED"


def test_what_is_refused(dynamodb, streams, new_table):
    name = new_table(StreamSpecification=BOTH)
    arn = arn_of(dynamodb, name)
    shard, = shards_of(streams, arn)
    missing = arn[:-3] + "999"
    message = refused("ResourceNotFoundException", streams.describe_stream, StreamArn=missing)
    assert message == f"Requested resource not found: Stream: {missing} not found"
    place = {"StreamArn": arn, "ShardId": shard["ShardId"]}
    get = streams.get_shard_iterator
    refused("ValidationException", get, **place, ShardIteratorType="AT_SEQUENCE_NUMBER")
    refused("ValidationException", get, **place, ShardIteratorType="OLDEST")
    refused("ResourceNotFoundException", get, StreamArn=arn, ShardId="shardId-" + "0" * 29,
            ShardIteratorType="LATEST")
    token = iterator(streams, arn, shard)
    refused("ValidationException", streams.get_records, ShardIterator=token[:-5] + "AAAA=")
    refused("ValidationException", streams.get_records, ShardIterator="garbage")
    assert "limit" in refused("ValidationException", streams.get_records, ShardIterator=token, Limit=1001).lower()
    message = refused("ValidationException", dynamodb.update_table, TableName=name, StreamSpecification=BOTH)
    assert message == f"Table already has an enabled stream: TableName: {name}"


def make_own(server):
    client = make_client(server.endpoint)
    client.create_table(TableName="Own", BillingMode="PAY_PER_REQUEST", KeySchema=key_schema("pk"),
                        AttributeDefinitions=attributes("pk:S"), StreamSpecification=BOTH)
    return client, streams_client(server.endpoint), arn_of(client, "Own")


def test_a_day_of_a_stream(start_server):  # noqa: F811
    server = start_server("--clock", "2027-01-01", "--stream-shards", "3")
    client, streams, arn = make_own(server)
    clock = Admin(server)
    for hour in range(0, 20, 2):
        for number in range(10):
            put(client, "Own", f"k{number}", str(hour))
        clock.move(advance="2h")
    shards = shards_of(streams, arn)
    assert len(shards) == 3 * 6
    assert replay(streams, arn) == (items_of(client, "Own"), 100)
    token = iterator(streams, arn, shards[0])
    clock.move(advance="15m1s")
    refused("ExpiredIteratorException", streams.get_records, ShardIterator=token)
    first = read(streams, iterator(streams, arn, shards[0]))[0][0]["dynamodb"]["SequenceNumber"]
    clock.move(advance="5h")
    refused("TrimmedDataAccessException", streams.get_shard_iterator, StreamArn=arn,
            ShardId=shards[0]["ShardId"], ShardIteratorType="AT_SEQUENCE_NUMBER", SequenceNumber=first)
    clock.move(advance="24h")
    assert sum(len(read(streams, iterator(streams, arn, shard))[0]) for shard in shards_of(streams, arn)) == 0
    assert shards[0]["ShardId"] not in {shard["ShardId"] for shard in shards_of(streams, arn)}


def test_expired_items_are_deleted_by_the_service(start_server):  # noqa: F811
    server = start_server("--clock", "2027-01-01")
    client, streams, arn = make_own(server)
    client.update_time_to_live(TableName="Own", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
    client.put_item(TableName="Own", Item={"pk": {"S": "k"}, "ttl": {"N": "1798761660"}})  # a minute later
    Admin(server).move(advance="2m")
    shard, = shards_of(streams, arn)
    records, _ = read(streams, iterator(streams, arn, shard))
    assert [record["eventName"] for record in records] == ["INSERT", "REMOVE"]
    assert "userIdentity" not in records[0]
    assert records[1]["userIdentity"] == {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}


def test_killed_while_writing(start_server, tmp_path):  # noqa: F811
    from threading import Thread

    server = start_server("--db-path", tmp_path)
    client, _, arn = make_own(server)
    answered = []

    def write(first):
        own = make_client(server.endpoint, retries={"max_attempts": 0})
        try:
            for number in range(first, 1_000_000, 4):
                put(own, "Own", f"k{number % 50}", str(number))
                answered.append(number)
        except Exception:  # noqa: BLE001 - the end of the server
            pass

    writers = [Thread(target=write, args=(first,)) for first in range(4)]
    for writer in writers:
        writer.start()
    wait_until(lambda: len(answered) >= 400, what="400 answers")
    server.kill()
    for writer in writers:
        writer.join()
    server = start_server("--db-path", tmp_path)
    table, count = replay(streams_client(server.endpoint), arn)
    assert table == items_of(make_client(server.endpoint), "Own")
    assert count >= len(answered)
