"""Signed requests in which one byte is another one than was signed: every one of them is refused, and does nothing."""

import hashlib
import json
import os
import random
import urllib.parse

import pytest
from botocore.auth import SigV4Auth, SigV4QueryAuth

from guarded import directory, key_of, user
from raw_client import Closed, Connection, request

COUNT = 10_000
SEED = int(os.environ.get("STATOR_SEED", "20260901"))
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
KEY = {"pk": {"S": "Reykjavík"}, "sk": {"S": "日本"}}
REQUESTS = [
    ("PutItem", {"TableName": "App", "Item": {**KEY, "text": {"S": "naïve ✓ \U0001f600"}, "n": {"N": "1"}}}),
    ("GetItem", {"TableName": "App", "Key": KEY}),
    ("Query", {"TableName": "App", "KeyConditionExpression": "pk = :p",
               "ExpressionAttributeValues": {":p": {"S": "Reykjavík"}}}),
    ("BatchGetItem", {"RequestItems": {"App": {"Keys": [KEY]}}}),
    ("ListTables", {}),
]


class Signed:
    """A request in the parts that can be changed: text in each, `body` as bytes."""

    def __init__(self, headers, body, query=""):
        self.headers, self.body, self.path, self.query = headers, body, "/", query

    def bytes(self):
        fields = dict(self.headers)
        fields.setdefault("Authorization", None)
        fields.setdefault("X-Amz-Date", None)
        target = self.path + ("?" + self.query if self.query else "")
        return request(None, self.body, {"X-Amz-Target": None, "Content-Type": None, "Host": None, **fields}, "POST",
                       target)

    def copy(self):
        made = Signed(dict(self.headers), self.body, self.query)
        made.path = self.path
        return made


def query_signer(body):
    class BodyToo(SigV4QueryAuth):
        def payload(self, request):
            return hashlib.sha256(body).hexdigest()
    return BodyToo


def signed(guarded, operation, content, is_query):
    body = json.dumps(content, ensure_ascii=False).encode()
    options = {"auth": query_signer(body), "expires": 600} if is_query else {"auth": SigV4Auth}
    asked, signer = guarded.signed(operation, body, key=key_of("dev"), headers={"X-Amz-Meta": "a b"}, **options)
    signer.add_auth(asked)
    query = asked.url.partition("?")[2] if is_query else ""
    return Signed(dict(asked.headers.items()), body, query)


def other_letter(rng, letter):
    return rng.choice([one for one in LETTERS if one.lower() != letter.lower()])


def changed_text(rng, text):
    """One letter or digit is another one."""
    at = rng.choice([i for i, letter in enumerate(text) if letter in LETTERS])
    return text[:at] + other_letter(rng, text[at]) + text[at + 1:]


def change_header(rng, what):
    name = rng.choice([name for name in what.headers if name != "Authorization"])
    what.headers[name] = changed_text(rng, what.headers[name])


def change_name(rng, what):
    name = rng.choice([name for name in what.headers if name not in ("Authorization", "Host")])
    value = what.headers.pop(name)
    what.headers[changed_text(rng, name)] = value


def change_authorization(rng, what):
    text = what.headers["Authorization"]
    words = text.index("Credential=")
    what.headers["Authorization"] = text[:words] + changed_text(rng, text[words:])


def change_signature(rng, what):
    head, digits = what.headers["Authorization"].rsplit("=", 1)
    at = rng.randrange(len(digits))
    digit = rng.choice([one for one in "0123456789abcdef" if one != digits[at]])
    what.headers["Authorization"] = f"{head}={digits[:at]}{digit}{digits[at + 1:]}"


def change_body(rng, what):
    at = rng.randrange(len(what.body))
    byte = rng.choice([one for one in range(32, 256) if one != what.body[at]])
    what.body = what.body[:at] + bytes([byte]) + what.body[at + 1:]


def change_path(rng, what):
    what.path = "/" + rng.choice(LETTERS)


def add_query(rng, what):
    what.query = what.query + ("&" if what.query else "") + rng.choice(LETTERS)


def change_date(rng, what):
    what.headers["X-Amz-Date"] = changed_text(rng, what.headers["X-Amz-Date"])


def change_query(rng, what):
    """The same bytes in another spelling are signed alike, so the decoded text must differ."""
    before = urllib.parse.unquote(what.query)
    text = what.query
    while urllib.parse.unquote(text) == before:
        text = changed_text(rng, what.query)
    what.query = text


IN_HEADER = [change_header, change_name, change_authorization, change_signature, change_body, change_path, add_query,
             change_date]
IN_QUERY = [change_header, change_body, change_path, add_query, change_query, change_query]


class Sender:
    """One connection after the other: the server ends one whose request it cannot read."""

    def __init__(self, server):
        self.server, self.connection = server, Connection(server)

    def send(self, data):
        try:
            answer = self.connection.exchange(data)
        except (Closed, BrokenPipeError):
            self.connection = Connection(self.server)
            answer = self.connection.exchange(data)
        if (answer.get("Connection") or "").lower() == "close":
            self.connection = Connection(self.server)
        return answer


def items(guarded):
    return guarded.client().scan(TableName="App")["Items"]


@pytest.mark.parametrize("mode", ["signature", "iam"])
def test_one_changed_byte(guard, mode):
    guarded = guard(directory(user("dev", {"Effect": "Allow", "Action": "*", "Resource": "*"})), mode=mode)
    guarded.table()
    right = [signed(guarded, operation, content, is_query) for operation, content in REQUESTS
             for is_query in (False, True)]
    sender = Sender(guarded.server)
    for one in right:
        assert sender.send(one.bytes()).status == 200
    guarded.client().delete_item(TableName="App", Key=KEY)
    rng = random.Random(f"{SEED} {mode}")
    for number in range(COUNT // 2):
        changed = rng.choice(right).copy()
        change = rng.choice(IN_QUERY if changed.query else IN_HEADER)
        change(rng, changed)
        answer = sender.send(changed.bytes())
        assert 400 <= answer.status < 500, (SEED, number, change.__name__, changed.bytes(), answer)
    assert items(guarded) == []
    for one in right:
        assert sender.send(one.bytes()).status == 200
