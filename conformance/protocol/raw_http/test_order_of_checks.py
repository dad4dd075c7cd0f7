"""The order in which a request is refused (conformance/observed/wire.md 2, conformance/observed/errors.md
2): each test breaks two rules and the earlier one must win."""

import pytest

from raw_client import authorization, request

SERIALIZATION = b'{"__type":"com.amazon.coral.service#SerializationException"}'
UNKNOWN_OPERATION = b'{"__type":"com.amazon.coral.service#UnknownOperationException"}'
NOT_FOUND_PAGE = b"<UnknownOperationException/>\n"
NO_TOKEN = (
    b'{"__type":"com.amazon.coral.service#MissingAuthenticationTokenException",'
    b'"message":"Request is missing Authentication Token"}'
)
# The path is part of what is signed.
NOT_SIGNED = (
    b'{"__type":"com.amazon.coral.service#InvalidSignatureException",'
    b'"message":"The request signature we calculated does not match the signature you provided. Check '
    b"your AWS Secret Access Key and signing method. Consult the service documentation for "
    b'details."}')
UNSIGNED = {"Authorization": None, "X-Amz-Date": None}


def with_unsigned(**headers):
    return {**UNSIGNED, **{k.replace("_", "-"): v for k, v in headers.items()}}


PAIRS = {
    "method before JSON": (request("ListTables", b"{", method="PUT"), 404, NOT_FOUND_PAGE),
    "method before target": (request("Nothing", method="DELETE"), 404, NOT_FOUND_PAGE),
    "method before authentication": (
        request("ListTables", headers=UNSIGNED, method="PATCH"), 404, NOT_FOUND_PAGE),
    "content type before JSON": (
        request("ListTables", b"{", {"Content-Type": "text/plain"}), 404, NOT_FOUND_PAGE),
    "content type before target": (
        request("Nothing", b"{}", {"Content-Type": "text/plain"}), 404, NOT_FOUND_PAGE),
    "content type before authentication": (
        request("ListTables", b"{}", with_unsigned(Content_Type="text/plain")), 404, NOT_FOUND_PAGE),
    "no content type but a body": (
        request("ListTables", b"{}", {"Content-Type": None}), 404, NOT_FOUND_PAGE),
    "JSON 1.1": (
        request("ListTables", b"{}", {"Content-Type": "application/x-amz-json-1.1"}),
        404, NOT_FOUND_PAGE),
    "JSON 1.1 for another service": (
        request(None, b"{}", {"Content-Type": "application/x-amz-json-1.1",
                              "X-Amz-Target": "AnyScaleFrontendService.PutPolicy"}), 400, UNKNOWN_OPERATION),
    "JSON 1.1 without a target": (
        request(None, b"{}", {"Content-Type": "application/x-amz-json-1.1"}), 404, NOT_FOUND_PAGE),
    "other content type without a body": (
        request("ListTables", b"", {"Content-Type": "text/plain"}), 400, SERIALIZATION),
    "JSON before target": (request("Nothing", b"{"), 400, SERIALIZATION),
    "JSON before missing target": (request(None, b"nope"), 400, SERIALIZATION),
    "JSON before authentication": (request("ListTables", b"{", UNSIGNED), 400, SERIALIZATION),
    "target before authentication": (request("Nothing", b"{}", UNSIGNED), 400, UNKNOWN_OPERATION),
    "missing target before authentication": (request(None, b"{}", UNSIGNED), 400, UNKNOWN_OPERATION),
    "target before empty body": (request("Nothing", b""), 400, UNKNOWN_OPERATION),
    "target before JSON types": (request("Nothing", {"TableName": 5}), 400, UNKNOWN_OPERATION),
    "authentication before empty body": (request("ListTables", b"", UNSIGNED), 400, NO_TOKEN),
    "authentication before JSON types": (
        request("ListTables", {"Limit": "x"}, UNSIGNED), 400, NO_TOKEN),
    "authentication before constraints": (request("ListTables", {"Limit": 0}, UNSIGNED), 400, NO_TOKEN),
    "empty body": (request("ListTables", b""), 400, SERIALIZATION),
    "another path": (request("ListTables", b"{}", path="/garbage"), 400, NOT_SIGNED),
    "another path before empty body": (request("ListTables", b"", path="/garbage"), 400, NOT_SIGNED),
    "authentication before another path": (
        request("ListTables", b"{}", UNSIGNED, path="/garbage"), 400, NO_TOKEN),
    "target before another path": (
        request("Nothing", b"{}", path="/garbage"), 400, UNKNOWN_OPERATION),
    "JSON types before constraints": (
        request("ListTables", {"ExclusiveStartTableName": "a;", "Limit": "x"}), 400,
        b'{"__type":"com.amazon.coral.service#SerializationException",'
        b'"Message":"STRING_VALUE cannot be converted to Integer"}'),
    "constraints before the table": (
        request("GetItem", {"TableName": "nothing_here", "Key": {"pk": {"S": "a"}},
                            "ReturnConsumedCapacity": "X"}), 400,
        b'{"__type":"com.amazon.coral.validate#ValidationException","message":"1 validation error '
        b"detected: Value 'X' at 'returnConsumedCapacity' failed to satisfy constraint: Member must "
        b'satisfy enum value set: [INDEXES, TOTAL, NONE]"}'),
    "values before the table": (
        request("GetItem", {"TableName": "nothing_here", "Key": {"pk": {}}}), 400,
        b'{"__type":"com.amazon.coral.validate#ValidationException","message":"Supplied '
        b'AttributeValue is empty, must contain exactly one of the supported datatypes"}'),
    "the table before its key": (
        request("GetItem", {"TableName": "nothing_here", "Key": {"other": {"S": "a"}}}), 400,
        b'{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",'
        b'"message":"Requested resource not found"}'),
    "constraints before values": (
        request("PutItem", {"TableName": "nothing_here", "Item": {"pk": {}},
                            "ReturnItemCollectionMetrics": "X"}), 400,
        b'{"__type":"com.amazon.coral.validate#ValidationException","message":"1 validation error '
        b"detected: Value 'X' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member "
        b'must satisfy enum value set: [SIZE, NONE]"}'),
    "values before ReturnValues": (
        request("PutItem", {"TableName": "nothing_here", "Item": {"pk": {}}, "ReturnValues": "ALL_NEW"}),
        400,
        b'{"__type":"com.amazon.coral.validate#ValidationException","message":"Supplied '
        b'AttributeValue is empty, must contain exactly one of the supported datatypes"}'),
}


@pytest.mark.parametrize("pair", list(PAIRS))
def test_earlier_rule_wins(connection, pair):
    data, status, body = PAIRS[pair]
    answer = connection.exchange(data)
    assert (answer.status, answer.body) == (status, body)


@pytest.mark.parametrize(
    "target",
    ["DynamoDB_20120810", "DynamoDB_20120810.", "DynamoDB_20120810.listTables", "ListTables",
     "DynamoDB_20111205.ListTables", "DynamoDBStreams_20120810.ListTables",
     "DynamoDB_20120810.ListTables ListTables", "dynamodb_20120810.ListTables", ""],
)
def test_unknown_targets(connection, target):
    answer = connection.call(None, b"{}", {"X-Amz-Target": target})
    assert (answer.status, answer.body) == (400, UNKNOWN_OPERATION)


@pytest.mark.parametrize("operation", ["Query", "Scan", "UpdateItem", "BatchGetItem", "TransactWriteItems"])
def test_every_operation_of_the_service_is_authenticated_or_unknown(connection, operation):
    """Whether built or still to come: never a success without credentials, never a 500."""
    answer = connection.call(operation, b"{}", UNSIGNED)
    assert answer.status == 400
    assert answer.body in (UNKNOWN_OPERATION, NO_TOKEN)


def test_authorization_reaches_the_operation(connection):
    for region in ("us-east-1", "eu-central-1", "local-env", "ddblocal"):
        answer = connection.call("ListTables", b"{}", {"Authorization": authorization(region)})
        assert answer.status == 200


@pytest.mark.parametrize("body", [b"5", b"null", b"true", b'"text"', b"[]", b"[{}]"])
def test_json_that_is_no_object(connection, body):
    answer = connection.call("ListTables", body)
    assert answer.error()[:2] == (400, "SerializationException")


def test_null_members_are_absent_and_unknown_ones_ignored(connection):
    body = {"Limit": None, "ExclusiveStartTableName": None, "NoSuchMember": {"deep": [1, "x"]}}
    assert connection.call("ListTables", body).status == 200
    missing = {"TableName": None}
    assert connection.call("DescribeTable", missing).error() == (
        400, "ValidationException",
        "The parameter 'TableName' is required but was not present in the request")


def test_member_names_are_case_sensitive(connection):
    assert connection.call("DescribeTable", {"tableName": "nothing_here"}).error() == (
        400, "ValidationException",
        "The parameter 'TableName' is required but was not present in the request")
