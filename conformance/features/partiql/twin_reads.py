"""Random reads: a statement, and the native requests that do the same."""

import re

from twin_conditions import PATHS, ConditionDice, Values, inner

# Name, partition key, sort key, and what records carry (None: everything).
INDEXES = [("", "pk", "sk", None), ("", "pk", "sk", None), ("by_g", "g", "h", None), ("by_h", "pk", "h", None),
           ("own_g", "pk", "g", ["pk", "sk", "g"]), ("few_h", "h", None, ["pk", "sk", "h"]),
           ("some_g", "g", None, ["pk", "sk", "g", "n", "t"])]
KEYS = {"pk": "ab", "g": "xy", "h": "123456"}
WORDS = {True: "DESC", False: "ASC"}


def used(named, *expressions):
    """The members of :names that expressions have."""
    names = {name for text in expressions for name in re.findall(r":v\d+", text or "")}
    return {"ExpressionAttributeValues": {name: named[name] for name in names}} if names else {}


class ReadDice(ConditionDice):
    def lookup(self):
        values, key = Values(self.random), self.key()
        text = f"pk = {values.text(key['pk'])} AND sk = {values.text(key['sk'])}"
        return values.statement(f"SELECT * FROM {self.statements} WHERE {text}"), "Get", {"Key": key}

    def select(self):
        """(members of ExecuteStatement, operation, the members of each request, columns) of a Scan or of Queries
        one after the other, over an index or not."""
        values = Values(self.random)
        index, partition, sort, carried = self.random.choice(INDEXES)
        find = self.random.choice([self.no_key, self.one_key, self.one_key, self.several_keys])
        conditions, keys, order = find(partition, sort, values)
        filters, common = None, {"IndexName": index} if index else {}
        if self.random.random() < 0.6:
            text, filters = self.condition(values)
            conditions.append(inner(text))
            common["FilterExpression"] = filters
        columns = self.random.sample(PATHS + ["pk", "sk"], 3) if self.random.random() < 0.4 else []
        if carried is not None and columns:  # where what is not carried is refused, or read from the table
            columns = self.random.sample(carried * 2 + ["z", "absent"], 1)
            common["ProjectionExpression"] = columns[0]
        requests = []
        for key, backward in keys:
            key = {"KeyConditionExpression": key, "ScanIndexForward": not backward} if key else {}
            requests.append({"TableName": self.requests, **common, **key,
                             **used(values.named, key.get("KeyConditionExpression"), filters)})
        source = self.statements + ("." + index if index else "")
        where = " WHERE " + " AND ".join(conditions) if conditions else ""
        text = f"SELECT {', '.join(columns) or '*'} FROM {source}{where}{order}"
        operation = "Query" if keys[0][0] else "Scan"
        return values.statement(text), operation, requests, columns

    # --- how keys are found: (texts of WHERE, [(key condition or None, backwards)], ORDER BY) -------------------

    def no_key(self, partition, sort, values):
        return [], [(None, False)], ""

    def one_key(self, partition, sort, values):
        text, name = values.both({"S": self.random.choice(KEYS[partition])})
        conditions, key = [f"{partition} = {text}"], f"{partition} = {name}"
        if sort:
            more = self.sort_condition(sort, values)
            conditions += [more[0]] if more else []
            key += f" AND {more[1]}" if more else ""
        down = self.random.random() < 0.5
        # Who orders by the partition key alone gets the sort key descending.
        order, backward = self.random.choice([
            ("", False), ("", False), (f" ORDER BY {partition} {WORDS[down]}", True),
            *([(f" ORDER BY {sort} {WORDS[down]}", down),
               (f" ORDER BY {partition}, {sort} {WORDS[down]}", down)] if sort else [])])
        return conditions, [(key, backward)], order

    def several_keys(self, partition, sort, values):
        if sort and self.random.random() < 0.3:
            return self.several_sort_keys(partition, sort, values)
        wanted = self.random.sample(KEYS[partition], 2)
        if sort and self.random.random() < 0.4:
            texts, keys = zip(*(self.one_branch(partition, sort, values, value) for value in wanted))
            return [f"({' OR '.join(texts)})"], *self.ordered(partition, sort, list(zip(wanted, keys)))
        both = [values.both({"S": value}) for value in wanted]
        conditions = [f"{partition} IN [{', '.join(text for text, _ in both)}]" if self.random.random() < 0.5 else
                      f"({' OR '.join(f'{partition} = {text}' for text, _ in both)})"]
        more = self.sort_condition(sort, values) if sort else None
        conditions += [more[0]] if more else []
        keys = [f"{partition} = {name}{f' AND {more[1]}' if more else ''}" for _, name in both]
        return conditions, *self.ordered(partition, sort, list(zip(wanted, keys)))

    def one_branch(self, partition, sort, values, value):
        text, name = values.both({"S": value})
        more = self.sort_condition(sort, values)
        if not more:
            return f"({partition} = {text})", f"{partition} = {name}"
        return f"({partition} = {text} AND {more[0]})", f"{partition} = {name} AND {more[1]}"

    def several_sort_keys(self, partition, sort, values):
        text, name = values.both({"S": self.random.choice(KEYS[partition])})
        wanted = self.random.sample("12345", 3)
        both = [values.both({"S": value}) for value in wanted]
        conditions = [f"{partition} = {text}", f"{sort} IN [{', '.join(text for text, _ in both)}]"]
        keys = [f"{partition} = {name} AND {sort} = {value}" for _, value in both]
        if self.random.random() < 0.5:
            return conditions, [(key, False) for key in keys], ""
        down = self.random.random() < 0.5
        keys = [key for _, key in sorted(zip(wanted, keys), reverse=down)]
        return conditions, [(key, down) for key in keys], f" ORDER BY {sort} {WORDS[down]}"

    def ordered(self, partition, sort, keys):
        """[(value, key condition)] in the order of the text, or in that of an ORDER BY."""
        if self.random.random() < 0.4:
            return [(key, False) for _, key in keys], ""
        down, backward, names_sort = (self.random.random() < 0.5 for _ in range(3))
        keys = [key for _, key in sorted(keys, reverse=down)]
        if names_sort and sort:
            return ([(key, backward) for key in keys],
                    f" ORDER BY {partition} {WORDS[down]}, {sort} {WORDS[backward]}")
        return [(key, True) for key in keys], f" ORDER BY {partition} {WORDS[down]}"

    def sort_condition(self, sort, values):
        kind = self.random.randrange(5)
        if kind == 0:
            return None
        if kind == 1:
            low, high = values.both({"S": "2"}), values.both({"S": self.random.choice("345")})
            return f"{sort} BETWEEN {low[0]} AND {high[0]}", f"{sort} BETWEEN {low[1]} AND {high[1]}"
        text, name = values.both({"S": self.random.choice("12345")})
        if kind == 2:
            return f"begins_with({sort}, {text})", f"begins_with({sort}, {name})"
        op = self.random.choice(["=", "<", "<=", ">", ">="])
        return f"{sort} {op} {text}", f"{sort} {op} {name}"
