"""`stator apply`: what templates ask becomes what the server has."""

import json
import socket

import pytest

from table_content import ATTRIBUTES, by_key
from world import World

READS = {"DescribeTable", "DescribeTimeToLive", "ListTagsOfResource", "DescribeContinuousBackups", "GetResourcePolicy",
         "DescribeContributorInsights", "DescribeKinesisStreamingDestination"}

ORDERS = """\
Parameters:
  Stage:
    Type: String
    Default: dev
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "orders-${Stage}"
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - {AttributeName: pk, AttributeType: S}
        - {AttributeName: sk, AttributeType: S}
        - {AttributeName: day, AttributeType: N}
      KeySchema:
        - {AttributeName: pk, KeyType: HASH}
        - {AttributeName: sk, KeyType: RANGE}
      GlobalSecondaryIndexes:
        - IndexName: by-day
          KeySchema: [{AttributeName: day, KeyType: HASH}]
          Projection: {ProjectionType: ALL}
      StreamSpecification: {StreamViewType: NEW_AND_OLD_IMAGES}
      TimeToLiveSpecification: {AttributeName: expires, Enabled: true}
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7}
      Tags: [{Key: team, Value: a}]
  Users:
    Type: AWS::DynamoDB::Table
    Properties:
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
      ProvisionedThroughput: {ReadCapacityUnits: 5, WriteCapacityUnits: 5}
"""


def users(key_type="S", **properties):
    """A template of one provisioned table."""
    return {"Resources": {"Users": {"Type": "AWS::DynamoDB::Table", "Properties": {
        "TableName": "Users",
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": key_type}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, **properties}}}}


CHANGED = {
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("id", "mail", "town")],
    "BillingMode": "PAY_PER_REQUEST",
    "ProvisionedThroughput": {"Ref": "AWS::NoValue"},
    "GlobalSecondaryIndexes": [
        {"IndexName": f"by-{name}", "KeySchema": [{"AttributeName": name, "KeyType": "HASH"}],
         "Projection": {"ProjectionType": "KEYS_ONLY"}} for name in ("mail", "town")],
    "StreamSpecification": {"StreamViewType": "NEW_IMAGE"},
    "TimeToLiveSpecification": {"AttributeName": "expires", "Enabled": True},
    "Tags": [{"Key": "team", "Value": "b"}],
}
CHANGED_IN_ORDER = ["UpdateTable"] * 4 + ["UpdateTimeToLive", "TagResource"]


def test_a_template_makes_its_tables_and_then_nothing(world):
    world.program.write("template.yaml", ORDERS)
    assert world.program.ends(0, "apply", "template.yaml") == [
        "+ orders-dev  on demand, pk S / sk S, 1 global index, stream NEW_AND_OLD_IMAGES, ttl expires",
        "+ Users       provisioned 5/5, id S",
        "Plan: 2 to create, 0 to update, 0 to replace, 0 unchanged",
        "orders-dev: created", "Users: created"]
    orders = world.client.describe("orders-dev")
    assert orders["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert [index["IndexName"] for index in orders["GlobalSecondaryIndexes"]] == ["by-day"]
    assert orders["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert world.tags("orders-dev") == {"team": "a"}
    assert world.ttl("orders-dev") == "expires"
    recovery = world.client.ok("DescribeContinuousBackups", TableName="orders-dev")
    recovery = recovery["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    assert (recovery["PointInTimeRecoveryStatus"], recovery["RecoveryPeriodInDays"]) == ("ENABLED", 7)
    assert world.client.describe("Users")["ProvisionedThroughput"]["ReadCapacityUnits"] == 5

    before = world.seen()
    assert world.program.ends(0, "apply", "template.yaml") == [
        "= orders-dev", "= Users", "Plan: 0 to create, 0 to update, 0 to replace, 2 unchanged"]
    operations = world.operations_since(before)
    assert operations and set(operations) <= READS
    world.program.ends(0, "apply", "template.yaml", "--check")


def test_a_plan_and_a_check_change_nothing(world):
    world.program.write("template.yaml", ORDERS)
    planned = world.program.ends(0, "apply", "template.yaml", "--plan")
    assert world.program.ends(3, "apply", "template.yaml", "--check") == planned
    assert planned[-1].startswith("Plan: 2 to create")
    assert world.client.table_names() == []


def test_names_and_parameters(world):
    world.program.write("template.yaml", ORDERS)
    world.program.write("params.json", [{"ParameterKey": "Stage", "ParameterValue": "test"}])
    assert world.program.ends(0, "apply", "template.yaml", "--params", "params.json", "--names", "stack",
                              "--stack-name", "shop", "--print-env") == ["ORDERS_TABLE=orders-test",
                                                                        "USERS_TABLE=shop-Users"]
    assert world.program.ends(0, "apply", "template.yaml", "--param", "Stage=x", "--name", "Users=people",
                              "--print-env") == ["ORDERS_TABLE=orders-x", "USERS_TABLE=people"]
    assert set(world.client.table_names()) == {"orders-test", "shop-Users", "orders-x", "people"}


def test_all_changes_of_one_edit(slow_world):
    world = slow_world
    world.program.write("a.json", users())
    world.program.ends(0, "apply", "a.json")
    world.program.write("a.json", users(**CHANGED))
    before = world.seen()
    lines = world.program.ends(0, "apply", "a.json")
    assert lines[0] == (
        "~ Users  BillingMode: PROVISIONED -> PAY_PER_REQUEST; GlobalSecondaryIndexes: + by-mail (mail S; KEYS_ONLY), "
        "+ by-town (town S; KEYS_ONLY); StreamSpecification: off -> NEW_IMAGE; ttl: off -> expires; Tags: + team=b")
    assert [name for name in world.operations_since(before) if name not in READS] == CHANGED_IN_ORDER
    world.program.ends(0, "apply", "a.json", "--check")
    assert world.ttl("Users") == "expires" and world.tags("Users") == {"team": "b"}

    # And back; an index that changes is built anew, and so is a stream.
    different = {**CHANGED, "StreamSpecification": {"StreamViewType": "KEYS_ONLY"}, "Tags": [],
                 "GlobalSecondaryIndexes": [{**CHANGED["GlobalSecondaryIndexes"][0],
                                             "Projection": {"ProjectionType": "ALL"}}],
                 "AttributeDefinitions": CHANGED["AttributeDefinitions"][:2],
                 "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": True}}
    world.program.write("a.json", users(**different))
    before = world.seen()
    world.program.ends(0, "apply", "a.json")
    assert [name for name in world.operations_since(before) if name not in READS] == [
        *["UpdateTable"] * 5, "UpdateTimeToLive", "UpdateTimeToLive", "UntagResource"]
    world.program.ends(0, "apply", "a.json", "--check")
    assert world.ttl("Users") == "until" and world.tags("Users") == {}


@pytest.mark.parametrize("number", range(len(CHANGED_IN_ORDER)))
def test_an_update_that_failed_goes_on(world, number):
    world.program.write("a.json", users())
    world.program.ends(0, "apply", "a.json")
    world.program.write("a.json", users(**CHANGED))
    operation = CHANGED_IN_ORDER[number]
    world.fail(operation, nth=CHANGED_IN_ORDER[:number + 1].count(operation))
    complaints = world.program.complaints(1, "apply", "a.json")
    assert complaints[0] == "stator: Users: not complete, run it again"
    assert world.failures() == 1
    before = world.seen()
    world.program.ends(0, "apply", "a.json")
    assert [name for name in world.operations_since(before) if name not in READS] == CHANGED_IN_ORDER[number:]
    world.program.ends(0, "apply", "a.json", "--check")


# --- Contributor insights ----------------------------------------------------------------------------

def insighted(table, index):
    """A table with an index, and insights of each; None is not said."""
    def told(is_enabled):
        return {} if is_enabled is None else {"ContributorInsightsSpecification": {"Enabled": is_enabled}}
    return users(
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("id", "mail")],
        BillingMode="PAY_PER_REQUEST", ProvisionedThroughput={"Ref": "AWS::NoValue"},
        GlobalSecondaryIndexes=[{"IndexName": "by-mail", "KeySchema": [{"AttributeName": "mail", "KeyType": "HASH"}],
                                 "Projection": {"ProjectionType": "ALL"}, **told(index)}], **told(table))


def insights(world):
    """Of the table, of its index."""
    return [world.client.ok("DescribeContributorInsights", TableName="Users", **index)["ContributorInsightsStatus"]
            for index in ({}, {"IndexName": "by-mail"})]


def changed_by(world, template):
    """The first line of an apply, and the requests that changed something; the next apply has no work."""
    world.program.write("a.json", template)
    before = world.seen()
    line = world.program.ends(0, "apply", "a.json")[0]
    changes = [name for name in world.operations_since(before) if name not in READS]
    before = world.seen()
    assert world.program.ends(0, "apply", "a.json")[0] == "= Users"
    assert set(world.operations_since(before)) <= READS
    return line, changes


def test_contributor_insights(world):
    update = "UpdateContributorInsights"
    _, changes = changed_by(world, insighted(True, True))
    assert changes == ["CreateTable", update, update]
    assert insights(world) == ["ENABLED", "ENABLED"]
    # What the file does not say is not asked, and stays.
    before = world.seen()
    assert changed_by(world, insighted(None, None)) == ("= Users", [])
    assert "DescribeContributorInsights" not in world.operations_since(before)
    assert insights(world) == ["ENABLED", "ENABLED"]
    assert changed_by(world, insighted(False, True)) == ("~ Users  insights: on -> off", [update])
    assert insights(world) == ["DISABLED", "ENABLED"]
    assert changed_by(world, insighted(True, False)) == (
        "~ Users  insights: off -> on, by-mail on -> off", [update, update])
    assert insights(world) == ["ENABLED", "DISABLED"]
    # An index that is made by the update.
    without = users(AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                    BillingMode="PAY_PER_REQUEST", ProvisionedThroughput={"Ref": "AWS::NoValue"})
    changed_by(world, without)
    assert changed_by(world, insighted(True, True)) == (
        "~ Users  GlobalSecondaryIndexes: + by-mail (mail S; ALL); insights: by-mail off -> on",
        ["UpdateTable", update])
    assert insights(world) == ["ENABLED", "ENABLED"]
    # The difference from a file is that of the plan.
    world.program.write("a.json", insighted(False, True))
    assert world.program.ends(3, "schema", "diff", f"endpoint:{world.server.endpoint}", "a.json")[0] == (
        "~ Users  insights: on -> off")


def test_an_endpoint_without_contributor_insights(world):
    world.admin.ok("faults", {"name": "none", "match": {"operation": "*ContributorInsights"}, "effect": {
        "error": {"type": "UnknownOperationException", "message": "as the test asks", "any": True}}})
    _, changes = changed_by(world, insighted(True, True))
    assert changes[0] == "CreateTable"


# --- Replacements ------------------------------------------------------------------------------------

def test_a_replacement_must_be_allowed(world):
    world.program.write("a.json", users())
    world.program.ends(0, "apply", "a.json")
    world.client.ok("PutItem", TableName="Users", Item={"id": {"S": "a"}})
    world.program.write("a.json", users("N", Tags=[{"Key": "a", "Value": "b"}]))
    done = world.program.run("apply", "a.json")
    assert done.returncode == 3
    assert "KeySchema: id S -> id N" in done.stdout and "a replacement loses 1 item (--allow-replace)" in done.stdout
    assert "nothing was changed" in done.stderr
    assert world.tags("Users") == {}
    assert world.client.ok("Scan", TableName="Users")["Count"] == 1
    assert world.program.ends(0, "apply", "a.json", "--allow-replace")[-1] == "Users: replaced"
    assert world.client.describe("Users")["AttributeDefinitions"] == [{"AttributeName": "id", "AttributeType": "N"}]
    assert world.client.ok("Scan", TableName="Users")["Count"] == 0


def test_a_protected_table_is_never_replaced(world):
    world.program.write("a.json", users(DeletionProtectionEnabled=True))
    world.program.ends(0, "apply", "a.json")
    world.program.write("a.json", users("N"))
    (complaint,) = world.program.complaints(3, "apply", "a.json", "--allow-replace")
    assert "DeletionProtection" in complaint
    assert world.client.describe("Users")["AttributeDefinitions"] == [{"AttributeName": "id", "AttributeType": "S"}]


def test_a_replacement_that_failed_goes_on(world):
    world.program.write("a.json", users())
    world.program.ends(0, "apply", "a.json")
    world.program.write("a.json", users("N"))
    world.fail("CreateTable")
    world.program.ends(1, "apply", "a.json", "--allow-replace")
    assert world.failures() == 1
    assert world.client.table_names() == []
    world.program.ends(0, "apply", "a.json")
    world.program.ends(0, "apply", "a.json", "--check")


def test_other_tables_stay(world):
    world.client.create_table("other")
    world.program.write("a.json", users())
    world.program.ends(0, "apply", "a.json", "--allow-replace")
    assert set(world.client.table_names()) == {"other", "Users"}


# --- Tables that no file names any more ----------------------------------------------------------------

def tagged(world, name, **members):
    world.client.create_table(name, Tags=[{"Key": "stack", "Value": "a"}, {"Key": "of", "Value": name}], **members)


def test_tables_that_no_file_names_are_deleted_by_their_tag(world):
    tagged(world, "Old")
    world.client.ok("PutItem", TableName="Old", Item={"pk": {"S": "a"}})
    world.client.create_table("Other", Tags=[{"Key": "stack", "Value": "b"}])
    world.client.create_table("Plain")
    world.program.write("a.json", users(Tags=[{"Key": "stack", "Value": "a"}]))
    world.program.ends(0, "apply", "a.json")
    prune = ["apply", "a.json", "--prune", "--tag", "stack=a"]
    assert world.program.ends(0, *prune, "--tag", "of=New")[-1] == "Plan: 0 to create, 0 to update, 0 to replace, 1 unchanged"
    assert world.program.ends(3, *prune, "--check")[1:] == [
        "- Old    a deletion loses 1 item", "Plan: 0 to create, 0 to update, 0 to replace, 1 unchanged, 1 to delete"]
    told = json.loads("\n".join(world.program.ends(0, *prune, "--plan", "--output", "json")))
    assert (told["delete"], told["tables"][1]) == (1, {"name": "Old", "action": "delete", "lostItems": 1, "locked": False})
    assert set(world.client.table_names()) == {"Old", "Other", "Plain", "Users"}
    assert world.program.ends(0, *prune)[-1] == "Old: deleted"
    assert set(world.client.table_names()) == {"Other", "Plain", "Users"}
    assert world.program.ends(0, *prune, "--check")[-1].endswith("1 unchanged")


def test_a_protected_table_is_never_pruned(world):
    tagged(world, "Old", DeletionProtectionEnabled=True)
    world.program.write("a.json", users())
    (complaint,) = world.program.complaints(3, "apply", "a.json", "--prune", "--tag", "stack=a")
    assert "Old has DeletionProtection, so it is not deleted" in complaint
    assert world.client.table_names() == ["Old"]


def test_pruning_needs_a_tag(world):
    world.program.write("a.json", users())
    for words, told in ((["--prune"], "--prune: needs --tag"), (["--tag", "a=b"], "--tag: goes with --prune"),
                        (["--prune", "--tag", "a"], "'a' is not NAME=VALUE")):
        (complaint,) = world.program.complaints(2, "apply", "a.json", *words)
        assert told in complaint
    assert world.client.table_names() == []


# --- Which endpoint ----------------------------------------------------------------------------------

def test_an_endpoint_elsewhere_needs_a_yes(start, tmp_path):
    name = socket.gethostname()
    try:
        socket.getaddrinfo(name, None)
    except OSError:
        pytest.skip("this machine's name has no address")
    world = World(start("--host", "*"), tmp_path)
    elsewhere = f"http://{name}:{world.server.port}"
    world.program.write("a.json", users())
    done = world.program.run("apply", "a.json", endpoint=elsewhere)
    assert done.returncode == 2
    assert "Plan: 1 to create" in done.stdout and "--yes" in done.stderr
    assert world.client.table_names() == []
    world.program.ends(0, "apply", "a.json", "--plan", endpoint=elsewhere)
    world.program.ends(0, "apply", "a.json", "--yes", endpoint=elsewhere)
    world.program.ends(0, "apply", "a.json", endpoint=elsewhere)  # nothing to do
    assert world.client.table_names() == ["Users"]


# --- Items -------------------------------------------------------------------------------------------

def model(version, items):
    """A model of NoSQL Workbench."""
    return {"ModelName": "m", "ModelMetadata": {"Version": version}, "DataModel": [{
        "TableName": "Sample", "NonKeyAttributes": [], "TableFacets": [],
        "KeyAttributes": {"PartitionKey": {"AttributeName": "pk", "AttributeType": "S"},
                          "SortKey": {"AttributeName": "sk", "AttributeType": "S"}},
        "TableData": items}]}


def items_of_every_type():
    return [{"pk": {"S": f"only {name}"}, "sk": {"S": "1"}, name: value} for name, value in ATTRIBUTES.items()]


@pytest.mark.parametrize("version", ["1.1", "2.0", "3.0"])
def test_items_of_a_model(world, version):
    items = items_of_every_type()
    world.program.write("model.json", model(version, items))
    lines = world.program.ends(0, "apply", "model.json")
    assert lines[-1] == f"Sample: created, {len(items)} items"
    assert by_key(world.client.ok("Scan", TableName="Sample")["Items"]) == by_key(items)
    assert world.tags("Sample") == {}
    world.client.ok("DeleteItem", TableName="Sample", Key={name: items[0][name] for name in ("pk", "sk")})
    assert world.program.ends(0, "apply", "model.json")[0] == "= Sample"  # items are those of a new table


@pytest.mark.parametrize("operation", ["BatchWriteItem", "UntagResource"])
def test_items_that_failed_are_loaded_again(world, operation):
    items = items_of_every_type()
    world.program.write("model.json", model("3.0", items))
    world.fail(operation)
    world.program.ends(1, "apply", "model.json")
    assert world.failures() == 1
    assert "stator:seeding" in world.tags("Sample")
    assert world.program.ends(0, "apply", "model.json")[0] == "~ Sample  items: loading them did not end"
    assert by_key(world.client.ok("Scan", TableName="Sample")["Items"]) == by_key(items)
    assert world.tags("Sample") == {}
    world.program.ends(0, "apply", "model.json", "--check")


# --- Output and mistakes -----------------------------------------------------------------------------

def test_json(world):
    world.program.write("a.json", users())
    done = world.program.run("apply", "a.json", "--output", "json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["create"], told["applied"]) == (0, 1, True)
    assert told["tables"] == [{"name": "Users", "logicalId": "Users", "action": "create", "changes": [], "leftOut": []}]
    world.program.write("a.json", users("N"))
    done = world.program.run("apply", "a.json", "--output", "json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["applied"], told["replace"]) == (3, False, 1)
    assert told["tables"][0]["changes"] == [{"member": "KeySchema", "text": "id S -> id N"}]


def test_mistakes(world):
    world.program.write("template.yaml", ORDERS.replace("TableName: !Sub", "TableName: !Nope"))
    (complaint,) = world.program.complaints(2, "apply", "template.yaml")
    assert complaint.startswith("stator: template.yaml:9:")
    assert world.program.complaints(2, "apply", "missing.yaml")
    for words in (["apply"], ["apply", "a", "--param", "x"], ["apply", "a", "--names", "x"],
                  ["apply", "a", "--print-env", "--output", "json"], ["schema"], ["schema", "diff", "a"],
                  ["schema", "--as", "x"], ["schema", "T", "--as", "cli", "--output", "json"]):
        (complaint,) = world.program.complaints(2, *words)
        assert complaint.startswith("stator: ")
    world.program.write("a.json", users())
    assert world.program.complaints(1, "apply", "a.json", endpoint="http://localhost:1")
    # What only the endpoint can refuse.
    world.fail("CreateTable")
    assert world.program.complaints(1, "apply", "a.json")[0] == "stator: Users: not complete, run it again"
    assert world.failures() == 1


def broken_second():
    """A template whose first table is right; CreateTable refuses the others."""
    resources = users()["Resources"]
    unused = [{"AttributeName": name, "AttributeType": "S"} for name in ("id", "mail")]
    for name, change in (("T2", {}), ("Gold", {"TableClass": "GOLD"}), ("Spare", {"AttributeDefinitions": unused})):
        resources |= {name: users(TableName=name, **change)["Resources"]["Users"]}
    return {"Resources": resources}


def test_what_create_table_would_refuse_is_found_before_the_plan(world):
    world.program.write("a.json", broken_second())
    for words in (["apply", "a.json"], ["apply", "a.json", "--plan"], ["schema", "diff", "a.json", "a.json"]):
        first, second, third = world.program.complaints(2, *words)
        assert first.startswith("stator: a.json:") and "T2: 1 validation error detected: Value 'T2' at 'tableName'" in first
        assert "Gold: One or more parameter values were invalid: Invalid table-class parameter provided." in second
        assert "Spare: One or more parameter values were invalid: Number of attributes in KeySchema does not" in third
    assert world.client.table_names() == []
