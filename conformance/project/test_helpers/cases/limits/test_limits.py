"""A run within its policy, and one that needs more. ../../test_limits.py reads the report."""

import json

import boto3
import pytest

POLICY = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": ["dynamodb:PutItem", "dynamodb:GetItem"], "Resource": "*"}]}
KEY = {"Id": {"S": "a"}}


def fill(limits):
    """Makes the table as the owner; returns a client with the policy."""
    boto3.client("dynamodb", **limits.owner).create_table(
        TableName="Limited", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "Id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "Id", "AttributeType": "S"}])
    client = boto3.client("dynamodb", **limits.database)
    client.put_item(TableName="Limited", Item=KEY)
    return client


def test_within(limited_stator):
    assert fill(limited_stator(json.dumps(POLICY))).get_item(TableName="Limited", Key=KEY)["Item"] == KEY


def test_needs_more(limited_stator):
    client = fill(limited_stator(POLICY))
    client.delete_item(TableName="Limited", Key=KEY)
    assert client.scan(TableName="Limited")["Items"] == []


def test_enforced(limited_stator):
    client = fill(limited_stator(POLICY, enforce=True))
    with pytest.raises(client.exceptions.ClientError, match="AccessDenied"):
        client.scan(TableName="Limited")
