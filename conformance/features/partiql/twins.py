"""Random statements and the native requests that do the same: each step a pair of requests, and what
both must come to. Table names are given; both tables are alike (`TABLE`)."""

import functools
import json
import uuid

from raw_client import Connection, request
from twin_reads import ReadDice
from twin_writes import WriteDice



def index(name, *keys, type="ALL", carried=None):
    return {"IndexName": name,
            "Projection": {"ProjectionType": type, **({"NonKeyAttributes": carried} if carried else {})},
            "KeySchema": [{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"))]}


TABLE = {
    "AttributeDefinitions": [{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk", "g", "h")],
    "GlobalSecondaryIndexes": [
        index("by_g", "g", "h"), index("few_h", "h", type="KEYS_ONLY"),
        index("some_g", "g", type="INCLUDE", carried=["n", "t"])],
    "LocalSecondaryIndexes": [index("by_h", "pk", "h"), index("own_g", "pk", "g", type="KEYS_ONLY")],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
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


def total(consumed):
    """What entries of `units` come to, in one; none: nothing was consumed."""
    def add(left, right):
        if not isinstance(left, dict):
            return left + right
        return {name: add(left[name], right[name]) if name in left and name in right else value
                for name, value in {**left, **right}.items()}
    return [functools.reduce(add, consumed)] if consumed else []


def error(answer):
    """What a refusal comes to: failed conditions have names of their own for INSERT, and what a filter names and an
    index lacks is told in an order of its own."""
    _, name, message = answer.error()
    if "filter attributes: [" in message:
        start, names = message[:-1].split("[")
        message = f"{start}[{', '.join(sorted(names.split(', ')))}]"
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


def statement_pages(client, statement, limit):
    """Every page's items and units, until the last or an error."""
    found, members = [], {**statement, "ReturnConsumedCapacity": "INDEXES", **({"Limit": limit} if limit else {})}
    while True:
        answer = client.send("ExecuteStatement", members)
        if answer.status != 200:
            return found + [error(answer)]
        body = answer.json()
        found.append((body["Items"], units(body)))
        if "NextToken" not in body:
            return found
        members["NextToken"] = body["NextToken"]


def native_pages(client, operation, requests, limit):
    """The same of requests that are one after the other: a page is what several give until the limit."""
    found, place, start = [], 0, {}
    while place < len(requests):
        items, consumed, left = [], [], limit
        while place < len(requests) and left != 0:
            answer = client.send(operation, {**requests[place], **start, "ReturnConsumedCapacity": "INDEXES",
                                             **({"Limit": left} if left else {})})
            if answer.status != 200:
                return found + [error(answer)]
            body = answer.json()
            items += body["Items"]
            consumed += units(body)
            if "LastEvaluatedKey" in body:
                start = {"ExclusiveStartKey": body["LastEvaluatedKey"]}
                break
            place, start = place + 1, {}
            left = left - body["ScannedCount"] if left else None
        found.append((items, total(consumed)))
    return found


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
    statement, operation, requests, columns = dice.select()
    limit = dice.random.choice([None, None, 1, 2, 3])
    native = native_pages(client, operation, requests, limit)
    return (statement_pages(client, statement, limit), [shown(page, columns) for page in native],
            (statement, requests, limit))


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
    answer = client.ok("BatchExecuteStatement", Statements=[each[0] for each in members],
                       ReturnConsumedCapacity="INDEXES")
    statements, requests, consumed = [], [], []
    for entry, (_, kind, native) in zip(answer["Responses"], members, strict=True):
        expected = native_side(client, dice.requests, kind, native)
        if isinstance(expected, tuple) and isinstance(expected[0], list):
            requests.append(expected[0])
            consumed += expected[1]
            statements.append([entry["Item"]] if "Item" in entry else entry.get("Error", []))
        else:
            codes = CODES["failed" if expected == "failed" else expected[0]]
            requests.append(True)
            statements.append(entry.get("Error", {}).get("Code") in codes and
                              (expected == "failed" or entry["Error"]["Message"] == expected[1]))
    return (statements, units(answer)), (requests, total(consumed)), members


def reasons(answer):
    if answer.status == 200:
        return None
    found = answer.json().get("CancellationReasons")
    if found is None:
        return error(answer)
    told = [("failed",) if reason["Code"] in CODES["failed"] else (reason["Code"], reason.get("Message"))
            for reason in found]
    # ExecuteTransaction names every key that does not fit, the other the first alone.
    wrong = [place for place, reason in enumerate(told) if reason[0] == "ValidationError"]
    return [("None", None) if place in wrong[1:] else reason for place, reason in enumerate(told)]


def transaction_sides(client, dice):
    is_read = dice.random.random() < 0.3
    members = different(dice, dice.random.randrange(1, 5), dice.lookup if is_read else dice.write_in_transaction)
    # With a token both are asked twice: what was done is not done again, and costs a read.
    is_repeated = not is_read and dice.random.random() < 0.3
    common = {"ReturnConsumedCapacity": "INDEXES", **({"ClientRequestToken": uuid.uuid4().hex} if is_repeated else {})}
    ours = {**common, "TransactStatements": [each[0] for each in members]}
    theirs = {**common, "TransactItems": [{kind: {"TableName": dice.requests, **native}} for _, kind, native in members]}
    operation = "TransactGetItems" if is_read else "TransactWriteItems"
    sides = [], []
    for _ in range(2 if is_repeated else 1):
        for side, (name, body) in zip(sides, (("ExecuteTransaction", ours), (operation, theirs))):
            answer = client.send(name, body)
            side.append((reasons(answer), units(answer.json()), answer.json().get("Responses") or []))
    return (*sides, (ours, theirs))


# --- What is left of all steps ------------------------------------------------------------------


def records(client, table):
    """The records of the table's stream by their items' keys, without what tells one record from another."""
    def ask(operation, **members):
        headers = {**client.headers, "X-Amz-Target": f"DynamoDBStreams_20120810.{operation}"}
        with Connection(client.server) as connection:
            answer = connection.exchange(request(operation, members, headers))
        assert answer.status == 200, answer.body
        return answer.json()

    found, arn = {}, client.describe(table)["LatestStreamArn"]
    for shard in ask("DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"]:
        iterator = ask("GetShardIterator", StreamArn=arn, ShardId=shard["ShardId"],
                       ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        page = True
        while page and iterator:
            body = ask("GetRecords", ShardIterator=iterator)
            page, iterator = body["Records"], body.get("NextShardIterator")
            for record in page:
                change = record["dynamodb"]
                for name in ("SequenceNumber", "ApproximateCreationDateTime"):
                    del change[name]
                entry = {name: value for name, value in record.items() if name != "eventID"}
                found.setdefault(json.dumps(change["Keys"], sort_keys=True), []).append(entry)
    return found


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
