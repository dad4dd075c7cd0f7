"""Random queries and scans: key conditions, filters, pages and directions on a table and its indexes,
each answer compared with an evaluator of its own written here."""

import operator
from decimal import Decimal

import pytest

import scenario
from scenario import Index, to_row

MISSING = object()
ATTRIBUTES = ("aa", "bb", "cc", "dd")
PATHS = (*ATTRIBUTES, "mm.kk", "mm.jj", "ll[0]", "ll[1].kk", "mm.absent", "absent")
COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def type_of(value):
    if isinstance(value, bool):
        return "BOOL"
    if isinstance(value, set):
        return {"S": "SS", "N": "NS", "B": "BS"}[type_of(next(iter(value)))]
    kinds = {str: "S", int: "N", Decimal: "N", bytes: "B", list: "L", dict: "M", type(None): "NULL"}
    return kinds[type(value)]


def deep(value):
    """A value with its types, for an equality that tells True from 1."""
    kind = type_of(value)
    if kind == "L":
        return kind, [deep(v) for v in value]
    if kind == "M":
        return kind, {name: deep(v) for name, v in value.items()}
    return kind, value


def equal(left, right):
    return deep(left) == deep(right)


def ordered(left, right, compare):
    kind = type_of(left)
    if kind != type_of(right) or kind not in ("S", "N", "B"):
        return False
    if kind == "S":
        left, right = left.encode(), right.encode()
    return compare(left, right)


def contains(value, wanted):
    kind, other = type_of(value), type_of(wanted)
    if kind in ("S", "B"):
        return kind == other and wanted in value
    if kind in ("SS", "NS", "BS"):
        return kind == other + "S" and wanted in value
    return kind == "L" and any(equal(v, wanted) for v in value)


def size(value):
    kind = type_of(value)
    if kind == "S":
        return len(value.encode("utf-16-le")) // 2
    return MISSING if kind in ("N", "BOOL", "NULL") else len(value)


def at(row, path):
    """The value at a path such as mm.kk or ll[1].kk, or MISSING."""
    value = row
    for step in path.replace("[", ".[").split("."):
        if step.startswith("["):
            index = int(step[1:-1])
            if not isinstance(value, list) or index >= len(value):
                return MISSING
            value = value[index]
        elif not isinstance(value, dict) or step not in value:
            return MISSING
        else:
            value = value[step]
    return value


def any_value(data, depth=2):
    kind = data.randrange(11 if depth else 7)
    if kind < 2:
        return data.choice((-1, 0, 1, 2, 10, Decimal("1.5"), 10**37, Decimal("1E-130")))
    if kind < 4:
        return data.choice(("", "a", "aa", "ab", "b", "é", "🦊", "1", "a\x00"))
    if kind < 7:
        return data.choice((b"", b"a", b"aa", b"\xff", True, False, None))
    if kind == 7:
        return data.choice(({"a"}, {"a", "b"}, {1, 2}, {1, Decimal("1.5")}, {"é", "1"}))
    if kind == 8:
        return [any_value(data, depth - 1) for _ in range(data.randrange(3))]
    return {name: any_value(data, depth - 1) for name in ("kk", "jj") if data.random() < 0.7}


class Filter:
    """A random filter: its text, its values, and holds(row) as the documentation has it."""

    def __init__(self, data):
        self.data, self.values = data, {}
        self.text, self.holds = self.condition(3)

    def value(self, value):
        name = f"v{len(self.values)}"
        self.values[name] = value
        return f":{name}"

    def scalar(self):
        return self.data.choice((-1, 0, 1, 2, Decimal("1.5"), "a", "ab", "b", "é", "🦊", b"a", b"\xff", b"aa"))

    def condition(self, depth):
        """The text and the function of a condition of up to `depth` levels."""
        if depth and self.data.random() < 0.6:
            return self.combined(depth)
        return self.data.choice((self.comparison, self.comparison, self.between, self.inside, self.function, self.sized,
                                 self.both_paths))()

    def operand(self, depth):
        """A condition in parentheses, which a plain one may do without."""
        leaf = depth == 0 or self.data.random() < 0.3
        text, holds = self.condition(0 if leaf else depth)
        return text if leaf and self.data.random() < 0.5 else f"({text})", holds

    def combined(self, depth):
        kind, (left_text, left) = self.data.choice(("AND", "OR", "NOT")), self.operand(depth - 1)
        if kind == "NOT":
            return f"NOT {left_text}", lambda row: not left(row)
        right_text, right = self.operand(depth - 1)
        if kind == "AND":
            return f"{left_text} AND {right_text}", lambda row: left(row) and right(row)
        return f"{left_text} OR {right_text}", lambda row: left(row) or right(row)

    def comparison(self):
        path, sign = self.data.choice(PATHS), self.data.choice(("=", "=", "<>", *COMPARE))
        wanted = any_value(self.data) if sign in ("=", "<>") else self.scalar()
        name, turned = self.value(wanted), self.data.random() < 0.3

        def holds(row):
            found = at(row, path)
            if found is MISSING:
                return sign == "<>"
            if sign in ("=", "<>"):
                return equal(found, wanted) == (sign == "=")
            return ordered(*((wanted, found) if turned else (found, wanted)), COMPARE[sign])

        return f"{name} {sign} {path}" if turned else f"{path} {sign} {name}", holds

    def both_paths(self):
        (left, right), sign = self.data.sample(PATHS, 2), self.data.choice(("=", "<>", *COMPARE))

        def holds(row):
            values = at(row, left), at(row, right)
            if MISSING in values:
                return sign == "<>"
            if sign in ("=", "<>"):
                return equal(*values) == (sign == "=")
            return ordered(*values, COMPARE[sign])

        return f"{left} {sign} {right}", holds

    def between(self):
        path = self.data.choice(PATHS)
        pairs = ((-1, 1), (0, Decimal("1.5")), ("", "b"), ("a", "é"), (b"", b"a"), (b"a", b"\xff"), (2, 2))
        low, high = self.data.choice(pairs)

        def holds(row):
            found = at(row, path)
            return found is not MISSING and ordered(low, found, operator.le) and ordered(found, high, operator.le)

        return f"{path} BETWEEN {self.value(low)} AND {self.value(high)}", holds

    def inside(self):
        path, wanted = self.data.choice(PATHS), [any_value(self.data) for _ in range(self.data.randrange(1, 5))]

        def holds(row):
            found = at(row, path)
            return found is not MISSING and any(equal(found, v) for v in wanted)

        return f"{path} IN ({', '.join(self.value(v) for v in wanted)})", holds

    def function(self):
        path, kind = self.data.choice(PATHS), self.data.randrange(5)
        if kind == 0:
            return f"attribute_exists({path})", lambda row: at(row, path) is not MISSING
        if kind == 1:
            return f"attribute_not_exists({path})", lambda row: at(row, path) is MISSING
        if kind == 2:
            wanted = self.data.choice(("S", "N", "B", "SS", "NS", "BS", "L", "M", "BOOL", "NULL"))
            return (f"attribute_type({path}, {self.value(wanted)})",
                    lambda row: at(row, path) is not MISSING and type_of(at(row, path)) == wanted)
        if kind == 3:
            prefix = self.data.choice(("", "a", "é", b"", b"a", "🦊"))
            return (f"begins_with({path}, {self.value(prefix)})", lambda row: at(row, path) is not MISSING and
                    type_of(at(row, path)) == type_of(prefix) and at(row, path).startswith(prefix))
        wanted = self.data.choice((1, "a", "b", b"a", None, True, "1", Decimal("1.5"), "", [], {}))
        return (f"contains({path}, {self.value(wanted)})",
                lambda row: at(row, path) is not MISSING and contains(at(row, path), wanted))

    def sized(self):
        path, sign, wanted = self.data.choice(PATHS), self.data.choice(("=", *COMPARE)), self.data.randrange(4)

        def holds(row):
            found = at(row, path)
            found = found if found is MISSING else size(found)
            return found is not MISSING and (found == wanted if sign == "=" else COMPARE[sign](found, wanted))

        return f"size({path}) {sign} {self.value(wanted)}", holds


@pytest.fixture(scope="module")
def store(new_store):
    data = scenario.generator("random rows")
    store = new_store("pk:S sk:N", glob=Index("gk:S gs:N"), local=Index("pk:S ls:S", local=True),
                      keys=Index("pk:S gs:N", "KEYS_ONLY", local=True))
    rows = []
    for number in range(600):
        row = {"pk": data.choice("pqr"), "sk": number - 300, "ls": data.choice(("a", "aa", "b", "é"))}
        row.update((name, any_value(data)) for name in ATTRIBUTES if data.random() < 0.8)
        if data.random() < 0.8:
            row["mm"] = {name: any_value(data) for name in ("kk", "jj") if data.random() < 0.8}
        if data.random() < 0.8:
            row["ll"] = [any_value(data) for _ in range(data.randrange(3))]
        if data.random() < 0.7:
            row.update(gk=data.choice("xy"), gs=data.randrange(-9, 9))
        if data.random() < 0.2:
            del row["ls"]
        rows.append(row)
    store.load(rows)
    return store


def by_key(store, rows):
    """Rows for a comparison without order. Each may come once."""
    found = {store.key(row): row for row in rows}
    assert len(found) == len(rows)
    return found


def key_condition(data, name, values):
    """A condition on a sort key of the given values: (text, {value}, holds)."""
    kind, (low, high) = data.randrange(4), sorted(data.choice(values) for _ in range(2))
    if kind == 0:
        return "", {}, lambda row: True
    if kind == 1:
        return (f" AND {name} BETWEEN :low AND :high", {"low": low, "high": high},
                lambda row: ordered(low, row[name], operator.le) and ordered(row[name], high, operator.le))
    if kind == 2 and isinstance(low, str):
        return f" AND begins_with({name}, :low)", {"low": low}, lambda row: row[name].startswith(low)
    sign = data.choice(("=", *COMPARE))
    return (f" AND {name} {sign} :low", {"low": low},
            lambda row: row[name] == low if sign == "=" else ordered(row[name], low, COMPARE[sign]))


@pytest.mark.parametrize("index", [None, "local", "glob", "keys"])
def test_random_queries(store, index):
    data = scenario.generator(f"random queries {index}")
    partition = "gk" if index == "glob" else "pk"
    sort = {None: "sk", "local": "ls", "glob": "gs", "keys": "gs"}[index]
    places = [row[sort] for row in store.rows.values() if sort in row]
    whole = {"Select": "ALL_ATTRIBUTES"} if index == "keys" else {}
    for number in range(80):
        value = data.choice("xyz" if index == "glob" else "pqrs")
        text, values, in_range = key_condition(data, sort, places)
        entries = [store.rows[store.key(e)] for e in store.expected(
            lambda e: e[partition] == value and in_range(e), index)]
        made, descending = Filter(data), data.random() < 0.5
        limit = {"Limit": data.choice((1, 2, 3, 10, 100, 1000))} if data.random() < 0.7 else {}
        members = {"FilterExpression": made.text} if data.random() < 0.8 else {}
        values = {**values, "pv": value, **(made.values if members else {})}
        answers = list(store.query_pages(f"{partition} = :pv{text}", values, index, descending,
                                         **limit, **members, **whole))
        found = [to_row(item) for answer in answers for item in answer["Items"]]
        wanted = [row for row in entries if not members or made.holds(row)]
        context = f"{number}: {partition} = {value!r}{text}, {values}, {members}, {limit}, descending {descending}"
        assert by_key(store, found) == by_key(store, wanted), context
        order = [row[sort] for row in found]
        in_bytes = [v.encode() if isinstance(v, str) else v for v in order]
        assert in_bytes == sorted(in_bytes, reverse=descending), context
        assert sum(answer["ScannedCount"] for answer in answers) == len(entries), context


@pytest.mark.parametrize("index", [None, "local", "glob"])
def test_random_scans(store, index):
    data = scenario.generator(f"random scans {index}")
    entries = store.entries(index)
    for number in range(50):
        made, total = Filter(data), data.choice((None, None, 2, 5))
        limit = {"Limit": data.choice((50, 333, 10_000))} if data.random() < 0.5 else {}
        parts = [{"Segment": n, "TotalSegments": total} for n in range(total)] if total else [{}]
        found = [row for part in parts
                 for row in store.scan(index, made.values, FilterExpression=made.text, **limit, **part)]
        wanted = [row for row in entries if made.holds(row)]
        context = f"{number}: {made.text}, {made.values}, {limit}, {total}"
        assert by_key(store, found) == by_key(store, wanted), context
