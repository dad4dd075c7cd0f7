"""Policies by what they leave out, NotAction and NotResource, and names beyond ASCII, over HTTP."""

import json

import pytest

from guarded import ACCOUNT, allow, directory, key_of, policy, table_arn, user
from test_sts import role, trust

DEV = f"arn:aws:iam::{ACCOUNT}:user/dev"
APP, OTHER = table_arn("App"), table_arn("Other")
KEY = {"pk": {"S": "a"}, "sk": {"S": "x"}}


def statement(effect="Allow", **members):
    return {"Effect": effect, "Action": "dynamodb:*", "Resource": "*", **members}


def without(name, **members):
    made = statement(**members)
    del made[name]
    return made


@pytest.fixture
def dev(guard):
    """dev(*statements, **members): a server with two tables, and the client of dev."""
    def begin(*statements, **members):
        guarded = guard(directory(user("dev", *statements, **members)))
        guarded.table()
        guarded.table("Other")
        return guarded, guarded.user("dev")
    return begin


def outcome(call, **arguments):
    """None when the call is allowed, else what the denial says after the resource."""
    try:
        call(**arguments)
    except call.__self__.exceptions.ClientError as error:
        assert error.response["Error"]["Code"] == "AccessDeniedException", error
        return error.response["Error"]["Message"].partition(" on resource: ")[2].partition(" ")[2]
    return None


def get(client, table="App"):
    return outcome(client.get_item, TableName=table, Key=KEY)


def put(client, table="App"):
    return outcome(client.put_item, TableName=table, Item=KEY)


EXPLICIT = "with an explicit deny in an identity-based policy"


def silent(action, kind="identity-based policy"):
    return f"because no {kind} allows the dynamodb:{action} action"


def test_allow_with_not_action(dev):
    _, client = dev(without("Action", NotAction=["dynamodb:Put*", "dynamodb:deleteitem"]))
    assert get(client) is None
    assert put(client) == silent("PutItem")
    assert outcome(client.delete_item, TableName="App", Key=KEY) == silent("DeleteItem")


def test_deny_with_not_action(dev):
    _, client = dev(statement(), without("Action", effect="Deny", NotAction="dynamodb:Get*"))
    assert get(client) is None
    assert put(client) == EXPLICIT


def test_allow_with_not_resource(dev):
    _, client = dev(without("Resource", NotResource=APP))
    assert get(client) == silent("GetItem")
    assert get(client, "Other") is None
    by_index = {"IndexName": "by_other", "KeyConditionExpression": "owner_id = :o",
                "ExpressionAttributeValues": {":o": {"S": "a"}}}
    # The index has an ARN of its own, which is not left out.
    assert outcome(client.query, TableName="App", **by_index) is None
    _, client = dev(without("Resource", NotResource=[APP, APP + "/*"]))
    assert outcome(client.query, TableName="App", **by_index) == silent("Query")
    # Each table of a request is asked about.
    both = {"RequestItems": {name: {"Keys": [KEY]} for name in ("Other", "App")}}
    assert outcome(client.batch_get_item, **both) == silent("BatchGetItem")


def test_deny_with_not_resource(dev):
    _, client = dev(statement(), without("Resource", effect="Deny", NotResource=[APP, APP + "/*"]))
    assert (get(client), put(client)) == (None, None)
    assert get(client, "Other") == EXPLICIT


def test_both_at_once(dev):
    left_out = {"Effect": "Deny", "NotAction": "dynamodb:GetItem", "NotResource": OTHER}
    _, client = dev(statement(), left_out)
    assert (get(client), put(client, "Other")) == (None, None)
    assert put(client) == EXPLICIT


def test_in_a_boundary_and_in_a_session_policy(dev):
    but_put = policy(without("Action", NotAction="dynamodb:PutItem"))
    guarded, client = dev(statement(), boundary=but_put)
    assert (get(client), put(client)) == (None, silent("PutItem", "permissions boundary"))
    guarded, _ = dev(statement(), {"Effect": "Allow", "Action": "sts:*", "Resource": "*"})
    keys = guarded.user("dev", service="sts").get_federation_token(Name="guest", Policy=json.dumps(but_put))
    client = guarded.client(keys["Credentials"])
    assert (get(client), put(client)) == (None, silent("PutItem", "session policy"))


def test_in_a_resource_policy(dev):
    guarded, client = dev()
    guarded.attach(APP, {"Effect": "Allow", "Principal": {"AWS": DEV}, "NotAction": "dynamodb:PutItem", "Resource": APP})
    assert (get(client), put(client)) == (None, silent("PutItem"))
    guarded, client = dev(statement())
    guarded.attach(APP, {"Effect": "Deny", "Principal": {"AWS": DEV}, "NotAction": "dynamodb:GetItem", "Resource": APP})
    assert (get(client), put(client)) == (None, "with an explicit deny in a resource-based policy")


def test_deny_with_not_principal(guard):
    """It leaves out whom it names, together with the account, and nobody with a boundary."""
    all_of_it = statement()
    guarded = guard(directory(user("dev", all_of_it), user("other", all_of_it),
                              user("bound", all_of_it, boundary=policy(all_of_it))))
    guarded.table()
    denied = "with an explicit deny in a resource-based policy"
    root = f"arn:aws:iam::{ACCOUNT}:root"
    for named, outcomes in [([DEV, DEV.replace("dev", "bound"), root], (None, denied, denied)),
                            ([root], (denied, denied, denied)), ([DEV], (denied, denied, denied))]:
        guarded.attach(APP, statement("Deny", NotPrincipal={"AWS": named}, Resource=APP))
        assert tuple(get(guarded.user(name)) for name in ("dev", "other", "bound")) == outcomes, named


ZOE = f"arn:aws:iam::{ACCOUNT}:user/Zoë"
CHEF = f"arn:aws:iam::{ACCOUNT}:role/küche/chef-日本"


def own_key(pattern):
    return allow(["GetItem", "PutItem"], APP, {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [pattern]},
                                               "Null": {"dynamodb:LeadingKeys": "false"}})


@pytest.fixture
def zoe(guard):
    """zoe(*statements): a server with the table App and a role, and the client of a user beyond ASCII."""
    def begin(*statements, trusted=ZOE):
        person = {"arn": ZOE, "keys": [key_of("zoe")], "policies": [policy(*statements)] if statements else []}
        guarded = guard(directory(person, role(trust(trusted), allow("ListTables"), arn=CHEF)))
        guarded.table()
        return guarded, guarded.user("zoe")
    return begin


def test_a_user_beyond_ascii(zoe, refused):
    guarded, client = zoe(own_key("${aws:username}#*"))
    assert guarded.user("zoe", service="sts").get_caller_identity()["Arn"] == ZOE
    client.put_item(TableName="App", Item={**KEY, "pk": {"S": "Zoë#1"}})
    # Another case, another letter, and the same letter in another form are other keys.
    for pk in ("zoë#1", "Zoe#1", "Zoe\u0308#1", "ZOË#1"):
        told = refused("AccessDeniedException", client.put_item, TableName="App", Item={**KEY, "pk": {"S": pk}})
        assert told.startswith(f"User: {ZOE} is not authorized to perform: dynamodb:PutItem on resource: {APP} ")


@pytest.mark.parametrize("pattern, works", [
    ("Zoë", True), ("Zo?", True), ("?o*", True), ("Zo??", False), ("zoë", False), ("Zoe", False)])
def test_patterns_of_an_arn_beyond_ascii(zoe, pattern, works):
    condition = {"ArnLike": {"aws:PrincipalArn": f"arn:aws:iam::{ACCOUNT}:user/{pattern}"}}
    _, client = zoe(allow("GetItem", condition=condition))
    assert get(client) == (None if works else silent("GetItem"))


def test_a_role_beyond_ascii(zoe, refused):
    guarded, _ = zoe()
    sts = guarded.user("zoe", service="sts")
    made = sts.assume_role(RoleArn=CHEF, RoleSessionName="ci")
    session = f"arn:aws:sts::{ACCOUNT}:assumed-role/chef-日本/ci"
    assert made["AssumedRoleUser"]["Arn"] == session
    client = guarded.client(made["Credentials"])
    assert client.list_tables()
    assert refused("AccessDeniedException", client.describe_limits).startswith(f"User: {session} is not authorized")
    missing = CHEF.replace("日", "曰")
    told = refused("AccessDenied", sts.assume_role, RoleArn=missing, RoleSessionName="ci")
    assert told == f"User: {ZOE} is not authorized to perform: sts:AssumeRole on resource: {missing}"


def test_trust_beyond_ascii_is_in_this_spelling_alone(zoe, refused):
    guarded, _ = zoe(trusted=ZOE.replace("Zoë", "zoë"))
    sts = guarded.user("zoe", service="sts")
    refused("AccessDenied", sts.assume_role, RoleArn=CHEF, RoleSessionName="ci")


def test_a_resource_policy_for_somebody_beyond_ascii(zoe):
    guarded, client = zoe()
    guarded.attach(APP, {"Effect": "Allow", "Principal": {"AWS": ZOE}, "Action": "dynamodb:GetItem", "Resource": APP})
    assert (get(client), put(client)) == (None, silent("PutItem"))


def test_a_table_beyond_ascii_is_in_no_request(zoe, refused):
    """A policy may name it; what is asked for is no table, and nothing of it is told."""
    _, client = zoe(allow("GetItem", [table_arn("Ap?"), table_arn("Tablé*")]))
    assert get(client) is None
    refused("ValidationException", client.get_item, TableName="Tablé", Key=KEY)
    refused("AccessDeniedException", client.get_item, TableName="Tabla", Key=KEY)
