"""Contributor insights with boto3: switching them on and off, the pages of the list, and a restart."""

import pytest

from admin import Admin
from conftest import make_client
from own_servers import start as start_server  # noqa: F401


def described(client, table, **members):
    answer = client.describe_contributor_insights(TableName=table, **members)
    del answer["ResponseMetadata"]
    return answer


def update(client, table, action, **members):
    answer = client.update_contributor_insights(TableName=table, ContributorInsightsAction=action, **members)
    return answer["ContributorInsightsStatus"]


def create(client, name, *indexes):
    attributes = [{"AttributeName": one, "AttributeType": "S"} for one in ("pk", *indexes)]
    members = {"GlobalSecondaryIndexes": [
        {"IndexName": f"by_{one}", "KeySchema": [{"AttributeName": one, "KeyType": "HASH"}],
         "Projection": {"ProjectionType": "ALL"}} for one in indexes]} if indexes else {}
    client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", AttributeDefinitions=attributes,
                        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}], **members)


def listed(client, **members):
    answer = client.list_contributor_insights(**members)
    return ([(one["TableName"], one.get("IndexName"), one["ContributorInsightsStatus"])
             for one in answer["ContributorInsightsSummaries"]], answer.get("NextToken"))


def test_a_table(dynamodb, new_table):
    name = new_table()
    assert described(dynamodb, name) == {"TableName": name, "ContributorInsightsStatus": "DISABLED"}
    arn = dynamodb.describe_table(TableName=name)["Table"]["TableArn"]
    assert update(dynamodb, arn, "ENABLE") == "ENABLING"
    told = described(dynamodb, arn)
    assert told["ContributorInsightsStatus"] == "ENABLED"
    assert told["LastUpdateDateTime"].tzinfo is not None
    assert told["ContributorInsightsRuleList"][0].startswith("DynamoDBContributorInsights-PKC-")
    assert update(dynamodb, name, "DISABLE") == "DISABLING"
    assert described(dynamodb, name)["ContributorInsightsStatus"] == "DISABLED"


def test_what_is_missing(dynamodb, new_table):
    missing = dynamodb.exceptions.ResourceNotFoundException
    with pytest.raises(missing, match="Table: NoSuch not found"):
        described(dynamodb, "NoSuch")
    name = new_table()
    with pytest.raises(missing, match=f"Index: none not found for table: {name}"):
        update(dynamodb, name, "ENABLE", IndexName="none")


def test_over_time_and_a_restart(start_server, tmp_path):
    """States follow the server's clock; what was set is kept with the table."""
    flags = ("--db-path", tmp_path, "--clock", "manual", "--control-plane-delay", "10")
    server = start_server(*flags)
    client, admin = make_client(server.endpoint), Admin(server)
    create(client, "Orders", "customer")
    create(client, "Parts")
    admin.move(advance="11s")
    assert update(client, "Orders", "ENABLE", IndexName="by_customer") == "ENABLING"
    assert update(client, "Parts", "ENABLE") == "ENABLING"
    pages = listed(client, MaxResults=1)
    assert pages[0] == [("Orders", "by_customer", "ENABLING")]
    assert listed(client, MaxResults=1, NextToken=pages[1]) == ([("Parts", None, "ENABLING")], None)
    admin.move(advance="10s")
    enabled = [("Orders", "by_customer", "ENABLED"), ("Parts", None, "ENABLED")]
    assert listed(client) == (enabled, None)
    told = described(client, "Orders", IndexName="by_customer")
    assert [rule.split("-")[1] for rule in told["ContributorInsightsRuleList"]] == ["PKC", "PKT"]

    server.stop()
    client = make_client(start_server(*flags).endpoint)
    assert listed(client) == (enabled, None)
    assert described(client, "Orders", IndexName="by_customer") == told
    assert described(client, "Orders")["ContributorInsightsStatus"] == "DISABLED"
