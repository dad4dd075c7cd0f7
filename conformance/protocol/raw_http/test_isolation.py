"""Regions and access keys (--isolate), ARNs, and the warning about a table elsewhere."""

import pytest

from client import Client

NOT_FOUND = (400, "ResourceNotFoundException", "Requested resource not found")


def clients(server):
    """Two regions, two access keys."""
    return {(region, key): Client(server, region, key)
            for region in ("us-east-1", "eu-west-1") for key in ("one", "two")}


def visible(server):
    return {who for who, client in clients(server).items() if client.table_names() == ["place"]}


@pytest.mark.parametrize("flags", [[], ["--isolate", "region"]])
def test_by_region(start, flags):
    server = start(*flags)
    clients(server)["us-east-1", "one"].create_table("place")
    assert visible(server) == {("us-east-1", "one"), ("us-east-1", "two")}


def test_by_key(start):
    server = start("--isolate", "key")
    clients(server)["us-east-1", "one"].create_table("place")
    assert visible(server) == {("us-east-1", "one")}


def test_not_at_all(start):
    server = start("--isolate", "none")
    everyone = clients(server)
    everyone["us-east-1", "one"].create_table("place")
    assert visible(server) == set(everyone)
    item = {"pk": {"S": "a"}}
    everyone["eu-west-1", "two"].ok("PutItem", TableName="place", Item=item)
    got = everyone["us-east-1", "one"].ok("GetItem", TableName="place", Key=item)
    assert got == {"Item": item}


def test_same_name_in_two_regions(start):
    server = start()
    tables = {}
    for region in ("us-east-1", "eu-west-1"):
        client = Client(server, region)
        tables[region] = client.create_table("twin")
        assert tables[region]["TableArn"] == f"arn:aws:dynamodb:{region}:000000000000:table/twin"
        client.ok("PutItem", TableName="twin", Item={"pk": {"S": "a"}, "from": {"S": region}})
    assert tables["us-east-1"]["TableId"] != tables["eu-west-1"]["TableId"]
    for region in tables:
        got = Client(server, region).ok("GetItem", TableName="twin", Key={"pk": {"S": "a"}})
        assert got["Item"]["from"] == {"S": region}
    Client(server, "eu-west-1").drop_table("twin")
    assert Client(server, "us-east-1").table_names() == ["twin"]


@pytest.mark.parametrize("region", ["us-east-1", "ap-southeast-2", "local-env", "ddblocal"])
def test_arns_carry_region_and_account(start, region):
    server = start("--account-id", "123456789012")
    client = Client(server, region)
    table = client.create_table("named", StreamSpecification={
        "StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    arn = f"arn:aws:dynamodb:{region}:123456789012:table/named"
    assert table["TableArn"] == arn
    assert table["LatestStreamArn"] == f"{arn}/stream/{table['LatestStreamLabel']}"
    item = {"pk": {"S": "a"}}
    client.ok("PutItem", TableName=arn, Item=item)
    assert client.ok("GetItem", TableName=arn, Key=item) == {"Item": item}
    assert client.ok("DescribeTable", TableName=arn)["Table"]["TableName"] == "named"


def test_a_table_elsewhere_is_one_warning_and_the_usual_answer(start):
    server = start("--log-level", "warn")
    Client(server, "us-east-1").create_table("elsewhere")
    other = Client(server, "eu-west-1")
    assert other.error("GetItem", TableName="elsewhere", Key={"pk": {"S": "a"}}) == NOT_FOUND
    lines = server.wait_for_log("elsewhere")
    assert len(lines) == 1
    assert "us-east-1" in lines[0] and "eu-west-1" in lines[0]
    assert other.error("GetItem", TableName="nowhere_at_all", Key={"pk": {"S": "a"}}) == NOT_FOUND
    assert other.error("DescribeTable", TableName="nowhere_at_all")[1] == "ResourceNotFoundException"
    assert server.stop() == 0
    assert "nowhere_at_all" not in server.log()


def test_a_table_under_another_key_is_a_warning_too(start):
    server = start("--isolate", "key")
    Client(server, key="one").create_table("guarded")
    assert Client(server, key="two").error("DescribeTable", TableName="guarded") == (
        400, "ResourceNotFoundException", "Requested resource not found: Table: guarded not found")
    assert len(server.wait_for_log("guarded")) == 1
