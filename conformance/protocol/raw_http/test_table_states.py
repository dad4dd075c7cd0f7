"""Table states under --control-plane-delay and the errors of each state.

See conformance/observed/tables.md 4.
"""

import pytest

from admin import Admin
from client import Client

IN_USE = "Attempt to change a resource which is still in use: "
PROVISIONED = {"BillingMode": "PROVISIONED",
               "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}
MORE = {"ProvisionedThroughput": {"ReadCapacityUnits": 6, "WriteCapacityUnits": 6}}
SIMPLE = {"BillingMode": "PAY_PER_REQUEST",
          "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
          "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}
KEY = {"pk": {"S": "a"}}


def in_use(tail):
    return 400, "ResourceInUseException", IN_USE + tail


def statuses(client, name):
    """The state of a table now, just before an hour is over, and then; None stands for gone."""
    def status():
        answer = client.send("DescribeTable", {"TableName": name})
        return answer.json()["Table"]["TableStatus"] if answer.status == 200 else None

    seen = [status()]
    for step in ("59m", "1m"):
        Admin(client.server).move(advance=step)
        seen.append(status())
    return seen


def test_without_delay_the_next_call_sees_the_end(start):
    client = Client(start())
    assert client.create_table("now", **PROVISIONED)["TableStatus"] == "CREATING"
    assert client.describe("now")["TableStatus"] == "ACTIVE"
    answer = client.ok("UpdateTable", TableName="now", **MORE)
    assert answer["TableDescription"]["TableStatus"] == "UPDATING"
    assert client.describe("now")["TableStatus"] == "ACTIVE"
    deleted = client.ok("DeleteTable", TableName="now")["TableDescription"]
    assert deleted["TableStatus"] == "DELETING"
    assert client.error("DescribeTable", TableName="now")[1] == "ResourceNotFoundException"
    assert client.table_names() == []


def test_states_are_walked_through(start):
    client = Client(start("--control-plane-delay", "3600", "--clock", "manual"))
    index = {"IndexName": "idx", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
             "Projection": {"ProjectionType": "ALL"},
             "ProvisionedThroughput": PROVISIONED["ProvisionedThroughput"]}
    created = client.create_table("walk", GlobalSecondaryIndexes=[index], **PROVISIONED)
    assert created["TableStatus"] == "CREATING"
    assert client.describe("walk")["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"
    assert statuses(client, "walk") == ["CREATING", "CREATING", "ACTIVE"]
    assert client.describe("walk")["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"

    updated = client.ok("UpdateTable", TableName="walk", **MORE)["TableDescription"]
    assert updated["TableStatus"] == "UPDATING"
    assert updated["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    assert statuses(client, "walk") == ["UPDATING", "UPDATING", "ACTIVE"]
    assert client.describe("walk")["ProvisionedThroughput"]["ReadCapacityUnits"] == 6

    assert client.ok("DeleteTable", TableName="walk")["TableDescription"]["TableStatus"] == "DELETING"
    assert client.table_names() == ["walk"]
    assert statuses(client, "walk") == ["DELETING", "DELETING", None]
    assert client.table_names() == []


def test_states_end_by_themselves(start):
    client = Client(start("--control-plane-delay", "0.3"))
    client.create_table("brief")
    client.wait_active("brief")
    client.ok("DeleteTable", TableName="brief")
    client.wait_gone("brief")


def test_synchronous_changes_stay_active(start):
    client = Client(start("--control-plane-delay", "3600"))
    client.create_table("sync")
    Admin(client.server).move(advance="1h")
    answer = client.ok("UpdateTable", TableName="sync", DeletionProtectionEnabled=True)
    assert answer["TableDescription"]["TableStatus"] == "ACTIVE"
    assert client.describe("sync")["DeletionProtectionEnabled"] is True
    ceiling = {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 10}
    answer = client.ok("UpdateTable", TableName="sync", OnDemandThroughput=ceiling)
    assert answer["TableDescription"]["TableStatus"] == "ACTIVE"
    assert client.describe("sync")["OnDemandThroughput"] == ceiling


def test_creating(start):
    client = Client(start("--control-plane-delay", "3600"))
    arn = client.create_table("young", **PROVISIONED)["TableArn"]
    being_created = in_use("Table is being created: young")
    assert client.error("CreateTable", TableName="young", **SIMPLE) == being_created
    assert client.error("UpdateTable", TableName="young", **MORE) == being_created
    assert client.error("DeleteTable", TableName="young") == being_created
    not_found = (400, "ResourceNotFoundException", "Requested resource not found")
    assert client.error("PutItem", TableName="young", Item=KEY) == not_found
    assert client.error("GetItem", TableName="young", Key=KEY) == not_found
    assert client.error("DeleteItem", TableName="young", Key=KEY) == not_found
    no_arn = (400, "ResourceNotFoundException", f"Requested resource not found: ResourceArn: {arn} not found")
    assert client.error("TagResource", ResourceArn=arn, Tags=[{"Key": "k", "Value": "v"}]) == no_arn
    assert client.error("UntagResource", ResourceArn=arn, TagKeys=["k"]) == no_arn
    assert client.error("ListTagsOfResource", ResourceArn=arn) == no_arn
    assert client.table_names() == ["young"]


@pytest.fixture
def settled(start, tmp_path):
    """settled(name) is a client whose table was ACTIVE before changes began to take an hour."""
    def make(name):
        server = start("--db-path", tmp_path)
        client = Client(server)
        client.create_table(name, **PROVISIONED)
        client.ok("PutItem", TableName=name, Item=KEY)
        assert server.stop() == 0
        later = Client(start("--db-path", tmp_path, "--control-plane-delay", "3600"))
        assert later.describe(name)["TableStatus"] == "ACTIVE"
        return later

    return make


def test_updating(settled):
    client = settled("busy")
    client.ok("UpdateTable", TableName="busy", **MORE)
    assert client.describe("busy")["TableStatus"] == "UPDATING"
    assert client.error("DeleteTable", TableName="busy") == in_use(
        "Table: busy is in the process of being updated.")
    iops = in_use("Table IOPS are currently being updated. Table: busy")
    assert client.error("UpdateTable", TableName="busy", ProvisionedThroughput={
        "ReadCapacityUnits": 7, "WriteCapacityUnits": 7}) == iops
    assert client.error("UpdateTable", TableName="busy", BillingMode="PAY_PER_REQUEST") == iops
    assert client.error("UpdateTable", TableName="busy", DeletionProtectionEnabled=True) == (
        400, "ResourceInUseException",
        "Table needs to be in ACTIVE status to modify deletion protection setting.")
    item = {"pk": {"S": "b"}}
    client.ok("PutItem", TableName="busy", Item=item)
    assert client.ok("GetItem", TableName="busy", Key=item) == {"Item": item}
    client.ok("DeleteItem", TableName="busy", Key=item)
    arn = client.describe("busy")["TableArn"]
    client.ok("TagResource", ResourceArn=arn, Tags=[{"Key": "k", "Value": "v"}])
    assert client.ok("ListTagsOfResource", ResourceArn=arn)["Tags"] == [{"Key": "k", "Value": "v"}]


def test_deleting(settled):
    client = settled("dying")
    arn = client.describe("dying")["TableArn"]
    client.ok("DeleteTable", TableName="dying")
    assert client.describe("dying")["TableStatus"] == "DELETING"
    assert client.error("CreateTable", TableName="dying", **SIMPLE) == (
        400, "ResourceInUseException", "Table already exists: dying")
    going = in_use("Table is being deleted: dying")
    assert client.error("UpdateTable", TableName="dying", **MORE) == going
    assert client.error("DeleteTable", TableName="dying") == going
    not_found = (400, "ResourceNotFoundException", "Requested resource not found")
    assert client.error("GetItem", TableName="dying", Key=KEY) == not_found
    assert client.error("PutItem", TableName="dying", Item=KEY) == not_found
    assert client.error("TagResource", ResourceArn=arn, Tags=[{"Key": "k", "Value": "v"}]) == (
        400, "ResourceNotFoundException", f"Requested resource not found: ResourceArn: {arn} not found")
    assert client.table_names() == ["dying"]
