"""Cancelled transactions: which reasons stand where, and that nothing was done."""

import pytest
from botocore.exceptions import ClientError

from actions import (CANCELLED, FAILED, NONE, cancelled, check, delete, get, item, put, read, send_read, send_write,
                     stored, update, write)

MISMATCH = {"Code": "ValidationError", "Message": "The provided key element does not match the schema"}


def test_on_the_wire(raw, table):
    """To the byte: members in their order, no Message for None, Item before Message."""
    write(raw, put(table, item("wire", n=1)))
    answer = send_write(
        raw, put(table, "wire 2"),
        put(table,
            "wire",
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD"))
    text = answer.body.decode()
    kept, _, message = text.rpartition(',"Message":')
    assert message == f'"{CANCELLED.format("None, ConditionalCheckFailed")}"}}'
    head = ('{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",'
            '"CancellationReasons":[{"Code":"None"},')
    assert kept.startswith(head)
    reason = kept[len(head):]
    assert reason.startswith('{"Code":"ConditionalCheckFailed","Item":{')
    assert reason.endswith('},"Message":"The conditional request failed"}]')
    assert answer.json()["CancellationReasons"][1]["Item"] == item("wire", n=1)


@pytest.mark.parametrize("count", [1, 2, 100])
def test_one_reason_for_each_action(raw, table, count):
    """Those that failed are all named, whatever their place."""
    missing = set(range(0, count, 3)) | {count - 1}
    actions = [check(table, f"no {n}") if n in missing else put(table, f"new {n}") for n in range(count)]
    cancelled(send_write(raw, *actions), *(FAILED if n in missing else NONE for n in range(count)))
    assert read(raw, *(get(table, f"new {n}") for n in range(count))) == count * [{}]


def test_the_last_of_a_hundred(raw, table):
    actions = [put(table, f"last {n}") for n in range(99)]
    cancelled(send_write(raw, *actions, check(table, "nobody")), *(99 * [NONE]), FAILED)
    assert read(raw, *(get(table, f"last {n}") for n in range(99))) == 99 * [{}]


def test_every_kind_can_fail(raw, table):
    """With the old item where it is asked for and there is one."""
    here = item("kinds", n=1, l={"L": [{"S": "x"}]})
    write(raw, put(table, here))
    old = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    shown = {"Code": "ConditionalCheckFailed", "Item": here, "Message": "The conditional request failed"}
    false = {"ConditionExpression": "n = :no", "ExpressionAttributeValues": {":no": {"N": "9"}}}
    remove = {"Delete": {"TableName": table, "Key": item("kinds"), **false}}
    for one in (put(table, "kinds", **false), update(table, "kinds", "REMOVE l",
                                                     **false), remove, check(table, "kinds",
                                                                             "attribute_not_exists(pk)")):
        (kind, members), = one.items()
        cancelled(send_write(raw, one), FAILED)
        cancelled(send_write(raw, put(table, "kinds 2"), {kind: {**members, **old}}), NONE, shown)
        none = {"ReturnValuesOnConditionCheckFailure": "NONE"}
        cancelled(send_write(raw, {kind: {**members, **none}}, put(table, "kinds 2")), FAILED, NONE)
    cancelled(send_write(raw, put(table, "no kinds", ConditionExpression="attribute_exists(pk)", **old)), FAILED)
    assert stored(raw, table, "kinds") == here


def test_an_invalid_action_comes_before_all_conditions(raw, table):
    """It alone is named, and of several the first."""
    wrong = {"pk": {"N": "1"}}
    cancelled(send_write(raw, check(table, "nobody"), delete(table, wrong), put(table, {"other": {"S": "x"}})), NONE,
              MISMATCH, NONE)
    type_mismatch = "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N"
    cancelled(send_write(raw, check(table, "nobody"), put(table, wrong), delete(table, wrong)), NONE,
              {"Code": "ValidationError", "Message": type_mismatch}, NONE)
    twice = [put(table, "one"), put(table, "one"), delete(table, wrong)]
    cancelled(send_write(raw, *twice), NONE, NONE, MISMATCH)


def test_reads_are_cancelled_by_wrong_keys(raw, table):
    cancelled(send_read(raw, get(table, "a"), get(table, {"pk": {"N": "1"}}), get(table, {})), NONE, MISMATCH, NONE)


def test_an_update_that_grows_too_large(raw, table):
    """What counts is the item alone, without a charge for the update itself."""
    write(raw, put(table, {**item("grown"), "v": {"S": "x" * 300_000}}))
    room = 409_600 - len("pk" + "grown" + "v") - 300_000 - len("w")
    cancelled(send_write(raw, put(table, "grown 2"), update(table, "grown", "SET w = :w",
                                                            {"w": "x" * (room + 1)})), NONE,
              {"Code": "ValidationError", "Message": "Item size to update has exceeded the maximum allowed size"})
    write(raw, update(table, "grown", "SET w = :w", {"w": "x" * room}))
    assert stored(raw, table, "grown 2") is None


def test_as_boto3_has_it(dynamodb, table):
    dynamodb.put_item(TableName=table, Item=item("boto", n=1))
    old = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    with pytest.raises(dynamodb.exceptions.TransactionCanceledException) as caught:
        dynamodb.transact_write_items(TransactItems=[
            put(table, "boto 2"),
            put(table, "boto", ConditionExpression="attribute_not_exists(pk)", **old)
        ])
    answer = caught.value.response
    assert answer["Error"] == {
        "Code": "TransactionCanceledException", "Message": CANCELLED.format("None, ConditionalCheckFailed")
    }
    assert answer["CancellationReasons"] == [{"Code": "None"}, {
        "Code": "ConditionalCheckFailed", "Message": "The conditional request failed", "Item": item("boto", n=1)
    }]
    assert answer["ResponseMetadata"]["RetryAttempts"] == 0
    with pytest.raises(ClientError) as caught:
        dynamodb.transact_get_items(TransactItems=[get(table, {"pk": {"N": "1"}})])
    assert caught.value.response["CancellationReasons"] == [MISMATCH]


def test_capacity_is_not_told(raw, table):
    asked = {"ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"}
    cancelled(send_write(raw, check(table, "nobody"), **asked), FAILED)
