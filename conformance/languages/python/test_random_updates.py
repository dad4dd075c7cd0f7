"""Random update expressions, each compared with an evaluator of its own written here: the item after
it, all five kinds of return values, or the refusal, after which nothing has changed."""

import copy
from decimal import Decimal

import pytest
from botocore.exceptions import ClientError

import scenario
from scenario import plain, to_item, to_row

MISSING = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
WRONG_PATH = "The document path provided in the update expression is invalid for update"
REFUSALS = (MISSING, WRONG_TYPE, WRONG_PATH)
NAMES = ("aa", "bb", "cc", "nn", "ss", "mm", "ll")


class Refused(Exception):
    pass


def steps_of(path):
    """mm.kk[1] as ("mm", "kk", 1)."""
    return tuple(int(s[1:-1]) if s[0] == "[" else s for s in path.replace("[", ".[").split("."))


def find(row, steps):
    """(True, value) at a path, or (False, None)."""
    value = row
    for step in steps:
        kind = list if isinstance(step, int) else dict
        if not isinstance(value, kind) or (step >= len(value) if kind is list else step not in value):
            return False, None
        value = value[step]
    return True, value


def is_number(value):
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def set_kind(value):
    return {str: "SS"}.get(type(next(iter(value))), "NS") if isinstance(value, set) else None


def parent(row, steps):
    """The map or list that holds the last step of a path."""
    found, holder = find(row, steps[:-1]) if len(steps) > 1 else (True, row)
    if not found or not isinstance(holder, list if isinstance(steps[-1], int) else dict):
        raise Refused(WRONG_PATH)
    return holder


class Update:
    """A random update expression: text, values, apply(row), and the paths that it names."""

    def __init__(self, data):
        self.data, self.values, self.paths = data, {}, []
        self.sets, self.removes, self.adds, self.deletes = [], [], [], []
        sections = {}
        for _ in range(data.randrange(1, 6)):
            path = self.new_path()
            if path:
                kind = data.choice(("SET", "SET", "SET", "REMOVE", "REMOVE", "ADD", "DELETE"))
                sections.setdefault(kind, []).append(getattr(self, kind.lower())(path))
        order = data.sample(sorted(sections), len(sections))
        self.text = " ".join(f"{kind} {', '.join(sections[kind])}" for kind in order)

    def any_path(self):
        data = self.data
        if data.random() < 0.3:
            return f"ll[{data.randrange(6)}]"
        return data.choice((*NAMES, "mm.kk", "mm.jj", "mm.deep.kk", "ll[1].kk", "aa.kk", "bb[0]", "absent",
                            "mm.absent.kk"))

    def new_path(self):
        """A path that neither overlaps nor conflicts with those before it."""
        for _ in range(10):
            path = self.any_path()
            mine = steps_of(path)
            if not any(self.meets(mine, steps_of(other)) for other in self.paths):
                self.paths.append(path)
                return path
        return None

    @staticmethod
    def meets(one, other):
        for left, right in zip(one, other):
            if left != right:
                return type(left) is not type(right)  # used as a map and as a list
        return True

    def value(self, value):
        name = f"v{len(self.values)}"
        self.values[name] = value
        return f":{name}"

    def number(self):
        return self.data.choice((0, 1, -1, 5, Decimal("0.5"), Decimal("-2.25"), 10**20))

    def any_value(self):
        return self.data.choice((1, "text", "", True, None, [1, "x"], [], {"kk": 1}, {"deep": {"kk": []}}, {"a"},
                                 {1, 2}))

    def operand(self, depth=1):
        """(text, function of the row before the update)."""
        kind = self.data.randrange(5 if depth else 3)
        if kind < 2:
            value = self.any_value()
            return self.value(value), lambda row: value
        path = self.any_path()
        steps = steps_of(path)
        if kind < 4:
            def read(row):
                found, value = find(row, steps)
                if not found:
                    raise Refused(MISSING)
                return value

            return path, read
        text, other = self.operand(0)
        while text == path:  # the service wants two different ones
            text, other = self.operand(0)

        def read_or(row):
            found, value = find(row, steps)
            return value if found else other(row)

        return f"if_not_exists({path}, {text})", read_or

    def set(self, path):
        kind = self.data.randrange(4)
        if kind < 2:
            text, get = self.operand()
        elif kind == 2:
            text, get = self.arithmetic()
        else:
            text, get = self.appended()
        self.sets.append((steps_of(path), get))
        return f"{path} = {text}"

    def arithmetic(self):
        amount, sign = self.number(), self.data.choice("+-")
        source = self.data.choice(("nn", "mm.kk", "ll[0]", "aa", "absent"))
        fallback = self.number() if self.data.random() < 0.5 else None
        steps, name = steps_of(source), self.value(amount)
        text = source if fallback is None else f"if_not_exists({source}, {self.value(fallback)})"

        def get(row):
            found, value = find(row, steps)
            if not found and fallback is None:
                raise Refused(MISSING)
            value = value if found else fallback
            if not is_number(value):
                raise Refused(WRONG_TYPE)
            return value + amount if sign == "+" else value - amount

        return f"{text} {sign} {name}", get

    def appended(self):
        source, more = self.data.choice(("ll", "mm.jj", "aa", "absent")), self.data.choice(([], [1], ["x", [2]]))
        steps, first = steps_of(source), self.data.random() < 0.5
        name, empty = self.value(more), self.value([]) if self.data.random() < 0.5 else None
        text = source if empty is None else f"if_not_exists({source}, {empty})"

        def get(row):
            found, value = find(row, steps)
            if not found and empty is None:
                raise Refused(MISSING)
            value = value if found else []
            if not isinstance(value, list):
                raise Refused(WRONG_TYPE)
            return more + value if first else value + more

        return f"list_append({name}, {text})" if first else f"list_append({text}, {name})", get

    def remove(self, path):
        self.removes.append(steps_of(path))
        return path

    def add(self, path):
        value = self.data.choice((1, -3, Decimal("0.25"), {"a"}, {"a", "b"}, {1, 7}))
        self.adds.append((steps_of(path), value))
        return f"{path} {self.value(value)}"

    def delete(self, path):
        value = self.data.choice(({"a"}, {"a", "b"}, {1}, {1, 2, 7}))
        self.deletes.append((steps_of(path), value))
        return f"{path} {self.value(value)}"

    def apply(self, before):
        """The row after the update of `before` (None: there is no item). Only taking away creates none."""
        old = before or {}
        row, assigned, removed = copy.deepcopy(old), [], list(self.removes)
        for steps, get in self.sets:
            assigned.append((steps, copy.deepcopy(get(old))))
        for steps, value in self.adds:
            found, present = find(old, steps)
            if found and not (is_number(present) and is_number(value) or
                              set_kind(present) is not None and set_kind(present) == set_kind(value)):
                raise Refused(WRONG_TYPE)
            if found:
                value = present | value if isinstance(value, set) else present + value
            assigned.append((steps, value))
        for steps, value in self.deletes:
            found, present = find(old, steps)
            if found and set_kind(present) != set_kind(value):
                raise Refused(WRONG_TYPE)
            if found and present - value:
                assigned.append((steps, present - value))
            else:
                removed.append(steps)
        self.write(row, old, assigned, removed, before is not None)
        return row if before is not None or self.sets or self.adds else None

    @staticmethod
    def write(row, old, assigned, removed, exists):
        appended = []
        for steps, value in assigned:
            holder = parent(row, steps)
            if isinstance(holder, list) and steps[-1] >= len(find(old, steps[:-1])[1]):
                appended.append((steps[-1], holder, value))
            else:
                holder[steps[-1]] = value
        gone = []
        for steps in removed:
            if not exists:
                continue  # nothing to remove, whatever the path
            holder = parent(row, steps)
            if isinstance(holder, list):
                gone.append((steps[-1], holder))
            else:
                holder.pop(steps[-1], None)
        for index, holder in sorted(gone, key=lambda pair: -pair[0]):
            if index < len(holder):
                del holder[index]
        for _, holder, value in sorted(appended, key=lambda entry: entry[0]):
            holder.append(value)


def touched(row, paths):
    """The row reduced to some paths, as UPDATED_OLD and UPDATED_NEW give it for names without dots."""
    return {path: row[path] for path in paths if path in row}


def any_row(data):
    choices = {
        "aa": (1, "text", {"kk": 3}, [7], None), "bb": ([1], "x", {"a"}), "cc": (True, "", 2),
        "nn": (0, 41, Decimal("-1.75")), "ss": ({"a"}, {"a", "c"}, {1, 2}, "a"),
        "ll": ([], [1, {"kk": 2}, "z"], [10, 11, 12, 13], ["only"]),
        "mm": ({}, {"kk": 1, "jj": [1]}, {"kk": "s", "deep": {"kk": 1}}, {"jj": {"b"}})}
    return {name: data.choice(values) for name, values in choices.items() if data.random() < 0.85}


@pytest.mark.parametrize("part", range(4))
def test_random_updates(fast, table, part):
    data = scenario.generator(f"random updates {part}")
    modes = ("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")
    refused, key = 0, {"pk": {"S": scenario.unique_name("random-update")}}
    for number in range(250):
        before = any_row(data) if data.random() < 0.9 else None
        fast.delete_item(TableName=table, Key=key)
        if before is not None:
            fast.put_item(TableName=table, Item={**key, **to_item(before)})
        update, mode = Update(data), data.choice(modes)
        context = f"{number}: {update.text} with {update.values} on {before}, {mode}"
        try:
            after, message = update.apply(before), None
        except Refused as reason:
            after, message = before, str(reason)
        members = {"UpdateExpression": update.text, **scenario.placeholders(update.values, update.text)}
        try:
            answer = fast.update_item(TableName=table, Key=key, ReturnValues=mode, **members)
            assert message is None, f"accepted, not refused with {message}: {context}"
        except ClientError as error:
            refused += 1
            answer = None
            # With several reasons for a refusal any of them may be given.
            assert message is not None and error.response["Error"]["Message"] in REFUSALS, f"{error}: {context}"
        stored = fast.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")
        stored = stored and {n: v for n, v in to_row(stored).items() if n != "pk"}
        assert plain(stored) == plain(after), context
        if answer is not None:
            check_returned(answer, mode, update, before, after, context)
    assert 20 < refused < 230


def check_returned(answer, mode, update, before, after, context):
    found = to_row(answer.get("Attributes", {}))
    if mode.startswith("ALL"):
        found.pop("pk", None)
    row = {"NONE": {}, "ALL_OLD": before or {}, "ALL_NEW": after or {}}.get(mode)
    if row is None:
        if any("." in path or "[" in path for path in update.paths):
            return  # parts of lists and maps: see test_update_item.py
        row = touched((before if mode == "UPDATED_OLD" else after) or {}, update.paths)
    assert plain(found) == plain(row), context
