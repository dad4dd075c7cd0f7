"""The report for tools that deploy, beside policies that are there, and as a command."""

import json
import shutil
import subprocess

import boto3
import pytest

from admin import Admin
from guarded import ACCOUNT, TOKEN, allow, directory, policy, table_arn, user
from server_process import run_to_end

DEV = f"arn:aws:iam::{ACCOUNT}:user/dev"
OPS = f"arn:aws:iam::{ACCOUNT}:user/ops"
MANAGED = "arn:aws:iam::aws:policy/Reader"
KEY = {"pk": {"S": "a"}, "sk": {"S": "x"}}


@pytest.fixture
def guarded(guard):
    """dev has used a few permissions, and was denied one."""
    guarded = guard(directory(
        user("dev", allow(["GetItem", "Query", "Scan"], [table_arn("App"), table_arn("Gone")], Sid="Read"),
             allow("dynamodb:Put*", table_arn("App"))),
        user("ops", allow("dynamodb:*")),
        managed={MANAGED: policy(allow("GetItem", "*"))}))
    guarded.table()
    dev = guarded.user("dev")
    dev.put_item(TableName="App", Item=KEY)
    dev.get_item(TableName="App", Key=KEY)
    with pytest.raises(Exception, match="AccessDenied"):
        dev.delete_item(TableName="App", Key=KEY)
    guarded.user("ops").list_tables()
    return guarded


def one(guarded, query):
    found = guarded.ok(f"access/report?{query}")["principals"]
    assert len(found) == 1, found
    return found[0]


def test_beside_its_own_policies(guarded):
    assert one(guarded, f"principal={DEV}&against=own")["comparison"] == {
        "unused": [{"policy": 0, "statement": 0, "sid": "Read", "action": "dynamodb:Query"},
                   {"policy": 0, "statement": 0, "sid": "Read", "action": "dynamodb:Scan"},
                   {"policy": 0, "statement": 0, "sid": "Read", "resource": table_arn("Gone")}],
        "not_granted": [{"action": "dynamodb:DeleteItem", "resource": table_arn("App")}],
        "only_by_wildcard": [{"pattern": "dynamodb:Put*", "actions": ["dynamodb:PutItem"]}]}


def test_beside_other_policies(guarded):
    assert one(guarded, f"principal={DEV}&against={MANAGED}")["comparison"] == {
        "unused": [], "only_by_wildcard": [],
        "not_granted": [{"action": f"dynamodb:{name}", "resource": table_arn("App")}
                        for name in ("DeleteItem", "PutItem")]}
    assert one(guarded, f"principal={DEV}&against={OPS}")["comparison"]["not_granted"] == []
    assert guarded.send("access/report?against=arn:aws:iam::1:user/x").status == 404


def test_what_was_used_lately(guarded):
    guarded.ok("clock", {"advance": "1d"})
    now = guarded.ok("clock")["time"]
    assert guarded.ok(f"access/report?since={now}")["principals"] == []
    guarded.user("dev").get_item(TableName="App", Key=KEY)
    assert [use["action"] for use in one(guarded, f"since={now}")["uses"]] == ["dynamodb:GetItem"]
    for wrong in ("since=yesterday", "format=yaml", "only=allowed", "resources=some"):
        assert guarded.send(f"access/report?{wrong}").status == 400


def test_statements_for_the_cdk_are_a_program(guarded, tmp_path):
    text = guarded.ok(f"access/report?format=cdk&principal={DEV}")["text"]
    assert "`arn:${Aws.PARTITION}:dynamodb:${Aws.REGION}:${Aws.ACCOUNT_ID}:table/App`" in text
    assert ACCOUNT not in text.replace(DEV, "")
    if shutil.which("node"):
        path = tmp_path / "statements.mjs"
        path.write_text(text)
        subprocess.run(["node", "--check", path], check=True)


def test_policies_for_sam_are_yaml(guarded):
    yaml = pytest.importorskip("yaml")
    text = guarded.ok("access/report?format=sam")["text"]

    class Loader(yaml.SafeLoader):
        """Knows !Sub, with what it puts in."""

    values = {"AWS::Partition": "aws", "AWS::Region": "us-east-1", "AWS::AccountId": ACCOUNT}

    def sub(loader, node):
        value = loader.construct_scalar(node)
        for name, known in values.items():
            value = value.replace("${" + name + "}", known)
        return value

    Loader.add_constructor("!Sub", sub)
    documents = list(yaml.load_all(text, Loader))
    expected = [one["policy"] for one in guarded.ok("access/report")["principals"]]
    assert [document["Policies"] for document in documents] == [[one] for one in expected]


def test_documents_for_terraform(guarded):
    text = guarded.ok(f"access/report?format=terraform&principal={DEV}")["text"]
    assert text.count("statement {") == 1
    assert 'data "aws_iam_policy_document" "dev" {' in text
    assert text.count("{") == text.count("}")
    if shutil.which("terraform"):
        checked = subprocess.run(["terraform", "fmt", "-check", "-"], input=text, text=True, capture_output=True)
        assert checked.returncode == 0, checked


def command(guarded, *flags):
    return run_to_end("access", "report", "--port", guarded.server.port, *flags, env={"STATOR_CONSOLE_TOKEN": TOKEN})


def test_the_command(guarded):
    told = command(guarded, "--principal", DEV, "--against", "own")
    assert (told.returncode, json.loads(told.stdout)) == (0, guarded.ok(f"access/report?principal={DEV}&against=own"))
    told = command(guarded, "--denied", "--no-resources")
    assert json.loads(told.stdout)["principals"][0]["policy"]["Statement"][0]["Resource"] == ["*"]
    told = command(guarded, "--format", "cdk")
    assert told.stdout == guarded.ok("access/report?format=cdk")["text"]
    assert command(guarded, "--since", "2100-01-01").stdout.startswith('{"principals":[]')


def test_the_command_fails_a_run_that_was_denied_something(guarded):
    told = command(guarded, "--check")
    assert told.returncode == 1
    assert told.stdout == f"{DEV} was denied dynamodb:DeleteItem on {table_arn('App')}, 1 time\n"
    told = command(guarded, "--check", "--principal", OPS)
    assert (told.returncode, told.stdout) == (0, "nothing was denied\n")
    guarded.ok("access/reset", {})
    assert command(guarded, "--check").returncode == 0


@pytest.mark.parametrize("flags", [
    ["--format", "yaml"], ["more"], ["--check", "--format", "cdk"], ["--against", "own", "--format", "sam"]])
def test_the_command_line(flags):
    assert run_to_end("access", "report", *flags).returncode == 2


def test_a_server_without_access_control(start):
    server = start()
    told = run_to_end("access", "report", "--port", server.port)
    assert told.returncode == 1
    assert "--auth off" in told.stderr


def test_the_attributes_that_were_named(guarded):
    dev = guarded.user("dev")
    dev.query(TableName="App", KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "a"}},
              ProjectionExpression="title, #o", ExpressionAttributeNames={"#o": "owner.id"}, Select="SPECIFIC_ATTRIBUTES")
    found = one(guarded, f"principal={DEV}&attributes=list")["policy"]["Statement"]
    conditions = {action: statement["Condition"] for statement in found for action in statement["Action"]}
    assert conditions["dynamodb:Query"] == {
        "ForAllValues:StringEquals": {"dynamodb:Attributes": ["owner.id", "pk", "title"]},
        "StringEqualsIfExists": {"dynamodb:Select": ["SPECIFIC_ATTRIBUTES"]}}
    assert conditions["dynamodb:PutItem"] == {
        "ForAllValues:StringEquals": {"dynamodb:Attributes": ["pk", "sk"]},
        "StringEqualsIfExists": {"dynamodb:ReturnValues": ["NONE"]}}
    assert conditions["dynamodb:GetItem"]["StringEqualsIfExists"] == {"dynamodb:Select": ["ALL_ATTRIBUTES"]}
    assert guarded.send("access/report?attributes=none").status == 400
    shown = json.loads(command(guarded, "--principal", DEV, "--attributes").stdout)
    assert shown["principals"][0]["policy"]["Statement"] == found


def test_a_list_of_attributes_lets_the_same_run_pass_and_no_other(guarded):
    statements = one(guarded, f"principal={DEV}&attributes=list")["policy"]["Statement"]
    assert guarded.reload(directory(user("dev", *statements))).status == 200
    dev = guarded.user("dev")
    dev.put_item(TableName="App", Item=KEY)
    dev.get_item(TableName="App", Key=KEY)
    for call in (lambda: dev.put_item(TableName="App", Item={**KEY, "hidden": {"S": "x"}}),
                 lambda: dev.put_item(TableName="App", Item=KEY, ReturnValues="ALL_OLD"),
                 lambda: dev.get_item(TableName="App", Key=KEY, ProjectionExpression="hidden")):
        with pytest.raises(Exception, match="AccessDenied"):
            call()


def test_all_indexes_at_once(guarded):
    ops = guarded.user("ops")
    ops.query(TableName="App", IndexName="by_other", KeyConditionExpression="owner_id = :o",
              ExpressionAttributeValues={":o": {"S": "a"}})
    for query, index in (("", "by_other"), ("&indexes=all", "*")):
        shown = one(guarded, f"principal={OPS}{query}")["policy"]["Statement"]
        assert {"Effect": "Allow", "Action": ["dynamodb:Query"], "Resource": [f"{table_arn('App')}/index/{index}"]} in shown
    told = command(guarded, "--principal", OPS, "--all-indexes")
    assert "/index/*" in told.stdout


def plain_client(server, key):
    return boto3.client("dynamodb", endpoint_url=server.endpoint, region_name="us-east-1", aws_access_key_id=key,
                        aws_secret_access_key="any")


def a_run(server):
    for key in ("worker", "website"):
        client = plain_client(server, key)
        if key == "worker":
            client.create_table(TableName="App", BillingMode="PAY_PER_REQUEST",
                                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
            client.put_item(TableName="App", Item={"pk": {"S": "a"}})
        client.get_item(TableName="App", Key={"pk": {"S": "a"}})


def used(report):
    return {one["principal"].rpartition("/")[2]: [use["action"].partition(":")[2] for use in one["uses"]]
            for one in report["principals"]}


USED = {"website": ["GetItem"], "worker": ["CreateTable", "GetItem", "PutItem"]}


def test_without_access_control_the_report_is_written_at_the_end(start, tmp_path):
    path = tmp_path / "report.json"
    server = start("--access-report", path)
    a_run(server)
    # Nothing else is as with --auth: the admin path needs no token.
    assert used(Admin(server).ok("access/report")) == USED
    told = run_to_end("access", "report", "--port", server.port)
    assert used(json.loads(told.stdout)) == USED
    assert not path.exists()
    assert server.stop() == 0
    report = json.loads(path.read_text())
    assert used(report) == USED
    assert report["principals"][0]["policy"] == policy(
        {"Effect": "Allow", "Action": ["dynamodb:GetItem"],
         "Resource": ["arn:aws:dynamodb:us-east-1:000000000000:table/App"]})


@pytest.mark.parametrize("name, words", [
    ("report.tf", 'data "aws_iam_policy_document" "worker" {'), ("report.ts", "new iam.PolicyStatement({"),
    ("report.yaml", 'Version: "2012-10-17"')])
def test_the_report_at_the_end_for_a_tool(start, tmp_path, name, words):
    server = start("--access-report", tmp_path / name)
    a_run(server)
    server.stop()
    assert words in (tmp_path / name).read_text()


def test_a_report_that_cannot_be_written(start, tmp_path):
    server = start("--access-report", tmp_path / "no" / "folder", "--log-level", "error")
    a_run(server)
    assert server.stop() == 1
    assert "--access-report: " in server.log()


def test_a_report_of_verified_signatures(guard, tmp_path):
    path = tmp_path / "report.json"
    guarded = guard(directory(user("dev")), "--access-report", path, mode="signature")
    guarded.user("dev").list_tables()
    guarded.server.stop()
    assert used(json.loads(path.read_text())) == {"dev": ["ListTables"]}
