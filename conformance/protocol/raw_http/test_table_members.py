"""Members of the table operations that are too new for packaged SDKs: deletion protection,
on-demand and warm throughput, indexes with several key attributes, ARNs as table names."""

import pytest

OPVI = "One or more parameter values were invalid: "


@pytest.fixture
def fresh(client):
    """fresh(**members) creates the table new_members, dropped at the end, and describes it."""
    client.drop_table("new_members")

    def create(**members):
        client.create_table("new_members", **members)
        return client.describe("new_members")

    yield create
    client.drop_table("new_members")


def refused(client, message, operation="CreateTable", **members):
    body = {"TableName": "new_members", **members}
    if operation == "CreateTable":
        body.setdefault("AttributeDefinitions", [{"AttributeName": "pk", "AttributeType": "S"}])
        body.setdefault("KeySchema", [{"AttributeName": "pk", "KeyType": "HASH"}])
        if "ProvisionedThroughput" not in body:
            body.setdefault("BillingMode", "PAY_PER_REQUEST")
    assert client.error(operation, **body) == (400, "ValidationException", message)


def test_deletion_protection(client, fresh):
    assert fresh()["DeletionProtectionEnabled"] is False
    client.ok("UpdateTable", TableName="new_members", DeletionProtectionEnabled=True)
    refused(client, "Resource cannot be deleted as it is currently protected against deletion. "
                    "Disable deletion protection first.", "DeleteTable")
    client.ok("UpdateTable", TableName="new_members", DeletionProtectionEnabled=True)
    client.ok("UpdateTable", TableName="new_members", DeletionProtectionEnabled=False)
    client.ok("DeleteTable", TableName="new_members")
    assert fresh(DeletionProtectionEnabled=True)["DeletionProtectionEnabled"] is True


def test_warm_throughput_by_default(fresh):
    assert fresh()["WarmThroughput"] == {
        "ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}


def test_warm_throughput_of_a_provisioned_table(client, fresh):
    table = fresh(ProvisionedThroughput={"ReadCapacityUnits": 20, "WriteCapacityUnits": 10})
    assert table["WarmThroughput"] == {
        "ReadUnitsPerSecond": 20, "WriteUnitsPerSecond": 10, "Status": "ACTIVE"}


def test_create_answers_no_warm_throughput_unless_sent(client):
    client.drop_table("new_members")
    assert "WarmThroughput" not in client.create_table("new_members")
    client.drop_table("new_members")
    sent = {"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 5000}
    answer = client.create_table("new_members", WarmThroughput=sent)
    assert answer["WarmThroughput"] == {**sent, "Status": "UPDATING"}
    assert client.describe("new_members")["WarmThroughput"] == {**sent, "Status": "ACTIVE"}
    client.drop_table("new_members")


def test_a_change_of_warm_throughput_is_answered_as_updating(client, fresh):
    fresh()
    more = {"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 5000}
    answer = client.ok("UpdateTable", TableName="new_members", WarmThroughput=more)["TableDescription"]
    assert answer["WarmThroughput"] == {
        "ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "UPDATING"}
    assert client.describe("new_members")["WarmThroughput"] == {**more, "Status": "ACTIVE"}


def test_encryption_is_turned_on_and_off(client, fresh):
    def change(**members):
        answer = client.ok("UpdateTable", TableName="new_members", SSESpecification=members)
        return answer["TableDescription"]["SSEDescription"]

    assert "SSEDescription" not in fresh()
    on = change(Enabled=True, SSEType="KMS")
    assert on.keys() == {"Status", "SSEType", "KMSMasterKeyArn"}
    assert client.describe("new_members")["SSEDescription"] == {**on, "Status": "ENABLED"}
    assert change(Enabled=False) == {**on, "Status": "UPDATING"}
    assert "SSEDescription" not in client.describe("new_members")
    refused(client, OPVI + "Table is already encrypted by default", "UpdateTable",
            SSESpecification={"Enabled": False})
    assert change(Enabled=True)["Status"] == "UPDATING"


def test_on_demand_throughput(client, fresh):
    assert "OnDemandThroughput" not in fresh()
    client.drop_table("new_members")
    limits = {"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 50}
    assert fresh(OnDemandThroughput=limits)["OnDemandThroughput"] == limits
    client.ok("UpdateTable", TableName="new_members", OnDemandThroughput={"MaxReadRequestUnits": 7})
    assert client.describe("new_members")["OnDemandThroughput"]["MaxReadRequestUnits"] == 7
    assert client.describe("new_members")["OnDemandThroughput"]["MaxWriteRequestUnits"] == 50
    client.ok("UpdateTable", TableName="new_members",
              OnDemandThroughput={"MaxReadRequestUnits": 7, "MaxWriteRequestUnits": 50})


def test_on_demand_throughput_out_of_range(client):
    refused(client, OPVI + "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside "
                           "of valid range", OnDemandThroughput={"MaxReadRequestUnits": 0})
    refused(client, OPVI + "MaxReadRequestUnits for OnDemandThroughput cannot be specified when table "
                           "BillingMode is PROVISIONED.",
            ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
            OnDemandThroughput={"MaxReadRequestUnits": 5})


def test_only_one_kind_of_change_at_a_time(client, fresh):
    fresh()
    for member, value, name in (
        ("SSESpecification", {"Enabled": True}, "Server-Side Encryption modification"),
        ("TableClass", "STANDARD", "TableClass modification"),
        ("DeletionProtectionEnabled", True, "DeletionProtection modification"),
        ("WarmThroughput", {"ReadUnitsPerSecond": 20000, "WriteUnitsPerSecond": 8000}, "WarmThroughput"),
    ):
        refused(client, f"{OPVI}{name} must be the only operation in the request", "UpdateTable",
                BillingMode="PAY_PER_REQUEST", **{member: value})
    refused(client, OPVI + "TableClass modification must be the only operation in the request",
            "UpdateTable", TableClass="STANDARD", DeletionProtectionEnabled=True)
    assert client.describe("new_members")["DeletionProtectionEnabled"] is False


KEYS = [f"{kind}{n}" for kind in ("h", "r") for n in (1, 2, 3, 4)]


def wide_index(keys, name="wide"):
    return {"IndexName": name, "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": k, "KeyType": "HASH" if k[0] == "h" else "RANGE"} for k in keys]}


def defined(keys):
    return [{"AttributeName": k, "AttributeType": "S"} for k in ["pk", *keys]]


def test_index_with_four_and_four_keys(client, fresh):
    index = wide_index(KEYS)
    table = fresh(AttributeDefinitions=defined(KEYS), GlobalSecondaryIndexes=[index])
    described = table["GlobalSecondaryIndexes"][0]
    assert {name: described[name] for name in index} == index
    assert described["IndexStatus"] == "ACTIVE"
    item = {"pk": {"S": "a"}, **{k: {"S": k} for k in KEYS}}
    client.ok("PutItem", TableName="new_members", Item=item)
    wrong = {**item, "r4": {"N": "1"}}
    refused(client, OPVI + "Type mismatch for Index Key r4 Expected: S Actual: N IndexName: wide",
            "PutItem", Item=wrong)


def test_five_keys_of_a_kind_are_refused(client):
    for kind, name in (("h", "HASH"), ("r", "RANGE")):
        keys = (["h1"] if kind == "r" else []) + [f"{kind}{n}" for n in range(1, 6)]
        body = {"AttributeDefinitions": defined(keys), "GlobalSecondaryIndexes": [wide_index(keys)]}
        status, error, message = client.error(
            "CreateTable", TableName="new_members", BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}], **body)
        assert (status, error) == (400, "ValidationException")
        assert message.endswith(f"The KeySchema exceeds the maximum allowed number of {name} key attributes")


def test_descriptions_name_no_absent_member(client, fresh):
    table = fresh()
    assert set(table) == {
        "AttributeDefinitions", "TableName", "KeySchema", "TableStatus", "CreationDateTime",
        "ProvisionedThroughput", "TableSizeBytes", "ItemCount", "TableArn", "TableId",
        "BillingModeSummary", "DeletionProtectionEnabled", "WarmThroughput"}
    client.drop_table("new_members")
    table = fresh(ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
    assert "BillingModeSummary" not in table


def test_delete_answers_a_short_description(client, fresh):
    keys = ["sk", "la"]
    table = fresh(
        AttributeDefinitions=defined(keys),
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        LocalSecondaryIndexes=[{"IndexName": "by_la", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "la", "KeyType": "RANGE"}]}],
        GlobalSecondaryIndexes=[{"IndexName": "by_sk", "Projection": {"ProjectionType": "ALL"},
                                 "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}]}])
    deleted = client.ok("DeleteTable", TableName="new_members")["TableDescription"]
    assert deleted["TableStatus"] == "DELETING"
    assert set(deleted) == {
        "TableName", "TableStatus", "ProvisionedThroughput", "TableSizeBytes", "ItemCount", "TableArn",
        "TableId", "BillingModeSummary", "DeletionProtectionEnabled"}
    assert (deleted["TableArn"], deleted["TableId"]) == (table["TableArn"], table["TableId"])


def test_arn_wherever_a_name_is(client, fresh):
    arn = fresh()["TableArn"]
    item = {"pk": {"S": "a"}, "v": {"N": "1"}}
    for operation, members in (
        ("DescribeTable", {}), ("PutItem", {"Item": item}), ("GetItem", {"Key": {"pk": item["pk"]}}),
        ("DeleteItem", {"Key": {"pk": item["pk"]}}),
        ("UpdateTable", {"BillingMode": "PAY_PER_REQUEST"}), ("DeleteTable", {}),
    ):
        client.ok(operation, TableName=arn, **members)


def test_consumed_capacity_repeats_the_arn(client, fresh):
    arn = fresh()["TableArn"]
    got = client.ok("PutItem", TableName=arn, Item={"pk": {"S": "a"}}, ReturnConsumedCapacity="TOTAL")
    assert got == {"ConsumedCapacity": {"TableName": arn, "CapacityUnits": 1.0}}


def test_arn_of_nothing(client):
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/nothing_here"
    assert client.error("GetItem", TableName=arn, Key={"pk": {"S": "a"}}) == (
        400, "ResourceNotFoundException", "Requested resource not found")
    assert client.error("DescribeTable", TableName=arn)[:2] == (400, "ResourceNotFoundException")


def test_condition_failure_member_is_accepted(client, fresh):
    """ReturnValuesOnConditionCheckFailure without a condition has no effect, a bad value is refused."""
    fresh()
    client.ok("PutItem", TableName="new_members", Item={"pk": {"S": "a"}},
              ReturnValuesOnConditionCheckFailure="ALL_OLD")
    refused(client, "1 validation error detected: Value 'X' at 'returnValuesOnConditionCheckFailure' "
                    "failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]",
            "PutItem", Item={"pk": {"S": "a"}}, ReturnValuesOnConditionCheckFailure="X")
