"""Verbs that show the whole server: GET /_stator/info and /_stator/tables, and the list of requests that a page follows."""

import json
import subprocess

import pytest

from admin import Admin
from client import Client
from server_process import binary, clean_environment, given_endpoint

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")


def setting(info, name):
    return next(one for one in info["settings"] if one["name"] == name)


def test_info(start):
    server = start("--gsi-delay", "0.5", "--isolate", "key", "--console-token", "a-secret-of-20-chars",
                   env={"STATOR_TTL_DELAY": "3"})
    Client(server, "eu-west-1").create_table("orders")
    Client(server, "us-east-1", "other").create_table("orders")
    info = Admin(server).ok("info")
    assert info["version"].startswith("Stator ") and info["isolation"] == "key"
    assert info["account_id"] == "000000000000" and "folder" not in info and info["token_needed"] is False
    assert info["regions"] == ["eu-west-1", "us-east-1"]
    assert {"GetItem", "TransactWriteItems", "GetRecords"} <= set(info["operations"])
    assert setting(info, "gsi-delay") == {"name": "gsi-delay", "value": "0.5", "from": "flag", "live": True}
    assert setting(info, "ttl-delay") == {"name": "ttl-delay", "value": "3", "from": "env", "live": True}
    assert setting(info, "threads")["from"] == "default" and info["limits"] == {"explain": 200, "explain_bytes": 4096}
    assert "a-secret" not in str(info)


def test_info_of_a_server_that_listens_beyond_its_machine(start, tmp_path):
    info = Admin(start("--host", "*", "--db-path", tmp_path / "data")).ok("info")
    assert info["token_needed"] is True and info["folder"] == str(tmp_path / "data")


def test_tables(start):
    server = start()
    client = Client(server)
    client.ok("CreateTable", TableName="orders", BillingMode="PAY_PER_REQUEST", DeletionProtectionEnabled=True,
              KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
              AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind} for name, kind in
                                    (("pk", "S"), ("sk", "N"), ("by", "B"))],
              LocalSecondaryIndexes=[{"IndexName": "local", "Projection": {"ProjectionType": "KEYS_ONLY"},
                                      "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"},
                                                    {"AttributeName": "by", "KeyType": "RANGE"}]}],
              GlobalSecondaryIndexes=[{"IndexName": "global", "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}],
                                       "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a"]}}],
              StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    client.ok("UpdateTimeToLive", TableName="orders",
              TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
    client.ok("PutItem", TableName="orders", Item={"pk": {"S": "a"}, "sk": {"N": "1"}, "by": {"B": "AA=="}})
    client.ok("PutItem", TableName="orders", Item={"pk": {"S": "b"}, "sk": {"N": "1"}})
    told = Admin(server).ok("tables")
    assert set(told) == {"tables"}
    [table] = told["tables"]
    described = client.describe("orders")
    assert (table["region"], table["table"], table["status"]) == ("us-east-1", "orders", "ACTIVE")
    assert table["billing_mode"] == "PAY_PER_REQUEST" and table["deletion_protection"] is True
    assert table["key"] == [["pk", "S"], ["sk", "N"]] and "access_key" not in table
    assert (table["items"], table["bytes"]) == (2, described["TableSizeBytes"])
    assert table["stream"] == {"arn": described["LatestStreamArn"], "view": "NEW_IMAGE"}
    assert table["ttl"]["attribute"] == "ends"
    local, by = table["indexes"]
    assert (local["index"], local["kind"], local["key"], local["items"]) == ("local", "local", [["pk", "S"], ["by", "B"]], 1)
    assert (by["kind"], by["key"], by["projection"], by["attributes"]) == ("global", [["by", "B"]], "INCLUDE", ["a"])
    assert (by["status"], by["items"]) == ("ACTIVE", 1)
    assert by["bytes"] == described["GlobalSecondaryIndexes"][0]["IndexSizeBytes"]


def test_schema_of_a_table(start):
    server = start("--isolate", "key")
    client, other = Client(server, "eu-west-1", "one"), Client(server, "us-east-1", "two")
    client.create_table("orders")
    arn = client.describe("orders")["TableArn"]
    client.ok("TagResource", ResourceArn=arn, Tags=[{"Key": "team", "Value": "shop"}])
    client.ok("UpdateTimeToLive", TableName="orders",
              TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
    client.ok("UpdateContinuousBackups", TableName="orders",
              PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Principal": "*", "Resource": arn,
                                                      "Action": "dynamodb:DeleteTable"}]}
    client.ok("PutResourcePolicy", ResourceArn=arn, Policy=json.dumps(policy))
    admin = Admin(server)
    for form in ("cloudformation", "terraform", "cli", "workbench", "stator"):
        told = admin.ok(f"tables/orders/schema?format={form}")
        printed = subprocess.run(
            [binary(), "schema", "orders", "--as", form, "--endpoint", server.endpoint, "--region", "eu-west-1"],
            env=clean_environment({"AWS_ACCESS_KEY_ID": "one", "AWS_SECRET_ACCESS_KEY": "x"}), check=True,
            capture_output=True, text=True, timeout=60)
        assert (told["format"], told["text"]) == (form, printed.stdout)
        note = told.get("note", "")
        assert note in printed.stderr and bool(note) == (form in ("cli", "workbench"))
    whole = json.loads(told["text"])
    assert whole["TimeToLiveSpecification"] == {"AttributeName": "ends", "Enabled": True}
    assert whole["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert whole["Tags"] == [{"Key": "team", "Value": "shop"}] and json.loads(whole["ResourcePolicy"]) == policy
    other.create_table("orders")
    answer = admin.send("tables/orders/schema?format=cli")
    assert answer.status == 400 and answer.json()["error"].startswith("several tables have this name")
    told = admin.ok("tables/orders/schema?format=stator&region=us-east-1&access_key=two")
    assert "Tags" not in json.loads(told["text"])
    assert admin.send("tables/none/schema?format=cli").status == 404
    for wrong in ("", "?format=", "?format=yaml"):
        answer = admin.send("tables/orders/schema" + wrong)
        assert (answer.status, answer.json()["error"]) == (
            400, "the parameter format is one of cloudformation, terraform, cli, workbench, stator")


def test_tables_of_all_keys_and_regions(start):
    server = start("--isolate", "key")
    for region, key in (("us-east-1", "one"), ("eu-west-1", "two"), ("eu-west-1", "one")):
        for name in ("b", "a", "c"):
            Client(server, region, key).create_table(name + name + name)

    def names(query=""):
        told = Admin(server).ok("tables" + query)
        return [(one["access_key"], one["region"], one["table"]) for one in told["tables"]], told.get("next")

    everything, rest = names()
    assert rest is None and len(everything) == 9
    assert everything == sorted(everything)
    assert [one for one, _, _ in names("?access_key=two")[0]] == ["two"] * 3
    assert {one for _, one, _ in names("?region=eu-west-1")[0]} == {"eu-west-1"}
    for limit in (1, 2, 4, 9):
        seen, after = [], ""
        for _ in range(10):
            part, after_next = names(f"?limit={limit}" + (f"&after={after}" if after else ""))
            assert len(part) <= limit
            seen += part
            if after_next is None:
                break
            after = after_next.replace("/", "%2F")
        assert seen == everything, limit
    for wrong in ("limit=0", "limit=1001", "limit=x"):
        answer = Admin(server).send("tables?" + wrong)
        assert answer.status == 400 and answer.json()["error"].startswith("limit is ")


def test_an_index_that_is_filled(start):
    server = start("--clock", "manual", "--control-plane-delay", "60")
    client, admin = Client(server), Admin(server)
    client.ok("CreateTable", TableName="orders", BillingMode="PAY_PER_REQUEST",
              KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
              AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    assert admin.ok("tables")["tables"][0]["status"] == "CREATING"
    admin.move(advance="2m")
    client.ok("UpdateTable", TableName="orders",
              AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "by")],
              GlobalSecondaryIndexUpdates=[{"Create": {
                  "IndexName": "by-by", "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}],
                  "Projection": {"ProjectionType": "ALL"}}}])
    assert admin.ok("tables")["tables"][0]["indexes"][0]["status"] == "CREATING"
    admin.move(advance="1h")
    [table] = admin.ok("tables")["tables"]
    assert table["status"] == table["indexes"][0]["status"] == "ACTIVE" and "backfill" not in table["indexes"][0]


def test_a_thousand_tables_are_one_answer(start):
    server = start()
    client = Client(server)
    for n in range(1001):
        client.create_table(f"table{n:04}")
    told = Admin(server).ok("tables")
    assert [one["table"] for one in told["tables"]] == [f"table{n:04}" for n in range(1000)]
    assert [one["table"] for one in Admin(server).ok("tables?after=" + told["next"])["tables"]] == ["table1000"]


def test_a_page_follows_requests(start):
    server = start("--explain", "5")
    client, admin = Client(server), Admin(server)
    client.create_table("orders")
    cursor = admin.ok("requests")["last"]
    assert admin.ok(f"requests?after={cursor}") == {"requests": [], "cursor": cursor, "last": cursor, "lost": 0}
    for n in range(3):
        client.error("DescribeTable", TableName=f"nothing{n}")
    client.ok("PutItem", TableName="orders", Item={"pk": {"S": "a b"}})
    told = admin.ok(f"requests?after={cursor}")
    assert [one["table"] for one in told["requests"]] == ["nothing0", "nothing1", "nothing2", "orders"]
    assert [one["sequence"] for one in told["requests"]] == [cursor + n for n in (1, 2, 3, 4)]
    assert told["last"] == told["cursor"] == cursor + 4 and told["lost"] == 0
    assert {one["origin"] for one in told["requests"]} == {"client"}
    part = admin.ok(f"requests?after={cursor}&limit=3")
    assert [one["sequence"] for one in part["requests"]] == [cursor + n for n in (1, 2, 3)]
    assert [one["table"] for one in admin.ok(f"requests?after={part['last']}")["requests"]] == ["orders"]
    for query, count in (("status=4xx", 3), ("status=200", 1), ("operation=PutItem", 1), ("text=a%20b", 1),
                         ("text=nothing1", 1), ("origin=console", 0), ("operation=PutItem&status=4xx", 0)):
        assert len(admin.ok(f"requests?after={cursor}&{query}")["requests"]) == count, query
    for n in range(8):
        client.error("DescribeTable", TableName=f"more{n}")
    told = admin.ok(f"requests?after={part['last']}")
    assert [one["table"] for one in told["requests"]] == ["orders"] + [f"more{n}" for n in (3, 4, 5, 6, 7)]
    assert told["lost"] == 3
    for wrong in ("status=4", "origin=me", "limit=0"):
        assert admin.send("requests?" + wrong).status == 400


def test_equal_failures_are_listed_one_by_one(start):
    server = start()
    client, admin = Client(server), Admin(server)
    for _ in range(4):
        client.error("DescribeTable", TableName="nothing")
    assert [one.get("count") for one in admin.ok("requests")["requests"]] == [4]
    assert [one["sequence"] for one in admin.ok("requests?after=0")["requests"]] == [1, 2, 3, 4]


def test_settings_change_while_the_server_runs(start):
    server = start("--clock", "2027-01-01T00:00:00Z", "--ttl-cooldown", "60")
    client, admin = Client(server), Admin(server)
    client.create_table("before")
    told = admin.ok("settings", {"control-plane-delay": "1m30s", "transaction-time": 2.5})
    assert set(told) == {"settings"} and told == {"settings": admin.ok("info")["settings"]}
    assert setting(told, "control-plane-delay") == {
        "name": "control-plane-delay", "value": "90", "from": "verb", "live": True}
    assert setting(told, "transaction-time")["value"] == "2.5"
    assert setting(told, "ttl-cooldown") == {"name": "ttl-cooldown", "value": "60", "from": "flag", "live": True}
    assert setting(told, "port")["live"] is False
    assert client.create_table("slow")["TableStatus"] == "CREATING"
    admin.move(advance="89s")
    assert client.describe("slow")["TableStatus"] == "CREATING"
    admin.move(advance="1s")
    assert client.describe("slow")["TableStatus"] == "ACTIVE"
    admin.ok("settings", {"control-plane-delay": "0"})
    client.create_table("quick")
    assert client.describe("quick")["TableStatus"] == "ACTIVE"
    for wrong in ({}, {"port": "1"}, {"ttl-cooldown": "soon"}, {"ttl-cooldown": "-1"}, {"ttl-cooldown": None},
                  {"ttl-cooldown": "1000001"}, {"ttl-cooldown": "5", "threads": "5"}, {"throttling": "on"},
                  {"throttling": 1}, {"explain": "10001"}, {"explain": "-1"}, {"explain": 1.5}, {"gsi-delay": True},
                  {"ttl-cooldown": "5", "explain": "many"}):
        assert admin.send("settings", wrong).status == 400, wrong
    assert setting(admin.ok("info"), "ttl-cooldown")["value"] == "60"
    assert server.stop() == 0
    assert setting(Admin(start("--control-plane-delay", "3")).ok("info"), "control-plane-delay")["from"] == "flag"


def test_texts_of_wrong_settings(start):
    admin = Admin(start("--throttling", "off"))
    every = ("control-plane-delay, gsi-delay, eventual-read-lag, transaction-time, policy-lag, throttling, ttl-delay, "
             "ttl-sweep-interval, ttl-cooldown, pitr-lag, explain")
    for wrong, text in (
            ({"port": "1"}, "the body is to have settings that may change while the server runs, as in "
                            '{"transaction-time": "5s"}: ' + every),
            ({"ttl-delay": "-1"}, "ttl-delay: the time is to be from 0 to 1000000 seconds"),
            ({"throttling": "on"}, "throttling: the mode is to be off, observe or enforce"),
            ({"explain": "10001"}, "explain: the number is to be from 0 to 10000"),
            ({"throttling": "enforce"}, "throttling: the server was started with --throttling off and counts nothing: "
                                        "start it with observe or enforce")):
        answer = admin.send("settings", wrong)
        assert (answer.status, answer.json()) == (400, {"error": text})
    assert setting(admin.ok("settings", {"throttling": "off"}), "throttling")["from"] == "verb"


def test_indexes_follow_at_the_new_delay(start):
    server = start("--clock", "2027-01-01T00:00:00Z", "--gsi-delay", "60")
    client, admin = Client(server), Admin(server)
    client.ok("CreateTable", TableName="orders", BillingMode="PAY_PER_REQUEST",
              KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
              AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"},
                                    {"AttributeName": "by", "AttributeType": "S"}],
              GlobalSecondaryIndexes=[{"IndexName": "by-by", "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}],
                                       "Projection": {"ProjectionType": "ALL"}}])

    def put(key):
        client.ok("PutItem", TableName="orders", Item={"pk": {"S": key}, "by": {"S": "x"}})

    def seen():
        return client.ok("Scan", TableName="orders", IndexName="by-by")["Count"]

    put("a")
    assert seen() == 0
    admin.ok("settings", {"gsi-delay": "5s"})
    [due] = [one for one in admin.ok("due?until=2027-01-01T01:00:00Z")["due"] if one["kind"] == "index"]
    assert due["time"] == "2027-01-01T00:00:05.000Z"
    admin.move(advance="5s")
    assert seen() == 1
    put("b")
    assert seen() == 1
    admin.ok("settings", {"gsi-delay": "0"})
    assert seen() == 2
    put("c")
    assert seen() == 3


def test_items_expire_at_the_new_delay(start):
    server = start("--clock", "2027-01-01T00:00:00Z", "--ttl-delay", "3600")
    client, admin = Client(server), Admin(server)
    client.create_table("orders")
    client.ok("UpdateTimeToLive", TableName="orders",
              TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
    client.ok("PutItem", TableName="orders", Item={"pk": {"S": "a"}, "ends": {"N": "1798761601"}})
    admin.move(advance="60s")
    assert client.ok("Scan", TableName="orders")["Count"] == 1
    admin.ok("settings", {"ttl-delay": "90", "ttl-sweep-interval": "10s"})
    queue = admin.ok("ttl/orders")
    assert (queue["delay_seconds"], queue["sweep_seconds"]) == (90, 10)
    admin.move(advance="30s")
    assert client.ok("Scan", TableName="orders")["Count"] == 1
    admin.move(advance="10s")
    assert client.ok("Scan", TableName="orders")["Count"] == 0


def test_throttling_changes(start):
    server = start("--capacity", "initial-burst-seconds=1")
    client, admin = Client(server), Admin(server)
    client.create_table("orders")
    admin.ok("settings", {"throttling": "enforce"})
    told = {one["table"]: one["throttling"] for one in admin.ok("capacity")["tables"]}
    assert told == {"orders": "enforce"}
    admin.ok("capacity", {"table": "orders", "throttling": "off"})
    admin.ok("settings", {"throttling": "observe"})
    client.create_table("later")
    told = {one["table"]: one["throttling"] for one in admin.ok("capacity")["tables"]}
    assert told == {"orders": "off", "later": "observe"}
    admin.ok("capacity", {"table": "orders", "throttling": "default"})
    assert admin.ok("capacity/orders")["tables"][0]["throttling"] == "observe"


def test_another_number_of_requests_is_kept(start):
    server = start("--explain", "0")
    client, admin = Client(server), Admin(server)
    client.error("DescribeTable", TableName="nothing")
    assert admin.send("requests").status == 404
    told = admin.ok("settings", {"explain": 2})
    assert setting(told, "explain") == {"name": "explain", "value": "2", "from": "verb", "live": True}
    assert admin.ok("info")["limits"]["explain"] == 2
    for _ in range(4):
        client.error("DescribeTable", TableName="nothing")
    assert len(admin.ok("requests?after=0")["requests"]) == 2
    admin.ok("settings", {"explain": "0"})
    assert admin.send("requests").status == 404


def test_reads_begin_to_lag(start):
    server = start("--clock", "2027-01-01T00:00:00Z")
    client, admin = Client(server), Admin(server)
    client.create_table("orders")
    read = {"TableName": "orders", "Key": {"pk": {"S": "a"}}}
    admin.ok("settings", {"eventual-read-lag": "10s"})
    client.ok("PutItem", TableName="orders", Item={"pk": {"S": "a"}})
    assert "Item" not in client.ok("GetItem", **read) and "Item" in client.ok("GetItem", ConsistentRead=True, **read)
    admin.move(advance="11s")
    assert "Item" in client.ok("GetItem", **read)
    client.ok("DeleteItem", **read)
    assert "Item" in client.ok("GetItem", **read)
    admin.ok("settings", {"eventual-read-lag": "0"})
    assert "Item" not in client.ok("GetItem", **read)


def test_settings_are_bounded(start):
    admin = Admin(start())
    for n in range(1, 1001):
        admin.ok("settings", {"ttl-cooldown": str(n)})
    assert admin.send("settings", {"ttl-cooldown": "1001"}).status == 503
    admin.ok("settings", {"ttl-cooldown": "1000"})  # a known one
