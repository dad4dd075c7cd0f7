"""/_stator/capacity and `stator capacity`: what they tell and change (docs/capacity.md)."""

import pytest

from admin import Admin
from client import Client
from server_process import given_endpoint, run_to_end

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

ONE_WRITE = "partition-writes=1,on-demand-writes=4,heat-split=off"


@pytest.fixture
def table(start):
    server = start("--clock", "2027-01-01T00:00:00Z", "--capacity", ONE_WRITE)
    client = Client(server)
    client.create_table("things")
    return server, client, Admin(server)


def put(client, key="a"):
    return client.send("PutItem", {"TableName": "things", "Item": {"pk": {"S": key}}})


def write_side(admin):
    return admin.ok("capacity", {"table": "things"})["tables"][0]["write"]


def test_observed_and_enforced(table):
    _, client, admin = table
    for _ in range(3):
        assert put(client).status == 200
    assert write_side(admin)["throttled"] == {"TableWriteKeyRangeThroughputExceeded": 2}
    assert write_side(admin)["consumed_units"] == 1
    told = admin.ok("capacity", {"table": "things", "throttling": "enforce"})["tables"][0]
    assert told["throttling"] == "enforce"
    assert told["throttled_keys"] == [{"key": {"S": "a"}, "units": 2}]
    refused = put(client)
    assert refused.status == 400
    assert refused.json()["throttlingReasons"] == [
        {"reason": "TableWriteKeyRangeThroughputExceeded",
         "resource": "arn:aws:dynamodb:us-east-1:000000000000:table/things"}]
    admin.move(advance="1s")
    assert put(client).status == 200
    admin.ok("capacity", {"table": "things", "throttling": "off"})
    assert put(client).status == 200
    assert write_side(admin)["consumed_units"] == 2


def test_the_log_tells_each_minute_and_at_the_end(start):
    server = start("--clock", "2027-01-01T00:00:00Z", "--capacity", "initial-burst-seconds=1", "--threads", "1")
    units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}
    for region, writes in (("us-east-1", 5), ("eu-west-1", 12)):
        client = Client(server, region=region)
        client.create_table("things", ProvisionedThroughput=units)
        for _ in range(writes):
            assert put(client, "customer#17").status == 200
    Admin(server).move(advance="1m")
    why = "writes would have been throttled: TableWriteProvisionedThroughputExceeded"
    where = 'hottest partition 1 of 1, key "customer#17"'
    assert len(server.wait_for_log(rf"table things: 3 of 5 {why}, {where} \(us-east-1\)")) == 1
    assert len(server.wait_for_log(rf"table things: 10 of 12 {why}, {where} \(eu-west-1\)")) == 1
    client.create_table("late", ProvisionedThroughput=units)
    for _ in range(6):
        client.ok("GetItem", TableName="late", Key={"pk": {"S": "a"}}, ConsistentRead=True)
    assert server.stop() == 0  # in the middle of a minute
    log = server.log()
    assert "table late: 5 of 6 reads would have been throttled: TableReadProvisionedThroughputExceeded" in log
    worst_first = [f"in all, of table things: 10 {why} 10 (eu-west-1)",
                   "in all, of table late: 5 reads would have been throttled: TableReadProvisionedThroughputExceeded 5",
                   f"in all, of table things: 3 {why} 3 (us-east-1)"]
    places = [log.index(line) for line in worst_first]
    assert places == sorted(places)


def test_a_setting_can_be_taken_back(start, tmp_path):
    """What was said of a table goes with it, until it is to be as the flag says."""
    server = start("--db-path", tmp_path, "--throttling", "enforce")
    Client(server).create_table("things")
    admin = Admin(server)
    assert admin.ok("capacity", {"table": "things", "throttling": "observe"})["tables"][0]["throttling"] == "observe"
    assert server.stop() == 0
    server = start("--db-path", tmp_path, "--throttling", "enforce")
    assert Admin(server).ok("capacity/things")["tables"][0]["throttling"] == "observe"
    (told,) = Admin(server).ok("capacity", {"table": "things", "throttling": "default"})["tables"]
    assert told["throttling"] == "enforce"
    assert server.stop() == 0
    server = start("--db-path", tmp_path, "--throttling", "off")
    assert Admin(server).ok("capacity") == {"tables": []}
    assert server.stop() == 0
    server = start("--db-path", tmp_path)
    assert Admin(server).ok("capacity/things")["tables"][0]["throttling"] == "observe"


def test_one_table(table):
    server, client, admin = table
    client.create_table("others")
    Client(server, region="eu-west-1").create_table("things")
    assert [(one["region"], one["table"]) for one in admin.ok("capacity/things")["tables"]] == [
        ("eu-west-1", "things"), ("us-east-1", "things")]
    answer = admin.send("capacity/missing")
    assert (answer.status, answer.json()) == (404, {"error": "there is no table 'missing'"})
    assert admin.send("capacity/things", {}).status == 405


def test_fill_and_ranges(table):
    _, client, admin = table
    client.ok("CreateTable", TableName="old", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
              AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
              ProvisionedThroughput={"ReadCapacityUnits": 2, "WriteCapacityUnits": 7})
    (old,) = admin.ok("capacity/old")["tables"]
    assert (old["write"]["tokens"], old["write"]["tokens_max"]) == (2100, 2100)
    assert (old["partitions"][0]["write"]["tokens_max"], old["partitions"][0]["read"]["tokens_max"]) == (1, 3000)
    client.ok("CreateTable", TableName="capped", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
              AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}], BillingMode="PAY_PER_REQUEST",
              OnDemandThroughput={"MaxWriteRequestUnits": 9})
    (capped,) = admin.ok("capacity/capped")["tables"]
    assert (capped["write"]["maximum_units"], capped["write"]["tokens_max"]) == (9, 2700)
    assert "maximum_units" not in capped["read"]
    assert capped["write"]["account_tokens_max"] == 40_000
    assert [(part["first_hash"], part["last_hash"]) for part in capped["partitions"]] == [
        (i << 22, (i + 1 << 22) - 1) for i in range(4)]


def test_what_would_have_sufficed_is_known_at_once(table):
    """Also of the minute that is not over: the clock stands."""
    _, client, admin = table
    client.ok("CreateTable", TableName="old", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
              AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
              ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
    for number in range(3):
        client.ok("PutItem", TableName="old", Item={"pk": {"S": str(number)}, "filler": {"S": "x" * 100_000}})
    write = admin.ok("capacity/old")["tables"][0]["write"]
    assert write["consumed_units"] + write["throttled_units"] == 294
    assert write["sufficient_units"] == 5  # 294 in a minute
    admin.move(advance="1m")
    assert admin.ok("capacity/old")["tables"][0]["write"]["sufficient_units"] == 5


def test_what_time_brings(start):
    server = start("--clock", "2027-01-01T00:00:00Z", "--capacity", ONE_WRITE + ",window-seconds=5")
    client, admin = Client(server), Admin(server)
    client.create_table("things")
    for second in range(5):  # 4 a second, one in each partition: more than half of what is warm
        for number in range(20):
            put(client, f"{second}-{number}")
        admin.move(advance="1s")
    (told,) = admin.ok("capacity/things")["tables"]
    assert told["write"]["last_minute_units"] == 20
    assert told["growths_due"] == [{"time": "2027-01-01T00:30:05.000Z", "read_units": 0, "write_units": 8}]
    assert "warming" not in told
    client.ok("UpdateTable", TableName="things",
              WarmThroughput={"ReadUnitsPerSecond": 13_000, "WriteUnitsPerSecond": 4_000})
    (told,) = admin.ok("capacity/things")["tables"]
    assert (told["warming"]["time"], told["warming"]["read_units"]) == ("2027-01-01T00:06:35.000Z", 13_000)
    assert told["is_warming"] is True


def test_more_partitions(table):
    _, _, admin = table
    firsts = [0, 1 << 22, 1 << 23, 3 << 22]
    told = admin.ok("capacity", {})["tables"][0]
    assert [part["first_hash"] for part in told["partitions"]] == firsts
    told = admin.ok("capacity", {"table": "things", "partitions": 8})["tables"][0]
    assert [part["first_hash"] for part in told["partitions"]] == [i << 21 for i in range(8)]
    assert [split["cause"] for split in told["splits"]] == ["throughput"] * 4


@pytest.mark.parametrize("body, status, error", [
    ({"table": "other"}, 404, "there is no table 'other'"),
    ({"table": "things", "index": "i", "region": "eu-west-1"}, 404,
     "there is no table 'things' with an index 'i' in Region 'eu-west-1'"),
    ({"table": 1}, 400, "table is to be a string"),
    ({"table": "things", "throttling": "on"}, 400, "throttling is to be off, observe, enforce or default"),
    ({"partitions": 0}, 400, "partitions is to be a number from 1 to 1024"),
    ({"tables": "things"}, 400, "the body may have the members table, index, region, access_key, "
                                "throttling and partitions"),
])
def test_mistakes(table, body, status, error):
    answer = table[2].send("capacity", body)
    assert (answer.status, answer.json()) == (status, {"error": error})


def test_without_throttling(start):
    admin = Admin(start("--throttling", "off"))
    assert admin.send("capacity", {}).json() == {
        "error": "the server was started with --throttling off and counts nothing"}


@pytest.mark.parametrize("setting, why", [
    ("burst-seconds=0", "burst-seconds is a whole number from 1 to 86400"),
    ("burst-seconds=1s", "burst-seconds is a whole number from 1 to 86400"),
    ("adaptive=on", "adaptive is one of instant, delayed, off"),
    ("burst=1", "there is no 'burst'"),
])
def test_settings_that_are_none(setting, why):
    ended = run_to_end("--capacity", setting, "--port", "0")
    assert ended.returncode == 2
    assert why in ended.stderr


def test_the_command(table):
    server, client, _ = table
    for _ in range(2):
        put(client)

    def told(*arguments):
        ended = run_to_end("capacity", *arguments, "--endpoint", server.endpoint)
        assert (ended.returncode, ended.stderr) == (0, ""), ended
        return ended.stdout.splitlines()

    assert told() == ["things (us-east-1): PAY_PER_REQUEST, throttling observe, 4 partitions",
                      "  read  0 units, 0 in the last minute, 40000 of 40000 left of the account's quota, "
                      "12000 a second are warm",
                      "  write 1 units, 0 in the last minute, 39999 of 40000 left of the account's quota, "
                      "4 a second are warm",
                      "    throttled 1: TableWriteKeyRangeThroughputExceeded"]
    whole = told("things")
    assert '    "a": 1 units' in whole
    assert whole[4] == ("  partition 1 from 0 to 4194303: 0 bytes, reads 0 in the last minute, 0 throttled, writes 0 "
                        "in the last minute, 0 throttled")
    Admin(server).ok("capacity", {"table": "things", "partitions": 8})
    assert "  2027-01-01T00:00:00.000Z: split at 2097152 for throughput" in told("things")
    assert told("--region", "eu-west-1") == ["no tables"]
    ended = run_to_end("capacity", "other", "--endpoint", server.endpoint)
    assert ended.returncode == 1
    assert "there is no table 'other'" in ended.stderr


def keyed_table(client, name, key_type, **more):
    client.ok("CreateTable", TableName=name, KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
              AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": key_type}],
              **({"BillingMode": "PAY_PER_REQUEST"} | more))


KEYS = {  # type, value as sent, as the command shows it, as the admin path does
    "number": ("N", "2013", "2013", {"key": {"N": "2013"}}),
    "umlaut": ("S", "Jürgen", '"Jürgen"', {"key": {"S": "Jürgen"}}),
    "quotes": ("S", 'a"b', '"a\\"b"', {"key": {"S": 'a"b'}}),
    "binary": ("B", "AAEC", "B AAEC", {"key": {"B": "AAEC"}}),
    "64 bytes": ("S", "x" * 64, '"' + "x" * 64 + '"', {"key": {"S": "x" * 64}}),
    "long": ("S", "x" * 80, '"' + "x" * 64 + "…", {"key": {"S": "x" * 64}, "is_cut": True}),
    "long umlauts": ("S", "ü" * 80, '"' + "ü" * 32 + "…", {"key": {"S": "ü" * 32}, "is_cut": True}),
}


@pytest.mark.parametrize("key", KEYS, ids=lambda name: name.replace(" ", "_"))
def test_a_key_is_shown_as_its_owner_writes_it(table, key):
    server, client, admin = table
    key_type, value, shown, told = KEYS[key]
    keyed_table(client, "keyed", key_type)
    client.ok("PutItem", TableName="keyed", Item={"pk": {key_type: value}})
    assert admin.ok("capacity/keyed")["tables"][0]["hottest_keys"] == [told | {"units": 1}]
    lines = run_to_end("capacity", "keyed", "--endpoint", server.endpoint).stdout.splitlines()
    assert f"    {shown}: 1 units" in lines


def test_a_key_of_several_attributes_is_a_list(table):
    server, client, admin = table
    client.ok("CreateTable", TableName="several", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
              AttributeDefinitions=[{"AttributeName": name, "AttributeType": of}
                                    for name, of in (("pk", "S"), ("g", "N"), ("h", "S"))],
              BillingMode="PAY_PER_REQUEST", GlobalSecondaryIndexes=[{
                  "IndexName": "by_gh", "Projection": {"ProjectionType": "ALL"},
                  "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "h", "KeyType": "HASH"}]}])
    client.ok("PutItem", TableName="several",
              Item={"pk": {"S": "a"}, "g": {"N": "2013"}, "h": {"S": "Jürgen"}})
    _, index = admin.ok("capacity/several")["tables"]
    assert index["hottest_keys"] == [{"key": {"L": [{"N": "2013"}, {"S": "Jürgen"}]}, "units": 1}]
    assert '    2013, "Jürgen": 1 units' in run_to_end(
        "capacity", "several", "--endpoint", server.endpoint).stdout.splitlines()


def test_a_balance_is_rounded(start):
    """A debt of a quarter of a unit is none; a larger one is no number of units that are left."""
    server = start("--clock", "2027-01-01T00:00:00Z", "--capacity", "burst-seconds=300,initial-burst-seconds=1")
    client, admin = Client(server), Admin(server)
    client.create_table("provided", ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})

    def write_line():
        lines = run_to_end("capacity", "provided", "--endpoint", server.endpoint).stdout.splitlines()
        return next(line for line in lines if line.startswith("  write"))

    client.ok("PutItem", TableName="provided", Item={"pk": {"S": "a"}})
    admin.move(advance="750ms")
    client.ok("PutItem", TableName="provided", Item={"pk": {"S": "a"}})
    assert admin.ok("capacity/provided")["tables"][0]["write"]["tokens"] == -0.25
    assert ", 0 of 300 left at 1 a second, " in write_line()
    admin.move(advance="1s")
    client.ok("PutItem", TableName="provided", Item={"pk": {"S": "a"}, "t": {"S": "x" * 5000}})
    assert admin.ok("capacity/provided")["tables"][0]["write"]["tokens"] == -4.25
    assert ", 0 of 300 left at 1 a second, 4 owed, " in write_line()


def test_the_past_of_a_table(table):
    """Steps by the server's clock: what each second and minute had, and in which partition."""
    _, client, admin = table
    for _ in range(3):
        put(client)
    admin.move(advance="2s")
    put(client, "b")
    told = admin.ok("capacity/things/series?seconds=4")
    assert (told["region"], told["step"], told["end"]) == ("us-east-1", 1, "2027-01-01T00:00:03.000Z")
    assert told["table"] == {"read": [0] * 4, "write": [0, 1, 0, 1], "read_throttled": [0] * 4,
                             "write_throttled": [0, 2, 0, 0]}
    assert told["reasons"] == {"TableWriteKeyRangeThroughputExceeded": [0, 2, 0, 0]}
    assert told["partition_limits"] == {"read": 3000, "write": 1}
    rows = told["partitions"]
    assert (len(rows), rows[0]["first_hash"], rows[-1]["last_hash"]) == (4, 0, 2**24 - 1)
    assert [rows[n]["last_hash"] + 1 for n in range(3)] == [rows[n]["first_hash"] for n in (1, 2, 3)]
    assert [sum(row["write"]) for row in rows if {"key": {"S": "a"}, "units": 1} in row["keys"]][0] >= 1
    assert [sum(column) for column in zip(*(row["write"] for row in rows))] == [0, 1, 0, 1]
    assert sum(sum(row["refused"]) for row in rows) == 2
    admin.move(advance="1h")
    assert admin.ok("capacity/things/series")["table"]["write"] == [0] * 300
    minutes = admin.ok("capacity/things/series?seconds=18000")
    assert (minutes["step"], sum(minutes["table"]["write"]), minutes["table"]["write"][-61]) == (60, 2, 2)
    admin.ok("capacity", {"table": "things", "partitions": 1024})
    rows = admin.ok("capacity/things/series?seconds=300")["partitions"]
    assert len(rows) <= 64 and sum(row["count"] for row in rows) == 1024


def test_the_past_of_indexes_and_others(table):
    _, client, admin = table
    client.create_table("indexed", GlobalSecondaryIndexes=[
        {"IndexName": "by-pk", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
         "Projection": {"ProjectionType": "ALL"}}])
    client.ok("PutItem", TableName="indexed", Item={"pk": {"S": "a"}})
    told = admin.ok("capacity/indexed/series?index=by-pk&seconds=1")
    assert (told["index"], told["table"]["write"]) == ("by-pk", [1])
    assert "index" not in admin.ok("capacity/indexed/series")
    for path, status in (("capacity/missing/series", 404), ("capacity/indexed/series?index=no", 404),
                         ("capacity/things/series?region=eu-west-1", 404), ("capacity/things/series?seconds=0", 400),
                         ("capacity/things/series?seconds=18001", 400)):
        assert admin.send(path).status == status, path
    # A table of the same name begins anew.
    client.ok("DeleteTable", TableName="indexed")
    client.create_table("indexed")
    assert sum(admin.ok("capacity/indexed/series")["table"]["write"]) == 0
