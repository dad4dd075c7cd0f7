"""Sessions for the holders of tokens: AssumeRoleWithWebIdentity, which no key signs."""

import base64
import json

import boto3
import botocore
import pytest
from botocore.config import Config

from guarded import ACCOUNT, allow, directory, policy, table_arn, user

ROLE = f"arn:aws:iam::{ACCOUNT}:role/web"
COGNITO = "cognito-identity.amazonaws.com"
OWN = allow(["GetItem", "PutItem"], table_arn("App"), {"ForAllValues:StringEquals": {
    "dynamodb:LeadingKeys": ["${cognito-identity.amazonaws.com:sub}"]}, "Null": {"dynamodb:LeadingKeys": "false"}})
TENANT = allow(["GetItem", "PutItem"], table_arn("App"), {"ForAllValues:StringLike": {
    "dynamodb:LeadingKeys": ["${aws:PrincipalTag/tenant}#*"]}, "Null": {"dynamodb:LeadingKeys": "false"}})


def part(content):
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


def token(issuer=f"https://{COGNITO}", sub="us-east-1:user-1", aud="pool-1", **claims):
    return f"{part({'alg': 'RS256'})}.{part({'iss': issuer, 'sub': sub, 'aud': aud, **claims})}.c2lnbmF0dXJl"


def role(provider=COGNITO, statement=OWN, actions="sts:AssumeRoleWithWebIdentity", **condition):
    trust = {"Effect": "Allow", "Principal": {"Federated": provider}, "Action": actions}
    if condition:
        trust["Condition"] = condition
    return {"arn": ROLE, "trust": policy(trust), "policies": [policy(statement)]}


@pytest.fixture
def web(guard):
    """web(role, **members of the file): a server, and a call with a token."""
    def begin(one, mode="iam", **members):
        guarded = guard(directory(one, **{"webIdentity": "trust", **members}), mode=mode)
        guarded.table()
        sts = boto3.client("sts", endpoint_url=guarded.endpoint, region_name="us-east-1",
                           config=Config(signature_version=botocore.UNSIGNED))
        return guarded, lambda **more: sts.assume_role_with_web_identity(**{
            "RoleArn": ROLE, "RoleSessionName": "phone", "WebIdentityToken": token(), **more})
    return begin


def item(pk):
    return {"pk": {"S": pk}, "sk": {"S": "x"}}


def test_the_subject_is_a_variable(web, refused):
    guarded, assume = web(role(StringEquals={f"{COGNITO}:aud": "pool-1"}, **{
        "ForAnyValue:StringLike": {f"{COGNITO}:amr": "authenticated"}}))
    made = assume(WebIdentityToken=token(amr=["authenticated", "other"]))
    assert made["AssumedRoleUser"]["Arn"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/web/phone"
    assert (made["SubjectFromWebIdentityToken"], made["Audience"], made["Provider"]) == (
        "us-east-1:user-1", "pool-1", COGNITO)
    client = guarded.client(made["Credentials"])
    client.put_item(TableName="App", Item=item("us-east-1:user-1"))
    refused("AccessDeniedException", client.put_item, TableName="App", Item=item("us-east-1:user-2"))
    caller = guarded.client(made["Credentials"], service="sts").get_caller_identity()
    assert caller["Arn"] == made["AssumedRoleUser"]["Arn"]


@pytest.mark.parametrize("change", [{"WebIdentityToken": token(aud="pool-2")}, {"RoleArn": ROLE + "-missing"},
                                    {"WebIdentityToken": token("https://accounts.google.com")}])
def test_the_trust_policy_decides(web, refused, change):
    _, assume = web(role(StringEquals={f"{COGNITO}:aud": "pool-1"}))
    assert assume()["Credentials"]
    told = refused("AccessDenied", assume, **change)
    assert told == "Not authorized to perform sts:AssumeRoleWithWebIdentity"


def test_tags_of_the_token(web, refused):
    provider = f"arn:aws:iam::{ACCOUNT}:oidc-provider/id.example.com/realm"
    tags = {"https://aws.amazon.com/tags": {"principal_tags": {"tenant": ["t1"]}, "transitive_tag_keys": ["tenant"]}}
    sent = token("https://id.example.com/realm", **tags)
    _, assume = web(role(provider, TENANT))
    assert refused("AccessDenied", assume, WebIdentityToken=sent) == "Not authorized to perform sts:TagSession"
    guarded, assume = web(role(provider, TENANT, ["sts:AssumeRoleWithWebIdentity", "sts:TagSession"], StringEquals={
        "id.example.com/realm:aud": "pool-1"}))
    client = guarded.client(assume(WebIdentityToken=sent)["Credentials"])
    client.put_item(TableName="App", Item=item("t1#a"))
    refused("AccessDeniedException", client.put_item, TableName="App", Item=item("t2#a"))


def test_a_role_s_own_tag_does_not_go_along_because_a_token_calls_it_transitive(guard, refused):
    """The next session has the tags that the token sent, and never those of the role in between."""
    second = {"arn": f"arn:aws:iam::{ACCOUNT}:role/second", "tags": {"tenant": "t1"}, "policies": [policy(TENANT)],
              "trust": policy({"Effect": "Allow", "Principal": {"AWS": ROLE}, "Action": "sts:AssumeRole"})}
    first = {**role(statement=allow("sts:AssumeRole"), actions=["sts:AssumeRoleWithWebIdentity", "sts:TagSession"]),
             "tags": {"tenant": "t2", "team": "a"}}
    guarded = guard(directory(first, second, webIdentity="trust"))
    guarded.table()
    for pk in ("t1#a", "t2#a", "t3#a"):
        guarded.client().put_item(TableName="App", Item=item(pk))
    web = boto3.client("sts", endpoint_url=guarded.endpoint, region_name="us-east-1",
                       config=Config(signature_version=botocore.UNSIGNED))

    def assume(**tags):
        return web.assume_role_with_web_identity(
            RoleArn=ROLE, RoleSessionName="first", WebIdentityToken=token(**{"https://aws.amazon.com/tags": tags}))

    def seen_after(made):
        chained = guarded.client(made["Credentials"], service="sts").assume_role(
            RoleArn=second["arn"], RoleSessionName="second")
        return guarded.client(chained["Credentials"])

    for sent in ({}, {"principal_tags": {"team": ["b"]}}):
        told = refused("ValidationError", assume, transitive_tag_keys=["tenant"], **sent)
        assert told == "The specified transitive tag key must be included in the requested tags."
    for sent, pk in (({}, "t1#a"), ({"principal_tags": {"tenant": ["t3"]}, "transitive_tag_keys": ["tenant"]}, "t3#a")):
        client = seen_after(assume(**sent))
        assert client.get_item(TableName="App", Key=item(pk))["Item"]
        refused("AccessDeniedException", client.get_item, TableName="App", Key=item("t2#a"))


@pytest.mark.parametrize("tags, code", [
    ({"a#b": ["x"]}, "ValidationError"), ({"a": ["*"]}, "ValidationError"), ({"é" * 129: [""]}, "ValidationError"),
    ({"": ["x"]}, "ValidationError"), ({"a": ["x" * 257]}, "ValidationError"),
    ({f"k{i}": ["x"] for i in range(51)}, "ValidationError"), ({"team": ["x"], "TEAM": ["x"]}, "InvalidParameterValue"),
    ({"team": ["x", "y"]}, "InvalidIdentityToken"), ({"team": []}, "InvalidIdentityToken"),
    ({"team": 7}, "InvalidIdentityToken")])
def test_tags_of_a_token_have_the_limits_of_tags(web, refused, tags, code):
    _, assume = web(role(actions=["sts:AssumeRoleWithWebIdentity", "sts:TagSession"]))
    fine = {"Zoë @ 1_/:+=-.": ["Zoë"], "b": "", **{f"k{i}": ["x" * 256] for i in range(48)}}
    for principal_tags, works in ((fine, True), (tags, False)):
        sent = token(**{"https://aws.amazon.com/tags": {"principal_tags": principal_tags}})
        if works:
            assert assume(WebIdentityToken=sent)["Credentials"]
        else:
            refused(code, assume, WebIdentityToken=sent)


@pytest.mark.parametrize("sent", ["none", "a.b.c", f"{part({})}.{part([1])}.", token(sub=""), token("")])
def test_what_is_no_token(web, refused, sent):
    _, assume = web(role())
    refused("InvalidIdentityToken", assume, WebIdentityToken=sent)


def test_tokens_and_sessions_end_by_the_clock_of_the_engine(web, refused):
    guarded, assume = web(role())
    keys = assume(DurationSeconds=900, WebIdentityToken=token(exp=4_102_444_800))["Credentials"]
    client = guarded.client(keys)
    client.put_item(TableName="App", Item=item("us-east-1:user-1"))
    guarded.send("clock", {"advance": "901s"})
    refused("ExpiredTokenException", client.put_item, TableName="App", Item=item("us-east-1:user-1"))
    guarded.send("clock", {"set": "2100-01-01T00:00:00Z"})
    refused("ExpiredTokenException", assume, WebIdentityToken=token(exp=4_102_444_800))


def test_a_session_policy_narrows(web, refused):
    guarded, assume = web(role())
    client = guarded.client(assume(Policy=json.dumps(policy(allow("GetItem"))))["Credentials"])
    client.get_item(TableName="App", Key=item("us-east-1:user-1"))
    told = refused("AccessDeniedException", client.put_item, TableName="App", Item=item("us-east-1:user-1"))
    assert told.endswith("because no session policy allows the dynamodb:PutItem action")


def test_tokens_are_taken_only_where_the_file_says_so(guard, refused):
    for mode, works in (("iam", False), ("signature", False), ("audit", True)):
        guarded = guard(directory(role()), mode=mode)
        sts = boto3.client("sts", endpoint_url=guarded.endpoint, region_name="us-east-1",
                           config=Config(signature_version=botocore.UNSIGNED))
        arguments = {"RoleArn": ROLE, "RoleSessionName": "phone", "WebIdentityToken": token()}
        if works:
            assert sts.assume_role_with_web_identity(**arguments)["Credentials"]
        else:
            assert "webIdentity" in refused("InvalidIdentityToken", sts.assume_role_with_web_identity, **arguments)


def test_other_calls_need_a_signature(guard, refused):
    guarded = guard(directory(user("dev"), webIdentity="trust"))
    sts = boto3.client("sts", endpoint_url=guarded.endpoint, region_name="us-east-1",
                       config=Config(signature_version=botocore.UNSIGNED))
    refused("MissingAuthenticationToken", sts.get_caller_identity)
