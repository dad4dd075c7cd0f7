"""`stator apply`: what files of the several formats leave open, and what one file says for another."""

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
