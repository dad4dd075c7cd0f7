"""UpdateTable with boto3: every change but indexes and streams, and what happens when nothing changes."""

import pytest

OPVI = "One or more parameter values were invalid: "
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}
MORE = {"ReadCapacityUnits": 8, "WriteCapacityUnits": 6}


def units(description):
    throughput = description["ProvisionedThroughput"]
    return {name: throughput[name] for name in UNITS}


def describe(dynamodb, name):
    return dynamodb.describe_table(TableName=name)["Table"]


def same_throughput(what, read, write):
    return (f"The provisioned throughput for the {what} will not change. The requested value equals the "
            f"current value. Current ReadCapacityUnits provisioned for the {what}: {read}. Requested "
            f"ReadCapacityUnits: {read}. Current WriteCapacityUnits provisioned for the {what}: {write}. "
            f"Requested WriteCapacityUnits: {write}. Refer to the Amazon DynamoDB Developer Guide for "
            "current limits and how to request higher limits.")


def test_throughput(dynamodb, new_table, refused):
    name = new_table(ProvisionedThroughput=UNITS)
    answer = dynamodb.update_table(TableName=name, ProvisionedThroughput=MORE)["TableDescription"]
    assert (answer["TableStatus"], units(answer)) == ("UPDATING", UNITS)
    table = describe(dynamodb, name)
    assert (table["TableStatus"], units(table)) == ("ACTIVE", MORE)
    assert "LastIncreaseDateTime" in table["ProvisionedThroughput"]
    refused("ValidationException", same_throughput("table", 8, 6), dynamodb.update_table,
            TableName=name, ProvisionedThroughput=MORE)
    dynamodb.update_table(TableName=name, ProvisionedThroughput=UNITS)
    table = describe(dynamodb, name)
    assert units(table) == UNITS
    assert table["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 1
    assert "LastDecreaseDateTime" in table["ProvisionedThroughput"]


def test_billing_mode_there_and_back(dynamodb, new_table, refused):
    name = new_table(ProvisionedThroughput=UNITS)
    dynamodb.update_table(TableName=name, BillingMode="PAY_PER_REQUEST")
    table = describe(dynamodb, name)
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert units(table) == {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    since = table["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"]

    again = dynamodb.update_table(TableName=name, BillingMode="PAY_PER_REQUEST")["TableDescription"]
    assert again["TableStatus"] == "UPDATING"
    assert describe(dynamodb, name)["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"] == since

    refused("ValidationException",
            OPVI + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
                   "PAY_PER_REQUEST",
            dynamodb.update_table, TableName=name, ProvisionedThroughput=UNITS)
    refused("ValidationException",
            OPVI + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
            dynamodb.update_table, TableName=name, BillingMode="PROVISIONED")
    dynamodb.update_table(TableName=name, BillingMode="PROVISIONED", ProvisionedThroughput=MORE)
    table = describe(dynamodb, name)
    assert units(table) == MORE
    assert table["BillingModeSummary"]["BillingMode"] == "PROVISIONED"


def with_index(new_table):
    return new_table(
        ProvisionedThroughput=UNITS,
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "g")],
        GlobalSecondaryIndexes=[{
            "IndexName": "by_g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": UNITS}])


def update_index(value, index="by_g"):
    return [{"Update": {"IndexName": index, "ProvisionedThroughput": value}}]


def test_throughput_of_an_index(dynamodb, new_table, refused):
    name = with_index(new_table)
    answer = dynamodb.update_table(TableName=name, GlobalSecondaryIndexUpdates=update_index(MORE))
    shown = answer["TableDescription"]["GlobalSecondaryIndexes"][0]
    assert (shown["IndexStatus"], units(shown)) == ("UPDATING", UNITS)
    shown = describe(dynamodb, name)["GlobalSecondaryIndexes"][0]
    assert (shown["IndexStatus"], units(shown)) == ("ACTIVE", MORE)
    refused("ValidationException", same_throughput("index by_g", 8, 6), dynamodb.update_table,
            TableName=name, GlobalSecondaryIndexUpdates=update_index(MORE))
    refused("ResourceNotFoundException", f"Requested resource not found: Index other for table {name}",
            dynamodb.update_table, TableName=name, GlobalSecondaryIndexUpdates=update_index(MORE, "other"))
    both = {"ProvisionedThroughput": MORE, "GlobalSecondaryIndexUpdates": update_index(UNITS)}
    dynamodb.update_table(TableName=name, **both)
    table = describe(dynamodb, name)
    assert (units(table), units(table["GlobalSecondaryIndexes"][0])) == (MORE, UNITS)


def test_one_bad_part_changes_nothing(dynamodb, new_table, refused):
    name = with_index(new_table)
    refused("ResourceNotFoundException", f"Requested resource not found: Index other for table {name}",
            dynamodb.update_table, TableName=name, ProvisionedThroughput=MORE,
            GlobalSecondaryIndexUpdates=update_index(MORE) + update_index(MORE, "other"))
    table = describe(dynamodb, name)
    assert (units(table), units(table["GlobalSecondaryIndexes"][0])) == (UNITS, UNITS)


def test_index_throughput_on_demand_is_refused(dynamodb, new_table, refused):
    name = with_index(new_table)
    dynamodb.update_table(TableName=name, BillingMode="PAY_PER_REQUEST")
    refused("ValidationException",
            OPVI + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: by_g when "
                   "BillingMode is PAY_PER_REQUEST",
            dynamodb.update_table, TableName=name, GlobalSecondaryIndexUpdates=update_index(UNITS))
    refused("ValidationException", OPVI + "ProvisionedThroughput must be specified for index: by_g",
            dynamodb.update_table, TableName=name, BillingMode="PROVISIONED", ProvisionedThroughput=UNITS)
    dynamodb.update_table(TableName=name, BillingMode="PROVISIONED", ProvisionedThroughput=UNITS,
                          GlobalSecondaryIndexUpdates=update_index(MORE))
    assert units(describe(dynamodb, name)["GlobalSecondaryIndexes"][0]) == MORE


def test_table_class(dynamodb, new_table, refused):
    name = new_table()
    for kind in ("STANDARD_INFREQUENT_ACCESS", "STANDARD"):
        answer = dynamodb.update_table(TableName=name, TableClass=kind)["TableDescription"]
        assert answer["TableStatus"] == "UPDATING"
        assert describe(dynamodb, name)["TableClassSummary"]["TableClass"] == kind
    refused("ValidationException",
            OPVI + "Invalid table-class parameter provided. Please try again with a valid table-class value: "
                   "[STANDARD, STANDARD_INFREQUENT_ACCESS].",
            dynamodb.update_table, TableName=name, TableClass="COLD")


def test_deletion_protection(dynamodb, new_table, raw, refused):
    name = new_table()
    answer = raw.ok("UpdateTable", TableName=name, DeletionProtectionEnabled=True)
    assert answer["TableDescription"]["DeletionProtectionEnabled"] is True
    refused("ValidationException",
            "Resource cannot be deleted as it is currently protected against deletion. Disable deletion "
            "protection first.", dynamodb.delete_table, TableName=name)
    assert describe(dynamodb, name)["TableStatus"] == "ACTIVE"
    raw.ok("UpdateTable", TableName=name, DeletionProtectionEnabled=True)
    raw.ok("UpdateTable", TableName=name, DeletionProtectionEnabled=False)
    dynamodb.delete_table(TableName=name)


def test_encryption(dynamodb, new_table, refused):
    name = new_table()
    assert "SSEDescription" not in describe(dynamodb, name)
    dynamodb.update_table(TableName=name, SSESpecification={"Enabled": True, "SSEType": "KMS"})
    assert describe(dynamodb, name)["SSEDescription"]["Status"] == "ENABLED"
    assert describe(dynamodb, name)["SSEDescription"]["SSEType"] == "KMS"
    dynamodb.update_table(TableName=name, SSESpecification={"Enabled": False})
    assert "SSEDescription" not in describe(dynamodb, name)
    refused("ValidationException", OPVI + "Table is already encrypted by default",
            dynamodb.update_table, TableName=name, SSESpecification={"Enabled": False})


def test_own_encryption_key(dynamodb, new_table):
    key = "arn:aws:kms:us-east-1:000000000000:key/11111111-2222-3333-4444-555555555555"
    name = new_table(SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key})
    assert describe(dynamodb, name)["SSEDescription"] == {
        "Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": key}


def test_warm_throughput(new_table, raw):
    name = new_table()
    wanted = {"ReadUnitsPerSecond": 15000, "WriteUnitsPerSecond": 5000}
    raw.ok("UpdateTable", TableName=name, WarmThroughput=wanted)
    assert raw.describe(name)["WarmThroughput"] == {**wanted, "Status": "ACTIVE"}


@pytest.mark.parametrize("name", ["no_such_table"])
def test_missing_table(dynamodb, refused, name):
    refused("ResourceNotFoundException", f"Requested resource not found: Table: {name} not found",
            dynamodb.update_table, TableName=name, BillingMode="PAY_PER_REQUEST")


def test_nothing_to_do(dynamodb, new_table, refused):
    refused("ValidationException",
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
            "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
            "ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, "
            "WarmThroughput or TableClass is required",
            dynamodb.update_table, TableName=new_table())
