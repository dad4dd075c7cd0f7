"""How tests use the fixtures of the Python package: each test has a database of its own, also when several are filled at once."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer

import boto3
import pytest


def create_albums(client):
    """The table of this application."""
    return client.create_table(
        TableName="Albums",
        AttributeDefinitions=[{"AttributeName": "Title", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "Title", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )


def album(title):
    return {"Title": {"S": title}}


def test_a_new_database_is_empty(dynamodb):
    assert dynamodb.list_tables()["TableNames"] == []


# Two tests, one table name: neither sees what the other has left.
@pytest.mark.parametrize("title", ["Blue", "Hejira"])
def test_an_album_is_alone_in_its_database(dynamodb, title):
    create_albums(dynamodb)
    dynamodb.put_item(TableName="Albums", Item=album(title))
    assert dynamodb.scan(TableName="Albums")["Items"] == [album(title)]


def test_client_and_resource_of_a_test_share_a_database(dynamodb, database):
    create_albums(dynamodb)
    table = boto3.resource("dynamodb", **database).Table("Albums")
    table.put_item(Item={"Title": "Pastel Blues"})
    assert dynamodb.get_item(TableName="Albums", Key=album("Pastel Blues"))["Item"] == album("Pastel Blues")


def test_clients_of_all_kinds_see_the_same_tables(dynamodb, dynamodb_resource, dynamodb_streams):
    create_albums(dynamodb)
    dynamodb.update_table(TableName="Albums",
                          StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    table = dynamodb_resource.Table("Albums")
    table.put_item(Item={"Title": "Blue"})
    assert dynamodb.scan(TableName="Albums")["Items"] == [album("Blue")]
    assert [stream["StreamArn"] for stream in dynamodb_streams.list_streams(TableName="Albums")["Streams"]] == [
        table.latest_stream_arn]


def test_eight_databases_filled_side_by_side_do_not_see_each_other(stator):
    titles = [f"Volume {number}" for number in range(8)]
    clients = [boto3.client("dynamodb", **stator.new_database()) for _ in titles]
    with ThreadPoolExecutor(len(titles)) as pool:
        list(pool.map(create_albums, clients))
        list(pool.map(lambda client, title: client.put_item(TableName="Albums", Item=album(title)),
                      clients, titles))
        seen = list(pool.map(lambda client: client.scan(TableName="Albums")["Items"], clients))
    assert seen == [[album(title)] for title in titles]


def test_a_table_takes_its_time_as_in_the_cloud(start_stator):
    server = start_stator("--control-plane-delay", "1")
    client = boto3.client("dynamodb", **server.new_database())
    assert create_albums(client)["TableDescription"]["TableStatus"] == "CREATING"
    client.get_waiter("table_exists").wait(TableName="Albums", WaiterConfig={"Delay": 1, "MaxAttempts": 30})


def test_an_eventually_consistent_read_may_miss_a_write(start_stator):
    client = boto3.client("dynamodb", **start_stator("--eventual-read-lag", "3600").new_database())
    create_albums(client)
    client.put_item(TableName="Albums", Item=album("Blue"))
    assert "Item" not in client.get_item(TableName="Albums", Key=album("Blue"))
    assert "Item" in client.get_item(TableName="Albums", Key=album("Blue"), ConsistentRead=True)


def test_time_is_moved_instead_of_waited_for(start_stator):
    server = start_stator("--clock", "2027-01-01T00:00:00Z", "--control-plane-delay", "3600")
    client = boto3.client("dynamodb", **server.new_database())
    created = create_albums(client)["TableDescription"]["CreationDateTime"]
    assert created.timestamp() == 1798761600
    assert server.clock(advance="1h")["time"] == "2027-01-01T01:00:00.000Z"
    assert client.describe_table(TableName="Albums")["Table"]["TableStatus"] == "ACTIVE"
    with pytest.raises(RuntimeError, match="the clock does not move back"):
        server.clock(set="2026-01-01T00:00:00Z")
    server.mark("created")
    server.clock(advance="1h")
    assert server.reset() == 1
    assert client.list_tables()["TableNames"] == []
    server.rollback("created")
    assert client.list_tables()["TableNames"] == ["Albums"]
    assert server.clock()["time"] == "2027-01-01T01:00:00.000Z"


# --- Tables that are filled once ---------------------------------------------------------------------

@pytest.fixture(scope="module")
def stator_seed():
    def fill(client):
        create_albums(client)
        client.put_item(TableName="Albums", Item=album("Blue"))
    return fill


@pytest.mark.parametrize("title", ["Hejira", "Mingus"])
def test_each_begins_with_what_was_filled_in(seeded, title):
    seeded.put_item(TableName="Albums", Item=album(title))
    assert seeded.scan(TableName="Albums", Select="COUNT")["Count"] == 2


def test_a_table_that_is_deleted_is_there_for_the_next(seeded, seeded_database):
    assert boto3.client("dynamodb", **seeded_database).list_tables()["TableNames"] == ["Albums"]
    seeded.delete_table(TableName="Albums")
    assert seeded.list_tables()["TableNames"] == []


def test_the_table_is_as_it_was_filled(seeded):
    assert seeded.scan(TableName="Albums")["Items"] == [album("Blue")]


def test_a_function_has_got_what_was_written(start_stator):
    got = []

    class Function(BaseHTTPRequestHandler):
        def do_POST(self):
            got.extend(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["Records"])
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    function = HTTPServer(("127.0.0.1", 0), Function)
    threading.Thread(target=function.serve_forever, daemon=True).start()
    server = start_stator("--function", f"albums=http://127.0.0.1:{function.server_port}/",
                          "--function", "nobody=http://127.0.0.1:1/")
    assert server.settle() == []
    database = server.new_database()
    client, functions = boto3.client("dynamodb", **database), boto3.client("lambda", **database)
    create_albums(client)
    client.update_table(TableName="Albums", StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    stream = client.describe_table(TableName="Albums")["Table"]["LatestStreamArn"]
    for name in ("albums", "nobody"):
        functions.create_event_source_mapping(
            FunctionName=name, EventSourceArn=stream, StartingPosition="TRIM_HORIZON")
    server.clock(mode="manual")  # the function that cannot be reached is not tried again
    client.put_item(TableName="Albums", Item=album("Blue"))
    mappings = {mapping["function"].rpartition(":")[2]: mapping for mapping in server.settle()}
    assert [record["dynamodb"]["Keys"] for record in got] == [album("Blue")]
    assert mappings["albums"]["status"] == "idle"
    assert mappings["nobody"]["status"] == "blocked" and mappings["nobody"]["reason"]
    function.shutdown()
