"""Statements beside the native requests when there is no throughput: the same refusals, members of batches that fail
alone, reasons of transactions; and what is told where it is only observed."""

import pytest

from admin import Admin
from client import Client
from causes import BESIDE_ONE, CAUSES

KEY = {"pk": {"S": "one"}}
WHERE = "WHERE pk = 'one'"
OLD = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}
TOO_FAST = ("The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
            "provisioning level with the UpdateTable API.")
# A statement, and the request that does the same.
WRITES = {
    "INSERT": ("INSERT INTO Orders VALUE {'pk': 'one', 'n': 1}", "PutItem",
               {"Item": {**KEY, "n": {"N": "1"}}, "ConditionExpression": "attribute_not_exists(pk)"}),
    "UPDATE": (f"UPDATE Orders SET n = 1 {WHERE}", "UpdateItem",
               {"Key": KEY, "UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}),
    "DELETE": (f"DELETE FROM Orders {WHERE}", "DeleteItem", {"Key": KEY}),
}
QUERY = {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": "one"}}}
READS = {
    "lookup": (f"SELECT * FROM Orders {WHERE}", "GetItem", {"Key": KEY}),
    "Query": (f"SELECT * FROM Orders {WHERE} ORDER BY pk", "Query", QUERY),
    "Scan": ("SELECT * FROM Orders", "Scan", {}),
}


def put(client, key, size_kb, table="Orders"):
    """A write that leaves a debt when it is larger than what there is."""
    client.ok("PutItem", TableName=table, Item={"pk": {"S": key}, "filler": {"S": "x" * (size_kb * 1024 - 100)}})


def refusal(answer):
    assert answer.status == 400, answer.body
    return answer.json()


def execute(client, statement, **members):
    return client.send("ExecuteStatement", {"Statement": statement, **members})


@pytest.mark.parametrize("kind", WRITES)
@pytest.mark.parametrize("cause", CAUSES)
def test_writes_are_refused_as_requests_are(world, cause, kind):
    members, capacity, _, _, reason = CAUSES[cause]
    here = world(capacity)
    here.table("Orders", **members)
    client = Client(here.server)
    statement, operation, native = WRITES[kind]
    if kind == "UPDATE":  # refused by its condition otherwise
        put(client, "one", 1)
        here.wait(1)
    put(client, BESIDE_ONE, 8)
    expected = refusal(client.send(operation, {"TableName": "Orders", **native}))
    assert refusal(execute(client, statement)) == expected
    assert here.throttled("Orders") == {reason: 2}


@pytest.mark.parametrize("kind", READS)
def test_reads_are_refused_as_requests_are(world, kind):
    here = world()
    here.table("Orders", 1, 8)
    client = Client(here.server)
    statement, operation, native = READS[kind]
    put(client, "one", 8)
    assert execute(client, statement, ConsistentRead=True).status == 200
    expected = refusal(client.send(operation, {"TableName": "Orders", "ConsistentRead": True, **native}))
    assert refusal(execute(client, statement, ConsistentRead=True)) == expected
    told = here.told("Orders")["read"]
    assert told["throttled"] == {"TableReadProvisionedThroughputExceeded": 2}
    assert told["consumed_units"] == 2
    here.wait(10)
    assert execute(client, statement, ConsistentRead=True).json()["Items"][0]["pk"] == KEY["pk"]


def test_what_was_read_is_answered_and_the_rest_asked_for_again(world):
    here = world()
    here.table("Orders", 1, 16)
    client = Client(here.server)
    for key in ("one", "two"):
        put(client, key, 8)
    members = {"ConsistentRead": True}
    statement = "SELECT pk FROM Orders WHERE pk IN ['one', 'two']"
    first = execute(client, statement, **members).json()
    assert first["Items"] == [{"pk": {"S": "one"}}]
    members["NextToken"] = first["NextToken"]
    assert refusal(execute(client, statement, **members))["message"] == TOO_FAST
    here.wait(10)
    rest = execute(client, statement, **members).json()
    assert rest == {"Items": [{"pk": {"S": "two"}}]}


@pytest.mark.parametrize("cause, code", [("provisioned", "ProvisionedThroughputExceeded"), ("partition", "ThrottlingError"),
                                         ("maximum", "ThrottlingError"), ("quota", "RequestLimitExceeded")])
def test_members_of_batches_fail_alone(world, cause, code):
    members, capacity, _, _, reason = CAUSES[cause]
    here = world(capacity)
    here.table("Orders", **members)
    here.table("Calm", 50, 50)
    client = Client(here.server)
    put(client, BESIDE_ONE, 8)
    message = refusal(client.send("DeleteItem", {"TableName": "Orders", "Key": KEY}))["message"]
    statements = ["INSERT INTO Calm VALUE {'pk': 'a'}", "INSERT INTO Orders VALUE {'pk': 'one'}",
                  "INSERT INTO Calm VALUE {'pk': 'b'}"]
    answer = client.ok("BatchExecuteStatement", ReturnConsumedCapacity="TOTAL",
                       Statements=[{"Statement": text} for text in statements])
    assert answer == {"Responses": [{"TableName": "Calm"}, {"Error": {"Code": code, "Message": message},
                                                            "TableName": "Orders"}, {"TableName": "Calm"}],
                      "ConsumedCapacity": [{"TableName": "Calm", "CapacityUnits": 2.0}]}
    assert here.throttled("Orders") == {reason: 2}
    here.wait(60)
    assert client.ok("Scan", TableName="Calm")["Count"] == 2
    assert client.ok("GetItem", TableName="Orders", Key=KEY) == {}


def test_reads_of_batches_fail_alone(world):
    here = world()
    here.table("Orders", 1, 8)
    here.table("Calm", 50, 50)
    client = Client(here.server)
    for table in ("Orders", "Calm"):
        put(client, "one", 8, table)
    asked = [{"Statement": f"SELECT pk FROM {table} {WHERE}", "ConsistentRead": True} for table in ("Orders", "Calm")]
    assert all("Item" in one for one in client.ok("BatchExecuteStatement", Statements=asked)["Responses"])
    assert client.ok("BatchExecuteStatement", Statements=asked)["Responses"] == [
        {"Error": {"Code": "ProvisionedThroughputExceeded", "Message": TOO_FAST}, "TableName": "Orders"},
        {"TableName": "Calm", "Item": KEY}]


@pytest.mark.parametrize("cause", CAUSES)
def test_transactions_are_cancelled_as_transactions_are(world, cause):
    """The same reasons as TransactWriteItems has, and nothing is written."""
    members, capacity, _, _, _ = CAUSES[cause]
    here = world(capacity)
    here.table("Orders", **members)
    here.table("Calm", 50, 50)
    client = Client(here.server)
    put(client, BESIDE_ONE, 8)
    expected = refusal(client.send("TransactWriteItems", {"TransactItems": [
        {"Put": {"TableName": "Calm", "Item": KEY}}, {"Delete": {"TableName": "Orders", "Key": KEY}}]}))
    answer = refusal(client.send("ExecuteTransaction", {"TransactStatements": [
        {"Statement": "INSERT INTO Calm VALUE {'pk': 'one'}"}, {"Statement": f"DELETE FROM Orders {WHERE}"}]}))
    assert answer == expected
    assert [one["Code"] for one in answer["CancellationReasons"]][0] == "None"
    assert client.ok("GetItem", TableName="Calm", Key=KEY) == {}


def test_transactions_that_read(world):
    here = world()
    here.table("Orders", 1, 8)
    client = Client(here.server)
    put(client, "one", 8)
    read = {"TransactStatements": [{"Statement": f"SELECT pk FROM Orders {WHERE}"}]}
    assert client.ok("ExecuteTransaction", **read) == {"Responses": [{"Item": KEY}]}
    answer = refusal(client.send("ExecuteTransaction", read))
    assert answer["CancellationReasons"] == [{"Code": "ProvisionedThroughputExceeded", "Message": TOO_FAST}]


def test_observed_statements_are_served_and_told_of(standing):
    server = standing("observe", "initial-burst-seconds=1")
    client, admin = Client(server), Admin(server)
    client.create_table("Orders", **OLD)
    put(client, "one", 8)
    for statement in (f"UPDATE Orders SET n = 1 {WHERE}", f"SELECT * FROM Orders {WHERE}"):
        assert execute(client, statement, ConsistentRead=True).status == 200
    assert execute(client, f"SELECT * FROM Orders {WHERE}", ConsistentRead=True).status == 200
    answer = client.ok("BatchExecuteStatement", Statements=[{"Statement": f"UPDATE Orders SET n = 2 {WHERE}"}])
    assert answer == {"Responses": [{"TableName": "Orders"}]}
    client.ok("ExecuteTransaction", TransactStatements=[{"Statement": f"DELETE FROM Orders {WHERE}"}])
    (told,) = admin.ok("capacity")["tables"]
    assert told["write"]["throttled"] == {"TableWriteProvisionedThroughputExceeded": 3}
    assert told["read"]["throttled"] == {"TableReadProvisionedThroughputExceeded": 1}
