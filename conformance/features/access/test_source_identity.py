"""Who is behind a session: SourceIdentity, which the sessions that follow keep."""

import pytest

from guarded import ACCOUNT, allow, directory, policy, user
from test_sts import ROLE, role, trust
from test_web_identity import COGNITO, token, web  # noqa: F401

DEV = f"arn:aws:iam::{ACCOUNT}:user/dev"
SECOND = f"arn:aws:iam::{ACCOUNT}:role/second"
MAY = ("sts:AssumeRole", "sts:SetSourceIdentity")
ANNA = allow("ListTables", condition={"StringEquals": {"aws:SourceIdentity": "anna"}})


@pytest.fixture
def sts(guard):
    """sts(*roles): a server, and STS of the user dev."""
    def begin(*roles):
        guarded = guard(directory(user("dev"), *roles))
        return guarded, guarded.user("dev", service="sts", parameter_validation=False)
    return begin


def assume(client, arn=ROLE, **members):
    return client.assume_role(RoleArn=arn, RoleSessionName="ci", **members)


def test_the_session_has_it(sts, refused):
    guarded, client = sts(role(trust(DEV, MAY), ANNA))
    made = assume(client, SourceIdentity="anna")
    assert made["SourceIdentity"] == "anna"
    assert guarded.client(made["Credentials"]).list_tables()
    for members in ({}, {"SourceIdentity": "otto"}):
        made = assume(client, **members)
        assert made.get("SourceIdentity") == members.get("SourceIdentity")
        refused("AccessDeniedException", guarded.client(made["Credentials"]).list_tables)


def test_setting_it_needs_its_own_trust(sts, refused):
    _, client = sts(role(trust(DEV, ["sts:AssumeRole"]), ANNA))
    assert assume(client)["Credentials"]
    told = refused("AccessDenied", assume, client=client, SourceIdentity="anna")
    assert told == f"User: {DEV} is not authorized to perform: sts:SetSourceIdentity on resource: {ROLE}"


def test_the_trust_policy_can_demand_one(sts, refused):
    _, client = sts(role(trust(DEV, MAY, {"StringLike": {"sts:SourceIdentity": "a*"}}), ANNA))
    assert assume(client, SourceIdentity="anna")["Credentials"]
    for members in ({}, {"SourceIdentity": "otto"}):
        refused("AccessDenied", assume, client=client, **members)


def test_it_stays_in_the_sessions_that_follow(sts, refused):
    guarded, client = sts(role(trust(DEV, MAY), allow("sts:*")), role(trust(ROLE, MAY), ANNA, arn=SECOND))
    first = guarded.client(assume(client, SourceIdentity="anna")["Credentials"], service="sts")
    for members in ({}, {"SourceIdentity": "anna"}):
        made = assume(first, SECOND, **members)
        assert made["SourceIdentity"] == "anna"
        assert guarded.client(made["Credentials"]).list_tables()
    told = refused("AccessDenied", assume, client=first, arn=SECOND, SourceIdentity="otto")
    assert told.endswith(f"is not authorized to perform: sts:SetSourceIdentity on resource: {SECOND}")


def test_a_role_without_trust_in_it_ends_the_chain(sts, refused):
    guarded, client = sts(role(trust(DEV, MAY), allow("sts:*")), role(trust(ROLE, ["sts:AssumeRole"]), ANNA, arn=SECOND))
    assert assume(guarded.client(assume(client)["Credentials"], service="sts"), SECOND)["Credentials"]
    first = guarded.client(assume(client, SourceIdentity="anna")["Credentials"], service="sts")
    told = refused("AccessDenied", assume, client=first, arn=SECOND)
    assert told.endswith(f"is not authorized to perform: sts:SetSourceIdentity on resource: {SECOND}")


@pytest.mark.parametrize("text, words", [
    ("", "length greater than or equal to 2"), ("x", "length greater than or equal to 2"),
    ("x" * 65, "length less than or equal to 64"), ("a b", "regular expression pattern"), ("é" * 2, "regular expression")])
def test_what_is_none(sts, refused, text, words):
    _, client = sts(role(trust(DEV, MAY), ANNA))
    told = refused("ValidationError", assume, client=client, SourceIdentity=text)
    assert told.startswith(f"1 validation error detected: Value '{text}' at 'sourceIdentity' failed to satisfy") and words in told


def test_that_of_a_token(web, refused):  # noqa: F811
    def of_web(*actions):
        trusted = {"Effect": "Allow", "Principal": {"Federated": COGNITO},
                   "Action": ["sts:AssumeRoleWithWebIdentity", *actions]}
        return {"arn": f"arn:aws:iam::{ACCOUNT}:role/web", "trust": policy(trusted), "policies": [policy(ANNA)]}

    def sent(source):
        return {"WebIdentityToken": token(**{"https://aws.amazon.com/source_identity": source})}

    _, assume_web = web(of_web())
    assert refused("AccessDenied", assume_web, **sent("anna")) == "Not authorized to perform sts:SetSourceIdentity"
    guarded, assume_web = web(of_web("sts:SetSourceIdentity"))
    made = assume_web(**sent("anna"))
    assert made["SourceIdentity"] == "anna"
    assert guarded.client(made["Credentials"]).list_tables()
    refused("ValidationError", assume_web, **sent("a b"))


def test_an_own_policy_takes_no_place_of_trust(guard, refused):
    """Not even one that allows everything: the role says who may have it, and with what."""
    everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    guarded = guard(directory(
        user("dev", everything), role(trust(f"arn:aws:iam::{ACCOUNT}:user/other"), ANNA),
        role(trust(f"arn:aws:iam::{ACCOUNT}:root", ["sts:AssumeRole"]), ANNA, arn=SECOND)))
    client = guarded.user("dev", service="sts")
    told = refused("AccessDenied", assume, client=client)
    assert told == f"User: {DEV} is not authorized to perform: sts:AssumeRole on resource: {ROLE}"
    assert assume(client, SECOND)["Credentials"]
    for members, action in (({"Tags": [{"Key": "a", "Value": "b"}]}, "sts:TagSession"),
                            ({"SourceIdentity": "anna"}, "sts:SetSourceIdentity")):
        assert action in refused("AccessDenied", assume, client=client, arn=SECOND, **members)
