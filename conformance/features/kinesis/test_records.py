"""The records of changes, byte for byte, their keys and their order."""

import hashlib
import json
import re

import pytest

from admin import Admin
from kinesis_world import Wire, arn_of, changes, kinesis_client, read_all, wait_for_records

ITEM = {"pk": {"S": "aü"}, "n": {"N": "1.50"}, "b": {"B": b"\0\1"}, "l": {"L": [{"BOOL": True}, {"NULL": True}]}}


def text_of(record, table, event, images, size, identity="null", micro=False, keys='{"pk":{"S":"aü"}}'):
    """The expected record; time and id are taken from the record, after a look at their form."""
    data = record["Data"].decode()
    event_id = re.search(r'"eventID":"([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"', data)[1]
    time = re.search(r'"ApproximateCreationDateTime":(\d+),', data)[1]
    assert len(time) == (16 if micro else 13)
    precision = ',"ApproximateCreationDateTimePrecision":"MICROSECOND"' if micro else ""
    return (f'{{"awsRegion":"us-east-1","eventID":"{event_id}","eventName":"{event}","userIdentity":{identity},'
            f'"recordFormat":"application/json","tableName":"{table}","dynamodb":{{'
            f'"ApproximateCreationDateTime":{time},"Keys":{keys}{images},"SizeBytes":{size}{precision}}},'
            '"eventSource":"aws:dynamodb"}')


@pytest.mark.parametrize("micro", [False, True])
def test_insert_modify_and_remove(dynamodb, kinesis, streaming, micro):
    table, stream = streaming(precision="MICROSECOND" if micro else None)
    dynamodb.put_item(TableName=table, Item=ITEM)
    dynamodb.put_item(TableName=table, Item=ITEM)  # no change, no record
    dynamodb.put_item(TableName=table, Item={"pk": ITEM["pk"]})
    dynamodb.delete_item(TableName=table, Key={"pk": ITEM["pk"]})
    records = wait_for_records(kinesis, stream, 3)
    image = '{"b":{"B":"AAE="},"l":{"L":[{"BOOL":true},{"NULL":true}]},"n":{"N":"1.5"},"pk":{"S":"aü"}}'
    key = '{"pk":{"S":"aü"}}'
    size = changes(records)[0]["dynamodb"]["SizeBytes"] - 5
    found = [record["Data"].decode() for record in records]
    assert found == [
        text_of(records[0], table, "INSERT", f',"NewImage":{image}', 5 + size, micro=micro),
        text_of(records[1], table, "MODIFY", f',"NewImage":{key},"OldImage":{image}', 5 + 5 + size, micro=micro),
        text_of(records[2], table, "REMOVE", f',"OldImage":{key}', 5 + 5, micro=micro)]
    ids = {change["eventID"] for change in changes(records)}
    assert len(ids) == 3
    assert len({record["PartitionKey"] for record in records}) == 1
    assert re.fullmatch(r"[0-9A-F]{32}", records[0]["PartitionKey"])


def test_sizes_are_those_of_streams(dynamodb, kinesis, streaming):
    table, stream = streaming()
    dynamodb.put_item(TableName=table, Item={"pk": {"S": "abc"}, "name": {"S": "xyz"}})
    record = changes(wait_for_records(kinesis, stream, 1))[0]
    assert record["dynamodb"]["SizeBytes"] == 5 + 5 + 7


def test_keys_of_two_attributes(dynamodb, kinesis, streaming):
    table, stream = streaming("pk:S sk:N", shards=4)
    for number in range(40):
        for turn in range(3):
            dynamodb.put_item(TableName=table, Item={"pk": {"S": "p"}, "sk": {"N": str(number)},
                                                     "turn": {"N": str(turn)}})
    records = wait_for_records(kinesis, stream, 120)
    keys = {}
    for record in records:
        change = json.loads(record["Data"])["dynamodb"]
        keys.setdefault(change["Keys"]["sk"]["N"], []).append((change["NewImage"]["turn"]["N"],
                                                               record["PartitionKey"]))
    assert len(keys) == 40
    for found in keys.values():
        assert [turn for turn, _ in found] == ["0", "1", "2"]  # in order, in one shard
        assert len({key for _, key in found}) == 1
    assert len({found[0][1] for found in keys.values()}) == 40  # the sort key counts
    shards = {shard["ShardId"]: shard["HashKeyRange"] for shard in kinesis.list_shards(StreamName=stream)["Shards"]}
    assert len(shards) == 4
    hashes = [int(hashlib.md5(record["PartitionKey"].encode()).hexdigest(), 16) for record in records]
    used = {next(shard for shard, ranges in shards.items()
                 if int(ranges["StartingHashKey"]) <= one <= int(ranges["EndingHashKey"])) for one in hashes}
    assert len(used) == 4


def test_expired_items_name_the_service(start):
    server = start("--clock", "manual")
    admin, dynamodb, kinesis = Admin(server), Wire(server), kinesis_client(server.endpoint)
    kinesis.create_stream(StreamName="s", ShardCount=1)
    dynamodb.create_table(TableName="tbl", BillingMode="PAY_PER_REQUEST",
                          KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                          AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    dynamodb.update_time_to_live(TableName="tbl", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
    dynamodb.put_item(TableName="tbl", Item={"pk": {"S": "before"}})
    dynamodb.enable_kinesis_streaming_destination(TableName="tbl", StreamArn=arn_of("s"))
    assert read_all(kinesis, "s") == []  # only changes after the enabling
    now = int(kinesis.describe_stream(StreamName="s")["StreamDescription"]["StreamCreationTimestamp"].timestamp())
    dynamodb.put_item(TableName="tbl", Item={"pk": {"S": "a"}, "ttl": {"N": str(now + 60)}})
    admin.move(advance="2m")
    records = wait_for_records(kinesis, "s", 2)
    image = f'{{"pk":{{"S":"a"}},"ttl":{{"N":"{now + 60}"}}}}'
    identity = '{"principalId":"dynamodb.amazonaws.com","type":"Service"}'
    size = changes(records)[1]["dynamodb"]["SizeBytes"]
    assert records[1]["Data"].decode() == text_of(records[1], "tbl", "REMOVE", f',"OldImage":{image}', size,
                                                  identity=identity, keys='{"pk":{"S":"a"}}')


def test_changes_up_to_the_disabling_arrive(dynamodb, kinesis, streaming):
    table, stream = streaming()
    for number in range(20):
        dynamodb.put_item(TableName=table, Item={"pk": {"S": str(number)}})
    dynamodb.disable_kinesis_streaming_destination(TableName=table, StreamArn=arn_of(stream))
    dynamodb.put_item(TableName=table, Item={"pk": {"S": "after"}})
    wait_for_records(kinesis, stream, 20)
