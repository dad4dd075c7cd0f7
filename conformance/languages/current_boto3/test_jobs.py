"""Exports and imports with the waiters of a current boto3, which older ones do not have."""

import posixpath

import pytest
from botocore.exceptions import WaiterError

from boto3_fixtures import make_client

ONCE_A_SECOND = {"Delay": 1, "MaxAttempts": 120}
TABLE = {"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}


@pytest.fixture
def db(start, tmp_path):
    (tmp_path / "bucket").mkdir()
    client = make_client(start("--s3-root", tmp_path).endpoint)
    client.create_table(TableName="Things", **TABLE)
    client.update_continuous_backups(
        TableName="Things",
        PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 7})
    for number in range(50):
        client.put_item(TableName="Things", Item={"pk": {"S": f"k{number}"}})
    return client


def begin_export(db, **members):
    arn = db.describe_table(TableName="Things")["Table"]["TableArn"]
    return db.export_table_to_point_in_time(TableArn=arn, **members)["ExportDescription"]["ExportArn"]


def test_an_export_and_its_import_are_waited_for(db):
    exported = begin_export(db, S3Bucket="bucket")
    db.get_waiter("export_completed").wait(ExportArn=exported, WaiterConfig=ONCE_A_SECOND)
    manifest = db.describe_export(ExportArn=exported)["ExportDescription"]["ExportManifest"]
    imported = db.import_table(
        S3BucketSource={"S3Bucket": "bucket", "S3KeyPrefix": posixpath.dirname(manifest) + "/data/"},
        InputFormat="DYNAMODB_JSON", InputCompressionType="GZIP",
        TableCreationParameters={"TableName": "Copy", **TABLE})["ImportTableDescription"]["ImportArn"]
    db.get_waiter("import_completed").wait(ImportArn=imported, WaiterConfig=ONCE_A_SECOND)
    assert db.scan(TableName="Copy", Select="COUNT")["Count"] == 50


def test_waiters_learn_of_failures(db):
    with pytest.raises(WaiterError, match="FAILED"):
        db.get_waiter("export_completed").wait(ExportArn=begin_export(db, S3Bucket="nobucket"),
                                               WaiterConfig=ONCE_A_SECOND)
    begun = db.import_table(S3BucketSource={"S3Bucket": "nobucket"}, InputFormat="ION",
                            TableCreationParameters={"TableName": "Copy", **TABLE})["ImportTableDescription"]
    with pytest.raises(WaiterError, match="FAILED"):
        db.get_waiter("import_completed").wait(ImportArn=begun["ImportArn"], WaiterConfig=ONCE_A_SECOND)
