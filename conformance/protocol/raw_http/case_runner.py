"""Sends one case of tests/cases/validation-cases.json and compares the answer.

The file explains its own format in its member "about"; lib/case_file.py reads it.
"""

import re

from raw_client import Connection, authorization, request

STREAMS_OPERATIONS = {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"}


def wordings(case):
    """The wordings whose text is known for this case."""
    return ["current", "classic"] if case["profile"] == "both" else [case["profile"]]


class World:
    """One server with one wording: its fixtures and the way back to a clean state."""

    def __init__(self, client, fixtures):
        self.client = client
        self.fixtures = fixtures
        self.present = set()
        for name in self._ours():
            client.drop_table(name)

    def _ours(self):
        return [n for n in self.client.table_names() if n.startswith("vc_")]

    def ensure(self, names):
        for name in names:
            if name not in self.present:
                table = self.fixtures[name]
                self.client.ok("CreateTable", **table)
                self.client.wait_active(table["TableName"])
                self.present.add(name)

    def reset(self):
        """Drops every table of ours; the next case makes what it needs."""
        for name in self._ours():
            self.client.drop_table(name)
        self.present.clear()

    def prepare(self, case):
        if "setup" in case:
            self.reset()
        self.ensure(case.get("fixtures", []))
        for step in case.get("setup", []):
            answer = self.client.send(step["operation"], step["request"])
            assert answer.status == 200, f"setup {step['operation']}: {answer!r}"
            if step["operation"] == "CreateTable":
                self.client.wait_active(step["request"]["TableName"])

    def run(self, case, wording):
        """Runs the case; returns what differs, one sentence each."""
        clean = False
        try:
            self.prepare(case)
            answer = send(self.client.server, case)
            clean = answer.status != 200 and "setup" not in case
            return compare(case, wording, answer)
        finally:
            if not clean:
                self.reset()


def send(server, case):
    with Connection(server) as connection:
        if "http" in case:
            raw = case["http"]
            fields = {name: None for name in ("Content-Type", "Authorization", "X-Amz-Date")}
            if not raw["body"] and raw["method"] in ("GET", "OPTIONS"):
                fields["Content-Length"] = None
            fields.update(raw["headers"])
            data = request(None, raw["body"], fields, raw["method"], raw["path"])
        else:
            service = "DynamoDBStreams" if case["operation"] in STREAMS_OPERATIONS else "DynamoDB"
            fields = {
                "X-Amz-Target": f"{service}_20120810.{case['operation']}",
                "Authorization": authorization(),
            }
            data = request(None, case["request"], fields)
        return connection.exchange(data)


def compare(case, wording, answer):
    expected, note = case["expected"], case.get("note", "")
    found = []

    def differ(what, wanted, got):
        found.append(f"{what}: expected {shorten(wanted)}, got {shorten(got)}")

    if answer.status != expected["status"]:
        differ("status", expected["status"], f"{answer.status} {answer.body[:400]!r}")
        return found
    for name, value in expected.get("headers", {}).items():
        if answer.get(name) != value:
            differ(f"header {name}", value, answer.get(name))
    if "rawBody" in expected:
        if answer.body != expected["rawBody"].encode():
            differ("body", expected["rawBody"], answer.body)
        return found
    body = answer.json()
    if body.get("__type") != expected["__type"]:
        differ("__type", expected["__type"], body.get("__type"))
    compare_message(expected, case.get("classic_message"), wording, note, body, differ)
    for name, value in expected.items():
        if name not in ("status", "__type", "message", "Message", "match", "headers"):
            if body.get(name) != value:
                differ(name, value, body.get(name))
    return found


def compare_message(expected, classic, wording, note, body, differ):
    member = "Message" if "Message" in expected else "message"
    wanted = expected[member]
    if wording == "classic" and classic is not None:
        wanted = classic
    if wanted is None:
        # No text is expected, unless the note says that only its wording is not known.
        if "unknown" not in note and (found := {"message", "Message"} & set(body)):
            differ("message", None, body[found.pop()])
        return
    if "case-insensitive" in note:
        member = next((m for m in body if m.lower() == "message"), member)
    if member not in body:
        differ(f"member {member}", wanted, f"members {sorted(body)}")
        return
    if not same_text(expected.get("match", "exact"), wanted, body[member], note):
        differ(member, wanted, body[member])


def same_text(match, wanted, got, note):
    if match == "regex":
        return re.search(wanted, got) is not None
    if match == "prefix":
        return got.startswith(wanted)
    assert match == "exact", match
    return wanted == got or any_order(wanted, note) == any_order(got, note)


def any_order(text, note):
    """A form in which permuted violations are equal, and permuted lists where the note says so."""
    head = re.match(r"\d+ validation errors? detected: ", text)
    if head:
        text = head[0] + "; ".join(sorted(text[head.end():].split("; ")))
    if "order" in note and "differ" in note:
        text = re.sub(r"[\[{]([^\[\]{}]*)[\]}]", lambda m: str(sorted(m[1].split(", "))), text)
    return text


def shorten(value, most=500):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"
