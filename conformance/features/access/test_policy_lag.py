"""--policy-lag: a changed resource policy decides later, and only time passes in between."""

import json

import pytest

from guarded import OTHER, allow, directory, policy, table_arn, user

TABLE = table_arn("App")
GUEST = user("guest", allow("*"), account=OTHER)
START = "2030-01-01T00:00:00Z"
LAG_S = 5
MANUAL = ("--clock", "manual", "--policy-lag")
PENDING = "Attempt to change a resource which is still in use: "


def statement(*actions, effect="Allow"):
    return {"Effect": effect, "Principal": {"AWS": GUEST["arn"]}, "Resource": TABLE,
            "Action": [f"dynamodb:{action}" for action in actions]}


class Seen:
    """A table with a policy that comes late, and the guest of another account whom it lets in."""

    def __init__(self, guarded, is_new=True):
        self.guarded, self.client = guarded, guarded.user("guest")
        if is_new:
            guarded.ok("clock", {"set": START})
            guarded.table()
            guarded.client().put_item(TableName="App", Item={"pk": {"S": "a"}, "sk": {"S": "x"}})
            self.advance(20)

    def advance(self, seconds):
        self.guarded.ok("clock", {"advance": f"{seconds}s"})

    def allowed(self):
        """The actions that succeed; each is tried more than once, so what is remembered decides, too."""
        calls = {"GetItem": lambda: self.client.get_item(TableName=TABLE, Key={"pk": {"S": "a"}, "sk": {"S": "x"}}),
                 "Scan": lambda: self.client.scan(TableName=TABLE)}
        found = set()
        for name, call in calls.items():
            outcomes = {self.succeeds(call) for _ in range(3)}
            assert len(outcomes) == 1, name
            if outcomes == {True}:
                found.add(name)
        return found

    def succeeds(self, call):
        try:
            call()
        except self.client.exceptions.ClientError as error:
            assert error.response["Error"]["Code"] == "AccessDeniedException"
            return False
        return True

    def put(self, *statements):
        return self.changed("PutResourcePolicy", Policy=json.dumps(policy(*statements)))

    def delete(self):
        return self.changed("DeleteResourcePolicy")

    def changed(self, operation, **members):
        """None, or the code and the text of the error."""
        answer = self.guarded.ask(operation, ResourceArn=TABLE, **members)
        return None if answer.status == 200 else error_of(answer)


def error_of(answer):
    error = json.loads(answer.body)
    return error["__type"].split("#")[1], error["message"]


@pytest.fixture
def late(guard):
    return Seen(guard(directory(GUEST), *MANUAL, str(LAG_S)))


def test_the_former_policy_decides_until_the_lag_has_passed(late):
    assert late.allowed() == set()
    assert late.put(statement("GetItem")) is None
    assert late.allowed() == set()
    late.advance(LAG_S)
    assert late.allowed() == {"GetItem"}
    late.advance(20)
    assert late.put(statement("Scan")) is None
    assert late.allowed() == {"GetItem"}
    late.advance(LAG_S - 1)
    assert late.allowed() == {"GetItem"}
    late.advance(1)
    assert late.allowed() == {"Scan"}


def test_a_denial_and_a_deleted_policy_come_late_too(late):
    assert late.put(statement("GetItem", "Scan")) is None
    late.advance(20)
    assert late.allowed() == {"GetItem", "Scan"}
    assert late.put(statement("GetItem"), statement("Scan", effect="Deny")) is None
    assert late.allowed() == {"GetItem", "Scan"}
    late.advance(LAG_S)
    assert late.allowed() == {"GetItem"}
    late.advance(20)
    assert late.delete() is None
    assert late.allowed() == {"GetItem"}
    late.advance(LAG_S)
    assert late.allowed() == set()


def test_further_changes_wait(late):
    assert late.put(statement("GetItem")) is None
    pending = ("ResourceInUseException", f"{PENDING}Table is pending previous resource-based policy update: App")
    assert late.put(statement("Scan")) == pending
    assert late.delete() == pending
    assert error_of(late.guarded.ask("DeleteTable", TableName="App")) == (
        "ResourceInUseException", f"{PENDING}Table: App has a pending resource-based policy update.")
    late.advance(LAG_S)
    code, text = late.put(statement("Scan"))
    assert code == "ThrottlingException"
    assert text.startswith("Resource-based policy for table App modified within the previous 15000 milliseconds. "
                           "Please try again after 2030-01-01T00:00:35.")
    assert late.delete() == (code, text)
    assert late.put(statement("GetItem")) is None
    late.advance(15 - LAG_S)
    assert late.put(statement("Scan")) is None
    assert late.allowed() == {"GetItem"}


@pytest.mark.parametrize("change", ["put", "delete"])
def test_a_kill_keeps_a_pending_change(guard, tmp_path, change):
    lag_s = 3600
    content, flags = directory(GUEST), (*MANUAL, str(lag_s), "--db-path", tmp_path / "data")
    late = Seen(guard(content, *flags))
    assert late.put(statement("GetItem")) is None
    late.advance(lag_s)
    assert late.allowed() == {"GetItem"}
    assert (late.put(statement("Scan")) if change == "put" else late.delete()) is None
    late.guarded.server.kill()

    late = Seen(guard(content, *flags), is_new=False)
    assert late.allowed() == {"GetItem"}
    assert late.put(statement("GetItem", "Scan"))[0] == "ResourceInUseException"
    late.guarded.ok("clock", {"set": "2030-01-01T02:00:19Z"})
    assert late.allowed() == {"GetItem"}
    late.advance(1)
    assert late.allowed() == ({"Scan"} if change == "put" else set())
