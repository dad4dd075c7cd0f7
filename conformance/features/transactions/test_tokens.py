"""ClientRequestToken: a transaction is done once, for ten minutes after it was done."""

import json

import pytest

from actions import (FAILED, NONE, cancelled, check, delete, get, item, put, read, records, refused, send_statements,
                     send_write, stored, update, write)
from admin import Admin
from boto3_fixtures import make_client
from client import Client
from definitions import key_schema
from scenario import unique_name

MISMATCH = "IdempotentParameterMismatchException"


def token():
    return {"ClientRequestToken": unique_name("t")}


def count(table, key):
    """What shows how often it was done."""
    return update(table, key, "ADD n :one", {"one": 1})


def counted(client, table, key):
    return int(stored(client, table, key)["n"]["N"])


def mismatched(answer):
    """The type is known, the text is not; the member is written with a capital."""
    body = answer.json()
    assert (answer.status, body["__type"]) == (400, f"com.amazonaws.dynamodb.v20120810#{MISMATCH}")
    assert set(body) == {"__type", "Message"} and body["Message"]


def test_done_once(raw, streamed):
    once = token()
    for _ in range(3):
        assert write(raw, count(streamed, "once"), put(streamed, item("once too", n=1)), **once) == {}
    assert counted(raw, streamed, "once") == 1
    assert len(records(raw, streamed)) == 2


def test_without_a_token_each_is_new(raw, table):
    for _ in range(3):
        write(raw, count(table, "each"))
    assert counted(raw, table, "each") == 3


def test_a_replay_changes_nothing_back(raw, table):
    once = token()
    actions = [put(table, item("back", n=1)), check(table, "back not", "attribute_not_exists(pk)")]
    write(raw, *actions, **once)
    write(raw, put(table, item("back", n=2)), put(table, "back not"))
    assert write(raw, *actions, **once) == {}
    assert stored(raw, table, "back") == item("back", n=2)


def test_any_other_parameter_is_a_mismatch(raw, table):
    once, condition = token(), {"ConditionExpression": "attribute_not_exists(zzz)"}
    first = [put(table, item("other", n=1), **condition), delete(table, "other 2")]
    write(raw, *first, **once)
    put_first, delete_second = first
    put_old = put(table, item("other", n=1), ReturnValuesOnConditionCheckFailure="ALL_OLD", **condition)
    for changed in ([put(table, item("other", n=2), **condition), delete_second],
                    [put(table, item("other 3", n=1), **condition), delete_second],
                    [put(table, item("other", n=1)), delete_second], [put_old, delete_second],
                    [put_first, check(table, "other 2", "attribute_not_exists(pk)")], [delete_second, put_first],
                    [put_first], [put_first, delete_second, delete(table, "other 4")]):
        mismatched(send_write(raw, *changed, **once))
    assert write(raw, *first, **once) == {}
    assert stored(raw, table, "other") == item("other", n=1)


def test_what_is_told_back_is_no_parameter(raw, table):
    """Chosen here: the guide's replay changes nothing else, and these have no effect."""
    once = token()
    write(raw, count(table, "told"), **once)
    write(raw, count(table, "told"), ReturnConsumedCapacity="TOTAL", ReturnItemCollectionMetrics="SIZE", **once)
    assert counted(raw, table, "told") == 1


def test_the_order_of_members_is_no_difference(raw, table):
    once = token()
    actions = [
        count(table, "members"),
        put(table, item("members 2", a="x", b={"M": {"c": {"S": "1"}, "d": {"S": "2"}}}))
    ]
    write(raw, *actions, **once)

    def turned(value):
        if isinstance(value, list):
            return [turned(v) for v in value]
        return {n: turned(value[n]) for n in reversed(value)} if isinstance(value, dict) else value

    body = turned({"TransactItems": actions, **once})
    assert json.dumps(body) != json.dumps({"TransactItems": actions, **once})
    assert raw.ok("TransactWriteItems", **body) == {}
    assert counted(raw, table, "members") == 1


def test_lengths(raw, table):
    for length in (1, 36):
        once = {"ClientRequestToken": unique_name("")[-1] * length}
        write(raw, put(table, f"length {length}"), **once)
        write(raw, put(table, f"length {length}"), **once)
    for length, bound in ((0, "greater than or equal to 1"), (37, "less than or equal to 36")):
        wrong = "t" * length
        text = (f"1 validation error detected: Value '{wrong}' at 'clientRequestToken' failed to satisfy constraint: "
                f"Member must have length {bound}")
        refused(send_write(raw, put(table, "a"), ClientRequestToken=wrong), "ValidationException", text)


def test_what_was_cancelled_or_refused_burns_no_token(raw, table):
    once = token()
    actions = [count(table, "burns"), check(table, "burns not")]
    cancelled(send_write(raw, *actions, **once), {"Code": "None"}, FAILED)
    cancelled(send_write(raw, *actions, **once), {"Code": "None"}, FAILED)
    refused(send_write(raw, count(table, "burns"), count("never", "a"), **once), "ResourceNotFoundException",
            "Requested resource not found")
    write(raw, put(table, "burns not"))
    write(raw, *actions, **once)
    write(raw, *actions, **once)
    assert counted(raw, table, "burns") == 1
    mismatched(send_write(raw, count(table, "burns"), **once))


def test_a_missing_table_comes_before_the_token(raw, table):
    once = token()
    write(raw, count(table, "missing"), **once)
    refused(send_write(raw, put("never", "a"), **once), "ResourceNotFoundException", "Requested resource not found")


def test_boto3_gives_each_call_a_token(dynamodb, raw, table):
    for _ in range(2):
        dynamodb.transact_write_items(TransactItems=[count(table, "boto")])
    assert counted(raw, table, "boto") == 2
    once = token()
    dynamodb.transact_write_items(TransactItems=[count(table, "boto")], **once)
    dynamodb.transact_write_items(TransactItems=[count(table, "boto")], **once)
    with pytest.raises(dynamodb.exceptions.IdempotentParameterMismatchException) as caught:
        dynamodb.transact_write_items(TransactItems=[put(table, "boto")], **once)
    assert caught.value.response["Error"]["Message"]
    assert counted(raw, table, "boto") == 3


# --- statements -----------------------------------------------------------------------------------


def counting(table, key):
    """A statement that shows how often it was done; the item must be there."""
    return f"""UPDATE "{table}" SET n = n + 1 WHERE pk = '{key}'"""


def test_statements_are_done_once(raw, streamed):
    once = token()
    raw.ok("PutItem", TableName=streamed, Item=item("once", n=0))
    insert = f"""INSERT INTO "{streamed}" VALUE {{'pk': 'once too'}}"""
    for _ in range(3):
        answer = send_statements(raw, counting(streamed, "once"), insert, **once)
        assert (answer.status, answer.json()) == (200, {"Responses": []})
    assert counted(raw, streamed, "once") == 1
    assert len(records(raw, streamed)) == 3


def test_other_statements_or_parameters_are_a_mismatch(raw, table):
    once, texts = token(), [counting(table, "stated"), f"""DELETE FROM "{table}" WHERE pk = 'stated not'"""]
    write(raw, put(table, item("stated", n=0)))
    assert send_statements(raw, *texts, **once).status == 200
    for changed in (texts[:1], texts[::-1], [texts[0].replace("+ 1", "+ 2"), texts[1]], [*texts, counting(table, "x")]):
        mismatched(send_statements(raw, *changed, **once))
    whole = {"Statement": f"""UPDATE "{table}" SET n = n + ? WHERE pk = 'stated'"""}
    once = token()
    for step, is_same in (("1", True), ("1", True), ("2", False)):
        answer = raw.send("ExecuteTransaction",
                          {"TransactStatements": [{**whole, "Parameters": [{"N": step}]}], **once})
        assert answer.status == 200 if is_same else mismatched(answer) is None
    assert counted(raw, table, "stated") == 2


def test_each_operation_has_tokens_of_its_own(raw, table):
    once = token()
    write(raw, count(table, "whose"), **once)
    for _ in range(2):
        assert send_statements(raw, counting(table, "whose"), **once).json() == {"Responses": []}
    write(raw, count(table, "whose"), **once)
    assert counted(raw, table, "whose") == 2
    mismatched(send_statements(raw, counting(table, "other"), **once))
    mismatched(send_write(raw, count(table, "other"), **once))


def test_cancelled_statements_burn_no_token(raw, table):
    once, insert = token(), f"""INSERT INTO "{table}" VALUE {{'pk': 'kept', 'n': 0}}"""
    cancelled(send_statements(raw, insert, counting(table, "kept not"), **once), NONE, FAILED)
    write(raw, put(table, item("kept not", n=0)))
    for _ in range(2):
        assert send_statements(raw, insert, counting(table, "kept not"), **once).json() == {"Responses": []}
    assert counted(raw, table, "kept not") == 1


# --- what a replay costs --------------------------------------------------------------------------

TOTAL, INDEXES = ({"ReturnConsumedCapacity": kind} for kind in ("TOTAL", "INDEXES"))


def reads(table, units, **more):
    return {"ConsumedCapacity": [{"TableName": table, "CapacityUnits": units, "ReadCapacityUnits": units, **more}]}


def test_a_replay_costs_reads(raw, table):
    """Of the sizes at the first call, whatever became of the items."""
    once = token()
    actions = [put(table, item("replayed", v="x" * 1536)), put(table, item("replayed 2", v="x" * 9_000)),
               check(table, "replayed not", "attribute_not_exists(pk)")]
    first = write(raw, *actions, **once, **TOTAL)
    assert first["ConsumedCapacity"] == [{"TableName": table, "CapacityUnits": 24, "WriteCapacityUnits": 24}]
    raw.ok("DeleteItem", TableName=table, Key=item("replayed 2"))
    assert write(raw, *actions, **once, **TOTAL) == reads(table, 10)
    of_table = {"Table": {"CapacityUnits": 10, "ReadCapacityUnits": 10}}
    assert write(raw, *actions, **once, **INDEXES) == reads(table, 10, **of_table)
    assert write(raw, *actions, **once) == {}


def test_a_replay_of_what_shrank(raw, table):
    """The larger of what was there before and after."""
    write(raw, put(table, item("shrank", v="x" * 9_000)))
    once = token()
    for cost in ({"WriteCapacityUnits": 18}, {"ReadCapacityUnits": 6}):
        units, = cost.values()
        answer = write(raw, delete(table, "shrank"), **once, **TOTAL)
        assert answer == {"ConsumedCapacity": [{"TableName": table, "CapacityUnits": units, **cost}]}


def test_a_replay_reads_no_index(raw, new_table):
    index = {"IndexName": "by_g", "KeySchema": key_schema("g"), "Projection": {"ProjectionType": "ALL"}}
    name = new_table("pk:S g:S", KeySchema=key_schema("pk"), GlobalSecondaryIndexes=[index])
    action, once = put(name, item("a", g="x")), token()
    first, = write(raw, action, **once, **TOTAL)["ConsumedCapacity"]
    assert first["CapacityUnits"] == 3
    assert write(raw, action, **once, **INDEXES) == reads(name, 2, Table={"CapacityUnits": 2, "ReadCapacityUnits": 2})


# --- whose a token is -----------------------------------------------------------------------------


def test_a_token_belongs_to_a_region_and_a_key(start):
    """With --isolate key each access key is an account of its own."""
    server, once = start("--isolate", "key"), token()
    clients = [Client(server, region, key) for region in ("us-east-1", "eu-west-1") for key in ("one", "two")]
    for n, client in enumerate(clients):
        client.create_table("mine")
        write(client, put("mine", item("a", n=n)), **once)
    for n, client in enumerate(clients):
        assert stored(client, "mine", "a") == item("a", n=n)
        mismatched(send_write(client, put("mine", item("a", n=n + 1)), **once))


# --- time and restarts ----------------------------------------------------------------------------


def make(server):
    client = Client(server)
    client.create_table("things")
    return client


def test_ten_minutes(start):
    """After the first, and no replay makes it longer."""
    server = start("--clock", "manual")
    client, admin, once = make(server), Admin(server), token()
    write(client, count("things", "a"), **once)
    for step in ("5m", "4m59s"):
        admin.move(advance=step)
        write(client, count("things", "a"), **once)
        mismatched(send_write(client, count("things", "b"), **once))
        assert counted(client, "things", "a") == 1
    admin.move(advance="2s")
    write(client, count("things", "b"), **once)
    assert counted(client, "things", "b") == 1
    mismatched(send_write(client, count("things", "a"), **once))
    admin.move(advance="10m1s")
    write(client, count("things", "a"), **once)
    assert counted(client, "things", "a") == 2


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_ten_minutes_of_statements(start, tmp_path, end):
    """A restart in between forgets nothing."""
    flags = ["--db-path", tmp_path, "--clock", "manual"]
    server = start(*flags)
    client, once = make(server), token()
    write(client, put("things", item("a", n=0)))
    assert send_statements(client, counting("things", "a"), **once).status == 200
    Admin(server).move(advance="5m")
    assert getattr(server, end)() == (0 if end == "stop" else -9)
    server = start(*flags)
    client, admin = Client(server), Admin(server)
    assert send_statements(client, counting("things", "a"), **once).json() == {"Responses": []}
    mismatched(send_statements(client, counting("things", "b"), **once))
    admin.move(advance="4m59s")
    assert send_statements(client, counting("things", "a"), **once).json() == {"Responses": []}
    assert counted(client, "things", "a") == 1
    admin.move(advance="2s")
    assert send_statements(client, counting("things", "a"), **once).json() == {"Responses": []}
    assert counted(client, "things", "a") == 2


@pytest.mark.parametrize("sync", ["commit", "lazy"])
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_restart_forgets_nothing(start, tmp_path, sync, end):
    flags = ["--db-path", tmp_path, "--sync", sync, "--clock", "manual"]
    server = start(*flags)
    client, once = make(server), token()
    write(client, count("things", "a"), put("things", item("big", v="x" * 1500)), **once)
    Admin(server).move(advance="9m")
    assert getattr(server, end)() == (0 if end == "stop" else -9)
    server = start(*flags)
    client, admin = Client(server), Admin(server)
    answer = write(client,
                   count("things", "a"),
                   put("things", item("big", v="x" * 1500)),
                   ReturnConsumedCapacity="TOTAL",
                   **once)
    assert answer == {"ConsumedCapacity": [{"TableName": "things", "CapacityUnits": 4, "ReadCapacityUnits": 4}]}
    mismatched(send_write(client, count("things", "a"), **once))
    assert counted(client, "things", "a") == 1
    admin.move(advance="1m1s")
    write(client, count("things", "a"), **once)
    assert counted(client, "things", "a") == 2


def test_over_when_it_starts_again(start, tmp_path):
    flags = ["--db-path", tmp_path, "--sync", "commit", "--clock"]
    server = start(*flags, "2026-01-01T00:00:00Z")
    client, once = make(server), token()
    write(client, count("things", "a"), **once)
    server.stop()
    client = Client(start(*flags, "2026-01-01T00:11:00Z"))
    write(client, count("things", "a"), count("things", "b"), **once)
    assert read(client, get("things", "a"), get("things", "b")) == [{"Item": item("a", n=2)}, {"Item": item("b", n=1)}]


def test_a_retry_of_boto3_is_the_same_transaction(start):
    """The answer to the first try is lost; the SDK tries again with the token that it made up."""
    server = start()
    client = make(server)
    boto = make_client(server.endpoint, retries={"mode": "standard", "max_attempts": 3})
    tries = []

    def again_after_the_first(**_):
        tries.append(1)
        return 0 if len(tries) == 1 else None  # the seconds until the next try, or that there is none

    boto.meta.events.register_first("needs-retry.dynamodb.TransactWriteItems", again_after_the_first)
    answer = boto.transact_write_items(TransactItems=[count("things", "a")])
    assert answer["ResponseMetadata"]["RetryAttempts"] == 1 and len(tries) == 2
    assert counted(client, "things", "a") == 1
