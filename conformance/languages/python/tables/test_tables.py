"""Tables with boto3: create, describe, list, delete, waiters, and the echo of every member."""

import re
from datetime import datetime, timezone

import pytest

from conftest import attributes, key_schema, wait

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/"
UNITS = {"ReadCapacityUnits": 7, "WriteCapacityUnits": 3}


def projection(kind, names=None):
    return {"ProjectionType": kind, **({"NonKeyAttributes": names} if names else {})}


def index(name, schema, kind="ALL", names=None, **more):
    return {"IndexName": name, "KeySchema": schema, "Projection": projection(kind, names), **more}


def test_life_of_a_table(dynamodb, refused):
    created = dynamodb.create_table(
        TableName="py_life", KeySchema=key_schema("pk", "sk"),
        AttributeDefinitions=attributes("pk:S sk:N"), BillingMode="PAY_PER_REQUEST",
    )["TableDescription"]
    assert created["TableStatus"] == "CREATING"
    assert created["TableArn"] == ARN + "py_life"
    assert created["BillingModeSummary"] == {"BillingMode": "PAY_PER_REQUEST"}
    wait(dynamodb, "table_exists", "py_life")
    table = dynamodb.describe_table(TableName="py_life")["Table"]
    assert table["TableStatus"] == "ACTIVE"
    assert table["TableName"] == "py_life"
    assert table["KeySchema"] == key_schema("pk", "sk")
    assert table["AttributeDefinitions"] == attributes("pk:S sk:N")
    assert table["ProvisionedThroughput"] == {
        "NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    assert (table["ItemCount"], table["TableSizeBytes"]) == (0, 0)
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", table["TableId"])
    assert abs((datetime.now(timezone.utc) - table["CreationDateTime"]).total_seconds()) < 3600
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert table["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"] == table["CreationDateTime"]
    assert "py_life" in dynamodb.list_tables()["TableNames"]
    refused("ResourceInUseException", "Table already exists: py_life", dynamodb.create_table,
            TableName="py_life", KeySchema=key_schema("pk"), AttributeDefinitions=attributes("pk:S"),
            BillingMode="PAY_PER_REQUEST")
    assert dynamodb.delete_table(TableName="py_life")["TableDescription"]["TableStatus"] == "DELETING"
    wait(dynamodb, "table_not_exists", "py_life")
    refused("ResourceNotFoundException", "Requested resource not found: Table: py_life not found",
            dynamodb.describe_table, TableName="py_life")
    refused("ResourceNotFoundException", "Requested resource not found: Table: py_life not found",
            dynamodb.delete_table, TableName="py_life")
    assert "py_life" not in dynamodb.list_tables()["TableNames"]


def test_a_new_table_of_an_old_name_is_empty(dynamodb, new_table):
    name = new_table("pk:S", TableName="py_again")
    first = dynamodb.describe_table(TableName=name)["Table"]
    dynamodb.put_item(TableName=name, Item={"pk": {"S": "a"}})
    dynamodb.delete_table(TableName=name)
    wait(dynamodb, "table_not_exists", name)
    new_table("pk:S", TableName=name)
    second = dynamodb.describe_table(TableName=name)["Table"]
    assert first["TableArn"] == second["TableArn"] and first["TableId"] != second["TableId"]
    assert "Item" not in dynamodb.get_item(TableName=name, Key={"pk": {"S": "a"}}, ConsistentRead=True)


def test_describe_echoes_everything(dynamodb, new_table):
    local = [
        index("loc_all", key_schema("pk", "a")),
        index("loc_keys", key_schema("pk", "b"), "KEYS_ONLY"),
        index("loc_some", key_schema("pk", "n"), "INCLUDE", ["x", "y"]),
    ]
    throughput = {"ReadCapacityUnits": 2, "WriteCapacityUnits": 4}
    every = [
        index("glo_all", key_schema("a"), ProvisionedThroughput=throughput),
        index("glo_some", key_schema("n", "b"), "INCLUDE", ["z"], ProvisionedThroughput=UNITS),
    ]
    definitions = attributes("pk:S sk:N a:S b:B n:N")
    name = new_table(
        "pk:S sk:N", AttributeDefinitions=definitions, ProvisionedThroughput=UNITS,
        LocalSecondaryIndexes=local, GlobalSecondaryIndexes=every,
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        SSESpecification={"Enabled": True}, TableClass="STANDARD_INFREQUENT_ACCESS",
        Tags=[{"Key": "team", "Value": "one"}],
    )
    table = dynamodb.describe_table(TableName=name)["Table"]
    assert table["AttributeDefinitions"] == definitions
    assert table["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **UNITS}
    assert "BillingModeSummary" not in table
    assert table["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert table["SSEDescription"]["Status"] == "ENABLED"
    assert table["SSEDescription"]["SSEType"] == "KMS"
    assert table["SSEDescription"]["KMSMasterKeyArn"].startswith("arn:aws:kms:us-east-1:000000000000:key/")
    assert table["StreamSpecification"] == {
        "StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}", table["LatestStreamLabel"])
    assert table["LatestStreamArn"] == f"{ARN}{name}/stream/{table['LatestStreamLabel']}"

    found = {i["IndexName"]: i for i in table["LocalSecondaryIndexes"]}
    for wanted in local:
        assert found.pop(wanted["IndexName"]) == {
            **wanted, "IndexSizeBytes": 0, "ItemCount": 0,
            "IndexArn": f"{ARN}{name}/index/{wanted['IndexName']}"}
    assert found == {}
    found = {i["IndexName"]: i for i in table["GlobalSecondaryIndexes"]}
    for wanted in every:
        units = {"NumberOfDecreasesToday": 0, **wanted["ProvisionedThroughput"]}
        assert found.pop(wanted["IndexName"]) == {
            **wanted, "ProvisionedThroughput": units, "IndexStatus": "ACTIVE", "IndexSizeBytes": 0,
            "ItemCount": 0, "IndexArn": f"{ARN}{name}/index/{wanted['IndexName']}"}
    assert found == {}


def test_plain_tables_mention_no_options(dynamodb, new_table):
    table = dynamodb.describe_table(TableName=new_table())["Table"]
    for name in ("TableClassSummary", "SSEDescription", "StreamSpecification", "LatestStreamArn",
                 "LatestStreamLabel", "LocalSecondaryIndexes", "GlobalSecondaryIndexes", "Replicas"):
        assert name not in table


@pytest.mark.parametrize("kind", ["S", "N", "B"])
def test_key_types(dynamodb, new_table, kind):
    name = new_table(f"pk:{kind}")
    value = {"S": "k", "N": "12", "B": b"\x00\xff"}[kind]
    key = {"pk": {kind: value}}
    dynamodb.put_item(TableName=name, Item={**key, "v": {"S": "x"}})
    assert dynamodb.get_item(TableName=name, Key=key)["Item"] == {**key, "v": {"S": "x"}}


def test_list_tables_page_by_page(dynamodb, new_table):
    names = sorted(new_table(TableName=f"py_page.{n:02d}-x_Y") for n in range(12))
    for size in (1, 5, 12, 100):
        pages = dynamodb.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": size})
        seen = []
        for page in pages:
            assert len(page["TableNames"]) <= size
            seen += page["TableNames"]
        assert seen == sorted(seen)
        assert [n for n in seen if n.startswith("py_page.")] == names
    first = dynamodb.list_tables(ExclusiveStartTableName="py_page.", Limit=12)
    assert first["TableNames"] == names
    after = dynamodb.list_tables(ExclusiveStartTableName=names[3], Limit=2)
    assert after["TableNames"] == names[4:6]
    assert after["LastEvaluatedTableName"] == names[5]
    between = dynamodb.list_tables(ExclusiveStartTableName="py_page.05", Limit=1)
    assert between["TableNames"] == names[5:6]
    assert dynamodb.list_tables(ExclusiveStartTableName="zzz")["TableNames"] == []


def test_more_than_a_hundred_tables(dynamodb, new_table):
    names = [new_table(TableName=f"py_many_{n:03d}") for n in range(105)]
    page = dynamodb.list_tables(ExclusiveStartTableName="py_many_")
    assert page["TableNames"][:100] == names[:100]
    assert page["LastEvaluatedTableName"] == names[99]
    rest = dynamodb.list_tables(ExclusiveStartTableName=page["LastEvaluatedTableName"])
    assert rest["TableNames"][:5] == names[100:]


def test_names_of_three_and_255_characters(dynamodb, new_table):
    for name in ("a.b", "Z" * 255):
        assert new_table(TableName=name) == name
        assert dynamodb.describe_table(TableName=name)["Table"]["TableArn"] == ARN + name


def test_names_are_case_sensitive(dynamodb, new_table):
    assert new_table(TableName="py_Case") != new_table(TableName="py_case")
    listed = dynamodb.list_tables(ExclusiveStartTableName="py_C", Limit=100)["TableNames"]
    assert [n for n in listed if n.lower() == "py_case"] == ["py_Case", "py_case"]


def test_limits_and_endpoints(server, dynamodb):
    limits = dynamodb.describe_limits()
    assert {k: v for k, v in limits.items() if k != "ResponseMetadata"} == {
        "AccountMaxReadCapacityUnits": 80000, "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000, "TableMaxWriteCapacityUnits": 40000}
    assert dynamodb.describe_endpoints()["Endpoints"] == [
        {"Address": server.endpoint.partition("://")[2], "CachePeriodInMinutes": 1440}]


def test_statistics_follow_the_items(dynamodb, new_table):
    name = new_table("pk:S", AttributeDefinitions=attributes("pk:S g:S"), GlobalSecondaryIndexes=[
        index("by_g", key_schema("g"), "KEYS_ONLY")])
    for n in range(3):
        dynamodb.put_item(TableName=name, Item={"pk": {"S": str(n)}, "v": {"S": "x" * 7}})
    dynamodb.put_item(TableName=name, Item={"pk": {"S": "0"}, "v": {"S": "x" * 17}})
    dynamodb.delete_item(TableName=name, Key={"pk": {"S": "2"}})
    table = dynamodb.describe_table(TableName=name)["Table"]
    assert (table["ItemCount"], table["TableSizeBytes"]) == (2, (3 + 1 + 17) + (3 + 1 + 7))
