"""Resource policies with a boto3 that knows them: put, read, compare revisions, delete, each kind of error, and a restart."""

import json

import pytest

from conftest import make_client

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/"
NONE = "Resource-based policy not found for the provided ResourceArn: "
INVALID = "One or more parameter values were invalid: "
STREAM = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}


def statement(**members):
    return {"Effect": "Allow", "Principal": {"AWS": "111122223333"}, "Action": "dynamodb:GetItem", "Resource": "*",
            **members}


def document(*statements, **members):
    return {"Version": "2012-10-17", "Statement": list(statements) or [statement()], **members}


def put(client, arn, policy, **members):
    return client.put_resource_policy(ResourceArn=arn, Policy=json.dumps(policy), **members)["RevisionId"]


def read(client, arn):
    answer = client.get_resource_policy(ResourceArn=arn)
    return json.loads(answer["Policy"]), answer["RevisionId"]


@pytest.fixture
def arn(new_table):
    return ARN + new_table()


def test_put_resource_policy(dynamodb, arn):
    revision = put(dynamodb, arn, document(statement(Action=["dynamodb:GetItem"], Sid="a")))
    assert len(revision) == 13 and revision.isdigit()
    stored = document(statement(Sid="a", Principal={"AWS": "arn:aws:iam::111122223333:root"}))
    assert read(dynamodb, arn) == (stored, revision)
    # What is read can be put again, and is no change.
    again = dynamodb.get_resource_policy(ResourceArn=arn)["Policy"]
    answer = dynamodb.put_resource_policy(ResourceArn=arn, Policy=again, ConfirmRemoveSelfResourceAccess=True)
    assert answer["RevisionId"] == revision
    assert put(dynamodb, arn, document(statement(Sid="b"))) > revision


def test_get_resource_policy_without_a_version(dynamodb, arn):
    without = {"Statement": statement()}
    revision = put(dynamodb, arn, without)
    text = dynamodb.get_resource_policy(ResourceArn=arn)["Policy"]
    assert text.startswith('{"Version":"2008-10-17","Statement":[{"Effect":"Allow","Principal":')
    assert put(dynamodb, arn, without) == revision
    answer = dynamodb.put_resource_policy(ResourceArn=arn, Policy=text)
    assert answer["RevisionId"] > revision


def test_delete_resource_policy(dynamodb, arn, refused):
    assert "RevisionId" not in dynamodb.delete_resource_policy(ResourceArn=arn)
    revision = put(dynamodb, arn, document())
    assert dynamodb.delete_resource_policy(ResourceArn=arn)["RevisionId"] == revision
    deletion = dynamodb.delete_resource_policy(ResourceArn=arn)["RevisionId"]
    assert deletion > revision
    assert dynamodb.delete_resource_policy(ResourceArn=arn)["RevisionId"] == deletion
    refused("PolicyNotFoundException", NONE + arn, dynamodb.get_resource_policy, ResourceArn=arn)


def test_expected_revision(dynamodb, arn, refused):
    table = arn.removeprefix(ARN)
    policy = json.dumps(document(statement(Sid="first")))
    refused("PolicyNotFoundException",
            f"{NONE}Requested update for policy with revision id 1, but table {table} has no associated policy.",
            dynamodb.put_resource_policy, ResourceArn=arn, Policy=policy, ExpectedRevisionId="1")
    revision = put(dynamodb, arn, document(statement(Sid="first")), ExpectedRevisionId="NO_POLICY")
    for call, members in ((dynamodb.put_resource_policy, {"Policy": policy}), (dynamodb.delete_resource_policy, {})):
        refused("PolicyNotFoundException",
                f"{NONE}Requested policy update expecting none to be present for table {table}, but a policy exists "
                f"with revision id {revision}.",
                call, ResourceArn=arn, ExpectedRevisionId="NO_POLICY", **members)
        refused("PolicyNotFoundException",
                f"{NONE}Requested update for policy with revision id 1, but the policy associated to target table "
                f"{table} has revision id {revision}.",
                call, ResourceArn=arn, ExpectedRevisionId="1", **members)
    assert put(dynamodb, arn, document(), ExpectedRevisionId=revision) > revision


@pytest.mark.parametrize("policy, message", [
    ("", INVALID + "Invalid policy document: This policy contains invalid Json"),
    (" " * 20_481, INVALID + "Maximum policy size of 20480 bytes exceeded"),
    (json.dumps(document(statement(Action=["dynamodb:GetRecords", "dynamodb:DescribeStream"]))),
     INVALID + 'Invalid policy document: The following action names are invalid: "dynamodb:GetRecords", '
               '"dynamodb:DescribeStream"'),
    (json.dumps(document(statement(Principal={"AWS": "nobody"}))), INVALID + "Invalid principal in policy document."),
    (json.dumps(document(statement(Principal="*"))),
     "Resource-based policy grants unbounded access in one or more elements. Please revise the policy to ensure "
     "least-privilege form of access"),
], ids=["json", "size", "actions", "principal", "unbounded"])
def test_rejected_documents(dynamodb, arn, refused, policy, message):
    refused("ValidationException", message, dynamodb.put_resource_policy, ResourceArn=arn, Policy=policy)
    refused("PolicyNotFoundException", NONE + arn, dynamodb.get_resource_policy, ResourceArn=arn)
    refused("ValidationException", message, dynamodb.create_table, TableName="py_no_policy",
            BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}], ResourcePolicy=policy)
    refused("ResourceNotFoundException", "Requested resource not found: Table: py_no_policy not found",
            dynamodb.describe_table, TableName="py_no_policy")


@pytest.mark.parametrize("arn, code, message", [
    ("Things", "ValidationException", INVALID + "ARNs must start with 'arn:': Things"),
    (ARN + "Things/index/i", "ValidationException",
     f"{INVALID}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: "
     f"{ARN}Things/index/i"),
    (ARN.replace("us-east-1", "eu-west-1") + "Things", "ValidationException",
     f"{INVALID}Invalid resource Arn: {ARN.replace('us-east-1', 'eu-west-1')}Things"),
    (ARN.replace("000000000000", "111111111111") + "Things", "ValidationException",
     "This action is only supported by accounts that match the resource owner\u2019s account."),
    (ARN + "py_missing", "ResourceNotFoundException", "Requested resource not found: Table: py_missing not found"),
], ids=["name", "index", "region", "account", "missing"])
def test_other_arns(dynamodb, refused, arn, code, message):
    refused(code, message, dynamodb.put_resource_policy, ResourceArn=arn, Policy=json.dumps(document()))
    refused(code, message, dynamodb.get_resource_policy, ResourceArn=arn)
    refused(code, message, dynamodb.delete_resource_policy, ResourceArn=arn)


def test_policies_end_with_their_table(dynamodb, new_table, refused):
    name = new_table(TableName="py_policy_ends", ResourcePolicy=json.dumps(document()))
    assert read(dynamodb, ARN + name)[0]["Version"] == "2012-10-17"
    assert "ResourcePolicy" not in dynamodb.describe_table(TableName=name)["Table"]
    dynamodb.delete_table(TableName=name)
    new_table(TableName=name)
    refused("PolicyNotFoundException", NONE + ARN + name, dynamodb.get_resource_policy, ResourceArn=ARN + name)


def test_over_a_restart(start, tmp_path):
    """Policies of tables and streams persist with the table, and so does the revision of a deletion."""
    flags = ("--db-path", tmp_path)
    server = start(*flags)
    client = make_client(server.endpoint)
    key = {"BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
           "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}
    made = client.create_table(TableName="Things", StreamSpecification=STREAM, **key)
    stream = made["TableDescription"]["LatestStreamArn"]
    client.create_table(TableName="Deleted", ResourcePolicy=json.dumps(document()), **key)
    put(client, ARN + "Things", document(statement(Sid="été \"quoted\"")))
    put(client, stream, document(statement(Action="dynamodb:GetRecords", Resource=stream)))
    client.delete_resource_policy(ResourceArn=ARN + "Deleted")
    deletion = client.delete_resource_policy(ResourceArn=ARN + "Deleted")["RevisionId"]
    before = [read(client, arn) for arn in (ARN + "Things", stream)]

    server.stop()
    client = make_client(start(*flags).endpoint)
    assert [read(client, arn) for arn in (ARN + "Things", stream)] == before
    assert client.delete_resource_policy(ResourceArn=ARN + "Deleted")["RevisionId"] == deletion
    with pytest.raises(client.exceptions.PolicyNotFoundException):
        client.get_resource_policy(ResourceArn=ARN + "Deleted")
