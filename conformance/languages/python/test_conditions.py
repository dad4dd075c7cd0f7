"""Conditions and projections with boto3: who may write, what a read brings back."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from boto3.dynamodb.conditions import Attr
from botocore.exceptions import ClientError

FAILED = "The conditional request failed"


@pytest.fixture
def rows(resource, new_table):
    """A table of its own as the resource sees it."""
    return resource.Table(new_table())


def refused(call, **parameters):
    """The answer of a write whose condition does not hold."""
    with pytest.raises(ClientError) as caught:
        call(**parameters)
    answer = caught.value.response
    assert (answer["Error"]["Code"], answer["Error"]["Message"]) == ("ConditionalCheckFailedException", FAILED)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 400
    return answer


def test_create_only_once(rows):
    rows.put_item(Item={"pk": "a", "v": 1}, ConditionExpression=Attr("pk").not_exists())
    refused(rows.put_item, Item={"pk": "a", "v": 2}, ConditionExpression=Attr("pk").not_exists())
    assert rows.get_item(Key={"pk": "a"})["Item"] == {"pk": "a", "v": Decimal(1)}
    refused(rows.delete_item, Key={"pk": "b"}, ConditionExpression=Attr("pk").exists())


@pytest.mark.parametrize("condition, holds", [
    (Attr("n").eq(Decimal("5.0")), True), (Attr("n").ne(5), False), (Attr("n").gt(4), True), (Attr("n").lt("5"), False),
    (Attr("n").between(5, 6), True), (Attr("n").is_in([1, 5]), True), (Attr("n").is_in([1, 2]), False),
    (Attr("s").begins_with("he"), True), (Attr("s").contains("ll"), True), (Attr("set").contains("x"), True),
    (Attr("list").contains(2), True), (Attr("s").size().eq(5), True), (Attr("list[1]").eq(2), True),
    (Attr("m.deep").attribute_type("BOOL"), True), (Attr("m.none").exists(), False), (Attr("absent").ne(1), True),
    (Attr("n").eq(5) & (Attr("s").eq("x") | Attr("m.deep").eq(True)), True), (~Attr("n").eq(5), False),
])
def test_every_kind_of_condition(rows, condition, holds):
    item = {"pk": "a", "n": 5, "s": "hello", "set": {"x", "y"}, "list": [1, 2], "m": {"deep": True}}
    rows.put_item(Item=item)
    if holds:
        old = rows.delete_item(Key={"pk": "a"}, ConditionExpression=condition, ReturnValues="ALL_OLD")
        assert old["Attributes"] == item
    else:
        refused(rows.delete_item, Key={"pk": "a"}, ConditionExpression=condition)
        assert rows.get_item(Key={"pk": "a"})["Item"] == item


def test_the_item_that_refused_is_told_when_asked_for(raw, new_table):
    name = new_table()
    item = {"pk": {"S": "a"}, "n": {"N": "1"}}
    raw.ok("PutItem", TableName=name, Item=item)
    answer = raw.send("PutItem", {"TableName": name, "Item": item, "ConditionExpression": "attribute_not_exists(pk)",
                                  "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
    assert answer.status == 400
    assert answer.json() == {
        "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", "message": FAILED, "Item": item}


def test_of_many_writers_one_wins_each_version(rows):
    """Optimistic locking: every version is taken exactly once."""
    rows.put_item(Item={"pk": "a", "version": 0})

    def take(version):
        try:
            rows.put_item(Item={"pk": "a", "version": version + 1}, ConditionExpression=Attr("version").eq(version))
        except ClientError as error:
            assert error.response["Error"]["Code"] == "ConditionalCheckFailedException"
            return 0
        return 1

    with ThreadPoolExecutor(16) as pool:
        for version in range(20):
            assert sum(pool.map(take, [version] * 16)) == 1
    assert rows.get_item(Key={"pk": "a"}, ConsistentRead=True)["Item"]["version"] == 20


@pytest.mark.parametrize("expression, names, expected", [
    ("v", {}, {"v": 1}), ("#v, pk", {"#v": "v"}, {"pk": "a", "v": 1}), ("m.x.y", {}, {"m": {"x": {"y": 2}}}),
    ("l[2], l[0]", {}, {"l": [0, 2]}), ("l[9], m.z, nothing", {}, {}),
    ("m.#d, l[1]", {"#d": "a.b"}, {"m": {"a.b": 3}, "l": [1]}),
])
def test_projections(rows, expression, names, expected):
    rows.put_item(Item={"pk": "a", "v": 1, "m": {"x": {"y": 2, "z": 0}, "a.b": 3}, "l": [0, 1, 2]})
    more = {"ExpressionAttributeNames": names} if names else {}
    assert rows.get_item(Key={"pk": "a"}, ProjectionExpression=expression, **more)["Item"] == expected


def test_attributes_to_get(rows):
    rows.put_item(Item={"pk": "a", "v": 1, "w": 2})
    assert rows.get_item(Key={"pk": "a"}, AttributesToGet=["w", "absent"])["Item"] == {"w": 2}
