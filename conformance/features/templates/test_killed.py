"""`stator apply` killed on its way, at each request that changes something, before it is decided and after: the next run ends
as if the first had never been stopped."""

import signal
import subprocess

import pytest

from server_process import STOP_DEADLINE_S, binary, clean_environment, wait_until
from table_content import by_key
from test_apply import CHANGED, CHANGED_IN_ORDER, READS, items_of_every_type, model, users

TWO_TABLES = {"Resources": {**users(**CHANGED)["Resources"], **{
    "Orders": {**users()["Resources"]["Users"], "Properties": {
        **users()["Resources"]["Users"]["Properties"], "TableName": "Orders",
        "ContributorInsightsSpecification": {"Enabled": True},
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
        "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": True}}}}}}
MADE_IN_ORDER = ["CreateTable", "UpdateTimeToLive", "CreateTable", "UpdateTimeToLive", "UpdateContinuousBackups",
                 "UpdateContributorInsights"]


def listed(world):
    """The ids of the last requests that were decided."""
    return [each["request_id"] for each in world.admin.ok("requests?show=all&last=1000")["requests"]]


def killed_at(world, operation, nth, when, *words):
    """Kills an apply of a.json whose nth request of this operation gets no answer."""
    world.admin.ok("faults", {"name": "r", "match": {"operation": operation}, "when": {"nth": nth},
                              "effect": {"drop": when, "how": "hang"}})
    running = subprocess.Popen([binary(), "apply", "a.json", *words, "--endpoint-url", world.server.endpoint],
                               cwd=world.program.folder, env=clean_environment(), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: world.admin.ok("faults/r")["fired"] == 1 or running.poll() is not None,
                   what=f"{operation} {nth} hangs")
        assert running.poll() is None, "it is killed on its way"
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait(STOP_DEADLINE_S)
    # A rule fires when the request begins; what it changes is there when it is listed. Batches are not waited for: no test
    # says which of their items are there.
    if when == "after" and operation != "BatchWriteItem":
        request = world.admin.ok("faults/r")["firings"][0]["request_id"]
        wait_until(lambda: request in listed(world), what=f"{operation} {nth} is done")
    world.admin.ok("faults/clear", {})


def changes_of_the_next_run(world):
    """The requests of the next apply that change something, after which a further one has no work."""
    before = world.seen()
    world.program.ends(0, "apply", "a.json")
    changes = [name for name in world.operations_since(before) if name not in READS]
    world.program.ends(0, "apply", "a.json", "--check")
    return changes


def described(world, *tables):
    """What the tables are, without what differs between two tables of one definition."""
    def plain(told):
        if isinstance(told, list):
            return sorted(map(plain, told), key=str)
        if not isinstance(told, dict):
            return told
        return {name: plain(value) for name, value in told.items()
                if not name.endswith(("Arn", "Id", "Label", "DateTime", "NumberOfDecreasesToday"))}

    return [(plain(world.client.describe(table)), world.ttl(table), world.tags(table)) for table in tables]


def places(operations):
    """Each request as its operation, which of that operation's it is, and its place among all."""
    return [(name, operations[:place + 1].count(name), place) for place, name in enumerate(operations)]


def name_of(value):
    return value if isinstance(value, str) else f"{value[0]} {value[1]}"


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", places(MADE_IN_ORDER), ids=name_of)
def test_killed_while_it_creates(world, step, when):
    operation, nth, place = step
    world.program.write("a.json", TWO_TABLES)
    killed_at(world, operation, nth, when)
    rest = changes_of_the_next_run(world)
    assert rest == MADE_IN_ORDER[place + (when == "after"):]
    assert set(world.client.table_names()) == {"Orders", "Users"}
    ended = described(world, "Orders", "Users")
    for table in ("Orders", "Users"):
        world.client.ok("DeleteTable", TableName=table)
    assert changes_of_the_next_run(world) == MADE_IN_ORDER
    assert described(world, "Orders", "Users") == ended


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", places(CHANGED_IN_ORDER), ids=name_of)
def test_killed_while_it_changes(world, step, when):
    operation, nth, place = step
    world.program.write("a.json", users())
    world.program.ends(0, "apply", "a.json")
    world.client.ok("PutItem", TableName="Users", Item={"id": {"S": "a"}})
    world.program.write("a.json", users(**CHANGED))
    killed_at(world, operation, nth, when)
    assert changes_of_the_next_run(world) == CHANGED_IN_ORDER[place + (when == "after"):]
    indexes = [index["IndexName"] for index in world.client.describe("Users")["GlobalSecondaryIndexes"]]
    assert sorted(indexes) == ["by-mail", "by-town"]
    assert (world.ttl("Users"), world.tags("Users")) == ("expires", {"team": "b"})
    assert world.client.ok("Scan", TableName="Users")["Count"] == 1


@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_while_a_table_changes_slowly(slow_world, when):
    """The table is not ACTIVE when the next run begins."""
    slow_world.program.write("a.json", users())
    slow_world.program.ends(0, "apply", "a.json")
    slow_world.program.write("a.json", users(**CHANGED))
    killed_at(slow_world, "UpdateTable", 3, when)
    assert changes_of_the_next_run(slow_world) == CHANGED_IN_ORDER[2 + (when == "after"):]
    indexes = [index["IndexName"] for index in slow_world.client.describe("Users")["GlobalSecondaryIndexes"]]
    assert sorted(indexes) == ["by-mail", "by-town"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("operation", ["CreateTable", "BatchWriteItem", "UntagResource"])
def test_killed_while_it_loads_items(world, operation, when):
    """Items are there once, and the mark of an unfinished table is gone."""
    items = items_of_every_type() + [{"pk": {"S": f"p{number}"}, "sk": {"S": "1"}} for number in range(200)]
    world.program.write("a.json", model("3.0", items))
    killed_at(world, operation, 2 if operation == "BatchWriteItem" else 1, when)
    changes_of_the_next_run(world)
    assert world.client.table_names() == ["Sample"]
    assert by_key(world.client.ok("Scan", TableName="Sample")["Items"]) == by_key(items)
    assert world.tags("Sample") == {}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("operation", ["DeleteTable", "CreateTable"])
def test_killed_while_it_replaces(world, operation, when):
    world.program.write("a.json", users())
    world.program.ends(0, "apply", "a.json")
    world.program.write("a.json", users("N"))
    killed_at(world, operation, 1, when, "--allow-replace")
    world.program.ends(0, "apply", "a.json", "--allow-replace")
    world.program.ends(0, "apply", "a.json", "--check")
    assert world.client.table_names() == ["Users"]
    assert world.client.describe("Users")["AttributeDefinitions"] == [{"AttributeName": "id", "AttributeType": "N"}]
