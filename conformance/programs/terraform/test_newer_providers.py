"""The requests that providers newer than the installed one send for its newer resources and arguments, in their order:
newer_requests.json has them with what a response must contain. They come from the create, read, update and delete
functions of the provider's public source (internal/service/dynamodb), without the repetitions of its waiters.

In a response, "*" is any value, and "-" a member that is not there. {"error": NAME} is an error. A sequence with
"wrong" fails today, for that reason; the suite also fails when it passes.
"""

import json
import re
from pathlib import Path

import pytest

from checkout import ROOT
from client import Client
from raw_client import Connection, authorization
from server_process import default_server

SEQUENCES = json.loads(Path(__file__).with_name("newer_requests.json").read_text())


@pytest.fixture(scope="module")
def client():
    with default_server() as server:
        make_stream(server, "changes")
        yield Client(server)


def make_stream(server, name):
    """The stream of Kinesis that a sequence streams to."""
    with Connection(server) as connection:
        answer = connection.call(None, {"StreamName": name, "ShardCount": 1},
                                 {"X-Amz-Target": "Kinesis_20131202.CreateStream",
                                  "Content-Type": "application/x-amz-json-1.1",
                                  "Authorization": authorization(service="kinesis")})
        assert answer.status == 200, answer


def tables_of(sequence):
    """The tables that the sequence makes, those that it made last first."""
    requests = [body for name, body, _ in sequence["requests"] if name in ("CreateTable", "RestoreTableToPointInTime")]
    return [body.get("TableName") or body["TargetTableName"] for body in reversed(requests)]


@pytest.fixture
def sequence(request, client):
    yield request.param
    for table in tables_of(request.param):
        client.drop_table(table)


def not_built():
    """The operations that docs/differences.md lists as missing."""
    page = (ROOT / "docs/differences.md").read_text()
    block = re.search(r"<!-- not built -->(.*?)<!-- /not built -->", page, re.S)[1]
    return set(re.findall(r"\b[A-Z][a-z]+[A-Z]\w+", block))


def contains(found, expected):
    if isinstance(expected, dict) and isinstance(found, dict):
        return all(name not in found if value == "-" else name in found and contains(found[name], value)
                   for name, value in expected.items())
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) == len(expected) and all(map(contains, found, expected))
    return expected == "*" or found == expected


def parameter(sequence):
    wrong = sequence.get("wrong")
    marks = [pytest.mark.xfail(reason=wrong, strict=True)] if wrong else []
    return pytest.param(sequence, id=sequence["title"], marks=marks)


@pytest.mark.parametrize("sequence", map(parameter, SEQUENCES), indirect=True)
def test_requests_of_a_newer_provider(client, sequence):
    for number, (name, body, expected) in enumerate(sequence["requests"], 1):
        answer = client.send(name, body)
        found = answer.json() if answer.status == 200 and answer.body else {}
        if answer.status != 200:
            found = {"error": answer.error()[1]}
        if found == {"error": "UnknownOperationException"} and name in not_built():
            pytest.skip(f"{name} is not built")
        shown = answer.body.decode()
        assert ("error" in expected) == ("error" in found), f"request {number}, {name} {body}: {shown}"
        assert contains(found, expected), f"request {number}, {name}: expected {expected}, got {shown}"
