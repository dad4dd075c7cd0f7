"""The kinds of policies that the service's guide shows: for items, attributes and indexes, for statements of PartiQL,
and for transactions. Each allows what it says, and nothing more."""

import pytest

from guarded import ACCOUNT, allow, directory, policy, table_arn, user

TABLE, INDEX = table_arn("App"), table_arn("App") + "/index/by_other"
ITEM_ACTIONS = ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"]
SPECIFIC = {"dynamodb:Select": "SPECIFIC_ATTRIBUTES", "dynamodb:ReturnValues": ["NONE", "UPDATED_OLD", "UPDATED_NEW"]}
KEY = {"pk": {"S": "u1"}, "sk": {"S": "x"}}
OTHER = {"pk": {"S": "u2"}, "sk": {"S": "x"}}
ONE = {":v": {"N": "1"}}


def names(*listed):
    return {"ForAllValues:StringEquals": {"dynamodb:Attributes": list(listed)}}


class Client:
    """A client of the table App: what it may do, and what not."""

    def __init__(self, client, refused):
        self.client, self.refused = client, refused

    def __getattr__(self, name):
        call = getattr(self.client, name)
        return lambda **more: call(**({"TableName": "App", **more} if has_table(name) else more))

    def no(self, name, **more):
        self.refused("AccessDeniedException", getattr(self, name), **more)

    def run(self, statement):
        return self.client.execute_statement(Statement=statement)["Items"]

    def cannot_run(self, statement):
        self.refused("AccessDeniedException", self.client.execute_statement, Statement=statement)


def has_table(name):
    return not name.startswith(("batch", "transact", "execute"))


@pytest.fixture
def allowed(guard, refused):
    """allowed(*statements): a client of a user who has them."""
    def begin(*statements):
        guarded = guard(directory(user("u1", *statements)))
        guarded.table()
        for key in (KEY, OTHER):
            guarded.client().put_item(TableName="App", Item={**key, "owner_id": {"S": "o"}, "score": {"N": "1"},
                                                             "secret": {"S": "s"}})
        return Client(guarded.user("u1"), refused)
    return begin


def query(value="u1", **more):
    return {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": value}}, **more}


def test_items_of_one_partition_key(guard, refused):
    """Who comes by a federation has its identity as a variable."""
    own = allow(ITEM_ACTIONS, TABLE, {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${www.amazon.com:user_id}"]}})
    session = {"name": "web", "id": "ASIAWEB", "secret": "s" * 40, "token": "t" * 200,
               "context": {"www.amazon.com:user_id": "u1"}}
    guarded = guard(directory({"arn": f"arn:aws:iam::{ACCOUNT}:role/web", "policies": [policy(own)],
                               "sessions": [session]}))
    guarded.table()
    web = Client(guarded.client(session, token=session["token"]), refused)
    web.put_item(Item=KEY)
    assert web.get_item(Key=KEY)["Item"] == KEY
    assert web.query(**query())["Count"] == 1
    web.no("put_item", Item=OTHER)
    web.no("query", **query("u2"))
    web.no("scan")
    web.no("batch_get_item", RequestItems={"App": {"Keys": [KEY, OTHER]}})


def test_some_attributes_of_a_table(allowed):
    client = allowed(allow(["UpdateItem", "GetItem", "Query", "BatchGetItem", "Scan"], TABLE,
                           {**names("pk", "sk", "score"), "StringEqualsIfExists": SPECIFIC}))
    assert client.get_item(Key=KEY, ProjectionExpression="score")["Item"] == {"score": {"N": "1"}}
    assert client.scan(ProjectionExpression="pk, score")["Count"] == 2
    client.update_item(Key=KEY, UpdateExpression="SET score = :v", ExpressionAttributeValues=ONE,
                       ReturnValues="UPDATED_NEW")
    client.no("get_item", Key=KEY)
    client.no("get_item", Key=KEY, ProjectionExpression="secret")
    client.no("scan")
    client.no("scan", ProjectionExpression="pk", FilterExpression="attribute_exists(secret)")
    client.no("update_item", Key=KEY, UpdateExpression="SET score = :v", ExpressionAttributeValues=ONE,
              ReturnValues="ALL_NEW")
    client.no("update_item", Key=KEY, UpdateExpression="SET score = secret")


def test_updates_of_all_but_some_attributes(allowed):
    client = allowed(allow("UpdateItem", TABLE, {
        "ForAllValues:StringNotLike": {"dynamodb:Attributes": ["secret", "bonus*"]},
        "StringEquals": {"dynamodb:ReturnValues": ["NONE", "UPDATED_OLD", "UPDATED_NEW"]}}))
    client.update_item(Key=KEY, UpdateExpression="SET score = :v", ExpressionAttributeValues=ONE)
    client.no("update_item", Key=KEY, UpdateExpression="SET secret = :v", ExpressionAttributeValues=ONE)
    client.no("update_item", Key=KEY, UpdateExpression="SET bonus_1 = :v", ExpressionAttributeValues=ONE)
    client.no("update_item", Key=KEY, UpdateExpression="SET score = :v", ExpressionAttributeValues=ONE,
              ReturnValues="ALL_OLD")


def test_attributes_of_an_index(allowed):
    client = allowed(allow("Query", INDEX, {**names("owner_id", "score"), "StringEqualsIfExists": {
        "dynamodb:Select": "SPECIFIC_ATTRIBUTES"}}))
    of_index = {"IndexName": "by_other", "KeyConditionExpression": "owner_id = :p",
                "ExpressionAttributeValues": {":p": {"S": "o"}}}
    assert client.query(**of_index, ProjectionExpression="score")["Count"] == 2
    client.no("query", **of_index)
    client.no("query", **of_index, ProjectionExpression="secret")
    client.no("query", **of_index, Select="ALL_ATTRIBUTES")
    client.no("query", **query(), ProjectionExpression="score")


def test_some_attributes_of_one_partition_key(allowed):
    client = allowed(allow(["UpdateItem", "GetItem", "Query", "BatchGetItem"], TABLE, {
        "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"],
                                      "dynamodb:Attributes": ["pk", "sk", "score"]},
        "StringEqualsIfExists": SPECIFIC}))
    assert client.get_item(Key=KEY, ProjectionExpression="pk, score")["Item"]
    assert client.query(**query(ProjectionExpression="score"))["Count"] == 1
    client.no("get_item", Key=OTHER, ProjectionExpression="pk, score")
    client.no("get_item", Key=KEY, ProjectionExpression="secret")
    client.no("query", **query("u2", ProjectionExpression="score"))


SELECT, INSERT = "SELECT * FROM App WHERE pk = 'u1' AND sk = 'x'", "INSERT INTO App VALUE {'pk': 'n', 'sk': 'n'}"
UPDATE, DELETE = "UPDATE App SET score = 2 WHERE pk = 'u1' AND sk = 'x'", "DELETE FROM App WHERE pk = 'u1' AND sk = 'x'"
PARTIQL = ["PartiQLInsert", "PartiQLUpdate", "PartiQLDelete", "PartiQLSelect"]


def test_all_statements(allowed):
    client = allowed(allow(PARTIQL, TABLE))
    for statement in (SELECT, INSERT, UPDATE, DELETE):
        client.run(statement)
    client.cannot_run("SELECT * FROM App.by_other WHERE owner_id = 'o'")
    client.no("get_item", Key=KEY)


def test_statements_that_read(allowed):
    client = allowed(allow("PartiQLSelect", TABLE))
    assert len(client.run(SELECT)) == 1
    for statement in (INSERT, UPDATE, DELETE):
        client.cannot_run(statement)


def test_statements_on_an_index(allowed):
    """The guide has one for inserts, which are never on an index: it allows none."""
    client = allowed(allow("PartiQLInsert", INDEX))
    client.cannot_run(INSERT)
    client = allowed(allow("PartiQLSelect", INDEX))
    assert len(client.run("SELECT * FROM App.by_other WHERE owner_id = 'o'")) == 2
    client.cannot_run(SELECT)


IN_STATEMENTS = {"dynamodb:EnclosingOperation": ["ExecuteTransaction"]}


def test_statements_in_transactions_alone(allowed):
    client = allowed(allow(PARTIQL, TABLE, {"StringEquals": IN_STATEMENTS}))
    client.execute_transaction(TransactStatements=[{"Statement": UPDATE}, {"Statement": INSERT}])
    for statement in (SELECT, UPDATE):
        client.cannot_run(statement)


def test_statements_outside_of_transactions_alone(allowed):
    client = allowed(allow(PARTIQL, TABLE, {"StringEquals": IN_STATEMENTS}, Effect="Deny"), allow(PARTIQL, TABLE))
    for statement in (SELECT, UPDATE):
        client.run(statement)
    client.no("execute_transaction", TransactStatements=[{"Statement": UPDATE}])


def test_statements_that_read_all(allowed):
    client = allowed(allow("PartiQLSelect", TABLE, {"Bool": {"dynamodb:FullTableScan": ["true"]}}, Effect="Deny"),
                     allow("PartiQLSelect", [TABLE, TABLE + "/index/*"]))
    assert len(client.run(SELECT)) == 1
    for statement in ("SELECT * FROM App", "SELECT * FROM App WHERE score = 1", "SELECT * FROM App WHERE pk > 'a'"):
        client.cannot_run(statement)


CHECKED = ["ConditionCheckItem", "PutItem", "UpdateItem", "DeleteItem", "GetItem"]
IN_TRANSACTIONS = {"ForAnyValue:StringEquals": {
    "dynamodb:EnclosingOperation": ["TransactWriteItems", "TransactGetItems"]}}
WRITES = [{"Put": {"TableName": "App", "Item": KEY}},
          {"ConditionCheck": {"TableName": "App", "Key": OTHER, "ConditionExpression": "attribute_exists(pk)"}}]


def test_transactions(allowed):
    client = allowed(allow(CHECKED, TABLE))
    client.transact_write_items(TransactItems=WRITES)
    client.put_item(Item=KEY)


def test_transactions_alone(allowed):
    client = allowed(allow(CHECKED, TABLE, IN_TRANSACTIONS))
    client.transact_write_items(TransactItems=WRITES)
    client.transact_get_items(TransactItems=[{"Get": {"TableName": "App", "Key": KEY}}])
    client.no("put_item", Item=KEY)
    client.no("get_item", Key=KEY)


def test_no_transactions(allowed):
    client = allowed(allow(CHECKED, TABLE, IN_TRANSACTIONS, Effect="Deny"), allow(CHECKED[1:], TABLE))
    client.put_item(Item=KEY)
    client.get_item(Key=KEY)
    client.no("transact_write_items", TransactItems=WRITES[:1])
    client.no("transact_get_items", TransactItems=[{"Get": {"TableName": "App", "Key": KEY}}])
