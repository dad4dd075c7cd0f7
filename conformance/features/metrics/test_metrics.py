"""What Prometheus can see (docs/metrics.md)."""

import gzip
import subprocess
import time

from admin import Admin
from client import Client
from metrics_page import Page, ask
from raw_client import Connection, request
from server_process import wait_until

NEW_YEAR = "2027-01-01T00:00:00Z"
NEW_YEAR_S = 1798761600
TABLE = {"region": "us-east-1", "table": "orders"}


def promtool(text):
    """What Prometheus's own checker says of a page; nothing is a pass."""
    done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, timeout=60,
                          capture_output=True)
    return done.returncode, done.stdout + done.stderr


def with_everything(client):
    """A table with an index, time to live and a stream, and something in it."""
    client.create_table(
        "orders",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"},
                              {"AttributeName": "by", "AttributeType": "S"}],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        GlobalSecondaryIndexes=[{"IndexName": "by-by", "Projection": {"ProjectionType": "ALL"},
                                 "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}]}])
    client.wait_active("orders")
    client.ok("UpdateTimeToLive", TableName="orders",
              TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
    client.ok("PutItem", TableName="orders", Item={"pk": {"S": "a"}, "by": {"S": "me"}})
    client.ok("PutItem", TableName="orders", Item={"pk": {"S": "b"}})


def throttled(client):
    """A table beside the others that is asked for too much, by itself and by its index, and lowered too often."""
    def units(reads):
        return {"ReadCapacityUnits": reads, "WriteCapacityUnits": 1}

    client.create_table(
        "busy", BillingMode="PROVISIONED", ProvisionedThroughput=units(9),
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"},
                              {"AttributeName": "by", "AttributeType": "S"}],
        GlobalSecondaryIndexes=[{"IndexName": "by-by", "Projection": {"ProjectionType": "ALL"},
                                 "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}],
                                 "ProvisionedThroughput": units(9)}])
    client.wait_active("busy")
    item = {"pk": {"S": "a"}, "by": {"S": "me"}}
    for _ in range(3):
        client.ok("PutItem", TableName="busy", Item={**item, "filler": {"S": "x" * 1500}})
        client.ok("PutItem", TableName="busy", Item=item)
    for reads in range(8, 2, -1):
        client.ok("UpdateTable", TableName="busy", ProvisionedThroughput=units(reads))


def test_what_is_throttled(start):
    server = start("--clock", "manual", "--capacity", "initial-burst-seconds=1")
    client = Client(server)
    throttled(client)
    page = Page(server)
    busy = {"region": "us-east-1", "table": "busy"}
    assert page.value("stator_throttled_requests_total", reason="TableWriteProvisionedThroughputExceeded", **busy) == 5
    assert page.value("stator_throttled_requests_total", reason="IndexWriteProvisionedThroughputExceeded",
                      index="by-by", **busy) > 0
    assert page.value("stator_throttled_calls_total", operation="PutItem") == 5
    consumed = page.value("stator_consumed_capacity_units_total", dimension="write", **busy)
    assert page.value("stator_throttled_capacity_units_total", dimension="write", **busy) == 6 * 2 - consumed  # each replaces 2 units
    assert page.value("stator_throttled_capacity_units_total", dimension="write", index="by-by", **busy) > 0
    assert page.value("stator_throttled_capacity_units_total", dimension="read", **busy) == 0
    assert page.value("stator_provisioned_capacity_units", dimension="read", **busy) == 3
    assert page.value("stator_provisioned_capacity_units", dimension="read", index="by-by", **busy) == 9
    assert page.value("stator_limited_changes_total", change="Decrease", **busy) == 2
    client.create_table("capped", OnDemandThroughput={"MaxReadRequestUnits": 7})
    page = Page(server)
    assert page.value("stator_on_demand_max_capacity_units", dimension="read", region="us-east-1", table="capped") == 7
    assert page.find("stator_on_demand_max_capacity_units", dimension="write", region="us-east-1", table="capped") is None
    assert page.find("stator_provisioned_capacity_units", dimension="read", region="us-east-1", table="capped") is None


def test_the_checker_of_prometheus_accepts_it(start):
    server = start("--isolate", "key", "--capacity", "initial-burst-seconds=1")
    empty = Page(server)
    assert promtool(empty.text) == (0, "")
    client = Client(server, key='quo"te\\d')  # printable, so it may be an access key
    with_everything(client)
    client.error("GetItem", TableName="missing", Key={"pk": {"S": "a"}})
    client.send("MadeUp", {})
    throttled(client)
    client.create_table("capped", OnDemandThroughput={"MaxReadRequestUnits": 7})
    full = Page(server)
    for name in ("throttled_requests_total", "throttled_capacity_units_total", "throttled_calls_total",
                 "limited_changes_total", "provisioned_capacity_units", "on_demand_max_capacity_units"):
        assert full.of(f"stator_{name}"), name
    assert promtool(full.text) == (0, "")
    assert len(full.values) > len(empty.values)
    assert full.value("stator_table_items", access_key='quo\\"te\\\\d', **TABLE) == 2


def test_a_page_that_is_wrong_is_not_accepted():
    """That the checker would tell."""
    assert promtool("# TYPE x_total counter\nx_total{ 1\n")[0] != 0
    assert promtool("# HELP requests Requests.\n# TYPE requests counter\nrequests 1\n")[0] != 0


def test_requests_and_errors(start):
    server = start()
    client = Client(server)
    client.create_table("orders")
    client.wait_active("orders")
    for _ in range(3):
        client.ok("GetItem", TableName="orders", Key={"pk": {"S": "a"}})
    client.error("GetItem", TableName="missing", Key={"pk": {"S": "a"}})
    client.error("GetItem", TableName="orders", Key={})
    client.error("PutItem", TableName="orders", Item={"pk": {"S": "a"}},
                 ConditionExpression="attribute_exists(pk)")
    for name in ("MadeUp", "MadeUpToo"):
        assert client.send(name, {}).status == 400
    page = Page(server)
    assert page.value("stator_requests_total", operation="GetItem", code="200") == 3
    assert page.value("stator_requests_total", operation="GetItem", code="400") == 2
    assert page.value("stator_requests_total", operation="PutItem", code="400") == 1
    errors = {labels: count for labels, count in page.of("stator_request_errors_total").items()}
    assert errors == {
        (("operation", "GetItem"), ("type", "ResourceNotFoundException")): 1,
        (("operation", "GetItem"), ("type", "ValidationException")): 1,
        (("operation", "PutItem"), ("type", "ConditionalCheckFailedException")): 1,
        (("operation", "unknown"), ("type", "UnknownOperationException")): 2,
    }
    assert page.value("stator_request_duration_seconds_count", operation="GetItem") == 5
    buckets = [value for labels, value in page.of("stator_request_duration_seconds_bucket").items()
               if ("operation", "GetItem") in labels]
    assert max(buckets) == 5
    assert 0 < page.value("stator_request_duration_seconds_sum", operation="GetItem") < 60


def test_what_is_no_request_of_an_operation(start):
    server = start()
    for path in ("/healthz", "/", "/_stator/clock", "/elsewhere"):
        ask(server, path=path)
    with Connection(server) as connection:
        assert connection.exchange(b"nonsense\r\n\r\n").status == 400
    with Connection(server) as connection:
        assert connection.exchange(
            request("PutItem", b"", {"Content-Length": "999999999"})).status == 413
    page = Page(server)
    assert page.of("stator_requests_total") == {}
    assert page.value("stator_refused_requests_total", reason="malformed") == 1
    assert page.value("stator_refused_requests_total", reason="too_large") == 1
    assert page.value("stator_refused_requests_total", reason="memory") == 0


def test_many_threads_are_added_up(start):
    """Connections are dealt out to threads in turn."""
    server = start("--threads", "4")
    clients = [Client(server) for _ in range(8)]
    for client in clients:
        for _ in range(5):
            client.ok("ListTables")
    page = Page(server)
    assert page.value("stator_requests_total", operation="ListTables", code="200") == 40
    assert page.value("stator_connections") == 9
    assert page.value("stator_connections_accepted_total") == 9
    for client in clients:
        client.close()


def test_connections_beyond_the_limit(start):
    server = start("--max-connections", "1")
    with Connection(server) as busy:
        busy.send(b"POST / HTTP/1.1\r\n")  # not idle
        assert ask(server).status == 503
    wait_until(lambda: ask(server).status == 200, what="a place for the next connection")
    page = Page(server)
    assert page.value("stator_connections_refused_total") >= 1
    assert page.value("stator_connections") == 1


def test_tables_and_indexes(start):
    server = start()
    client = Client(server)
    with_everything(client)
    Client(server, region="eu-west-1").create_table("orders")
    page = Page(server)
    told = client.describe("orders")
    index = told["GlobalSecondaryIndexes"][0]
    assert page.value("stator_table_items", **TABLE) == told["ItemCount"] == 2
    assert page.value("stator_table_size_bytes", **TABLE) == told["TableSizeBytes"]
    assert page.value("stator_index_items", index="by-by", **TABLE) == index["ItemCount"] == 1
    assert page.value("stator_index_size_bytes", index="by-by", **TABLE) == index["IndexSizeBytes"]
    assert page.value("stator_table_items", region="eu-west-1", table="orders") == 0
    client.drop_table("orders")
    page = Page(server)
    assert page.find("stator_table_items", **TABLE) is None
    assert page.find("stator_index_items", index="by-by", **TABLE) is None


def test_tables_of_another_isolation_have_no_metrics(start, tmp_path):
    server = start("--db-path", tmp_path, "--isolate", "key")
    for key in ("alice", "bob"):
        Client(server, key=key).create_table("orders")
    assert len(Page(server).of("stator_table_items")) == 2
    assert server.stop() == 0
    server = start("--db-path", tmp_path)
    assert Page(server).of("stator_table_items") == {}


def test_time(start):
    server = start("--clock", NEW_YEAR, "--ttl-sweep-interval", "0")
    client, admin = Client(server), Admin(server)
    with_everything(client)
    page = Page(server)
    assert page.value("stator_ttl_lag_seconds", **TABLE) == 0
    assert page.value("stator_ttl_deleted_items_total", **TABLE) == 0
    assert page.value("stator_streams") == 1
    assert page.value("stator_stream_oldest_record_age_seconds", **TABLE) == 0
    assert page.value("stator_stream_records_bytes") > 0
    offset = page.value("stator_clock_offset_seconds")
    started = page.value("process_start_time_seconds")
    assert NEW_YEAR_S - time.time() - 1 <= offset <= NEW_YEAR_S - started + 1
    client.ok("PutItem", TableName="orders", Item={"pk": {"S": "c"}, "ttl": {"N": str(NEW_YEAR_S + 59)}})
    admin.move(advance="1h")
    page = Page(server)
    assert page.value("stator_ttl_lag_seconds", **TABLE) == 3540
    assert page.value("stator_stream_oldest_record_age_seconds", **TABLE) == 3600
    offset = page.value("stator_clock_offset_seconds")
    assert NEW_YEAR_S + 3600 - time.time() - 1 <= offset <= NEW_YEAR_S + 3600 - started + 1
    assert admin.sweep() == 1
    page = Page(server)
    assert page.value("stator_ttl_lag_seconds", **TABLE) == 0
    assert page.value("stator_ttl_deleted_items_total", **TABLE) == 1
    admin.move(advance="24h")  # the first records go
    assert Page(server).find("stator_stream_oldest_record_age_seconds", **TABLE) in (None, 86400 - 3600, 86400)


def test_commits(start):
    server = start()
    client = Client(server)
    client.create_table("orders")
    client.wait_active("orders")
    before = Page(server)
    for number in range(10):
        client.ok("PutItem", TableName="orders", Item={"pk": {"S": str(number)}})
    after = Page(server)

    def more(name):
        return after.value(name) - before.value(name)

    assert more("stator_commit_jobs_total") >= 10
    assert more("stator_commit_batches_total") >= 10  # one client waits for each
    assert more("stator_commit_seconds_total") > 0
    assert after.value("stator_commit_failed_batches_total") == 0


def test_the_process(start):
    server = start()
    page = Page(server)
    resident = page.value("process_resident_memory_bytes")
    assert abs(resident / 1024 - server.memory_kb("VmRSS")) < resident / 1024 / 4
    assert page.value("process_cpu_seconds_total") > 0
    assert page.value("stator_request_memory_limit_bytes") == 1 << 30
    assert page.value("stator_build_info", version="0.1.0") == 1


# --- the path -------------------------------------------------------------------------------------

def test_path_and_methods(start):
    server = start()
    answer = ask(server)
    assert answer.get("Content-Type") == "text/plain; version=0.0.4; charset=utf-8"
    head = ask(server, method="HEAD")
    assert (head.status, head.body) == (200, b"")
    client = Client(server)
    for name in ("GetItem", "PutItem", "Query", "Scan"):  # short answers are not packed
        client.send(name, {})
    packed = ask(server, {"Accept-Encoding": "gzip"})
    assert packed.get("Content-Encoding") == "gzip"
    assert gzip.decompress(packed.body).startswith(b"# HELP stator_")
    assert ask(server, path="/metrics?x=y").status == 200
    for method, body in (("POST", b"{}"), ("PUT", b"")):
        answer = ask(server, method=method, body=body)
        assert (answer.status, answer.get("Allow")) == (405, "GET, HEAD")
    for path in ("/metrics/", "/Metrics", "/metricsx"):
        assert ask(server, path=path).status == 404


def test_without_the_admin_path(start):
    server = start("--admin", "off")
    answer = ask(server)
    assert (answer.status, answer.body) == (404, ask(server, path="/elsewhere").body)
    Client(server).ok("ListTables")  # nobody counts


def test_pages_of_other_origins(start):
    server = start()
    assert ask(server, {"Origin": "http://evil.example"}).status == 403
    assert ask(server, {"Origin": "http://evil.example", "Host": "evil.example"}).status == 403
    assert ask(server, {"Origin": "http://localhost:3000"}).status == 200
