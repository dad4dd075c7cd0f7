"""What mappings live through: restarts, kills, marks, and the end by a reset."""

from admin import Admin
from lambda_api import MAPPINGS, Lambda


def uuids(api):
    return [one["UUID"] for one in api.send("GET", MAPPINGS).body["EventSourceMappings"]]


def test_a_restart_and_a_kill_keep_mappings(start, own_stream, tmp_path):
    folder = tmp_path / "data"
    running = start("--db-path", folder)
    api = Lambda(running)
    made = api.create(EventSourceArn=own_stream(running), FunctionName="f", StartingPosition="TRIM_HORIZON",
                      FilterCriteria={"Filters": [{"Pattern": '{"a": ["\\u00e9\\""]}'}]}, Tags={"a": "é"}).body
    before = api.get(made["UUID"]).body
    assert running.stop() == 0
    running = start("--db-path", folder)
    assert Lambda(running).get(made["UUID"]).body == before
    assert Lambda(running).tags(before["EventSourceMappingArn"]).body == {"Tags": {"a": "é"}}
    Lambda(running).update(made["UUID"], BatchSize=3)
    running.kill()
    running = start("--db-path", folder)
    assert Lambda(running).get(made["UUID"]).body["BatchSize"] == 3


def test_a_rollback_takes_mappings_back(start, own_stream):
    with start() as running:
        admin = Admin(running)
        api = Lambda(running)
        stream = own_stream(running)
        old = api.create(EventSourceArn=stream, FunctionName="old", StartingPosition="LATEST").body
        before = api.get(old["UUID"]).body
        admin.mark("m")
        api.create(EventSourceArn=stream, FunctionName="new", StartingPosition="LATEST")
        api.delete(old["UUID"])
        admin.rollback("m")
        assert uuids(api) == [old["UUID"]]
        assert api.get(old["UUID"]).body == before


def test_a_reset_removes_mappings(start, own_stream):
    with start() as running:
        api = Lambda(running)
        api.create(EventSourceArn=own_stream(running), FunctionName="f", StartingPosition="LATEST")
        Admin(running).reset()
        assert uuids(api) == []


def test_a_reset_of_one_region_leaves_the_others(start, own_stream):
    with start("--isolate", "region") as running:
        api = Lambda(running)
        api.create(EventSourceArn=own_stream(running), FunctionName="f", StartingPosition="LATEST")
        Admin(running).reset(region="eu-west-1")
        assert len(uuids(api)) == 1
        Admin(running).reset(region="us-east-1")
        assert uuids(api) == []


def test_the_log_names_the_operation(start):
    with start("--log-level", "debug") as running:
        Lambda(running).send("GET", MAPPINGS)
        assert running.wait_for_log("lambda:ListEventSourceMappings")


def test_mappings_without_records_do_nothing(world):
    """Nothing polls: the server looks at streams when a commit or the clock makes it."""
    table = world.table()
    for number in range(100):
        world.map(table, f"f{number}")
    world.settle()
    turns = world.admin.ok("triggers")["turns"]
    for _ in range(300):
        world.db.get_item(TableName=table, Key={"pk": {"S": "a"}})
    assert world.admin.ok("triggers")["turns"] == turns
