"""What writes leave behind: records of streams and entries of expiry are those of the native requests."""

import twins
from admin import Admin
from client import Client

BEGIN = "2027-01-01"
SOON, LATER = "1798761660", "1798765200"  # a minute and an hour behind it
SERVICE = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}


def make_table(client, name):
    client.create_table(name, **{"StreamSpecification": twins.TABLE["StreamSpecification"]})
    client.wait_active(name)
    client.ok("UpdateTimeToLive", TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})


def put(key, ttl=None):
    return {"pk": {"S": key}, **({"ttl": {"N": ttl}} if ttl else {})}


def update(key, ttl):
    return {"Key": put(key), "UpdateExpression": "SET #t = :t", "ExpressionAttributeNames": {"#t": "ttl"},
            "ExpressionAttributeValues": {":t": {"N": ttl}}}


def remove(key):
    return {"Key": put(key), "UpdateExpression": "REMOVE #t", "ExpressionAttributeNames": {"#t": "ttl"}}


# Statements that write one item, and the native actions that do the same.
FIRST = [(f"INSERT INTO ByText VALUE {{'pk': '{key}', 'ttl': {ttl}}}", "Put", {"Item": put(key, ttl)})
         for key, ttl in (("a", SOON), ("b", SOON), ("c", LATER), ("d", LATER), ("e", SOON))]
SECOND = [(f"UPDATE ByText SET ttl = {LATER} WHERE pk = 'a'", "Update", update("a", LATER)),
          ("UPDATE ByText REMOVE ttl WHERE pk = 'b'", "Update", remove("b")),
          (f"UPDATE ByText SET ttl = {SOON} WHERE pk = 'c'", "Update", update("c", SOON)),
          (f"UPDATE ByText SET ttl = {LATER} WHERE pk = 'd'", "Update", update("d", LATER)),  # what it is already
          ("DELETE FROM ByText WHERE pk = 'e'", "Delete", {"Key": put("e")}),
          ("DELETE FROM ByText WHERE pk = 'none'", "Delete", {"Key": put("none")})]


def by_text(client, operation, statements):
    texts = [{"Statement": text} for text, _, _ in statements]
    if operation == "ExecuteStatement":
        for text in texts:
            client.ok(operation, **text)
    elif operation == "BatchExecuteStatement":
        answer = client.ok(operation, Statements=texts)
        assert not [entry for entry in answer["Responses"] if "Error" in entry]
    else:
        client.ok(operation, TransactStatements=texts)


def by_request(client, operation, statements):
    if operation == "ExecuteTransaction":
        client.ok("TransactWriteItems",
                  TransactItems=[{kind: {"TableName": "ByRequest", **members}} for _, kind, members in statements])
        return
    for _, kind, members in statements:
        client.ok(twins.OPERATIONS[kind], TableName="ByRequest", **members)


def traces(start, operation):
    """By table: (records by key, items left, keys that the service deleted)."""
    server = start("--clock", BEGIN)
    client = Client(server)
    for name, write in (("ByText", by_text), ("ByRequest", by_request)):
        make_table(client, name)
        for statements in (FIRST, SECOND):
            write(client, operation, statements)
    Admin(server).move(advance="2m")
    for name in ("ByText", "ByRequest"):
        found = twins.records(client, name)
        deleted = sorted(record["dynamodb"]["Keys"]["pk"]["S"] for records in found.values() for record in records
                         if record["eventName"] == "REMOVE" and record.get("userIdentity") == SERVICE)
        yield found, client.ok("Scan", TableName=name)["Items"], deleted


def check(start, operation):
    by_text, by_request = traces(start, operation)
    assert by_text == by_request
    found, items, deleted = by_text
    assert deleted == ["c"] and sorted(item["pk"]["S"] for item in items) == ["a", "b", "d"]
    names = {key: [record["eventName"] for record in records] for key, records in found.items()}
    assert names == {'{"pk": {"S": "a"}}': ["INSERT", "MODIFY"], '{"pk": {"S": "b"}}': ["INSERT", "MODIFY"],
                     '{"pk": {"S": "c"}}': ["INSERT", "MODIFY", "REMOVE"], '{"pk": {"S": "d"}}': ["INSERT"],
                     '{"pk": {"S": "e"}}': ["INSERT", "REMOVE"]}


def test_single_statements(start):
    check(start, "ExecuteStatement")


def test_batches(start):
    check(start, "BatchExecuteStatement")


def test_transactions(start):
    check(start, "ExecuteTransaction")
