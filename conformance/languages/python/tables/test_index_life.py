"""Adding and removing global secondary indexes with UpdateTable, in a server of the test's own.

Phases last as long as --control-plane-delay says; the kill in the middle of a backfill needs a
table that takes many pieces to fill.
"""

import threading

import pytest
from botocore.exceptions import ClientError

from admin import Admin
from conftest import attributes, key_schema, make_client
from own_servers import start as start_server  # noqa: F401
from server_process import wait_until

IN_USE = "Attempt to change a resource which is still in use: "


@pytest.fixture
def start(start_server):
    """start(*flags) is a client of a server of the test's own."""
    def begin(*flags):
        server = start_server(*flags)
        client = make_client(server.endpoint)
        client.server = server
        return client

    return begin


def create_table(client, name="things"):
    client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=key_schema("pk"),
                        AttributeDefinitions=attributes("pk:S"))
    wait_until(lambda: describe(client, name)["TableStatus"] == "ACTIVE", what="ACTIVE")


def describe(client, name="things"):
    return client.describe_table(TableName=name)["Table"]


def state(client, name="things"):
    """(TableStatus, IndexStatus, Backfilling) of a table with at most one index."""
    table = describe(client, name)
    index = table.get("GlobalSecondaryIndexes", [{}])[0]
    return table["TableStatus"], index.get("IndexStatus"), index.get("Backfilling")


def states_until(client, end):
    """The distinct states seen until `end`, in order."""
    seen = []

    def step():
        now = state(client)
        if not seen or seen[-1] != now:
            seen.append(now)
        return now == end

    wait_until(step, what=str(end))
    return seen


def add_index(client, key="g:S", index="by_g", projection=None, name="things"):
    return client.update_table(
        TableName=name, AttributeDefinitions=attributes(key),
        GlobalSecondaryIndexUpdates=[{"Create": {
            "IndexName": index, "KeySchema": key_schema(key.split(":")[0]),
            "Projection": projection or {"ProjectionType": "ALL"}}}])["TableDescription"]


def remove_index(client, index="by_g", name="things"):
    return client.update_table(TableName=name, GlobalSecondaryIndexUpdates=[
        {"Delete": {"IndexName": index}}])["TableDescription"]


def fill(client, count, size=0, name="things"):
    """Items pk = 0…, two of three with the key attribute g."""
    for first in range(0, count, 25):
        requests = []
        for number in range(first, min(first + 25, count)):
            item = {"pk": {"S": str(number)}, "fill": {"S": "x" * size}}
            if number % 3:
                item["g"] = {"S": f"group {number % 7}"}
            requests.append({"PutRequest": {"Item": item}})
        answer = client.batch_write_item(RequestItems={name: requests})
        assert not answer["UnprocessedItems"]


def scan(client, index=None, name="things"):
    members = {"IndexName": index} if index else {}
    pages = client.get_paginator("scan").paginate(TableName=name, **members)
    return {item["pk"]["S"]: item for page in pages for item in page["Items"]}


def refused(code, message, call, *arguments, **members):
    with pytest.raises(ClientError) as caught:
        call(*arguments, **members)
    error = caught.value.response["Error"]
    assert (error["Code"], error["Message"]) == (code, message)


def test_index_of_a_small_table_is_there_at_once(start):
    client = start()
    create_table(client)
    fill(client, 100)
    shown = add_index(client)
    assert shown["TableStatus"] == "UPDATING"
    index = shown["GlobalSecondaryIndexes"][0]
    assert (index["IndexStatus"], index["Backfilling"]) == ("CREATING", False)
    assert state(client) == ("ACTIVE", "ACTIVE", None)
    table = describe(client)
    assert table["AttributeDefinitions"] == attributes("pk:S g:S")
    assert table["GlobalSecondaryIndexes"][0]["ItemCount"] == 66
    assert scan(client, "by_g") == {k: v for k, v in scan(client).items() if "g" in v}
    answer = client.query(TableName="things", IndexName="by_g", KeyConditionExpression="g = :g",
                          ExpressionAttributeValues={":g": {"S": "group 4"}})
    assert {item["pk"]["S"] for item in answer["Items"]} == {
        str(n) for n in range(100) if n % 3 and n % 7 == 4}

    shown = remove_index(client)
    assert (shown["TableStatus"], shown["GlobalSecondaryIndexes"][0]["IndexStatus"]) == (
        "UPDATING", "DELETING")
    assert "GlobalSecondaryIndexes" not in describe(client)
    assert describe(client)["AttributeDefinitions"] == attributes("pk:S")


def test_index_of_a_larger_table_becomes_active_by_itself(start):
    client = start()
    create_table(client)
    fill(client, 5000)
    add_index(client, projection={"ProjectionType": "KEYS_ONLY"})
    states = states_until(client, ("ACTIVE", "ACTIVE", None))
    assert set(states[:-1]) <= {("ACTIVE", "CREATING", True)}
    assert scan(client, "by_g") == {
        key: {name: item[name] for name in ("pk", "g")}
        for key, item in scan(client).items() if "g" in item}


def test_phases(start):
    client = start("--control-plane-delay", "3600")
    admin = Admin(client.server)
    client.create_table(TableName="things", BillingMode="PAY_PER_REQUEST", KeySchema=key_schema("pk"),
                        AttributeDefinitions=attributes("pk:S"))
    admin.move(advance="1h")
    fill(client, 30)
    add_index(client)
    assert state(client) == ("UPDATING", "CREATING", False)
    admin.move(advance="1h")
    states_until(client, ("ACTIVE", "ACTIVE", None))
    assert len(scan(client, "by_g")) == 20
    remove_index(client)
    assert state(client) == ("UPDATING", "DELETING", None)
    admin.move(advance="1h")
    assert states_until(client, ("ACTIVE", None, None)) == [("ACTIVE", None, None)]


def test_phases_end_by_themselves(start):
    client = start("--control-plane-delay", "0.3")
    create_table(client)
    add_index(client)
    states_until(client, ("ACTIVE", "ACTIVE", None))
    remove_index(client)
    states_until(client, ("ACTIVE", None, None))


def test_what_a_new_index_refuses(start, tmp_path):
    client = start("--db-path", tmp_path)
    create_table(client)
    fill(client, 10)
    assert client.server.stop() == 0
    client = start("--db-path", tmp_path, "--control-plane-delay", "3600")
    add_index(client)
    assert state(client) == ("UPDATING", "CREATING", False)
    in_use = "ResourceInUseException"
    refused(in_use, IN_USE + "Index creation is in resource allocation phase. Retry deletion during "
            "backfilling phase or when the index is active. Table: things Index: by_g",
            remove_index, client)
    refused("LimitExceededException", "Subscriber limit exceeded: Only 1 online index can be created or "
            "deleted simultaneously per table", add_index, client, "h:S", "by_h")
    refused("ValidationException", "Attempting to create an index which already exists", add_index, client)
    refused(in_use, IN_USE + "Can't change table IOPS when an index is being created. Table: things "
            "Indexes: [by_g]", client.update_table, TableName="things", BillingMode="PAY_PER_REQUEST")
    refused(in_use, IN_USE + "Cannot delete table while indexes are being created, updated, or deleted.",
            client.delete_table, TableName="things")
    with pytest.raises(ClientError):
        scan(client, "by_g")
    refused("ValidationException", "One or more parameter values were invalid: Schema violation against backfilling "
            "index", client.put_item, TableName="things", Item={"pk": {"S": "new"}, "g": {"N": "1"}})
    client.put_item(TableName="things", Item={"pk": {"S": "new"}, "g": {"S": "1"}})
    assert len(scan(client)) == 11


def test_writes_during_the_backfill(start):
    """Clients write and delete while the index is filled: at the end it is the filtered table."""
    client = start()
    create_table(client)
    fill(client, 4000, size=500)
    stop = threading.Event()
    failures = []

    def write(worker):
        own = make_client(client.server.endpoint)
        number = worker
        try:
            while not stop.is_set():
                key = {"pk": {"S": str(number % 4000)}}
                if number % 5 == 0:
                    own.delete_item(TableName="things", Key=key)
                elif number % 5 == 1:
                    own.put_item(TableName="things", Item={**key, "h": {"S": "now"}})
                else:
                    own.put_item(TableName="things", Item={**key, "g": {"S": f"changed {number % 11}"}})
                number += 13
        except ClientError as error:
            failures.append(error)

    workers = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
    for worker in workers:
        worker.start()
    try:
        for _ in range(3):
            add_index(client)
            wait_until(lambda: state(client) == ("ACTIVE", "ACTIVE", None), what="index ACTIVE")
            remove_index(client)
        add_index(client)
        wait_until(lambda: state(client) == ("ACTIVE", "ACTIVE", None), what="index ACTIVE")
    finally:
        stop.set()
        for worker in workers:
            worker.join()
    assert not failures
    expected = {key: item for key, item in scan(client).items() if "g" in item}
    assert scan(client, "by_g") == expected
    assert describe(client)["GlobalSecondaryIndexes"][0]["ItemCount"] == len(expected)


@pytest.mark.parametrize("sync", ["lazy", "commit"])
def test_killed_in_the_middle_of_a_backfill(start, tmp_path, sync):
    flags = ("--db-path", tmp_path, "--sync", sync)
    client = start(*flags)
    create_table(client)
    fill(client, 8000, size=1500)
    expected = {key: item for key, item in scan(client).items() if "g" in item}
    complete = ("ACTIVE", "ACTIVE", None)
    add_index(client)
    while state(client) == complete:  # before anybody looked
        remove_index(client)
        add_index(client)
    is_complete = False
    while not is_complete:
        client.server.kill()
        client = start(*flags)
        before = describe(client)["GlobalSecondaryIndexes"][0]["ItemCount"]
        wait_until(lambda: state(client)[1] == "ACTIVE" or
                   describe(client)["GlobalSecondaryIndexes"][0]["ItemCount"] > before,
                   what="progress of the backfill", pause_s=0)
        is_complete = state(client) == complete
    assert scan(client, "by_g") == expected
    assert describe(client)["GlobalSecondaryIndexes"][0]["ItemCount"] == len(expected)


def test_gsi_delay(start, tmp_path):
    """Changes of indexes wait, also through a kill, and then come by themselves."""
    client = start("--db-path", tmp_path, "--gsi-delay", "3600")
    create_table(client)
    add_index(client)
    fill(client, 30)
    assert (len(scan(client)), len(scan(client, "by_g"))) == (30, 0)
    client.server.kill()
    client = start("--db-path", tmp_path, "--gsi-delay", "3600")
    assert (len(scan(client)), len(scan(client, "by_g"))) == (30, 0)
    assert client.server.stop() == 0
    client = start("--db-path", tmp_path)
    assert len(scan(client, "by_g")) == 20

    client = start("--gsi-delay", "0.3")
    create_table(client)
    add_index(client)
    fill(client, 30)
    wait_until(lambda: len(scan(client, "by_g")) == 20, what="entries of the index")
    client.delete_item(TableName="things", Key={"pk": {"S": "1"}})
    wait_until(lambda: len(scan(client, "by_g")) == 19, what="an entry gone")


def test_eventual_read_lag(start):
    key = {"pk": {"S": "a"}}
    client = start("--eventual-read-lag", "3600")
    create_table(client)
    client.put_item(TableName="things", Item=key)
    assert "Item" not in client.get_item(TableName="things", Key=key)
    assert client.get_item(TableName="things", Key=key, ConsistentRead=True)["Item"] == key
    assert scan(client) == {}

    client = start("--eventual-read-lag", "0.3")
    create_table(client)
    for version in ("1", "2"):
        item = {**key, "version": {"N": version}}
        client.put_item(TableName="things", Item=item)
        wait_until(lambda: client.get_item(TableName="things", Key=key).get("Item") == item,
                   what=f"version {version}")
