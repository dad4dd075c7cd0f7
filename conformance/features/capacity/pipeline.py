"""Many requests on one connection, sent without waiting for their answers, which come in the same order."""

import json
import re
import select
import socket
from collections import Counter

from admin import admin_request
from raw_client import request

DEADLINE_S = 60
BLOCK_BYTES = 1 << 20
START = b"HTTP/1.1 "
LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)


def call_bytes(operation, **members):
    return request(operation, json.dumps(members, separators=(",", ":")))


def clock_bytes(iso_time):
    return admin_request("clock", {"set": iso_time})


class Pipeline:
    """One connection. A request goes out whole before the next, so the server takes them in order."""

    def __init__(self, server):
        self.socket = socket.create_connection((server.host, server.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)

    def answers(self, blob, count):
        """(status, body) of each of the `count` requests in `blob`."""
        return [split(part) for part in self._raw(blob, count)]

    def tally(self, blob, count):
        """How many answers there were of each (status, body); those of the clock are left out."""
        counted = Counter(map(split, self._raw(blob, count)))
        for status, body in [answer for answer in counted if answer[1].startswith(b'{"time":')]:
            assert status == 200
            del counted[status, body]
        return counted

    def ask(self, data):
        """The decoded answer to one request, which must succeed."""
        ((status, body),) = self.answers(data, 1)
        assert status == 200, (status, body[:600])
        return json.loads(body) if body else {}

    def call(self, operation, **members):
        return self.ask(call_bytes(operation, **members))

    def _raw(self, blob, count):
        left, received, tail, started = memoryview(blob), [], b"", 0
        while left or started < count or not is_whole(received):
            readable, writable, _ = select.select([self.socket], [self.socket] if left else [], [], DEADLINE_S)
            assert readable or writable, f"{started} of {count} answers within {DEADLINE_S} s"
            if writable:
                left = left[self.socket.send(left[:BLOCK_BYTES]):]
            if readable:
                block = self.socket.recv(BLOCK_BYTES)
                assert block, f"closed after {started} of {count} answers"
                started += (tail + block).count(START)
                tail = block[-len(START) + 1:]
                received.append(block)
        parts = b"".join(received).split(START)[1:]
        assert len(parts) == count, f"{len(parts)} answers to {count} requests"
        return parts

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def split(part):
    head = part.index(b"\r\n\r\n") + 4
    return int(part[:3]), part[head:]


def is_whole(blocks):
    """Whether the last answer is there to its end."""
    text, i = b"", len(blocks)
    while i and START not in text:
        i -= 1
        text = blocks[i] + text
    last = text[text.rfind(START):]
    head, found, body = last.partition(b"\r\n\r\n")
    length = LENGTH.search(head + b"\r\n")
    return bool(found and length) and len(body) >= int(length[1])
