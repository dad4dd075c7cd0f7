"""Imports and bulk puts that read the objects of real servers of S3."""

import json

import pytest

from server_process import wait_until
from table_content import by_key, items_of_every_type

ENDS = ("COMPLETED", "COMPLETED_WITH_ERRORS", "FAILED")


def data_prefix(description):
    return f"AWSDynamoDB/{description['ExportArn'].rsplit('/', 1)[1]}/data/"


def ended(describe, status):
    def description():
        found = describe()
        return found if found[status] in ENDS else None

    return wait_until(description, deadline_s=120, what="the end of the job")


def import_of(exporter, prefix, bucket="bucket", compression="GZIP"):
    client = exporter.client
    arn = client.ok(
        "ImportTable", S3BucketSource={"S3Bucket": bucket, "S3KeyPrefix": prefix}, InputFormat="DYNAMODB_JSON",
        InputCompressionType=compression, TableCreationParameters={
            "TableName": "Imported", "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
        })["ImportTableDescription"]["ImportArn"]
    return ended(lambda: client.ok("DescribeImport", ImportArn=arn)["ImportTableDescription"], "ImportStatus")


def exported(exporter):
    arn = exporter.create()
    exporter.put(items_of_every_type())
    description = exporter.export(arn)
    assert description["ExportStatus"] == "COMPLETED", description
    return data_prefix(description)


def test_an_export_is_imported(exporter):
    description = import_of(exporter, exported(exporter))
    assert description["ImportStatus"] == "COMPLETED", description
    assert description["ImportedItemCount"] == len(items_of_every_type())
    assert by_key(exporter.scan("Imported")) == by_key(exporter.scan())


def test_an_import_from_a_missing_bucket(exporter):
    description = import_of(exporter, "", bucket="missing")
    assert (description["ImportStatus"], description["FailureCode"]) == ("FAILED", "S3NoSuchBucket"), description
    assert "Imported" not in exporter.client.ok("ListTables")["TableNames"]


@pytest.mark.parametrize("has_bucket", [False, True])
def test_errors_of_an_import_go_into_a_bucket_of_logs(exporter, store, has_bucket):
    if has_bucket:
        store.s3.create_bucket(Bucket="stator-logs")
    lines = [{"Item": {"pk": {"S": "a"}, "sk": {"S": "1"}}}, {"Item": {"pk": {"S": "b"}}}]
    store.s3.put_object(Bucket="bucket", Key="bad/1.json", Body="\n".join(map(json.dumps, lines)).encode())
    try:
        description = import_of(exporter, "bad/", compression="NONE")
        assert (description["ImportStatus"], description["FailureCode"]) == ("FAILED", "ItemValidationError"), description
        assert (description["ImportedItemCount"], description["ErrorCount"]) == (1, 1)
        key = f"aws-dynamodb/imports/{description['ImportArn'].rsplit('/', 1)[1]}.jsonl"
        if has_bucket:
            [error] = map(json.loads, exporter.object(key, "stator-logs").splitlines())
            assert error["itemS3Pointer"] == {"bucket": "bucket", "key": "bad/1.json", "itemIndex": 1}
        else:
            assert exporter.server.wait_for_log(f"cannot be written to {store.endpoint}/stator-logs/{key}")
    finally:
        store.s3.delete_object(Bucket="bucket", Key="bad/1.json")


def test_an_export_is_put_in_bulk(exporter, store):
    prefix = exported(exporter)
    client = exporter.client
    client.create_table("Copy", sort_key="sk")
    arn = client.ok(
        "StartBulkPutItems", TableName="Copy",
        InputS3Configuration={"S3Bucket": "bucket", "S3KeyPrefix": prefix, "InputFormat": "DYNAMODB_JSON",
                              "InputCompressionType": "GZIP"},
        OutputS3Configuration={"S3Bucket": "bucket", "S3KeyPrefix": "reports", "OutputType": ["ERROR"]},
    )["BulkOperationDescription"]["BulkOperationArn"]
    description = ended(
        lambda: client.ok("DescribeBulkOperation", BulkOperationArn=arn)["BulkOperationDescription"], "BulkOperationStatus")
    assert description["BulkOperationStatus"] == "COMPLETED", description
    assert by_key(exporter.scan("Copy")) == by_key(exporter.scan())
    listed = store.s3.list_objects_v2(Bucket="bucket", Prefix="reports/")["Contents"]
    assert any(entry["Key"].endswith("manifest.json") for entry in listed)
