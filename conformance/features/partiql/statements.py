"""What the tests say in short."""

INDEXES = {
    "AttributeDefinitions": [{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk", "g", "h")],
    "GlobalSecondaryIndexes": [
        {"IndexName": "by_g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
         "Projection": {"ProjectionType": "KEYS_ONLY"}},
        {"IndexName": "by_many", "Projection": {"ProjectionType": "ALL"},
         "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "h", "KeyType": "HASH"}]}],
}


def run(client, statement, *parameters, **members):
    """ExecuteStatement that must succeed."""
    if parameters:
        members["Parameters"] = list(parameters)
    return client.ok("ExecuteStatement", Statement=statement, **members)


def refused(client, statement, *parameters, **members):
    """(error, message) of an ExecuteStatement that must fail."""
    if parameters:
        members["Parameters"] = list(parameters)
    status, error, message = client.error("ExecuteStatement", Statement=statement, **members)
    assert status == 400
    return error, message


def several(client, operation, *statements, **members):
    name = "Statements" if operation == "BatchExecuteStatement" else "TransactStatements"
    return client.send(operation, {name: [{"Statement": s} for s in statements], **members})
