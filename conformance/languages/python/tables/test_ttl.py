"""Time to live with boto3: the setting as tools ask for it at their start, and what becomes of items."""

import time

import pytest
from botocore.exceptions import ClientError

from admin import Admin
from conftest import attributes, key_schema, make_client
from own_servers import start as start_server  # noqa: F401
from server_process import wait_until

FIVE_YEARS_S = 157_680_000


def status(client, name):
    return client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]


def switch(client, name, attribute="ttl", enabled=True):
    setting = {"AttributeName": attribute, "Enabled": enabled}
    answer = client.update_time_to_live(TableName=name, TimeToLiveSpecification=setting)
    assert answer["TimeToLiveSpecification"] == setting


def refused(message, call, *arguments):
    with pytest.raises(ClientError) as caught:
        call(*arguments)
    error = caught.value.response["Error"]
    assert (error["Code"], error["Message"]) == ("ValidationException", message)


def keys(client, name, index=None):
    members = {"IndexName": index} if index else {}
    return sorted(item["pk"]["S"] for item in client.scan(TableName=name, **members)["Items"])


def test_the_setting(dynamodb, new_table):
    name = new_table()
    assert status(dynamodb, name) == {"TimeToLiveStatus": "DISABLED"}
    refused("TimeToLive is already disabled", switch, dynamodb, name, "ttl", False)
    switch(dynamodb, name)
    assert status(dynamodb, name) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}
    refused("TimeToLive is already enabled", switch, dynamodb, name)
    different = "TimeToLive is active on a different AttributeName: current AttributeName is ttl"
    refused(different, switch, dynamodb, name, "other")
    refused(different, switch, dynamodb, name, "other", False)
    switch(dynamodb, name, enabled=False)
    assert status(dynamodb, name) == {"TimeToLiveStatus": "DISABLED"}


def test_by_arn(dynamodb, new_table):
    arn = dynamodb.describe_table(TableName=new_table())["Table"]["TableArn"]
    switch(dynamodb, arn)
    assert status(dynamodb, arn)["TimeToLiveStatus"] == "ENABLED"


def test_a_missing_table(dynamodb):
    for call in (switch, status):
        with pytest.raises(dynamodb.exceptions.ResourceNotFoundException) as caught:
            call(dynamodb, "py_never")
        assert caught.value.response["Error"]["Message"] == (
            "Requested resource not found: Table: py_never not found")


def test_what_expires_goes_and_the_rest_stays(dynamodb, new_table):
    name = new_table("pk:S g:S", KeySchema=key_schema("pk"), GlobalSecondaryIndexes=[
        {"IndexName": "by_g", "KeySchema": key_schema("g"), "Projection": {"ProjectionType": "ALL"}}])
    now = int(time.time())
    values = {"past": {"N": str(now - 60)}, "fraction": {"N": f"{now - 60}.5"}, "old": {"N": str(now - FIVE_YEARS_S - 60)},
              "later": {"N": str(now + 3600)}, "milliseconds": {"N": f"{now - 60}000"}, "text": {"S": str(now - 60)},
              "list": {"L": [{"N": str(now - 60)}]}, "zero": {"N": "0"}, "negative": {"N": "-1"}}
    for key, value in values.items():
        dynamodb.put_item(TableName=name, Item={"pk": {"S": key}, "g": {"S": "g"}, "ttl": value})
    dynamodb.put_item(TableName=name, Item={"pk": {"S": "none"}, "g": {"S": "g"}})
    assert len(keys(dynamodb, name)) == 10
    switch(dynamodb, name)
    left = sorted((*values.keys() - {"past", "fraction"}, "none"))
    wait_until(lambda: keys(dynamodb, name) == left, what="expired items gone")
    assert keys(dynamodb, name, "by_g") == left
    assert dynamodb.describe_table(TableName=name)["Table"]["ItemCount"] == len(left)


def test_celery_s_result_backend(dynamodb, new_table):
    """What celery.backends.dynamodb does at its start and with a result."""
    name = new_table("id:S")
    assert status(dynamodb, name)["TimeToLiveStatus"] in ("DISABLED", "DISABLING")
    switch(dynamodb, name)
    described = status(dynamodb, name)
    assert described["TimeToLiveStatus"] in ("ENABLED", "ENABLING") and described["AttributeName"] == "ttl"
    now = time.time()
    dynamodb.put_item(TableName=name, Item={
        "id": {"S": "celery-task-meta-1"}, "result": {"B": b"{}"}, "timestamp": {"N": str(now)},
        "ttl": {"N": str(int(now + 86400))}})
    assert dynamodb.get_item(TableName=name, Key={"id": {"S": "celery-task-meta-1"}})["Item"]["result"]["B"] == b"{}"
    # A worker that starts later finds it so, and one without a lifetime of results turns it off.
    assert status(dynamodb, name)["AttributeName"] == "ttl"
    switch(dynamodb, name, enabled=False)


def test_a_rate_limiter_s_window(dynamodb, new_table):
    """Expired counters are served until they are deleted: clients ask by a condition, as in the cloud."""
    name = new_table()
    switch(dynamodb, name)

    def hit(now):
        return dynamodb.update_item(
            TableName=name, Key={"pk": {"S": "caller"}}, ReturnValues="ALL_NEW",
            UpdateExpression="ADD hits :one SET #t = if_not_exists(#t, :end)",
            ConditionExpression="attribute_not_exists(#t) OR #t > :now",
            ExpressionAttributeNames={"#t": "ttl"},
            ExpressionAttributeValues={":one": {"N": "1"}, ":end": {"N": str(now + 3600)},
                                       ":now": {"N": str(now)}})["Attributes"]["hits"]["N"]

    now = int(time.time())
    assert [hit(now), hit(now)] == ["1", "2"]
    with pytest.raises(dynamodb.exceptions.ConditionalCheckFailedException):
        hit(now + 3600)


def create(client, name="things"):
    client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=key_schema("pk"),
                        AttributeDefinitions=attributes("pk:S"))


def test_over_a_kill(start_server, tmp_path):
    """Setting and entries are there again, and a build of entries goes on, after SIGKILL."""
    server = start_server("--db-path", tmp_path, "--ttl-delay", "86400")
    client = make_client(server.endpoint)
    create(client)
    past = str(int(time.time()) - 60)
    for first in range(0, 5000, 25):
        client.batch_write_item(RequestItems={"things": [
            {"PutRequest": {"Item": {"pk": {"S": str(n)}, "ttl": {"N": past}}}}
            for n in range(first, first + 25)]})
    switch(client, "things")
    server.kill()
    client = make_client(start_server("--db-path", tmp_path).endpoint)
    assert status(client, "things") == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}
    wait_until(lambda: client.scan(TableName="things", Select="COUNT")["Count"] == 0, what="all gone")


def test_flags(start_server):
    """Items are kept for --ttl-delay, and none goes by itself without --ttl-sweep-interval."""
    for flags in (("--ttl-delay", "3600"), ("--ttl-sweep-interval", "0")):
        client = make_client(start_server(*flags, "--ttl-cooldown", "3600").endpoint)
        create(client)
        switch(client, "things")
        refused("Time to live has been modified multiple times within a fixed interval",
                switch, client, "things", "ttl", False)
        client.put_item(TableName="things", Item={"pk": {"S": "a"}, "ttl": {"N": str(int(time.time()) - 60)}})
        assert keys(client, "things") == ["a"]


def test_the_clock_and_the_sweep(start_server):
    """With a clock that stands, items go when it is moved, or when a sweep is asked for."""
    server = start_server("--clock", "2027-01-01T00:00:00Z")
    client, admin = make_client(server.endpoint), Admin(server)
    begin = 1798761600
    create(client)
    create(client, "others")
    for name in ("things", "others"):
        switch(client, name)
        for days in range(1, 5):
            client.put_item(TableName=name, Item={"pk": {"S": str(days)},
                                                  "ttl": {"N": str(begin + days * 86400)}})
    admin.move(advance="1d")
    assert len(keys(client, "things")) == 4  # the second itself is not over
    admin.move(advance="1s")
    assert keys(client, "things") == keys(client, "others") == ["2", "3", "4"]
    assert admin.sweep() == 0
    switch(client, "others", enabled=False)
    admin.move(advance="52w")
    assert (keys(client, "things"), keys(client, "others")) == ([], ["2", "3", "4"])
    switch(client, "others")
    admin.sweep()  # of what the server has not deleted by itself yet
    assert keys(client, "others") == []


def test_a_sweep_that_is_asked_for(start_server):
    """It deletes what is expired whatever the flags say, and nothing else."""
    server = start_server("--ttl-delay", "3600", "--ttl-sweep-interval", "0")
    client, admin = make_client(server.endpoint), Admin(server)
    create(client)
    now = int(time.time())
    for key, offset in (("past", -60), ("later", 3600), ("old", -FIVE_YEARS_S - 60)):
        client.put_item(TableName="things", Item={"pk": {"S": key}, "ttl": {"N": str(now + offset)}})
    assert admin.sweep() == 0
    switch(client, "things")
    assert (admin.sweep(), admin.sweep()) == (1, 0)
    assert keys(client, "things") == ["later", "old"]
    assert admin.send("ttl/sweep", {"table": "things"}).status == 400
    assert admin.send("ttl/sweep").status == 404  # a table of this name
