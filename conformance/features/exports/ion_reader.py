"""Reads a line of Ion text as exports have it, strictly: nothing that they do not write is accepted. The result has
DynamoDB's types: {"Item": {"pk": {"S": "a"}}}."""

import re

VERSION = "$ion_1_0 "
TOKEN = re.compile(r"""
    (?P<blob>\{\{[A-Za-z0-9+/=]*\}\}) |
    (?P<string>"(?:[^"\\\x00-\x1f]|\\.|\\x[0-9a-f]{2})*") |
    (?P<symbol>'(?:[^'\\\x00-\x1f]|\\.|\\x[0-9a-f]{2})*') |
    (?P<set>\$dynamodb_[SNB]S::) |
    (?P<decimal>-?[0-9]+\.[0-9]*) |
    (?P<word>[A-Za-z_][A-Za-z0-9_]*) |
    (?P<mark>[{}\[\],:])
""", re.X)
KEYWORDS = {"null": {"NULL": True}, "true": {"BOOL": True}, "false": {"BOOL": False}}


def unquoted(text):
    def meaning(match):
        escape = match[1]
        return "\n" if escape == "n" else chr(int(escape[1:], 16)) if escape[0] == "x" else escape

    return re.sub(r"\\(x[0-9a-f]{2}|.)", meaning, text[1:-1])


def plain_number(text):
    """A decimal as the service writes a number."""
    return text[:-1] if text.endswith(".") else text


class Reader:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def take(self, expected=None):
        match = TOKEN.match(self.text, self.at)
        assert match, f"not Ion at {self.at}: {self.text[self.at:self.at + 40]!r}"
        assert expected is None or match[0] == expected, f"{match[0]!r} instead of {expected!r}"
        self.at = match.end()
        return match.lastgroup, match[0]

    def peek(self):
        return self.text[self.at:self.at + 1]

    def struct(self, value):
        members = {}
        self.take("{")
        while self.peek() != "}":
            kind, text = self.take()
            assert kind in ("word", "symbol") and text not in KEYWORDS, f"no name: {text}"
            self.take(":")
            members[unquoted(text) if kind == "symbol" else text] = value()
            if self.peek() != "}":
                self.take(",")
        self.take("}")
        return members

    def list(self):
        elements = []
        self.take("[")
        while self.peek() != "]":
            elements.append(self.value())
            if self.peek() != "]":
                self.take(",")
        self.take("]")
        return elements

    def value(self):
        if self.peek() == "[":
            return {"L": self.list()}
        if self.peek() == "{" and not self.text.startswith("{{", self.at):
            return {"M": self.struct(self.value)}
        kind, text = self.take()
        if kind == "set":
            name = text[len("$dynamodb_"):-2]
            return {name: [element[name[0]] for element in self.list()]}
        if kind == "word":
            return KEYWORDS[text]
        if kind == "decimal":
            return {"N": plain_number(text)}
        return {"B": text[2:-2]} if kind == "blob" else {"S": unquoted(text)}


def read_ion(line):
    assert line.startswith(VERSION)
    reader = Reader(line[len(VERSION):])
    # The wrapper, then items, or the members of a record of changes.
    record = reader.struct(lambda: reader.struct(reader.value))
    assert reader.at == len(reader.text)
    if "Record" not in record:
        return record
    return {name: value["M"] for name, value in record["Record"].items()}
