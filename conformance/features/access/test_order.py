"""Permission comes after the types of a request's members, and before every rule that the request breaks."""

import json

import pytest

from guarded import Guarded, allow, directory, key_of, table_arn, user
from raw_client import Connection, request

OWN = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["own#*"]}, "Null": {"dynamodb:LeadingKeys": "false"}}
ITEM_ACTIONS = ["GetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "Query", "BatchGetItem",
                "BatchWriteItem"]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    content = directory(
        user("nobody"), user("everything", allow("*")),
        user("tenant", allow(ITEM_ACTIONS, [table_arn("App"), table_arn("App") + "/index/*"], OWN)),
        user("table", allow([*ITEM_ACTIONS, "Scan"], table_arn("App"))))
    made = Guarded(tmp_path_factory.mktemp("order"), content)
    made.table()
    yield made
    made.server.stop()


def ask(guarded, name, operation, body):
    """The code of the answer, without botocore's own checks."""
    sent = json.dumps(body).encode()
    asked, signer = guarded.signed(operation, sent, key=key_of(name))
    signer.add_auth(asked)
    with Connection(guarded.server) as connection:
        answer = connection.exchange(request(None, sent, dict(asked.headers.items())))
    return "fine" if answer.status == 200 else answer.json()["__type"].split("#")[1]


def key(pk):
    return {"pk": {"S": pk}, "sk": {"S": "x"}}


def app(**members):
    return {"TableName": "App", **members}


# Requests that break a rule, with partition keys of the tenant where they can be read.
BROKEN = [
    ("GetItem", app()),
    ("GetItem", app(Key={})),
    ("PutItem", app(Item={"pk": {"S": ""}})),
    ("PutItem", app(Item=key("own#1"), ConditionExpression="")),
    ("UpdateItem", app(Key=key("own#1"), UpdateExpression="SET")),
    ("UpdateItem", app(Key=key("own#1"), UpdateExpression="SET a = :a")),
    ("DeleteItem", app(Key=key("own#1"), ReturnValues="WHAT")),
    ("Query", app()),
    ("Query", app(KeyConditionExpression="pk = ")),
    ("Query", app(KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "own#1"}}, Limit=0)),
    ("Scan", app(Segment=1)),
    ("BatchGetItem", {"RequestItems": {"App": {"Keys": []}}}),
    ("BatchGetItem", {"RequestItems": {"App": {"Keys": [key("own#1")], "ProjectionExpression": "a,,b"}}}),
    ("BatchWriteItem", {"RequestItems": {"App": [{"PutRequest": {"Item": key("own#1")},
                                                  "DeleteRequest": {"Key": key("own#1")}}]}}),
    ("TransactWriteItems", {"TransactItems": [{"Put": app(Item=key("own#1"), ConditionExpression="?")}]}),
    ("TransactGetItems", {"TransactItems": [{"Get": app(Key=key("own#1"), ProjectionExpression="a b")}]}),
    ("CreateTable", app(KeySchema=[])),
    ("UpdateTable", app(BillingMode="WHAT")),
    ("DescribeTimeToLive", {"TableName": "App" * 100}),
    ("UpdateTimeToLive", app()),
    ("TagResource", {"ResourceArn": table_arn("App")}),
    ("CreateBackup", app(BackupName="x")),
    ("ListTables", {"Limit": 0}),
]
NO_NAME = [("DescribeTimeToLive", {"TableName": "App" * 100}), ("BatchGetItem", {"RequestItems": {"App": {"Keys": []}}})]


@pytest.mark.parametrize("operation, body", BROKEN, ids=lambda value: value if isinstance(value, str) else "")
def test_who_may_not_do_it_learns_nothing_of_the_rule(guarded, operation, body):
    expected = "ValidationException" if (operation, body) in NO_NAME else "AccessDeniedException"
    assert ask(guarded, "nobody", operation, body) == expected
    assert ask(guarded, "everything", operation, body) == "ValidationException"


@pytest.mark.parametrize("operation, body", [
    ("PutItem", app(Item=key("PK"), ConditionExpression="")),
    ("PutItem", app(Item={**key("PK"), "wrong": {"N": "x"}})),
    ("UpdateItem", app(Key=key("PK"), UpdateExpression="SET")),
    ("Query", app(KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "PK"}}, Limit=0)),
    ("Query", app(IndexName="by_other", KeyConditionExpression="owner_id = :p", Limit=0,
                  ExpressionAttributeValues={":p": {"S": "PK"}})),
    ("BatchGetItem", {"RequestItems": {"App": {"Keys": [key("own#1"), key("PK")], "ProjectionExpression": "a,,b"}}}),
    ("BatchWriteItem", {"RequestItems": {"App": [{"PutRequest": {"Item": key("PK")}},
                                                 {"DeleteRequest": {"Key": key("PK")}}]}}),
    ("TransactWriteItems", {"TransactItems": [{"Put": app(Item=key("PK"), ConditionExpression="?")}]}),
    ("TransactWriteItems", {"TransactItems": [{"ConditionCheck": app(Key=key("PK"), ConditionExpression="?")}]}),
    ("TransactGetItems", {"TransactItems": [{"Get": app(Key=key("PK"), ProjectionExpression="a b")}]}),
], ids=lambda value: value if isinstance(value, str) else "")
def test_partition_keys_count_where_they_can_be_read(guarded, operation, body):
    for pk, expected in (("own#1", "ValidationException"), ("foreign#1", "AccessDeniedException")):
        sent = json.loads(json.dumps(body).replace('"PK"', f'"{pk}"'))
        assert ask(guarded, "tenant", operation, sent) == expected


@pytest.mark.parametrize("operation, body", [
    ("Query", app(KeyConditionExpression="pk = ")),
    ("Query", app(KeyConditions={"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "own#1"}]}}, Limit=0)),
    ("GetItem", app(Key={})),
])
def test_what_cannot_be_read_meets_no_condition(guarded, operation, body):
    assert ask(guarded, "tenant", operation, body) == "AccessDeniedException"
    assert ask(guarded, "table", operation, body) == "ValidationException"


def test_an_index_needs_its_own_permission(guarded):
    broken = app(IndexName="by_other", KeyConditionExpression="x", Limit=0)
    assert ask(guarded, "table", "Query", broken) == "AccessDeniedException"
    assert ask(guarded, "table", "Query", app(IndexName="?", KeyConditionExpression="x")) == "ValidationException"


@pytest.mark.parametrize("operation, body", [
    ("GetItem", app(Key="text")), ("GetItem", {"TableName": 1}), ("PutItem", app(Item={"pk": {"S": 1}}))])
def test_types_come_first(guarded, operation, body):
    assert ask(guarded, "nobody", operation, body) == "SerializationException"


@pytest.mark.parametrize("operation, body", [
    ("GetItem", {}), ("GetItem", {"TableName": "a"}), ("GetItem", {"TableName": "a b c"}),
    ("ExecuteStatement", {"Statement": "SELECT"}), ("TagResource", {"ResourceArn": "App", "Tags": []})])
def test_without_a_name_there_is_nothing_to_ask_permission_for(guarded, operation, body):
    assert ask(guarded, "nobody", operation, body) == "ValidationException"


def test_a_missing_table_looks_like_any_other(guarded):
    assert ask(guarded, "nobody", "GetItem", {"TableName": "Missing", "Key": {}}) == "AccessDeniedException"
    assert ask(guarded, "nobody", "GetItem", {"TableName": "Missing", "Key": key("a")}) == "AccessDeniedException"


def test_an_audit_tells_of_broken_requests_too(guard):
    guarded = guard(directory(user("dev")), mode="audit")
    guarded.table()
    assert ask(guarded, "dev", "UpdateItem", app(Key=key("a"), UpdateExpression="SET")) == "ValidationException"
    uses = guarded.ok("access/report?only=denied")["principals"][0]["uses"]
    assert [(use["action"], use["resource"]) for use in uses] == [("dynamodb:UpdateItem", table_arn("App"))]


def test_a_table_of_another_account(guard):
    other = "444455556666"
    arn = table_arn("App")
    guarded = guard(directory(user("far", allow("*"), account=other)))
    guarded.table()
    broken = {"TableName": arn, "Key": key("a"), "UpdateExpression": "SET"}
    assert ask(guarded, "far", "UpdateItem", broken) == "AccessDeniedException"
    guarded.attach(arn, {"Effect": "Allow", "Action": "dynamodb:UpdateItem", "Resource": arn,
                         "Principal": {"AWS": f"arn:aws:iam::{other}:user/far"}})
    assert ask(guarded, "far", "UpdateItem", broken) == "ValidationException"
