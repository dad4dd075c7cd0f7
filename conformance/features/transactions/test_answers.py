"""What a transaction that succeeds does and answers (conformance/observed/transactions.md)."""

import pytest

from actions import (check, delete, get, item, put, read, records, refused, send_read, send_write, stored, update,
                     write)
from client import Client
from definitions import key_schema


def test_every_kind_of_action_at_once(raw, table):
    write(raw, put(table, item("every old", n=1)), put(table, item("every gone", n=1)), put(table, item("every here")))
    answer = write(raw, put(table, item("every new", s="x")), update(table, "every old", "SET n = n + :n", {"n": 4}),
                   delete(table, "every gone"), check(table, "every here"),
                   update(table, "every made", "ADD n :n", {"n": 2}))
    assert answer == {}
    found = read(raw, *(get(table, f"every {key}") for key in ("new", "old", "gone", "here", "made")))
    assert found == [{"Item": item("every new", s="x")}, {"Item": item("every old", n=5)}, {},
                     {"Item": item("every here")}, {"Item": item("every made", n=2)}]


@pytest.mark.parametrize("count", [1, 2, 100])
def test_as_many_as_there_may_be(raw, table, count):
    items = [item(f"many {n}", n=n) for n in range(count)]
    assert write(raw, *(put(table, one) for one in items)) == {}
    wanted = list(reversed(items))
    found = read(raw, *(get(table, {"pk": one["pk"]}) for one in wanted))
    assert found == [{"Item": one} for one in wanted]


def test_several_tables(raw, new_table):
    names, numbers = new_table("pk:S sk:N"), new_table("pk:N")
    long = {"pk": {"S": "a"}, "sk": {"N": "2"}}
    write(raw, put(names, long), put(numbers, item(7, s="x")))
    assert read(raw, get(numbers, 7), get(names, long)) == [{"Item": item(7, s="x")}, {"Item": long}]


def test_projections(raw, table):
    """An item of which nothing is selected is left out, other than in GetItem."""
    whole = item("projected", n=1, m={"M": {"deep": {"S": "x"}, "more": {"N": "1"}}})
    write(raw, put(table, whole))
    key = "projected"
    for projection, found in (("n", {"Item": {"n": {"N": "1"}}}),
                              ("m.deep", {"Item": {"m": {"M": {"deep": {"S": "x"}}}}}), ("nothing", {}), ("m.nothing",
                                                                                                          {})):
        assert read(raw, get(table, key, ProjectionExpression=projection)) == [found]
    names = {"ProjectionExpression": "#n", "ExpressionAttributeNames": {"#n": "n"}}
    assert read(raw, get(table, key, **names), get(table, "no such")) == [{"Item": {"n": {"N": "1"}}}, {}]
    assert raw.ok("GetItem", TableName=table, Key=item(key), ProjectionExpression="nothing") == {"Item": {}}


def test_names_and_values_without_an_expression(raw, table):
    """Single calls refuse them."""
    extra = {"ExpressionAttributeNames": {"#n": "n"}, "ExpressionAttributeValues": {":v": {"S": "v"}}}
    write(raw, put(table, "extra", **extra), delete(table, "extra too", **extra))
    names = {"ExpressionAttributeNames": {"#n": "n"}}
    assert read(raw, get(table, "extra", **names)) == [{"Item": item("extra")}]
    assert raw.error("PutItem", TableName=table, Item=item("extra"), **names)[1] == "ValidationException"


def test_nothing_to_change_is_no_error(raw, table):
    write(raw, delete(table, "nothing there"), check(table, "nothing there too", "attribute_not_exists(pk)"))
    assert read(raw, get(table, "nothing there")) == [{}]
    write(raw, update(table, "nothing there", "REMOVE n"))
    assert stored(raw, table, "nothing there") is None


def test_conditions_see_what_was_before(raw, table):
    """All conditions are judged before anything is written."""
    write(raw, put(table, item("left", n=1)), put(table, item("right", n=1)))
    one = {":one": {"N": "1"}}
    write(raw, update(table, "left", "SET n = :n", {"n": 2, "one": 1}, ConditionExpression="n = :one"),
          delete(table, "right", ConditionExpression="n = :one", ExpressionAttributeValues=one),
          check(table, "neither", "attribute_not_exists(pk)"),
          put(table, item("third"), ConditionExpression="attribute_not_exists(pk)"))
    assert read(raw, get(table, "left"), get(table, "right")) == [{"Item": item("left", n=2)}, {}]


@pytest.fixture
def indexed(new_table):
    """A table with the global index by_g."""
    index = {"IndexName": "by_g", "KeySchema": key_schema("g"), "Projection": {"ProjectionType": "ALL"}}
    return new_table("pk:S g:S", KeySchema=key_schema("pk"), GlobalSecondaryIndexes=[index])


def keys_of(client, table, g):
    found = client.ok("Query", TableName=table, IndexName="by_g", KeyConditionExpression="g = :g",
                      ExpressionAttributeValues={":g": {"S": g}})
    return {one["pk"]["S"] for one in found["Items"]}


def test_indexes_follow(raw, indexed):
    write(raw, *(put(indexed, item(f"k{n}", g="x")) for n in range(5)))
    write(raw, delete(indexed, "k0"), update(indexed, "k1", "SET g = :g", {"g": "y"}),
          update(indexed, "k2", "REMOVE g"),
          put(indexed, item("k9", g="y")))
    assert (keys_of(raw, indexed, "x"), keys_of(raw, indexed, "y")) == ({"k3", "k4"}, {"k1", "k9"})


def test_streams_tell_of_each_change_in_order(raw, streamed):
    """No record for a check, for what changed nothing, and for what was cancelled."""
    write(raw, put(streamed, item("c", n=1)), put(streamed, item("a", n=1)), put(streamed, item("b", n=1)),
          check(streamed, "d", "attribute_not_exists(pk)"))
    write(raw, delete(streamed, "c"), put(streamed, item("a", n=1)), update(streamed, "b", "SET n = :n", {"n": 2}),
          check(streamed, "e", "attribute_not_exists(pk)"), delete(streamed, "f"))
    answer = send_write(raw, put(streamed, item("a", n=7)), check(streamed, "e"))
    assert answer.status == 400
    expected = [("INSERT", item("c", n=1)), ("INSERT", item("a", n=1)), ("INSERT", item("b", n=1)),
                ("REMOVE", item("c")), ("MODIFY", item("b", n=2))]
    found = records(raw, streamed)
    assert found == [(event, item(new["pk"]["S"]), None if event == "REMOVE" else new) for event, new in expected]


def test_a_hundred_changes_are_a_hundred_records(raw, streamed):
    write(raw, *(put(streamed, item(f"{n:03}", n=n)) for n in range(100)))
    assert [image["n"] for _, _, image in records(raw, streamed)] == [{"N": str(n)} for n in range(100)]


def test_by_arn(raw, table):
    arn = raw.describe(table)["TableArn"]
    answer = write(raw,
                   put(arn, item("arn", n=1)),
                   check(arn, "no arn", "attribute_not_exists(pk)"),
                   update(arn, "arn 2", "ADD n :n", {"n": 1}),
                   delete(arn, "arn 3"),
                   ReturnConsumedCapacity="TOTAL")
    assert answer == {"ConsumedCapacity": [{"TableName": arn, "CapacityUnits": 8, "WriteCapacityUnits": 8}]}
    answer = raw.ok("TransactGetItems", TransactItems=[get(arn, "arn")], ReturnConsumedCapacity="TOTAL")
    assert answer == {
        "Responses": [{"Item": item("arn", n=1)}],
        "ConsumedCapacity": [{"TableName": arn, "CapacityUnits": 2, "ReadCapacityUnits": 2}]
    }
    twice = "Transaction request cannot include multiple operations on one item"
    refused(send_write(raw, put(arn, "twice"), delete(table, "twice")), "ValidationException", twice)
    refused(send_read(raw, get(arn, "twice"), get(table, "twice")), "ValidationException", twice)


def test_not_an_index(raw, indexed):
    """There is no member for it, and its ARN is no table's."""
    arn = raw.describe(indexed)["GlobalSecondaryIndexes"][0]["IndexArn"]
    assert send_read(raw, get(arn, "a")).status == 400


def test_a_table_that_is_being_made(start):
    """It is not found, before its keys are looked at."""
    client = Client(start("--control-plane-delay", "3600"))
    client.create_table("soon")
    for answer in (send_write(client, put("soon", 7)), send_read(client, get("soon", 7))):
        refused(answer, "ResourceNotFoundException", "Requested resource not found")


def test_four_megabytes_of_request(raw, table):
    """The bytes of the request count, not those of what is stored."""
    big = {"v": {"S": "x" * 100_000}}
    keys = [f"big {n}" for n in range(50)]
    too_much = send_write(raw, *(put(table, {**item(key), **big}) for key in keys))
    status, error, message = too_much.error()
    assert (status, error) == (400, "ValidationException")
    text = "Transaction payload size cannot exceed 4MB. Payload Size: "
    assert message.startswith(f"{text}: {text}")
    assert 5_000_000 <= int(message.rpartition(" ")[2]) < 5_100_000
    for part in (keys[:25], keys[25:]):
        write(raw, *(put(table, {**item(key), **big}) for key in part))
    write(raw, *(update(table, key, "SET n = :n", {"n": 1}) for key in keys))
    write(raw, *(delete(table, key) for key in keys))
    assert read(raw, *(get(table, key) for key in keys)) == 50 * [{}]


def test_four_megabytes_of_items(raw, table):
    """Ten of 400 KB may be read at once, eleven may not."""
    keys = [f"large {n}" for n in range(11)]
    for key in keys:
        raw.ok("PutItem", TableName=table, Item={**item(key), "v": {"S": "x" * 399_000}})
    assert len(read(raw, *(get(table, key) for key in keys[:10]))) == 10
    assert send_read(raw, *(get(table, key) for key in keys)).status == 400
    names = {"ProjectionExpression": "pk"}
    for key in keys:
        raw.ok("DeleteItem", TableName=table, Key=item(key))
    assert read(raw, *(get(table, key, **names) for key in keys)) == 11 * [{}]
