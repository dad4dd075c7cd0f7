"""The parameters from before expressions: Expected, AttributeUpdates, KeyConditions, QueryFilter,
ScanFilter, AttributesToGet."""

from data import ATTRIBUTES, any_value, key_value, kind_of, number, of_kind

NO_OPERANDS = ("NULL", "NOT_NULL")
ONE_OPERAND = ("EQ", "NE", "LT", "LE", "GT", "GE", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH")


def comparison(data, kind, draw):
    """ComparisonOperator and AttributeValueList that go together, most of the time."""
    operator = data.choice((*NO_OPERANDS, *ONE_OPERAND, "EQ", "IN", "BETWEEN"))
    if operator in NO_OPERANDS:
        count = 0
    elif operator == "BETWEEN":
        count, kind = 2, kind if kind in ("S", "N", "B") else "N"
    elif operator == "IN":
        count, kind = data.randrange(1, 4), kind if kind in ("S", "N", "B") else "S"
    else:
        count = 1
        if operator in ("LT", "LE", "GT", "GE") and kind not in ("S", "N", "B"):
            kind = "N"
        elif operator == "BEGINS_WITH":
            kind = "S"
        elif operator in ("CONTAINS", "NOT_CONTAINS") and kind not in ("S", "N", "B"):
            kind = "S"
    if data.slip(0.02):
        count += 1
    values = [draw(data, kind) for _ in range(count)]
    if operator == "BETWEEN" and kind == "N" and not data.slip(0.02):
        values = [{"N": str(data.randrange(5))}, {"N": str(data.randrange(5, 12))}]
    out = {"ComparisonOperator": operator}
    if values or data.slip(0.02):
        out["AttributeValueList"] = values
    return out


def conditions(data, names=ATTRIBUTES):
    """QueryFilter or ScanFilter."""
    return {name: comparison(data, kind_of(data, name), of_kind)
            for name in data.sample(names, data.randrange(1, 4))}


def combined(data, body):
    """ConditionalOperator, which needs two conditions."""
    conditions_ = body.get("Expected") or body.get("QueryFilter") or body.get("ScanFilter") or ()
    if data.chance(0.3) and (len(conditions_) > 1 or data.slip(0.2)):
        body["ConditionalOperator"] = data.choice(("AND", "OR"))


def expected(data, table):
    out = {}
    for name in data.sample(ATTRIBUTES, data.randrange(1, 3)):
        form = data.randrange(4)
        if form == 0:
            out[name] = {"Exists": False}
        elif form == 1:
            out[name] = {"Value": any_value(data, 1)}
        else:
            out[name] = comparison(data, kind_of(data, name), of_kind)
    if data.chance(0.2):
        out[table.keys[0][0]] = {"Exists": data.slip(0.1)}
    return out


def attribute_updates(data, table):
    out = {}
    for name in data.sample(ATTRIBUTES, data.randrange(1, 4)):
        kind = kind_of(data, name)
        action = data.choice(("PUT", "PUT", "DELETE", "ADD", None))
        update = {} if action is None else {"Action": action}
        if action == "ADD":
            if kind not in ("N", "SS", "NS", "BS", "L") and not data.slip(0.05):
                name, kind = data.choice((("n1", "N"), ("t1", "SS"), ("u1", "NS"), ("l1", "L")))
            update["Value"] = {"N": number(data)} if kind == "N" else of_kind(data, kind)
        elif action == "DELETE":
            if kind in ("SS", "NS", "BS") and data.chance(0.7):
                update["Value"] = of_kind(data, kind)
        elif not data.slip(0.01):
            update["Value"] = of_kind(data, kind)
        out[name] = update
    if data.slip(0.02):
        out[table.keys[0][0]] = {"Value": {"S": "a"}}
    return out


def key_conditions(data, index):
    """For a table or index with one attribute of each role; others have no such form."""
    is_own = index.name is None
    (name, kind), = index.hashes[:1]
    out = {name: {"ComparisonOperator": "EQ",
                  "AttributeValueList": [key_value(data, kind, "hash" if is_own or name == "pk" else "index")]}}
    if index.ranges and data.chance(0.6):
        name, kind = index.ranges[0]
        operator = data.choice(("EQ", "LT", "LE", "GT", "GE", "BETWEEN", "BEGINS_WITH"))
        if operator == "BEGINS_WITH" and kind == "N" and not data.slip(0.05):
            operator = "GE"
        count = 2 if operator == "BETWEEN" else 1
        values = [key_value(data, kind, "range" if is_own else "index") for _ in range(count)]
        if operator == "BEGINS_WITH" and kind == "S":
            values = [{"S": data.choice(("k", "k1", "a"))}]
        if count == 2 and kind == "N":
            values = [{"N": str(data.randrange(5))}, {"N": str(data.randrange(5, 24))}]
        elif count == 2:
            values.sort(key=str)
        out[name] = {"ComparisonOperator": operator, "AttributeValueList": values}
    return out


def attributes_to_get(data):
    return data.sample(ATTRIBUTES, data.randrange(1, 5)) + (["pk"] if data.chance(0.3) else [])
