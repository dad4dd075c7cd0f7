"""HTTP/1.1 on a plain socket, so that tests see every byte.

Connection sends bytes as they are and parses answers strictly: a malformed answer fails the test.
Every wait has a deadline. request() builds a well-formed request whose parts can be replaced.
"""

import json
import os
import re
import socket
import ssl

from server_process import wait_until

DEADLINE_S = 120 if "STATOR_SANITIZED" in os.environ or "STATOR_LONG" in os.environ else 60
REGION = "us-east-1"
AMZ_DATE = "20260101T000000Z"


def authorization(region=REGION, key="key", service="dynamodb"):
    return (
        f"AWS4-HMAC-SHA256 Credential={key}/20260101/{region}/{service}/aws4_request, "
        "SignedHeaders=host, Signature=00"
    )


def as_bytes(body):
    if isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode()
    return json.dumps(body).encode()


def request(operation=None, body=b"{}", headers=None, method="POST", path="/", version="HTTP/1.1"):
    """A request as bytes. `headers` replaces or adds; the value None leaves a header out,
    a list repeats it. Content-Length is added unless given."""
    body = as_bytes(body)
    fields = {
        "Host": "localhost",
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": f"DynamoDB_20120810.{operation}" if operation else None,
        "Authorization": authorization(),
        "X-Amz-Date": AMZ_DATE,
        "Content-Length": str(len(body)),
    }
    for name, value in (headers or {}).items():
        known = next((k for k in fields if k.lower() == name.lower()), None)
        if known:
            del fields[known]
        fields[name] = value
    lines = [f"{method} {path} {version}"]
    for name, value in fields.items():
        for single in value if isinstance(value, list) else [value]:
            if single is not None:
                lines.append(f"{name}: {single}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def chunked(*parts, extension=b"", trailers=b""):
    """A chunked body of the given parts."""
    out = b""
    for part in parts:
        out += b"%x" % len(part) + extension + b"\r\n" + part + b"\r\n"
    return out + b"0\r\n" + trailers + b"\r\n"


class Closed(Exception):
    """The server closed the connection before a whole answer came; `received` came before."""

    def __init__(self, received):
        super().__init__(f"closed after {received[:200]!r}")
        self.received = received


class Response:
    def __init__(self, status, reason, version, headers, body):
        self.status = status
        self.reason = reason
        self.version = version
        self.headers = headers
        self.body = body

    def all(self, name):
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def get(self, name):
        """The value of a header that may be there at most once, or None."""
        values = self.all(name)
        assert len(values) <= 1, f"{name} appears {len(values)} times"
        return values[0] if values else None

    def json(self):
        return json.loads(self.body.decode("utf-8"))

    def error(self):
        """(status, type after '#', message under either spelling or None)."""
        body = self.json()
        name = body.get("__type", "").partition("#")[2]
        return self.status, name, body.get("message", body.get("Message"))

    def __repr__(self):
        return f"<{self.status} {self.reason} {self.headers} {self.body[:300]!r}>"


class Connection:
    def __init__(self, server, tls=None, host=None, server_name="localhost"):
        self.socket = socket.create_connection((host or server.host, server.port), DEADLINE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls is None and server.scheme == "https":
            tls = ssl.create_default_context()
            tls.check_hostname = False
            tls.verify_mode = ssl.CERT_NONE
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname=server_name)
        self.buffer = b""

    def send(self, data):
        self.socket.sendall(data)

    def send_as_far_as_taken(self, data):
        """Sends until the server refuses to take more; its answer may still be read."""
        try:
            self.socket.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def finish_sending(self):
        self.socket.shutdown(socket.SHUT_WR)

    def _more(self):
        try:
            block = self.socket.recv(262144)
        except ConnectionResetError:
            block = b""
        if not block:
            raise Closed(self.buffer)
        self.buffer += block

    def _until(self, end):
        start = 0
        while (position := self.buffer.find(end, start)) < 0:
            start = max(0, len(self.buffer) - len(end))
            self._more()
        out, self.buffer = self.buffer[:position], self.buffer[position + len(end):]
        return out

    def _exactly(self, count):
        if len(self.buffer) < count:
            parts, have = [self.buffer], len(self.buffer)
            while have < count:
                self.buffer = b""
                self._more()
                parts.append(self.buffer)
                have += len(self.buffer)
            self.buffer = b"".join(parts)
        out, self.buffer = self.buffer[:count], self.buffer[count:]
        return out

    def receive_head(self):
        """Status line and headers of the next answer, interim (1xx) ones included."""
        lines = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        match = re.fullmatch(r"(HTTP/1\.[01]) (\d{3}) ?(.*)", lines[0])
        assert match, f"bad status line {lines[0]!r}"
        headers = []
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            assert colon and re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name), f"bad header {line!r}"
            headers.append((name, value.strip()))
        return int(match[2]), match[3], match[1], headers

    def receive(self, method="POST"):
        """The next final answer; 100 Continue in front of it is skipped."""
        status, reason, version, headers = self.receive_head()
        while status == 100:
            status, reason, version, headers = self.receive_head()
        response = Response(status, reason, version, headers, b"")
        if method == "HEAD" or status in (204, 304):
            return response
        if (response.get("Transfer-Encoding") or "").lower() == "chunked":
            assert response.get("Content-Length") is None, "both lengths"
            response.body = self._chunks()
        elif response.get("Content-Length") is not None:
            response.body = self._exactly(int(response.get("Content-Length")))
        else:
            response.body = self.wait_closed()
        return response

    def _chunks(self):
        body = b""
        while size := int(self._until(b"\r\n").split(b";")[0], 16):
            body += self._exactly(size)
            assert self._exactly(2) == b"\r\n"
        while self._until(b"\r\n"):
            pass
        return body

    def exchange(self, data, method="POST"):
        self.send(data)
        return self.receive(method)

    def call(self, operation, body=b"{}", headers=None):
        return self.exchange(request(operation, body, headers))

    def wait_closed(self):
        """Reads to the end of the stream (or a reset) and returns what came."""
        received, self.buffer = self.buffer, b""
        while True:
            try:
                block = self.socket.recv(262144)
            except ConnectionResetError:
                return received
            if not block:
                return received
            received += block

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def is_answered(connection):
    """False if the server closed it: one with short deadlines takes a client that is slow by chance for one that stopped."""
    try:
        return connection.call("ListTables").status == 200
    except (Closed, ConnectionError):
        return False


def wait_until_answered(server):
    """On connections of its own."""
    def is_open_and_answered():
        try:
            with Connection(server) as connection:
                return is_answered(connection)
        except ConnectionError:
            return False

    wait_until(is_open_and_answered, what="an answer")
