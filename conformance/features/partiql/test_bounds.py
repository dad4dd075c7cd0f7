"""What is too deep, too long or no base64 (conformance/observed/partiql.md)."""

import pytest

from statements import refused

SHORT = "Nesting Levels have exceeded supported limits"


def nested(levels):
    """A map of so many levels."""
    value = {"M": {}}
    for _ in range(levels - 1):
        value = {"M": {"m": value}}
    return value


@pytest.fixture
def deepening(raw, things):
    """A statement that sets a value of 14 levels below one of 20: the item would have more than 32."""
    key = {"pk": {"S": "a"}, "sk": {"S": "1"}}
    raw.ok("UpdateItem", TableName=things, Key=key, UpdateExpression="SET deep = :deep",
           ExpressionAttributeValues={":deep": nested(20)})
    before = raw.ok("GetItem", TableName=things, Key=key)
    yield {"Statement": f"UPDATE {things} SET deep{'.m' * 20} = ? WHERE pk = 'a' AND sk = '1'",
           "Parameters": [nested(14)]}
    assert raw.ok("GetItem", TableName=things, Key=key) == before
    raw.ok("UpdateItem", TableName=things, Key=key, UpdateExpression="REMOVE deep")


def test_an_update_that_makes_an_item_too_deep(raw, deepening):
    assert refused(raw, deepening["Statement"], *deepening["Parameters"]) == ("ValidationException", SHORT)
    status, error, message = raw.error("ExecuteTransaction", TransactStatements=[deepening])
    assert (status, error) == (400, "TransactionCanceledException")
    assert message.endswith(" specific reasons [ValidationError]")
    reasons = raw.send("ExecuteTransaction", {"TransactStatements": [deepening]}).json()["CancellationReasons"]
    assert reasons == [{"Code": "ValidationError", "Message": SHORT}]
    assert raw.ok("BatchExecuteStatement", Statements=[deepening]) == {
        "Responses": [{"Error": {"Code": "ValidationError", "Message": SHORT}, "TableName": "PqThings"}]}


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_a_parameter_that_is_no_base64(raw, things, length):
    assert refused(raw, f"SELECT * FROM {things} WHERE pk = ?", {"B": "x" * length}) == (
        "SerializationException", f"Base64 encoded length is expected a multiple of 4 bytes but found: {length}")


def test_how_long_a_statement_may_be(raw):
    assert refused(raw, "") == ("ValidationException", (
        "1 validation error detected: Value '' at 'statement' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"))
    longest = "x" * 8192
    assert refused(raw, longest) == (
        "ValidationException", "Statement wasn't well formed, can't be processed: Expected data manipulation")
    assert refused(raw, longest + "x") == ("ValidationException", (
        f"1 validation error detected: Value '{longest}x' at 'statement' failed to satisfy constraint: "
        "Member must have length less than or equal to 8192"))
