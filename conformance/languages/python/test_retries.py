"""What boto3 does with checksums, lost answers and errors, seen through a proxy in between."""

import re
import socket
import threading

import pytest
from botocore.exceptions import ClientError

from conftest import make_client


class Proxy:
    """Passes one request and answer at a time; change(n, answer) edits the n-th answer (from 1)."""

    def __init__(self, server, change):
        self.server = server
        self.change = change
        self.answers = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client, socket.create_connection((self.server.host, self.server.port)) as upstream:
            while request := self._message(client):
                upstream.sendall(request)
                self.answers += 1
                answer = self.change(self.answers, self._message(upstream))
                if answer is None:
                    return
                client.sendall(answer)

    @staticmethod
    def _message(source):
        data = b""
        while b"\r\n\r\n" not in data:
            block = source.recv(65536)
            if not block:
                return b""
            data += block
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1])
        while len(body) < length:
            body += source.recv(65536)
        return head + b"\r\n\r\n" + body

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


def wrong_checksum(answer):
    """The answer with its x-amz-crc32 off by one; it must have been right before."""
    def off_by_one(match):
        return b"x-amz-crc32: %d" % ((int(match[1]) + 1) % 2**32)

    changed, count = re.subn(rb"(?i)x-amz-crc32: *(\d+)", off_by_one, answer)
    assert count == 1
    return changed


@pytest.fixture
def through(server):
    """through(change, **config) is (proxy, boto3 client behind it)."""
    if server.scheme != "http":
        pytest.skip("the proxy speaks plain HTTP only")
    proxies = []

    def make(change, **config):
        proxies.append(Proxy(server, change))
        return proxies[-1], make_client(proxies[-1].endpoint, **config)

    yield make
    for proxy in proxies:
        proxy.__exit__()


MODES = [{"retries": {"mode": "legacy"}}, {"retries": {"mode": "standard"}}]


@pytest.mark.parametrize("config", MODES, ids=["legacy", "standard"])
def test_right_checksums_cause_no_retry(through, table, config):
    proxy, client = through(lambda n, answer: answer, **config)
    item = {"pk": {"S": "crc"}, "v": {"S": "é" * 5000}}
    client.put_item(TableName=table, Item=item)
    assert client.get_item(TableName=table, Key={"pk": {"S": "crc"}})["Item"] == item
    client.list_tables()
    with pytest.raises(ClientError):
        client.describe_table(TableName="no_such_table")
    assert proxy.answers == 4


@pytest.mark.parametrize("config", MODES, ids=["legacy", "standard"])
def test_a_wrong_checksum_is_retried(through, table, config):
    proxy, client = through(lambda n, answer: wrong_checksum(answer) if n == 1 else answer, **config)
    answer = client.put_item(TableName=table, Item={"pk": {"S": "crc"}})
    assert answer["ResponseMetadata"]["RetryAttempts"] == 1
    assert proxy.answers == 2


@pytest.mark.parametrize("config", MODES, ids=["legacy", "standard"])
def test_a_lost_answer_is_retried(through, table, config):
    proxy, client = through(lambda n, answer: None if n == 1 else answer, **config)
    client.put_item(TableName=table, Item={"pk": {"S": "lost"}, "v": {"N": "1"}})
    got = client.get_item(TableName=table, Key={"pk": {"S": "lost"}})
    assert got["Item"] == {"pk": {"S": "lost"}, "v": {"N": "1"}}
    assert proxy.answers == 3


def test_mistakes_are_not_retried(through):
    proxy, client = through(lambda n, answer: answer)
    for call, members in ((client.list_tables, {"Limit": 101}), (client.describe_table, {"TableName": "no_such"}),
                          (client.get_item, {"TableName": "no_such", "Key": {"pk": {"S": "a"}}})):
        with pytest.raises(ClientError) as caught:
            call(**members)
        assert caught.value.response["ResponseMetadata"]["RetryAttempts"] == 0
    assert proxy.answers == 3


def test_request_ids_reach_the_client(dynamodb):
    ids = {dynamodb.list_tables()["ResponseMetadata"]["RequestId"] for _ in range(20)}
    assert len(ids) == 20
    assert all(re.fullmatch(r"[0-9A-Z]{52}", identity) for identity in ids)


def test_connections_are_reused(through):
    """One proxy connection serves all calls: the server keeps connections alive."""
    connections = []
    proxy, client = through(lambda n, answer: answer)
    serve = proxy._serve
    proxy._serve = lambda peer: (connections.append(peer), serve(peer))
    for _ in range(10):
        client.list_tables()
    assert (len(connections), proxy.answers) == (1, 10)
