"""Random writes of one item: a statement, the kind of the native action, and its members."""

from twin_conditions import ConditionDice, Values, inner


RETURNING = [("ALL NEW", "ALL_NEW"), ("ALL OLD", "ALL_OLD"), ("MODIFIED NEW", "UPDATED_NEW"),
             ("MODIFIED OLD", "UPDATED_OLD")]


class WriteDice(ConditionDice):
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
        text, value = values.both(self.index_key("xy") if name == "g" else self.value())
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
        told = self.random.choice([None, *RETURNING]) if returns else None
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

    def exists(self):
        """In a transaction a condition on an item that is not written."""
        while True:
            values = Values(self.random)
            where, expression, key = self.where(values)
            if expression:
                return (values.statement(f"EXISTS(SELECT * FROM {self.statements} WHERE {where})"), "ConditionCheck",
                        {"Key": key, "ConditionExpression": expression, **values.values()})

    def write_in_transaction(self):
        return self.exists() if self.random.random() < 0.25 else self.write(returns=False)

    def write(self, returns=True):
        kind = self.random.randrange(3)
        return self.insert() if kind == 0 else self.update(returns) if kind == 1 else self.delete(returns)
