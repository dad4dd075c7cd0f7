"""The rules of a server through its admin path (docs/faults.md)."""

from admin import Admin


class Faults:
    def __init__(self, server):
        self.admin = Admin(server)

    def add(self, operation=None, when=None, name="r", match=None, **effect):
        """Makes one rule, which is named r unless told."""
        match = {**(match or {}), **({"operation": operation} if operation else {})}
        rule = {"name": name, "match": match, "when": when or {}, "effect": effect}
        return self.admin.ok("faults", rule)["rules"][0]

    def refused(self, rule):
        """The words of the refusal."""
        answer = self.admin.send("faults", rule)
        assert answer.status == 400, answer
        return answer.json()["error"]

    def of(self, name="r"):
        return self.admin.ok(f"faults/{name}")

    def numbers(self, name="r"):
        """The numbers of the last firings."""
        return [firing["n"] for firing in self.of(name)["firings"]]

    def clear(self):
        return self.admin.ok("faults/clear", {})["removed"]
