"""A process of a function, played by plain HTTP: what official runtime clients do, and what they never do."""

import http.client
import json
import socket
import threading

VERSION = "/2018-06-01/runtime"


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.text = body.decode()
        self.body = json.loads(body) if body else None

    @property
    def error(self):
        return self.body["errorType"]


class Event(Answer):
    """The answer to a poll."""

    @property
    def id(self):
        return self.headers["Lambda-Runtime-Aws-Request-Id"]

    @property
    def keys(self):
        return [record["dynamodb"]["Keys"]["pk"]["S"] for record in self.body["Records"]]


class Runtime:
    """One connection, which is one process to the server."""

    def __init__(self, server, function="f", prefix=None):
        self.server = server
        self.prefix = f"/_stator/function/{function}" if prefix is None else prefix
        self.connection = http.client.HTTPConnection(server.host, server.port, timeout=60)

    def send(self, method, path, body=None, headers=None, kind=Answer):
        data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
        self.connection.request(method, self.prefix + path, body=data, headers=headers or {})
        got = self.connection.getresponse()
        return kind(got.status, got.headers, got.read())

    def next(self, **headers):
        event = self.send("GET", f"{VERSION}/invocation/next", headers=headers, kind=Event)
        assert event.status == 200, event.text
        return event

    def respond(self, event, body=None, headers=None):
        at = event if isinstance(event, str) else event.id
        return self.send("POST", f"{VERSION}/invocation/{at}/response", b"null" if body is None else body, headers)

    def fail(self, event, error, headers=None):
        return self.send("POST", f"{VERSION}/invocation/{event.id}/error", error, headers)

    def fail_start(self, error):
        return self.send("POST", f"{VERSION}/init/error", error)

    def close(self):
        self.connection.close()

    def begin_poll(self):
        """Sends the poll alone; finish_poll() has its answer."""
        self.connection.request("GET", f"{self.prefix}{VERSION}/invocation/next")

    def finish_poll(self):
        got = self.connection.getresponse()
        return Event(got.status, got.headers, got.read())

    def respond_in_chunks(self, event, pieces, trailers):
        """As the client for Go: chunks, then a trailer."""
        lines = [f"POST {self.prefix}{VERSION}/invocation/{event.id}/response HTTP/1.1",
                 f"Host: {self.server.host}:{self.server.port}", "Transfer-Encoding: chunked",
                 "Content-Type: application/json", f"Trailer: {', '.join(trailers)}", "", ""]
        sent = "\r\n".join(lines).encode()
        for piece in pieces:
            sent += f"{len(piece):x}\r\n".encode() + piece + b"\r\n"
        sent += b"0\r\n" + "".join(f"{k}: {v}\r\n" for k, v in trailers.items()).encode() + b"\r\n"
        with socket.create_connection((self.server.host, self.server.port), timeout=30) as line:
            line.sendall(sent)
            got = http.client.HTTPResponse(line)
            got.begin()
            return Answer(got.status, got.headers, got.read())


class Process(threading.Thread):
    """Answers events by handler(event body) until the server or close() ends its connection."""

    def __init__(self, server, handler, function="f"):
        super().__init__(daemon=True)
        self.runtime = Runtime(server, function)
        self.handler = handler
        self.events = []
        self.start()

    def run(self):
        try:
            while True:
                event = self.runtime.next()
                self.events.append(event)
                assert self.runtime.respond(event, self.handler(event.body)).status == 202
        except (OSError, http.client.HTTPException, AttributeError, ValueError):
            pass
