"""`stator mcp`: a door for agents, over the Model Context Protocol on stdin and stdout."""

import json
import signal
import subprocess
import threading

import pytest
from botocore.exceptions import ClientError

from admin import Admin
from client import Client
from data_program import OwnEndpoint, all_items, put_all
from mcp_client import LEGACY, MODERN, Agent, meta
from server_process import STOP_DEADLINE_S, binary, clean_environment, given_endpoint, run_to_end

DIGITS = "12345678901234567890123456789012345678"
TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}
TEMPLATE = json.dumps({"TableName": "made", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                       "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
READING = {"overview", "query", "why", "dry_run", "capacity"}


@pytest.fixture
def agent(server):
    with Agent(server.endpoint) as running:
        yield running


@pytest.fixture
def own_agent(start):
    """An agent at a server of the test's own, which has marks, a clock and faults."""
    with Agent(start().endpoint) as running:
        yield running


def make_table(agent, name, kind="S"):
    """Creates a table with the key pk through the agent; the result of the tool."""
    return agent.call("call", operation="CreateTable", request={
        "TableName": name, "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": kind}]})


def schemas_of(agent):
    return {tool["name"]: tool["outputSchema"] for tool in agent.request("tools/list")["result"]["tools"]}


def check_result(schema, result):
    """What the tools' schemas say of a result: members and their types."""
    assert schema["type"] == "object"
    for name, value in result.items():
        expected = schema["properties"][name]["type"]
        assert isinstance(value, TYPES[expected]), (name, value)
        assert expected not in ("integer", "number") or not isinstance(value, bool), (name, value)


# --- The protocol ------------------------------------------------------------------------------------

def test_a_modern_client(agent):
    result = agent.request("server/discover")["result"]
    assert result["supportedVersions"] == [MODERN, *LEGACY]
    assert result["capabilities"] == {"tools": {}} and result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "stator"
    listed = agent.request("tools/list")["result"]
    assert (listed["resultType"], listed["cacheScope"]) == ("complete", "public") and listed["ttlMs"] > 0
    assert agent.result_of("overview")["resultType"] == "complete"
    assert agent.error("ping") == -32601


@pytest.mark.parametrize("version", [*LEGACY, "2023-01-01"])
def test_a_client_that_initializes(agent, version):
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    result = agent.request("initialize", params, version=None)["result"]
    assert result["protocolVersion"] == (version if version in LEGACY else LEGACY[0])
    assert result["serverInfo"]["name"] == "stator" and "tools" in result["capabilities"]
    agent.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    assert agent.request("ping", version=None)["result"] == {}
    listed = agent.request("tools/list", version=None)["result"]
    assert list(listed) == ["tools"]
    called = agent.request("tools/call", {"name": "overview", "arguments": {}}, version=None)["result"]
    assert set(called) == {"content", "structuredContent", "isError"}


def test_errors_of_the_protocol(agent):
    error = agent.request("tools/list", version="1900-01-01")["error"]
    assert error["code"] == -32022
    assert error["data"] == {"supported": [MODERN, *LEGACY], "requested": "1900-01-01"}
    assert agent.error("no/such/method") == -32601
    assert agent.error("resources/list") == -32601
    assert agent.error("server/discover", version=None) == -32601
    assert agent.error("tools/call", {"name": "no_such_tool", "arguments": {}}) == -32602
    assert agent.error("tools/call", {"name": "query", "arguments": {}}) == -32602
    assert agent.error("tools/call", {"name": "query", "arguments": {"table": 7}}) == -32602
    assert agent.error("tools/call", {"name": "query", "arguments": {"table": "t", "tabel": "t"}}) == -32602
    assert agent.error("tools/call", {"name": "mark", "arguments": {"action": "undo"}}) == -32602
    assert agent.error("tools/call", {"name": "query", "arguments": {"table": "t", "cursor": "x"}}) == -32602
    assert agent.error("tools/list", {"cursor": "x"}) == -32602
    assert agent.error("initialize", {}, version=None) == -32602
    params = {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}}
    assert agent.error("tools/list", params, version=None) == -32602  # without capabilities


@pytest.mark.parametrize("text, code, answered", [
    ("{", -32700, None), ("\"\\ud800\"", -32700, None), ("[]", -32600, None), ("7", -32600, None),
    ('{"id":1,"method":"ping"}', -32600, 1), ('{"jsonrpc":"2.0","id":1}', -32600, 1),
    ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
    ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
    ('{"jsonrpc":"2.0","id":"a","method":"ping","params":[1]}', -32602, "a"),
    ('{"jsonrpc":"2.0","id":"' + 300 * "x" + '","method":"ping"}', -32600, None),
    (b"\xff", -32700, None),
])
def test_what_is_no_request(agent, text, code, answered):
    answer = agent.exchange(text)
    assert (answer["error"]["code"], answer["id"]) == (code, answered)
    assert agent.exchange('{"jsonrpc":"2.0","id":"\\u00e9","method":"ping"}') == {
        "jsonrpc": "2.0", "id": "\u00e9", "result": {}}


def test_no_answer_where_none_is_due(agent):
    agent.send("")
    agent.send(" \t\r")
    agent.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}')
    agent.send('{"jsonrpc":"2.0","method":"no/such/notification"}')
    agent.send('{"jsonrpc":"2.0","id":1,"result":{}}')
    assert agent.exchange('{"jsonrpc":"2.0","id":9,"method":"ping"}')["id"] == 9


def test_batches_are_of_one_revision(agent):
    batch = '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":2,"method":"x"}]'
    assert agent.exchange(batch)["error"]["code"] == -32600
    agent.request("initialize", {"protocolVersion": "2025-03-26"}, version=None)
    first, second = agent.exchange(batch)
    assert (first["id"], first["result"], second["id"], second["error"]["code"]) == (1, {}, 2, -32601)
    assert agent.exchange("[]")["error"]["code"] == -32600


def test_a_line_that_is_too_long(agent):
    agent.send(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (9 << 20) + b'"}')
    answer = agent.receive()
    assert (answer["error"]["code"], answer["id"]) == (-32600, None)
    assert agent.exchange('{"jsonrpc":"2.0","id":2,"method":"ping"}')["id"] == 2


def test_the_list_of_tools(agent):
    answers = [agent.exchange({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta()}})
               and agent.last_line for _ in range(2)]
    assert answers[0] == answers[1]
    assert len(answers[0]) < 12 * 1024
    tools = json.loads(answers[0])["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["overview", "call", "query", "sql", "put_items", "why", "dry_run",
                                                "capacity", "clock", "mark", "fault", "apply_schema"]
    for tool in tools:
        assert tool["description"]
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["annotations"]["readOnlyHint"] == (tool["name"] in READING)


def test_the_end_of_stdin_ends_it(server):
    request = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'  # the last line lacks its break
    run = subprocess.run([binary(), "mcp", "--endpoint-url", server.endpoint], input=request, capture_output=True,
                         env=clean_environment({"STATOR_LOG_LEVEL": "trace"}), timeout=STOP_DEADLINE_S)
    assert (run.returncode, run.stdout, run.stderr) == (0, b'{"jsonrpc":"2.0","id":1,"result":{}}\n', b"")


def test_a_signal_ends_it(agent):
    agent.request("ping", version=None)
    agent.process.send_signal(signal.SIGTERM)
    assert agent.process.wait(STOP_DEADLINE_S) == 0


def test_a_signal_ends_it_while_it_waits():
    class Silent(OwnEndpoint):
        def answer(self, request):
            asked.release()
            request.rfile.read(1)  # until it gives up

    asked = threading.Semaphore(0)
    with Silent() as endpoint, Agent(endpoint.address) as agent:
        agent.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "call", "arguments": {"operation": "ListTables"}}}))
        assert asked.acquire(timeout=STOP_DEADLINE_S)
        agent.process.send_signal(signal.SIGTERM)
        assert agent.process.wait(STOP_DEADLINE_S) == 0


def test_the_command_line(program):
    assert program.run("mcp", "--read-only", "--allow-writes").returncode == 2
    assert program.run("mcp", "--max-answer", "1K").returncode == 2
    assert program.run("mcp", "--max-answer", "17M").returncode == 2
    assert program.run("mcp", "extra").returncode == 2
    assert program.done("mcp", "--max-answer", "4K") == ""


# --- Tools -------------------------------------------------------------------------------------------

def test_results_fit_their_schemas(own_agent):
    agent = own_agent
    schemas = schemas_of(agent)
    check_result(schemas["call"], make_table(agent, "orders"))
    rule = {"name": "busy", "match": {"table": "none"}, "effect": {"error": "ThrottlingException"}}
    calls = [
        ("call", {"operation": "ListTables"}),
        ("put_items", {"table": "orders", "items": [{"pk": "a", "n": 1}]}),
        ("query", {"table": "orders", "pk": "a"}), ("query", {"table": "orders"}),
        ("sql", {"statement": "SELECT * FROM orders"}), ("sql", {"statement": "DELETE FROM orders WHERE pk = 'z'"}),
        ("dry_run", {"operation": "DeleteItem", "request": {"TableName": "orders", "Key": {"pk": {"S": "a"}}}}),
        ("mark", {"action": "set", "name": "m"}), ("mark", {"action": "list"}),
        ("mark", {"action": "rollback", "name": "m"}), ("mark", {"action": "forget", "name": "m"}),
        ("fault", {"action": "add", "rule": rule}), ("fault", {"action": "list"}),
        ("fault", {"action": "preset", "name": "hot-table", "argument": "none"}),
        ("overview", {}), ("why", {}), ("why", {"last": 5}), ("capacity", {}), ("capacity", {"table": "orders"}),
        ("fault", {"action": "remove", "name": "busy"}), ("fault", {"action": "clear"}),
        ("apply_schema", {"template": TEMPLATE}), ("apply_schema", {"template": TEMPLATE, "apply": True}),
        ("clock", {}), ("clock", {"advance": "1h"}), ("clock", {"rate": 2}), ("clock", {"mode": "manual"}),
        ("call", {"operation": "DeleteTable", "request": {"TableName": "orders"}}),
    ]
    for tool, arguments in calls:
        check_result(schemas[tool], agent.call(tool, **arguments))
    assert {tool for tool, _ in calls} == set(schemas)


@pytest.fixture
def songs(raw, new_table):
    table = new_table("artist:S year:N title:S", GlobalSecondaryIndexes=[{
        "IndexName": "by_title", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "title", "KeyType": "HASH"}, {"AttributeName": "year", "KeyType": "RANGE"}]}])
    put_all(raw, table, [{"artist": {"S": "a"}, "year": {"N": str(year)}, "title": {"S": f"t{year % 2}"}}
                         for year in range(1990, 2000)])
    return table


def years(result):
    return [item["year"] for item in result["items"]]


def test_query(agent, songs):
    result = agent.call("query", table=songs, pk="a", sk="> 1996")
    assert years(result) == [1997, 1998, 1999]
    assert (result["read"], result["pages"], result["units"]) == ("Query", 1, 0.5) and "hint" not in result
    assert years(agent.call("query", table=songs, pk="a", filter="title = 't1'", sk="between 1993 1996")) == [1993, 1995]
    assert years(agent.call("query", table=songs, pk="t1", index="by_title", descending=True, limit=2)) == [1999, 1997]
    assert agent.call("query", table=songs, pk="a", limit=1, typed=True)["items"] == [
        {"artist": {"S": "a"}, "year": {"N": "1990"}, "title": {"S": "t0"}}]
    result = agent.call("query", table=songs, filter="year > 1998")
    assert (years(result), result["read"], result["looked_at"]) == ([1999], "Scan", 10) and "Scan" in result["hint"]
    assert len(agent.call("query", table=songs, index="by_title")["items"]) == 10
    assert "no index 'nix'" in agent.failure("query", table=songs, pk="a", index="nix")
    missing = agent.failure("query", table="NoSuchTable", pk="a")
    assert missing.startswith("ResourceNotFoundException: ")
    assert given_endpoint() or "\nhint: There is no table 'NoSuchTable'" in missing
    assert agent.error("tools/call", {"name": "query", "arguments": {"table": songs, "sk": "> 1"}}) == -32602


def test_values_arrive_as_they_are(agent, raw, new_table):
    table = new_table("pk:N")
    put_all(raw, table, [{"pk": {"N": "1"}, "big": {"N": DIGITS}, "exact": {"N": "123456789012345"}, "b": {"B": "AQI="},
                          "set": {"NS": ["2", DIGITS]}, "nil": {"NULL": True}, "yes": {"BOOL": True},
                          "deep": {"L": [{"M": {"x": {"N": "-0.5"}}}, {"SS": ["a"]}]}}])
    (item,) = agent.call("query", table=table, pk=1)["items"]
    assert {**item, "set": sorted(item["set"], key=str)} == {
        "pk": 1, "big": DIGITS, "exact": 123456789012345, "b": "AQI=", "set": [DIGITS, 2], "nil": None, "yes": True,
        "deep": [{"x": -0.5}, ["a"]]}
    agent.call("put_items", table=table, items=[{"pk": 2, "t": "x"}])
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "put_items", "arguments": {"table": table, "items": [{"pk": 3, "n": 0}]}}})
    assert agent.exchange(line.replace('"n": 0', f'"n": {DIGITS}'))["result"]["structuredContent"]["written"] == 1
    assert raw.ok("GetItem", TableName=table, Key={"pk": {"N": "3"}})["Item"]["n"] == {"N": DIGITS}


def test_put_items(agent, raw, new_table):
    table = new_table("pk:S sk:N")
    items = [{"pk": "a", "sk": number, "l": [1, {"m": None}]} for number in range(60)]
    result = agent.call("put_items", table=table, items=[*items, {"pk": "a", "sk": 0, "last": True}])
    assert result == {"written": 61, "refused": []}
    stored = {item["sk"]["N"]: item for item in all_items(raw, table)}
    assert len(stored) == 60
    assert stored["0"] == {"pk": {"S": "a"}, "sk": {"N": "0"}, "last": {"BOOL": True}}
    assert stored["7"]["l"] == {"L": [{"N": "1"}, {"M": {"m": {"NULL": True}}}]}
    result = agent.call("put_items", table=table, typed=True,
                        items=[{"pk": {"S": "b"}, "sk": {"N": "1"}}, {"pk": {"S": ""}, "sk": {"N": "1"}}])
    assert result["written"] == 1 and [refusal["item"] for refusal in result["refused"]] == [1]
    wrong = agent.failure("put_items", table=table, items=[{"pk": "c", "sk": 1}, {"pk": "c", "sk": "1"}])
    assert wrong.startswith("nothing was written: item 1: key 'sk' is of type N")
    assert agent.error("tools/call", {"name": "put_items", "arguments": {
        "table": table, "items": [{"pk": "a", "sk": 1}] * 501}}) == -32602


def test_statements(agent, new_table):
    table = new_table()
    agent.call("sql", statement=f"INSERT INTO {table} VALUE {{'pk': ?, 'n': ?}}", parameters=["a", 1.5])
    assert agent.call("sql", statement=f"SELECT n FROM {table} WHERE pk = ?", parameters=["a"])["items"] == [{"n": 1.5}]
    assert agent.call("sql", statement=f"SELECT n FROM {table} WHERE pk = ?", parameters=[{"S": "a"}],
                      typed=True)["items"] == [{"n": {"N": "1.5"}}]
    assert agent.failure("sql", statement="SELECT").startswith("ValidationException: ")


def test_a_tool_reports_what_the_service_says(agent):
    text = agent.failure("call", operation="PutItem", request={"TableName": "NoSuchTable", "Item": {}})
    assert "Exception: " in text
    assert agent.error("tools/call", {"name": "call", "arguments": {"operation": "Get\r\nX: y"}}) == -32602
    assert "UnknownOperationException" in agent.failure("call", operation="FrobnicateTable")


def test_operations_on_streams(agent, new_table):
    table = new_table(StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    streams = agent.call("call", operation="ListStreams", request={"TableName": table})["response"]["Streams"]
    assert [stream["TableName"] for stream in streams] == [table]


# --- Answers that are too long -----------------------------------------------------------------------

def test_a_large_scan(agent, raw, new_table):
    table = new_table("pk:S")
    text = "\"\\\u20ac" * 500
    put_all(raw, table, [{"pk": {"S": str(number)}, "n": {"N": DIGITS}, "t": {"S": text}} for number in range(4200)])
    found = {}
    results = [agent.call("query", table=table)]
    while True:
        assert len(agent.last_line) <= 32 * 1024
        found.update({item["pk"]: item for item in results[-1]["items"]})
        if "cursor" not in results[-1]:
            break
        results.append(agent.call("query", table=table, cursor=results[-1]["cursor"]))
    assert len(found) == 4200
    assert all(item["n"] == DIGITS and item["t"] == text for item in found.values())


def test_a_cursor_may_be_used_again(agent, raw, new_table):
    table = new_table("pk:S")
    put_all(raw, table, [{"pk": {"S": str(number)}, "t": {"S": "x" * 2000}} for number in range(40)])
    cursor = agent.call("query", table=table)["cursor"]
    first, second = (agent.call("query", table=table, cursor=cursor)["items"] for _ in range(2))
    assert first == second
    assert agent.error("tools/call", {"name": "sql", "arguments": {"statement": "SELECT", "cursor": cursor}}) == -32602


def test_an_item_larger_than_an_answer(server, raw, new_table):
    table = new_table("pk:S sk:N")
    items = [{"pk": "a", "sk": 1, "t": "\"\u00fc\U0001F600\\" * 4000}, {"pk": "a", "sk": 2}]
    put_all(raw, table, [{**({"t": {"S": item["t"]}} if "t" in item else {}), "pk": {"S": "a"},
                          "sk": {"N": str(item["sk"])}} for item in items])
    with Agent(server.endpoint, "--max-answer", "4K") as agent:
        found, parts = [], ""
        for result in agent.pages("query", table=table, pk="a"):
            found += result.get("items", [])
            parts += result.get("part", "")
            if result.get("part_ends"):
                found.append(json.loads(parts))
                parts = ""
        assert found == items
        assert len(agent.last_line) <= 4096


def test_long_lists_of_other_tools(server, raw, new_table):
    table = new_table("pk:S")
    put_all(raw, table, [{"pk": {"S": str(number)}, "t": {"S": "x" * 500}} for number in range(100)])
    with Agent(server.endpoint, "--max-answer", "4K") as agent:
        pages = agent.pages("call", operation="Scan", request={"TableName": table})
        assert len(pages) > 10 and {page["response"]["Count"] for page in pages} == {100}
        assert len({item["pk"]["S"] for page in pages for item in page["response"]["Items"]}) == 100
        tables = [row["table"] for page in agent.pages("overview") for row in page["tables"]]
        assert table in tables and len(tables) == len(set(tables))


# --- What an agent may do ----------------------------------------------------------------------------

def test_read_only(server, raw, new_table):
    table = new_table("pk:S")
    put_all(raw, table, [{"pk": {"S": "a"}}])
    insert, select = f"INSERT INTO {table} VALUE {{'pk':'b'}}", f"SELECT * FROM {table} WHERE pk = 'a'"
    with Agent(server.endpoint, "--read-only") as agent:
        assert agent.call("overview")["writes"] is False
        for tool, arguments in [
                ("put_items", {"table": table, "items": [{"pk": "b"}]}),
                ("sql", {"statement": insert}), ("sql", {"statement": f" delete from {table} where pk='a'"}),
                ("sql", {"statement": f"-- x\nDELETE FROM {table} WHERE pk='a'"}),
                ("call", {"operation": "DeleteItem", "request": {"TableName": table, "Key": {"pk": {"S": "a"}}}}),
                ("call", {"operation": "DeleteTable", "request": {"TableName": table}}),
                ("call", {"operation": "ExecuteStatement", "request": {"Statement": insert}}),
                ("call", {"operation": "BatchExecuteStatement", "request": {
                    "Statements": [{"Statement": select}, {"Statement": insert}]}}),
                ("call", {"operation": "ExecuteTransaction", "request": {
                    "TransactStatements": [{"Statement": insert}]}}),
                ("clock", {"advance": "1s"}), ("mark", {"action": "set", "name": "m"}),
                ("mark", {"action": "rollback", "name": "m"}), ("fault", {"action": "clear"}),
                ("fault", {"action": "add", "rule": {"effect": {"error": "InternalServerError"}}})]:
            assert "--read-only" in agent.failure(tool, **arguments), (tool, arguments)
        assert all_items(raw, table) == [{"pk": {"S": "a"}}]
        assert agent.call("sql", statement=select)["items"] == [{"pk": "a"}]
        answer = agent.call("call", operation="BatchExecuteStatement", request={"Statements": [{"Statement": select}]})
        assert answer["response"]["Responses"][0]["Item"] == {"pk": {"S": "a"}}
        assert agent.call("call", operation="DescribeTable", request={"TableName": table})


def test_an_endpoint_elsewhere(raw):
    """The address is reserved for documentation: nobody answers there, and nobody is asked."""
    with Agent("http://192.0.2.1:8000") as agent:
        assert "--allow-writes" in agent.failure("call", operation="DeleteTable", request={"TableName": "t"})
        assert "--allow-writes" in agent.failure("sql", statement="DELETE FROM t WHERE pk = 'a'")


def test_no_server(program):
    with Agent("http://127.0.0.1:1") as agent:
        assert "http://127.0.0.1:1: " in agent.failure("overview")
        assert "http://127.0.0.1:1: " in agent.failure("why")
        assert len(agent.request("tools/list")["result"]["tools"]) == 12


class PlainEndpoint(OwnEndpoint):
    """A table at an endpoint that is no Stator."""

    deleted = False

    def answer(self, request):
        operation = (request.headers["X-Amz-Target"] or "").rpartition(".")[2]
        if operation == "ListTables":
            return b'{"TableNames":["t"]}'
        if operation == "DescribeTable":
            return (b'{"Table":{"TableStatus":"ACTIVE","ItemCount":7,"TableSizeBytes":70,"KeySchema":['
                    b'{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":['
                    b'{"AttributeName":"pk","AttributeType":"S"}]}}')
        self.deleted = self.deleted or operation == "DeleteTable"
        return b'{}'


def test_an_endpoint_that_is_no_stator():
    with PlainEndpoint() as endpoint, Agent(endpoint.address) as agent:
        overview = agent.call("overview")
        assert overview["stator"] is False and overview["writes"] is True
        assert overview["tables"] == [{"table": "t", "status": "ACTIVE", "billing_mode": "PROVISIONED",
                                       "key": [["pk", "S"]], "items": 7, "bytes": 70, "indexes": []}]
        assert "admin path" in agent.failure("why")
        assert "dry runs" in agent.failure("dry_run", operation="DeleteTable", request={"TableName": "t"})
        assert not endpoint.deleted
        assert "mark" not in agent.call("call", operation="DeleteTable", request={"TableName": "t"})
        assert endpoint.deleted


# --- What a Stator can do ----------------------------------------------------------------------------

@pytest.mark.skipif(bool(given_endpoint()), reason="needs the admin path, and STATOR_ENDPOINT is set")
def test_why(agent, dynamodb, new_table):
    table = new_table()
    with pytest.raises(ClientError) as caught:
        dynamodb.put_item(TableName=table, Item={"kp": {"S": "a"}})
    (request,) = agent.call("why")["requests"]
    assert request["request_id"] == caught.value.response["ResponseMetadata"]["RequestId"]
    assert (request["operation"], request["error"], request["table"]) == ("PutItem", "ValidationException", table)
    assert "key" in request["refused"]["rule"] and request["hints"]
    assert '"kp"' in request["request"]
    assert agent.call("why", request_id=request["request_id"])["requests"] == [request]
    assert agent.call("why", table=table, last=3)["requests"][0]["request_id"] == request["request_id"]
    assert agent.failure("why", request_id="NoSuchId")


def test_requests_of_an_agent_are_named(start):
    server = start()
    client, admin = Client(server), Admin(server)
    client.ok("ListTables")
    with Agent(server.endpoint) as agent:
        make_table(agent, "orders")
        agent.failure("query", table="missing", pk="a")
        (why,) = agent.call("why")["requests"]
        assert (why["origin"], why["table"]) == ("mcp", "missing")

    def listed(origin):
        return {one["operation"] for one in admin.ok(f"requests?show=all{origin}")["requests"]}

    assert listed("&origin=client") == {"ListTables"}
    assert "CreateTable" in listed("&origin=mcp") and "ListTables" not in listed("&origin=mcp")
    assert listed("") == listed("&origin=all") == listed("&origin=client") | listed("&origin=mcp")
    lines = run_to_end("log", "--output", "text", "--endpoint-url", server.endpoint).stdout.splitlines()
    assert [line.endswith(" (mcp)") for line in lines if "CreateTable" in line or "ListTables" in line] == [False, True]


def test_try_and_undo(own_agent):
    agent = own_agent
    make_table(agent, "orders", "N")
    agent.call("put_items", table="orders", items=[{"pk": 0}])
    agent.call("mark", action="set", name="before")
    before = agent.call("overview")
    for begin in (0, 500):
        assert agent.call("put_items", table="orders", items=[{"pk": begin + i} for i in range(500)])["written"] == 500
    assert agent.call("overview")["tables"][0]["items"] == 1000
    agent.call("mark", action="rollback", name="before")
    after = agent.call("overview")
    assert before.pop("clock").keys() == after.pop("clock").keys()
    assert after == before and after["tables"][0]["items"] == 1


def test_a_mark_precedes_the_removal_of_a_table(own_agent):
    agent = own_agent
    for number in range(5):
        make_table(agent, f"table{number}")
    agent.call("put_items", table="table4", items=[{"pk": "a"}])
    marks = [agent.call("call", operation="DeleteTable", request={"TableName": f"table{number}"})["mark"]
             for number in range(5)]
    assert [mark["name"] for mark in agent.call("mark", action="list")["marks"]] == marks[2:]
    agent.call("mark", action="rollback", name=marks[4])
    assert agent.call("query", table="table4", pk="a")["items"] == [{"pk": "a"}]


def test_a_dry_run(own_agent):
    agent = own_agent
    make_table(agent, "orders")
    agent.call("put_items", table="orders", items=[{"pk": "a"}])
    result = agent.call("dry_run", operation="DeleteItem", request={
        "TableName": "orders", "Key": {"pk": {"S": "a"}}, "ReturnValues": "ALL_OLD"})
    assert result["response"]["Attributes"] == {"pk": {"S": "a"}}
    assert result["explanation"]["would"]["items_changed"] == 1
    assert len(agent.call("query", table="orders")["items"]) == 1
    assert "x-stator-dry-run works for operations on items only" in agent.failure(
        "dry_run", operation="DeleteTable", request={"TableName": "orders"})


def test_clock_and_faults(own_agent):
    agent = own_agent
    agent.call("clock", mode="manual")
    time = agent.call("clock")["time"]
    assert agent.call("clock", advance="1h")["time"] > time
    assert agent.error("tools/call", {"name": "clock", "arguments": {"advance": "1h", "rate": 1}}) == -32602
    assert "http://" in agent.failure("clock", advance="soon")
    rule = {"name": "gone", "match": {"operation": "GetItem"}, "effect": {"error": "ResourceNotFoundException"}}
    assert agent.call("fault", action="add", rule=rule)["rules"][0]["name"] == "gone"
    make_table(agent, "orders")
    read = {"operation": "GetItem", "request": {"TableName": "orders", "Key": {"pk": {"S": "a"}}}}
    assert agent.failure("call", **read).startswith("ResourceNotFoundException")
    assert agent.call("overview")["faults"] == [{"name": "gone", "fired": 1}]
    assert agent.call("fault", action="clear") == {"removed": 1}
    assert agent.call("call", **read)["response"] == {}


def test_apply_schema(own_agent):
    """A plan, its tables, nothing the second time; a replacement that must be allowed, and undone by its mark."""
    template = {"Parameters": {"Stage": {"Type": "String"}}, "Resources": {"Orders": {
        "Type": "AWS::DynamoDB::Table", "Properties": {
            "TableName": {"Fn::Sub": "orders-${Stage}"}, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}}}}
    given = {"template": json.dumps(template), "parameters": {"Stage": "dev"}}
    plan = own_agent.call("apply_schema", **given)
    assert (plan["create"], plan["applied"], plan["tables"][0]["name"]) == (1, False, "orders-dev")
    assert own_agent.call("overview")["tables"] == []
    made = own_agent.call("apply_schema", apply=True, **given)
    assert (made["create"], made["applied"]) == (1, True)
    assert own_agent.call("apply_schema", apply=True, **given)["unchanged"] == 1
    own_agent.call("put_items", table="orders-dev", items=[{"pk": "a"}])
    template["Resources"]["Orders"]["Properties"]["AttributeDefinitions"][0]["AttributeType"] = "N"
    given["template"] = json.dumps(template)
    assert "would be replaced" in own_agent.failure("apply_schema", apply=True, **given)
    replaced = own_agent.call("apply_schema", apply=True, allow_replace=True, **given)
    assert replaced["replace"] == 1
    own_agent.call("mark", action="rollback", name=replaced["mark"])
    assert own_agent.call("query", table="orders-dev")["items"] == [{"pk": "a"}]


def test_what_apply_schema_refuses(own_agent, server):
    assert "template:" in own_agent.failure("apply_schema", template="Resources: [")
    serverless = "service: s\nprovider: {name: aws}\nresources: {Resources: {T: {Type: 'AWS::DynamoDB::Table', Properties: {TableName: '%s'}}}}\n"
    assert "not read here" in own_agent.failure("apply_schema", template=serverless % "${file(./x.yml):name}")
    assert "HOME" in own_agent.failure("apply_schema", template=serverless % "${env:HOME}")
    with Agent(server.endpoint, "--read-only") as reading:
        assert reading.call("apply_schema", template=TEMPLATE)["create"] == 1
        assert "--read-only" in reading.failure("apply_schema", template=TEMPLATE, apply=True)
