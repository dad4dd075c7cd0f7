"""Random statements and the native requests that do the same: each step a pair of requests, and what
both must come to. Table names are given; both tables are alike (`TABLE`)."""

import json

from twin_reads import ReadDice
from twin_writes import WriteDice

TABLE = {
    "AttributeDefinitions": [{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk", "g", "h")],
    "GlobalSecondaryIndexes": [
        {"IndexName": "by_g", "Projection": {"ProjectionType": "ALL"},
         "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "h", "KeyType": "RANGE"}]}],
    "LocalSecondaryIndexes": [
        {"IndexName": "by_h", "Projection": {"ProjectionType": "ALL"},
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "h", "KeyType": "RANGE"}]}],
}
CHARGES = ["ReadCapacityUnits", "WriteCapacityUnits", "CapacityUnits", "Table", "GlobalSecondaryIndexes",
           "LocalSecondaryIndexes"]


class Dice(WriteDice, ReadDice):
    """Everything."""


def units(body):
    """What was consumed, without the table's name."""
    entries = body.get("ConsumedCapacity") or []
    return [{name: entry[name] for name in CHARGES if name in entry}
            for entry in (entries if isinstance(entries, list) else [entries])]


def error(answer):
    """What a refusal comes to: failed conditions have names of their own for INSERT."""
    _, name, message = answer.error()
    return "failed" if name in ("ConditionalCheckFailedException", "DuplicateItemException") else (name, message)


def single(client, operation, members, item_of):
    answer = client.send(operation, {**members, "ReturnConsumedCapacity": "INDEXES"})
    if answer.status != 200:
        return error(answer)
    return item_of(answer.json()), units(answer.json())


OPERATIONS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "Get": "GetItem"}


def statement_side(client, statement):
    return single(client, "ExecuteStatement", statement, lambda body: body["Items"])


def native_side(client, table, kind, members):
    def item_of(body):
        found = body.get("Item" if kind == "Get" else "Attributes")
        return [found] if found else []
    return single(client, OPERATIONS[kind], {"TableName": table, **members}, item_of)


def pages(client, operation, members, forward, limit):
    """Every page's items and units, until the last."""
    found = []
    while True:
        answer = client.send(operation, {**members, "ReturnConsumedCapacity": "INDEXES", **({"Limit": limit} if limit else {})})
        if answer.status != 200:
            return found + [error(answer)]
        body = answer.json()
        found.append((body["Items"], units(body)))
        if forward[0] not in body:
            return found
        members = {**members, forward[1]: body[forward[0]]}


def column(item, path):
    """{name: value} of what a path leads to, under its last name; empty: to nothing."""
    steps = path.replace("[", ".[").split(".")
    value = {"M": item}
    for step in steps:
        if step.startswith("["):
            value = dict(enumerate(value.get("L", []))).get(int(step[1:-1]))
        else:
            value = value.get("M", {}).get(step)
        if value is None:
            return {}
    return {path.split(".")[-1]: value}


def shown(page, columns):
    if not columns or not isinstance(page[0], list):
        return page
    return ([dict(part for path in columns for part in column(item, path).items()) for item in page[0]], page[1])


def select_sides(client, dice):
    statement, operation, members, columns = dice.select()
    limit = dice.random.choice([None, None, 1, 2, 3])
    native = pages(client, operation, members, ("LastEvaluatedKey", "ExclusiveStartKey"), limit)
    return (pages(client, "ExecuteStatement", statement, ("NextToken", "NextToken"), limit),
            [shown(page, columns) for page in native], (statement, members))


def different(dice, count, make):
    """Members on different items."""
    made = {}
    for _ in range(count):
        statement, kind, members = make()
        made[json.dumps(members.get("Key") or {name: members["Item"][name] for name in ("pk", "sk")})] = (
            statement, kind, members)
    return list(made.values())


CODES = {"failed": ("ConditionalCheckFailed", "DuplicateItem"), "ValidationException": ("ValidationError",)}


def batch_sides(client, dice):
    """A batch, and its members' requests one by one: items, and errors by their codes."""
    is_read = dice.random.random() < 0.3
    members = different(dice, dice.random.randrange(1, 6), dice.lookup if is_read else dice.write)
    answer = client.ok("BatchExecuteStatement", Statements=[each[0] for each in members])["Responses"]
    statements, requests = [], []
    for entry, (_, kind, native) in zip(answer, members, strict=True):
        expected = native_side(client, dice.requests, kind, native)
        if isinstance(expected, tuple) and isinstance(expected[0], list):
            requests.append(expected[0])
            statements.append([entry["Item"]] if "Item" in entry else entry.get("Error", []))
        else:
            codes = CODES["failed" if expected == "failed" else expected[0]]
            requests.append(True)
            statements.append(entry.get("Error", {}).get("Code") in codes and
                              (expected == "failed" or entry["Error"]["Message"] == expected[1]))
    return statements, requests, members


def reasons(answer):
    if answer.status == 200:
        return None
    found = answer.json().get("CancellationReasons")
    if found is None:
        return error(answer)
    return [("failed",) if reason["Code"] in CODES["failed"] else (reason["Code"], reason.get("Message"))
            for reason in found]


def transaction_sides(client, dice):
    is_read = dice.random.random() < 0.3
    members = different(dice, dice.random.randrange(1, 5), dice.lookup if is_read else lambda: dice.write(False))
    ours = client.send("ExecuteTransaction", {"TransactStatements": [each[0] for each in members],
                                              "ReturnConsumedCapacity": "INDEXES"})
    theirs = client.send("TransactGetItems" if is_read else "TransactWriteItems", {
        "ReturnConsumedCapacity": "INDEXES",
        "TransactItems": [{kind: {"TableName": dice.requests, **native}} for _, kind, native in members]})
    sides = [(reasons(answer), units(answer.json()), answer.json().get("Responses") or []) for answer in (ours, theirs)]
    return (*sides, members)


def step(client, dice):
    """(what the statements came to, what the requests did, what was asked)."""
    kind = dice.random.randrange(10)
    if kind < 4:
        statement, action, members = dice.write()
        return (statement_side(client, statement), native_side(client, dice.requests, action, members),
                (statement, members))
    if kind == 4:
        statement, action, members = dice.lookup()
        return (statement_side(client, statement), native_side(client, dice.requests, action, members),
                (statement, members))
    if kind < 8:
        return select_sides(client, dice)
    return batch_sides(client, dice) if kind == 8 else transaction_sides(client, dice)
