"""x-stator-dry-run: the answer that a request would get, and nothing of what it would do."""

import json

import pytest

from admin import Admin
from client import Client
from metrics_page import Page
from raw_client import Connection
from server_process import given_endpoint

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

KEY = {"pk": {"S": "a"}}
ITEM = {"pk": {"S": "a"}, "n": {"N": "1"}, "by": {"S": "x"}}
T = "orders"
# Each has an effect on the item or on a new one.
WRITES = [
    ("PutItem", {"TableName": T, "Item": {**ITEM, "more": {"S": "text"}}, "ReturnValues": "ALL_OLD"}),
    ("PutItem", {"TableName": T, "Item": {"pk": {"S": "new"}}, "ConditionExpression": "attribute_not_exists(pk)"}),
    ("UpdateItem", {"TableName": T, "Key": KEY, "UpdateExpression": "SET n = n + :one, #by = :y",
                    "ExpressionAttributeNames": {"#by": "by"},
                    "ExpressionAttributeValues": {":one": {"N": "1"}, ":y": {"S": "y"}}, "ReturnValues": "ALL_NEW"}),
    ("DeleteItem", {"TableName": T, "Key": KEY, "ReturnValues": "ALL_OLD"}),
    ("BatchWriteItem", {"RequestItems": {T: [{"PutRequest": {"Item": {"pk": {"S": "b"}}}},
                                             {"DeleteRequest": {"Key": KEY}}]}}),
    ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": T, "Item": {"pk": {"S": "c"}}}},
                                              {"Delete": {"TableName": T, "Key": KEY}}]}),
    ("ExecuteStatement", {"Statement": "UPDATE orders SET n = 7 WHERE pk = 'a' RETURNING ALL NEW *"}),
    ("BatchExecuteStatement", {"Statements": [{"Statement": "INSERT INTO orders VALUE {'pk': 'd'}"}]}),
    ("ExecuteTransaction", {"TransactStatements": [{"Statement": "DELETE FROM orders WHERE pk = 'a'"}]}),
]
# Each fails.
REFUSED = [
    ("PutItem", {"TableName": T, "Item": ITEM, "ConditionExpression": "attribute_not_exists(pk)"}),
    ("PutItem", {"TableName": T, "Item": {"pk": {"N": "1"}}}),
    ("UpdateItem", {"TableName": T, "Key": KEY, "UpdateExpression": "SET n = n + :s",
                    "ExpressionAttributeValues": {":s": {"S": "1"}}}),
    ("UpdateItem", {"TableName": T, "Key": KEY, "UpdateExpression": "SET"}),
    ("DeleteItem", {"TableName": "nothing", "Key": KEY}),
    ("TransactWriteItems", {"TransactItems": [
        {"Put": {"TableName": T, "Item": {"pk": {"S": "c"}}}},
        {"ConditionCheck": {"TableName": T, "Key": KEY, "ConditionExpression": "attribute_not_exists(pk)"}}]}),
]
READS = [
    ("GetItem", {"TableName": T, "Key": KEY, "ReturnConsumedCapacity": "TOTAL"}),
    ("Query", {"TableName": T, "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}}),
    ("Scan", {"TableName": T}),
    ("BatchGetItem", {"RequestItems": {T: {"Keys": [KEY]}}}),
    ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": T, "Key": KEY}}]}),
]


@pytest.fixture
def server(start):
    running = start("--throttling", "enforce")
    client = Client(running)
    client.ok("CreateTable", TableName=T, BillingMode="PAY_PER_REQUEST",
              KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
              AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "by")],
              GlobalSecondaryIndexes=[{"IndexName": "by-by", "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}],
                                       "Projection": {"ProjectionType": "ALL"}}],
              StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
    client.ok("PutItem", TableName=T, Item=ITEM)
    return running


def send(server, operation, body, **headers):
    with Connection(server) as connection:
        return connection.call(operation, body, headers={"x-stator-dry-run": "1"} if headers.get("dry") else None)


def ask_streams(server, operation, **members):
    with Connection(server) as connection:
        answer = connection.call(operation, members,
                                 headers={"X-Amz-Target": "DynamoDBStreams_20120810." + operation})
    assert answer.status == 200, answer
    return answer.json()


def state(server):
    """Everything that a request could have changed."""
    client, admin = Client(server), Admin(server)
    with_console = {"x-stator-console": "1"}
    with Connection(server) as connection:
        scans = [connection.call("Scan", {"TableName": T, **index}, headers=with_console).json()
                 for index in ({}, {"IndexName": "by-by"})]
    arn = client.describe(T)["LatestStreamArn"]
    shard = ask_streams(server, "DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
    iterator = ask_streams(server, "GetShardIterator", StreamArn=arn, ShardId=shard,
                           ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    records = ask_streams(server, "GetRecords", ShardIterator=iterator)["Records"]
    capacity = [{side: one[side]["consumed_units"] for side in ("read", "write")}
                for one in admin.ok(f"capacity/{T}")["tables"]]
    listed = [one["operation"] for one in admin.ok("requests")["requests"]]
    return scans, records, capacity, [one for one in listed if one in {name for name, _ in WRITES + REFUSED + READS}]


def counted(server):
    names = {name for name, _ in WRITES + REFUSED + READS}
    return {key: value for key, value in Page(server).values.items()
            if key[0].startswith("stator_request") and dict(key[1]).get("operation") in names}


@pytest.mark.parametrize("operation, body", WRITES + REFUSED + READS,
                         ids=[f"{name}-{n}" for n, (name, _) in enumerate(WRITES + REFUSED + READS)])
def test_the_answer_is_that_of_the_request_and_nothing_changes(server, operation, body):
    before, count = state(server), counted(server)
    dry = send(server, operation, body, dry=True)
    assert state(server) == before and counted(server) == count
    real = send(server, operation, body)
    assert (dry.status, dry.json()) == (real.status, real.json())
    explained = json.loads(dry.get("x-stator-explain"))
    assert (operation, body) in REFUSED or "would" in explained
    if (operation, body) in WRITES:
        assert state(server) != before


def test_what_would_change(server):
    def would(operation, body):
        return json.loads(send(server, operation, body, dry=True).get("x-stator-explain"))["would"]

    # The index entry has all attributes, the stream record the key and both images.
    def entry(kind, old, new, units=1):
        return [{"index": "by-by", "entry": kind, "old_bytes": old, "new_bytes": new, "units": units}]

    told = would(*WRITES[0])
    assert told == {"items_changed": 1, "items": [
        {"table": T, "key": KEY, "old_bytes": 9, "new_bytes": 17, "units": 1,
         "indexes": entry("changed", 9, 17), "stream_bytes": 3 + 9 + 17}]}
    assert would(*WRITES[1])["items"] == [{"table": T, "key": {"pk": {"S": "new"}}, "old_bytes": 0, "new_bytes": 5,
                                           "units": 1, "stream_bytes": 5 + 5}]
    assert would(*WRITES[2])["items"][0]["indexes"] == entry("moved", 9, 9, units=2)
    assert would(*WRITES[3])["items"] == [{"table": T, "key": KEY, "old_bytes": 9, "new_bytes": 0, "units": 1,
                                           "indexes": entry("removed", 9, 0), "stream_bytes": 3 + 9}]
    added = {"TableName": T, "Item": {"pk": {"S": "b"}, "by": {"S": "x" * 1100}}}
    assert would("PutItem", added)["items"][0]["indexes"] == entry("added", 0, 1105, units=2)
    # Nothing that the stream would tell.
    assert would("PutItem", {"TableName": T, "Item": ITEM})["items"] == [
        {"table": T, "key": KEY, "old_bytes": 9, "new_bytes": 9, "units": 1}]
    assert would(*READS[0]) == {"items_changed": 0, "items": []}
    many = {"RequestItems": {T: [{"PutRequest": {"Item": {"pk": {"S": f"k{n}"}}}} for n in range(25)]}}
    told = would("BatchWriteItem", many)
    assert told["items_changed"] == 25 and len(told["items"]) == 10


@pytest.mark.parametrize("operation, body", WRITES, ids=[f"{name}-{n}" for n, (name, _) in enumerate(WRITES)])
def test_the_parts_cost_what_the_request_costs(server, operation, body):
    told = json.loads(send(server, operation, body, dry=True).get("x-stator-explain"))
    parts = [item["units"] + sum(entry["units"] for entry in item.get("indexes", [])) for item in told["would"]["items"]]
    assert sum(parts) == told["units"] > 0


def test_changes_of_many_indexes_are_cut(start):
    running = start()
    names = [f"{n:02}-" + "i" * 252 for n in range(20)]
    Client(running).ok(
        "CreateTable", TableName="wide", BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "by")],
        GlobalSecondaryIndexes=[{"IndexName": name, "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}],
                                 "Projection": {"ProjectionType": "KEYS_ONLY"}} for name in names])
    puts = [{"PutRequest": {"Item": {"pk": {"S": f"k{n}" + "x" * 100}, "by": {"S": "b"}}}} for n in range(10)]
    answer = send(running, "BatchWriteItem", {"RequestItems": {"wide": puts}}, dry=True)
    header = answer.get("x-stator-explain")
    items = json.loads(header)["would"]["items"]
    assert len(header) < 16384 and len(items) == 10
    first, last = items[0], items[-1]
    assert [entry["index"] for entry in first["indexes"]] == names[:len(first["indexes"])]
    assert 5 < len(first["indexes"]) < 20 and first["indexes_cut"] is True
    assert last["indexes"] == [] and last["indexes_cut"] is True

def test_units_are_those_of_the_request(server):
    body = {"TableName": T, "Item": {"pk": {"S": "a"}, "by": {"S": "z"}, "text": {"S": "x" * 3000}}}
    dry = json.loads(send(server, "PutItem", body, dry=True).get("x-stator-explain"))
    real = send(server, "PutItem", {**body, "ReturnConsumedCapacity": "TOTAL"}).json()["ConsumedCapacity"]
    assert dry["units"] == real["CapacityUnits"] > 3


def test_a_client_token_is_not_used_up(server):
    def transact(key, **how):
        return send(server, "TransactWriteItems", {"ClientRequestToken": "once", "TransactItems": [
            {"Put": {"TableName": T, "Item": {"pk": {"S": key}}}}]}, **how)

    assert transact("other", dry=True).status == 200
    assert transact("mine").status == 200
    # Now it is, also for a request that is not carried out.
    for how in ({"dry": True}, {}):
        assert "IdempotentParameterMismatch" in transact("other", **how).json()["__type"]


def test_operations_on_tables_are_refused(server):
    for operation, body in (("DeleteTable", {"TableName": T}), ("ListTables", {}),
                            ("UpdateTimeToLive", {"TableName": T, "TimeToLiveSpecification": {
                                "Enabled": True, "AttributeName": "ends"}})):
        answer = send(server, operation, body, dry=True)
        assert answer.status == 400 and "x-stator-dry-run" in answer.json()["message"]
    assert Client(server).table_names() == [T]


def test_without_an_admin_path_nothing_is_written_either(start):
    running = start("--admin", "off")
    Client(running).create_table(T)
    answer = send(running, "PutItem", {"TableName": T, "Item": KEY}, dry=True)
    assert answer.status == 200 and "would" in json.loads(answer.get("x-stator-explain"))
    assert Client(running).ok("Scan", TableName=T)["Count"] == 0
