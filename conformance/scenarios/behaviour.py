"""Reads behaviour/*.json and runs its steps through an SDK. README.md says how they are written; whatever
is not said there is refused, before anything is sent."""

import json
import re

import sdk
from definitions import attributes, key_schema

FILE = {"about", "values", "scenarios"}
SCENARIO = {"name", "since", "except", "table", "values", "steps"}
CALL = {"call", "in", "follow", "out", "error", "save"}
GROUP = {"each", "steps"}
MATCHERS = {"$absent", "$date", "$has", "$matches", "$not", "$unordered"}
OF_A_TABLE = {"PutItem", "GetItem", "DeleteItem", "UpdateItem", "Query", "Scan", "DescribeTable", "UpdateTable",
              "DeleteTable"}
MATCHER = re.compile(r"\$\w")
REFERENCE = re.compile(r"\$\{([^{}]*)\}")


# --- Reading ----------------------------------------------------------------------------------------


def load(path):
    """The scenarios of a file. AssertionError when it holds something that would not be run."""
    held = json.loads(path.read_text(encoding="utf-8"))
    check_members(held, FILE, {"about", "scenarios"}, path.name)
    assert held["scenarios"], f"{path.name} holds no scenario"
    for scenario in held["scenarios"]:
        where = f"{path.name}: {scenario.get('name')}"
        check_members(scenario, SCENARIO, {"name", "steps"}, where)
        check_steps(scenario["steps"], where)
        scenario["values"] = {**held.get("values", {}), **scenario.get("values", {})}
    return held["scenarios"]


def check_members(held, allowed, needed, where):
    assert set(held) <= allowed, f"{where}: unknown {sorted(set(held) - allowed)}"
    assert needed <= set(held), f"{where}: {sorted(needed - set(held))} is missing"


def check_steps(steps, where):
    assert isinstance(steps, list) and steps, f"{where}: no steps"
    for step in steps:
        if "each" in step:
            check_members(step, GROUP, GROUP, where)
            assert step["each"], f"{where}: each of nothing"
            check_steps(step["steps"], where)
        else:
            check_members(step, CALL, {"call"}, where)
            assert not ("out" in step and "error" in step), f"{where}: out and error"
            check_matchers(step.get("out"), where)


def check_matchers(expected, where):
    for value in expected.values() if isinstance(expected, dict) else expected if isinstance(expected, list) else ():
        check_matchers(value, where)
    if isinstance(expected, dict) and (found := [name for name in expected if MATCHER.match(name)]):
        assert len(expected) == 1 and found[0] in MATCHERS | {"$wrap"}, f"{where}: no matcher {expected}"


# --- Values -----------------------------------------------------------------------------------------


def filled(value, names):
    """A value with ${name}, ${text*times} and {"$wrap": […]} replaced."""
    if isinstance(value, list):
        return [filled(v, names) for v in value]
    if isinstance(value, dict):
        if "$wrap" in value:
            return wrapped(*filled(value["$wrap"], names))
        return {filled(name, names): filled(v, names) for name, v in value.items()}
    if not isinstance(value, str):
        return value
    if whole := REFERENCE.fullmatch(value):
        return referred(whole[1], names)
    while REFERENCE.search(value):  # from the inside: ${x*${times}}
        value = REFERENCE.sub(lambda part: str(referred(part[1], names)), value)
    return value


def referred(text, names):
    if text in names:
        return filled(names[text], names)
    piece, star, times = text.rpartition("*")
    assert star and times.isdigit(), f"nothing is named {text}"
    return piece * int(times)


def wrapped(value, depth, kinds="ML"):
    """A value in containers of these kinds in turn."""
    for level in range(depth):
        value = {"L": [value]} if kinds[level % len(kinds)] == "L" else {"M": {"é": value}}
    return value


def bindings(rows):
    """What `each` binds: objects, or the names and then a list of values for each turn."""
    if isinstance(rows[0], dict):
        return rows
    names, *rows = rows
    assert rows and all(len(row) == len(names) for row in rows), f"each: not {len(names)} values: {rows}"
    return [dict(zip(names, row)) for row in rows]


def at(path, value):
    """The part of an output at a path such as Table.GlobalSecondaryIndexes.0.IndexArn."""
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


# --- Comparing --------------------------------------------------------------------------------------


def compare(expected, found, where):
    """AssertionError with the place at which `found` is not as expected."""
    if isinstance(expected, dict) and any(map(MATCHER.match, expected)):
        (name, argument), = expected.items()
        return match(name, argument, found, where)
    if isinstance(expected, dict) and isinstance(found, dict):
        assert set(expected) == set(found), f"{where}: {sorted(found)} instead of {sorted(expected)}"
        for name, value in expected.items():
            if name in ("SS", "NS", "BS") and isinstance(value, list):  # sets have no order
                assert sorted(value) == sorted(found[name]), f"{where}.{name}: {found[name]} instead of {value}"
            else:
                compare(value, found[name], f"{where}.{name}")
    elif isinstance(expected, list) and isinstance(found, list):
        assert len(expected) == len(found), f"{where}: {len(found)} elements instead of {len(expected)}: {found}"
        for i, value in enumerate(expected):
            compare(value, found[i], f"{where}[{i}]")
    else:
        alike = isinstance(expected, bool) == isinstance(found, bool)
        assert alike and expected == found, f"{where}: {found!r} instead of {expected!r}"


def match(name, argument, found, where):
    if name == "$has":
        assert isinstance(found, dict), f"{where}: {found!r} has no members"
        for member, value in argument.items():
            if value == {"$absent": True}:
                assert member not in found, f"{where}.{member} is there: {found[member]!r}"
            else:
                assert member in found, f"{where}.{member} is not there, but {sorted(found)}"
                compare(value, found[member], f"{where}.{member}")
    elif name == "$matches":
        assert isinstance(found, str) and re.fullmatch(argument, found), f"{where}: {found!r} is not like {argument}"
    elif name == "$date":  # the SDK made a moment of it, in the years that are asked for
        first, last = argument
        assert isinstance(found, dict) and set(found) == {"$date"}, f"{where}: {found!r} is no moment"
        assert first <= 1970 + found["$date"] / 31556952 <= last, f"{where}: {found}"
    elif name == "$not":
        assert found != argument, f"{where}: {found!r}"
    elif name == "$unordered":
        left = list(found)
        for value in argument:
            assert value in left, f"{where}: {value} is not in {left}"
            left.remove(value)
        assert not left, f"{where}: {left} too much"
    else:
        raise AssertionError(f"{where}: no matcher {name}")


# --- Running ----------------------------------------------------------------------------------------


class Run:
    """One scenario through one SDK. Tables that it makes are deleted by `clean`."""

    def __init__(self, caller, unique, host):
        self.caller, self.tables = caller, []
        self.names = {"table": unique, "host": host}

    def scenario(self, scenario):
        self.names.update(scenario["values"])
        if "table" in scenario:
            self.create(filled(scenario["table"], self.names))
        self.steps(scenario["steps"])

    def create(self, table):
        """{"keys": "pk:S sk:N", …}: an on-demand table; what else is given replaces or adds members."""
        types, more = table["keys"], {n: v for n, v in table.items() if n != "keys"}
        keys = [word.split(":")[0] for word in types.split()]
        if "ProvisionedThroughput" not in more:
            more["BillingMode"] = "PAY_PER_REQUEST"
        members = {"TableName": self.names["table"], "KeySchema": key_schema(*keys),
                   "AttributeDefinitions": attributes(types), **more}
        self.send("CreateTable", members)
        sdk.Client(self.caller).get_waiter("table_exists").wait(members["TableName"], {"MaxAttempts": 60})

    def send(self, operation, members):
        output = self.caller.call(operation, members)
        if operation == "CreateTable":
            self.tables.append(members["TableName"])
        elif operation in ("RestoreTableFromBackup", "RestoreTableToPointInTime"):
            self.tables.append(members["TargetTableName"])
        elif operation == "DeleteTable":
            self.tables.remove(members["TableName"])
        return output

    def pages(self, operation, members, follow):
        """All pages of an output as one: its lists put together, without the token that led from one to the
        next. `follow` names that token in the output and in the input, and what else belongs to one page."""
        name, again, *of_a_page = follow
        whole = {}
        while True:
            page = self.send(operation, members)
            token = page.pop(name, None)
            for other in of_a_page:
                page.pop(other, None)
            for member, value in page.items():
                assert isinstance(value, list), f"{operation}: {member} is no list, so pages cannot be put together"
                whole.setdefault(member, []).extend(value)
            if token is None:
                return whole
            assert members.get(again) != token, f"{operation}: the same {name} again: {token}"
            members = {**members, again: token}

    def steps(self, steps):
        for step in steps:
            if "each" not in step:
                self.step(step)
                continue
            for bound in bindings(filled(step["each"], self.names)):
                before, self.names = self.names, {**self.names, **bound}
                self.steps(step["steps"])
                self.names = before

    def step(self, step):
        operation, members = step["call"], filled(step.get("in", {}), self.names)
        if operation in OF_A_TABLE:
            members = {"TableName": self.names["table"], **members}
        where = f"{operation} {json.dumps(members, ensure_ascii=False)[:300]}"
        try:
            if "follow" in step:
                output = self.pages(operation, members, step["follow"])
            else:
                output = self.send(operation, members)
        except sdk.Refused as refused:
            assert "error" in step, f"{where}: {refused}"
            error = filled(step["error"], self.names)
            expected = ["ValidationException", error] if isinstance(error, str) else error
            told = [refused.code, refused.message, *([refused.reasons] if refused.reasons else [])]
            assert told == expected, where
            return
        assert "error" not in step, f"{where} was not refused, but answered {output}"
        self.names.update({name: at(path, output) for name, path in step.get("save", {}).items()})
        if "out" in step:
            compare(filled(step["out"], self.names), output, where + "\n")

    def clean(self):
        for table in list(self.tables):
            self.send("DeleteTable", {"TableName": table})
