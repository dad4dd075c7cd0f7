"""Tests of a project whose server the plugin starts as java."""

import boto3.dynamodb.conditions
import pytest
from botocore.exceptions import ClientError

SONGS = [{"artist": "Nina Simone", "title": title, "year": 1965} for title in ("Be My Husband", "Sinnerman")]


def test_items(dynamodb, dynamodb_proc, make_table, note_port):
    note_port(dynamodb_proc)
    table = make_table(dynamodb, "songs")
    for song in SONGS:
        table.put_item(Item=song)
    found = table.query(KeyConditionExpression=boto3.dynamodb.conditions.Key("artist").eq("Nina Simone"))
    assert found["Items"] == SONGS
    with pytest.raises(ClientError, match="ConditionalCheckFailedException"):
        table.put_item(Item=SONGS[0], ConditionExpression="attribute_not_exists(artist)")


def test_the_plugin_removed_the_table_of_the_test_before(dynamodb):
    assert [table.name for table in dynamodb.tables.all()] == []


def test_a_server_with_delays(delayed, delayed_proc, make_table, note_port):
    note_port(delayed_proc)
    assert "-delayTransientStatuses" in delayed_proc.command
    table = make_table(delayed, "songs")
    table.put_item(Item=SONGS[0])
    assert table.get_item(Key={"artist": "Nina Simone", "title": "Be My Husband"})["Item"] == SONGS[0]


def test_each_has_a_server_of_its_own(dynamodb, dynamodb_proc, delayed_proc):
    assert dynamodb_proc.port != delayed_proc.port
    assert [table.name for table in dynamodb.tables.all()] == []
