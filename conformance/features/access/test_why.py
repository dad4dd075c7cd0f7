"""Why a request was denied: the latest denials, explained by the policies and the condition keys of then."""

import json

import pytest

from guarded import ACCOUNT, TOKEN, allow, directory, table_arn, user
from server_process import run_to_end

DEV = f"arn:aws:iam::{ACCOUNT}:user/dev"
OPS = f"arn:aws:iam::{ACCOUNT}:user/ops"
TENANT = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["${aws:PrincipalTag/tenant}#*"]}}
KEY = {"pk": {"S": "t2#a"}, "sk": {"S": "x"}}


def content():
    return directory(user("dev", allow("GetItem", table_arn("App"), TENANT, Sid="Own"), tags={"tenant": "t1"}),
                     user("ops", allow("ListTables")))


@pytest.fixture
def guarded(guard):
    guarded = guard(content())
    guarded.table()
    return guarded


def denied_id(call, **arguments):
    """The id of a request that is denied."""
    with pytest.raises(Exception, match="AccessDenied") as caught:
        call(**arguments)
    return caught.value.response["ResponseMetadata"]["RequestId"]


def command(guarded, *arguments):
    return run_to_end("access", "why", *arguments, "--port", guarded.server.port, env={"STATOR_CONSOLE_TOKEN": TOKEN})


def test_a_denial_is_explained(guarded):
    request_id = denied_id(guarded.user("dev").get_item, TableName="App", Key=KEY)
    denial, = guarded.ok("access/denials")["denials"]
    assert denial["request_id"] == request_id
    assert (denial["principal"], denial["action"], denial["resource"]) == (DEV, "dynamodb:GetItem", table_arn("App"))
    assert (denial["decision"], denial["reason"]) == ("denied", "no identity-based policy allows the action")
    assert denial["message"].startswith(f"User: {DEV} is not authorized to perform: dynamodb:GetItem on resource: ")
    context = denial["context"]
    assert context["dynamodb:LeadingKeys"] == ["t2#a"]
    assert context["aws:PrincipalTag/tenant"] == "t1"
    assert context["aws:username"] == "dev"
    statement, = denial["statements"]
    assert (statement["sid"], statement["applies"]) == ("Own", False)
    assert '"t2#a"' in statement["mismatch"] and "dynamodb:LeadingKeys" in statement["mismatch"]


def test_by_the_policies_of_then(guarded):
    request_id = denied_id(guarded.user("dev").get_item, TableName="App", Key=KEY)
    guarded.reload(directory(user("dev", allow("*", Sid="New"))))
    guarded.user("dev").get_item(TableName="App", Key=KEY)
    denial, = guarded.ok(f"access/denials?request={request_id}")["denials"]
    assert [statement["sid"] for statement in denial["statements"]] == ["Own"]


def test_some_of_them(guarded):
    first = denied_id(guarded.user("dev").get_item, TableName="App", Key=KEY)
    second = denied_id(guarded.user("ops").describe_limits)
    puts = [{"Put": {"TableName": "App", "Item": KEY}}, {"Delete": {"TableName": "App", "Key": {**KEY, "sk": {"S": "y"}}}}]
    third = denied_id(guarded.user("ops").transact_write_items, TransactItems=puts)

    def ids(query=""):
        return [denial["request_id"] for denial in guarded.ok("access/denials" + query)["denials"]]

    assert ids() == [third, third, second, first]
    assert ids(f"?principal={OPS}") == [third, third, second]
    assert ids("?limit=1") == [third]
    both = guarded.ok(f"access/denials?request={third}")["denials"]
    assert {denial["action"] for denial in both} == {"dynamodb:PutItem", "dynamodb:DeleteItem"}
    for wrong in ("limit=0", "limit=x", "format=yaml", "more=1"):
        assert guarded.send("access/denials?" + wrong).status == 400
    guarded.ok("access/reset", {})
    assert ids() == []


def test_one_statement_of_a_batch(guard):
    guarded = guard(directory(user("dev", allow("PartiQLSelect", condition={
        "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}))))
    guarded.table()
    answer = guarded.user("dev").batch_execute_statement(Statements=[
        {"Statement": f"SELECT pk FROM App WHERE pk = '{pk}' AND sk = 'x'"} for pk in ("a", "b")])
    denial, = guarded.ok("access/denials")["denials"]
    assert denial["request_id"] == answer["ResponseMetadata"]["RequestId"]
    assert denial["context"]["dynamodb:LeadingKeys"] == ["b"]


def test_an_audit_explains_what_it_lets_pass(guard):
    guarded = guard(content(), mode="audit")
    answer = guarded.user("ops").describe_limits()
    denial, = guarded.ok("access/denials")["denials"]
    assert denial["request_id"] == answer["ResponseMetadata"]["RequestId"]
    assert denial["action"] == "dynamodb:DescribeLimits"


def test_the_command(guarded):
    assert command(guarded).stdout == "no such denial is among the last 100\n"
    assert command(guarded).returncode == 1
    first = denied_id(guarded.user("dev").get_item, TableName="App", Key=KEY)
    second = denied_id(guarded.user("ops").describe_limits)
    told = command(guarded)
    assert told.returncode == 0
    lines = told.stdout.splitlines()
    assert lines[0].endswith(f", request {second}")
    assert lines[1] == "denied: no identity-based policy allows the action"
    assert lines[2].startswith("- identity-based policy 1, statement 1, Allow: Action: dynamodb:DescribeLimits is none of")
    assert lines[3].startswith(f"User: {OPS} is not authorized to perform: dynamodb:DescribeLimits on resource: ")
    assert len(lines) == 4
    own = command(guarded, first).stdout
    assert f"request {first}" in own and "(Own)" in own and "t2#a" in own
    assert command(guarded, "--last", "2").stdout.count(", request ") == 2
    assert command(guarded, "--principal", DEV).stdout == own
    found = json.loads(command(guarded, "--json", "--last", "9").stdout)
    assert found == guarded.ok("access/denials")
    assert command(guarded, "another-id").returncode == 1


@pytest.mark.parametrize("flags", [["--last", "0"], ["--last", "101"], ["one", "two"]])
def test_the_command_line(flags):
    assert run_to_end("access", "why", *flags).returncode == 2
