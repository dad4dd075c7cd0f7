"""Random reads: a statement, and the native requests that do the same."""

from twin_conditions import PATHS, ConditionDice, Values, inner


class ReadDice(ConditionDice):
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
