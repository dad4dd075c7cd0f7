"""Verbs that show what the engine knows of the past and of what comes: due, ttl, transactions, streams, marks, history."""

import json
from urllib.parse import quote

import pytest

from admin import Admin
from client import Client
from raw_client import Connection, authorization, request
from server_process import given_endpoint, run_to_end, wait_until

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

START = 1798761600  # 2027-01-01
STANDING = ("--clock", "2027-01-01T00:00:00Z")
STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}
INDEX = {"IndexName": "by_g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
         "Projection": {"ProjectionType": "ALL"}}
INDEXED = {"GlobalSecondaryIndexes": [INDEX],
           "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"},
                                    {"AttributeName": "g", "AttributeType": "S"}]}


def at(seconds):
    """The time that many seconds after the start."""
    day, rest = divmod(seconds, 86400)
    return f"2027-01-{day + 1:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}.000Z"


def expire(client, table, attribute="ends"):
    """Enables time to live, and waits until the items' times are known."""
    client.ok("UpdateTimeToLive", TableName=table,
              TimeToLiveSpecification={"Enabled": True, "AttributeName": attribute})
    admin = Admin(client.server)
    wait_until(lambda: not admin.ok(f"ttl/{table}")["more"])


def put(client, table, key, seconds=None, **more):
    item = {"pk": {"S": key}, **more}
    if seconds is not None:
        item["ends"] = {"N": str(START + seconds)}
    client.ok("PutItem", TableName=table, Item=item)


def keys(client, table):
    return sorted(item["pk"]["S"] for item in client.ok("Scan", TableName=table, ConsistentRead=True)["Items"])


def due(admin, query=""):
    told = admin.ok("due" + query)
    assert set(told) == {"due", "more"}
    return [(one["time"], one["kind"], one["table"], one.get("index"), one["what"], one.get("count"))
            for one in told["due"]]


def all_pages(admin, path, member):
    """The list over pages, and how many pages there were."""
    listed, after, pages = [], "", 0
    while True:
        told = admin.ok(path + after)
        listed += told[member]
        pages += 1
        if "next" not in told:
            return listed, pages
        after = "&after=" + told["next"]


# --- due ------------------------------------------------------------------------------------------

def test_nothing_is_due(start):
    server = start(*STANDING)
    Client(server).create_table("orders")
    assert Admin(server).ok("due") == {"due": [], "more": False}


def test_a_move_does_what_was_due(start):
    server = start(*STANDING)
    client, admin = Client(server), Admin(server)
    client.create_table("orders")
    expire(client, "orders")
    for key, seconds in (("a", 59), ("b", 59), ("c", 119), ("d", 86400), ("never", None)):
        put(client, "orders", key, seconds)
    assert due(admin) == [(at(60), "ttl", "orders", None, "2 items expire", 2),
                          (at(120), "ttl", "orders", None, "1 item expires", 1),
                          (at(86401), "ttl", "orders", None, "1 item expires", 1)]
    assert [one[0] for one in due(admin, "?until=2027-01-01T01:00:00Z")] == [at(60), at(120)]
    admin.move(advance="1h")
    assert keys(client, "orders") == ["d", "never"]
    assert [one[0] for one in due(admin)] == [at(86401)]
    admin.move(set=at(86401))
    assert keys(client, "orders") == ["never"] and due(admin) == []


def test_due_states_of_tables_and_indexes(start):
    server = start(*STANDING, "--control-plane-delay", "60")
    client, admin = Client(server), Admin(server)
    client.create_table("orders", **STREAM)
    assert (at(60), "table", "orders", None, "the table becomes ACTIVE", None) in due(admin)
    assert (at(60), "stream", "orders", None, "the stream becomes ENABLED", None) in due(admin)
    admin.move(advance="1m")
    assert client.describe("orders")["TableStatus"] == "ACTIVE"
    client.ok("UpdateTable", TableName="orders", AttributeDefinitions=INDEXED["AttributeDefinitions"],
              GlobalSecondaryIndexUpdates=[{"Create": INDEX}])
    assert (at(120), "index", "orders", "by_g", "the index begins to be filled", None) in due(admin)
    admin.move(advance="1m")
    client.ok("UpdateTable", TableName="orders", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by_g"}}])
    assert (at(180), "removal", "orders", "by_g", "the index is removed", None) in due(admin)
    admin.move(advance="1m")
    client.ok("DeleteTable", TableName="orders")
    assert (at(240), "removal", "orders", None, "the table is removed", None) in due(admin)
    assert [one[0] for one in due(admin)] == sorted(one[0] for one in due(admin))
    admin.move(advance="1m")
    assert client.table_names() == []
    # The stream stays for a day.
    assert due(admin) == [(at(86400 + 180), "removal", "orders", None, "the disabled stream is removed", None)]


def waiting(admin):
    """What the only index of the only table does not have yet."""
    return admin.ok("tables")["tables"][0]["indexes"][0].get("waiting")


def test_due_changes_of_streams_and_late_indexes(start):
    server = start(*STANDING, "--gsi-delay", "600", "--stream-rollover", "3600", "--stream-retention", "7200")
    client, admin = Client(server), Admin(server)
    client.create_table("orders", **STREAM, **INDEXED)
    rollover = (at(3600), "stream", "orders", None, "1 shard is replaced", 1)
    assert due(admin) == [rollover]
    for key in "abc":
        put(client, "orders", key, g={"S": "x"})
    assert due(admin) == [
        (at(600), "index", "orders", "by_g", "3 changes begin to reach the index", 3), rollover,
        (at(7200), "stream", "orders", None, "the oldest records of the stream are removed", None)]
    assert waiting(admin) == {"changes": 3, "oldest": at(0), "more": False}
    admin.move(advance="10m")
    assert client.ok("Scan", TableName="orders", IndexName="by_g")["Count"] == 3
    assert [one[1] for one in due(admin)] == ["stream", "stream"]
    assert waiting(admin) is None
    admin.move(advance="1h")
    assert due(admin)[0][:2] == (at(7200), "stream")


def test_many_sweeps_of_a_table_are_ten_events(start):
    server = start(*STANDING, "--isolate", "key", "--ttl-delay", "30")
    client, admin = Client(server, "eu-west-1", "one"), Admin(server)
    client.create_table("orders")
    expire(client, "orders")
    for n in range(15):
        put(client, "orders", f"k{n:02}", 60 * n)
    told = due(admin)
    assert len(told) == 10 and told[0] == (at(31), "ttl", "orders", None, "1 item expires", 1)
    assert told[9] == (at(9 * 60 + 31), "ttl", "orders", None, "6 items expire, from then on", 6)
    one = admin.ok("due?limit=1")
    assert one["more"] is True and [each["access_key"] for each in one["due"]] == ["one"]
    assert one["due"][0]["region"] == "eu-west-1"
    for wrong in ("limit=0", "limit=1001", "until=soon"):
        assert admin.send("due?" + wrong).status == 400, wrong
    assert admin.send("due", {}).status == 405


def test_due_without_the_sweep_by_itself(start):
    server = start(*STANDING, "--ttl-sweep-interval", "0")
    client, admin = Client(server), Admin(server)
    client.create_table("orders")
    expire(client, "orders")
    put(client, "orders", "a", 60)
    assert due(admin) == []
    admin.move(advance="1h")
    assert keys(client, "orders") == ["a"]


# --- ttl ------------------------------------------------------------------------------------------

def test_the_expiry_queue(start):
    server = start(*STANDING, "--ttl-delay", "3600")
    client, admin = Client(server), Admin(server)
    client.create_table("orders", "sk")
    empty = admin.ok("ttl/orders")
    assert (empty["status"], empty["next_items"], empty["buckets"]) == ("DISABLED", [], []) and "attribute" not in empty
    expire(client, "orders")
    for key, seconds in (("now", -3601), ("soon", -3542), ("later", 86400), ("old", -6 * 365 * 86400), ("hour", 0)):
        put(client, "orders", key, seconds, sk={"S": "s"})
    wait_until(lambda: admin.ok("ttl/orders")["deleted"] == 1, what="the item that is due is deleted")
    told = admin.ok("ttl/orders")
    assert (told["region"], told["table"], told["attribute"], told["status"]) == ("us-east-1", "orders", "ends", "ENABLED")
    assert (told["delay_seconds"], told["sweep_seconds"], told["ignored_too_old"], told["more"]) == (3600, 1, 1, False)
    assert [one["key"]["pk"]["S"] for one in told["next_items"]] == ["soon", "hour", "later"]
    assert told["next_items"][1] == {"key": {"pk": {"S": "hour"}, "sk": {"S": "s"}}, "expires": at(0), "due": at(3601)}
    assert told["lag_seconds"] == 3541 and "next" not in told
    # By the ends: now, in a minute, an hour, a day, 7 days.
    assert [(one.get("until"), one["items"]) for one in told["buckets"]] == [
        (at(0), 0), (at(60), 1), (at(3600), 0), (at(86400), 1), (at(7 * 86400), 1)]
    admin.move(advance="2h")
    told = admin.ok("ttl/orders")
    assert [one["key"]["pk"]["S"] for one in told["next_items"]] == ["later"] and told["deleted"] == 3


def test_pages_of_the_expiry_queue(start):
    server = start(*STANDING, "--ttl-sweep-interval", "0")
    client, admin = Client(server), Admin(server)
    client.create_table("orders")
    expire(client, "orders")
    for n in range(23):
        put(client, "orders", "k%02d" % n + ("x" * 1000 if n % 3 == 0 else ""), n // 4)
    whole = admin.ok("ttl/orders")["next_items"]
    assert [one["expires"] for one in whole] == sorted(one["expires"] for one in whole)
    assert len({one["key"]["pk"]["S"] for one in whole}) == 23
    for limit in (1, 2, 7, 22, 23, 1000):
        listed, pages = all_pages(admin, f"ttl/orders?limit={limit}", "next_items")
        assert listed == whole and pages == -(-23 // limit), limit
    for wrong in ("limit=0", "after=x", "after=12", "after=12.zz.00", "after=12..", "after=1.6.6"):
        assert admin.send("ttl/orders?" + wrong).status == 400, wrong
    assert admin.send("ttl/missing").status == 404


def test_which_table_is_meant(start):
    server = start("--isolate", "key")
    admin = Admin(server)
    for region, key in (("us-east-1", "one"), ("eu-west-1", "two"), ("eu-west-1", "one")):
        Client(server, region, key).create_table("orders")
    answer = admin.send("ttl/orders")
    assert answer.status == 400 and "region and access_key" in answer.json()["error"]
    assert admin.send("ttl/orders?region=eu-west-1").status == 400
    told = admin.ok("ttl/orders?region=eu-west-1&access_key=two")
    assert (told["region"], told["access_key"]) == ("eu-west-1", "two")
    assert admin.ok("ttl/orders?region=us-east-1")["access_key"] == "one"
    assert admin.send("ttl/orders?region=ap-south-1").status == 404
    shared = start("--isolate", "none")
    Client(shared).create_table("orders")
    assert Admin(shared).ok("ttl/orders?region=eu-west-1&access_key=any")["region"] == "us-east-1"


# --- transactions ---------------------------------------------------------------------------------

def test_transactions_in_flight_and_their_conflicts(start):
    server = start(*STANDING, "--transaction-time", "60")
    client, admin = Client(server), Admin(server)
    client.create_table("orders")
    client.create_table("stock", "sk")
    assert admin.ok("transactions") == {"in_flight": [], "more": False, "conflicts": [], "tokens": 0}
    actions = [{"Put": {"TableName": "orders", "Item": {"pk": {"S": "a"}, "n": {"N": "1"}}}},
               {"Delete": {"TableName": "stock", "Key": {"pk": {"S": "b"}, "sk": {"S": "c"}}}}]
    with Connection(server) as connection:
        connection.send(request("TransactWriteItems", {"TransactItems": actions, "ClientRequestToken": "t"},
                                {"Authorization": authorization("us-east-1", "key")}))
        wait_until(lambda: admin.ok("transactions")["in_flight"], what="the transaction is in flight")
        [flight] = admin.ok("transactions")["in_flight"]
        assert (flight["since"], flight["lands"]) == (at(0), at(60))
        assert flight["items"] == [
            {"region": "us-east-1", "table": "orders", "key": {"pk": {"S": "a"}}},
            {"region": "us-east-1", "table": "stock", "key": {"pk": {"S": "b"}, "sk": {"S": "c"}}}]
        assert due(admin) == [(at(60), "transaction", "orders", None, "a transaction on 2 items is committed", 2)]
        written = client.send("PutItem", {"TableName": "orders", "Item": {"pk": {"S": "a"}}})
        read = client.send("TransactGetItems", {"TransactItems": [
            {"Get": {"TableName": "orders", "Key": {"pk": {"S": "a"}}}}]})
        assert (written.status, read.status) == (400, 400)
        client.error("DescribeTable", TableName="TransactionConflict")
        told = admin.ok("transactions")["conflicts"]
        assert [(one["kind"], one["operation"], one["error"]) for one in told] == [
            ("read", "TransactGetItems", "TransactionCanceledException"),
            ("write", "PutItem", "TransactionConflictException")]
        assert [one["request_id"] for one in told] == [read.get("x-amzn-requestid"),
                                                       written.get("x-amzn-requestid")]
        held = {"table": "orders", "key": {"pk": {"S": "a"}}}
        assert [one["items"] for one in told] == [[held], [held]]
        twice = client.send("TransactWriteItems", {"TransactItems": [
            {"Put": {"TableName": "orders", "Item": {"pk": {"S": "free"}}}},
            {"Update": {"TableName": "stock", "Key": {"sk": {"S": "c"}, "pk": {"S": "b"}},
                        "UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}}]})
        assert twice.status == 400
        newest = admin.ok("transactions")["conflicts"][0]
        assert newest["kind"] == "transaction" and newest["items"] == [
            {"table": "stock", "key": {"pk": {"S": "b"}, "sk": {"S": "c"}}}]
        assert len(admin.ok("transactions?limit=1")["conflicts"]) == 1
        admin.move(advance="1m")
        wait_until(lambda: not admin.ok("transactions")["in_flight"], what="the transaction has landed")
        landed = connection.receive().get("x-amzn-requestid")
    told = admin.ok("transactions")
    assert (told["in_flight"], told["tokens"], len(told["conflicts"])) == ([], 1, 3)
    assert {one["items"][0]["with_request_id"] for one in told["conflicts"]} == {landed}
    assert admin.send("transactions?limit=x").status == 400


# --- streams --------------------------------------------------------------------------------------

def of_streams(client, operation, **members):
    """The answer of an operation on streams."""
    own = Client(client.server)
    own.headers["X-Amz-Target"] = "DynamoDBStreams_20120810." + operation
    return own.ok(operation, **members)


def test_streams_by_shard(start):
    server = start(*STANDING, "--stream-shards", "2", "--stream-rollover", "3600")
    client, admin = Client(server), Admin(server)
    client.create_table("plain")
    assert admin.ok("streams/plain") == {"streams": []}
    client.create_table("orders", **STREAM)
    for n in range(20):
        put(client, "orders", f"k{n}")
    admin.move(advance="1h")
    for n in range(5):
        put(client, "orders", f"k{n}", n={"N": str(n)})
    [stream] = admin.ok("streams/orders")["streams"]
    arn = client.describe("orders")["LatestStreamArn"]
    assert (stream["arn"], stream["status"], stream["view"]) == (arn, "ENABLED", "NEW_AND_OLD_IMAGES")
    assert (stream["records"], stream["oldest"], stream["newest"], stream["more"]) == (25, at(0), at(3600), False)
    assert stream["bytes"] > 25 * 10
    described = of_streams(client, "DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"]
    shards = stream["shards"]
    assert [(one["shard"], one.get("parent")) for one in shards] == [
        (one["ShardId"], one.get("ParentShardId")) for one in described]
    assert [(one["first_number"], one.get("last_number")) for one in shards] == [
        (one["SequenceNumberRange"]["StartingSequenceNumber"], one["SequenceNumberRange"].get("EndingSequenceNumber"))
        for one in described]
    assert [one["open"] for one in shards] == [False, False, True, True]
    assert [(one["opened"], one.get("closed")) for one in shards] == [(at(0), at(3600))] * 2 + [(at(3600), None)] * 2
    assert [(one["first_hash"], one["last_hash"]) for one in shards] == [(0, 2**23 - 1), (2**23, 2**24 - 1)] * 2
    for shard in shards:
        iterator = of_streams(client, "GetShardIterator", StreamArn=arn, ShardId=shard["shard"],
                              ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        assert len(of_streams(client, "GetRecords", ShardIterator=iterator)["Records"]) == shard["records"]
    part = admin.ok("streams/orders?limit=3")["streams"][0]
    assert len(part["shards"]) == 3 and part["more"] is True
    client.ok("DeleteTable", TableName="orders")
    [stream] = admin.ok("streams/orders")["streams"]
    assert (stream["status"], stream["records"], {one["open"] for one in stream["shards"]}) == ("DISABLED", 25, {False})
    assert admin.ok("streams/orders?region=eu-west-1") == {"streams": []}
    assert admin.send("streams/missing").status == 404 and admin.send("streams/orders?limit=0").status == 400


def begin(client, arn, shard, kind="TRIM_HORIZON"):
    return of_streams(client, "GetShardIterator", StreamArn=arn, ShardId=shard, ShardIteratorType=kind)["ShardIterator"]


def read(client, iterator, agent, **members):
    """A page of a shard, read by a client of that name: its records and the next iterator."""
    own = Client(client.server)
    own.headers["X-Amz-Target"] = "DynamoDBStreams_20120810.GetRecords"
    own.headers["User-Agent"] = agent
    page = own.ok("GetRecords", ShardIterator=iterator, **members)
    return len(page["Records"]), page.get("NextShardIterator")


def test_who_reads_a_stream_and_how_far(start):
    server = start(*STANDING, "--stream-rollover", "3600")
    client, admin = Client(server), Admin(server)
    client.create_table("orders", **STREAM)
    arn = client.describe("orders")["LatestStreamArn"]

    def readers():
        return admin.ok("streams/orders")["streams"][0]["readers"]

    assert readers() == []
    for n in range(10):
        put(client, "orders", f"k{n}")
    [shard] = [one["shard"] for one in admin.ok("streams/orders")["streams"][0]["shards"]]
    count, later = read(client, begin(client, arn, shard), "worker-a", Limit=4)
    assert count == 4
    read(client, begin(client, arn, shard), "worker-b")
    worker_b, worker_a = readers()
    assert (worker_a["agent"], worker_a["shard"], worker_a["behind_records"]) == ("worker-a", shard, 6)
    assert (worker_a["behind_since"], worker_a["last_seen"]) == (at(0), at(0))
    assert (worker_b["agent"], worker_b["behind_records"], worker_b["more"]) == ("worker-b", 0, False)
    assert "behind_since" not in worker_b and int(worker_a["number"]) < int(worker_b["number"])
    # The console only looks.
    own = Client(server)
    own.headers |= {"X-Amz-Target": "DynamoDBStreams_20120810.GetRecords", "x-stator-console": "1"}
    own.ok("GetRecords", ShardIterator=later)
    assert [one["agent"] for one in readers()] == ["worker-b", "worker-a"]
    admin.move(advance="30m")
    put(client, "orders", "late")
    assert [(one["agent"], one["behind_records"]) for one in readers()] == [("worker-b", 1), ("worker-a", 7)]
    assert readers()[0]["behind_since"] == at(1800)
    admin.move(advance="1h")
    # The shard has ended: whoever reads its last record has no place after it.
    count, end = read(client, begin(client, arn, shard), "worker-a")
    assert (count, end) == (11, None)
    first = readers()[0]
    assert (first["agent"], first["ended"], first["behind_records"], first["last_seen"]) == ("worker-a", True, 0, at(5400))
    # Any bytes of a header are text.
    read(client, begin(client, arn, shard), '<img src=x onerror="a">\u00e9')
    assert readers()[0]["agent"].startswith('<img src=x onerror="a">?')
    for n in range(150):
        read(client, begin(client, arn, shard), f"many-{n}")
    assert [one["agent"] for one in readers()] == [f"many-{n}" for n in range(149, 49, -1)]



# --- changes since a mark -------------------------------------------------------------------------

def test_changes_since_a_mark(start):
    server = start(*STANDING)
    client, admin = Client(server), Admin(server)
    client.create_table("orders", **INDEXED)
    client.create_table("dropped")
    for key in ("same", "changed", "deleted", "back"):
        put(client, "orders", key, g={"S": "x"})
    admin.mark("seeded")
    told = admin.ok("marks/seeded/changes")
    assert told == {"name": "seeded", "time": at(0), "tables": [], "changes": []}
    put(client, "orders", "changed", g={"S": "y"})
    admin.mark("later")
    put(client, "orders", "changed", g={"S": "z"})
    client.ok("DeleteItem", TableName="orders", Key={"pk": {"S": "deleted"}})
    put(client, "orders", "new")
    put(client, "orders", "back", g={"S": "y"})
    put(client, "orders", "back", g={"S": "x"})
    client.create_table("made")
    put(client, "made", "a")
    client.ok("DeleteTable", TableName="dropped")
    told = admin.ok("marks/seeded/changes")
    assert sorted((one["table"], one["change"]) for one in told["tables"]) == [("dropped", "removed"), ("made", "created")]

    def item(key, g=None):
        return {"pk": {"S": key}, **({"g": {"S": g}} if g else {})}

    changes = {(one["table"], one["key"]["pk"]["S"]): (one.get("was"), one.get("is")) for one in told["changes"]}
    assert changes == {("orders", "changed"): (item("changed", "x"), item("changed", "z")),
                       ("orders", "deleted"): (item("deleted", "x"), None),
                       ("orders", "new"): (None, item("new")),
                       ("made", "a"): (None, item("a"))}
    assert len(told["changes"]) == 4
    since = {one["key"]["pk"]["S"]: one.get("was") for one in admin.ok("marks/later/changes?table=orders")["changes"]}
    assert since == {"changed": item("changed", "y"), "deleted": item("deleted", "x"), "new": None}
    listed, _ = all_pages(admin, "marks/seeded/changes?limit=1", "changes")
    assert listed == told["changes"]
    admin.rollback("seeded")
    assert admin.ok("marks/seeded/changes")["changes"] == []
    answer = admin.send("marks/missing/changes")
    assert answer.status == 404 and "seeded" in answer.json()["error"]
    for wrong in ("limit=0", "after=x", "after=" + "00" * 600):
        assert admin.send("marks/seeded/changes?" + wrong).status == 400, wrong


def test_changes_of_items_with_long_keys(start):
    server = start(*STANDING)
    client, admin = Client(server), Admin(server)
    client.create_table("orders", "sk")
    admin.mark("seeded")
    lengths = (10, 400, 440, 441, 600, 1000, 1024)
    for length in lengths:
        client.ok("PutItem", TableName="orders", Item={"pk": {"S": "p"}, "sk": {"S": "s" * length}})
    told = admin.ok("marks/seeded/changes")
    assert sorted(len(one["key"]["sk"]["S"]) for one in told["changes"]) == list(lengths)
    assert all("was" not in one and one["is"] == one["key"] for one in told["changes"])
    for limit in (1, 2, 6):
        listed, _ = all_pages(admin, f"marks/seeded/changes?limit={limit}", "changes")
        assert listed == told["changes"], limit
    admin.rollback("seeded")
    assert admin.ok("marks/seeded/changes")["changes"] == []


def test_changes_of_long_keys_in_several_tables_and_an_index(start):
    server = start(*STANDING)
    client, admin = Client(server), Admin(server)
    for table in ("orders", "parts"):
        client.create_table(table, "sk")
    client.create_table("indexed", **INDEXED)

    def item(key, n, **more):
        return {"pk": {"S": key}, "sk": {"S": key * 900}, "n": {"N": str(n)}, **more}

    for key in "abcd":
        client.ok("PutItem", TableName="orders", Item=item(key, 1))
    admin.mark("seeded")
    client.ok("PutItem", TableName="orders", Item=item("a", 2))
    client.ok("DeleteItem", TableName="orders", Key={"pk": {"S": "b"}, "sk": {"S": "b" * 900}})
    for n in (2, 3):  # gone and here again: its part of the store is another one
        client.ok("DeleteItem", TableName="orders", Key={"pk": {"S": "c"}, "sk": {"S": "c" * 900}})
        client.ok("PutItem", TableName="orders", Item=item("c", n))
    client.ok("DeleteItem", TableName="orders", Key={"pk": {"S": "d"}, "sk": {"S": "d" * 900}})
    client.ok("PutItem", TableName="orders", Item=item("d", 1))  # as it was
    client.ok("PutItem", TableName="parts", Item=item("a", 5))
    # An entry of the index has the table's key in its own, which is long.
    client.ok("PutItem", TableName="indexed", Item={"pk": {"S": "k" * 2000}, "g": {"S": "g" * 2000}})
    changes = {(one["table"], one["key"]["pk"]["S"][0]): (one.get("was", {}).get("n"), one.get("is", {}).get("n"))
               for one in admin.ok("marks/seeded/changes")["changes"]}
    assert changes == {("orders", "a"): ({"N": "1"}, {"N": "2"}), ("orders", "b"): ({"N": "1"}, None),
                       ("orders", "c"): ({"N": "1"}, {"N": "3"}), ("parts", "a"): (None, {"N": "5"}),
                       ("indexed", "k"): (None, None)}
    assert len(admin.ok("marks/seeded/changes")["changes"]) == 5
    assert [one["table"] for one in admin.ok("marks/seeded/changes?table=parts")["changes"]] == ["parts"]


def test_how_much_has_changed_since_each_mark(start):
    server = start(*STANDING)
    client, admin = Client(server), Admin(server)
    client.create_table("orders")
    client.create_table("parts", "sk")
    for key in "abc":
        put(client, "orders", key)
    admin.mark("first")

    def figures():
        return {one["name"]: one for one in admin.ok("marks")["marks"]}

    assert figures() == {"first": {"name": "first", "time": at(0), "records": 0, "bytes": 0, "tables": [], "more": False}}
    put(client, "orders", "a", n={"N": "1"})
    put(client, "orders", "new")
    client.ok("DeleteItem", TableName="orders", Key={"pk": {"S": "b"}})
    admin.mark("second")
    client.ok("PutItem", TableName="parts", Item={"pk": {"S": "p"}, "sk": {"S": "s" * 1000}})
    put(client, "orders", "a", n={"N": "2"})

    def counts(mark):
        return [(one["region"], one["table"], one["put"], one["deleted"]) for one in figures()[mark]["tables"]]

    assert counts("first") == [("us-east-1", "orders", 2, 1), ("us-east-1", "parts", 1, 0)]
    assert counts("second") == [("us-east-1", "orders", 1, 0), ("us-east-1", "parts", 1, 0)]
    assert all(one["records"] > 0 and one["bytes"] > 50 for one in figures().values())
    admin.rollback("first")
    assert list(figures()) == ["first"] and counts("first") == []


def test_a_mark_that_the_server_dropped(start):
    server = start(*STANDING, "--max-bytes", "10M")
    client, admin = Client(server), Admin(server)
    client.create_table("orders")
    admin.mark("seeded")
    for n in range(100):
        if client.send("PutItem", {"TableName": "orders", "Item": {"pk": {"S": f"{n}"}, "a": {"S": "x" * 300_000}}}).status != 200:
            break
    wait_until(lambda: "lost" in admin.ok("marks")["marks"][0], what="the mark is dropped")
    assert admin.ok("marks")["marks"] == [{"name": "seeded", "time": at(0), "records": 0, "bytes": 0, "tables": [],
                                           "more": False, "lost": "the store is full"}]
    assert run_to_end("mark", "--endpoint", server.endpoint).stdout == f"seeded {at(0)} lost: the store is full\n"
    for path, body in (("marks/seeded/rollback", {}), ("marks/seeded/changes", None)):
        refused = admin.send(path, body)
        assert refused.status == 404
        assert refused.json()["error"] == "the server dropped the mark 'seeded': the store is full"
    admin.ok("marks/seeded/forget", {})
    assert admin.ok("marks") == {"marks": []}


# --- history --------------------------------------------------------------------------------------

def test_the_history_of_an_item(start):
    server = start(*STANDING)
    client, admin = Client(server), Admin(server)
    client.create_table("orders", **STREAM)
    client.create_table("plain")
    expire(client, "orders")

    def history(key, more=""):
        return admin.ok(f"history?table=orders&key={quote(json.dumps(key))}{more}")

    key = {"pk": {"S": "a b"}}
    assert history(key) == {"region": "us-east-1", "table": "orders", "entries": [], "kept_by": ["stream"]}
    put(client, "orders", "a b")
    put(client, "orders", "other")
    admin.move(advance="1m")
    put(client, "orders", "a b", 120)
    admin.move(advance="2m")
    told = history(key)
    assert told["from"] == at(0) and "next" not in told
    assert [(one["time"], one["event"], one["by"]) for one in told["entries"]] == [
        (at(0), "INSERT", "client"), (at(60), "MODIFY", "client"), (at(121), "REMOVE", "ttl")]
    first, second, third = told["entries"]
    assert "old" not in first and first["new"] == second["old"] == key
    assert second["new"] == third["old"] == {**key, "ends": {"N": str(START + 120)}} and "new" not in third
    listed, pages = all_pages(admin, f"history?table=orders&limit=1&key={quote(json.dumps(key))}", "entries")
    assert listed == told["entries"] and pages >= 3
    plain = admin.send(f"history?table=plain&key={quote(json.dumps(key))}")
    assert plain.status == 404 and "enable a stream" in plain.json()["error"]
    for wrong in ("", "table=orders", "key=%7B%7D", "table=orders&key=x", "table=orders&key=[]",
                  "table=orders&key=" + quote('{"pk":{"N":"1"}}'), "table=orders&key=" + quote('{"pk":"a"}'),
                  f"table=orders&key={quote(json.dumps(key))}&after=x"):
        assert admin.send("history?" + wrong).status == 400, wrong
    assert admin.send(f"history?table=missing&key={quote(json.dumps(key))}").status == 404


def test_a_table_keeps_its_changes_on_request(start, tmp_path):
    server = start(*STANDING, "--db-path", str(tmp_path))
    client, admin = Client(server), Admin(server)
    client.create_table("orders")
    key = {"pk": {"S": "a"}}
    path = f"history?table=orders&key={quote(json.dumps(key))}"

    def changes():
        return [(one["event"], one["time"]) for one in admin.ok(path)["entries"]]

    put(client, "orders", "a")
    assert admin.send(path).status == 404
    assert admin.ok("history", {"table": "orders", "keep": "1h"}) == {
        "region": "us-east-1", "table": "orders", "keep_seconds": 3600}
    assert admin.ok(path) == {"region": "us-east-1", "table": "orders", "entries": [], "kept_by": ["console"]}
    put(client, "orders", "a", n={"N": "1"})
    admin.move(advance="30m")
    put(client, "orders", "a", n={"N": "2"})
    assert changes() == [("MODIFY", at(0)), ("MODIFY", at(1800))]
    admin.move(advance="40m")
    assert changes() == [("MODIFY", at(1800))]
    # A longer time keeps what is there.
    admin.ok("history", {"table": "orders", "keep": "24h"})
    admin.move(advance="1h")
    assert changes() == [("MODIFY", at(1800))] and admin.ok(path)["kept_by"] == ["console"]
    server.stop()
    server = start(*STANDING, "--db-path", str(tmp_path))
    client, admin = Client(server), Admin(server)
    assert changes() == [("MODIFY", at(1800))]
    admin.mark("kept")
    assert admin.ok("history", {"table": "orders", "keep": "0s"})["keep_seconds"] == 0
    assert admin.send(path).status == 404
    admin.rollback("kept")
    assert changes() == [("MODIFY", at(1800))]
    admin.move(advance="24h")
    assert changes() == []
    for wrong in ({}, {"table": "orders"}, {"keep": "1h"}, {"table": "orders", "keep": "soon"},
                  {"table": "orders", "keep": "25h"}, {"table": "orders", "keep": "500ms"},
                  {"table": "orders", "keep": 3600}, {"table": "orders", "keep": "1h", "more": "x"}):
        assert admin.send("history", wrong).status == 400, wrong
    assert admin.send("history", {"table": "missing", "keep": "1h"}).status == 404
    assert admin.send("history", {"table": "orders", "keep": "1h"}, headers={"Origin": "http://evil.example"}).status == 403
    client.ok("DeleteTable", TableName="orders")
    assert admin.send(path).status == 404


def test_kept_changes_are_bounded_as_streams_are(start):
    server = start(*STANDING, "--stream-max-bytes", "1M")
    client, admin = Client(server), Admin(server)
    client.create_table("orders")
    admin.ok("history", {"table": "orders", "keep": "24h"})
    path = f"history?table=orders&key={quote(json.dumps({'pk': {'S': 'a'}}))}"
    for n in range(100):
        put(client, "orders", "a", text={"S": str(n) * 15_000})
    wait_until(lambda: len(all_pages(admin, path, "entries")[0]) < 60, what="the oldest changes are given up")
    listed, _ = all_pages(admin, path, "entries")
    assert listed and listed[-1]["new"]["text"]["S"].startswith("99")


def test_the_request_that_made_a_change(start):
    server = start(*STANDING)
    client, admin = Client(server), Admin(server)
    client.create_table("orders", **STREAM)
    key = {"pk": {"S": "a"}}
    path = f"history?table=orders&key={quote(json.dumps(key))}"

    def send(operation, **body):
        answer = client.send(operation, body)
        assert answer.status == 200
        return answer.get("x-amzn-requestid")

    def told():
        return [(one["by"], one.get("request_id")) for one in admin.ok(path)["entries"]]

    first = send("PutItem", TableName="orders", Item={**key, "n": {"N": "1"}})
    send("PutItem", TableName="orders", Item={"pk": {"S": "other"}})
    admin.move(advance="1m")
    second = send("TransactWriteItems", TransactItems=[
        {"Update": {"TableName": "orders", "Key": key, "UpdateExpression": "SET n = :n",
                    "ExpressionAttributeValues": {":n": {"N": "2"}}}}])
    admin.move(advance="1m")
    third = send("DeleteItem", TableName="orders", Key=key)
    assert told() == [("client", first), ("transaction", second), ("client", third)]
    admin.move(advance="1m")
    client.ok("BatchWriteItem", RequestItems={"orders": [{"PutRequest": {"Item": key}}]})
    assert told()[3] == ("client", None)
    # Two writes at one time, of which one changed nothing: it is not certain which one it was.
    admin.move(advance="1m")
    put(client, "orders", "a")
    send("UpdateItem", TableName="orders", Key=key, UpdateExpression="SET n = :n",
         ExpressionAttributeValues={":n": {"N": "5"}})
    assert told()[4] == ("client", None)
    silent = start(*STANDING, "--explain", "0")
    client, admin = Client(silent), Admin(silent)
    client.create_table("orders", **STREAM)
    put(client, "orders", "a")
    assert told() == [("client", None)]


# --- commands -------------------------------------------------------------------------------------

def told_by(server, *words):
    ended = run_to_end(*words, "--port", server.port)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


def test_commands(start):
    server = start(*STANDING)
    client, admin = Client(server), Admin(server)
    client.create_table("orders", **STREAM)
    expire(client, "orders")
    admin.mark("seeded")
    assert told_by(server, "mark", "changes", "seeded") == ["no changes"]
    for n in range(1100):
        put(client, "orders", f"k{n:04}", 60)
    client.create_table("more")
    assert told_by(server, "clock", "due")[0] == at(61) + " ttl orders 1,100 items expire"
    lines = told_by(server, "mark", "changes", "seeded")
    assert lines[0] == "table created: more"
    assert sorted(lines[1:]) == [f'new in orders: {{"pk":{{"S":"k{n:04}"}}}}' for n in range(1100)]
    ended = run_to_end("mark", "changes", "missing", "--port", server.port)
    assert ended.returncode == 1 and "there is no mark 'missing'" in ended.stderr
    idle = start(*STANDING)
    assert told_by(idle, "clock", "due") == ["nothing is due"]


# --- all of them ----------------------------------------------------------------------------------

VIEWS = ["due", "ttl/orders", "transactions", "streams/orders", "marks/seeded/changes",
         "history?table=orders&key=" + quote('{"pk":{"S":"a"}}')]


@pytest.mark.parametrize("path", VIEWS)
def test_a_foreign_page_sees_nothing(start, path):
    server = start(*STANDING)
    client, admin = Client(server), Admin(server)
    client.create_table("orders", **STREAM)
    admin.mark("seeded")
    assert admin.send(path).status == 200
    assert admin.send(path, headers={"Origin": "http://evil.example"}).status == 403
    assert admin.send(path, headers={"Host": "evil.example:8000"}).status == 403
    answer = admin.send(path, {})
    if path.startswith("history"):  # POST makes a table keep its changes
        assert answer.status == 400
        assert admin.send(path, {}, method="PUT").get("allow") == "GET, HEAD, POST"
    else:
        assert (answer.status, answer.get("allow")) == (405, "GET, HEAD")
