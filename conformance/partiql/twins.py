"""Random statements and the native requests that do the same: each step a pair of requests, and what
both must come to. Table names are given; both tables are alike (`TABLE`)."""

import json

TABLE = {
    "AttributeDefinitions": [{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk", "g", "h")],
    "GlobalSecondaryIndexes": [
        {"IndexName": "by_g", "Projection": {"ProjectionType": "ALL"},
         "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "h", "KeyType": "RANGE"}]}],
    "LocalSecondaryIndexes": [
        {"IndexName": "by_h", "Projection": {"ProjectionType": "ALL"},
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "h", "KeyType": "RANGE"}]}],
}
PATHS = ["n", "t", "m.k", "m.l[1]", "l[0]", "l[2]", "ss", "ns", "b", "z", "absent"]
TYPES = ["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"]
CHARGES = ["ReadCapacityUnits", "WriteCapacityUnits", "CapacityUnits", "Table", "GlobalSecondaryIndexes",
           "LocalSecondaryIndexes"]


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


class Dice:
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

    def key(self):
        return {"pk": {"S": self.random.choice("ab")}, "sk": {"S": self.random.choice("12345")}}

    def item(self):
        item = self.key()
        usual = {"n": lambda: {"N": str(self.random.randrange(6))},
                 "t": lambda: {"S": self.random.choice("123") * self.random.choice([1, 2, 900, 5000])},
                 "g": lambda: {"S": self.random.choice("xy")}, "h": lambda: {"S": self.random.choice("123456")},
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

    # --- writes of one item: (statement, kind of the native action, its members) -------------------

    def insert(self):
        values, item = Values(self.random), self.item()
        text = ", ".join(f"'{name}': {values.text(value)}" for name, value in item.items())
        return (values.statement(f"INSERT INTO {self.statements} VALUE {{{text}}}"), "Put",
                {"Item": item, "ConditionExpression": "attribute_not_exists(pk)"})

    def change(self, values):
        """One or two changes of different attributes: the statement's clauses, the native sections."""
        clauses, sections = [], {}
        for name in self.random.sample(["n", "t", "l", "ss", "ns", "m", "z", "g"], self.random.randrange(1, 3)):
            clause, section, action = self.one_change(name, values)
            clauses.append(clause)
            sections.setdefault(section, []).append(action)
        return " ".join(clauses), " ".join(f"{name} {', '.join(actions)}" for name, actions in sections.items())

    def one_change(self, name, values):
        kind = self.random.randrange(4)
        if kind == 0:
            path = {"l": f"l[{self.random.randrange(4)}]", "m": "m.k"}.get(name, name)
            return f"REMOVE {path}", "REMOVE", path
        if name == "n":
            sign, (text, value) = self.random.choice("+-"), values.both({"N": self.random.choice(["1", "2.5"])})
            return f"SET n = n {sign} {text}", "SET", f"n = n {sign} {value}"
        if name == "l" and kind == 1:
            text, value = values.both({"L": [self.scalar()]})
            lists = "l, {}" if self.random.random() < 0.5 else "{}, l"
            return (f"SET l = list_append({lists.format(text)})", "SET",
                    f"l = list_append({lists.format(value)})")
        if name in ("ss", "ns"):
            word = self.random.choice(["add", "delete"])
            text, value = values.both({"SS": ["p", "new"]} if name == "ss" else {"NS": ["1", "7"]})
            return f"SET {name} = set_{word}({name}, {text})", word.upper(), f"{name} {value}"
        path = {"l": f"l[{self.random.randrange(5)}]", "m": self.random.choice(["m", "m.k", "m.l[0]"])}.get(name, name)
        text, value = values.both({"S": self.random.choice("xy")} if name == "g" else self.value())
        return f"SET {path} = {text}", "SET", f"{path} = {value}"

    def where(self, values):
        """The key with or without a condition: (its text, the condition's expression or None, the key)."""
        key = self.key()
        text = f"pk = {values.text(key['pk'])} AND sk = {values.text(key['sk'])}"
        if self.random.random() < 0.4:
            return text, None, key
        for _ in range(20):
            own = Values(self.random)
            own.named = dict(values.named)
            condition, expression = self.condition(own)
            if " OR " not in condition:  # which a write's WHERE cannot have
                values.named = own.named
                values.parameters += own.parameters
                return f"{text} AND {condition}", expression, key
        return text, None, key

    def update(self, returns=True):
        values = Values(self.random)
        change, sections = self.change(values)
        where, expression, key = self.where(values)
        told = self.random.choice([None, ("ALL NEW", "ALL_NEW"), ("ALL OLD", "ALL_OLD")]) if returns else None
        text = f"UPDATE {self.statements} {change} WHERE {where}{f' RETURNING {told[0]} *' if told else ''}"
        condition = "attribute_exists(pk)" + (f" AND {inner(expression)}" if expression else "")
        return (values.statement(text), "Update",
                {"Key": key, "UpdateExpression": sections, "ConditionExpression": condition, **values.values(),
                 **({"ReturnValues": told[1]} if told else {})})

    def delete(self, returns=True):
        values = Values(self.random)
        where, expression, key = self.where(values)
        told = returns and self.random.random() < 0.5
        condition = {"ConditionExpression": f"attribute_not_exists(pk) OR {inner(expression or '')}", **values.values()}
        return (values.statement(f"DELETE FROM {self.statements} WHERE {where}{' RETURNING ALL OLD *' if told else ''}"),
                "Delete", {"Key": key, **(condition if expression else {}),
                           **({"ReturnValues": "ALL_OLD"} if told else {})})

    def write(self, returns=True):
        kind = self.random.randrange(3)
        return self.insert() if kind == 0 else self.update(returns) if kind == 1 else self.delete(returns)

    # --- reads ----------------------------------------------------------------------------------

    def lookup(self):
        values, key = Values(self.random), self.key()
        text = f"pk = {values.text(key['pk'])} AND sk = {values.text(key['sk'])}"
        return values.statement(f"SELECT * FROM {self.statements} WHERE {text}"), "Get", {"Key": key}

    def select(self):
        """(members of ExecuteStatement, operation, its members, columns) of a Query or a Scan, over an index or not."""
        values = Values(self.random)
        index, partition, sort = self.random.choice(
            [("", "pk", "sk"), ("", "pk", "sk"), ("by_g", "g", "h"), ("by_h", "pk", "h")])
        source = self.statements + ("." + index if index else "")
        native = {"IndexName": index} if index else {}
        conditions, order = [], ""
        operation = self.random.choice(["Query", "Query", "Scan"])
        if operation == "Query":
            text, name = values.both({"S": self.random.choice("xy" if partition == "g" else "ab")})
            conditions.append(f"{partition} = {text}")
            native["KeyConditionExpression"] = f"{partition} = {name}"
            self.sort_condition(sort, values, conditions, native)
            if self.random.random() < 0.4:
                down = self.random.random() < 0.5
                order = f" ORDER BY {sort} {'DESC' if down else 'ASC'}"
                native["ScanIndexForward"] = not down
        if self.random.random() < 0.6:
            text, name = self.condition(values)
            conditions.append(inner(text))
            native["FilterExpression"] = name
        where = " WHERE " + " AND ".join(conditions) if conditions else ""
        columns = self.random.sample(PATHS + ["pk", "sk"], 3) if self.random.random() < 0.4 else []
        text = f"SELECT {', '.join(columns) or '*'} FROM {source}{where}{order}"
        return (values.statement(text), operation, {"TableName": self.requests, **native, **values.values()}, columns)

    def sort_condition(self, sort, values, conditions, native):
        kind = self.random.randrange(5)
        if kind == 0:
            return
        if kind == 1:
            low, high = values.both({"S": "2"}), values.both({"S": self.random.choice("345")})
            conditions.append(f"{sort} BETWEEN {low[0]} AND {high[0]}")
            native["KeyConditionExpression"] += f" AND {sort} BETWEEN {low[1]} AND {high[1]}"
            return
        text, name = values.both({"S": self.random.choice("12345")})
        if kind == 2:
            conditions.append(f"begins_with({sort}, {text})")
            native["KeyConditionExpression"] += f" AND begins_with({sort}, {name})"
            return
        op = self.random.choice(["=", "<", "<=", ">", ">="])
        conditions.append(f"{sort} {op} {text}")
        native["KeyConditionExpression"] += f" AND {sort} {op} {name}"


# --- Both sides of a step -----------------------------------------------------------------------

def units(body):
    """What was consumed, without the table's name."""
    entries = body.get("ConsumedCapacity") or []
    return [{name: entry[name] for name in CHARGES if name in entry}
            for entry in (entries if isinstance(entries, list) else [entries])]


def error(answer):
    """What a refusal comes to: failed conditions have names of their own for INSERT."""
    _, name, message = answer.error()
    return "failed" if name in ("ConditionalCheckFailedException", "DuplicateItemException") else (name, message)


def single(client, operation, members, item_of):
    answer = client.send(operation, {**members, "ReturnConsumedCapacity": "INDEXES"})
    if answer.status != 200:
        return error(answer)
    return item_of(answer.json()), units(answer.json())


OPERATIONS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "Get": "GetItem"}


def statement_side(client, statement):
    return single(client, "ExecuteStatement", statement, lambda body: body["Items"])


def native_side(client, table, kind, members):
    def item_of(body):
        found = body.get("Item" if kind == "Get" else "Attributes")
        return [found] if found else []
    return single(client, OPERATIONS[kind], {"TableName": table, **members}, item_of)


def pages(client, operation, members, forward, limit):
    """Every page's items and units, until the last."""
    found = []
    while True:
        answer = client.send(operation, {**members, "ReturnConsumedCapacity": "INDEXES", **({"Limit": limit} if limit else {})})
        if answer.status != 200:
            return found + [error(answer)]
        body = answer.json()
        found.append((body["Items"], units(body)))
        if forward[0] not in body:
            return found
        members = {**members, forward[1]: body[forward[0]]}


def column(item, path):
    """{name: value} of what a path leads to, under its last name; empty: to nothing."""
    steps = path.replace("[", ".[").split(".")
    value = {"M": item}
    for step in steps:
        if step.startswith("["):
            value = dict(enumerate(value.get("L", []))).get(int(step[1:-1]))
        else:
            value = value.get("M", {}).get(step)
        if value is None:
            return {}
    return {path.split(".")[-1]: value}


def shown(page, columns):
    if not columns or not isinstance(page[0], list):
        return page
    return ([dict(part for path in columns for part in column(item, path).items()) for item in page[0]], page[1])


def select_sides(client, dice):
    statement, operation, members, columns = dice.select()
    limit = dice.random.choice([None, None, 1, 2, 3])
    native = pages(client, operation, members, ("LastEvaluatedKey", "ExclusiveStartKey"), limit)
    return (pages(client, "ExecuteStatement", statement, ("NextToken", "NextToken"), limit),
            [shown(page, columns) for page in native], (statement, members))


def different(dice, count, make):
    """Members on different items."""
    made = {}
    for _ in range(count):
        statement, kind, members = make()
        made[json.dumps(members.get("Key") or {name: members["Item"][name] for name in ("pk", "sk")})] = (
            statement, kind, members)
    return list(made.values())


CODES = {"failed": ("ConditionalCheckFailed", "DuplicateItem"), "ValidationException": ("ValidationError",)}


def batch_sides(client, dice):
    """A batch, and its members' requests one by one: items, and errors by their codes."""
    is_read = dice.random.random() < 0.3
    members = different(dice, dice.random.randrange(1, 6), dice.lookup if is_read else dice.write)
    answer = client.ok("BatchExecuteStatement", Statements=[each[0] for each in members])["Responses"]
    statements, requests = [], []
    for entry, (_, kind, native) in zip(answer, members, strict=True):
        expected = native_side(client, dice.requests, kind, native)
        if isinstance(expected, tuple) and isinstance(expected[0], list):
            requests.append(expected[0])
            statements.append([entry["Item"]] if "Item" in entry else entry.get("Error", []))
        else:
            codes = CODES["failed" if expected == "failed" else expected[0]]
            requests.append(True)
            statements.append(entry.get("Error", {}).get("Code") in codes and
                              (expected == "failed" or entry["Error"]["Message"] == expected[1]))
    return statements, requests, members


def reasons(answer):
    if answer.status == 200:
        return None
    found = answer.json().get("CancellationReasons")
    if found is None:
        return error(answer)
    return [("failed",) if reason["Code"] in CODES["failed"] else (reason["Code"], reason.get("Message"))
            for reason in found]


def transaction_sides(client, dice):
    is_read = dice.random.random() < 0.3
    members = different(dice, dice.random.randrange(1, 5), dice.lookup if is_read else lambda: dice.write(False))
    ours = client.send("ExecuteTransaction", {"TransactStatements": [each[0] for each in members],
                                              "ReturnConsumedCapacity": "INDEXES"})
    theirs = client.send("TransactGetItems" if is_read else "TransactWriteItems", {
        "ReturnConsumedCapacity": "INDEXES",
        "TransactItems": [{kind: {"TableName": dice.requests, **native}} for _, kind, native in members]})
    sides = [(reasons(answer), units(answer.json()), answer.json().get("Responses") or []) for answer in (ours, theirs)]
    return (*sides, members)


def step(client, dice):
    """(what the statements came to, what the requests did, what was asked)."""
    kind = dice.random.randrange(10)
    if kind < 4:
        statement, action, members = dice.write()
        return (statement_side(client, statement), native_side(client, dice.requests, action, members),
                (statement, members))
    if kind == 4:
        statement, action, members = dice.lookup()
        return (statement_side(client, statement), native_side(client, dice.requests, action, members),
                (statement, members))
    if kind < 8:
        return select_sides(client, dice)
    return batch_sides(client, dice) if kind == 8 else transaction_sides(client, dice)
