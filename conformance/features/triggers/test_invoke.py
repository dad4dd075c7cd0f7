"""Invoke: a client of Lambda calls the functions of --function, of either kind."""

import base64
import json
import threading

import pytest
from botocore.exceptions import ClientError

from called import Reply
from lambda_api import Lambda, lambda_client
from own_servers import start  # noqa: F401
from runtime_client import Process, Runtime
from server_process import wait_until

PATH = "/2015-03-31/functions/f/invocations"
PAYLOAD_MAX = 6291456
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
    ({"FunctionName": "f", "InvocationType": "Event"}, 400, "InvalidParameterValueException",
     "RequestResponse and DryRun alone"),
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
