"""Each operation is done with exactly the permissions that it needs, and denied without any of them.

Each case has a user with all permissions of its operation, and one user for each of them who has all but that.
"""

import json

import pytest

from guarded import Guarded, allow, directory, key_of, table_arn, user
from raw_client import Connection, request
from server_process import Server

TABLE = table_arn("App")
NEW = table_arn("New")
INDEX = f"{TABLE}/index/by_other"
STREAM = f"{TABLE}/stream/2026-01-01T00:00:00.000"
BACKUP = f"{TABLE}/backup/01700000000000-aaaaaaaa"
EXPORT = f"{TABLE}/export/01700000000000-aaaaaaaa"
IMPORT = f"{TABLE}/import/01700000000000-aaaaaaaa"
ALL = table_arn("*")
APP = {"TableName": "App"}
KEY = {"pk": {"S": "a"}, "sk": {"S": "x"}}
ONE = {**APP, "Key": KEY}
RESTORED = [(action, NEW) for action in ("PutItem", "UpdateItem", "DeleteItem", "GetItem", "Query", "Scan", "BatchWriteItem")]
CREATE = {"TableName": "New", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
          "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}
POLICY = json.dumps({"Version": "2012-10-17", "Statement": {
    "Effect": "Allow", "Principal": {"AWS": "111122223333"}, "Action": "dynamodb:GetItem", "Resource": NEW}})

BULK = {"InputS3Configuration": {"S3Bucket": "source", "InputFormat": "DYNAMODB_JSON"},
        "OutputS3Configuration": {"S3Bucket": "reports", "OutputType": ["ERROR"]}}


def on_table(*operations, **members):
    return [(name, {**APP, **members}, [(name, TABLE)]) for name in operations]


def by_arn(arn, *operations, **members):
    return [(name, {"ResourceArn": arn, **members}, [(name, arn)]) for name in operations]


# Operation, body, needs.
CASES = [
    *((name, {**ONE, **more}, [(name, TABLE)]) for name, more in (
        ("GetItem", {}), ("DeleteItem", {}), ("UpdateItem", {"UpdateExpression": "REMOVE n"}))),
    ("PutItem", {**APP, "Item": KEY}, [("PutItem", TABLE)]),
    ("Query", {**APP, "KeyConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}},
     [("Query", TABLE)]),
    ("Query", {**APP, "IndexName": "by_other", "KeyConditionExpression": "owner_id = :a",
               "ExpressionAttributeValues": {":a": {"S": "a"}}}, [("Query", INDEX)]),
    ("Scan", APP, [("Scan", TABLE)]),
    ("Scan", {**APP, "IndexName": "by_other"}, [("Scan", INDEX)]),
    ("BatchGetItem", {"RequestItems": {"App": {"Keys": [KEY]}, "New": {"Keys": [KEY]}}},
     [("BatchGetItem", TABLE), ("BatchGetItem", NEW)]),
    ("BatchWriteItem", {"RequestItems": {"App": [{"DeleteRequest": {"Key": KEY}}],
                                         "New": [{"DeleteRequest": {"Key": KEY}}]}},
     [("BatchWriteItem", TABLE), ("BatchWriteItem", NEW)]),
    ("TransactGetItems", {"TransactItems": [{"Get": ONE}]}, [("GetItem", TABLE)]),
    ("TransactWriteItems", {"TransactItems": [
        {"Put": {**APP, "Item": {**KEY, "sk": {"S": "1"}}}}, {"Delete": {**APP, "Key": {**KEY, "sk": {"S": "2"}}}},
        {"Update": {**APP, "Key": {**KEY, "sk": {"S": "3"}}, "UpdateExpression": "REMOVE n"}},
        {"ConditionCheck": {**APP, "Key": {**KEY, "sk": {"S": "4"}}, "ConditionExpression": "attribute_not_exists(pk)"}}]},
     [(action, TABLE) for action in ("PutItem", "DeleteItem", "UpdateItem", "ConditionCheckItem")]),
    *(("ExecuteStatement", {"Statement": statement}, [(action, resource)]) for statement, action, resource in (
        ("SELECT * FROM App", "PartiQLSelect", TABLE), ('SELECT * FROM "App"."by_other"', "PartiQLSelect", INDEX),
        ("INSERT INTO App VALUE {'pk': 'p', 'sk': 's'}", "PartiQLInsert", TABLE),
        ("UPDATE App SET n = 1 WHERE pk = 'a' AND sk = 'none'", "PartiQLUpdate", TABLE),
        ("DELETE FROM App WHERE pk = 'a' AND sk = 'x'", "PartiQLDelete", TABLE))),
    ("ExecuteTransaction", {"TransactStatements": [{"Statement": "DELETE FROM App WHERE pk = 'a' AND sk = 'x'"}]},
     [("PartiQLDelete", TABLE)]),
    ("CreateTable", {**CREATE, "Tags": [{"Key": "a", "Value": "b"}], "ResourcePolicy": POLICY},
     [("CreateTable", NEW), ("TagResource", NEW), ("PutResourcePolicy", NEW)]),
    *on_table("DescribeTable", "DescribeTimeToLive", "DescribeContinuousBackups", "DescribeContributorInsights",
              "DescribeKinesisStreamingDestination"),
    *on_table("UpdateTable", BillingMode="PAY_PER_REQUEST"),
    *on_table("UpdateTimeToLive", TimeToLiveSpecification={"AttributeName": "t", "Enabled": True}),
    *on_table("UpdateContinuousBackups", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}),
    *on_table("UpdateContributorInsights", ContributorInsightsAction="ENABLE"),
    ("UpdateContributorInsights", {**APP, "IndexName": "by_other", "ContributorInsightsAction": "ENABLE"},
     [("UpdateContributorInsights", INDEX)]),
    *on_table("EnableKinesisStreamingDestination", "DisableKinesisStreamingDestination",
              StreamArn="arn:aws:kinesis:us-east-1:111122223333:stream/s"),
    *on_table("UpdateKinesisStreamingDestination", StreamArn="arn:aws:kinesis:us-east-1:111122223333:stream/s",
              UpdateKinesisStreamingConfiguration={"ApproximateCreationDateTimePrecision": "MICROSECOND"}),
    ("DescribeContributorInsights", {**APP, "IndexName": "by_other"}, [("DescribeContributorInsights", INDEX)]),
    ("ImportTable", {"S3BucketSource": {"S3Bucket": "bucket"}, "InputFormat": "ION", "TableCreationParameters": CREATE},
     [("ImportTable", NEW)]),
    *on_table("CreateBackup", BackupName="one"),
    ("DeleteTable", {"TableName": "New"}, [("DeleteTable", NEW)]),
    ("DescribeBackup", {"BackupArn": BACKUP}, [("DescribeBackup", BACKUP)]),
    ("DeleteBackup", {"BackupArn": BACKUP}, [("DeleteBackup", BACKUP)]),
    ("RestoreTableFromBackup", {"BackupArn": BACKUP, "TargetTableName": "New"},
     [("RestoreTableFromBackup", BACKUP), ("RestoreTableFromBackup", NEW), *RESTORED]),
    ("RestoreTableToPointInTime", {"SourceTableName": "App", "TargetTableName": "New", "UseLatestRestorableTime": True},
     [("RestoreTableToPointInTime", TABLE), *RESTORED]),
    ("ExportTableToPointInTime", {"TableArn": TABLE, "S3Bucket": "bucket"}, [("ExportTableToPointInTime", TABLE)]),
    ("DescribeExport", {"ExportArn": EXPORT}, [("DescribeExport", EXPORT)]),
    ("DescribeImport", {"ImportArn": IMPORT}, [("DescribeImport", IMPORT)]),
    *by_arn(TABLE, "ListTagsOfResource", "GetResourcePolicy", "DeleteResourcePolicy"),
    *by_arn(TABLE, "TagResource", Tags=[{"Key": "a", "Value": "b"}]),
    *by_arn(TABLE, "UntagResource", TagKeys=["a"]),
    *by_arn(STREAM, "GetResourcePolicy", "DeleteResourcePolicy"),
    *by_arn(TABLE, "PutResourcePolicy", Policy=POLICY, ConfirmRemoveSelfResourceAccess=True),
    ("StartBulkPutItems", {**APP, **BULK}, [("StartBulkPutItems", TABLE)]),
    *((name, {"BulkOperationArn": f"{TABLE}/bulk-operation/01700000000000-aaaaaaaa"}, [(name, TABLE)])
      for name in ("DescribeBulkOperation", "CancelBulkOperation")),
    ("GetRecords", {"ShardIterator": f"{STREAM}|1|AAAA"}, [("GetRecords", STREAM)]),
    ("DescribeStream", {"StreamArn": STREAM}, [("DescribeStream", STREAM)]),
    ("GetShardIterator", {"StreamArn": STREAM, "ShardId": "shardId-00000000000000000000-00000000",
                          "ShardIteratorType": "LATEST"}, [("GetShardIterator", STREAM)]),
    *((name, {}, [(name, ALL)]) for name in ("ListTables", "ListBackups", "ListExports", "ListImports",
                                             "ListContributorInsights", "ListStreams", "ListBulkOperations")),
    *((name, {}, [(name, "*")]) for name in ("DescribeLimits", "DescribeEndpoints")),
]
STREAMS = ("DescribeStream", "GetShardIterator", "GetRecords", "ListStreams")


def granted(needs):
    """A statement for each permission: those of a table are none of its indexes."""
    return [allow(action, resource) for action, resource in needs]


def name_of(case, without=None):
    return f"u{case}" if without is None else f"u{case}x{without}"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    users = []
    for case, (_, _, needs) in enumerate(CASES):
        users.append(user(name_of(case), *granted(needs)))
        users += [user(name_of(case, i), *granted(needs[:i] + needs[i + 1:])) for i in range(len(needs))]
    made = Guarded(tmp_path_factory.mktemp("operations"), directory(*users), start=Server)
    made.table()
    yield made
    made.server.stop()


def sent(guarded, name, operation, body):
    """Status, code and message of the answer to a user."""
    target = "DynamoDBStreams_20120810" if operation in STREAMS else "DynamoDB_20120810"
    body = json.dumps(body).encode()
    asked, signer = guarded.signed(operation, body, key=key_of(name), headers={"X-Amz-Target": f"{target}.{operation}"})
    signer.add_auth(asked)
    with Connection(guarded.server) as connection:
        answer = connection.exchange(request(None, body, dict(asked.headers.items())))
    told = answer.json() if answer.status != 200 else {}
    return told.get("__type", "#").split("#")[1], told.get("Message", told.get("message", ""))


@pytest.mark.parametrize("case", range(len(CASES)), ids=[f"{i}-{case[0]}" for i, case in enumerate(CASES)])
def test_exactly_what_it_needs(guarded, case):
    operation, body, needs = CASES[case]
    for i, (action, resource) in enumerate(needs):
        code, message = sent(guarded, name_of(case, i), operation, body)
        assert code == "AccessDeniedException", (action, resource, code, message)
        assert f"perform: dynamodb:{action} on resource: {resource} because no identity-based policy" in message
    code, message = sent(guarded, name_of(case), operation, body)
    assert code not in ("AccessDeniedException", "UnknownOperationException", "InternalServerError"), message
