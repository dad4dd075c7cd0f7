"""Item life with boto3: put, get, delete, ReturnValues, and the errors of each."""

import pytest

OPVI = "One or more parameter values were invalid: "
NO_MATCH = "The provided key element does not match the schema"


def item(key, **values):
    return {"pk": {"S": key}, **{name: {"S": value} for name, value in values.items()}}


def key(value):
    return {"pk": {"S": value}}


def body(answer):
    return {name: value for name, value in answer.items() if name != "ResponseMetadata"}


def test_put_get_replace_delete(dynamodb, table):
    assert body(dynamodb.get_item(TableName=table, Key=key("a"))) == {}
    assert body(dynamodb.put_item(TableName=table, Item=item("a", one="1", two="2"))) == {}
    assert body(dynamodb.get_item(TableName=table, Key=key("a"))) == {"Item": item("a", one="1", two="2")}
    assert body(dynamodb.put_item(TableName=table, Item=item("a", three="3"))) == {}
    for consistent in (True, False):
        got = dynamodb.get_item(TableName=table, Key=key("a"), ConsistentRead=consistent)
        assert body(got) == {"Item": item("a", three="3")}
    assert body(dynamodb.delete_item(TableName=table, Key=key("a"))) == {}
    assert body(dynamodb.get_item(TableName=table, Key=key("a"), ConsistentRead=True)) == {}
    assert body(dynamodb.delete_item(TableName=table, Key=key("a"))) == {}


def test_all_old(dynamodb, table):
    first, second = item("old", v="1"), item("old", w="2")
    assert body(dynamodb.put_item(TableName=table, Item=first, ReturnValues="ALL_OLD")) == {}
    assert body(dynamodb.put_item(TableName=table, Item=second, ReturnValues="ALL_OLD")) == {"Attributes": first}
    assert body(dynamodb.put_item(TableName=table, Item=second, ReturnValues="NONE")) == {}
    gone = dynamodb.delete_item(TableName=table, Key=key("old"), ReturnValues="ALL_OLD")
    assert body(gone) == {"Attributes": second}
    assert body(dynamodb.delete_item(TableName=table, Key=key("old"), ReturnValues="ALL_OLD")) == {}


@pytest.mark.parametrize("value", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_other_return_values_are_refused(dynamodb, table, refused, value):
    message = "1 validation error detected: ReturnValues can only be ALL_OLD or NONE"
    refused("ValidationException", message, dynamodb.put_item, TableName=table, Item=item("a"),
            ReturnValues=value)
    refused("ValidationException", message, dynamodb.delete_item, TableName=table, Key=key("a"),
            ReturnValues=value)


def test_sort_keys_are_apart(dynamodb, new_table):
    name = new_table("pk:S sk:N")
    numbers = ["-1e125", "-10", "-9.5", "-1e-130", "0", "1e-130", "0.5", "9", "10", "1e125"]
    for number in numbers:
        dynamodb.put_item(TableName=name, Item={**key("a"), "sk": {"N": number}, "v": {"S": number}})
    for number in numbers:
        got = dynamodb.get_item(TableName=name, Key={**key("a"), "sk": {"N": number}})
        assert got["Item"]["v"] == {"S": number}
        assert "Item" not in dynamodb.get_item(TableName=name, Key={**key("b"), "sk": {"N": number}})


@pytest.mark.parametrize(
    "bad, message",
    [
        ({"other": {"S": "a"}}, NO_MATCH),
        ({"pk": {"N": "1"}}, NO_MATCH),
        ({"pk": {"B": b"a"}}, NO_MATCH),
        ({"pk": {"L": []}}, NO_MATCH),
        ({"pk": {"S": "a"}, "more": {"S": "b"}}, NO_MATCH),
        ({}, NO_MATCH),
        ({"pk": {"S": ""}}, "One or more parameter values are not valid. The AttributeValue for a key attribute "
                            "cannot contain an empty string value. Key: pk"),
        ({"pk": {"S": "é" * 1025}}, OPVI + "Size of hashkey has exceeded the maximum size limit of2048 bytes"),
    ],
)
def test_bad_keys(dynamodb, table, refused, bad, message):
    for call in (dynamodb.get_item, dynamodb.delete_item):
        refused("ValidationException", message, call, TableName=table, Key=bad)


@pytest.mark.parametrize(
    "bad, message",
    [
        ({"v": {"S": "a"}}, OPVI + "Missing the key pk in the item"),
        ({"pk": {"N": "1"}}, OPVI + "Type mismatch for key pk expected: S actual: N"),
        ({"pk": {"SS": ["a"]}}, OPVI + "Type mismatch for key pk expected: S actual: SS"),
        ({"pk": {"S": "k" * 2049}}, OPVI + "Size of hashkey has exceeded the maximum size limit of2048 bytes"),
    ],
)
def test_bad_items(dynamodb, table, refused, bad, message):
    refused("ValidationException", message, dynamodb.put_item, TableName=table, Item=bad)


def test_longest_keys(dynamodb, new_table, refused):
    name = new_table("pk:S sk:B")
    longest = {"pk": {"S": "é" * 1024}, "sk": {"B": b"\xff" * 1024}}
    dynamodb.put_item(TableName=name, Item={**longest, "v": {"S": "x"}})
    assert dynamodb.get_item(TableName=name, Key=longest)["Item"]["v"] == {"S": "x"}
    too_long = {**longest, "sk": {"B": b"\xff" * 1025}}
    message = OPVI + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
    refused("ValidationException", message, dynamodb.get_item, TableName=name, Key=too_long)
    refused("ValidationException", message, dynamodb.put_item, TableName=name, Item=too_long)


def test_missing_table(dynamodb, refused):
    for call, members in ((dynamodb.get_item, {"Key": key("a")}), (dynamodb.put_item, {"Item": item("a")}),
                          (dynamodb.delete_item, {"Key": key("a")})):
        refused("ResourceNotFoundException", "Requested resource not found", call, TableName="no_such_table",
                **members)


def test_index_keys_are_checked(dynamodb, new_table, refused):
    definitions = [{"AttributeName": n, "AttributeType": t} for n, t in (("pk", "S"), ("g", "S"), ("r", "N"))]
    name = new_table("pk:S", AttributeDefinitions=definitions, GlobalSecondaryIndexes=[{
        "IndexName": "by_g", "Projection": {"ProjectionType": "KEYS_ONLY"},
        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "r", "KeyType": "RANGE"}]}])
    for good in ({}, {"g": {"S": "x"}}, {"r": {"N": "1"}}, {"g": {"S": "x"}, "r": {"N": "1"}}):
        dynamodb.put_item(TableName=name, Item={**key("a"), **good})
        assert dynamodb.get_item(TableName=name, Key=key("a"))["Item"] == {**key("a"), **good}
    refused("ValidationException", OPVI + "Type mismatch for Index Key r Expected: N Actual: S IndexName: by_g",
            dynamodb.put_item, TableName=name, Item={**key("a"), "g": {"S": "x"}, "r": {"S": "1"}})
    refused("ValidationException",
            "One or more parameter values are not valid. A value specified for a secondary index key is not "
            "supported. The AttributeValue for a key attribute cannot contain an empty string value. "
            "IndexName: by_g, IndexKey: g",
            dynamodb.put_item, TableName=name, Item={**key("a"), "g": {"S": ""}, "r": {"N": "1"}})


def test_a_table_of_many_items(dynamodb, new_table):
    name = new_table("pk:S sk:S")
    for n in range(400):
        dynamodb.put_item(TableName=name, Item={"pk": {"S": f"p{n % 20}"}, "sk": {"S": str(n)}, "v": {"N": str(n)}})
    for n in range(0, 400, 3):
        dynamodb.delete_item(TableName=name, Key={"pk": {"S": f"p{n % 20}"}, "sk": {"S": str(n)}})
    for n in range(400):
        got = dynamodb.get_item(TableName=name, Key={"pk": {"S": f"p{n % 20}"}, "sk": {"S": str(n)}})
        assert ("Item" in got) == bool(n % 3)
        assert n % 3 == 0 or got["Item"]["v"] == {"N": str(n)}


def test_table_by_arn(dynamodb, table):
    arn = f"arn:aws:dynamodb:us-east-1:000000000000:table/{table}"
    dynamodb.put_item(TableName=arn, Item=item("by_arn", v="1"))
    assert dynamodb.get_item(TableName=arn, Key=key("by_arn"))["Item"] == item("by_arn", v="1")
    assert dynamodb.get_item(TableName=table, Key=key("by_arn"))["Item"] == item("by_arn", v="1")
    assert dynamodb.describe_table(TableName=arn)["Table"]["TableName"] == table
    dynamodb.delete_item(TableName=arn, Key=key("by_arn"))
    assert "Item" not in dynamodb.get_item(TableName=table, Key=key("by_arn"))
