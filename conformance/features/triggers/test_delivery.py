"""Batches, their outcomes and their order, as functions see them. No test sleeps: `settle` waits for deliveries,
and the clock is moved."""

import json
import os
import threading
from urllib.parse import parse_qsl

import pytest
from botocore.exceptions import ClientError

from called import BEGIN, Reply, World, error, fill, flat, function_flags, keys, keys_of
from own_servers import start  # noqa: F401
from server_process import wait_until


@pytest.fixture
def standing(start, functions):  # noqa: F811
    """A clock that stands still until it is moved."""
    return World(start(*function_flags(functions), "--clock", BEGIN), functions)


def test_event(world, functions):
    table = world.table()
    uuid = world.map(table)
    assert world.result(uuid) == "No records processed"
    world.put(table, "a", v=1)
    world.settle()
    [event] = functions.events["f"]
    [record] = event["Records"]
    assert list(event) == ["Records"]
    assert list(record) == ["eventID", "eventName", "eventVersion", "eventSource", "awsRegion", "dynamodb",
                            "eventSourceARN"]
    assert record["eventName"] == "INSERT" and record["eventSource"] == "aws:dynamodb"
    assert record["eventSourceARN"] == world.stream(table)
    assert record["dynamodb"]["NewImage"] == {"pk": {"S": "a"}, "v": {"S": "1"}}
    assert isinstance(record["dynamodb"]["ApproximateCreationDateTime"], int)
    headers = functions.headers["f"]
    assert headers["Content-Type"] == "application/json"
    assert headers["X-Amz-Invocation-Type"] == "RequestResponse" and "X-Amz-Log-Type" not in headers
    assert world.result(uuid) == "OK"


def test_a_write_right_after_the_first_mapping_is_delivered(world, functions):
    """Nothing but the write itself wakes the delivery: neither another write nor `settle`."""
    table = world.table()
    for name in keys(20):
        uuid = world.map(table)
        world.put(table, name)
        wait_until(lambda: name in flat(functions.calls()), what=f"the delivery of {name}")  # noqa: B023
        world.lambdas.delete_event_source_mapping(UUID=uuid)
        wait_until(lambda: not world.admin.ok("triggers")["mappings"], what="no mapping")


def test_batch_size(world, functions):
    table = world.table()
    names = keys(25)
    fill(world, table, names)
    world.map(table, BatchSize=10)
    world.settle()
    assert [len(call) for call in functions.calls()] == [10, 10, 5]
    assert flat(functions.calls()) == names


def test_batching_window(standing, functions):
    table = standing.table()
    uuid = standing.map(table, BatchSize=10, MaximumBatchingWindowInSeconds=30)
    fill(standing, table, keys(3))
    state = standing.settle()[uuid]
    assert (state["status"], state["reason"]) == ("blocked", "the batching window is open")
    assert state["until"] == "2027-01-01T00:00:30.000Z"
    standing.admin.move(advance="29s")
    assert functions.calls() == []
    standing.admin.move(advance="1s")
    assert functions.calls() == [keys(3)]
    fill(standing, table, keys(10, "more"))
    standing.settle()
    assert functions.calls()[1:] == [keys(10, "more")]


def test_a_batching_window_begins_before_a_move_that_follows_a_write(standing, functions):
    table = standing.table()
    standing.map(table, BatchSize=10, MaximumBatchingWindowInSeconds=60)
    names = keys(40)
    for number, name in enumerate(names):
        standing.put(table, name)
        standing.admin.move(advance="1m")
        assert functions.calls()[number:] == [[name]]


def test_batches_of_at_most_six_megabytes(world, functions):
    table = world.table()
    for name in keys(20):
        world.put(table, name, v="x" * 390_000)
        world.put(table, name, v="y" * 390_000)
    sizes = []
    functions.answer("f", lambda event, _: sizes.append(len(json.dumps(event, separators=(",", ":")))))
    world.map(table, BatchSize=1000)
    world.settle()
    assert len(flat(functions.calls())) == 40
    assert len(sizes) >= 4 and max(sizes) <= 6_291_456


def test_lanes_keep_the_order_of_each_key(world, functions):
    """STATOR_LONG=1 writes 10,000 times."""
    table = world.table()
    names, rounds = keys(20), 500 if os.environ.get("STATOR_LONG") == "1" else 15
    for number in range(rounds):
        for name in names:
            world.put(table, name, v=number)
    blocked = names[0]

    def fail_one_key(event, number):
        return error() if number < 12 and any(keys_of(r) == blocked for r in event["Records"]) else None

    functions.answer("f", fail_one_key)
    world.map(table, ParallelizationFactor=4, BatchSize=10)
    world.settle()
    seen = {}
    for record in functions.records():
        value = int(record["dynamodb"]["NewImage"]["v"]["S"])
        values = seen.setdefault(keys_of(record), [])
        if value not in values:
            values.append(value)
    assert seen == {name: list(range(rounds)) for name in names}
    lanes = {invocation["lane"] for invocation in world.invocations()}
    assert lanes == {0, 1, 2, 3}


def test_two_mappings_get_all_records_each(world, functions):
    table = world.table()
    world.map(table)
    world.map(table, "g", FilterCriteria={"Filters": [{"Pattern": json.dumps({"eventName": ["REMOVE"]})}]})
    fill(world, table, keys(3))
    world.db.delete_item(TableName=table, Key={"pk": {"S": "k0001"}})
    world.settle()
    assert flat(functions.calls()) == [*keys(3), "k0001"]
    assert flat(functions.calls("g")) == ["k0001"]


def test_all_kinds_of_writes(world, functions):
    table = world.table()
    world.map(table)
    db, key = world.db, {"pk": {"S": "a"}}
    db.put_item(TableName=table, Item=key)
    db.put_item(TableName=table, Item=key)  # changes nothing
    db.update_item(TableName=table, Key=key, UpdateExpression="SET v = :v",
                   ExpressionAttributeValues={":v": {"N": "1"}})
    db.delete_item(TableName=table, Key=key)
    db.batch_write_item(RequestItems={table: [{"PutRequest": {"Item": {"pk": {"S": "batch"}}}}]})
    db.transact_write_items(TransactItems=[{"Put": {"TableName": table, "Item": {"pk": {"S": "tx"}}}}])
    db.execute_statement(Statement=f"INSERT INTO \"{table}\" VALUE {{'pk': 'sql'}}")
    db.update_time_to_live(TableName=table,
                           TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
    db.put_item(TableName=table, Item={"pk": {"S": "old"}, "ttl": {"N": "1700000000"}})
    world.admin.sweep()
    world.settle()
    seen = [(keys_of(record), record["eventName"]) for record in functions.records()]
    assert seen[:3] == [("a", "INSERT"), ("a", "MODIFY"), ("a", "REMOVE")]
    assert seen[3:6] == [("batch", "INSERT"), ("tx", "INSERT"), ("sql", "INSERT")]
    assert seen[6:] == [("old", "INSERT"), ("old", "REMOVE")]
    assert functions.records()[-1]["userIdentity"] == {"principalId": "dynamodb.amazonaws.com", "type": "Service"}


def test_retries_end_and_the_shard_goes_on(world, functions):
    table = world.table()
    functions.answer("f", lambda event, _: error() if keys_of(event["Records"][0]) == "bad" else None)
    uuid = world.map(table, MaximumRetryAttempts=2)
    world.put(table, "bad")
    world.settle()
    assert world.result(uuid) == "PROBLEM: Function call failed"
    world.put(table, "good")
    world.settle()
    assert functions.calls() == [["bad"]] * 3 + [["good"]]
    [failure] = world.failures()
    context = failure["message"]["requestContext"]
    assert (context["condition"], context["approximateInvokeCount"]) == ("RetryAttemptsExhausted", 3)
    assert failure["message"]["responseContext"] == {
        "statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"}
    assert [i["outcome"] for i in world.invocations()] == ["failed"] * 3 + ["ok"]
    assert world.result(uuid) == "OK"


def test_partial_failures(world, functions):
    table = world.table()
    names = keys(6)
    fill(world, table, names)

    def report(event, number):
        numbers = [r["dynamodb"]["SequenceNumber"] for r in event["Records"]]
        failed = [{"itemIdentifier": numbers[at]} for at in (4, 2)] if number == 1 else []
        return Reply(200, {"batchItemFailures": failed})

    functions.answer("f", report)
    world.map(table, FunctionResponseTypes=["ReportBatchItemFailures"])
    world.settle()
    assert functions.calls() == [names, names[2:]]
    assert [i["outcome"] for i in world.invocations()] == ["partly failed", "ok"]


def test_halves_find_the_bad_record(world, functions):
    table = world.table()
    names = keys(100)
    fill(world, table, names)
    functions.answer("f", lambda event, _: error() if "k0037" in map(keys_of, event["Records"]) else None)
    world.map(table, BisectBatchOnFunctionError=True, MaximumRetryAttempts=0)
    world.settle()
    good = [key for call in functions.calls() if "k0037" not in call for key in call]
    assert good == [name for name in names if name != "k0037"]
    [failure] = world.failures()
    assert failure["message"]["DDBStreamBatchInfo"]["batchSize"] == 1


def test_old_records_are_discarded(start, functions):  # noqa: F811
    world = World(start("--function", "f=http://127.0.0.1:9", "--clock", BEGIN), functions)
    table = world.table()
    uuid = world.map(table, MaximumRecordAgeInSeconds=60)
    world.put(table, "a")
    state = world.settle()[uuid]
    assert state["status"] == "blocked" and "refused" in state["reason"].lower()
    world.admin.move(advance="2m")
    [failure] = world.failures()
    assert failure["message"]["requestContext"]["condition"] == "RecordAgeExceeded"
    assert failure["message"]["requestContext"]["approximateInvokeCount"] == 1
    assert "responseContext" not in failure["message"]
    assert world.settle()[uuid]["status"] == "idle"


def test_failure_destinations(start, functions, tmp_path):  # noqa: F811
    queue = "arn:aws:sqs:us-east-1:000000000000:failures"
    bucket = "arn:aws:s3:::failures"
    server = start(*function_flags(functions), "--lambda-retry-backoff", "0",
                   "--function-destination", f"{queue}={functions.url('queue')}",
                   "--function-destination", f"{bucket}={tmp_path / 'failures'}")
    world = World(server, functions)
    table = world.table()
    for name in ("f", "g"):
        functions.answer(name, lambda *_: error())
    world.map(table, MaximumRetryAttempts=0, DestinationConfig={"OnFailure": {"Destination": queue}})
    uuid = world.map(table, "g", MaximumRetryAttempts=0,
                     DestinationConfig={"OnFailure": {"Destination": bucket}})
    world.put(table, "a")
    world.settle()
    [path] = [p for p in (tmp_path / "failures").rglob("*") if p.is_file()]
    assert path.relative_to(tmp_path / "failures").as_posix().startswith(f"aws/lambda/{uuid}/shardId-")
    written = json.loads(path.read_text())
    assert keys_of(written["payload"]["Records"][0]) == "a"
    [sent] = wait_until(lambda: functions.events.get("queue"), what="a message")
    assert sent["version"] == "1.0" and "payload" not in sent
    assert sent["DDBStreamBatchInfo"]["streamArn"] == world.stream(table)


def test_failures_go_to_queues_and_topics(start, functions):  # noqa: F811
    """To servers of SQS and SNS, as the SDKs send them."""
    arns = {kind: f"arn:aws:{kind}:us-east-1:000000000000:failed" for kind in ("sqs", "sns")}
    place = f"http://127.0.0.1:{functions.port}"
    flags = [word for kind, arn in arns.items() for word in ("--function-destination", f"{arn}={place},kind={kind}")]
    world = World(start(*function_flags(functions), *flags), functions)
    table = world.table()
    for name, kind in (("f", "sqs"), ("g", "sns")):
        functions.answer(name, lambda *_: error())
        world.map(table, name, MaximumRetryAttempts=0, DestinationConfig={"OnFailure": {"Destination": arns[kind]}})
    world.put(table, "a")
    world.settle()
    wait_until(lambda: len(functions.events.get("", [])) == 2, what="two messages")
    [sent] = [event for event in functions.events[""] if isinstance(event, dict)]
    [published] = [event for event in functions.events[""] if isinstance(event, str)]
    assert sent["QueueUrl"] == f"{place}/000000000000/failed"
    assert json.loads(sent["MessageBody"])["requestContext"]["condition"] == "RetryAttemptsExhausted"
    form = dict(parse_qsl(published))
    assert (form["Action"], form["TopicArn"]) == ("Publish", arns["sns"])
    assert json.loads(form["Message"])["DDBStreamBatchInfo"]["batchSize"] == 1
    wait_until(lambda: [failure["delivery"] for failure in world.failures()] == ["sent", "sent"])


@pytest.mark.parametrize("reply", [Reply(429), Reply(404), Reply(503), Reply(302, headers={"Location": "/g"})])
def test_calls_that_reach_nobody_use_up_no_retry(standing, functions, reply):
    table = standing.table()
    functions.answer("f", lambda _, number: reply if number <= 3 else None)
    uuid = standing.map(table, MaximumRetryAttempts=0)
    standing.put(table, "a")
    assert standing.settle()[uuid]["status"] == "blocked"
    for _ in range(4):
        standing.admin.move(advance="60s")
    assert functions.calls() == [["a"]] * 4 and functions.calls("g") == []
    assert standing.failures() == []


def test_pauses_double(standing, functions):
    table = standing.table()
    functions.answer("f", lambda *_: error())
    uuid = standing.map(table)
    standing.put(table, "a")
    for until in ("00:00:00.500", "00:00:01.500", "00:00:03.500", "00:00:07.500"):
        assert standing.settle()[uuid]["until"] == f"2027-01-01T{until}Z"
        standing.admin.move(set=f"2027-01-01T{until}Z")
    assert len(functions.calls()) == 5


def test_tumbling_window(standing, functions):
    table = standing.table()

    def count(event, _):
        total = int(event["state"].get("count", 0)) + len(event["Records"])
        return Reply(200, {"state": {"count": total}})

    functions.answer("f", count)
    fill(standing, table, keys(3))
    standing.map(table, TumblingWindowInSeconds=60, ParallelizationFactor=3, BatchSize=2)
    standing.settle()
    standing.admin.move(advance="60s")
    events = functions.events["f"]
    assert [event["state"] for event in events] == [{}, {"count": 2}, {"count": 3}]
    assert [event["isFinalInvokeForWindow"] for event in events] == [False, False, True]
    assert events[2]["Records"] == []
    assert events[0]["window"] == {"start": "2027-01-01T00:00:00Z", "end": "2027-01-01T00:01:00Z"}
    fill(standing, table, keys(1, "later"))
    standing.settle()
    assert functions.events["f"][3]["state"] == {}


def test_window_without_a_state_fails(standing, functions):
    table = standing.table()
    functions.answer("f", lambda *_: Reply(200, {}))
    standing.map(table, TumblingWindowInSeconds=60, MaximumRetryAttempts=0)
    standing.put(table, "a")
    standing.settle()
    assert standing.failures()[0]["message"]["responseContext"]["functionError"] is None


def test_large_state_ends_its_window(standing, functions):
    table = standing.table()
    functions.answer("f", lambda *_: Reply(200, {"state": {"x": "x" * 1_100_000}}))
    standing.map(table, TumblingWindowInSeconds=60)
    standing.put(table, "a")
    standing.settle()
    last = functions.events["f"][-1]
    assert (last["isFinalInvokeForWindow"], last["isWindowTerminatedEarly"]) == (True, True)


def test_shards_follow_each_other(start, functions):  # noqa: F811
    flags = ("--clock", BEGIN, "--stream-shards", "2", "--stream-rollover", "3600")
    world = World(start(*function_flags(functions), *flags), functions)
    table = world.table()
    uuid = world.map(table)
    functions.answer("f", lambda _, number: error() if number == 1 else None)
    for hour in range(3):
        for name in keys(10):
            world.put(table, name, v=hour)
        world.admin.move(advance="1h")
    world.admin.move(advance="2m")
    assert world.settle()[uuid]["status"] == "idle"
    seen = {}
    for record in functions.records():
        values = seen.setdefault(keys_of(record), [])
        value = record["dynamodb"]["NewImage"]["v"]["S"]
        if value not in values:
            values.append(value)
    assert seen == {name: ["0", "1", "2"] for name in keys(10)}
    assert len({i["shardId"] for i in world.invocations()}) >= 4


def test_function_that_no_flag_names(standing, functions):
    table = standing.table()
    uuid = standing.map(table, "unknown")
    standing.put(table, "a")
    state = standing.settle()[uuid]
    assert state["status"] == "blocked" and "no --function names it" in state["reason"]
    assert functions.events == {}
    assert standing.result(uuid) == "PROBLEM: Function call failed"


def test_no_request_makes_the_server_call_a_url(world, functions):
    """Only its flags name URLs."""
    table, url = world.table(), functions.url("x")

    def send_failures_to(place):
        world.map(table, MaximumRetryAttempts=0, DestinationConfig={"OnFailure": {"Destination": place}})

    for ask in (lambda: world.map(table, url), lambda: world.lambdas.invoke(FunctionName=url),
                lambda: send_failures_to(url)):
        with pytest.raises(ClientError):
            ask()
    functions.answer("f", lambda *_: error())
    send_failures_to("arn:aws:sqs:us-east-1:000000000000:x")
    world.map(table, "x")
    world.put(table, "a")
    world.settle()
    assert list(functions.events) == ["f"] and len(world.failures()) == 1


def test_slow_function_holds_up_no_other(world, functions):
    table, release = world.table(), threading.Event()
    functions.answer("f", lambda *_: release.wait(30) and None)
    slow = world.map(table)
    quick = world.map(table, "g")
    world.put(table, "a")
    states = world.admin.ok("triggers/settle", {"timeout_ms": 200})
    assert not states["settled"]
    by_mapping = {mapping["mapping"]: mapping for mapping in states["mappings"]}
    assert by_mapping[slow]["reason"] == "the function is running"
    assert by_mapping[quick]["status"] == "idle" and functions.calls("g") == [["a"]]
    assert world.server.stop() == 0  # with a call in flight
    release.set()


def test_thousand_records(world, functions):
    table = world.table()
    world.map(table)
    names = keys(1000)
    for first in range(0, 1000, 25):
        requests = [{"PutRequest": {"Item": {"pk": {"S": name}}}} for name in names[first:first + 25]]
        world.db.batch_write_item(RequestItems={table: requests})
    world.settle()
    assert sorted(flat(functions.calls())) == names


def test_view(world, functions):
    table = world.table()
    uuid = world.map(table)
    world.put(table, "a")
    world.settle()
    [mapping] = world.admin.ok("triggers")["mappings"]
    assert (mapping["mapping"], mapping["status"], mapping["state"]) == (uuid, "idle", "Enabled")
    assert mapping["shards"][0]["lanes"][0]["state"] == "idle"
    [invocation] = world.invocations()
    assert invocation["mapping"] == uuid and invocation["outcome"] == "ok"
    assert json.loads(invocation["event"]) == functions.events["f"][0]
    later = world.admin.ok(f"triggers/invocations?since={invocation['number']}")
    assert later == {"invocations": [], "last": 1, "lost": 0}
    assert world.admin.send("triggers/invocations?since=x").status == 400


def test_explain(world):
    record = {"eventName": "INSERT", "dynamodb": {"NewImage": {"n": {"N": "101"}}}}
    explained = world.admin.ok("triggers/explain", {"Pattern": {"eventName": ["INSERT"]}, "record": record})
    assert explained == {"valid": True, "matches": True}
    pattern = json.dumps({"dynamodb": {"NewImage": {"n": {"N": [{"numeric": [">", 1]}]}}}})
    explained = world.admin.ok("triggers/explain", {"Pattern": pattern, "record": record})
    assert not explained["matches"] and explained["field"] == "dynamodb.NewImage.n.N"
    assert not world.admin.ok("triggers/explain", {"Pattern": "[]", "record": record})["valid"]
