"""The errors that each operation has in the API's model, and a request for each: the one list that the suites of all SDKs
read. It follows the model, so what the model adds is tried from then on."""

import json

from checkout import ROOT

KEY = {"pk": {"S": "a"}}
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/t01"
STREAM = f"{ARN}/stream/2026-01-01T00:00:00.000"
SELECT = {"Statement": "SELECT * FROM t01 WHERE pk = 'a'"}
# A request of each operation that needs no stored data to be valid.
REQUESTS = {
    "BatchExecuteStatement": {"Statements": [SELECT]},
    "BatchGetItem": {"RequestItems": {"t01": {"Keys": [KEY]}}},
    "BatchWriteItem": {"RequestItems": {"t01": [{"PutRequest": {"Item": KEY}}]}},
    "CreateBackup": {"TableName": "t01", "BackupName": "b01"},
    "CreateTable": {"TableName": "t01", "BillingMode": "PAY_PER_REQUEST",
                    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]},
    "DeleteItem": {"TableName": "t01", "Key": KEY},
    "DeleteTable": {"TableName": "t01"},
    "DescribeContinuousBackups": {"TableName": "t01"},
    "DescribeLimits": {},
    "DescribeTable": {"TableName": "t01"},
    "DescribeTimeToLive": {"TableName": "t01"},
    "ExecuteStatement": SELECT,
    "ExecuteTransaction": {"TransactStatements": [SELECT]},
    "GetItem": {"TableName": "t01", "Key": KEY},
    "ListTables": {},
    "ListTagsOfResource": {"ResourceArn": ARN},
    "PutItem": {"TableName": "t01", "Item": KEY},
    "Query": {"TableName": "t01", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": KEY["pk"]}},
    "Scan": {"TableName": "t01"},
    "TagResource": {"ResourceArn": ARN, "Tags": [{"Key": "a", "Value": "b"}]},
    "TransactGetItems": {"TransactItems": [{"Get": {"TableName": "t01", "Key": KEY}}]},
    "TransactWriteItems": {"TransactItems": [{"Put": {"TableName": "t01", "Item": KEY}}]},
    "UntagResource": {"ResourceArn": ARN, "TagKeys": ["a"]},
    "UpdateItem": {"TableName": "t01", "Key": KEY},
    "UpdateTable": {"TableName": "t01", "BillingMode": "PAY_PER_REQUEST"},
    "UpdateTimeToLive": {"TableName": "t01", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "a"}},
    "CancelBulkOperation": {"BulkOperationArn": f"{ARN}/bulk-operation/01700000000000-0123abcd"},
    "DeleteBackup": {"BackupArn": f"{ARN}/backup/01700000000000-0123abcd"},
    "DeleteResourcePolicy": {"ResourceArn": ARN},
    "DescribeBackup": {"BackupArn": f"{ARN}/backup/01700000000000-0123abcd"},
    "DescribeContributorInsights": {"TableName": "t01"},
    "DescribeExport": {"ExportArn": f"{ARN}/export/01700000000000-0123abcd"},
    "DescribeImport": {"ImportArn": f"{ARN}/import/01700000000000-0123abcd"},
    "DescribeKinesisStreamingDestination": {"TableName": "t01"},
    "ExportTableToPointInTime": {"TableArn": ARN, "S3Bucket": "bucket"},
    "GetResourcePolicy": {"ResourceArn": ARN},
    "ImportTable": {"S3BucketSource": {"S3Bucket": "bucket"}, "InputFormat": "DYNAMODB_JSON", "TableCreationParameters": {
        "TableName": "t01", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}},
    "ListBackups": {},
    "ListContributorInsights": {},
    "ListExports": {},
    "ListImports": {},
    "PutResourcePolicy": {"ResourceArn": ARN, "Policy": json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"AWS": "111122223333"}, "Action": "dynamodb:GetItem", "Resource": ARN}]})},
    "RestoreTableFromBackup": {"TargetTableName": "t02", "BackupArn": f"{ARN}/backup/01700000000000-0123abcd"},
    "RestoreTableToPointInTime": {"SourceTableName": "t01", "TargetTableName": "t02", "UseLatestRestorableTime": True},
    "UpdateContinuousBackups": {"TableName": "t01",
                                "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}},
    "UpdateContributorInsights": {"TableName": "t01", "ContributorInsightsAction": "ENABLE"},
    "EnableKinesisStreamingDestination": {"TableName": "t01",
                                          "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/k01"},
    "DisableKinesisStreamingDestination": {"TableName": "t01",
                                           "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/k01"},
    "DescribeStream": {"StreamArn": STREAM},
    "GetRecords": {"ShardIterator": f"{STREAM}|1|c2VhbGVk"},
    "GetShardIterator": {"StreamArn": STREAM, "ShardId": "shardId-00000001700000000000-0123abcd",
                         "ShardIteratorType": "TRIM_HORIZON"},
    "ListStreams": {},
}

# Has reasons: a rule has `cancel` for it.
NOT_ON_DEMAND = "TransactionCanceledException"
# In no model: each operation answers it, as an error without a class.
OF_ALL = "ValidationException"


def modelled():
    """The errors of each operation by their names."""
    models = [json.loads((ROOT / f"protocol/model/{name}-2012-08-10.service.json").read_text())
              for name in ("dynamodb", "streams-dynamodb")]
    return {name: [error["shape"] for error in operation.get("errors", [])]
            for model in models for name, operation in model["operations"].items() if name in REQUESTS}


# What the service asks clients to send again.
TRANSIENT = ("InternalServerError", "ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException",
             "TransactionInProgressException")
