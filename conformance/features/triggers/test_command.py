"""stator triggers: what the mappings do, from the command line; and their metrics."""

import json
import re

import pytest

from called import Reply, error
from metrics_page import Page
from server_process import run_to_end

PATTERN = json.dumps({"dynamodb": {"NewImage": {"v": {"S": ["1"]}}}})


@pytest.fixture
def command(world):
    return lambda *words: run_to_end("triggers", *words, "--endpoint", world.server.endpoint)


def test_without_mappings(command):
    for verb in ([], ["list"], ["calls"], ["filtered"], ["failures"], ["settle"]):
        shown = command(*verb)
        assert (shown.returncode, shown.stdout, shown.stderr) == (0, "", "")


def test_counts_and_calls(world, command):
    table = world.table()
    uuid = world.map(table, FilterCriteria={"Filters": [{"Pattern": PATTERN}]})
    world.put(table, "a", v=1)
    world.put(table, "b", v=2)
    settled = command("settle")
    assert (settled.returncode, settled.stdout) == (0, f"{uuid} f: idle\n")
    assert command().stdout == f"{uuid} f: Enabled, 1 delivered, 1 filtered, 0 discarded, lag 0 s, idle\n"
    shown = command("calls").stdout
    assert re.fullmatch(r"1 f: 1 records, attempt 1, \d+ ms, ok\n", shown)
    assert command("calls", "--since", "1").stdout == ""
    [call] = map(json.loads, command("calls", "--json").stdout.splitlines())
    assert call["mapping"] == uuid and call["outcome"] == "ok"


def test_filtered_records_have_a_reason(world, command):
    table = world.table()
    other = json.dumps({"eventName": ["REMOVE"]})
    uuid = world.map(table, FilterCriteria={"Filters": [{"Pattern": PATTERN}, {"Pattern": other}]})
    world.put(table, "a", v=2)
    world.settle()
    [record] = world.admin.ok("triggers/filtered")["records"]
    assert record["mapping"] == uuid
    assert [reason["field"] for reason in record["filters"]] == ["dynamodb.NewImage.v.S", "eventName"]
    assert json.loads(record["record"])["dynamodb"]["NewImage"] == {"pk": {"S": "a"}, "v": {"S": "2"}}
    assert world.admin.ok("triggers/filtered?since=1") == {"records": [], "last": 1, "lost": 0}
    shown = command("filtered").stdout
    assert shown.startswith(f"1 f: {record['sequenceNumber']} in {record['shardId']}: dynamodb.NewImage.v.S: ")
    assert "; eventName: " in shown


def test_only_the_last_filtered_records_are_held(world):
    table = world.table()
    world.map(table, FilterCriteria={"Filters": [{"Pattern": PATTERN}]})
    for number in range(105):
        world.put(table, f"k{number}", v="x" * 5000)
    world.settle()
    shown = world.admin.ok("triggers/filtered")
    assert (len(shown["records"]), shown["last"], shown["lost"]) == (100, 105, 5)
    assert all(len(record["record"]) <= 4096 for record in shown["records"])


def test_explain(command):
    record = json.dumps({"dynamodb": {"NewImage": {"v": {"S": "2"}}}})
    refused = command("explain", PATTERN, record)
    assert refused.returncode == 1 and "no match: dynamodb.NewImage.v.S: " in refused.stderr
    matched = command("explain", PATTERN, record.replace("2", "1"))
    assert (matched.returncode, matched.stdout) == (0, "matches\n")
    wrong = command("explain", '{"eventName": "INSERT"}', record)
    assert wrong.returncode == 1 and "the pattern is wrong" in wrong.stderr


def test_files_and_json(command, tmp_path):
    pattern, record = tmp_path / "pattern", tmp_path / "record"
    pattern.write_text(PATTERN)
    record.write_text(json.dumps({"dynamodb": {"NewImage": {"v": {"S": "1"}}}}))
    shown = command("explain", f"@{pattern}", f"@{record}", "--json")
    assert json.loads(shown.stdout) == {"valid": True, "matches": True}
    missing = command("explain", f"@{pattern}", f"@{tmp_path / 'none'}")
    assert missing.returncode == 1 and "none" in missing.stderr


def test_failures_and_a_batch_that_is_left(world, functions, command):
    functions.answer("f", lambda *_: error())
    table = world.table()
    world.map(table, MaximumRetryAttempts=0)
    world.put(table, "a")
    world.settle()
    shown = command("failures").stdout
    assert shown.startswith("1 ") and "RetryAttemptsExhausted" in shown
    assert " failed: " in command("calls").stdout
    assert ", 0 delivered, 0 filtered, 1 discarded, " in command().stdout


def test_metrics(world):
    table = world.table()
    uuid = world.map(table, FilterCriteria={"Filters": [{"Pattern": PATTERN}]})
    world.put(table, "a", v=1)
    world.put(table, "b", v=2)
    world.settle()
    page = Page(world.server)
    labels = {"mapping": uuid, "function": "f"}
    assert page.value("stator_trigger_calls_total", outcome="ok", **labels) == 1
    for fate, count in (("delivered", 1), ("filtered", 1), ("discarded", 0)):
        assert page.value("stator_trigger_records_total", fate=fate, **labels) == count
    assert page.value("stator_trigger_lag_seconds", **labels) == 0


def test_step_by_step(world, functions, command):
    table = world.table()
    uuid = world.map(table, BatchSize=1)
    early = world.admin.send("triggers/step", {})
    assert early.status == 409 and "are not paused" in early.json()["error"]
    paused = world.admin.ok("triggers/pause", {})
    assert paused["settled"] and [mapping["status"] for mapping in paused["mappings"]] == ["idle"]
    assert world.admin.ok("triggers")["paused"]
    for key in ("a", "b", "c"):
        world.put(table, key)
    [mapping] = world.settle().values()
    assert (mapping["status"], mapping["reason"]) == ("blocked", "deliveries are paused")
    stepped = world.admin.ok("triggers/step", {})
    assert stepped["settled"] and stepped["invocation"]["outcome"] == "ok"
    assert functions.calls() == [["a"]]
    assert command("step").stdout.startswith("2 f: 1 records, attempt 1, ")
    assert functions.calls() == [["a"], ["b"]]
    assert command("resume").returncode == 0
    world.settle()
    assert functions.calls() == [["a"], ["b"], ["c"]]
    assert command("pause").stdout == f"{uuid} f: idle\n"
    assert command("step").stdout == f"{uuid} f: idle\n"
    assert world.admin.ok("triggers/step", {})["invocation"] is None


def test_a_failed_batch_is_replayed(world, functions, command):
    functions.answer("f", lambda event, number: error() if number == 1 else Reply(200, {"seen": len(event["Records"])}))
    table = world.table()
    world.map(table, MaximumRetryAttempts=0)
    world.put(table, "a")
    world.settle()
    assert len(world.failures()) == 1 and functions.calls() == [["a"]]
    again = command("replay", "1")
    assert (again.returncode, json.loads(again.stdout)) == (0, {"seen": 1})
    assert functions.calls() == [["a"], ["a"]] and functions.events["f"][0] == functions.events["f"][1]
    functions.answer("f", lambda *_: error())
    failed = command("replay", "1")
    assert failed.returncode == 1 and "the function failed: Unhandled" in failed.stderr
    missing = command("replay", "7")
    assert missing.returncode == 1 and "the server has no call 7" in missing.stderr


def test_a_part_of_an_event_is_not_replayed(world, functions, command):
    table = world.table()
    world.map(table)
    world.put(table, "a", v="x" * 70_000)
    world.settle()
    refused = command("replay", "1")
    assert refused.returncode == 1 and "only a part of the event" in refused.stderr
    assert functions.calls() == [["a"]]
