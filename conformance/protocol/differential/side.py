"""One of the two servers that are compared: a process started here or an endpoint that is there, its
connections, and the way it wants to be asked."""

import json
import os
import zlib

from normalise import unpacked
from raw_client import Closed, Connection, Response, authorization, request as http_request
from request import Request
from server_process import GivenServer, Server, wait_until
from signing import sign

CONNECTIONS = 4
SETTLE_DEADLINE_S = 600
BROKEN = (Closed, ConnectionError, TimeoutError)
HOME = b":us-east-1:000000000000:"  # how the session writes Region and account in ARNs
STATUSES = ("TableStatus", "IndexStatus")
PACKED_BYTES_MAX = 16 * 1024 * 1024  # more is a 413, but a 500 when it was packed (observed/wire.md 7)


class Side:
    """`flags` go to the `program`, which is started here; with an `endpoint` nothing is."""

    def __init__(self, label, program=None, flags=(), endpoint=None, gzip=False, region="us-east-1",
                 account="000000000000", signs=False):
        self.label, self.program, self.flags, self.gzip = label, program, flags, gzip
        self.region, self.account, self.signs = region, account, signs
        self.server = GivenServer(endpoint) if endpoint else Server(*flags, program=program)
        self.connections = [None] * CONNECTIONS
        self.pending = 0  # the place of the connection an answer is awaited on
        self.sent, self.is_fresh = b"", True

    # --- One request ------------------------------------------------------------------------------

    def send(self, request, number):
        """Sends a request on one of the connections, in turns; receive() fetches its answer."""
        self.pending = number % CONNECTIONS
        self.sent = self.encoded(request)
        self.is_fresh = self.connections[self.pending] is None
        self.opened().send_as_far_as_taken(self.sent)

    def encoded(self, request):
        payload = request.payload()
        if self.region != "us-east-1" or self.account != "000000000000":
            payload = payload.replace(HOME, f":{self.region}:{self.account}:".encode())
        headers = {"Authorization": authorization(self.region)}
        if self.gzip:
            headers["Accept-Encoding"] = "gzip"
        if self.gzip and len(payload) <= PACKED_BYTES_MAX:
            headers["Content-Encoding"] = "gzip"
            payload = zlib.compress(payload, 1, 31)
        headers["Host"] = f"{self.server.host}:{self.server.port}"
        if self.signs:
            headers = sign(headers, request.target(), payload, self.region)
        headers.update(request.headers)
        return http_request(request.operation, payload, headers)

    def receive(self):
        """The answer to what was sent. One that never came whole has the status 0. Its attribute
        `wrong` tells what is wrong with its frame, or is None."""
        try:
            answer = self.received()
        except BROKEN as error:
            self.drop()
            answer = Response(0, type(error).__name__, "", [], getattr(error, "received", b""))
        if answer.get("Connection") == "close":
            self.drop()
        answer.wrong = unpacked(answer)
        return answer

    def received(self):
        try:
            return self.opened().receive()
        except Closed as closed:
            if self.is_fresh or closed.received:
                raise
        # It was closed while it was idle; a server that closes on this request will do so again.
        self.drop()
        self.opened().send_as_far_as_taken(self.sent)
        return self.opened().receive()

    def opened(self):
        if self.connections[self.pending] is None:
            self.connections[self.pending] = Connection(self.server, host=self.server.host)
        return self.connections[self.pending]

    def drop(self):
        if self.connections[self.pending]:
            self.connections[self.pending].close()
            self.connections[self.pending] = None

    def ask(self, request):
        self.send(request, 0)
        return self.receive()

    # --- Tables -----------------------------------------------------------------------------------

    def settled(self, name):
        """The description of a table once nothing about it is under way, or None when it is gone."""

        def at_rest():
            answer = self.ask(Request("DescribeTable", {"TableName": name}))
            if answer.status != 200:
                return (None,)
            table = json.loads(answer.body)["Table"]
            parts = [table, *table.get("GlobalSecondaryIndexes", [])]
            moving = any(part.get(name, "ACTIVE") != "ACTIVE" for part in parts for name in STATUSES)
            return None if moving else (table,)

        return wait_until(at_rest, SETTLE_DEADLINE_S, f"{self.label}: {name} at rest", pause_s=0.002)[0]

    def table_names(self, prefixes):
        names, start = [], {}
        while True:
            page = json.loads(self.ask(Request("ListTables", start)).body)
            names += [name for name in page["TableNames"] if name.startswith(prefixes)]
            if "LastEvaluatedTableName" not in page:
                return names
            start = {"ExclusiveStartTableName": page["LastEvaluatedTableName"]}

    def remove_table(self, name):
        """Whatever protects it; a missing one is fine."""
        self.settled(name)
        self.ask(Request("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": False}))
        self.settled(name)
        self.ask(Request("DeleteTable", {"TableName": name}))
        self.settled(name)

    # --- The process ------------------------------------------------------------------------------

    @property
    def is_own(self):
        return self.server.controllable

    def crash_and_restart(self):
        """SIGKILL and a new process on the same folder."""
        self.server.kill()
        self.close_connections()
        self.server = Server(*self.flags, program=self.program)

    def close_connections(self):
        for connection in filter(None, self.connections):
            connection.close()
        self.connections = [None] * CONNECTIONS

    def stop(self):
        self.close_connections()
        if self.is_own:
            status = self.server.stop()
            assert status == 0, f"{self.label} ended with status {status}: {self.server.log()[-2000:]}"

    def describe(self):
        name = os.path.relpath(self.program) if self.is_own else self.server.endpoint
        return " ".join([name, *map(str, self.flags), *(["(gzip both ways)"] if self.gzip else [])])
