"""Invoke: a client of Lambda calls the functions of --function, of either kind."""

import base64
import http.client
import json
import re
import threading

import pytest
from botocore.exceptions import ClientError

from admin import Admin
from called import BEGIN, Reply, World, function_flags
from lambda_api import Lambda, lambda_client
from own_servers import start  # noqa: F401
from runtime_client import Process, Runtime
from server_process import wait_until

PATH = "/2015-03-31/functions/f/invocations"
PAYLOAD_MAX = 6291456
EVENT_MAX = 1048576
SIGNED = {"Content-Type": "application/json", "X-Amz-Date": "20270101T000000Z", "Authorization":
          "AWS4-HMAC-SHA256 Credential=key/20270101/us-east-1/lambda/aws4_request, SignedHeaders=host;x-amz-date, "
          "Signature=" + "0" * 64}
ERROR = {"errorMessage": "no", "errorType": "ValueError", "stackTrace": []}


@pytest.fixture
def server(start, functions):  # noqa: F811
    return start("--function", "f,timeout=20s", "--function", f"web={functions.url('web')}",
                 "--function", f"image={functions.url('image')},kind=rie", "--function", "quick,timeout=200ms")


@pytest.fixture
def client(server):
    return lambda_client(server.endpoint)


def invoke(client, **members):
    """Calls once a process polls; before that the function is not reached."""
    def answer():
        try:
            return client.invoke(**members)
        except client.exceptions.ResourceNotReadyException:
            return None

    return wait_until(answer)


def payload_of(answer):
    return json.loads(answer["Payload"].read())


@pytest.mark.parametrize("sent, event", [({"Payload": b'{"a":1}'}, {"a": 1}), ({}, {}), ({"Payload": b"[1]"}, [1])])
def test_process_answers(server, client, sent, event):
    process = Process(server, lambda body: {"got": body})
    answer = invoke(client, FunctionName="f", **sent)
    assert (answer["StatusCode"], answer["ExecutedVersion"]) == (200, "$LATEST")
    assert "FunctionError" not in answer and payload_of(answer) == {"got": event}
    assert process.events[0].body == event


def test_server_answers(client, functions):
    functions.answer("web", lambda event, _: Reply(200, {"got": event}, {"X-Amz-Executed-Version": "7"}))
    answer = client.invoke(FunctionName="web", Payload=b'{"a":1}')
    assert (answer["ExecutedVersion"], payload_of(answer)) == ("7", {"got": {"a": 1}})


@pytest.mark.parametrize("name, reply, error, payload", [
    ("web", Reply(200, ERROR, {"X-Amz-Function-Error": "Handled"}), "Handled", ERROR),
    ("web", Reply(500, "boom"), "Unhandled", {"errorType": "Runtime.Unknown", "errorMessage": "status 500"}),
    ("image", Reply(200, ERROR), "Unhandled", ERROR),
])
def test_error_of_a_server(client, functions, name, reply, error, payload):
    functions.answer(name, lambda *_: reply)
    answer = client.invoke(FunctionName=name)
    assert answer["StatusCode"] == 200 and answer["FunctionError"] == error
    assert payload_of(answer) == payload


def invoke_beside(client, answers, **members):
    thread = threading.Thread(target=lambda: answers.append(invoke(client, **members)), daemon=True)
    thread.start()
    return thread


def test_error_of_a_process(server, client):
    runtime, answers = Runtime(server), []
    runtime.begin_poll()
    invoking = invoke_beside(client, answers, FunctionName="f")
    assert runtime.fail(runtime.finish_poll(), ERROR).status == 202
    invoking.join(timeout=30)
    [answer] = answers
    assert (answer["StatusCode"], answer["FunctionError"]) == (200, "Unhandled")
    assert payload_of(answer) == ERROR


def test_timeout_of_a_process(server, client):
    runtime, answers = Runtime(server, "quick"), []
    runtime.begin_poll()
    invoking = invoke_beside(client, answers, FunctionName="quick")
    event = runtime.finish_poll()
    invoking.join(timeout=30)
    assert payload_of(answers[0]) == {
        "errorType": "Sandbox.Timedout",
        "errorMessage": f"RequestId: {event.id} Error: Task timed out after 0.20 seconds"}


def test_qualifier_and_client_context(server, client):
    process = Process(server, lambda body: body)
    context = base64.b64encode(b'{"custom":{"a":"b"}}').decode()
    invoke(client, FunctionName="f", Qualifier="live", ClientContext=context)
    client.invoke(FunctionName="arn:aws:lambda:us-east-1:000000000000:function:f:7")
    first, second = process.events
    assert first.headers["Lambda-Runtime-Invoked-Function-Arn"].endswith(":function:f:live")
    assert json.loads(first.headers["Lambda-Runtime-Client-Context"]) == {"custom": {"a": "b"}}
    assert second.headers["Lambda-Runtime-Invoked-Function-Arn"].endswith(":function:f:7")


@pytest.mark.parametrize("members, status, code, message", [
    ({"FunctionName": "nobody"}, 404, "ResourceNotFoundException",
     "Function not found: arn:aws:lambda:us-east-1:000000000000:function:nobody"),
    ({"FunctionName": "f", "Payload": b"{"}, 400, "InvalidRequestContentException", "Could not parse request body"),
    ({"FunctionName": "f", "InvocationType": "Later"}, 400, "ValidationException",
     "1 validation error detected: Value 'Later' at 'invocationType' failed to satisfy constraint: "
     "Member must satisfy enum value set: [Event, RequestResponse, DryRun]"),
    ({"FunctionName": "f", "LogType": "Head"}, 400, "ValidationException",
     "Value 'Head' at 'logType' failed to satisfy constraint: Member must satisfy enum value set: [None, Tail]"),
    ({"FunctionName": "f", "InvocationType": "Event", "Payload": b'"' + b"x" * EVENT_MAX + b'"'}, 413,
     "RequestEntityTooLargeException",
     "1048578 byte payload is too large for the Event invocation type (limit 1048576 bytes)"),
    ({"FunctionName": "f", "Payload": b'"' + b"x" * PAYLOAD_MAX + b'"'}, 413, "RequestEntityTooLargeException",
     "6291458 byte payload is too large for the RequestResponse invocation type (limit 6291456 bytes)"),
    ({"FunctionName": "f", "ClientContext": "e30K!"}, 400, "InvalidRequestContentException", "Client context"),
    ({"FunctionName": "f", "ClientContext": base64.b64encode(b"{\n}").decode()}, 400,
     "InvalidRequestContentException", "Client context"),
    ({"FunctionName": "f", "Qualifier": "a\r\nX: y"}, 400, "ValidationException", "functionName"),
    ({"FunctionName": "f"}, 502, "ResourceNotReadyException", "waiting for a runtime"),
])
def test_refusals(client, members, status, code, message):
    with pytest.raises(ClientError) as refused:
        client.invoke(**members)
    answer = refused.value.response
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == status
    assert answer["Error"]["Code"] == code and message in answer["Error"]["Message"]


def test_largest_payload(server, client):
    process = Process(server, len)
    payload = b'"' + b"x" * (PAYLOAD_MAX - 2) + b'"'
    assert payload_of(invoke(client, FunctionName="f", Payload=payload)) == PAYLOAD_MAX - 2
    assert len(process.events) == 1


def test_dry_run_calls_nothing(client, functions):
    answer = client.invoke(FunctionName="web", InvocationType="DryRun")
    assert answer["StatusCode"] == 204 and not functions.events
    with pytest.raises(ClientError):
        client.invoke(FunctionName="nobody", InvocationType="DryRun")


def test_log_of_a_server(client):
    """What it has written is not known here."""
    answer = client.invoke(FunctionName="web", LogType="Tail")
    start, end, report = base64.b64decode(answer["LogResult"]).decode().splitlines()
    id = start.split()[2]
    assert (start, end) == (f"START RequestId: {id} Version: $LATEST", f"END RequestId: {id}")
    assert re.fullmatch(rf"REPORT RequestId: {id}\tDuration: \d+\.\d\d ms\tBilled Duration: \d+ ms", report)
    assert "LogResult" not in client.invoke(FunctionName="web", LogType="None")


def test_event_is_not_waited_for(server, client, functions):
    goes_on = threading.Event()
    functions.answer("web", lambda *_: goes_on.wait(60) and None)
    answer = client.invoke(FunctionName="web", InvocationType="Event", Payload=b'{"a":1}')
    assert (answer["StatusCode"], answer["Payload"].read()) == (202, b"")
    goes_on.set()
    assert Admin(server).ok("triggers/settle", {})["settled"]
    assert functions.events["web"] == [{"a": 1}]
    [call] = Admin(server).ok("triggers/invocations")["invocations"]
    assert (call["mapping"], call["outcome"], call["event"]) == ("", "ok", '{"a":1}')


def test_event_is_tried_three_times(start, functions):  # noqa: F811
    world = World(start(*function_flags(functions), "--clock", BEGIN), functions)
    functions.answer("f", lambda *_: Reply(200, ERROR, {"X-Amz-Function-Error": "Unhandled"}))
    world.lambdas.invoke(FunctionName="f", InvocationType="Event")

    def waiting():
        return world.admin.ok("triggers/settle", {})["events"]

    [event] = waiting()
    assert (event["status"], event["reason"]) == ("blocked", "ValueError: no")
    assert event["until"].startswith("2027-01-01T00:01:00")
    for advance, calls in (("59s", 1), ("1s", 2), ("119s", 2), ("1s", 3)):
        world.admin.move(advance=advance)
        assert len(waiting()) == (calls < 3) and len(functions.events["f"]) == calls
    world.admin.move(advance="6h")
    assert [(call["attempt"], call["outcome"]) for call in world.invocations()] == [
        (1, "failed"), (2, "failed"), (3, "failed")]
    assert len({call["requestId"] for call in world.invocations()}) == 1


def test_event_waits_for_a_process(server, client):
    client.invoke(FunctionName="f", InvocationType="Event", Payload=b'{"n":1}')
    [event] = Admin(server).ok("triggers/settle", {})["events"]
    assert event["reason"] == "waiting for a runtime"
    process = Process(server, lambda body: body)
    wait_until(lambda: process.events)
    assert process.events[0].body == {"n": 1}


def test_old_event_is_given_up(start):  # noqa: F811
    server = start("--function", "f", "--clock", BEGIN)
    lambda_client(server.endpoint).invoke(FunctionName="f", InvocationType="Event")
    assert len(Admin(server).ok("triggers/settle", {})["events"]) == 1
    Admin(server).move(advance="361m")
    assert Admin(server).ok("triggers/settle", {})["events"] == []


def test_reset_and_rollback_forget_events(server, client):
    admin = Admin(server)
    for forget in (admin.reset, lambda: admin.rollback("before")):
        admin.mark("before")
        client.invoke(FunctionName="f", InvocationType="Event")
        assert len(admin.ok("triggers/settle", {})["events"]) == 1
        forget()
        assert admin.ok("triggers/settle", {})["events"] == []


def test_events_have_a_bound(client):
    for _ in range(1000):
        client.invoke(FunctionName="f", InvocationType="Event")
    with pytest.raises(client.exceptions.TooManyRequestsException):
        client.invoke(FunctionName="f", InvocationType="Event")


def test_signature_is_wanted(server):
    assert Lambda(server).send("POST", PATH, {}, is_signed=False).status in (400, 403)


def test_busy_processes_answer_in_turn(server, client):
    """Calls wait for the only process."""
    Process(server, lambda body: body)
    answers = []
    threads = [invoke_beside(client, answers, FunctionName="f", Payload=json.dumps(n)) for n in range(8)]
    for thread in threads:
        thread.join(timeout=30)
    assert sorted(payload_of(answer) for answer in answers) == list(range(8))


def test_calls_at_once_do_not_wait_for_each_other(start, functions):  # noqa: F811
    """Each answers once all have come. One more comes each time than threads of the server are waiting."""
    server = start("--threads", "1", "--function", f"f={functions.url('f')}")
    lines = [http.client.HTTPConnection(server.host, server.port, timeout=60) for _ in range(12)]
    for line in lines:
        line.connect()
    for count in range(2, len(lines) + 1):
        together = threading.Barrier(count, timeout=30)
        functions.answer("f", lambda *_: together.wait() and None)  # noqa: B023
        for line in lines[:count]:
            line.request("POST", PATH, b"{}", SIGNED)
        answers = [line.getresponse() for line in lines[:count]]
        assert [(answer.status, answer.read()) for answer in answers] == [(200, b"")] * count
    for line in lines:
        line.close()


def test_calls_end_with_the_server(server, client):
    runtime = Runtime(server)
    runtime.begin_poll()
    failed = []

    def call():
        try:
            invoke(client, FunctionName="f")
        except Exception as problem:
            failed.append(problem)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    runtime.finish_poll()
    server.stop()
    thread.join(timeout=30)
    assert failed and wait_until(lambda: not thread.is_alive())
