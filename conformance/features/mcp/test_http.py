"""POST /_stator/mcp: the tools of `stator mcp` over HTTP, by hand and by the protocol's own client."""

import asyncio
import http.client
import itertools
import json

import pytest
from mcp import Client

from test_official_client import TOOLS, mode  # noqa: F401

MODERN = "2026-07-28"
NUMBERS = itertools.count(1)


def post(server, message, version=MODERN, headers=None, method="POST"):
    """Status and body of a request, with the headers of its revision."""
    told = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if version:
        told["MCP-Protocol-Version"] = version
    if isinstance(message, dict) and version == MODERN:
        told["Mcp-Method"] = message["method"]
        if message["method"] == "tools/call":
            told["Mcp-Name"] = message["params"]["name"]
    told.update(headers or {})
    connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
    try:
        body = message if isinstance(message, str) else json.dumps(message)
        connection.request(method, "/_stator/mcp", body, {name: value for name, value in told.items() if value is not None})
        answer = connection.getresponse()
        text = answer.read()
        is_json = answer.getheader("Content-Type", "").startswith("application/json")
        return answer.status, json.loads(text) if text and is_json else None
    finally:
        connection.close()


def message(method, version=MODERN, /, **params):
    if version == MODERN:
        params["_meta"] = {"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {}}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def call(server, tool, **arguments):
    status, answer = post(server, message("tools/call", name=tool, arguments=arguments))
    assert status == 200 and not answer["result"]["isError"], answer
    return answer["result"]["structuredContent"]


def test_the_official_client(server, mode):  # noqa: F811
    async def main():
        async with Client(f"{server.endpoint}/_stator/mcp", mode=mode) as client:
            assert client.protocol_version == ("2025-11-25" if mode == "legacy" else MODERN)
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            table = f"over_http_{next(NUMBERS)}"
            made = await client.call_tool("apply_schema", {"apply": True, "template": json.dumps({
                "TableName": table, "BillingMode": "PAY_PER_REQUEST",
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})})
            assert not made.is_error and made.structured_content["create"] == 1
            await client.call_tool("put_items", {"table": table, "items": [{"pk": "a"}]})
            found = await client.call_tool("query", {"table": table, "pk": "a"})
            assert found.structured_content["items"] == [{"pk": "a"}]
            refused = await client.call_tool("query", {"table": "NoSuchTable"})
            assert refused.is_error and refused.content[0].text.startswith("ResourceNotFoundException")
            assert "NoSuchTable" in json.dumps((await client.call_tool("why", {})).structured_content)

    asyncio.run(asyncio.wait_for(main(), 60))


def test_statuses(server):
    assert post(server, message("tools/list"))[0] == 200
    assert post(server, {"jsonrpc": "2.0", "method": "notifications/initialized"}, None) == (202, None)
    assert post(server, "", method="GET")[0] == 405
    status, answer = post(server, message("no/such"))
    assert (status, answer["error"]["code"]) == (404, -32601)
    status, answer = post(server, message("no/such", None), "2025-06-18")
    assert (status, answer["error"]["code"]) == (200, -32601)
    assert (post(server, "{", None)[0], post(server, "{", None)[1]["error"]["code"]) == (400, -32700)
    status, answer = post(server, message("tools/call", name="query", arguments={}))
    assert (status, answer["error"]["code"]) == (400, -32602)


def test_a_version_that_is_none(server):
    params = {"_meta": {"io.modelcontextprotocol/protocolVersion": "1900-01-01", "io.modelcontextprotocol/clientCapabilities": {}}}
    status, answer = post(server, {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}, "1900-01-01")
    assert (status, answer["error"]["code"]) == (400, -32022)
    assert answer["error"]["data"]["supported"][0] == MODERN and answer["error"]["data"]["requested"] == "1900-01-01"


@pytest.mark.parametrize("headers", [
    {"MCP-Protocol-Version": "2025-06-18"}, {"MCP-Protocol-Version": None}, {"Mcp-Method": "tools/list"}, {"Mcp-Method": None},
    {"Mcp-Name": "sql"}], ids=str)
def test_headers_that_differ(server, headers):
    status, answer = post(server, message("tools/call", name="overview", arguments={}), headers=headers)
    assert (status, answer["error"]["code"]) == (400, -32020)


def test_pages_of_other_origins(server):
    assert post(server, message("tools/list"), headers={"Origin": "http://evil.example"})[0] == 403
    assert post(server, message("tools/list"), headers={"Origin": "http://localhost:3000"})[0] == 403
    assert post(server, message("tools/list"), headers={"Host": "evil.example"})[0] == 403


def test_a_page_whose_origin_is_named(start):
    server = start("--cors", "http://localhost:3000")
    assert post(server, message("tools/list"), headers={"Origin": "http://localhost:3000"})[0] == 200
    assert post(server, message("tools/list"), headers={"Origin": "http://localhost:3001"})[0] == 403


def test_without_an_admin_path(start):
    status, answer = post(start("--admin", "off"), message("tools/list"))  # as any request without an operation
    assert status == 400 and "jsonrpc" not in answer


def test_a_server_beyond_its_machine_wants_the_token_for_writes(start):
    server = start("--host", "0.0.0.0", "--console-token", "secret-of-the-test")
    assert call(server, "overview")["writes"] is False
    refused = post(server, message("tools/call", name="clock", arguments={"advance": "1h"}))[1]["result"]
    assert refused["isError"] and "token" in refused["content"][0]["text"]
    allowed = post(server, message("tools/call", name="clock", arguments={"advance": "1h"}), headers={"x-stator-token": "secret-of-the-test"})[1]["result"]
    assert not allowed["isError"]


def test_long_answers_go_on(server):
    table = f"long_{next(NUMBERS)}"
    call(server, "call", operation="CreateTable", request={
        "TableName": table, "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
    call(server, "put_items", table=table, items=[{"pk": str(number), "t": "x" * 500} for number in range(200)])
    page = call(server, "query", table=table)
    found = list(page["items"])
    while "cursor" in page:
        page = call(server, "query", table=table, cursor=page["cursor"])
        found += page["items"]
    assert sorted(int(item["pk"]) for item in found) == list(range(200))
