"""The calls of tools in their order: Terraform's provider, and CloudFormation's resource, by which SAM, the CDK and
the Serverless Framework make mappings."""

import json

import pytest

from called import BEGIN, Reply, World, function_flags
from lambda_api import Lambda
from own_servers import start  # noqa: F401
from server_process import wait_until

INSERTS = {"Filters": [{"Pattern": json.dumps({"eventName": ["INSERT"]})}]}
REMOVALS = {"Filters": [{"Pattern": json.dumps({"eventName": ["REMOVE"]})}]}


class Tool:
    """Waits as tools do: by reading until a state that passes by is over."""

    PASSING = ("Creating", "Enabling", "Disabling", "Updating")

    def __init__(self, world):
        self.world = world
        self.api = Lambda(world.server)

    def settled(self, uuid):
        def mapping():
            got = self.api.get(uuid)
            assert got.status == 200
            return got.body["State"] not in self.PASSING and got.body

        return wait_until(mapping, what="a state that stays")

    def read(self, uuid):
        """Also the tags: a provider that cannot read them fails."""
        mapping = self.settled(uuid)
        assert self.api.get(uuid).body == mapping
        tags = self.api.tags(mapping["EventSourceMappingArn"])
        assert tags.status == 200
        return mapping, tags.body["Tags"]

    def create(self, table, **members):
        made = self.api.create(EventSourceArn=self.world.stream(table), FunctionName="f", **members)
        assert (made.status, made.body["State"]) == (202, "Creating")
        return made.body["UUID"]

    def update(self, uuid, **members):
        """Returns the mapping as it is read afterwards."""
        changed = self.api.update(uuid, **members)
        assert changed.status == 202 and changed.body["State"] in self.PASSING
        return self.read(uuid)[0]

    def delete(self, uuid):
        def deleted():
            answer = self.api.delete(uuid)
            assert answer.status == 202 or answer.error == "ResourceInUseException"
            return answer.status == 202 and answer.body["State"] == "Deleting"

        wait_until(deleted, what="the deletion")
        wait_until(lambda: self.api.get(uuid).status == 404, what="the end of the mapping")


@pytest.fixture
def tool(start, functions):  # noqa: F811
    """With a delay, so that each state that passes by is seen."""
    return Tool(World(start(*function_flags(functions), "--control-plane-delay", "0.2", "--lambda-retry-backoff", "0"),
                      functions))


def test_terraform_removes_a_filter(tool, functions):
    world = tool.world
    table = world.table()
    uuid = tool.create(table, StartingPosition="TRIM_HORIZON", Enabled=True, FilterCriteria=REMOVALS)
    mapping, tags = tool.read(uuid)
    assert (mapping["State"], mapping["FilterCriteria"], tags) == ("Enabled", REMOVALS, {})
    world.put(table, "a")
    world.settle()
    assert functions.calls() == []
    assert tool.update(uuid, FilterCriteria=INSERTS)["FilterCriteria"] == INSERTS
    assert "FilterCriteria" not in tool.update(uuid, FilterCriteria={})
    world.put(table, "a", v=2)
    world.settle()
    assert functions.calls() == [["a"]]
    # An update of another argument does not name the filter.
    assert "FilterCriteria" not in tool.update(uuid, BatchSize=7)
    tool.delete(uuid)


def test_terraform_changes_the_other_arguments(tool):
    """Those that the provider in conformance/programs/terraform does not know yet, there and back."""
    changes = {"TumblingWindowInSeconds": (60, 0), "FunctionResponseTypes": (["ReportBatchItemFailures"], []),
               "DestinationConfig": ({"OnFailure": {"Destination": "arn:aws:sqs:us-east-1:000000000000:failed"}},
                                     {"OnFailure": {}}),
               "Enabled": (False, True), "FunctionName": ("g", "f")}
    uuid = tool.create(tool.world.table(), StartingPosition="LATEST", Enabled=True)
    before, _ = tool.read(uuid)
    for member, (there, back) in changes.items():
        sent = {"OnFailure": {"Destination": ""}} if member == "DestinationConfig" else back
        changed = tool.update(uuid, **{member: there})
        if member == "Enabled":
            assert changed["State"] == "Disabled"
        elif member == "FunctionName":
            assert changed["FunctionArn"].endswith(":function:g")
        else:
            assert changed[member] == there
        after = tool.update(uuid, **{member: sent})
        passing = ("LastModified",)
        assert {k: v for k, v in after.items() if k not in passing} == {
            k: v for k, v in before.items() if k not in passing}
    tool.delete(uuid)


def test_terraform_gives_a_mapping_a_window_and_takes_it_back(start, functions):  # noqa: F811
    world = World(start(*function_flags(functions), "--clock", BEGIN), functions)
    tool, table = Tool(world), world.table()
    functions.answer("f", lambda event, _: None if "window" not in event else Reply(200, {"state": {"calls": 1}}))
    uuid = tool.create(table, StartingPosition="TRIM_HORIZON", Enabled=True)
    tool.read(uuid)
    assert tool.update(uuid, TumblingWindowInSeconds=60)["TumblingWindowInSeconds"] == 60
    world.put(table, "a")
    world.settle()
    world.admin.move(advance="61s")
    assert [event["isFinalInvokeForWindow"] for event in functions.events["f"]] == [False, True]
    assert tool.update(uuid, TumblingWindowInSeconds=0)["TumblingWindowInSeconds"] == 0
    world.put(table, "b")
    world.settle()
    assert list(functions.events["f"][-1]) == ["Records"] and functions.calls()[-1] == ["b"]
    tool.delete(uuid)


def test_a_stack_of_sam(tool, functions):
    """`Events: Type: DynamoDB` of a function: made with the stack's tags, changed by the next deployment, removed."""
    world = tool.world
    table = world.table()
    tags = {"aws:cloudformation:stack-name": "shop", "team": "a"}
    uuid = tool.create(
        table, StartingPosition="TRIM_HORIZON", BatchSize=10, Enabled=True, MaximumBatchingWindowInSeconds=0,
        MaximumRetryAttempts=2, BisectBatchOnFunctionError=True, FunctionResponseTypes=["ReportBatchItemFailures"],
        FilterCriteria=INSERTS, Tags=tags,
        DestinationConfig={"OnFailure": {"Destination": "arn:aws:sqs:us-east-1:000000000000:failed"}})
    mapping, seen = tool.read(uuid)
    assert (mapping["State"], mapping["BatchSize"], seen) == ("Enabled", 10, tags)
    arn = mapping["EventSourceMappingArn"]
    stream = world.stream(table)
    listed = tool.api.send("GET", f"/2015-03-31/event-source-mappings/?EventSourceArn={stream}&FunctionName=f")
    assert [one["UUID"] for one in listed.body["EventSourceMappings"]] == [uuid]
    world.put(table, "a")
    world.put(table, "a", v=1)
    world.settle()
    assert functions.calls() == [["a"]]
    # The next deployment: other filters and tags.
    assert tool.update(uuid, BatchSize=5, FilterCriteria=REMOVALS)["BatchSize"] == 5
    assert tool.api.tags(arn, "POST", {"Tags": {"team": "b"}}).status == 204
    assert tool.api.tags(arn, "DELETE", query="?tagKeys=aws%3Acloudformation%3Astack-name").status == 204
    assert tool.read(uuid)[1] == {"team": "b"}
    world.db.delete_item(TableName=table, Key={"pk": {"S": "a"}})
    world.settle()
    assert functions.calls() == [["a"], ["a"]]
    # A roll-back of the stack, then its removal.
    assert tool.update(uuid, BatchSize=10, FilterCriteria=INSERTS)["FilterCriteria"] == INSERTS
    tool.delete(uuid)
    # The stack is made again.
    tool.delete(tool.create(table, StartingPosition="LATEST"))


@pytest.mark.parametrize("leaf, is_accepted", [
    ([{"numeric": ["=", 5]}], True),    # FilterRule.isEqual(5), which never matches a number of an item
    ([], False),                        # FilterRule.null()
    ([{"exists": True}], True),
    (["a", "b"], True),
])
def test_filters_as_the_cdk_writes_them(tool, functions, leaf, is_accepted):
    world = tool.world
    table = world.table()
    pattern = json.dumps({"dynamodb": {"NewImage": {"n": {"N": leaf}}}})
    made = tool.api.create(EventSourceArn=world.stream(table), FunctionName="f", StartingPosition="TRIM_HORIZON",
                           FilterCriteria={"Filters": [{"Pattern": pattern}]})
    if not is_accepted:
        assert (made.status, made.error) == (400, "InvalidParameterValueException")
        assert made.body["message"] == "Invalid filter pattern definition."
        return
    tool.read(made.body["UUID"])
    world.db.put_item(TableName=table, Item={"pk": {"S": "a"}, "n": {"N": "5"}})
    world.settle()
    assert functions.calls() == ([["a"]] if leaf == [{"exists": True}] else [])
