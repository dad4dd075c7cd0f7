"""What policies decide: texts, kinds of policies, accounts, and that a denied call leaves nothing."""

import json

import pytest

from guarded import ACCOUNT, OTHER, ROOT, allow, directory, key_of, policy, table_arn, user
from raw_client import Connection, request

DEV = f"arn:aws:iam::{ACCOUNT}:user/dev"


def denied(action, resource, reason, who=DEV):
    return f"User: {who} is not authorized to perform: dynamodb:{action} on resource: {resource} {reason}"


@pytest.fixture
def dev(guard):
    """dev(*statements, **members) starts a server with the table App; returns it and the client of dev."""
    def begin(*statements, **members):
        guarded = guard(directory(user("dev", *statements, **members)))
        guarded.table()
        return guarded, guarded.user("dev")
    return begin


def item(pk="a"):
    return {"pk": {"S": pk}, "sk": {"S": "x"}}


def test_texts(dev, refused):
    statements = [allow("*"), allow("DeleteItem", Effect="Deny")]
    _, client = dev(*statements, boundary=policy(allow(["PutItem", "DeleteItem"])))
    for call, arguments, action, resource, reason in [
            (client.delete_item, {"TableName": "App", "Key": item()}, "DeleteItem", table_arn("App"),
             "with an explicit deny in an identity-based policy"),
            (client.get_item, {"TableName": "App", "Key": item()}, "GetItem", table_arn("App"),
             "because no permissions boundary allows the dynamodb:GetItem action"),
            (client.list_tables, {}, "ListTables", table_arn("*"),
             "because no permissions boundary allows the dynamodb:ListTables action")]:
        assert refused("AccessDeniedException", call, **arguments) == denied(action, resource, reason)
    client.put_item(TableName="App", Item=item())


def test_the_answer_on_the_wire(dev):
    guarded, client = dev(allow("GetItem"))
    seen = []
    client.meta.events.register("after-call.dynamodb.*", lambda http_response, **_: seen.append(http_response))
    with pytest.raises(client.exceptions.ClientError):
        client.list_tables()
    told = json.loads(seen[0].content)
    assert seen[0].status_code == 400
    assert told["__type"] == "com.amazon.coral.service#AccessDeniedException"
    assert list(told) == ["__type", "Message"]


def test_a_missing_table_is_not_told_from_others(dev, refused):
    _, client = dev(allow("GetItem", table_arn("Mine*")))
    reason = "because no identity-based policy allows the dynamodb:GetItem action"
    for name in ("App", "Absent"):
        told = refused("AccessDeniedException", client.get_item, TableName=name, Key=item())
        assert told == denied("GetItem", table_arn(name), reason)
    refused("ResourceNotFoundException", client.get_item, TableName="MineToo", Key=item())


def test_groups_and_managed_policies(guard, refused):
    read = "arn:aws:iam::aws:policy/ReadOnly"
    content = directory({**user("dev"), "groups": ["readers"], "policies": [read]},
                        groups={"readers": {"policies": [policy(allow("GetItem"))]}},
                        managed={read: policy(allow("Query"))})
    guarded = guard(content)
    guarded.table()
    client = guarded.user("dev")
    client.get_item(TableName="App", Key=item())
    client.query(TableName="App", KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "a"}})
    refused("AccessDeniedException", client.scan, TableName="App")


def test_a_new_table_with_tags_needs_both_actions(dev, refused):
    guarded, client = dev(allow("CreateTable"))
    told = refused("AccessDeniedException", guarded.table, name="Tagged", client=client,
                   Tags=[{"Key": "team", "Value": "x"}])
    assert "dynamodb:TagResource" in told
    assert guarded.client().list_tables()["TableNames"] == ["App"]
    guarded.table("Plain", client=client)


def test_tags_of_tables(dev, refused):
    condition = {"StringEquals": {"aws:ResourceTag/team": "${aws:PrincipalTag/team}"}}
    guarded, client = dev(allow(["GetItem", "Query"], condition=condition), tags={"team": "x"})
    refused("AccessDeniedException", client.get_item, TableName="App", Key=item())
    root = guarded.client()
    root.tag_resource(ResourceArn=table_arn("App"), Tags=[{"Key": "team", "Value": "x"}])
    client.get_item(TableName="App", Key=item())
    client.query(TableName="App", IndexName="by_other", KeyConditionExpression="owner_id = :o",
                 ExpressionAttributeValues={":o": {"S": "a"}})
    root.untag_resource(ResourceArn=table_arn("App"), TagKeys=["team"])
    refused("AccessDeniedException", client.get_item, TableName="App", Key=item())


def test_global_keys(dev, refused):
    here = {"IpAddress": {"aws:SourceIp": ["127.0.0.0/8", "::1/128"]}, "Bool": {"aws:SecureTransport": "false"},
            "StringEquals": {"aws:username": "dev", "aws:RequestedRegion": "us-east-1"},
            "StringLike": {"aws:UserAgent": "*Boto3*"}, "DateGreaterThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"}}
    guarded, client = dev(allow("GetItem", condition=here))
    client.get_item(TableName="App", Key=item())
    elsewhere = guarded.user("dev", region="eu-west-1")
    refused("AccessDeniedException", elsewhere.get_item, TableName="App", Key=item())


def test_a_resource_policy_allows_alone_and_denies(dev, refused):
    guarded, client = dev(allow("PutItem"))

    def attach(effect, action, principal):
        guarded.attach(table_arn("App"), {"Effect": effect, "Principal": {"AWS": principal}, "Action": action,
                                          "Resource": table_arn("App")})

    attach("Allow", "dynamodb:GetItem", DEV)
    client.get_item(TableName="App", Key=item())
    attach("Deny", "dynamodb:PutItem", DEV)
    told = refused("AccessDeniedException", client.put_item, TableName="App", Item=item())
    assert told == denied("PutItem", table_arn("App"), "with an explicit deny in a resource-based policy")
    attach("Allow", "dynamodb:Scan", f"arn:aws:iam::{ACCOUNT}:root")
    refused("AccessDeniedException", client.scan, TableName="App")


def test_other_accounts(guard, refused):
    guest = user("guest", allow("*"), account=OTHER)
    guarded = guard(directory(guest))
    guarded.table()
    root = guarded.client()
    root.put_item(TableName="App", Item=item())
    client = guarded.user("guest")
    # A bare name is a table of the caller's own account.
    assert client.list_tables()["TableNames"] == []
    refused("ResourceNotFoundException", client.get_item, TableName="App", Key=item())
    who = guest["arn"]
    told = refused("AccessDeniedException", client.get_item, TableName=table_arn("App"), Key=item())
    assert told == denied("GetItem", table_arn("App"),
                          "because no resource-based policy allows the dynamodb:GetItem action", who)
    guarded.attach(table_arn("App"), {"Effect": "Allow", "Principal": {"AWS": who}, "Resource": table_arn("App"),
                                      "Action": ["dynamodb:GetItem", "dynamodb:PartiQLSelect"]})
    assert client.get_item(TableName=table_arn("App"), Key=item())["Item"] == item()
    guarded.table("App", client=client)
    described = client.describe_table(TableName="App")["Table"]
    assert described["TableArn"] == table_arn("App", OTHER)
    assert "Item" not in client.get_item(TableName="App", Key=item())
    assert root.get_item(TableName="App", Key=item())["Item"] == item()


def test_statements_of_a_batch_fail_alone(dev):
    guarded, client = dev(allow("PartiQLSelect", condition={
        "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}))
    guarded.client().put_item(TableName="App", Item=item())
    statements = [{"Statement": "SELECT pk FROM App WHERE pk = ? AND sk = 'x'", "Parameters": [{"S": pk}]}
                  for pk in ("a", "b")]
    first, second = client.batch_execute_statement(Statements=statements)["Responses"]
    assert first["Item"] == {"pk": {"S": "a"}}
    assert second["Error"]["Code"] == "AccessDenied"
    assert second["Error"]["Message"].startswith(f"User: {DEV} is not authorized to perform: dynamodb:PartiQLSelect")


def test_a_denied_call_leaves_nothing(dev, refused):
    guarded, client = dev(allow("PutItem", table_arn("Other")), allow("GetItem"))
    token = {"ClientRequestToken": "token-of-a-denied-call"}
    put = [{"Put": {"TableName": "App", "Item": item("new")}}]
    refused("AccessDeniedException", client.transact_write_items, TransactItems=put, **token)
    root = guarded.client()
    assert root.scan(TableName="App")["Count"] == 0
    # The same token with other content would be a mismatch, had the denied call consumed it.
    guarded.reload(directory(user("dev", allow("*"))))
    other = [{"Put": {"TableName": "App", "Item": item("other")}}]
    client.transact_write_items(TransactItems=other, **token)


def test_a_denied_call_consumes_nothing(guard, refused):
    guarded = guard(directory(user("dev", allow("GetItem", table_arn("Other")))))
    guarded.table(StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    streams = guarded.client(service="dynamodbstreams")
    stream = streams.list_streams()["Streams"][0]["StreamArn"]
    shard = streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"][0]["ShardId"]
    start = streams.get_shard_iterator(StreamArn=stream, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
    before = guarded.ok("capacity")["tables"]
    client = guarded.user("dev")
    refused("AccessDeniedException", client.put_item, TableName="App", Item=item())
    refused("AccessDeniedException", client.scan, TableName="App", ReturnConsumedCapacity="TOTAL")
    refused("AccessDeniedException", client.execute_statement, Statement="SELECT * FROM App")
    assert guarded.ok("capacity")["tables"] == before
    assert streams.get_records(ShardIterator=start["ShardIterator"])["Records"] == []
    guarded.client().put_item(TableName="App", Item=item())
    assert guarded.ok("capacity")["tables"] != before


def test_broken_json_comes_first(dev):
    guarded, client = dev()
    with pytest.raises(client.exceptions.ClientError) as caught:
        client.meta.events.register("before-call.dynamodb.*", lambda params, **_: params.update(body=b"{"))
        client.list_tables()
    assert caught.value.response["Error"]["Code"] == "SerializationException"


def test_explanations_are_not_for_strangers(dev):
    guarded, client = dev(allow("GetItem"))
    client.meta.events.register("before-sign.dynamodb.*", lambda request, **_: request.headers.add_header(
        "x-stator-explain", "1"))
    with pytest.raises(client.exceptions.ClientError) as caught:
        client.scan(TableName="App")
    assert "x-stator-explain" not in caught.value.response["ResponseMetadata"]["HTTPHeaders"]


def test_a_key_of_a_user_has_no_say_in_signature_mode(guard):
    guarded = guard(directory(user("dev")), mode="signature")
    guarded.table(client=guarded.user("dev"))
    assert key_of("dev")["id"] == "AKIADEV"


def test_a_policy_may_not_lock_its_sender_out(guard, refused):
    """conformance/observed/policies.md 2: only PutResourcePolicy is looked at, and the root is free."""
    guarded = guard(directory(user("dev", allow(["PutResourcePolicy", "DeleteResourcePolicy"]))))
    guarded.table()

    def send(name, operation, **members):
        body = json.dumps({"ResourceArn": table_arn("App"), **members}).encode()
        asked, signer = guarded.signed(operation, body, key=ROOT if name == "root" else key_of(name))
        signer.add_auth(asked)
        with Connection(guarded.server) as connection:
            told = connection.exchange(request(None, body, dict(asked.headers.items()))).json()
        return told.get("Message") or told.get("message") or "done"

    def put(name, *statements, **members):
        return send(name, "PutResourcePolicy", Policy=json.dumps(policy(*statements)), **members)

    def deny(action, principal=DEV, **members):
        return {"Effect": "Deny", "Principal": {"AWS": principal}, "Action": f"dynamodb:{action}",
                "Resource": table_arn("App"), **members}

    locked = "The new resource policy will not allow you to update the resource policy in the future."
    assert put("dev", deny("PutResourcePolicy")) == locked
    assert put("dev", deny("*", f"arn:aws:iam::{ACCOUNT}:root")) == locked
    here = {"Condition": {"StringEquals": {"aws:username": "dev"}}}
    assert put("dev", deny("PutResourcePolicy", **here)) == locked
    elsewhere = {"Condition": {"StringEquals": {"aws:username": "ops"}}}
    assert put("dev", deny("PutResourcePolicy", **elsewhere)) == "done"
    assert put("dev", deny("DeleteResourcePolicy")) == "done"
    assert put("root", deny("PutResourcePolicy", "*")) == "done"
    for name in ("dev", "root"):
        assert put(name, deny("GetItem")).endswith("with an explicit deny in a resource-based policy")
    assert put("dev", deny("GetItem"), ConfirmRemoveSelfResourceAccess=True) != "done"
    assert send("root", "DeleteResourcePolicy") == "done"
    assert put("dev", deny("PutResourcePolicy"), ConfirmRemoveSelfResourceAccess=True) == "done"
    assert put("dev", deny("GetItem")).endswith("with an explicit deny in a resource-based policy")


def test_a_new_policy_of_the_table_counts_at_once(dev, refused):
    """What was decided before, and remembered, counts no longer."""
    guarded, client = dev(allow(["GetItem", "PutItem"]))
    for _ in range(3):
        client.get_item(TableName="App", Key=item())
    statement = {"Effect": "Deny", "Principal": {"AWS": DEV}, "Action": "dynamodb:GetItem", "Resource": table_arn("App")}
    guarded.attach(table_arn("App"), statement)
    for _ in range(3):
        refused("AccessDeniedException", client.get_item, TableName="App", Key=item())
    client.put_item(TableName="App", Item=item())
    guarded.attach(table_arn("App"), {**statement, "Action": "dynamodb:PutItem"})
    for _ in range(3):
        client.get_item(TableName="App", Key=item())
        refused("AccessDeniedException", client.put_item, TableName="App", Item=item())
    guarded.reload(directory(user("dev", allow("PutItem"))))
    for _ in range(3):
        refused("AccessDeniedException", client.get_item, TableName="App", Key=item())


def test_statements_are_no_way_to_other_accounts(guard, refused):
    guest = user("guest", allow("*"), account=OTHER)
    guarded = guard(directory(guest))
    guarded.table()
    guarded.attach(table_arn("App"), {"Effect": "Allow", "Principal": {"AWS": guest["arn"]},
                                      "Resource": table_arn("App"), "Action": "dynamodb:PartiQLSelect"})
    refused("AccessDeniedException", guarded.user("guest").execute_statement,
            Statement=f'SELECT * FROM "{table_arn("App")}"')
