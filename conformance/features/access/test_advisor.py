"""Decisions explained, and the policy that a run needs."""

import json

import pytest

from guarded import ACCOUNT, allow, directory, policy, table_arn, user
from server_process import run_to_end

DEV = f"arn:aws:iam::{ACCOUNT}:user/dev"
TENANT = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["${aws:PrincipalTag/tenant}#*"]},
          "Null": {"dynamodb:LeadingKeys": "false"}}


def item(pk):
    return {"pk": {"S": pk}, "sk": {"S": "x"}}


def run(client):
    """What the program under test does."""
    client.put_item(TableName="App", Item=item("a"))
    client.get_item(TableName="App", Key=item("a"))
    client.transact_write_items(TransactItems=[{"Delete": {"TableName": "App", "Key": item("a")}}])
    client.query(TableName="App", IndexName="by_other", KeyConditionExpression="owner_id = :o",
                 ExpressionAttributeValues={":o": {"S": "a"}})
    client.list_tables()


def test_the_report_lets_the_same_run_pass_and_nothing_less(guard):
    guarded = guard(directory(user("dev", allow("*"))))
    guarded.table()
    run(guarded.user("dev"))
    report = guarded.ok(f"access/report?principal={DEV}")["principals"][0]
    assert report["policy"] == policy(
        {"Effect": "Allow", "Action": ["dynamodb:GetItem", "dynamodb:PutItem"], "Resource": [table_arn("App")]},
        {"Effect": "Allow", "Action": ["dynamodb:ListTables"], "Resource": [table_arn("*")]},
        {"Effect": "Allow", "Action": ["dynamodb:Query"], "Resource": [table_arn("App") + "/index/by_other"]},
        {"Effect": "Allow", "Action": ["dynamodb:DeleteItem"], "Resource": [table_arn("App")],
         "Condition": {"ForAnyValue:StringEquals": {"dynamodb:EnclosingOperation": ["TransactWriteItems"]}}})
    assert guarded.ok(f"access/report?principal={DEV}")["principals"][0]["policy"] == report["policy"]
    guarded.reload(directory(user("dev", *report["policy"]["Statement"])))
    run(guarded.user("dev"))
    for statement in report["policy"]["Statement"]:
        for action in statement["Action"]:
            fewer = [{**s, "Action": [a for a in s["Action"] if a != action]} for s in report["policy"]["Statement"]]
            guarded.reload(directory(user("dev", *[s for s in fewer if s["Action"]])))
            with pytest.raises(Exception, match="AccessDenied"):
                run(guarded.user("dev"))


def test_denied_uses_and_reset(guard):
    guarded = guard(directory(user("dev", allow("ListTables"))))
    dev = guarded.user("dev")
    dev.list_tables()
    with pytest.raises(Exception, match="AccessDenied"):
        dev.describe_limits()
    found = guarded.ok("access/report?only=denied")["principals"]
    assert [(use["action"], use["denied"]) for one in found for use in one["uses"]] == [("dynamodb:DescribeLimits", 1)]
    assert guarded.send("access/report?what=1").status == 400
    guarded.ok("access/reset", {})
    assert guarded.ok("access/report") == {"principals": [], "tenants": [], "merged": 0}


def tenants(guard):
    guarded = guard(directory(*[user(name, allow("*"), tags={"tenant": name}) for name in ("ta", "tb")]), mode="audit")
    guarded.table()
    for name in ("ta", "tb"):
        for i in range(12):
            guarded.user(name).put_item(TableName="App", Item=item(f"{name}#{i}"))
    return guarded


def test_leading_keys_are_suggested(guard):
    guarded = tenants(guard)
    report = guarded.ok(f"access/report?principal=arn:aws:iam::{ACCOUNT}:user/ta")
    assert report["tenants"] == [
        {"resource": table_arn("App"), "leading_keys": "${aws:PrincipalTag/tenant}#*", "obstacles": []}]
    statement, = report["principals"][0]["policy"]["Statement"]
    assert statement["Condition"] == TENANT


def test_a_scan_prevents_the_suggestion(guard):
    guarded = tenants(guard)
    guarded.user("ta").scan(TableName="App")
    report = guarded.ok("access/report")
    assert report["tenants"] == [{"resource": table_arn("App"), "obstacles": [
        f"dynamodb:Scan by arn:aws:iam::{ACCOUNT}:user/ta"]}]
    assert "Condition" not in json.dumps(report)


def test_a_simulation_explains_each_statement(guard):
    guarded = guard(directory(user("dev", allow("GetItem", table_arn("App"), TENANT, Sid="Own"), tags={"tenant": "a"})))
    asked = {"principal": DEV, "action": "dynamodb:GetItem", "resource": table_arn("App")}
    fine = guarded.ok("access/simulate", {**asked, "context": {"dynamodb:LeadingKeys": ["a#1"]}})
    assert (fine["decision"], fine["statements"][0]["applies"]) == ("allowed", True)
    bad = guarded.ok("access/simulate", {**asked, "context": {"dynamodb:LeadingKeys": ["b#1"]}})
    assert bad["decision"] == "denied"
    assert bad["statements"][0]["sid"] == "Own"
    assert "LeadingKeys" in bad["statements"][0]["mismatch"]
    assert bad["message"].startswith(f"User: {DEV} is not authorized to perform: dynamodb:GetItem")
    assert guarded.send("access/simulate", {"principal": DEV}).status == 400
    assert guarded.send("access/simulate", {**asked, "principal": "arn:aws:iam::1:user/x"}).status == 400


def test_the_command_decides_without_a_server(tmp_path):
    path = tmp_path / "access.json"
    own = allow("GetItem", table_arn("App"), TENANT)
    path.write_text(json.dumps(directory(user("dev", own, tags={"tenant": "a"}))))
    asked = ["access", "check", path, "--principal", DEV, "--action", "dynamodb:GetItem", "--resource",
             table_arn("App")]
    fine = run_to_end(*asked, "--context", "dynamodb:LeadingKeys=a#1")
    assert (fine.returncode, fine.stdout.splitlines()) == (
        0, ["allowed", "+ identity-based policy 1, statement 1, Allow: applies"])
    bad = run_to_end(*asked, "--context", "dynamodb:LeadingKeys=a#1", "--context", "dynamodb:LeadingKeys=b#1")
    assert bad.returncode == 1
    assert bad.stdout.startswith("denied: ")
    assert "dynamodb:LeadingKeys" in bad.stdout
    assert json.loads(run_to_end(*asked, "--json").stdout)["decision"] == "denied"
    assert run_to_end("access", "check", path, "--principal", "x", "--action", "a", "--resource", "r").returncode == 2
