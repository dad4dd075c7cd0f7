"""Signatures are verified: right ones pass, each kind of wrong one has the service's answer."""

import datetime
import gzip
import hashlib
import json
import types

import boto3
import botocore.auth
import pytest
from botocore.auth import SigV4QueryAuth

from guarded import ACCOUNT, ROOT, allow, directory, key_of, user
from raw_client import Connection, chunked, request

INVALID = "The security token included in the request is invalid."
MISMATCH = ("The request signature we calculated does not match the signature you provided. Check your AWS Secret "
            "Access Key and signing method. Consult the service documentation for details.")


@pytest.fixture
def guarded(guard):
    return guard(directory(user("dev", allow("ListTables"))), mode="signature")


class Presigned(SigV4QueryAuth):
    """Signs the body too, which botocore's own class takes out of the request."""

    def payload(self, request):
        return hashlib.sha256(b"{}").hexdigest()


def signed(guarded, body=b"{}", operation="ListTables", at=0, **options):
    """A signed request by botocore: its URL and headers. `at`: seconds from now."""
    asked, signer = guarded.signed(operation, body, **options)
    with pytest.MonkeyPatch.context() as patch:
        move_clock(patch, datetime.timedelta(seconds=at))
        signer.add_auth(asked)
    return asked


def move_clock(patch, by):
    """Moves the clock that botocore signs by; old releases ask `datetime` itself."""
    class Moved(datetime.datetime):
        @classmethod
        def utcnow(cls):
            return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None) + by

    if hasattr(botocore.auth, "get_current_datetime"):
        patch.setattr(botocore.auth, "get_current_datetime", lambda *_, **__: Moved.utcnow())
    else:
        patch.setattr(botocore.auth, "datetime", types.SimpleNamespace(datetime=Moved))


def send(guarded, asked, body=b"{}", change=None, path=None):
    headers = {**dict(asked.headers.items()), **(change or {})}
    headers.setdefault("Authorization", None)
    headers.setdefault("X-Amz-Date", None)
    with Connection(guarded.server) as connection:
        return connection.exchange(request(None, body, headers, "POST", path or "/"))


def error(answer):
    told = answer.json()
    return told["__type"].split("#")[1], told.get("message", told.get("Message"))


def test_a_client_of_the_file_is_served(guarded):
    assert guarded.client().list_tables()["TableNames"] == []
    assert guarded.user("dev").list_tables()["TableNames"] == []


def test_an_unknown_key(guarded, refused):
    stranger = guarded.client({"id": "AKIASTRANGER", "secret": "x"})
    assert refused("UnrecognizedClientException", stranger.list_tables) == INVALID


def test_a_wrong_secret_shows_what_was_to_be_signed(guarded, refused):
    wrong = guarded.client({"id": ROOT["id"], "secret": "wrong"})
    told = refused("InvalidSignatureException", wrong.list_tables)
    assert told.startswith(MISMATCH + "\n\nThe Canonical String for this request should have been\n'POST\n/\n\n")
    assert "\n\nThe String-to-Sign should have been\n'AWS4-HMAC-SHA256\n" in told


@pytest.mark.parametrize("change", [{}, {"X-Amz-Target": "DynamoDB_20120810.DescribeLimits"}, {"Host": "localhost:1"}])
def test_changed_bytes(guarded, change):
    body = b"{}" if change else b"{ }"
    assert error(send(guarded, signed(guarded), body, change))[0] == "InvalidSignatureException"


def test_what_is_not_signed_may_change(guarded):
    harmless = {"X-Other": "1", "Accept": "*/*", "content-type": "application/x-amz-json-1.0"}
    assert send(guarded, signed(guarded), change=harmless).status == 200


def test_blanks_inside_of_signed_headers(guarded):
    asked = signed(guarded, headers={"X-Amz-Meta": "a   b"})
    assert send(guarded, asked, change={"X-Amz-Meta": "  a b "}).status == 200


@pytest.mark.parametrize("values, works", [
    (["b", "a  b"], True), (["b,a b"], True), (["a b", "b"], False), (["b"], False), (["b", "a b", "b"], False)])
def test_a_signed_header_of_several_lines(guarded, values, works):
    asked, signer = guarded.signed("ListTables")
    for value in ("b", "a b"):
        asked.headers["X-Amz-Meta"] = value  # adds a line
    signer.add_auth(asked)
    assert send(guarded, asked, change={"X-Amz-Meta": values}).status == (200 if works else 400)


@pytest.mark.parametrize("name, other", [("X-Amz-Target", "DynamoDB_20120810.DescribeLimits"), ("X-Amz-Target", None),
                                         ("X-Amz-Date", "20200101T000000Z"), ("X-Amz-Date", None)])
def test_no_line_can_be_added_to_a_signed_header(guarded, name, other):
    asked = signed(guarded)
    own = asked.headers[name]
    for values in ([own, other or own], [other or own, own]):
        assert error(send(guarded, asked, change={name: values}))[0] == "InvalidSignatureException"


def test_a_second_host_is_no_request(guarded):
    asked = signed(guarded)
    assert send(guarded, asked, change={"Host": [asked.headers["Host"]] * 2}).status == 400


def test_the_list_of_signed_headers(guarded):
    """Its names count in their order, each once, in any case."""
    asked = signed(guarded, headers={"X-Amz-Meta": "a"})
    text = asked.headers["Authorization"]
    names = text.partition("SignedHeaders=")[2].partition(",")[0].split(";")
    for changed, works in ((names + names, True), (names[::-1], True), ([n.upper() for n in names], True),
                           (names[:-1], False), (names + ["x-other"], False)):
        sent = text.replace(";".join(names), ";".join(changed))
        assert send(guarded, asked, change={"Authorization": sent}).status == (200 if works else 400)


def test_the_body_is_signed_as_it_is_sent(guarded):
    packed = gzip.compress(json.dumps({"Limit": 1}).encode())
    asked = signed(guarded, packed, headers={"Content-Encoding": "gzip"})
    assert send(guarded, asked, packed).status == 200


@pytest.mark.parametrize("claimed", ["UNSIGNED-PAYLOAD", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", "00"])
def test_no_header_says_what_the_body_hashes_to(guarded, claimed):
    asked = signed(guarded, headers={"X-Amz-Content-SHA256": claimed})
    assert error(send(guarded, asked))[0] == "InvalidSignatureException"


@pytest.mark.parametrize("seconds, words", [(-890, None), (890, None), (-910, "Signature expired: "),
                                            (910, "Signature not yet current: ")])
def test_the_time_of_the_signature(guarded, seconds, words):
    answer = send(guarded, signed(guarded, at=seconds))
    if words is None:
        assert answer.status == 200
    else:
        code, message = error(answer)
        assert code == "InvalidSignatureException"
        assert message.startswith(words)


def test_the_age_comes_before_the_key(guarded):
    asked = signed(guarded, key={"id": "AKIANOBODY", "secret": "x"}, at=-3600)
    assert error(send(guarded, asked))[1].startswith("Signature expired: ")


def test_the_system_clock_counts(guarded):
    assert guarded.send("clock", {"advance": "30d"}).status == 200
    assert send(guarded, signed(guarded)).status == 200


@pytest.mark.parametrize("expires, at, works", [(60, 0, True), (60, -50, True), (60, -70, False)])
def test_presigned_queries(guarded, expires, at, works):
    asked = signed(guarded, auth=Presigned, expires=expires, at=at)
    answer = send(guarded, asked, path="/?" + asked.url.split("?")[1])
    assert answer.status == (200 if works else 400)
    if not works:
        assert error(answer)[1].startswith("Signature expired: ")


def test_changed_presigned_queries(guarded):
    asked = signed(guarded, auth=Presigned, expires=60)
    path = "/?" + asked.url.split("?")[1]
    assert error(send(guarded, asked, path=path + "&more=1"))[0] == "InvalidSignatureException"
    assert error(send(guarded, asked, b"{ }", path=path))[0] == "InvalidSignatureException"


@pytest.mark.parametrize("name", ["Algorithm", "Credential", "Date", "Expires", "SignedHeaders", "Signature",
                                  "Security-Token"])
def test_no_parameter_can_be_added_to_a_presigned_query(guarded, name):
    """Not even one that is there, with the value that it has."""
    query = signed(guarded, auth=Presigned, expires=60).url.split("?")[1]
    own = dict(pair.split("=") for pair in query.split("&")).get(f"X-Amz-{name}", "x")
    for value in (own, own[:-1] + ("0" if own[-1] != "0" else "1")):
        more = f"X-Amz-{name}={value}"
        for path in (f"/?{query}&{more}", f"/?{more}&{query}"):
            assert send(guarded, signed(guarded), change={"Authorization": None}, path=path).status == 400


def test_both_forms_at_once(guarded):
    asked = signed(guarded)
    code, message = error(send(guarded, asked, path="/?X-Amz-Algorithm=AWS4-HMAC-SHA256"))
    assert code == "InvalidSignatureException"
    assert message == ("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.")


def test_a_chunked_body_is_signed_as_a_whole(guarded):
    body = json.dumps({"Limit": 1}).encode()
    for sent, works in ((body, True), (body[:-1] + b" }", False)):
        asked = signed(guarded, body)
        fields = {**dict(asked.headers.items()), "Content-Length": None, "Transfer-Encoding": "chunked"}
        with Connection(guarded.server) as connection:
            answer = connection.exchange(request(None, b"", fields) + chunked(sent[:5], sent[5:]))
        assert answer.status == (200 if works else 400), answer


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "a.local", "127.0.0.1"])
def test_the_host_is_signed_with_its_port_or_without(guarded, host):
    asked = signed(guarded, headers={"Host": host})
    assert send(guarded, asked).status == 200
    other = send(guarded, asked, change={"Host": host + "1"})
    assert error(other)[0] == "InvalidSignatureException"


def test_over_tls(guard, tmp_path):
    certificate = tmp_path / "own.pem"
    guarded = guard(directory(user("dev", allow("ListTables"))), "--tls", "self-signed", "--tls-cert-out", certificate)
    session = boto3.session.Session()
    for secret, works in ((ROOT["secret"], True), ("wrong", False)):
        client = session.client("dynamodb", endpoint_url=guarded.endpoint, region_name="us-east-1",
                                aws_access_key_id=ROOT["id"], aws_secret_access_key=secret, verify=str(certificate))
        if works:
            assert client.list_tables()["TableNames"] == []
        else:
            with pytest.raises(Exception, match="InvalidSignatureException"):
                client.list_tables()


@pytest.mark.parametrize("mode", ["signature", "audit"])
def test_requests_to_lambda_are_verified(guard, mode):
    """The path of tags has an ARN, whose signs are encoded once in the request and twice in what is signed."""
    guarded = guard(directory(), "--function", "work", mode=mode)
    guarded.table("App", StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    stream = guarded.client().describe_table(TableName="App")["Table"]["LatestStreamArn"]
    api = guarded.client(service="lambda")
    made = api.create_event_source_mapping(EventSourceArn=stream, FunctionName="work", StartingPosition="LATEST")
    arn = f"arn:aws:lambda:us-east-1:{ACCOUNT}:event-source-mapping:{made['UUID']}"
    api.tag_resource(Resource=arn, Tags={"a b": "é", "c": "d"})
    api.untag_resource(Resource=arn, TagKeys=["c"])
    assert api.list_tags(Resource=arn)["Tags"] == {"a b": "é"}
    wrong = guarded.client({"id": ROOT["id"], "secret": "wrong"}, service="lambda")
    for call in (lambda: wrong.list_tags(Resource=arn), wrong.list_event_source_mappings):
        with pytest.raises(Exception, match="InvalidSignatureException"):
            call()


def test_policies_about_lambda_are_not_there_yet(guard, refused):
    guarded = guard(directory(user("dev", {"Effect": "Allow", "Action": "*", "Resource": "*"})))
    told = refused("AccessDeniedException", guarded.user("dev", service="lambda").list_event_source_mappings)
    assert "x-stator-token" in told


def test_upper_case_hex_is_refused(guarded):
    asked = signed(guarded)
    head, value = asked.headers["Authorization"].rsplit("=", 1)
    del asked.headers["Authorization"]
    changed = send(guarded, asked, change={"Authorization": f"{head}={value.upper()}"})
    assert error(changed)[0] == "InvalidSignatureException"


def test_sessions_of_the_file(guard, refused):
    session = {"name": "ci", "id": "ASIACI", "secret": "s" * 40, "token": "t" * 200, "expires": "2100-01-01T00:00:00Z"}
    role = {"arn": "arn:aws:iam::111122223333:role/app", "sessions": [session]}
    guarded = guard(directory(role), mode="signature")
    assert guarded.client(session, token=session["token"]).list_tables()
    for token in (None, "u" * 200):
        assert refused("UnrecognizedClientException", guarded.client(session, token=token).list_tables) == INVALID
    guarded.send("clock", {"set": "2100-01-02T00:00:00Z"})
    told = refused("ExpiredTokenException", guarded.client(session, token=session["token"]).list_tables)
    assert told == "The security token included in the request is expired"


def test_a_large_body_verifies(guarded):
    client = guarded.client()
    guarded.table("Large")
    client.put_item(TableName="Large", Item={"pk": {"S": "a"}, "sk": {"S": "b"}, "text": {"S": "x" * 390_000}})


def test_off_accepts_everything_as_before(start):
    server = start()
    with Connection(server) as connection:
        assert connection.exchange(request("ListTables")).status == 200
        form = {"Content-Type": "application/x-www-form-urlencoded", "X-Amz-Target": None}
        assert connection.exchange(request(None, b"Action=GetCallerIdentity", form)).status == 404


def test_audit_takes_unknown_keys_for_the_root(guard, refused):
    guarded = guard(directory(user("dev")), mode="audit")
    assert guarded.client({"id": "AKIASTRANGER", "secret": "x"}).list_tables()
    wrong = {"id": key_of("dev")["id"], "secret": "wrong"}
    assert refused("InvalidSignatureException", guarded.client(wrong).list_tables)
    assert guarded.user("dev").list_tables()  # no policy allows it
    guarded.server.wait_for_log("would be denied: User: arn:aws:iam::111122223333:user/dev is not authorized")
