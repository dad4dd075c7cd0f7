"""/_stator/requests: the last requests and what became of them (docs/explain.md)."""

import pytest

from admin import Admin
from client import Client
from server_process import given_endpoint

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")


def listed(admin):
    return admin.ok("requests")["requests"]


def test_newest_first(start):
    server = start("--clock", "2027-01-01T00:00:00Z")
    client, admin = Client(server, region="eu-west-1", key="mine"), Admin(server)
    assert listed(admin) == []
    client.create_table("things")
    assert client.send("PutItem", {"TableName": "things", "Item": {"pk": {"S": "a"}}}).status == 200
    assert client.send("GetItem", {"TableName": "none", "Key": {"pk": {"S": "a"}}}).status == 400
    get, put = listed(admin)[:2]
    assert get.pop("took_us") >= 0 and len(get.pop("request_id")) == 52
    assert get.pop("client")["connection"] == put["client"]["connection"] > 0
    assert get == {
        "sequence": 3,
        "origin": "client",
        "time": "2027-01-01T00:00:00.000Z",
        "operation": "GetItem",
        "table": "none",
        "region": "eu-west-1",
        "access_key": "mine",
        "status": 400,
        "error": "ResourceNotFoundException",
        "message": "Requested resource not found",
        "units": 0.0,
        "refused": {"rule": "what is named is there", "attribute": "TableName",
                    "expected": "a table of this name, account and Region", "given": "none"},
        "hints": ["There is no table 'none' for Region eu-west-1: its tables are: things"],
    }
    assert (put["operation"], put["status"], put["units"]) == ("PutItem", 200, 1.0)
    assert "error" not in put and "message" not in put
    Client(server).error("DescribeTable", TableName="none")
    assert listed(admin)[0]["client"]["connection"] > put["client"]["connection"]


def test_one_by_its_id(start):
    server = start()
    client, admin = Client(server), Admin(server)
    client.create_table("things")
    answer = client.send("PutItem", {"TableName": "things", "Item": {"pk": {"N": "1"}, "text": {"S": "ä" * 4000}}})
    found = admin.ok("requests/" + answer.get("x-amzn-RequestId"))
    assert found["message"].endswith("Type mismatch for key pk expected: S actual: N")
    assert found["request"].startswith('{"TableName": "things"') and found["request_bytes"] > 4096
    assert found["cut"] is True and "items" not in found
    assert "Authorization" not in str(found) and "Signature" not in str(found)
    assert admin.send("requests/none").status == 404


def test_how_much_of_a_body_is_kept(start):
    server = start("--explain-bytes", "50000")
    client, admin = Client(server), Admin(server)
    client.create_table("things")

    def kept(size):
        answer = client.send("PutItem", {"TableName": "things", "Item": {"pk": {"S": "a"}, "text": {"S": "x" * size}}})
        assert answer.status == 200
        return admin.ok("requests/" + answer.get("x-amzn-RequestId"))

    whole = kept(40_000)
    assert len(whole["request"]) == whole["request_bytes"] > 40_000 and "cut" not in whole
    assert whole["items"] == [{"table": "things", "key": {"pk": {"S": "a"}}, "bytes": 40_007}]
    cut = kept(60_000)
    assert len(cut["request"]) == 50_000 < cut["request_bytes"] and cut["cut"] is True
    assert admin.ok("info")["limits"]["explain_bytes"] == 50_000
    client, admin = Client(server := start("--explain-bytes", "256")), Admin(server)
    client.create_table("things")
    assert len(kept(300)["request"]) == 256 and "cut" not in kept(10)


def test_who_sent_it_and_to_which_items(start):
    server = start()
    client, admin = Client(server), Admin(server)
    client.create_table("things")
    client.headers["User-Agent"] = "a\tprogram/1.0 " + "x" * 200
    actions = [{"PutRequest": {"Item": {"pk": {"S": f"{n:02}"}}}} for n in range(12)]
    client.ok("BatchWriteItem", RequestItems={"things": actions})
    client.ok("DeleteItem", TableName="things", Key={"pk": {"S": "00"}})
    client.ok("Scan", TableName="things")
    scan, delete, batch = listed(admin)[:3]
    assert scan["client"]["agent"].startswith("a") and "program/1.0 xxx" in scan["client"]["agent"]
    assert len(scan["client"]["agent"]) < 140 and "items" not in scan
    assert delete["items"] == [{"table": "things", "key": {"pk": {"S": "00"}}}]
    assert batch["items"] == [{"table": "things", "key": {"pk": {"S": f"{n:02}"}}, "bytes": 4} for n in range(10)]


def with_indexes(name):
    """A table with a global index by g and a local one by l; few attributes are in the global one."""
    def key(*names):
        return [{"AttributeName": one, "KeyType": kind} for one, kind in zip(names, ("HASH", "RANGE"))]
    return {"TableName": name, "BillingMode": "PAY_PER_REQUEST", "KeySchema": key("pk", "sk"),
            "AttributeDefinitions": [{"AttributeName": one, "AttributeType": "S"} for one in ("pk", "sk", "g", "l")],
            "GlobalSecondaryIndexes": [{"IndexName": "by_g", "KeySchema": key("g"),
                                        "Projection": {"ProjectionType": "KEYS_ONLY"}}],
            "LocalSecondaryIndexes": [{"IndexName": "by_l", "KeySchema": key("pk", "l"),
                                       "Projection": {"ProjectionType": "ALL"}}]}


def told_by_index(answer):
    """(table, index, units) as the response's ConsumedCapacity has them."""
    consumed = answer["ConsumedCapacity"]
    return sorted((one["TableName"], index, units["CapacityUnits"])
                  for one in (consumed if isinstance(consumed, list) else [consumed])
                  for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
                  for index, units in one.get(member, {}).items())


def test_units_of_each_index(start):
    server = start()
    client, admin = Client(server), Admin(server)
    for name in ("first", "second"):
        client.ok("CreateTable", **with_indexes(name))
    long = "x" * 3000

    def item(number, **more):
        return {name: {"S": text} for name, text in
                {"pk": f"p{number}", "sk": "s", "g": "g", "l": f"l{number}", "long": long, **more}.items()}

    def lookup(number):
        return {"pk": {"S": f"p{number}"}, "sk": {"S": "s"}}
    puts = {name: [{"PutRequest": {"Item": item(n)}} for n in (2, 3)] for name in ("second", "first")}
    where = "WHERE pk = 'p1' AND sk = 's'"
    by = {"TableName": "first", "ExpressionAttributeValues": {":v": {"S": "g"}}}
    charged = (
        ("PutItem", {"TableName": "first", "Item": item(1)}),
        ("UpdateItem", {"TableName": "first", "Key": lookup(1), "UpdateExpression": "SET g = :v, l = :v",
                        "ExpressionAttributeValues": {":v": {"S": "other"}}}),
        ("BatchWriteItem", {"RequestItems": puts}),
        ("TransactWriteItems", {"TransactItems": [
            {"Put": {"TableName": name, "Item": item(4)}} for name in ("first", "second")]}),
        ("Query", {**by, "IndexName": "by_g", "KeyConditionExpression": "g = :v"}),
        # What the index does not have comes from the table.
        ("Query", {**by, "IndexName": "by_l", "KeyConditionExpression": "pk = :v"}),
        ("Scan", {"TableName": "second", "IndexName": "by_g"}),
        ("ExecuteStatement", {"Statement": 'SELECT * FROM "first"."by_g" WHERE g = \'g\''}),
        ("ExecuteStatement", {"Statement": f'UPDATE "first" SET g = \'third\' {where}'}),
        ("BatchExecuteStatement", {"Statements": [
            {"Statement": f'UPDATE "{name}" SET g = \'fourth\' WHERE pk = \'p2\' AND sk = \'s\''} for name in ("first", "second")]}),
        ("ExecuteTransaction", {"TransactStatements": [{"Statement": f'UPDATE "first" SET g = \'fifth\' {where}'}]}),
        ("DeleteItem", {"TableName": "first", "Key": lookup(1)}),
    )
    for operation, request in charged:
        answer = client.ok(operation, **request, ReturnConsumedCapacity="INDEXES")
        shown = listed(admin)[0]
        told = told_by_index(answer)
        assert told, operation
        assert sorted((one["table"], one["index"], one["units"]) for one in shown["indexes"]) == told, operation
        assert shown["units"] == sum(
            one["CapacityUnits"] for one in ([answer["ConsumedCapacity"]] if isinstance(answer["ConsumedCapacity"], dict)
                                             else answer["ConsumedCapacity"]))
    # Nothing of the kind is asked for here.
    answer = client.send("PutItem", {"TableName": "first", "Item": item(5)})
    assert admin.ok("requests/" + answer.get("x-amzn-RequestId"))["indexes"] == [
        {"table": "first", "index": "by_g", "units": 1.0}, {"table": "first", "index": "by_l", "units": 3.0}]
    for operation, request in (
            ("GetItem", {"TableName": "first", "Key": lookup(2)}),
            ("BatchGetItem", {"RequestItems": {"first": {"Keys": [lookup(2)]}}}),
            ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "first", "Key": lookup(2)}}]}),
            ("Scan", {"TableName": "first"}),
            ("ExecuteStatement", {"Statement": f'SELECT * FROM "first" {where}'})):
        client.ok(operation, **request)
        assert "indexes" not in listed(admin)[0] and listed(admin)[0]["units"] > 0, operation
    client.error("PutItem", TableName="first", Item=item(2), ConditionExpression="attribute_not_exists(pk)")
    assert "indexes" not in listed(admin)[0]


def test_bounds(start):
    server = start("--explain", "2")
    client, admin = Client(server), Admin(server)
    for _ in range(5):
        client.send("ListTables", {})
    assert len(listed(admin)) == 2
    off = Admin(start("--explain", "0")).send("requests")
    assert off.status == 404 and b"--explain 0" in off.body
