"""Backups and restores with boto3: every operation, its waiter-like states, its paginator and its errors."""

import re

import pytest
from botocore.exceptions import ClientError

ID = r"\d{14}-[0-9a-f]{8}"


def fill(dynamodb, table, count, **attributes):
    for number in range(count):
        dynamodb.put_item(TableName=table, Item={"pk": {"S": f"k{number}"}, **attributes})


def keys(dynamodb, table, **members):
    pages = dynamodb.get_paginator("scan").paginate(TableName=table, **members)
    return sorted(item["pk"]["S"] for page in pages for item in page["Items"])


def wait_active(dynamodb, table):
    dynamodb.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 0.05, "MaxAttempts": 600})


def test_a_table_comes_back_from_its_backup(dynamodb, new_table):
    table = new_table("pk:S")
    fill(dynamodb, table, 10, n={"N": "1.50"}, b={"B": b"\x00\xff"})
    before = dynamodb.scan(TableName=table)["Items"]
    made = dynamodb.create_backup(TableName=table, BackupName="nightly")["BackupDetails"]
    assert made["BackupStatus"] == "CREATING" and made["BackupType"] == "USER"
    assert re.fullmatch(rf"arn:aws:dynamodb:us-east-1:\d{{12}}:table/{table}/backup/{ID}", made["BackupArn"])
    described = dynamodb.describe_backup(BackupArn=made["BackupArn"])["BackupDescription"]
    assert described["BackupDetails"]["BackupStatus"] == "AVAILABLE"
    assert described["SourceTableDetails"]["ItemCount"] == 10
    dynamodb.delete_table(TableName=table)
    restored = dynamodb.restore_table_from_backup(TargetTableName=f"{table}_again", BackupArn=made["BackupArn"])
    summary = restored["TableDescription"]["RestoreSummary"]
    assert summary["RestoreInProgress"] and summary["SourceBackupArn"] == made["BackupArn"]
    wait_active(dynamodb, f"{table}_again")
    again = dynamodb.describe_table(TableName=f"{table}_again")["Table"]
    assert again["ItemCount"] == 10 and "RestoreSummary" not in again
    assert dynamodb.scan(TableName=f"{table}_again")["Items"] == before
    dynamodb.delete_table(TableName=f"{table}_again")
    deleted = dynamodb.delete_backup(BackupArn=made["BackupArn"])["BackupDescription"]["BackupDetails"]
    assert deleted["BackupStatus"] == "DELETED"
    with pytest.raises(dynamodb.exceptions.BackupNotFoundException):
        dynamodb.describe_backup(BackupArn=made["BackupArn"])


def test_pages_of_backups(dynamodb, new_table):
    table = new_table("pk:S")
    made = [dynamodb.create_backup(TableName=table, BackupName=f"backup{number}")["BackupDetails"]["BackupArn"]
            for number in range(5)]
    pages = dynamodb.get_paginator("list_backups").paginate(
        TableName=table, PaginationConfig={"PageSize": 2})
    listed = [backup["BackupArn"] for page in pages for backup in page["BackupSummaries"]]
    assert sorted(listed) == sorted(made)
    for arn in made:
        dynamodb.delete_backup(BackupArn=arn)
    assert dynamodb.list_backups(TableName=table)["BackupSummaries"] == []


def test_recovery_is_described_and_changed(dynamodb, raw, new_table):
    table = new_table("pk:S")

    def recovery():
        answer = dynamodb.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
        assert answer["ContinuousBackupsStatus"] == "ENABLED"
        return answer["PointInTimeRecoveryDescription"]

    assert recovery() == {"PointInTimeRecoveryStatus": "DISABLED"}
    # The packaged SDK does not know the period.
    answer = raw.ok("UpdateContinuousBackups", TableName=table,
                    PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 7})
    changed = answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    assert changed["PointInTimeRecoveryStatus"] == "ENABLED" and changed["RecoveryPeriodInDays"] == 7
    assert recovery()["PointInTimeRecoveryStatus"] == "ENABLED"
    assert recovery()["EarliestRestorableDateTime"].timestamp() == changed["EarliestRestorableDateTime"]
    fill(dynamodb, table, 3)
    dynamodb.restore_table_to_point_in_time(SourceTableName=table, TargetTableName=f"{table}_latest",
                                            UseLatestRestorableTime=True)
    wait_active(dynamodb, f"{table}_latest")
    assert keys(dynamodb, f"{table}_latest") == ["k0", "k1", "k2"]
    dynamodb.delete_table(TableName=f"{table}_latest")
    dynamodb.update_continuous_backups(TableName=table,
                                       PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False})
    assert recovery() == {"PointInTimeRecoveryStatus": "DISABLED"}
    with pytest.raises(dynamodb.exceptions.PointInTimeRecoveryUnavailableException):
        dynamodb.restore_table_to_point_in_time(SourceTableName=table, TargetTableName=f"{table}_latest",
                                                UseLatestRestorableTime=True)


@pytest.mark.parametrize("call, members", [
    ("describe_continuous_backups", {}),
    ("update_continuous_backups", {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}),
    ("create_backup", {"BackupName": "abc"}),
])
def test_a_missing_table(dynamodb, call, members):
    with pytest.raises(ClientError) as raised:
        getattr(dynamodb, call)(TableName="nowhere", **members)
    assert raised.value.response["Error"] == {"Code": "TableNotFoundException",
                                              "Message": "Table not found: nowhere"}
