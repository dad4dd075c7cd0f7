"""The small STS of the port: who the caller is, and sessions of roles and users."""

import json
import urllib.error
import urllib.request

import pytest

from guarded import ACCOUNT, allow, directory, policy, table_arn, user

ROLE = f"arn:aws:iam::{ACCOUNT}:role/app"
TENANT = allow(["GetItem", "PutItem"], table_arn("App"), {
    "ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["${aws:PrincipalTag/tenant}#*"]},
    "Null": {"dynamodb:LeadingKeys": "false"}})


def trust(principal, actions=("sts:AssumeRole", "sts:TagSession"), condition=None):
    statement = {"Effect": "Allow", "Principal": {"AWS": principal}, "Action": list(actions)}
    return policy({**statement, **({"Condition": condition} if condition else {})})


def role(trusted, *statements, arn=ROLE, **members):
    return {"arn": arn, "trust": trusted, "policies": [policy(*statements)] if statements else [], **members}


@pytest.fixture
def guarded(guard):
    return guard(directory(
        user("dev"), user("stranger"),
        role(trust(f"arn:aws:iam::{ACCOUNT}:user/dev"), TENANT, allow("ListTables"), tags={"team": "x"})))


def test_who_the_caller_is(guarded):
    dev = guarded.user("dev", service="sts").get_caller_identity()
    assert (dev["Account"], dev["Arn"]) == (ACCOUNT, f"arn:aws:iam::{ACCOUNT}:user/dev")
    assert dev["UserId"].startswith("AIDA")
    root = guarded.client(service="sts").get_caller_identity()
    assert (root["UserId"], root["Arn"]) == (ACCOUNT, f"arn:aws:iam::{ACCOUNT}:root")


def fetched(url, method="GET"):
    """Status and text, by a client that signs nothing itself."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method)) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_who_signed_an_address(guarded):
    """As programs prove to another one who they are."""
    sts = guarded.user("dev", service="sts")
    url = sts.generate_presigned_url("get_caller_identity", ExpiresIn=60, HttpMethod="GET")
    status, text = fetched(url)
    assert status == 200 and f"<Arn>arn:aws:iam::{ACCOUNT}:user/dev</Arn>" in text
    keys = sts.assume_role(RoleArn=ROLE, RoleSessionName="ci")["Credentials"]
    of_session = guarded.client(keys, service="sts").generate_presigned_url("get_caller_identity", HttpMethod="GET")
    assert "assumed-role/app/ci</Arn>" in fetched(of_session)[1]
    for changed, code in ((url.replace("GetCallerIdentity", "GetSessionToken"), "SignatureDoesNotMatch"),
                          (url.replace("Expires=60", "Expires=600"), "SignatureDoesNotMatch"),
                          (url.replace("AKIADEV", "AKIANOBODY"), "InvalidClientTokenId"),
                          (of_session.split("&X-Amz-Security-Token")[0] + "&X-Amz-Signature=0", "InvalidClientTokenId"),
                          (url.split("&X-Amz-Date")[0] + "&X-Amz-Signature=0", "IncompleteSignature")):
        status, text = fetched(changed)
        assert status in (400, 403) and f"<Code>{code}</Code>" in text, text
    assert fetched(url.split("?")[0] + "?Action=GetCallerIdentity")[1].startswith("healthy")


def test_a_presigned_address_of_lambda(guard):
    guarded = guard(directory(user("dev")), "--function", "work", mode="signature")
    api = guarded.user("dev", service="lambda")
    url = api.generate_presigned_url("list_event_source_mappings", Params={"FunctionName": "work"}, HttpMethod="GET")
    status, text = fetched(url)
    assert status == 200 and json.loads(text)["EventSourceMappings"] == []
    assert fetched(url.replace("FunctionName=work", "FunctionName=wore"))[0] == 400


def test_a_session_of_a_role(guarded, refused):
    sts = guarded.user("dev", service="sts")
    made = sts.assume_role(RoleArn=ROLE, RoleSessionName="ci", Tags=[{"Key": "tenant", "Value": "a"}])
    assert made["AssumedRoleUser"]["Arn"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/app/ci"
    assert made["AssumedRoleUser"]["AssumedRoleId"].endswith(":ci")
    keys = made["Credentials"]
    assert keys["AccessKeyId"].startswith("ASIA") and len(keys["SessionToken"]) >= 200
    caller = guarded.client(keys, service="sts").get_caller_identity()
    assert caller["Arn"] == made["AssumedRoleUser"]["Arn"]
    guarded.table()
    app = guarded.client(keys)
    app.put_item(TableName="App", Item={"pk": {"S": "a#1"}, "sk": {"S": "x"}})
    told = refused("AccessDeniedException", app.put_item, TableName="App",
                   Item={"pk": {"S": "b#1"}, "sk": {"S": "x"}})
    assert told == (f"User: arn:aws:sts::{ACCOUNT}:assumed-role/app/ci is not authorized to perform: dynamodb:PutItem "
                    f"on resource: {table_arn('App')} because no identity-based policy allows the dynamodb:PutItem "
                    "action")


def test_a_session_policy_narrows(guarded, refused):
    sts = guarded.user("dev", service="sts")
    narrow = json.dumps(policy(allow("GetItem")))
    keys = sts.assume_role(RoleArn=ROLE, RoleSessionName="ci", Policy=narrow)["Credentials"]
    told = refused("AccessDeniedException", guarded.client(keys).list_tables)
    assert told.endswith("because no session policy allows the dynamodb:ListTables action")


def test_sessions_end_by_the_clock_of_the_engine(guarded, refused):
    sts = guarded.user("dev", service="sts")
    keys = sts.assume_role(RoleArn=ROLE, RoleSessionName="ci", DurationSeconds=900)["Credentials"]
    assert guarded.client(keys).list_tables()
    guarded.send("clock", {"advance": "901s"})
    refused("ExpiredTokenException", guarded.client(keys).list_tables)
    assert "expired" in refused("ExpiredToken", guarded.client(keys, service="sts").get_caller_identity)


@pytest.mark.parametrize("name, members", [
    ("ci", {"DurationSeconds": 899}), ("ci", {"DurationSeconds": 43201}), ("x", {}), ("a b", {}),
    ("ci", {"Policy": "x" * 2049})])
def test_parameters_out_of_range(guarded, refused, name, members):
    from botocore.config import Config
    import boto3
    from guarded import key_of
    dev = key_of("dev")
    sts = boto3.client("sts", endpoint_url=guarded.endpoint, region_name="us-east-1", aws_access_key_id=dev["id"],
                       aws_secret_access_key=dev["secret"], config=Config(parameter_validation=False))
    told = refused("ValidationError", sts.assume_role, RoleArn=ROLE, RoleSessionName=name, **members)
    assert told.startswith("1 validation error detected: Value '")


def test_a_policy_that_is_none(guarded, refused):
    sts = guarded.user("dev", service="sts")
    refused("MalformedPolicyDocument", sts.assume_role, RoleArn=ROLE, RoleSessionName="ci", Policy='{"Statement":1}')


def test_the_trust_policy_decides(guarded, refused):
    for name, arn in (("stranger", ROLE), ("dev", ROLE + "-that-is-not-there")):
        sts = guarded.user(name, service="sts")
        told = refused("AccessDenied", sts.assume_role, RoleArn=arn, RoleSessionName="ci")
        assert told == (f"User: arn:aws:iam::{ACCOUNT}:user/{name} is not authorized to perform: sts:AssumeRole "
                        f"on resource: {arn}")


def test_trust_in_the_account_needs_a_policy_of_the_user(guard, refused):
    may = {"Effect": "Allow", "Action": "sts:AssumeRole", "Resource": ROLE}
    guarded = guard(directory(user("dev", may), user("other", allow("GetItem")),
                              role(trust(f"arn:aws:iam::{ACCOUNT}:root"), allow("ListTables"))))
    assert guarded.user("dev", service="sts").assume_role(RoleArn=ROLE, RoleSessionName="ci")
    other = guarded.user("other", service="sts")
    refused("AccessDenied", other.assume_role, RoleArn=ROLE, RoleSessionName="ci")


def test_tags_need_their_own_trust(guard, refused):
    dev = f"arn:aws:iam::{ACCOUNT}:user/dev"
    guarded = guard(directory(user("dev"), role(trust(dev, ["sts:AssumeRole"]), allow("ListTables"))))
    sts = guarded.user("dev", service="sts")
    told = refused("AccessDenied", sts.assume_role, RoleArn=ROLE, RoleSessionName="ci",
                   Tags=[{"Key": "tenant", "Value": "a"}])
    assert "sts:TagSession" in told


def test_an_external_id(guard, refused):
    condition = {"StringEquals": {"sts:ExternalId": "42"}}
    dev = f"arn:aws:iam::{ACCOUNT}:user/dev"
    guarded = guard(directory(user("dev"), role(trust(dev, condition=condition), allow("ListTables"))))
    sts = guarded.user("dev", service="sts")
    assert sts.assume_role(RoleArn=ROLE, RoleSessionName="ci", ExternalId="42")
    refused("AccessDenied", sts.assume_role, RoleArn=ROLE, RoleSessionName="ci", ExternalId="43")


def test_a_session_of_a_user(guard, refused):
    guarded = guard(directory(user("dev", allow("ListTables"))))
    keys = guarded.user("dev", service="sts").get_session_token(DurationSeconds=900)["Credentials"]
    assert guarded.client(keys).list_tables()
    refused("AccessDeniedException", guarded.client(keys).describe_limits)
    refused("AccessDenied", guarded.client(keys, service="sts").get_session_token)


def test_wrong_signatures(guarded, refused):
    unknown = guarded.client({"id": "AKIANOBODY", "secret": "x"}, service="sts")
    refused("InvalidClientTokenId", unknown.get_caller_identity)
    wrong = guarded.client({"id": "AKIADEV", "secret": "x"}, service="sts")
    refused("SignatureDoesNotMatch", wrong.get_caller_identity)


def test_other_calls_are_unknown(guarded, refused):
    refused("InvalidAction", guarded.user("dev", service="sts").get_access_key_info, AccessKeyId="AKIA" + "A" * 16)


FEDERATED = f"arn:aws:sts::{ACCOUNT}:federated-user/guest"
FEDERATE = {"Effect": "Allow", "Action": ["sts:GetFederationToken", "sts:TagSession"], "Resource": "*"}


def test_a_federated_user_has_what_both_policies_allow(guard, refused):
    guarded = guard(directory(user("dev", FEDERATE, allow(["ListTables", "GetItem"]), tags={"team": "x"})))
    sts = guarded.user("dev", service="sts")
    made = sts.get_federation_token(Name="guest", Policy=json.dumps(policy(allow(["ListTables", "DescribeLimits"]))))
    assert made["FederatedUser"] == {"FederatedUserId": f"{ACCOUNT}:guest", "Arn": FEDERATED}
    keys = made["Credentials"]
    assert keys["AccessKeyId"].startswith("ASIA")
    guest = guarded.client(keys)
    assert guest.list_tables()
    for call, words in ((guest.describe_limits, "because no identity-based policy allows"),
                        (lambda: guest.get_item(TableName="App", Key={"pk": {"S": "a"}}),
                         "because no session policy allows")):
        told = refused("AccessDeniedException", call)
        assert told.startswith(f"User: {FEDERATED} is not authorized to perform: ")
        assert words in told
    caller = guarded.client(keys, service="sts").get_caller_identity()
    assert (caller["Arn"], caller["UserId"], caller["Account"]) == (FEDERATED, f"{ACCOUNT}:guest", ACCOUNT)
    for call in (lambda s: s.get_federation_token(Name="other"), lambda s: s.get_session_token()):
        refused("AccessDenied", lambda: call(guarded.client(keys, service="sts")))


def test_without_a_policy_a_federated_user_has_nothing_but_what_a_table_grants(guard, refused):
    guarded = guard(directory(user("dev", FEDERATE, allow("*"))))
    guarded.table()
    keys = guarded.user("dev", service="sts").get_federation_token(Name="guest")["Credentials"]
    guest = guarded.client(keys)
    refused("AccessDeniedException", guest.scan, TableName="App")
    guarded.attach(table_arn("App"), {"Effect": "Allow", "Action": "dynamodb:Scan", "Resource": table_arn("App"),
                                      "Principal": {"AWS": FEDERATED}})
    assert guest.scan(TableName="App")["Items"] == []


def test_tags_of_federated_users(guard, refused):
    tenant = allow("PutItem", table_arn("App"), TENANT["Condition"])
    guarded = guard(directory(user("dev", FEDERATE, tenant), user("bare", FEDERATE | {
        "Action": "sts:GetFederationToken"})))
    guarded.table()
    tags = [{"Key": "tenant", "Value": "a"}]
    everything = json.dumps(policy(allow("*")))
    keys = guarded.user("dev", service="sts").get_federation_token(Name="guest", Policy=everything, Tags=tags)
    guest = guarded.client(keys["Credentials"])
    guest.put_item(TableName="App", Item={"pk": {"S": "a#1"}, "sk": {"S": "x"}})
    refused("AccessDeniedException", guest.put_item, TableName="App", Item={"pk": {"S": "b#1"}, "sk": {"S": "x"}})
    bare = guarded.user("bare", service="sts")
    told = refused("AccessDenied", bare.get_federation_token, Name="guest", Tags=tags)
    assert told == f"User: arn:aws:iam::{ACCOUNT}:user/bare is not authorized to perform: sts:TagSession " \
                   f"on resource: {FEDERATED}"


def test_federation_needs_permission_and_root_has_it(guard, refused):
    guarded = guard(directory(user("dev", allow("ListTables"))))
    told = refused("AccessDenied", guarded.user("dev", service="sts").get_federation_token, Name="guest")
    assert told == f"User: arn:aws:iam::{ACCOUNT}:user/dev is not authorized to perform: sts:GetFederationToken " \
                   f"on resource: {FEDERATED}"
    root = guarded.client(service="sts").get_federation_token(
        Name="guest", Policy=json.dumps(policy(allow("ListTables"))), DurationSeconds=7200)
    guest = guarded.client(root["Credentials"])
    assert guest.list_tables()
    refused("AccessDeniedException", guest.describe_limits)
    guarded.send("clock", {"advance": "3601s"})  # root's end after an hour
    refused("ExpiredTokenException", guest.list_tables)


@pytest.mark.parametrize("members", [{"Name": "x"}, {"Name": "a b"}, {"Name": "x" * 33},
                                     {"Name": "guest", "DurationSeconds": 899},
                                     {"Name": "guest", "DurationSeconds": 129601}])
def test_parameters_of_federation_out_of_range(guard, refused, members):
    guarded = guard(directory(user("dev", FEDERATE)))
    sts = guarded.user("dev", service="sts", parameter_validation=False)
    told = refused("ValidationError", sts.get_federation_token, **members)
    assert told.startswith("1 validation error detected: Value '")


@pytest.mark.parametrize("tag, code", [
    ({"Key": "a#b", "Value": "x"}, "ValidationError"), ({"Key": "a", "Value": "*"}, "ValidationError"),
    ({"Key": "é" * 129, "Value": ""}, "ValidationError"), ({"Key": "TEAM", "Value": "x"}, "InvalidParameterValue")])
def test_tags_that_are_none(guarded, refused, tag, code):
    sts = guarded.user("dev", service="sts")
    tags = [{"Key": "team", "Value": "Zoë @ 1_/:+=-."}, tag]
    assert sts.assume_role(RoleArn=ROLE, RoleSessionName="ci", Tags=tags[:1])
    refused(code, sts.assume_role, RoleArn=ROLE, RoleSessionName="ci", Tags=tags)


def test_keys_that_differ_in_case_are_one_tag(guard, refused):
    """A transitive tag stays what it is, however the next request writes its key."""
    second = f"arn:aws:iam::{ACCOUNT}:role/second"
    guarded = guard(directory(
        user("dev"), role(trust(f"arn:aws:iam::{ACCOUNT}:user/dev"), allow("sts:*"), tags={"Tenant": "role"}),
        role(trust(ROLE), TENANT, arn=second, tags={"TENANT": "second"})))
    guarded.table()
    first = guarded.user("dev", service="sts").assume_role(
        RoleArn=ROLE, RoleSessionName="ci", Tags=[{"Key": "tenant", "Value": "a"}], TransitiveTagKeys=["tEnant"])
    sts = guarded.client(first["Credentials"], service="sts")
    for tags in ([], [{"Key": "TENANT", "Value": "b"}]):
        keys = sts.assume_role(RoleArn=second, RoleSessionName="ci", Tags=tags)["Credentials"]
        client = guarded.client(keys)
        client.put_item(TableName="App", Item={"pk": {"S": "a#1"}, "sk": {"S": "x"}})
        refused("AccessDeniedException", client.put_item, TableName="App", Item={"pk": {"S": "b#1"}, "sk": {"S": "x"}})


@pytest.mark.parametrize("members, words", [
    ({"TransitiveTagKeys": ["other"]}, "The specified transitive tag key must be included in the requested tags."),
    ({"TransitiveTagKeys": ["team"] * 51}, "Value '51' at 'transitiveTagKeys'"),
    ({"Tags": [{"Key": f"k{i}", "Value": ""} for i in range(51)]}, "Value '51' at 'tags'"),
    ({"PolicyArns": [{"arn": "arn:aws:iam::aws:policy/Read"}] * 11}, "at 'policyArns'")])
def test_lists_that_are_too_long(guard, refused, members, words):
    guarded = guard(directory(user("dev"), role(trust(f"arn:aws:iam::{ACCOUNT}:user/dev"), allow("ListTables")),
                              managed={"arn:aws:iam::aws:policy/Read": policy(allow("ListTables"))}))
    sts = guarded.user("dev", service="sts", parameter_validation=False)
    asked = {"RoleArn": ROLE, "RoleSessionName": "ci", "Tags": [{"Key": "team", "Value": "x"}], **members}
    assert words in refused("ValidationError", sts.assume_role, **asked)
