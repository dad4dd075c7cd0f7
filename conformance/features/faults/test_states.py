"""Eventually consistent reads that see a state of the past."""

import pytest

from admin import Admin
from client import Client

INDEX = {
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}],
    "GlobalSecondaryIndexes": [{"IndexName": "by_n", "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
                                "Projection": {"ProjectionType": "ALL"}}]}


class World:
    """A server whose time stands, with a table."""

    def __init__(self, start, *flags):
        server = start("--clock", "2027-01-01T00:00:00Z", *flags)
        self.admin, self.client = Admin(server), Client(server)
        self.admin.move(mode="manual")
        self.client.create_table("orders", **INDEX)

    def put(self, number):
        self.client.ok("PutItem", TableName="orders", Item={"pk": {"S": "a"}, "n": {"N": str(number)}})

    def rule(self, effect, name="r", **members):
        self.admin.ok("faults", {"name": name, "effect": effect, **members})

    def get(self, **members):
        item = self.client.ok("GetItem", TableName="orders", Key={"pk": {"S": "a"}}, **members).get("Item")
        return item and int(item["n"]["N"])

    def indexed(self, number):
        """How many items the index has with this number."""
        return self.client.ok("Query", TableName="orders", IndexName="by_n", KeyConditionExpression="n = :n",
                              ExpressionAttributeValues={":n": {"N": str(number)}})["Count"]


@pytest.fixture(params=[(), ("--eventual-read-lag", "1")], ids=["", "beside a lag"])
def world(start, request):
    world = World(start, *request.param)
    world.put(1)
    world.admin.move(advance="10s")
    return world


def test_an_eventual_read_is_old_until_the_time_has_passed(world):
    world.rule({"stale": "2s"})
    world.put(2)
    assert (world.get(), world.get(ConsistentRead=True)) == (1, 2)
    assert (world.indexed(1), world.indexed(2)) == (1, 0)
    world.admin.move(advance="1999ms")
    assert (world.get(), world.indexed(1)) == (1, 1)
    world.admin.move(advance="1ms")
    assert (world.get(), world.indexed(1), world.indexed(2)) == (2, 0, 1)


def test_all_reads_that_may_be_eventual_are_old(world):
    world.rule({"stale": "2s"})
    world.put(2)
    key = {"pk": {"S": "a"}}
    statement = "SELECT n FROM orders WHERE pk = 'a'"
    client = world.client
    answers = [
        client.ok("Scan", TableName="orders")["Items"][0],
        client.ok("Query", TableName="orders", KeyConditionExpression="pk = :p",
                  ExpressionAttributeValues={":p": {"S": "a"}})["Items"][0],
        client.ok("BatchGetItem", RequestItems={"orders": {"Keys": [key]}})["Responses"]["orders"][0],
        client.ok("ExecuteStatement", Statement=statement)["Items"][0],
        client.ok("BatchExecuteStatement", Statements=[{"Statement": statement}])["Responses"][0]["Item"]]
    assert [answer["n"]["N"] for answer in answers] == ["1"] * 5
    assert world.admin.ok("faults/r")["fired"] == 5
    answers = [
        client.ok("Scan", TableName="orders", ConsistentRead=True)["Items"][0],
        client.ok("TransactGetItems", TransactItems=[{"Get": {"TableName": "orders", "Key": key}}])["Responses"][0]["Item"],
        client.ok("ExecuteStatement", Statement=statement, ConsistentRead=True)["Items"][0]]
    assert [answer["n"]["N"] for answer in answers] == ["2"] * 3
    assert world.admin.ok("faults/r")["matched"] == 5  # the rule fits no consistent read


def test_a_rule_says_which_reads_are_old(world):
    world.rule({"stale": "1m"}, match={"operation": "Query"})
    world.rule({"stale": "5s"}, "often", match={"operation": "GetItem"}, when={"every": 2})
    world.put(2)
    assert [world.get() for _ in range(2)][1] == 1
    world.admin.move(advance="5s")
    assert [world.get() for _ in range(2)] == [2, 2]
    assert (world.indexed(1), world.indexed(2)) == (1, 0)
    world.admin.ok("faults/clear", {})
    assert (world.indexed(1), world.indexed(2)) == (0, 1)


def test_states_are_kept_from_the_rule_on(start):
    world = World(start)
    world.put(1)
    world.put(2)
    world.rule({"stale": "1h"})
    assert world.get() == 2
    world.put(3)
    assert world.get() == 2
    world.rule({"stale": "1s"})  # the rule of this name is replaced
    world.put(4)
    assert world.get() == 2
    world.admin.move(advance="1s")
    assert world.get() == 4


def test_explain_says_that_a_read_was_old(world):
    world.rule({"stale": "2s"})
    world.get()
    seen = [one for one in world.admin.ok("requests?show=all")["requests"] if "fault" in one][0]
    assert seen["fault"]["effect"] == "stale" and seen["status"] == 200


def test_a_rollback_ends_what_was_kept(world):
    world.rule({"stale": "1h"})
    world.admin.mark("before")
    world.put(2)
    world.admin.rollback("before")
    assert world.get() == 1
    world.put(3)
    assert (world.get(), world.get(ConsistentRead=True)) == (1, 3)


def test_the_preset(start):
    world = World(start)
    world.put(1)
    world.admin.ok("faults/presets/stale", {"argument": "1s"})
    world.put(2)
    assert world.get() == 1
    refused = world.admin.send("faults/presets/stale", {"argument": "soon"})
    assert refused.status == 400 and "stale: 'soon' is not a duration" in refused.json()["error"]
