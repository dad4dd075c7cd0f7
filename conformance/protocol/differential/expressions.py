"""Random expressions with their names and values: conditions, filters, projections, updates, key
conditions. One Expression serves one request, so that its texts share placeholders."""

from data import ATTRIBUTES, any_value, key_value, number, of_kind

# Paths by what they usually lead to.
PATHS = {
    "S": ("s1", "s2", "status", "m1.s1", "m1.m1.s1", "l1[0].s1"),
    "N": ("n1", "n2", "m1.n1", "m1.m1.n1"),
    "B": ("b1",), "BOOL": ("f1",), "NULL": ("z1",), "SS": ("t1",), "NS": ("u1",), "BS": ("v1",),
    "M": ("m1", "m1.m1"), "L": ("l1", "m1.l1"),
    "?": ("any", "a.b", "ß", "l1[0]", "l1[2]", "m1.any", "absent", "m1.absent", "l1[99]"),
}
KINDS = tuple(PATHS)
NEEDS_PLACEHOLDER = {"status", "a.b", "ß", "any"}
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")


def rough_order(value):
    """Sorts what a key may hold, well enough that most ranges are not empty."""
    content = str(next(iter(value.values()), "")) if isinstance(value, dict) else ""
    return (0, int(content), "") if content.isdecimal() else (1, 0, content)


class Expression:
    def __init__(self, data, table):
        self.data, self.table = data, table
        self.names, self.values = {}, {}

    def into(self, body):
        """Adds the placeholders to a request; rarely one is missing or unused."""
        for values, member, extra in ((self.names, "ExpressionAttributeNames", ("#unused", "s1")),
                                      (self.values, "ExpressionAttributeValues", (":unused", {"S": "a"}))):
            if self.data.slip(0.02):
                values[extra[0]] = extra[1]
            if values and self.data.slip(0.02):
                values.pop(self.data.choice(list(values)))
            if values:
                body[member] = values
        return body

    def name(self, attribute):
        """An attribute name as it may stand in a text."""
        if attribute not in NEEDS_PLACEHOLDER and not self.data.chance(0.25):
            return attribute
        for placeholder, known in self.names.items():
            if known == attribute and not self.data.chance(0.05):
                return placeholder
        placeholder = f"#n{len(self.names)}"
        self.names[placeholder] = attribute
        return placeholder

    def value(self, value):
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = value
        return placeholder

    def written(self, path):
        """A path such as m1.l1[0] with each name as it is or as a placeholder."""
        if path == "a.b":
            return self.name(path)
        steps = []
        for step in path.split("."):
            attribute, bracket, rest = step.partition("[")
            steps.append(self.name(attribute) + bracket + rest)
        return ".".join(steps)

    def path(self, kind=None):
        """(text, kind) of a path; to a key or index attribute sometimes."""
        data = self.data
        if kind is None and data.chance(0.2):
            known = [*self.table.keys, *self.table.indexed.items()]
            attribute, kind = data.choice(known)
            return self.name(attribute), kind
        kind = kind or data.choice(KINDS)
        return self.written(data.choice(PATHS[kind])), kind

    def fitting(self, kind):
        """A placeholder for a value of a kind, most of the time."""
        if kind == "?" or self.data.chance(0.02):
            return self.value(any_value(self.data))
        return self.value(of_kind(self.data, kind))

    # --- Conditions -------------------------------------------------------------------------------

    def condition(self, depth=2):
        data = self.data
        if depth and data.chance(0.45):
            kind = data.weighted({"AND": 4, "OR": 4, "NOT": 2})
            if kind == "NOT":
                return f"NOT ({self.condition(depth - 1)})"
            left, right = self.condition(depth - 1), self.condition(depth - 1)
            if data.chance(0.5):
                left = f"({left})"
            return f"{left} {kind} {right}"
        return data.choice((self.compared, self.compared, self.between, self.inside, self.called, self.sized))()

    def compared(self):
        left, kind = self.path(self.data.choice(("S", "N", "B", "?")) if self.data.chance(0.6) else None)
        ordered = kind in ("S", "N", "B")
        sign = self.data.choice(COMPARISONS if ordered else COMPARISONS[:2])
        right = self.path(kind)[0] if self.data.chance(0.1) and kind in PATHS else self.fitting(kind)
        if left == right:
            right = self.fitting(kind)
        return f"{left} {sign} {right}" if self.data.chance(0.85) else f"{right} {sign} {left}"

    def between(self):
        kind = self.data.choice(("S", "N", "B"))
        path, low, high = self.path(kind)[0], of_kind(self.data, kind), of_kind(self.data, kind)
        if kind == "N" and not self.data.slip(0.02):
            low, high = {"N": str(self.data.randrange(5))}, {"N": str(self.data.randrange(5, 20))}
        elif not self.data.slip(0.02) and low[kind] > high[kind]:
            low, high = high, low
        return f"{path} BETWEEN {self.value(low)} AND {self.value(high)}"

    def inside(self):
        path, kind = self.path()
        several = [self.fitting(kind) for _ in range(self.data.randrange(1, 4))]
        return f"{path} IN ({', '.join(several)})"

    def called(self):
        data = self.data
        function = data.choice(("attribute_exists", "attribute_not_exists", "attribute_type", "begins_with",
                                "contains"))
        if function == "attribute_type":
            kind = data.choice(KINDS[:-1]) if not data.slip(0.03) else "X"
            return f"attribute_type({self.path()[0]}, {self.value({'S': kind})})"
        if function == "begins_with":
            kind = data.choice(("S", "S", "B"))
            return f"begins_with({self.path(kind)[0]}, {self.value(of_kind(data, kind))})"
        if function == "contains":
            kind = data.choice(("S", "SS", "NS", "L"))
            inner = {"S": "S", "SS": "S", "NS": "N"}.get(kind) or data.choice(("S", "N", "BOOL"))
            return f"contains({self.path(kind)[0]}, {self.fitting(inner)})"
        return f"{function}({self.path()[0]})"

    def sized(self):
        path = self.path(self.data.choice(("S", "B", "SS", "NS", "L", "M", "N")))[0]
        return f"size({path}) {self.data.choice(COMPARISONS)} {self.value({'N': str(self.data.randrange(6))})}"

    # --- Projections ------------------------------------------------------------------------------

    def projection(self, names=ATTRIBUTES):
        """Some of the names, and paths below them unless others than the usual names are given."""
        data = self.data
        several = data.sample(names, data.randrange(1, 1 + min(5, len(names))))
        if names is not ATTRIBUTES:
            return ", ".join(self.written(path) for path in several)
        if data.chance(0.3):
            several += [name for name, _ in data.sample(self.table.keys, 1)]
        if data.chance(0.4):
            several = [name for name in several if name not in ("m1", "l1")]
            several += data.sample(("m1.s1", "m1.n1", "m1.m1.s1", "l1[1]", "l1[0]", "m1.l1[0]", "m1.absent"), 2)
        if data.slip(0.02):
            several += several[:1]
        data.shuffle(several)
        return ", ".join(self.written(path) for path in several)

    # --- Updates ----------------------------------------------------------------------------------

    def update(self):
        """An update whose paths overlap rarely."""
        data, sections, taken = self.data, {}, set()
        for _ in range(data.randrange(1, 5)):
            section, kind = data.weighted({("SET", None): 12, ("REMOVE", None): 4, ("ADD", "N"): 2, ("ADD", "SS"): 1,
                                           ("ADD", "NS"): 1, ("DELETE", "SS"): 1, ("DELETE", "NS"): 1})
            kind = kind or data.choice(KINDS)
            path = PATHS[kind][0] if data.chance(0.5) else data.choice(PATHS[kind])
            if data.chance(0.08) and section == "SET" and self.table.indexed:
                path, kind = data.choice(list(self.table.indexed.items()))
            top = path if path == "a.b" else path.partition(".")[0].partition("[")[0]
            if top in taken and not data.slip(0.05):
                continue
            taken.add(top)
            sections.setdefault(section, []).append(self.action(section, kind, path))
        if data.slip(0.02):
            sections.setdefault("SET", []).append(f"{self.table.keys[0][0]} = {self.value({'S': 'a'})}")
        order = data.sample(sorted(sections), len(sections))
        return " ".join(f"{section} {', '.join(sections[section])}" for section in order)

    def action(self, section, kind, path):
        written, data = self.written(path), self.data
        if section == "REMOVE":
            return written
        if section in ("ADD", "DELETE"):
            if section == "ADD" and kind == "N":
                return f"{written} {self.value({'N': number(data)})}"
            return f"{written} {self.fitting(kind)}"
        if path in self.table.indexed:
            return f"{written} = {self.value(key_value(data, kind, 'index'))}"
        return f"{written} = {self.operand(kind, written)}"

    def operand(self, kind, written):
        data = self.data
        if kind == "N" and data.chance(0.5):
            left = written
            if data.chance(0.5):
                left = f"if_not_exists({written}, {self.value({'N': '0'})})"
            return f"{left} {data.choice('+-')} {self.value({'N': number(data)})}"
        if kind == "L" and data.chance(0.5):
            parts = [f"if_not_exists({written}, {self.value({'L': []})})",
                     self.value({"L": [any_value(data, 1) for _ in range(data.randrange(3))]})]
            data.shuffle(parts)
            return f"list_append({parts[0]}, {parts[1]})"
        if data.chance(0.15):
            return f"if_not_exists({self.path(kind)[0]}, {self.fitting(kind)})"
        if data.chance(0.07):
            return self.path(kind)[0]
        return self.fitting(kind)

    # --- Key conditions ---------------------------------------------------------------------------

    def key_condition(self, index):
        """Equality for every hash attribute, a prefix of the range attributes, the last as it may be."""
        data = self.data
        is_own = index.name is None
        terms = [self.equals(name, kind, "hash" if is_own or name == "pk" else "index")
                 for name, kind in index.hashes]
        ranges = index.ranges[:data.randrange(len(index.ranges) + 1)] if index.ranges else []
        for position, (name, kind) in enumerate(ranges):
            part = "range" if is_own else "index"
            last = position == len(ranges) - 1
            terms.append(self.ranged(name, kind, part) if last else self.equals(name, kind, part))
        if data.chance(0.1):
            data.shuffle(terms)
        return (" OR " if data.slip(0.02) else " AND ").join(f"({term})" if data.chance(0.05) else term for term in terms)

    def equals(self, name, kind, part):
        value = self.value(key_value(self.data, kind, part))
        written = self.name(name)
        return f"{written} = {value}" if self.data.chance(0.95) else f"{value} = {written}"

    def ranged(self, name, kind, part):
        data, written = self.data, self.name(name)
        sign = data.choice(("=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"))
        if sign == "BETWEEN":
            values = [key_value(data, kind, part) for _ in range(2)]
            if not data.slip(0.05):
                values.sort(key=rough_order)
            return f"{written} BETWEEN {self.value(values[0])} AND {self.value(values[1])}"
        if sign == "begins_with" and kind == "S":
            return f"begins_with({written}, {self.value({'S': data.choice(('k', 'k0', 'k1', 'a', 'é'))})})"
        if sign == "begins_with" and (kind == "B" or data.slip(0.1)):
            return f"begins_with({written}, {self.value({'B': 'azA='})})"
        sign = ">=" if sign == "begins_with" else sign
        if data.slip(0.02):
            return f"{data.choice(('NOT', ''))} {written} IN ({self.value(key_value(data, kind, part))})"
        value = self.value(key_value(data, kind, part))
        return f"{written} {sign} {value}" if data.chance(0.9) else f"{value} {sign} {written}"
