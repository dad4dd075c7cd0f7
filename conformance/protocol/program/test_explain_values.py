"""Hints that look at stored items, and at what a statement or a list leaves out (docs/explain.md)."""

import pytest

from client import Client
from raw_client import Connection, authorization, request
from server_process import given_endpoint
from test_explain import explained, hints

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

DIFFERENT = "values of different types are never equal, less or greater"
SCAN = ("The statement names no partition key with = or IN in its WHERE, so all of the table or the index is read, as "
        "by a Scan")
ALL_OLD = "ReturnValuesOnConditionCheckFailure=ALL_OLD answers with the item as it was"
KEY = {"pk": {"S": "a"}}


@pytest.fixture
def client(start):
    """A client of a server with table orders, key pk."""
    client = Client(start())
    client.create_table("orders")
    return client


def put(client, count=1, **attributes):
    for n in range(count):
        client.ok("PutItem", TableName="orders", Item={"pk": {"S": chr(ord("a") + n)}} | attributes)


def told(client, operation, **members):
    return hints(client.server, client, operation, TableName="orders", **members)


def told_of_filter(client, text, values, operation="Scan", **members):
    return told(client, operation, FilterExpression=text, ExpressionAttributeValues=values, **members)


NUMBER = {":t": {"N": "100"}}


def test_a_filter_of_another_type(client):
    put(client, 3, amount={"S": "150"}, m={"M": {"n": {"L": [{"N": "1"}]}}}, word={"S": "x"})
    several = f"In the 3 items looked at amount is S, :t is N: {DIFFERENT}"
    for text in ("amount > :t", ":t < amount", "amount IN (:t)", "amount BETWEEN :t AND :t",
                 "NOT amount > :t AND attribute_exists(word)"):
        assert told_of_filter(client, text, NUMBER) == [several], text
    assert told_of_filter(client, "begins_with(m.n[0], :s)", {":s": {"S": "1"}}) == [
        f"In the 3 items looked at m.n[0] is N, :s is S: {DIFFERENT}"]
    assert told(client, "Scan", ScanFilter={"amount": {
        "ComparisonOperator": "GT", "AttributeValueList": [{"N": "100"}]}}) == [
            f"In the 3 items looked at amount is S, 100 is N: {DIFFERENT}"]
    query = {"KeyConditionExpression": "pk = :p"}
    assert told_of_filter(client, "amount > :t", NUMBER | {":p": {"S": "a"}}, "Query", **query) == [several]
    # Nothing to say of what has the type, or has it too.
    assert told_of_filter(client, "amount > :s", {":s": {"S": "1"}}) == []
    client.ok("PutItem", TableName="orders", Item={"pk": {"S": "z"}, "amount": {"N": "1"}})
    assert told_of_filter(client, "amount > :t", NUMBER) == []
    assert told_of_filter(client, "amount = :b", {":b": {"BOOL": True}}) == [
        f"In the 4 items looked at amount is N or S, :b is BOOL: {DIFFERENT}"]


def test_how_far_is_looked(client):
    """A hundred items at most, whatever the table has."""
    items = [{"PutRequest": {"Item": {"pk": {"S": f"{n}"}, "amount": {"S": "1"}}}} for n in range(125)]
    for first in range(0, 125, 25):
        client.ok("BatchWriteItem", RequestItems={"orders": items[first:first + 25]})
    assert told_of_filter(client, "amount > :t", NUMBER)[0] == (
        f"In the 100 items looked at amount is S, :t is N: {DIFFERENT}")


def test_a_filter_on_what_no_item_has(client):
    assert told_of_filter(client, "amount > :t", NUMBER) == []  # no item at all
    put(client, amount={"N": "1"})
    assert told_of_filter(client, "Amount > :t", NUMBER) == [
        "The item looked at has no Amount, did you mean amount?"]
    put(client, 2, amount={"N": "1"})
    assert told_of_filter(client, "weight > :t OR Amount > :t", NUMBER) == [
        "None of the 2 items looked at has weight", "None of the 2 items looked at has Amount, did you mean amount?"]
    assert told(client, "Scan", FilterExpression="attribute_exists(m.weight)") == [
        "None of the 2 items looked at has m.weight"]
    # As is meant.
    assert told(client, "Scan", FilterExpression="attribute_not_exists(weight)") == []
    assert told_of_filter(client, "weight > :t OR amount < :t", NUMBER) == []


def test_the_values_of_a_condition_that_is_not_met(client):
    condition = {"ConditionExpression": "version = :v", "ExpressionAttributeValues": {":v": {"N": "2"}}}
    unmet = "The item, or that there was none, did not meet: version = :v"
    values = "n the item as it is now version is 1, :v is 2"
    assert told(client, "DeleteItem", Key=KEY, **condition) == [unmet, "There is no item with this key now", ALL_OLD]
    put(client, version={"N": "1"}, text={"S": "x" * 300})
    assert told(client, "DeleteItem", Key=KEY, **condition) == [unmet, "I" + values, ALL_OLD]
    assert told(client, "PutItem", Item=KEY, **condition) == [unmet, "I" + values, ALL_OLD]
    assert told(client, "UpdateItem", Key=KEY, **condition)[1] == "I" + values
    long = told(client, "PutItem", Item=KEY, ConditionExpression="attribute_not_exists(#t) OR m.a = #t",
                ExpressionAttributeNames={"#t": "text"})
    assert long[1] == 'In the item as it is now text is "' + "x" * 60 + "…, m.a is missing"
    assert "I" + values.split(",")[0] in told(client, "PutItem", Item=KEY,
                                              Expected={"version": {"Value": {"N": "2"}}})
    action = {"TableName": "orders", "Key": KEY}
    assert hints(client.server, client, "TransactWriteItems",
                 TransactItems=[{"ConditionCheck": action | condition}]) == [
        f"Action 1 of 1, ConditionCheck on 'orders': ConditionalCheckFailed, it asked for version = :v; i{values}"]


# An update, and what it lacks.
PARTS = {
    "SET m.b.c = :x": "The item has no m.b: SET it to a map first",
    "SET q.b = :x": "The item has no q: SET it to a map first",
    "SET q[0] = :x": "The item has no q: SET it to a list first",
    "SET m.l[0].z = :x": "m.l[0] is N, and no map",
    "SET m[0] = :x": "m is M, and no list",
    "REMOVE q.b": "The item has no q",
    "ADD m.b.c :x": "The item has no m.b: SET it to a map first",
    "SET n = q + :x": "The item has no q: if_not_exists(q, DEFAULT) gives it a value",
    "SET n = if_not_exists(w, q) + :x": "The item has no q: if_not_exists(q, DEFAULT) gives it a value",
    "SET n = n - m.b": "The item has no m.b: if_not_exists(m.b, DEFAULT) gives it a value",
}


@pytest.mark.parametrize("update", PARTS)
def test_the_missing_part_of_a_path(client, update):
    put(client, m={"M": {"l": {"L": [{"N": "1"}]}}}, n={"N": "1"})
    members = {"Key": KEY, "UpdateExpression": update}
    if ":x" in update:
        members["ExpressionAttributeValues"] = {":x": {"N": "1"}}
    assert told(client, "UpdateItem", **members) == [PARTS[update]]
    answer = client.send("TransactWriteItems", {"TransactItems": [{"Update": {"TableName": "orders"} | members}]})
    (hint,) = explained(client.server, answer)["hints"]
    text = PARTS[update]
    assert hint.endswith("; " + (text.replace("The", "the", 1) if text.startswith("The ") else text))


def time_to_live(text):
    return f"expires is the time to live of table 'orders': it is {text}"


MILLISECONDS = time_to_live("in seconds since 1970, and 1800000000000 looks like milliseconds, which is the year 59009")
STRING = time_to_live("a number of seconds since 1970, and an item that has it as S never expires")


def test_a_time_to_live_that_never_comes(client):
    wrong = {"expires": {"N": "1800000000000"}}
    put(client, **wrong)
    assert told(client, "PutItem", Item=KEY | wrong) == []  # it is no time to live yet
    client.ok("UpdateTimeToLive", TableName="orders",
              TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
    text = {"expires": {"S": "1800000000"}}
    for attributes, expected in ((wrong, [MILLISECONDS]), (text, [STRING]), ({"expires": {"N": "1800000000"}}, []),
                                 ({"another": {"S": "x"}}, [])):
        item = KEY | attributes
        assert told(client, "PutItem", Item=item) == expected
        assert hints(client.server, client, "BatchWriteItem",
                     RequestItems={"orders": [{"PutRequest": {"Item": item}}]}) == expected
        assert hints(client.server, client, "TransactWriteItems",
                     TransactItems=[{"Put": {"TableName": "orders", "Item": item}}]) == expected
    values = {"ExpressionAttributeValues": {":e": wrong["expires"]}}
    for update in ("SET expires = :e", "SET a = :e, expires = if_not_exists(expires, :e)"):
        assert told(client, "UpdateItem", Key=KEY, UpdateExpression=update, **values) == [MILLISECONDS]
    assert told(client, "UpdateItem", Key=KEY, UpdateExpression="SET another = :e", **values) == []
    assert told(client, "UpdateItem", Key=KEY, AttributeUpdates={"expires": {"Value": text["expires"]}}) == [STRING]


def test_an_empty_list_of_tables(start):
    server = start()
    client = Client(server)
    assert hints(server, client, "ListTables") == []
    client.create_table("orders")
    assert hints(server, client, "ListTables") == []
    assert hints(server, Client(server, region="eu-west-1"), "ListTables") == [
        "There are no tables for Region eu-west-1, but there are for Region us-east-1"]
    keyed = start("--isolate", "key")
    Client(keyed, key="one").create_table("orders")
    assert hints(keyed, Client(keyed, key="two"), "ListTables") == [
        "There are no tables for access key and Region two/us-east-1, but there are for access key and Region "
        "one/us-east-1"]


def quotes(text):
    return f"\"{text}\" in double quotes is the name of an attribute: a string is '{text}'"


STATEMENTS = {
    'SELECT * FROM orders WHERE pk = "alice"': [quotes("alice"), "The item looked at has no alice", SCAN],
    'SELECT * FROM orders WHERE pk IN ["alice"]': [quotes("alice"), "The item looked at has no alice", SCAN],
    "INSERT INTO orders VALUE {'pk': \"b\"}": [quotes("b")],
    "UPDATE orders SET x=\"y\" WHERE pk='a'": [
        quotes("y"), "The item has no y: if_not_exists(y, DEFAULT) gives it a value"],
    "SELECT * FROM orders WHERE pk='a' LIMIT 5": [
        "A statement has no LIMIT: send Limit=5 beside Statement, which counts items before WHERE"],
    "SELECT COUNT(*) FROM orders": ["A statement has no COUNT: Query and Scan count with Select=COUNT"],
    "SELECT max(x) FROM orders": ["A statement has no COUNT, SUM, AVG, MIN or MAX: compute it from the items"],
    'SELECT * FROM "orders" WHERE "pk" = \'a\'': [],
    "SELECT * FROM orders WHERE": [],
}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_statements_have_not(client, statement):
    put(client)
    assert hints(client.server, client, "ExecuteStatement", Statement=statement) == STATEMENTS[statement]


def test_a_statement_of_a_batch(client):
    (_, hint) = hints(client.server, client, "BatchExecuteStatement", Statements=[
        {"Statement": "SELECT * FROM orders WHERE pk = 'a'"},
        {"Statement": "INSERT INTO orders VALUE {'pk': \"b\"}"}])
    assert hint == quotes("b")


def test_what_stored_items_have_for_statements(client):
    put(client, amount={"S": "150"}, version={"N": "1"}, m={"M": {}})

    def of(statement, *parameters):
        return hints(client.server, client, "ExecuteStatement", Statement=statement,
                     **({"Parameters": [*parameters]} if parameters else {}))

    assert of("SELECT * FROM orders WHERE pk = 'a' AND amount > 100") == [
        f"In the item looked at amount is S, 100 is N: {DIFFERENT}"]
    assert of("SELECT * FROM orders WHERE pk = ? AND amount > ?", KEY["pk"], {"N": "7"}) == [
        f"In the item looked at amount is S, 7 is N: {DIFFERENT}"]
    assert of("SELECT * FROM orders WHERE pk = 'a' AND weight > 100") == ["The item looked at has no weight"]
    for statement in ("UPDATE orders SET x = 1 WHERE pk = 'a' AND version = 2",
                      "DELETE FROM orders WHERE version = 2 AND pk = 'a'"):
        assert of(statement) == ["In the item as it is now version is 1", ALL_OLD]
    assert of("UPDATE orders SET x = 1 WHERE pk = 'b'") == ["There is no item with this key now", ALL_OLD]
    assert of("UPDATE orders SET m.b.c = 1 WHERE pk = 'a'") == ["The item has no m.b: SET it to a map first"]
    assert of("UPDATE orders SET x = y + 1 WHERE pk = 'a'") == [
        "The item has no y: if_not_exists(y, DEFAULT) gives it a value"]


OPERATIONS = {
    "CreateGlobalTable": "'CreateGlobalTable' is an operation of DynamoDB that is not built here: see docs/differences.md",
    "PutItems": "'PutItems' is no operation of DynamoDB, did you mean PutItem?",
    "Frobnicate": "'Frobnicate' is no operation of DynamoDB",
    "GetRecords": "'GetRecords' is built, but not with all that this request asks for, or not under the service that "
                  "X-Amz-Target names: see docs/differences.md",
}


NEW_TABLE = {"TableName": "more", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
             "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}
MEMBERS = {  # a member that is not built: the operation, the request
    "VectorIndexes": ("CreateTable", NEW_TABLE | {"VectorIndexes": [{"IndexName": "by-v"}]}),
    "GlobalTableSourceArn": (
        "CreateTable", NEW_TABLE | {"GlobalTableSourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/orders"}),
    "ReplicaUpdates": ("UpdateTable", {"TableName": "orders", "ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}),
    "MultiRegionConsistency": ("UpdateTable", {"TableName": "orders", "MultiRegionConsistency": "STRONG"}),
}


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_that_is_not_built(client, member):
    operation, body = MEMBERS[member]
    answer = client.send(operation, body)
    assert (answer.status, answer.json()) == (400, {"__type": "com.amazon.coral.service#UnknownOperationException"})
    told = explained(client.server, answer)
    assert told["hints"] == [f"'{operation}' is built, but not its member {member}: see docs/differences.md"]
    assert told["refused"] == {
        "rule": "members of the request are ones that there are here", "attribute": member,
        "expected": "a request without it", "given": f"{operation} with it"}
    client.send(operation, body)
    assert client.server.stop() == 0
    warnings = [line for line in client.server.log().splitlines() if " warning " in line]
    assert len(warnings) == 1
    assert f"unsupported member {member} of {operation}: returned UnknownOperationException" in warnings[0]


SERVICES = {
    "DynamoDB_20111205.GetItem": "'DynamoDB_20111205' is another version of the API; here it is DynamoDB_20120810",
    "Kinesis_20131202.Frobnicate": "'Kinesis_20131202' has no operation 'Frobnicate' here: see docs/differences.md",
}


@pytest.mark.parametrize("target", SERVICES)
def test_an_operation_of_another_service(client, target):
    with Connection(client.server) as connection:
        answer = connection.call("ListTables", {}, headers={"X-Amz-Target": target})
    told = explained(client.server, answer)
    assert (told["operation"], told["hints"]) == (target, [SERVICES[target]])
    assert client.server.stop() == 0
    assert f"unsupported operation {target}: returned" in client.server.log()


def test_an_operation_of_lambda_is_named_in_the_log(client):
    with Connection(client.server) as connection:
        for _ in range(2):
            answer = connection.exchange(request(None, b"{}", {
                "X-Amz-Target": None, "Authorization": authorization(service="lambda")}, "POST", "/2015-03-31/functions"))
            assert answer.status == 404
    assert client.server.stop() == 0
    warnings = [line for line in client.server.log().splitlines() if " warning " in line]
    assert len(warnings) == 1
    assert 'unsupported operation of Lambda, "POST /2015-03-31/functions": returned' in warnings[0]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_that_there_is_not(client, operation):
    assert hints(client.server, client, operation) == [OPERATIONS[operation]]
