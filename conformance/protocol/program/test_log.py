"""The log on stderr: a request log at debug level, as text and as JSON lines."""

import json
import re

import pytest

from client import Client
from raw_client import Connection, request


def use(server):
    """One call of several kinds; the answers are not the subject here."""
    client = Client(server)
    client.create_table("logged")
    client.ok("PutItem", TableName="logged", Item={"pk": {"S": "a"}, "v": {"S": "x" * 3000}})
    client.ok("GetItem", TableName="logged", Key={"pk": {"S": "a"}}, ConsistentRead=True)
    client.error("GetItem", TableName="not_logged", Key={"pk": {"S": "a"}})
    client.ok("ListTables")
    assert server.stop() == 0
    return server.log().splitlines()


def test_json_lines(start):
    server = start("--log-level", "debug", "--log-format", "json")
    lines = [json.loads(line) for line in use(server)]
    requests = [line for line in lines if "operation" in line]
    wanted = ("operation", "table", "status")
    assert [tuple(line.get(name) for name in wanted) for line in requests] == [
        ("CreateTable", "logged", 200),
        ("PutItem", "logged", 200),
        ("GetItem", "logged", 200),
        ("GetItem", "not_logged", 400),
        ("ListTables", requests[4].get("table"), 200),
    ]
    assert not requests[4].get("table")
    assert [line["units"] for line in requests[1:3]] == [3, 1]
    assert all(isinstance(line["us"], (int, float)) and line["us"] >= 0
               for line in requests)
    assert all(line["level"] == "debug" for line in requests)


def test_text_lines(start):
    lines = use(start("--log-level", "debug", "--log-format", "text"))
    for words in (["CreateTable", "logged", "200"], ["PutItem", "logged", "200", "3"],
                  ["GetItem", "not_logged", "400"], ["ListTables", "200"]):
        found = [line for line in lines if all(word in line for word in words)]
        assert len(found) == 1, (words, lines)
        assert "debug" in found[0].lower()


@pytest.mark.parametrize("flags", [[], ["--log-level", "info"], ["--log-level", "warn"]])
def test_requests_are_not_logged_above_debug(start, flags):
    lines = use(start(*flags))
    assert not [line for line in lines if "PutItem" in line or "ListTables" in line]


def test_off_is_silent(start):
    assert use(start("--log-level", "off")) == []


def test_every_line_is_json_at_every_level(start):
    for level in ("trace", "info"):
        lines = use(start("--log-level", level, "--log-format", "json"))
        for line in lines:
            assert {"level", "message"} <= set(json.loads(line)) or "operation" in json.loads(line)


def test_request_text_cannot_break_a_line(start):
    server = start("--log-level", "debug", "--log-format", "json")
    client = Client(server)
    for name in ('a"b', "line\nbreak", "tab\t\u0000", "é\u2028", "x" * 5000):
        client.error("DescribeTable", TableName=name)
    assert server.stop() == 0
    parsed = [json.loads(line) for line in server.log().split("\n") if line]
    assert len([line for line in parsed if line.get("operation") == "DescribeTable"]) == 5


def test_text_of_requests_cannot_break_a_line(start):
    server = start("--log-level", "debug", "--log-format", "text")
    Client(server).error("DescribeTable", TableName="line\nbreak")
    assert server.stop() == 0
    assert not [line for line in server.log().splitlines() if line.startswith("break")]


def test_a_table_name_cannot_forge_fields(start):
    server = start("--log-level", "debug")
    Client(server).error("DescribeTable", TableName='x status=200 units=0 "y\u202e')
    assert server.stop() == 0
    (line,) = [line for line in server.log().splitlines() if " DescribeTable " in line]
    assert " table=- status=400 error=ValidationException message=\"" in line
    assert r"x status=200 units=0 \"y\u202e" in line
    unquoted = re.sub(r'"(\\.|[^"\\])*"', "", line)
    assert unquoted.count("status=") == unquoted.count("units=") == 1


def test_every_request_is_told_with_what_it_was(start):
    server = start("--log-level", "debug", "--log-format", "json")
    client = Client(server)
    client.create_table("told")
    with Connection(server) as connection:
        answers = [
            connection.call("GetItem", b'{"TableName":"missing","Key":{"pk":{"S":"a"}}}'),
            connection.call("CreateGlobalTable"),
            connection.call("ListTables", b"{", {"Authorization": None}),
            connection.exchange(request(None, b"{}", {"X-Amz-Target": None})),
            connection.exchange(request(None, b"", {"X-Amz-Target": None, "Content-Type": None},
                                        "GET", "/healthz")),
        ]
    with Connection(server) as connection:
        connection.send(b"nonsense\r\n\r\n")
        connection.wait_closed()
    client.close()
    assert server.stop() == 0
    lines = [json.loads(line) for line in server.log().splitlines()]
    lines = [line for line in lines if line["message"] == "request"][1:]
    assert [(line["operation"], line["status"], line.get("error")) for line in lines] == [
        ("GetItem", 400, "ResourceNotFoundException"),
        ("CreateGlobalTable", 400, "UnknownOperationException"),
        ("ListTables", 400, "SerializationException"),
        ("POST /", 400, "UnknownOperationException"),
        ("GET /healthz", 200, None),
        ("no HTTP request", 400, None),
    ]
    assert [line["request_id"] for line in lines[:5]] == [a.get("x-amzn-RequestId") for a in answers]
    first = lines[0]
    assert first["table"] == "missing" and first["error_message"] == "Requested resource not found"
    assert first["region"] == "us-east-1" and first["access_key"] and first["us"] >= 0


def test_unknown_operations_are_warned_about_once_each(start):
    server = start()
    with Connection(server) as connection:
        for operation in ("CreateGlobalTable", "Nonsense", "CreateGlobalTable"):
            answer = connection.call(operation)
            assert (answer.status, answer.json()) == (
                400, {"__type": "com.amazon.coral.service#UnknownOperationException"})
    assert server.stop() == 0
    warnings = [line for line in server.log().splitlines() if " warning " in line]
    assert len(warnings) == 2
    assert "unsupported operation DynamoDB_20120810.CreateGlobalTable" in warnings[0]
    assert "unsupported operation DynamoDB_20120810.Nonsense" in warnings[1]


def test_another_service_is_named_once(start):
    server = start()
    headers = {"Content-Type": "application/x-amz-json-1.1"}
    with Connection(server) as connection:
        for target in ("AnyScaleFrontendService.DescribeScalableTargets", "Firehose_20150804.PutRecord",
                       "AnyScaleFrontendService.RegisterScalableTarget"):
            answer = connection.exchange(request(None, b"{}", {**headers, "X-Amz-Target": target}))
            assert answer.error() == (400, "UnknownOperationException", None)
            assert answer.get("Content-Type") == "application/x-amz-json-1.1"
        told = connection.exchange(request(None, b"", {"X-Amz-Target": None, "Content-Type": None}, "GET",
                                           "/_stator/requests")).json()["requests"]
        ours = connection.exchange(request("ListTables", b"{}", headers))
        assert (ours.status, ours.body) == (404, b"<UnknownOperationException/>\n")
    assert [one["operation"] for one in told] == [
        "AnyScaleFrontendService.RegisterScalableTarget", "Firehose_20150804.PutRecord",
        "AnyScaleFrontendService.DescribeScalableTargets"]
    assert "'Firehose_20150804' is another service than DynamoDB" in told[1]["hints"][0]
    assert server.stop() == 0
    warnings = [line for line in server.log().splitlines() if " warning " in line]
    assert len(warnings) == 2
    assert "another service, AnyScaleFrontendService in X-Amz-Target" in warnings[0]
    assert "another service, Firehose_20150804 in X-Amz-Target" in warnings[1]


def test_slow_requests_are_told_at_info(start):
    """Whatever takes 0 s or more is slow; at a million seconds nothing is."""
    assert "ListTables" in "\n".join(use(start("--log-slow", "0")))
    assert use(start("--log-slow", "1000000")) == []
