"""Key schemas and attribute definitions in short, and boto3's waiters."""


def wait(client, state, name):
    client.get_waiter(state).wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 60})


def key_schema(*names):
    kinds = ("HASH", "RANGE")
    return [{"AttributeName": n, "KeyType": kind} for n, kind in zip(names, kinds)]


def attributes(types):
    """attributes("pk:S sk:N") as AttributeDefinitions."""
    pairs = (word.split(":") for word in types.split())
    return [{"AttributeName": n, "AttributeType": t} for n, t in pairs]
