"""`stator mcp` and the client of the protocol's Python SDK, which validates results against the schemas of the tools."""

import asyncio
import itertools

import pytest
from mcp import Client, MCPError, StdioServerParameters

from server_process import binary, clean_environment

NUMBERS = itertools.count(1)
TOOLS = ["overview", "call", "query", "sql", "put_items", "why", "dry_run", "capacity", "clock", "mark", "fault", "apply_schema"]


def with_client(server, mode, use, *flags):
    """Runs the coroutine `use` with a client that has started the command."""
    async def main():
        command = StdioServerParameters(command=binary(), args=["mcp", "--endpoint-url", server.endpoint, *flags],
                                        env=clean_environment())
        async with Client(command, mode=mode) as client:
            return await use(client)

    return asyncio.run(asyncio.wait_for(main(), 60))


@pytest.fixture(params=["auto", "legacy", "2026-07-28"])
def mode(request):
    return request.param


def test_tools(server, mode):
    async def use(client):
        assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
        if mode != "2026-07-28":  # then the client asks nothing before its first call
            assert client.server_info.name == "stator" and "overview" in client.instructions
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
        table = f"agents_{next(NUMBERS)}"
        created = await client.call_tool("call", {"operation": "CreateTable", "request": {
            "TableName": table, "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}})
        assert not created.is_error
        written = await client.call_tool("put_items", {"table": table, "items": [{"pk": "a", "n": 1.5}]})
        assert written.structured_content == {"written": 1, "refused": []}
        found = await client.call_tool("query", {"table": table, "pk": "a"})
        assert found.structured_content["items"] == [{"pk": "a", "n": 1.5}]
        assert (await client.call_tool("overview", {})).structured_content["tables"]
        refused = await client.call_tool("query", {"table": "NoSuchTable"})
        assert refused.is_error and refused.content[0].text.startswith("ResourceNotFoundException")

    with_client(server, mode, use)


def test_a_wrong_call(server, mode):
    async def use(client):
        with pytest.raises(MCPError) as caught:
            await client.call_tool("query", {})
        assert caught.value.error.code == -32602

    with_client(server, mode, use)


def test_read_only(server, mode):
    async def use(client):
        refused = await client.call_tool("sql", {"statement": "DELETE FROM t WHERE pk = 'a'"})
        assert refused.is_error and "--read-only" in refused.content[0].text

    with_client(server, mode, use, "--read-only")
