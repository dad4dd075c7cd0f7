"""With access control, what is beside DynamoDB's API needs the server's token, and tells a stranger nothing."""

import json

import pytest

from guarded import TOKEN, Guarded, allow, directory, user
from raw_client import Connection, authorization, request
from server_process import Server

TABLE = "HiddenTable"
FUNCTION = "hidden-function"
LAMBDA = {"Authorization": authorization(service="lambda"), "X-Amz-Target": None}
KINESIS = {"Authorization": authorization(service="kinesis"), "Content-Type": "application/x-amz-json-1.1"}

# With the token they answer; without it they are 401.
ADMIN = [("GET", path) for path in (
    "info", "requests", "tables", "clock", "due", "transactions", "capacity", "marks", "faults", f"ttl/{TABLE}",
    f"streams/{TABLE}", "history?table=" + TABLE, "triggers", "triggers/invocations", "access/report",
    "access/denials")] + [("POST", path) for path in (
        "reset", "clock", "settings", "marks/x", "faults", "triggers/settle", "triggers/pause", "access/reload",
        "access/reset", "access/simulate", "mcp")]
# Nothing is there for anybody, or not under this spelling; some programs take it for the path above.
SPELLINGS = ["/_STATOR/info", "/%5Fstator/info", "//_stator/info", "/x/../_stator/info", "/_stator", "/metrics/",
             "/Metrics", "/console", "/healthz/"]
RUNTIME = [("GET", f"/_stator/function/{FUNCTION}/2018-06-01/runtime/invocation/next"),
           ("GET", "/2018-06-01/runtime/invocation/next"), ("POST", "/2018-06-01/runtime/invocation/x/response"),
           ("POST", "/2018-06-01/runtime/init/error"), ("POST", "/2020-01-01/extension/register")]
LAMBDA_PATHS = [("GET", "/2015-03-31/functions"), ("GET", f"/2015-03-31/functions/{FUNCTION}"),
                ("GET", "/2015-03-31/event-source-mappings/"), ("POST", "/2015-03-31/event-source-mappings/"),
                ("POST", f"/2015-03-31/functions/{FUNCTION}/invocations"),
                ("DELETE", "/2015-03-31/event-source-mappings/x")]


@pytest.fixture(scope="module", params=["iam", "signature", "audit"])
def guarded(request, tmp_path_factory):
    made = Guarded(tmp_path_factory.mktemp("paths"), directory(user("hidden", allow("ListTables"))), "--function", FUNCTION,
                   "--function", f"{FUNCTION}-2=http://127.0.0.1:1/", mode=request.param, start=Server)
    made.mode = request.param
    made.table(TABLE, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    yield made
    made.server.stop()


def send(guarded, method, path, headers=None, body=b"{}"):
    """A request without a signature, unless `headers` has one."""
    fields = {"Authorization": None, "X-Amz-Date": None, "X-Amz-Target": None, **(headers or {})}
    if method == "GET":
        body, fields = b"", {**fields, "Content-Type": None}
    with Connection(guarded.server) as connection:
        return connection.exchange(request(None, body, fields, method, path), method)


def reveals_nothing(answer):
    text = answer.body.decode() + json.dumps(dict(answer.headers))
    return not any(word in text for word in (TABLE, FUNCTION, TOKEN, "111122223333", "AKIAHIDDEN"))


@pytest.mark.parametrize("method, path", ADMIN)
def test_the_admin_path_needs_the_token(guarded, method, path):
    for headers in ({}, {"x-stator-token": "wrong"}, {"x-stator-token": ""}, {"Authorization": authorization()},
                    {"x-stator-token": TOKEN[:-1]}, {"Cookie": f"x-stator-token={TOKEN}"}):
        answer = send(guarded, method, f"/_stator/{path}", headers)
        assert answer.status == 401 and reveals_nothing(answer), (headers, answer)
    assert send(guarded, "GET", f"/_stator/info?x-stator-token={TOKEN}").status == 401


def test_a_key_of_the_file_is_no_token(guarded):
    asked, signer = guarded.signed("ListTables")
    signer.add_auth(asked)
    answer = send(guarded, "GET", "/_stator/tables", dict(asked.headers.items()))
    assert answer.status == 401 and reveals_nothing(answer)


@pytest.mark.parametrize("method, path", RUNTIME)
def test_the_runtime_api_needs_the_token(guarded, method, path):
    answer = send(guarded, method, path)
    assert answer.status == 401 and reveals_nothing(answer), answer


@pytest.mark.parametrize("path", SPELLINGS)
def test_other_spellings_lead_nowhere(guarded, path):
    for method in ("GET", "POST", "PUT"):
        answer = send(guarded, method, path)
        assert answer.status in (400, 401, 403, 404) and reveals_nothing(answer), answer


def test_metrics_need_the_token(guarded):
    for method in ("GET", "HEAD", "POST"):
        answer = send(guarded, method, "/metrics")
        assert answer.status == 401 and reveals_nothing(answer), answer
    answer = send(guarded, "GET", "/metrics", {"x-stator-token": TOKEN})
    assert answer.status == 200 and b"stator_" in answer.body


@pytest.mark.parametrize("method, path", LAMBDA_PATHS)
def test_lambda_needs_a_sender(guarded, method, path):
    for headers in (LAMBDA, {"X-Amz-Target": None}):
        answer = send(guarded, method, path, headers)
        if guarded.mode == "audit" and headers == LAMBDA:
            continue  # an unknown key acts as the root
        assert answer.status in (400, 403) and reveals_nothing(answer), answer


@pytest.mark.parametrize("operation", ["ListStreams", "CreateStream", "DescribeLimits"])
def test_kinesis_needs_a_sender(guarded, operation):
    headers = {**KINESIS, "X-Amz-Target": f"Kinesis_20131202.{operation}"}
    answer = send(guarded, "POST", "/", {**headers, "Authorization": None})
    assert answer.status == 400 and reveals_nothing(answer), answer
    if guarded.mode != "audit":
        answer = send(guarded, "POST", "/", headers)
        assert answer.status == 400 and reveals_nothing(answer), answer


@pytest.mark.parametrize("method, path, status", [
    ("GET", "/", 200), ("HEAD", "/", 200), ("GET", "/healthz", 200), ("GET", "/nothing", 404), ("PUT", "/", 404),
    ("DELETE", "/", 404), ("POST", "/", 400), ("POST", "/HiddenTabl", 400)])
def test_what_everybody_may_ask(guarded, method, path, status):
    answer = send(guarded, method, path)
    assert answer.status == status and reveals_nothing(answer), answer


@pytest.mark.parametrize("operation", ["ListTables", "DescribeTable", "GetItem", "Nothing"])
def test_what_stators_own_headers_tell(guarded, operation):
    for name in ("x-stator-explain", "x-stator-dry-run", "x-stator-console", "x-stator-log", "x-stator-fault"):
        headers = {name: "1", "X-Amz-Target": f"DynamoDB_20120810.{operation}"}
        answer = send(guarded, "POST", "/", headers, json.dumps({"TableName": "HiddenTabl"}).encode())
        assert answer.status == 400 and reveals_nothing(answer), (name, answer)


def test_the_consoles_files_show_nothing(guarded):
    answer = send(guarded, "GET", "/_stator/console/")
    assert answer.status in (200, 404) and reveals_nothing(answer)


def test_without_a_token_nobody_gets_in(start, tmp_path):
    file = tmp_path / "access.json"
    file.touch(0o600)
    file.write_text(json.dumps(directory()))
    with Connection(start("--auth", "iam", "--access-file", file, "--console-token", "none")) as connection:
        for token in (None, "", "none", TOKEN):
            fields = {"Authorization": None, "X-Amz-Date": None, "Content-Type": None, "x-stator-token": token}
            assert connection.exchange(request(None, b"", fields, "GET", "/_stator/info")).status == 401
