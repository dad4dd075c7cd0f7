"""Differences grouped by cause, with a count and the first request of each group, and figures about
what a session consisted of."""

import json
import re
from collections import Counter

EXAMPLE_BYTES = 1500
AROUND_BYTES = 160


def template(message):
    """An error text without what varies from request to request."""
    text = re.sub(r"[#:][\w.]+", "?", str(message))
    text = re.sub(r"'[^']*'|\"[^\"]*\"|\{[^{}]*\}|\[[^\[\]]*\]", "?", text)
    return re.sub(r"\d+", "0", re.sub(r"[^ -~]+", "?", text))[:200]


def first_path(left, right, path=""):
    """Where two JSON trees differ first, as a path without positions; None when they are equal."""
    if type(left) is not type(right):
        return f"{path} ({type(left).__name__} | {type(right).__name__})"
    if isinstance(left, dict):
        for name in sorted(left.keys() | right.keys()):
            if (name in left) != (name in right):
                return f"{path}.{name} ({'left' if name in left else 'right'} only)"
        for name in left:
            if found := first_path(left[name], right[name], f"{path}.{name}"):
                return found
        return None if list(left) == list(right) else f"{path} (order of members)"
    if isinstance(left, list):
        for one, other in zip(left, right):
            if found := first_path(one, other, f"{path}[]"):
                return found
        return None if len(left) == len(right) else f"{path} (number of entries)"
    return None if left == right else path


def tree_of(body):
    try:
        return json.loads(body)
    except ValueError:
        return None


def error_of(answer):
    body = tree_of(answer.body)
    if answer.status == 200 or not isinstance(body, dict):
        return f"status {answer.status}", ""
    name = str(body.get("__type", "")).rpartition("#")[2] or f"status {answer.status}"
    return name, str(body.get("message", body.get("Message", "")))


def cause_of(operation, left, right, normaliser):
    """What a difference is grouped by."""
    if left.wrong or right.wrong:
        return operation, left.wrong or "fine", right.wrong or "fine"
    names, texts = zip(error_of(left), error_of(right))
    if left.status != right.status or left.status != 200:
        if names == texts or texts[0] == texts[1] and names[0] == names[1]:
            return operation, "body or headers", str(normaliser.fields(left) == normaliser.fields(right))
        return operation, f"{names[0]}: {template(texts[0])}", f"{names[1]}: {template(texts[1])}"
    if normaliser.fields(left) != normaliser.fields(right):
        return operation, "headers", ""
    trees = [tree_of(normaliser.body(answer)) for answer in (left, right)]
    path = first_path(*trees) or "bytes, not content"
    return operation, re.sub(r"\.(dr_\d\d|vc_\w+)\b", ".TABLE", path), ""


def shortened(content, most=EXAMPLE_BYTES):
    """One line that a terminal can show."""
    text = content.decode("utf-8", "backslashreplace")
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"


def windows(left, right):
    """Both bodies from shortly before their first difference on."""
    at = next((n for n, (a, b) in enumerate(zip(left, right)) if a != b), min(len(left), len(right)))
    start = max(0, at - AROUND_BYTES)
    return [f"{'…' if start else ''}{shortened(body[start:at + 2 * AROUND_BYTES])}" for body in (left, right)]


class Report:
    def __init__(self, seed):
        self.seed = seed
        self.groups = {}
        self.statuses = Counter()
        self.errors = Counter()
        self.bytes = 0

    def count(self, operation, answer):
        self.statuses[operation, answer.status == 200] += 1
        self.bytes += len(answer.body)
        if answer.status != 200:
            name, text = error_of(answer)
            self.errors[name, template(text)] += 1

    def differ(self, number, request, left, right, normaliser):
        cause = cause_of(request.operation, left, right, normaliser)
        group = self.groups.setdefault(cause, {"count": 0})
        group["count"] += 1
        if group["count"] == 1:
            bodies = windows(normaliser.body(left), normaliser.body(right))
            group.update(
                number=number, request=shortened(request.payload()), headers=request.headers,
                left=f"{left.status} {bodies[0]}", right=f"{right.status} {bodies[1]}",
                fields=[normaliser.fields(left), normaliser.fields(right)])

    @property
    def differences(self):
        return sum(group["count"] for group in self.groups.values())

    def figures(self):
        """How many requests of each operation there were and how many succeeded, one line each."""
        names = sorted({name for name, _ in self.statuses}, key=str)
        for name in names:
            good, bad = self.statuses[name, True], self.statuses[name, False]
            yield f"{good + bad:8} {name}, {100 * good // (good + bad)} % succeeded"

    def lines(self):
        """The groups, the most frequent cause first."""
        for cause, group in sorted(self.groups.items(), key=lambda entry: -entry[1]["count"]):
            operation, left, right = cause
            yield f"{group['count']} x {operation}: {left}" + (f" | {right}" if right else "")
            yield f"    request {group['number']} of seed {self.seed}: {operation} {group['request']}"
            if group["headers"]:
                yield f"    header fields {group['headers']}"
            for side in ("left", "right"):
                yield f"    {side:5} {group[side]}"
            if group["fields"][0] != group["fields"][1]:
                yield f"    header fields {group['fields'][0]} | {group['fields'][1]}"
