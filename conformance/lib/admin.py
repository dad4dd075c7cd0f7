"""The admin path of a server: its clock, its marks and its reset (docs/admin-openapi.yaml)."""

from raw_client import Connection, request


def admin_request(path, body=None, headers=None, method=None):
    """A request as bytes; without a body a GET, unless told."""
    fields = {"Content-Type": "application/json", "Authorization": None, "X-Amz-Date": None}
    if body is None:
        fields.update({"Content-Type": None, "Content-Length": None})
    fields.update(headers or {})
    method = method or ("GET" if body is None else "POST")
    return request(None, b"" if body is None else body, fields, method, f"/_stator/{path}")


class Admin:
    def __init__(self, server):
        self.server = server

    def send(self, path, body=None, headers=None, method=None):
        """The raw answer, on a connection of its own."""
        with Connection(self.server) as connection:
            return connection.exchange(admin_request(path, body, headers, method), method or "")

    def ok(self, path, body=None):
        answer = self.send(path, body)
        assert answer.status == 200, f"{path} {body}: {answer.status} {answer.body[:600]!r}"
        return answer.json()

    def clock(self):
        return self.ok("clock")

    def time(self):
        return self.clock()["time"]

    def move(self, **body):
        """move(advance="1h"), move(set=...), move(rate=...), move(mode=...): the clock behind it."""
        return self.ok("clock", body)

    def mark(self, name):
        """Remembers the present state."""
        return self.ok(f"marks/{name}", {})

    def rollback(self, name):
        """Goes back to it."""
        return self.ok(f"marks/{name}/rollback", {})

    def sweep(self):
        """How many expired items were deleted."""
        return self.ok("ttl/sweep", {})["deleted"]

    def reset(self, **body):
        """How many tables were removed."""
        return self.ok("reset", body)["tables"]
