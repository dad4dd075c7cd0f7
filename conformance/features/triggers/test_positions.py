"""Where a mapping goes on: after changes of it, a rollback, a restart and a kill."""

import json

import pytest

from called import World, error, fill, flat, function_flags, keys, keys_of
from own_servers import start  # noqa: F401


def test_filtered_records_move_the_position(world, functions):
    table = world.table()
    world.map(table, FilterCriteria={"Filters": [{"Pattern": json.dumps({"eventName": ["REMOVE"]})}]})
    fill(world, table, keys(3))
    world.settle()
    assert functions.calls() == []
    last = world.admin.ok("triggers/filtered")["records"][-1]
    [mapping] = world.admin.ok("triggers")["mappings"]
    [lane] = mapping["shards"][0]["lanes"]
    assert (lane["state"], mapping["filtered"]) == ("idle", 3) and int(lane["next"]) > int(last["sequenceNumber"])


def test_latest_begins_with_the_mapping(world, functions):
    table = world.table()
    world.put(table, "before")
    world.map(table, StartingPosition="LATEST")
    world.put(table, "after")
    world.settle()
    assert functions.calls() == [["after"]]


def test_disabled_mapping_resumes(world, functions):
    table = world.table()
    uuid = world.map(table)
    world.put(table, "a")
    world.settle()
    world.lambdas.update_event_source_mapping(UUID=uuid, Enabled=False)
    world.put(table, "b")
    world.settle()
    assert functions.calls() == [["a"]]
    world.lambdas.update_event_source_mapping(UUID=uuid, Enabled=True)
    world.settle()
    assert functions.calls() == [["a"], ["b"]]


def test_deleted_mapping_is_not_called(world, functions):
    table = world.table()
    uuid = world.map(table)
    world.lambdas.delete_event_source_mapping(UUID=uuid)
    world.put(table, "a")
    assert world.settle() == {}
    assert functions.calls() == []


def test_factor_can_change(world, functions):
    table = world.table()
    uuid = world.map(table, ParallelizationFactor=3)
    fill(world, table, keys(30))
    world.settle()
    world.lambdas.update_event_source_mapping(UUID=uuid, ParallelizationFactor=1)
    fill(world, table, keys(5, "later"))
    world.settle()
    assert set(flat(functions.calls())) == {*keys(30), *keys(5, "later")}
    assert [key for key in flat(functions.calls()) if "later" in key] == keys(5, "later")


def test_rollback_takes_the_position_back(world, functions):
    table = world.table()
    world.map(table)
    world.put(table, "before")
    world.settle()
    world.admin.mark("start")
    world.put(table, "undone")
    world.settle()
    world.admin.rollback("start")
    world.put(table, "after")
    world.settle()
    assert functions.calls() == [["before"], ["undone"], ["after"]]


def test_reset_ends_mappings(world, functions):
    table = world.table()
    world.map(table)
    world.admin.reset()
    world.table(table)
    world.put(table, "a")
    assert world.settle() == {}
    assert functions.calls() == []


def test_restart_resumes(start, functions, tmp_path):  # noqa: F811
    flags = ("--db-path", tmp_path / "data", *function_flags(functions))
    server = start(*flags)
    world = World(server, functions)
    table = world.table()
    world.map(table, ParallelizationFactor=2)
    fill(world, table, keys(20))
    world.settle()
    assert sorted(flat(functions.calls())) == keys(20)
    assert server.stop() == 0
    world = World(start(*flags), functions)
    fill(world, table, keys(5, "later"))
    world.settle()
    assert sorted(flat(functions.calls())) == [*keys(20), *keys(5, "later")]


@pytest.mark.parametrize("bisects", [False, True])
def test_attempts_survive_a_kill(start, functions, tmp_path, bisects):  # noqa: F811
    """Each process makes one call, and waits before the next."""
    flags = ("--db-path", tmp_path / "data", *function_flags(functions), "--lambda-retry-backoff", "60")
    functions.answer("f", lambda event, _: error() if "bad" in map(keys_of, event["Records"]) else None)
    world = World(start(*flags), functions)
    table = world.table()
    world.map(table, MaximumRetryAttempts=2, BisectBatchOnFunctionError=bisects)
    world.put(table, "bad")
    for calls in range(1, 4):
        world.settle()
        assert functions.calls() == [["bad"]] * calls
        world.server.kill()
        if calls < 3:
            world = World(start(*flags), functions)
    world = World(start(*flags), functions)
    world.put(table, "good")
    world.settle()
    assert functions.calls() == [["bad"]] * 3 + [["good"]]


def test_halves_survive_a_kill(start, functions, tmp_path):  # noqa: F811
    """The parts of a batch stay divided, also when more records have come."""
    flags = ("--db-path", tmp_path / "data", *function_flags(functions), "--lambda-retry-backoff", "60")
    functions.answer("f", lambda event, _: error() if "k0000" in map(keys_of, event["Records"]) else None)
    world = World(start(*flags), functions)
    table = world.table()
    fill(world, table, keys(4))
    world.map(table, MaximumRetryAttempts=1, BisectBatchOnFunctionError=True)
    world.settle()
    world.server.kill()
    before = functions.calls()
    assert before == [keys(4), keys(2), keys(1)]
    world = World(start(*flags), functions)
    fill(world, table, ["later"])
    world.settle()
    assert functions.calls() == [*before, keys(1), ["k0001"], ["k0002", "k0003"], ["later"]]
    assert [f["message"]["requestContext"]["approximateInvokeCount"] for f in world.failures()] == [2]
