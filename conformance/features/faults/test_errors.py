"""Errors on demand, as an SDK sees them."""

import sys
import threading

import pytest
from botocore.exceptions import ClientError

from admin import Admin
from boto3_fixtures import make_client
from checkout import CONFORMANCE
from client import Client
from raw_client import Connection, request

sys.path.append(str(CONFORMANCE / "scenarios"))

from errors_on_demand import NOT_ON_DEMAND  # noqa: E402

THROTTLED = ("The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
             "provisioning level with the UpdateTable API.")


def once(endpoint):
    """A client that does not retry."""
    return make_client(endpoint, retries={"total_max_attempts": 1})


def put(client, table, pk="a", **members):
    return client.put_item(TableName=table, Item={"pk": {"S": pk}}, **members)


def test_the_second_call_is_throttled(server, faults, table):
    faults.add("PutItem", {"nth": 2}, error="ProvisionedThroughputExceededException")
    client = once(server.endpoint)
    put(client, table)
    with pytest.raises(client.exceptions.ProvisionedThroughputExceededException) as caught:
        put(client, table)
    put(client, table)
    answer = caught.value.response
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert answer["Error"]["Message"] == THROTTLED
    assert answer["ResponseMetadata"]["HTTPHeaders"]["x-stator-fault"] == "rule=r; n=2"
    assert faults.numbers() == [2]
    faults.add("PutItem", error="ProvisionedThroughputExceededException")  # old SDKs drop the reasons
    told = Client(server).send("PutItem", {"TableName": table, "Item": {"pk": {"S": "a"}}}).json()
    assert told["ThrottlingReasons"] == [
        {"reason": "TableWriteProvisionedThroughputExceeded",
         "resource": f"arn:aws:dynamodb:us-east-1:000000000000:table/{table}"}]


def test_the_error_that_no_rule_can_have(faults):
    """Each other error of each operation is tried through all SDKs, by scenarios/test_errors_on_demand.py."""
    assert faults.refused({"effect": {"error": {"type": NOT_ON_DEMAND, "message": "told"}}})


def test_errors_of_states_that_stator_has_not(server, faults, table):
    """A conflict with another Region, and backups that are not enabled yet."""
    faults.add("PutItem", {"times": 1}, error="ReplicatedWriteConflictException")
    told = Client(server).send("PutItem", {"TableName": table, "Item": {"pk": {"S": "a"}}})
    assert told.status == 409
    assert told.json() == {
        "__type": "com.amazonaws.dynamodb.v20120810#ReplicatedWriteConflictException",
        "message": "One or more items in the request are being modified by a request in another Region."}
    faults.add("CreateBackup", {"times": 1}, error="ContinuousBackupsUnavailableException")
    told = Client(server).send("CreateBackup", {"TableName": table, "BackupName": "first"})
    assert told.status == 400
    assert told.json() == {
        "__type": "com.amazonaws.dynamodb.v20120810#ContinuousBackupsUnavailableException",
        "message": f"Backups are being enabled for the table: {table}. Please retry later"}
    assert Client(server).send("CreateBackup", {"TableName": table, "BackupName": "first"}).status == 200


def test_the_first_attempt_of_each_call_fails(server, faults, table):
    threads, puts = 8, 25
    faults.add("PutItem", {"attempt": 1}, error="InternalServerError")
    failed = []

    def work(number):
        client = make_client(server.endpoint, retries={"mode": "standard", "max_attempts": 5})
        try:
            for i in range(puts):
                put(client, table, f"{number} {i}")
        except ClientError as error:
            failed.append(error)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failed == []
    assert faults.of()["fired"] == threads * puts


def test_an_error_after_the_commit_leaves_the_item(server, faults, table):
    faults.add("writes", error={"type": "InternalServerError", "after": True})
    with pytest.raises(ClientError) as caught:
        put(once(server.endpoint), table, "after")
    assert caught.value.response["Error"]["Code"] == "InternalServerError"
    assert "Item" in once(server.endpoint).get_item(TableName=table, Key={"pk": {"S": "after"}})


def test_a_cancelled_transaction_has_its_reasons(server, faults, table):
    faults.add(None, {"times": 1}, cancel={"1": "TransactionConflict", "2": "ThrottlingError"})
    client = once(server.endpoint)
    items = [{"Put": {"TableName": table, "Item": {"pk": {"S": f"tx{i}"}}}} for i in range(3)]
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.transact_write_items(TransactItems=items)
    answer = caught.value.response
    assert [reason["Code"] for reason in answer["CancellationReasons"]] == [
        "None", "TransactionConflict", "ThrottlingError"]
    assert answer["Error"]["Message"] == ("Transaction cancelled, please refer cancellation reasons for specific "
                                          "reasons [None, TransactionConflict, ThrottlingError]")
    assert "Item" not in client.get_item(TableName=table, Key={"pk": {"S": "tx0"}})
    client.transact_write_items(TransactItems=items)
    assert faults.of()["spent"]


def test_a_position_that_no_transaction_has_is_refused(faults):
    assert "from 0 to 99" in faults.refused({"effect": {"cancel": {"100": "TransactionConflict"}}})
    assert faults.admin.ok("faults")["rules"] == []


def test_keys_choose_the_requests(server, faults, table):
    faults.add(None, match={"key": {"pk": "user#*"}}, error="InternalServerError")
    client = once(server.endpoint)

    def fails(call, **members):
        try:
            getattr(client, call)(**members)
        except ClientError:
            return True
        return False

    def batch(*keys):
        return {table: [{"PutRequest": {"Item": {"pk": {"S": key}}}} for key in keys]}

    assert fails("put_item", TableName=table, Item={"pk": {"S": "user#1"}})
    assert not fails("put_item", TableName=table, Item={"pk": {"S": "order#1"}})
    assert fails("get_item", TableName=table, Key={"pk": {"S": "user#1"}})
    assert fails("batch_write_item", RequestItems=batch("order#2", "user#2"))
    assert not fails("batch_write_item", RequestItems=batch("order#2", "order#3"))
    assert fails("execute_statement", Statement=f"INSERT INTO \"{table}\" VALUE {{'pk':'user#3'}}")
    for key, is_hit in (("user#1", True), ("order#1", False)):
        assert fails("query", TableName=table, KeyConditionExpression="pk = :p",
                     ExpressionAttributeValues={":p": {"S": key}}) is is_hit
        assert fails("execute_statement", Statement=f"SELECT * FROM \"{table}\" WHERE pk = '{key}'") is is_hit
        assert fails("execute_statement", Statement=f"SELECT * FROM \"{table}\" WHERE pk IN ['{key}', 'x']") is is_hit
    assert not fails("scan", TableName=table)


def test_the_first_try_of_each_item_fails(server, faults, table):
    faults.add("PutItem", {"first": 1, "count_by": "key"}, match={"key": {"pk": "*"}}, error="InternalServerError")
    statuses = [Client(server).send("PutItem", {"TableName": table, "Item": {"pk": {"S": key}}}).status
                for key in ("a", "b", "a", "b", "c", "c", "a")]
    assert statuses == [500, 500, 200, 200, 500, 200, 200]
    faults.add("PutItem", {"nth": 2, "count_by": "client"}, error="InternalServerError")
    clients = [Client(server, key=key) for key in ("one", "two", "one", "two", "one")]
    statuses = [client.send("PutItem", {"TableName": table, "Item": {"pk": {"S": "a"}}}).status for client in clients]
    assert statuses == [200, 200, 500, 500, 200]


def test_a_rule_cannot_hide_a_word_of_its_path(faults):
    for name in ("presets", "clear"):
        assert f"cannot be named '{name}'" in faults.refused({"name": name, "effect": {"drop": "before"}})


def test_a_rule_for_the_arrival_comes_before_the_checks(server, faults, table):
    rule = {"name": "r", "stage": "arrival", "match": {"operation": "PutItem"},
            "effect": {"error": {"type": "InternalServerError", "status": 503}}}
    faults.admin.ok("faults", rule)
    for body in ({"TableName": 1}, {"TableName": table, "Item": {"pk": {"S": "a"}}}):
        answer = Client(server).send("PutItem", body)
        assert (answer.status, answer.get("x-stator-fault") is not None) == (503, True)
    assert faults.of()["fired"] == 2
    assert "no table, index or key" in faults.refused({**rule, "match": {"table": table}})


def test_a_window_is_one_of_the_engines_clock(start):
    server = start("--clock", "2027-01-01T00:00:00Z")
    admin, client = Admin(server), Client(server)
    admin.ok("faults", {"name": "r", "when": {"from": "2027-01-01T01:00:00Z", "until": "2027-01-01T02:00:00Z"},
                        "effect": {"error": "InternalServerError"}})
    outcomes = []
    for _ in range(4):
        outcomes.append(client.send("ListTables", {}).status)
        admin.move(advance="45m")
    assert outcomes == [200, 200, 500, 200]


def test_access_keys_keep_tests_apart(start):
    server = start("--isolate", "key")
    first, second = Client(server, key="first"), Client(server, key="second")
    Admin(server).ok("faults", {"match": {"access_key": "first"}, "effect": {"error": "InternalServerError"}})
    assert first.send("ListTables", {}).status == 500
    assert second.send("ListTables", {}).status == 200


def test_a_seed_repeats_what_fails(start):
    drawn = []
    for others in ([], [], [{"name": "before", "when": {"probability": 0.5}, "effect": {"delay": "0s", "and_on": True}}]):
        server = start("--fault-seed", "7")
        admin, client = Admin(server), Client(server)
        rule = {"name": "r", "when": {"probability": 0.3}, "effect": {"error": "InternalServerError"}}
        admin.ok("faults", {"rules": [*others, rule]})
        drawn.append([client.send("ListTables", {}).status for _ in range(1000)])
        assert admin.ok("faults")["seed"] == "7"
    assert drawn[0] == drawn[1] == drawn[2]  # another rule moves nothing
    assert 240 < drawn[0].count(500) < 360


def test_a_header_makes_one_request_fail(server, table):
    body = {"TableName": table, "Item": {"pk": {"S": "header"}}}
    with Connection(server) as connection:
        answer = connection.exchange(request("PutItem", body, {
            "x-stator-fault": '{"error": "ThrottlingException"}'}))
        assert answer.error()[:2] == (400, "ThrottlingException")
        assert answer.get("x-stator-fault") == "rule=header; n=1"
        assert connection.exchange(request("PutItem", body)).status == 200


def test_faults_can_be_off(start):
    server = start("--faults", "off")
    assert Admin(server).send("faults").status == 404
    body = {}
    with Connection(server) as connection:
        fault = {"x-stator-fault": '{"error": "ThrottlingException"}'}
        assert connection.exchange(request("ListTables", body, fault)).status == 200


def test_reset_removes_the_rules(start):
    server = start()
    admin = Admin(server)
    admin.ok("faults", {"effect": {"error": "InternalServerError"}})
    assert Client(server).send("ListTables", {}).status == 500
    admin.reset()
    assert Client(server).send("ListTables", {}).status == 200


def test_explain_and_metrics_say_who_it_was(start):
    server = start()
    admin = Admin(server)
    admin.ok("faults", {"name": "mine", "match": {"operation": "ListTables"}, "effect": {"error": "InternalServerError"}})
    answer = Client(server).send("ListTables", {})
    seen = admin.ok(f"requests/{answer.get('x-amzn-RequestId')}")
    assert seen["fault"] == {"rule": "mine", "effect": "error", "n": 1, "committed": False}
    assert seen["hints"] == ["Injected by the fault rule mine, not by the service"]
    with Connection(server) as connection:
        page = connection.exchange(request(None, b"", {"Content-Length": None, "Content-Type": None}, "GET", "/metrics"),
                                   "GET").body.decode()
    assert 'stator_injected_faults_total{rule="mine",effect="error",operation="ListTables"} 1' in page
    assert "stator_fault_rules 1" in page


def test_a_hidden_rule_is_told_everywhere_but_in_the_answer(start):
    server = start()
    admin, client = Admin(server), Client(server)
    rule = {"match": {"operation": "ListTables"}, "effect": {"error": "InternalServerError"}}
    admin.ok("faults", {"name": "open", **rule})
    assert client.send("ListTables", {}).get("x-stator-fault") == "rule=open; n=1"
    admin.ok("faults/clear", {})
    admin.ok("faults", {"name": "secret", "hidden": True, **rule})
    answer = client.send("ListTables", {})
    assert (answer.status, answer.get("x-stator-fault")) == (500, None)
    seen = admin.ok(f"requests/{answer.get('x-amzn-RequestId')}")
    assert seen["fault"] == {"rule": "secret", "effect": "error", "n": 1, "committed": False}
    assert admin.ok("faults/secret")["fired"] == 1
    client.close()
