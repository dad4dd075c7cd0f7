"""The clock that users move, and reset: --clock and /_stator/ (docs/time.md)."""

import threading
from datetime import datetime, timezone

import pytest

from admin import Admin, admin_request
from client import Client
from metrics_page import Page
from raw_client import Connection
from server_process import given_endpoint, run_to_end, wait_until

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

NEW_YEAR = "2027-01-01T00:00:00.000Z"
INDEX = {"IndexName": "by_g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
         "Projection": {"ProjectionType": "ALL"}}
INDEXED = {"GlobalSecondaryIndexes": [INDEX],
           "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"},
                                    {"AttributeName": "g", "AttributeType": "S"}]}


def unix(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def put(client, table, key):
    client.ok("PutItem", TableName=table, Item={"pk": {"S": key}, "g": {"S": "x"}})


def indexed(client, table):
    return client.ok("Scan", TableName=table, IndexName="by_g")["Count"]


# --- moving it ------------------------------------------------------------------------------------

def test_what_became_due_has_happened(start):
    server = start("--control-plane-delay", "3600", "--gsi-delay", "600", "--eventual-read-lag", "60")
    client, admin = Client(server), Admin(server)
    client.create_table("things", **INDEXED)
    assert client.describe("things")["TableStatus"] == "CREATING"
    admin.move(advance="59m")
    assert client.describe("things")["TableStatus"] == "CREATING"
    admin.move(advance="1m")
    assert client.describe("things")["TableStatus"] == "ACTIVE"
    put(client, "things", "a")
    assert client.ok("Scan", TableName="things")["Count"] == 0
    assert client.ok("Scan", TableName="things", ConsistentRead=True)["Count"] == 1
    admin.move(advance="1m")
    assert client.ok("Scan", TableName="things")["Count"] == 1
    assert indexed(client, "things") == 0
    admin.move(advance="10m")
    admin.move(advance="1m")
    assert indexed(client, "things") == 1
    client.ok("DeleteTable", TableName="things")
    admin.move(advance="1h")
    assert client.table_names() == []


def test_time_in_answers(start):
    server = start("--clock", "2027-01-01T00:00:00Z")
    client, admin = Client(server), Admin(server)
    assert admin.clock() == {"time": NEW_YEAR, "mode": "manual", "rate": 0}
    assert client.create_table("first")["CreationDateTime"] == unix(NEW_YEAR)
    assert admin.move(advance="25h30m")["time"] == "2027-01-02T01:30:00.000Z"
    assert client.create_table("second")["CreationDateTime"] == unix(NEW_YEAR) + 91_800
    assert admin.move(set="2028-02-29T12:00:00+01:00")["time"] == "2028-02-29T11:00:00.000Z"
    assert client.create_table("third")["CreationDateTime"] == unix("2028-02-29T11:00:00Z")
    assert admin.clock() == {"time": "2028-02-29T11:00:00.000Z", "mode": "manual", "rate": 0}


def test_real_time_passes(start):
    server = start()
    admin = Admin(server)
    before = datetime.now(timezone.utc).timestamp()
    clock = admin.clock()
    assert (clock["mode"], clock["rate"]) == ("real", 1)
    assert before - 0.001 <= unix(clock["time"]) <= datetime.now(timezone.utc).timestamp()
    ahead = admin.move(advance="7d")
    assert ahead["mode"] == "real"
    assert unix(ahead["time"]) - before >= 7 * 86_400 - 0.001  # times are told in whole milliseconds
    wait_until(lambda: admin.time() > ahead["time"], what="time passes")


def test_the_wire_has_the_systems_time(start):
    server = start("--clock", "2027-01-01T00:00:00Z", "--check-signature-age")
    now = datetime.now(timezone.utc)
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    signed = {"X-Amz-Date": stamp, "Authorization": (
        f"AWS4-HMAC-SHA256 Credential=key/{stamp[:8]}/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host, Signature=00")}
    with Connection(server) as connection:
        answer = connection.call("ListTables", b"{}", signed)
    assert answer.status == 200
    assert answer.get("Date").split()[3] == str(now.year)


def test_a_rate(start):
    """An hour's delay is over within a moment."""
    server = start("--control-plane-delay", "3600")
    client, admin = Client(server), Admin(server)
    client.create_table("things")
    clock = admin.move(rate=100_000)
    assert (clock["mode"], clock["rate"]) == ("scaled", 100_000)
    client.wait_active("things")
    client.ok("DeleteTable", TableName="things")
    client.wait_gone("things")
    stands = admin.move(mode="manual")
    assert (stands["mode"], stands["rate"]) == ("manual", 0)
    assert admin.clock() == stands
    assert admin.move(rate=0.5)["rate"] == 0.5
    assert admin.move(mode="real")["time"] >= stands["time"]


def test_a_year_with_much_to_do(start):
    server = start("--control-plane-delay", "60", "--gsi-delay", "60")
    client, admin = Client(server), Admin(server)
    for number in range(20):
        client.create_table(f"table{number}", **INDEXED)
    admin.move(advance="1m")
    for number in range(20):
        put(client, f"table{number}", "a")
        admin.move(advance="1s")
    admin.move(advance="365d")
    assert [indexed(client, f"table{number}") for number in range(20)] == [1] * 20


def test_others_are_served_meanwhile(start):
    """Requests, also for the clock, beside one move after the other."""
    server = start("--gsi-delay", "1")
    client, admin = Client(server), Admin(server)
    client.create_table("things", **INDEXED)
    admin.move(advance="1s")
    stop = threading.Event()
    failures = []

    def move():
        try:
            while not stop.is_set():
                admin.move(advance="1h")
        except Exception as failure:  # told by the test
            failures.append(failure)

    mover = threading.Thread(target=move)
    mover.start()
    times = []
    try:
        for number in range(100):
            put(client, "things", str(number))
            times.append(admin.time())
    finally:
        stop.set()
        mover.join()
    assert not failures
    assert times == sorted(times)
    admin.move(advance="1s")
    assert indexed(client, "things") == 100


# --- what it takes --------------------------------------------------------------------------------

MEMBERS = ("the body is to have one member: advance, set, rate or mode, as in "
           '{"advance": "1h30m"}')
LENGTH = "' is not a duration such as 1h30m, 25h or 250ms (w, d, h, m, s, ms, us)"
RATE = "rate is to be a number from 0 to 1000000: seconds for each real one"
TIME = 'set is to be a time such as "2027-01-01T00:00:00Z", or "now"'
MISTAKES = [
    ("clock", b"", MEMBERS),
    ("clock", b"{", "the body is not a JSON object"),
    ("clock", b"[]", "the body is not a JSON object"),
    ("clock", b'"1h"', "the body is not a JSON object"),
    ("clock", {}, MEMBERS),
    ("clock", {"go": "1h"}, MEMBERS),
    ("clock", {"advance": "1h", "rate": 1}, MEMBERS),
    ("clock", b'{"advance":"1h","advance":"1h"}', MEMBERS),
    ("clock", {"advance": None}, 'advance must be a duration such as "1h30m"'),
    ("clock", {"advance": 3600}, 'advance must be a duration such as "1h30m"'),
    ("clock", {"advance": "-1h"}, "advance: '-1h" + LENGTH),
    ("clock", {"advance": ""}, "advance: '" + LENGTH),
    ("clock", {"advance": "101w60000d"}, "advance: '101w60000d' is longer than 100 years"),
    ("clock", {"set": 0}, TIME),
    ("clock", {"set": "tomorrow"}, TIME),
    ("clock", {"set": "2026-12-31T23:59:59.999Z"},
     f"the clock does not move back: it is {NEW_YEAR} already"),
    ("clock", {"rate": -1}, RATE),
    ("clock", {"rate": 1_000_001}, RATE),
    ("clock", b'{"rate":1e400}', RATE),
    ("clock", {"rate": "60"}, RATE),
    ("clock", {"rate": True}, RATE),
    ("clock", {"mode": "fast"}, 'mode is to be "real" or "manual"'),
    ("clock", {"mode": 1}, 'mode is to be "real" or "manual"'),
    ("reset", b"x", "the body is not a JSON object"),
    ("clock", {"set": "9999-12-31T23:59:59-00:01"}, "time ends with the year 9999"),
    ("reset", {"table": "x"}, "the body may have the members region, access_key and streams"),
    ("reset", {"streams": 1}, "streams is to be true or false"),
    ("reset", {"region": 1}, "region is to be a string"),
    ("reset", {"access_key": "x"}, "tables belong to access keys with --isolate key alone"),
]


def test_mistakes(start):
    server = start("--clock", "2027-01-01T00:00:00Z")
    admin = Admin(server)
    client = Client(server)
    client.create_table("stays")
    for path, body, error in MISTAKES:
        answer = admin.send(path, body)
        assert (answer.status, answer.json()) == (400, {"error": error}), body
        assert answer.get("Content-Type") == "application/json"
    answer = admin.send("clock", b"{}", {"Content-Encoding": "gzip"})
    assert (answer.status, answer.json()["error"]) == (
        400, "the body's Content-Encoding cannot be undone")
    assert admin.clock()["time"] == NEW_YEAR
    assert client.table_names() == ["stays"]


def test_time_ends(start):
    server = start("--clock", "9999-12-31T00:00:00Z")
    admin = Admin(server)
    answer = admin.send("clock", {"advance": "1d"})
    assert (answer.status, answer.json()) == (400, {"error": "time ends with the year 9999"})
    admin.move(advance="23h")
    admin.move(rate=1_000_000)
    wait_until(lambda: admin.time() == "9999-12-31T23:59:59.999Z", what="the end of time")


def test_time_stays_at_its_end(start, tmp_path):
    """At the pace of real time, too, and over a restart."""
    flags = ("--db-path", tmp_path / "db")
    server = start(*flags)
    admin, client = Admin(server), Client(server)
    admin.move(set="9999-12-31T23:59:59.5Z")
    admin.move(mode="real")
    wait_until(lambda: admin.time() == "9999-12-31T23:59:59.999Z", what="the end of time")
    assert client.create_table("late")["CreationDateTime"] < 253_402_300_800
    assert server.stop() == 0
    admin = Admin(start(*flags))
    assert admin.time() == "9999-12-31T23:59:59.999Z"
    assert admin.send("clock", {"advance": "1us"}).status == 400


def test_what_only_reads_does_not_wait_for_a_move(start):
    """Ten thousands of shards follow one another on the way: the move takes until the server ends."""
    server = start("--stream-rollover", "1", "--request-timeout", "600")
    admin, client = Admin(server), Client(server)
    for number in range(20):
        client.create_table(f"table{number}", StreamSpecification={
            "StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    before = admin.time()
    answers = []
    mover = threading.Thread(target=lambda: answers.append(admin.send("clock", {"advance": "100d"})))
    mover.start()
    try:
        wait_until(lambda: admin.time() > before, what="time moves")
        for path in ("marks", "capacity", "capacity/table0", "requests", "requests?after=0", "info", "tables", "clock"):
            assert admin.send(path).status == 200, path
            assert mover.is_alive(), path
        assert Page(server).value("stator_streams") == 20
        assert mover.is_alive()
    finally:
        assert server.stop() == 0
        mover.join()
    assert [answer.status for answer in answers] == [503]


def test_reset_forgets_closed_streams_when_asked(start):
    server = start()
    admin, client, streams = Admin(server), Client(server), Client(server)
    streams.headers["X-Amz-Target"] = "DynamoDBStreams_20120810.ListStreams"
    client.create_table("things", StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    assert admin.ok("reset", {}) == {"tables": 1}
    assert len(streams.ok("ListStreams")["Streams"]) == 1
    assert admin.ok("reset", {"streams": True}) == {"tables": 0, "streams": 1}
    assert streams.ok("ListStreams")["Streams"] == []


def test_one_mark_too_many(start):
    admin = Admin(start())
    for number in range(32):
        admin.mark(f"m{number}")
    answer = admin.send("marks/more", {})
    assert (answer.status, answer.json()) == (
        409, {"error": "there are 32 marks already: forget one, or use its name again"})
    admin.mark("m3")


def test_no_mark_in_a_full_store(start):
    server = start("--max-bytes", "16M")
    admin, client = Admin(server), Client(server)
    client.create_table("full")
    number = 0
    while client.send("PutItem", {"TableName": "full", "Item": {
            "pk": {"S": str(number)}, "fill": {"S": "x" * 40_000}}}).status == 200:
        number += 1
    answer = admin.send("marks/m", {})
    assert (answer.status, answer.json()) == (507, {
        "error": "there is no room for a mark: delete something, or start with more --max-bytes"})
    assert admin.ok("marks") == {"marks": []}
    assert admin.send("marks/m/rollback", {}).status == 404


def test_paths_and_methods(start):
    admin = Admin(start())
    for path in ("", "x", "clock/", "Clock", "clock/x", "reset/"):
        for body in (None, {}):
            answer = admin.send(path, body)
            assert (answer.status, answer.json()) == (404, {"error": "there is nothing at this path"})
    for path, method, allow in (("clock", "PUT", "GET, HEAD, POST"), ("clock", "DELETE", "GET, HEAD, POST"),
                                ("clock", "OPTIONS", "GET, HEAD, POST"), ("reset", "GET", "POST")):
        answer = admin.send(path, method=method)
        assert (answer.status, answer.get("Allow")) == (405, allow)
        assert answer.json() == {"error": f"this path takes {allow}"}
    head, get = admin.send("clock", method="HEAD"), admin.send("clock")
    assert head.status == 200
    assert head.get("Content-Length") == get.get("Content-Length")
    assert admin.send("clock?x=y").status == 200


def without_differences(answer):
    """But for what differs from answer to answer."""
    changing = ("Date", "x-amzn-RequestId")
    return answer.status, answer.body, [h for h in answer.headers if h[0] not in changing]


def test_without_the_path(start):
    server = start("--admin", "off")
    with Connection(server) as connection:
        for name in ("clock", "reset", "x"):
            for body in (None, b"{}"):
                told = connection.exchange(admin_request(name, body))
                plain = admin_request(name, body).replace(b"/_stator/", b"/elsewhere/")
                assert without_differences(told) == without_differences(connection.exchange(plain))


def test_pages(start):
    """A page of another origin may neither look nor move; one of this machine may look alone."""
    server = start("--clock", "2027-01-01T00:00:00Z", "--allow-host", "stator.example")
    admin = Admin(server)
    move = {"advance": "1h"}
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"},
                    {"Origin": "http://evil.example", "Content-Type": "text/plain"}):
        for body in (None, move):
            answer = admin.send("clock", body, headers)
            assert (answer.status, answer.json()) == (
                403, {"error": "pages of this origin may not use this, see --cors"})
            assert answer.get("Access-Control-Allow-Origin") is None
    rebound = {"Origin": "http://evil.example", "Host": "evil.example"}
    assert admin.send("reset", {}, rebound).status == 403
    assert admin.time() == NEW_YEAR
    beside = {"Origin": "http://localhost:3000", "Host": "stator.example"}
    assert admin.send("clock", move, beside).status == 403
    look = admin.send("clock", None, beside)
    assert (look.status, look.get("Access-Control-Allow-Origin")) == (200, "*")
    assert admin.time() == NEW_YEAR
    own = admin.send("clock", move, {"Origin": "http://stator.example", "Host": "stator.example"})
    assert (own.status, own.get("Access-Control-Allow-Origin")) == (200, "http://stator.example")
    chosen = Admin(start("--cors", "https://app.example"))
    assert chosen.send("clock", move, {"Origin": "https://app.example"}).status == 200
    assert chosen.send("clock", move, {"Origin": "http://localhost:3000"}).status == 403


# --- how it goes on -------------------------------------------------------------------------------

def test_a_restart_keeps_it(start, tmp_path):
    def begin(*flags):
        server = start("--db-path", tmp_path, *flags)
        return server, Admin(server)

    server, admin = begin()
    far = admin.move(advance="30d")["time"]
    assert server.stop() == 0
    server, admin = begin()
    assert (admin.time() >= far, admin.clock()["mode"]) == (True, "real")
    stands = admin.move(mode="manual")
    server.kill()
    server, admin = begin()
    assert admin.clock() == stands
    moved = admin.move(advance="1h30m")
    assert server.stop() == 0
    server, admin = begin("--clock", "2020-01-01T00:00:00Z")  # over already
    assert admin.clock() == moved
    scaled = admin.move(rate=3600)
    server.kill()
    server, admin = begin()
    assert (admin.time() >= scaled["time"], admin.clock()["rate"]) == (True, 3600)
    assert server.stop() == 0
    server, admin = begin("--clock", "real")
    assert admin.clock()["rate"] == 1
    Client(server).create_table("things")
    assert "ahead" not in server.log()


def test_cut_off_on_the_way(start, tmp_path):
    """Killed while time is moved, and the folder is whole, with a time not before the last one told."""
    server = start("--db-path", tmp_path, "--gsi-delay", "1", "--clock", "manual")
    client, admin = Client(server), Admin(server)
    client.create_table("things", **INDEXED)
    for number in range(500):
        put(client, "things", str(number))
    before = admin.time()
    with Connection(server) as connection:
        connection.send(admin_request("clock", {"advance": "8760h"}))
        server.kill()
    server = start("--db-path", tmp_path, "--gsi-delay", "1")
    client, admin = Client(server), Admin(server)
    assert admin.time() >= before
    admin.move(advance="1s")
    assert indexed(client, "things") == 500
    assert server.stop() == 0
    assert run_to_end("check", str(tmp_path)).returncode == 0


def test_the_end_of_the_server_ends_a_move(start, tmp_path):
    """Without an answer, or with one that says where time stands."""
    server = start("--db-path", tmp_path, "--gsi-delay", "1", "--clock", "manual")
    client = Client(server)
    client.create_table("things", **INDEXED)
    for number in range(200):
        put(client, "things", str(number))
    with Connection(server) as connection:
        connection.send(admin_request("clock", {"advance": "8760h"}))
        assert server.stop() == 0


# --- reset ----------------------------------------------------------------------------------------

def test_reset_by_region(start):
    server = start("--control-plane-delay", "60")
    admin = Admin(server)
    regions = {name: Client(server, region=name) for name in ("us-east-1", "eu-west-1")}
    for client in regions.values():
        for table in ("table-a", "table-b"):
            client.create_table(table, DeletionProtectionEnabled=table == "table-a")
    assert admin.reset(region="nowhere") == 0
    assert admin.reset(region="eu-west-1") == 2
    assert regions["eu-west-1"].table_names() == []
    assert regions["us-east-1"].table_names() == ["table-a", "table-b"]
    regions["eu-west-1"].create_table("table-a")
    assert admin.ok("reset", b"")["tables"] == 3
    assert [client.table_names() for client in regions.values()] == [[], []]
    assert admin.reset(region=None) == 0


def test_reset_by_access_key(start):
    server = start("--isolate", "key")
    admin = Admin(server)
    owners = [("one", "us-east-1"), ("one", "eu-west-1"), ("two", "us-east-1"), ("two", "eu-west-1")]

    def fill(some):
        for key, region in some:
            Client(server, region, key).create_table("things")

    def left():
        return [owner for owner in owners if Client(server, owner[1], owner[0]).table_names()]

    fill(owners)
    assert admin.reset(access_key="one", region="us-east-1") == 1
    assert left() == owners[1:]
    assert admin.reset(access_key="two") == 2
    assert left() == [("one", "eu-west-1")]
    assert admin.reset(access_key="on") == 0
    fill(owner for owner in owners if owner != ("one", "eu-west-1"))
    assert admin.reset(region="eu-west-1") == 2
    assert left() == [("one", "us-east-1"), ("two", "us-east-1")]
    assert admin.reset() == 2
    assert left() == []


def test_reset_of_what_all_share(start):
    server = start("--isolate", "none")
    client, admin = Client(server), Admin(server)
    client.create_table("things")
    answer = admin.send("reset", {"region": "us-east-1"})
    assert (answer.status, answer.json()) == (
        400, {"error": "tables belong to no Region with --isolate none"})
    assert admin.reset() == 1
    assert client.table_names() == []


def test_reset_of_many_leaves_nothing(start, tmp_path):
    server = start("--db-path", tmp_path)
    client, admin = Client(server), Admin(server)
    for number in range(450):
        client.create_table(f"t{number:03}", **(INDEXED if number % 10 == 0 else {}))
    put(client, "t000", "a")
    assert admin.reset() == 450
    assert client.table_names() == []
    client.create_table("t000", **INDEXED)
    assert indexed(client, "t000") == 0
    assert server.stop() == 0
    checked = run_to_end("check", str(tmp_path))
    assert checked.returncode == 0, checked
    assert " 1 tables, 0 items" in checked.stdout


# --- the command line -----------------------------------------------------------------------------

def test_commands(start):
    server = start("--clock", "2027-01-01T00:00:00Z", "--isolate", "key", "--control-plane-delay", "3600")
    client = Client(server)
    client.create_table("things")

    def told(*arguments):
        result = run_to_end(*arguments, "--endpoint", server.endpoint)
        assert (result.returncode, result.stderr) == (0, ""), result
        return result.stdout

    assert told("clock") == f"{NEW_YEAR} manual\n"
    assert told("clock", "advance", "1h30m") == "2027-01-01T01:30:00.000Z manual\n"
    assert client.describe("things")["TableStatus"] == "ACTIVE"
    assert told("clock", "set", "2028-01-01") == "2028-01-01T00:00:00.000Z manual\n"
    assert told("clock", "rate", "60").split()[1:] == ["rate", "60"]
    assert told("clock", "manual").split()[1:] == ["manual"]
    assert told("clock", "real").split()[1:] == ["real"]
    assert told("reset", "--access-key", "other") == "0 tables removed\n"
    assert told("reset", "--access-key", "key", "--region", "us-east-1") == "1 table removed\n"
    assert told("reset") == "0 tables removed\n"
    assert client.table_names() == []


def test_back_to_now(start):
    behind = start("--clock", "2020-01-01T00:00:00Z", "--control-plane-delay", "3600")
    client = Client(behind)
    client.create_table("things")
    before = datetime.now(timezone.utc).timestamp()
    told = run_to_end("clock", "now", "--endpoint", behind.endpoint)
    assert (told.returncode, told.stderr) == (0, "")
    time_text, mode = told.stdout.split()
    assert mode == "real"
    assert before - 0.001 <= unix(time_text) <= datetime.now(timezone.utc).timestamp()
    assert client.describe("things")["TableStatus"] == "ACTIVE"
    assert Admin(behind).move(set="now")["mode"] == "real"  # once more, nothing is to be done


def test_a_clock_that_is_ahead_does_not_go_back(start):
    server = start()
    admin = Admin(server)
    before = datetime.now(timezone.utc).timestamp()
    assert admin.send("marks/before", {}).status == 200
    admin.move(advance="2h")
    refused = run_to_end("clock", "now", "--endpoint", server.endpoint)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "the clock does not move back" in refused.stderr and "rollback" in refused.stderr
    assert admin.send("clock", {"set": "now"}).status == 400
    assert admin.send("marks/before/rollback", {}).status == 200  # the way that the answer names
    assert before - 0.001 <= unix(admin.time()) <= datetime.now(timezone.utc).timestamp()
    assert admin.move(set="now")["mode"] == "real"


def test_commands_that_fail(start):
    server = start("--clock", "2027-01-01T00:00:00Z")
    port = ("--host", "localhost", "--port", str(server.port))
    away = start("--admin", "off")

    def why(*arguments):
        result = run_to_end(*arguments)
        assert (result.returncode, result.stdout) == (1, ""), result
        assert result.stderr.startswith("stator: http://") and result.stderr.count("\n") == 1
        return result.stderr

    assert why("clock", "set", "2026-01-01", *port) == (
        f"stator: http://localhost:{server.port}: the clock does not move back: it is {NEW_YEAR} already\n")
    assert "is not a duration" in why("clock", "advance", "soon", *port)
    assert "from 0 to 1000000" in why("clock", "rate", "1e9", *port)
    assert "--isolate key alone" in why("reset", "--access-key", "x", *port)
    assert "is it Stator with an admin path?" in why("clock", "--endpoint", away.endpoint)
    assert "is it Stator with an admin path?" in why("reset", "--endpoint", away.endpoint)
    server.kill()
    assert "refused" in why("clock", *port)
