"""`stator apply`: what files of the several formats leave open, and what one file says for another."""

import json

from client import Client

KEY = {"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
       "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}


def test_a_description_leaves_alone_what_it_does_not_say(world):
    """describe-table has no time to live, tags, recovery, policy, insights or destination in Kinesis."""
    client = world.client
    client.ok("CreateTable", TableName="Tab", BillingMode="PAY_PER_REQUEST", Tags=[{"Key": "team", "Value": "a"}], **KEY)
    client.ok("UpdateTimeToLive", TableName="Tab", TimeToLiveSpecification={"AttributeName": "expires", "Enabled": True})
    client.ok("UpdateContinuousBackups", TableName="Tab",
              PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    described = client.describe("Tab")
    for wrapped in (described, {"Table": described}, [described]):
        world.program.write("Tab.json", wrapped)
        assert world.program.ends(0, "apply", "Tab.json")[0] == "= Tab"
        world.program.ends(0, "schema", "diff", "Tab.json", "endpoint:" + world.server.endpoint)
    world.program.write("Tab.json", {**described, "DeletionProtectionEnabled": True})
    assert world.program.ends(0, "apply", "Tab.json")[0] == "~ Tab  DeletionProtectionEnabled: off -> on"
    assert (world.ttl("Tab"), world.tags("Tab")) == ("expires", {"team": "a"})
    recovery = client.ok("DescribeContinuousBackups", TableName="Tab")["ContinuousBackupsDescription"]
    assert recovery["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"

    # The input of create-table has tags, and may have a time to live of its own.
    table = {"TableName": "Tab", "BillingMode": "PAY_PER_REQUEST", "DeletionProtectionEnabled": True, **KEY}
    world.program.write("Tab.json", table)
    assert world.program.ends(0, "apply", "Tab.json")[0] == "~ Tab  Tags: - team"
    off = {"AttributeName": "expires", "Enabled": False}
    world.program.write("Tab.json", {**table, "TimeToLiveSpecification": off})
    assert world.program.ends(0, "apply", "Tab.json")[0] == "~ Tab  ttl: expires -> off"
    assert (world.ttl("Tab"), world.tags("Tab")) == (None, {})


def stack(name, **sections):
    """A template of one table with this name."""
    return {**sections, "Resources": {
        **sections.get("Resources", {}),
        "T": {"Type": "AWS::DynamoDB::Table", "Properties": {"TableName": name, "BillingMode": "PAY_PER_REQUEST", **KEY}}}}


def test_files_of_a_command_import_from_each_other(world):
    world.program.write("a.json", stack("first", Outputs={
        "Name": {"Value": {"Ref": "T"}, "Export": {"Name": {"Fn::Sub": "${AWS::StackName}:name"}}}}))
    world.program.write("b.json", stack({"Fn::Join": ["-", [{"Fn::ImportValue": "a:name"}, "second"]]}))
    for files in (("a.json", "b.json"), ("b.json", "a.json")):
        assert world.program.ends(0, "apply", *files)[-1].startswith(("first", "Plan: 0 to create"))
    assert set(world.client.table_names()) == {"first", "first-second"}

    world.program.write("b.json", stack({"Fn::ImportValue": "a:other"}))
    world.program.write("c.json", stack("third"))
    (told,) = world.program.complaints(2, "apply", "c.json", "a.json", "b.json")
    assert told.startswith("stator: b.json:1:") and told.endswith(
        ": T.TableName: no other file exports a:other: add the file that does, or --import-value a:other=VALUE")
    export = {"Name": {"Value": {"Ref": "T"}, "Export": {"Name": "b:name"}}}
    world.program.write("b.json", stack({"Fn::ImportValue": "a:name"}, Outputs=export))
    world.program.write("a.json", stack({"Fn::ImportValue": "b:name"}, Outputs={
        "Name": {"Value": {"Ref": "T"}, "Export": {"Name": "a:name"}}}))
    assert all(" refers to itself" in line for line in world.program.complaints(2, "apply", "c.json", "a.json", "b.json"))
    assert "third" not in world.client.table_names()


def cdk_output(folder):
    """As `cdk synth` writes a stack with a nested one, whose table has its name from the parent's."""
    out = folder / "cdk.out"
    out.mkdir()
    nested = stack({"Ref": "referencetoParentTRef"}, Parameters={"referencetoParentTRef": {"Type": "String"}})
    parent = stack("orders", Resources={"NestedStack": {
        "Type": "AWS::CloudFormation::Stack", "Metadata": {"aws:asset:path": "ParentNested1.nested.template.json"},
        "Properties": {"TemplateURL": {"Fn::Join": ["", ["https://s3.", {"Ref": "AWS::Region"}, "/x.json"]]},
                       "Parameters": {"referencetoParentTRef": {"Fn::Join": ["-", [{"Ref": "T"}, "archive"]]}}}}})
    for name, template in (("ParentNested1.nested.template.json", nested), ("Parent.template.json", parent)):
        (out / name).write_text(json.dumps(template))
    (out / "manifest.json").write_text('{"version":"1"}')
    return out


def test_nested_stacks_have_parameters_from_their_parents(world, start, tmp_path):  # noqa: F811
    out = cdk_output(tmp_path)
    world.program.ends(0, "apply", out)
    assert set(world.client.table_names()) == {"orders", "orders-archive"}
    seeded = Client(start("--seed", out))
    assert set(seeded.table_names()) == {"orders", "orders-archive"}
    seeded.close()
