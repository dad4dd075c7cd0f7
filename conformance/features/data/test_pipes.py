"""What commands write to a pipe is JSON and nothing else, whatever the log shows."""

import json

import pytest

from mcp_client import Agent, meta

TRACE = {"STATOR_LOG_LEVEL": "trace", "STATOR_LOG_SLOW": "0"}
LINES, WHOLE, NONE = "lines of JSON", "one text of JSON", "nothing"
TEMPLATE = {"Resources": {"Made": {"Type": "AWS::DynamoDB::Table", "Properties": {
    "TableName": "pipes_made", "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}}}}
# TABLE and ENDPOINT stand for the test's table and its server.
COMMANDS = [
    (["tables"], LINES), (["tables", "TABLE"], LINES), (["describe", "TABLE"], WHOLE),
    (["put", "TABLE", '{"pk":"p1","sk":7}'], NONE), (["delete", "TABLE", "p1", "7"], NONE),
    (["get", "TABLE", "p1", "1"], LINES), (["get", "TABLE", "p1", "1", "--output", "json"], WHOLE),
    (["query", "TABLE", "p1"], LINES), (["query", "TABLE", "p1", "--units", "--desc"], LINES),
    (["query", "TABLE", "p1", "--output", "dynamodb-json"], LINES), (["query", "TABLE", "p1", "--output", "json"], WHOLE),
    (["scan", "TABLE", "--filter", "sk > 0"], LINES), (["sql", 'SELECT * FROM "TABLE"'], LINES),
    (["stream", "TABLE"], LINES), (["watch", "TABLE", "--from-start", "--once"], LINES),
    (["watch", "TABLE", "--from-start", "--once", "--output", "dynamodb-json"], LINES),
    (["diff", "endpoint:ENDPOINT/TABLE", "other.jsonl", "--output", "jsonl"], LINES),
    (["diff", "endpoint:ENDPOINT/TABLE", "other.jsonl", "--output", "dynamodb-json"], LINES),
    (["export", "TABLE", "-"], LINES), (["export", "TABLE", "-", "--format", "json"], LINES),
    (["log"], LINES), (["explain", "--json"], LINES), (["fault", "list", "--json"], LINES),
    (["triggers", "--json"], LINES),
    (["apply", "made.json", "--plan", "--output", "json"], WHOLE),
    (["schema", "TABLE", "--as", "cloudformation"], WHOLE), (["schema", "TABLE", "--as", "cli"], WHOLE),
    (["schema", "TABLE", "--as", "stator"], WHOLE), (["schema", "TABLE", "--as", "workbench"], WHOLE),
    (["schema", "diff", "endpoint:ENDPOINT", "made.json", "--output", "json"], WHOLE),
]


@pytest.fixture
def table(raw, new_table):
    name = new_table("pk:S sk:N", StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
    for number in range(3):
        raw.ok("PutItem", TableName=name, Item={"pk": {"S": "p1"}, "sk": {"N": str(number)}, "t": {"S": "\u001b[2J\n"}})
    return name


@pytest.mark.parametrize("words, form", COMMANDS, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_stdout_is_json_with_every_line_of_the_log(program, server, table, words, form):
    program.write("made.json", json.dumps(TEMPLATE))
    program.write("other.jsonl", '{"pk":"p1","sk":1}\n')
    words = [word.replace("TABLE", table).replace("ENDPOINT", server.endpoint) for word in words]
    done = program.run(*words, endpoint=words[0] != "diff", env=TRACE)
    assert done.returncode in ((3,) if "diff" in words else (0,)), done
    if form == NONE:
        assert done.stdout == ""
    elif form == WHOLE:
        json.loads(done.stdout)
    else:
        told = [json.loads(line) for line in done.stdout.splitlines()]
        assert told or words[0] in ("fault", "triggers"), done
        assert all(isinstance(line, dict) for line in told)


def test_stdout_of_a_failure_is_empty(program, table):
    for words, status in ((["get", table, "p1", "9"], 1), (["query", "pipes_nowhere", "a"], 1),
                          (["describe", "pipes_nowhere"], 1), (["sql", "SELECT"], 1),
                          (["scan", table, "--filter", "pk >"], 1), (["put", table, "[1]"], 2)):
        done = program.run(*words, env=TRACE)
        assert (done.returncode, done.stdout) == (status, ""), words
        assert done.stderr.startswith("stator: ")


def test_every_tool_of_an_agent_answers_with_json(server, table):
    """An answer is a line of JSON and nothing comes between answers."""
    with Agent(server.endpoint, env=TRACE) as agent:
        listed = agent.request("tools/list")["result"]["tools"]
        arguments = {"call": {"operation": "ListTables"}, "query": {"table": table, "key": {"pk": "p1"}},
                     "sql": {"statement": "SELECT"}, "put_items": {"table": table, "items": [{"pk": "p1", "sk": 9}]},
                     "apply_schema": {"template": json.dumps(TEMPLATE)}}
        assert set(arguments) < {tool["name"] for tool in listed}
        for tool in listed:
            agent.request("tools/call", {"name": tool["name"], "arguments": arguments.get(tool["name"], {})})
        agent.request("ping", version=None)
        assert agent.error("server/nothing") == -32601
        assert "error" in agent.exchange("{")
        answer = agent.exchange({"jsonrpc": "2.0", "id": "last", "method": "server/discover", "params": {"_meta": meta()}})
        assert answer["id"] == "last"
        agent.process.stdin.close()
        assert agent.process.stdout.read() == b""
        agent.process.stdin = open("/dev/null", "wb")
