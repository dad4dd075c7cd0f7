"""GET /metrics, and its values by name and labels."""

import re

from raw_client import Connection, request

LINE = re.compile(r'([a-z_]+)(?:\{(.*)\})? (\S+)')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')


def metrics_request(headers=None, method="GET", body=b"", path="/metrics"):
    fields = {"Authorization": None, "X-Amz-Date": None}
    if not body:
        fields.update({"Content-Type": None, "Content-Length": None})
    fields.update(headers or {})
    return request(None, body, fields, method, path)


def ask(server, headers=None, method="GET", body=b"", path="/metrics"):
    """The raw answer, on a connection of its own."""
    with Connection(server) as connection:
        return connection.exchange(metrics_request(headers, method, body, path), method)


class Page:
    """One scrape. page.value("stator_requests_total", operation="PutItem", code="200")"""

    def __init__(self, server):
        answer = ask(server)
        assert answer.status == 200, answer
        self.text = answer.body.decode()
        self.values = {}
        for line in self.text.splitlines():
            if line.startswith("#"):
                continue
            name, labels, value = LINE.fullmatch(line).groups()
            key = (name, frozenset(LABEL.findall(labels or "")))
            assert key not in self.values, f"twice: {line}"
            self.values[key] = float(value)

    def find(self, name, **labels):
        """The value, or None."""
        return self.values.get((name, frozenset(labels.items())))

    def value(self, name, **labels):
        found = self.find(name, **labels)
        assert found is not None, f"no {name} {labels} in\n{self.text}"
        return found

    def of(self, name):
        """All values of one name: {labels: value}."""
        return {tuple(sorted(labels)): value for (of, labels), value in self.values.items() if of == name}
