"""Backups, recovery, exports and imports through the AWS CLI, as backup scripts call them. Each call costs most of a
second, so the tests are steps of one story and run in the order written."""

import posixpath

import pytest

from server_process import wait_until

TABLE = "cli_jobs"
ARN = f"arn:aws:dynamodb:us-east-1:000000000000:table/{TABLE}"
KEYS = ("--attribute-definitions", "AttributeName=pk,AttributeType=S", "--key-schema", "AttributeName=pk,KeyType=HASH",
        "--billing-mode", "PAY_PER_REQUEST")


@pytest.fixture(scope="module")
def made(server, buckets):
    """What later steps need of earlier ones."""
    if not server.controllable:
        pytest.skip("needs the buckets of a server that the test starts")
    (buckets / "bucket").mkdir()
    return {}


def count(aws, table):
    return aws("scan", "--table-name", table, "--select", "COUNT").json["Count"]


def test_backup(aws, made):
    aws("create-table", "--table-name", TABLE, *KEYS).json
    for key in "abc":
        aws("put-item", "--table-name", TABLE, "--item", {"pk": {"S": key}}).json
    created = aws("create-backup", "--table-name", TABLE, "--backup-name", "nightly").json["BackupDetails"]
    made["backup"] = created["BackupArn"]
    described = aws("describe-backup", "--backup-arn", created["BackupArn"]).json["BackupDescription"]
    assert described["BackupDetails"]["BackupStatus"] == "AVAILABLE"
    assert described["SourceTableDetails"]["ItemCount"] == 3
    aws("create-backup", "--table-name", TABLE, "--backup-name", "weekly").json
    # The CLI turns pages into one list.
    listed = aws("list-backups", "--table-name", TABLE, "--page-size", 1,
                 "--query", "BackupSummaries[].BackupName", output="text")
    assert listed.text.split() == ["nightly", "weekly"]


def test_restore(aws, made):
    aws("restore-table-from-backup", "--backup-arn", made["backup"], "--target-table-name", "cli_restored").json
    waited = aws("wait table-exists", "--table-name", "cli_restored")
    assert (waited.status, waited.error) == (0, "")
    assert count(aws, "cli_restored") == 3
    aws("delete-backup", "--backup-arn", made["backup"]).json
    gone = aws("describe-backup", "--backup-arn", made["backup"])
    assert gone.error.endswith(f"Backup not found: {made['backup']}")


def test_recovery(aws, made):
    answer = aws("update-continuous-backups", "--table-name", TABLE,
                 "--point-in-time-recovery-specification", "PointInTimeRecoveryEnabled=true").json
    recovery = answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    assert recovery["PointInTimeRecoveryStatus"] == "ENABLED"
    aws("restore-table-to-point-in-time", "--source-table-name", TABLE, "--target-table-name", "cli_recovered",
        "--use-latest-restorable-time").json
    aws("wait table-exists", "--table-name", "cli_recovered")
    assert count(aws, "cli_recovered") == 3


def test_export(aws, made):
    begun = aws("export-table-to-point-in-time", "--table-arn", ARN, "--s3-bucket", "bucket", "--s3-prefix", "cli",
                "--export-format", "ION").json["ExportDescription"]

    def ended():
        found = aws("describe-export", "--export-arn", begun["ExportArn"]).json["ExportDescription"]
        return found if found["ExportStatus"] != "IN_PROGRESS" else None

    export = wait_until(ended, what="the end of the export")
    assert (export["ExportStatus"], export["ItemCount"]) == ("COMPLETED", 3)
    listed = aws("list-exports", "--table-arn", ARN, "--query", "ExportSummaries[].ExportStatus", output="text")
    assert listed.text.split() == ["COMPLETED"]
    made["data"] = posixpath.dirname(export["ExportManifest"]) + "/data/"


def test_import(aws, made):
    parameters = {"TableName": "cli_imported", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                  "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}
    begun = aws("import-table", "--s3-bucket-source", f"S3Bucket=bucket,S3KeyPrefix={made['data']}",
                "--input-format", "ION", "--input-compression-type", "GZIP",
                "--table-creation-parameters", parameters).json["ImportTableDescription"]

    def ended():
        found = aws("describe-import", "--import-arn", begun["ImportArn"]).json["ImportTableDescription"]
        return found if found["ImportStatus"] != "IN_PROGRESS" else None

    done = wait_until(ended, what="the end of the import")
    assert (done["ImportStatus"], done["ImportedItemCount"]) == ("COMPLETED", 3)
    assert count(aws, "cli_imported") == 3
    listed = aws("list-imports", "--table-arn", begun["TableArn"], "--query", "ImportSummaryList[].ImportStatus",
                 output="text")
    assert listed.text.split() == ["COMPLETED"]
