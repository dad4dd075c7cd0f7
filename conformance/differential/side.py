"""One of the two servers that are compared: a process started here or an endpoint that is there, its
connections, and the way it wants to be asked."""

import json
import os
import zlib

from normalise import unpacked
from raw_client import Closed, Connection, Response, authorization, request as http_request
from server_process import GivenServer, Server, wait_until
from signing import sign

CONNECTIONS = 4
SETTLE_DEADLINE_S = 600
BROKEN = (Closed, ConnectionError, TimeoutError)
HOME = b":us-east-1:000000000000:"  # how the session writes Region and account in ARNs
STATUSES = ("TableStatus", "IndexStatus")


class Side:
    """`flags` go to the `program`, which is started here; with an `endpoint` nothing is."""

    def __init__(self, label, program=None, flags=(), endpoint=None, gzip=False, region="us-east-1",
                 account="000000000000", signs=False):
        self.label, self.program, self.flags, self.gzip = label, program, flags, gzip
        self.region, self.account, self.signs = region, account, signs
        self.server = GivenServer(endpoint) if endpoint else Server(*flags, program=program)
        self.connections = [None] * CONNECTIONS
        self.pending = None  # the place of the connection an answer is awaited on

    # --- One request ------------------------------------------------------------------------------

    def send(self, request, number):
        """Sends a request on one of the connections, in turns; receive() fetches its answer."""
        self.pending = number % CONNECTIONS
        data = self.encoded(request)
        for _ in range(2):  # an idle connection may have been closed since its last answer
            try:
                self.opened().send(data)
                return
            except BROKEN:
                self.drop()

    def encoded(self, request):
        payload = request.payload()
        if self.region != "us-east-1" or self.account != "000000000000":
            payload = payload.replace(HOME, f":{self.region}:{self.account}:".encode())
        headers = {"Authorization": authorization(self.region)}
        if self.gzip:
            headers["Accept-Encoding"] = "gzip"
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
            answer = self.opened().receive()
        except BROKEN as error:
            self.drop()
            answer = Response(0, type(error).__name__, "", [], getattr(error, "received", b""))
        if answer.get("Connection") == "close":
            self.drop()
        answer.wrong = unpacked(answer)
        return answer

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

    def settled(self, describe):
        """The description of a table once nothing about it is under way, or None when it is gone.
        `describe` is a DescribeTable request."""

        def at_rest():
            answer = self.ask(describe)
            if answer.status != 200:
                return (None,)
            table = json.loads(answer.body)["Table"]
            parts = [table, *table.get("GlobalSecondaryIndexes", [])]
            moving = any(part.get(name, "ACTIVE") != "ACTIVE" for part in parts for name in STATUSES)
            return None if moving else (table,)

        return wait_until(at_rest, SETTLE_DEADLINE_S, f"{self.label}: a table at rest", pause_s=0.002)[0]

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
        for self.pending in range(CONNECTIONS):
            self.drop()

    def stop(self):
        self.close_connections()
        if self.is_own:
            status = self.server.stop()
            assert status == 0, f"{self.label} ended with status {status}: {self.server.log()[-2000:]}"

    def describe(self):
        name = os.path.relpath(self.program) if self.is_own else self.server.endpoint
        return " ".join([name, *map(str, self.flags), *(["(gzip both ways)"] if self.gzip else [])])
