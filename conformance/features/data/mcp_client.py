"""A client of `stator mcp`: a process, and a line of JSON for each message."""

import json
import subprocess

from server_process import STOP_DEADLINE_S, binary, clean_environment

MODERN = "2026-07-28"
LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]


def meta(version=MODERN):
    return {"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {}}


class Agent:
    """Speaks the modern revision; each answer is checked to be a line of JSON."""

    def __init__(self, endpoint, *flags, env=None):
        self.process = subprocess.Popen(
            [binary(), "mcp", "--endpoint-url", endpoint, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=clean_environment(env))
        self.last_id = 0
        self.last_line = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
        self.process.kill()
        self.process.wait(STOP_DEADLINE_S)

    def send(self, text):
        self.process.stdin.write((text if isinstance(text, bytes) else text.encode()) + b"\n")
        self.process.stdin.flush()

    def receive(self):
        self.last_line = self.process.stdout.readline()
        return json.loads(self.last_line)

    def exchange(self, message):
        """The answer to one message, an object or a text."""
        self.send(message if isinstance(message, (str, bytes)) else json.dumps(message))
        return self.receive()

    def request(self, method, params=None, version=MODERN):
        """The answer to a request; version None: of an earlier revision."""
        self.last_id += 1
        params = dict(params or {})
        if version:
            params["_meta"] = meta(version)
        answer = self.exchange({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        assert (answer["jsonrpc"], answer["id"]) == ("2.0", self.last_id)
        return answer

    def error(self, method, params=None, version=MODERN):
        """The code of a request that must fail."""
        return self.request(method, params, version)["error"]["code"]

    def result_of(self, tool, **arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments})["result"]

    def call(self, tool, **arguments):
        """The structured result of a tool that must succeed; its text says the same."""
        result = self.result_of(tool, **arguments)
        assert not result["isError"], result
        (content,) = result["content"]
        assert content["type"] == "text" and json.loads(content["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def failure(self, tool, **arguments):
        """The text of a tool that must fail."""
        result = self.result_of(tool, **arguments)
        assert result["isError"] and "structuredContent" not in result, result
        return result["content"][0]["text"]

    def pages(self, tool, **arguments):
        """The results of all pages."""
        results = [self.call(tool, **arguments)]
        while "cursor" in results[-1]:
            results.append(self.call(tool, **arguments, cursor=results[-1]["cursor"]))
        return results
