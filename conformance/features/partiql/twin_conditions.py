"""Random values and conditions, as statements and as native requests say them."""

PATHS = ["n", "t", "m.k", "m.l[1]", "l[0]", "l[2]", "ss", "ns", "b", "z", "absent"]
TYPES = ["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"]


def literal(value):
    """The text of a value; None when it has none, or differs in meaning."""
    (kind, content), = value.items()
    if kind == "S":
        return "'" + content.replace("'", "''") + "'"
    if kind == "N":
        return content
    if kind == "BOOL":
        return str(content).lower()
    if kind == "NULL":
        return "null"
    if kind in ("SS", "NS"):
        return "<<" + ", ".join(literal({kind[0]: member}) for member in content) + ">>"
    members = content.values() if kind == "M" else content if kind == "L" else [None]
    texts = [member and literal(member) for member in members]
    if None in texts:
        return None
    if kind == "L":
        return "[" + ", ".join(texts) + "]"
    return "{" + ", ".join(f"'{name}': {text}" for name, text in zip(content, texts)) + "}"


def inner(text):
    """In parentheses, of which a native condition takes no two around one another."""
    depth, ends = 0, []
    for place, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0 and letter == ")":
            ends.append(place)
    return text if text.startswith("(") and ends[:1] == [len(text) - 1] else f"({text})"


class Values:
    """What one statement says as literals and parameters, and the native request as :names."""

    def __init__(self, dice):
        self.dice, self.parameters, self.named = dice, [], {}

    def name(self, value):
        name = f":v{len(self.named)}"
        self.named[name] = value
        return name

    def both(self, value):
        return self.text(value), self.name(value)

    def text(self, value):
        text = literal(value)
        if text is not None and len(text) < 2000 and self.dice.random() < 0.6:
            return text
        self.parameters.append(value)
        return "?"

    def statement(self, text):
        return {"Statement": text, **({"Parameters": self.parameters} if self.parameters else {})}

    def values(self):
        return {"ExpressionAttributeValues": self.named} if self.named else {}


class ConditionDice:
    def __init__(self, random, statements, requests):
        self.random, self.statements, self.requests = random, statements, requests

    # --- values ---------------------------------------------------------------------------------

    def scalar(self):
        kind = self.random.choice(["N", "N", "S", "S", "BOOL", "NULL", "B"])
        if kind == "N":
            return {"N": self.random.choice(["-1", "0", "1", "2", "3", "2.5", "1e3"])}
        if kind == "S":
            return {"S": self.random.choice(["1", "12", "x", "it's", "é"])}
        return {kind: {"BOOL": self.random.random() < 0.5, "NULL": True, "B": "AQI="}[kind]}

    def value(self):
        kind = self.random.randrange(9)
        if kind == 0:
            return {"SS": self.random.sample(["p", "q", "r", "x"], self.random.randrange(1, 4))}
        if kind == 1:
            return {"NS": self.random.sample(["1", "2", "3.5"], self.random.randrange(1, 4))}
        if kind == 2:
            return {"L": [self.scalar() for _ in range(self.random.randrange(4))]}
        if kind == 3:
            return {"M": {"k": self.scalar(), "l": {"L": [self.scalar(), self.scalar()]}}}
        return self.scalar()

    def index_key(self, letters):
        """At times of a wrong type."""
        return {"S": self.random.choice(letters)} if self.random.random() < 0.95 else {"N": "1"}

    def key(self):
        return {"pk": {"S": self.random.choice("ab")}, "sk": {"S": self.random.choice("12345")}}

    def item(self):
        item = self.key()
        usual = {"n": lambda: {"N": str(self.random.randrange(6))},
                 "t": lambda: {"S": self.random.choice("123") * self.random.choice([1, 2, 900, 5000])},
                 "g": lambda: self.index_key("xy"), "h": lambda: self.index_key("123456"),
                 "ss": lambda: {"SS": self.random.sample("pqr", 2)}, "ns": lambda: {"NS": ["1", "2"]},
                 "l": lambda: {"L": [self.scalar() for _ in range(3)]},
                 "m": lambda: {"M": {"k": self.scalar(), "l": {"L": [{"N": "1"}, {"N": "2"}]}}}, "z": self.value}
        for name, make in usual.items():
            if self.random.random() < 0.7:
                item[name] = make()
        return item

    # --- conditions, in both languages ----------------------------------------------------------

    def condition(self, values, depth=2):
        kind = self.random.randrange(14 if depth else 11)
        if kind == 13:
            return tuple(f"NOT {inner(each)}" for each in self.condition(values, depth - 1))
        if kind >= 11:
            word = "AND" if kind == 11 else "OR"
            first, second = self.condition(values, depth - 1), self.condition(values, depth - 1)
            return tuple(f"{inner(a)} {word} {inner(b)}" for a, b in zip(first, second))
        path = self.random.choice(PATHS)
        if kind <= 2:
            op = self.random.choice(["=", "<", "<=", ">", ">="])
            value = self.value() if op == "=" else self.random.choice([{"N": "2"}, {"S": "2"}, {"B": "AQI="}])
            text, name = values.both(value)
            return f"{path} {op} {text}", f"{path} {op} {name}"
        if kind == 3:
            text, name = values.both(self.value())
            sign = self.random.choice(["<>", "!="])
            return f"{path} {sign} {text}", f"(attribute_exists({path}) AND {path} <> {name})"
        if kind == 4:
            pairs = [values.both(self.scalar()) for _ in range(self.random.randrange(1, 4))]
            opening, closing = self.random.choice(["[]", "()"]) if len(pairs) > 1 else "[]"
            return (f"{path} IN {opening}{', '.join(text for text, _ in pairs)}{closing}",
                    f"{path} IN ({', '.join(name for _, name in pairs)})")
        if kind == 5:
            low, high = values.both({"N": "1"}), values.both({"N": self.random.choice(["2", "3"])})
            return f"{path} BETWEEN {low[0]} AND {high[0]}", f"{path} BETWEEN {low[1]} AND {high[1]}"
        if kind == 6:
            return self.random.choice([
                (f"attribute_exists({path})", f"attribute_exists({path})"),
                (f"attribute_not_exists({path})", f"attribute_not_exists({path})"),
                (f"{path} IS MISSING", f"attribute_not_exists({path})"),
                (f"{path} IS NOT MISSING", f"attribute_exists({path})")])
        if kind == 7:
            name = values.name({"S": "NULL"})
            return self.random.choice([(f"{path} IS NULL", f"attribute_type({path}, {name})"),
                                       (f"{path} IS NOT NULL", f"NOT attribute_type({path}, {name})")])
        if kind == 8:
            text, name = values.both({"S": self.random.choice(TYPES)})
            return f"attribute_type({path}, {text})", f"attribute_type({path}, {name})"
        if kind == 9:
            function = self.random.choice(["begins_with", "contains"])
            text, name = values.both({"S": self.random.choice(["1", "x", "p"])} if function == "begins_with"
                                     else self.scalar())
            return f"{function}({path}, {text})", f"{function}({path}, {name})"
        text, name = values.both({"N": self.random.choice(["1", "2", "3"])})
        return f"size({path}) > {text}", f"size({path}) > {name}"
