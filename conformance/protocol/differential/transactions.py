"""Transactions: TransactWriteItems with tokens that come again, TransactGetItems."""

from data import item, key
from expressions import Expression
from reads import common
from writes import conditioned, returned

KINDS = {"Put": 8, "Update": 3, "Delete": 3, "ConditionCheck": 0.7}
EARLIER_MOST = 30


def count(data):
    return data.randrange(1, 30 if data.chance(0.05) else 5)


def once_each(data, table, seen, content):
    """False when an item of this key is in the transaction already, which is refused."""
    identity = (table.name, *(str(content.get(name)) for name, _ in table.keys))
    if identity in seen and not data.slip(0.02):
        return False
    seen.add(identity)
    return True


def action(data, table, seen):
    kind = data.weighted(KINDS)
    content = item(data, table) if kind == "Put" else key(data, table)
    if not once_each(data, table, seen, content):
        return None
    expression = Expression(data, table)
    body = {"TableName": table.reference(data), "Item" if kind == "Put" else "Key": content}
    if kind == "Update":
        body["UpdateExpression"] = expression.update()
    if kind == "ConditionCheck":
        exists = data.choice(("attribute_exists", "attribute_not_exists"))
        body["ConditionExpression"] = f"{exists}({expression.name(table.keys[0][0])})"
    elif data.chance(0.3):
        conditioned(data, table, body, expression)
        body.pop("ConditionalOperator", None)
        body.pop("Expected", None)
    if data.chance(0.3):
        body["ReturnValuesOnConditionCheckFailure"] = data.choice(("ALL_OLD", "NONE"))
    return {kind: expression.into(body)}


def write(data, tables, earlier):
    """`earlier` holds requests with tokens; some are sent again, as they were or with another content."""
    if earlier and data.chance(0.2):
        again = data.choice(earlier)
        return "TransactWriteItems", returned(data, {
            "ClientRequestToken": again["ClientRequestToken"],
            "TransactItems": again["TransactItems"][::1 if data.chance(0.8) else -1]})
    seen = set()
    made = (action(data, data.choice(tables), seen) for _ in range(count(data)))
    body = {"TransactItems": [one for one in made if one]}
    if data.chance(0.4):
        body["ClientRequestToken"] = f"token-{data.randrange(10**6)}"
        earlier.append(dict(body))
        del earlier[:-EARLIER_MOST]
    return "TransactWriteItems", returned(data, body)


def read(data, tables):
    seen, gets = set(), []
    for _ in range(count(data)):
        table = data.choice(tables)
        expression, wanted = Expression(data, table), key(data, table)
        if not once_each(data, table, seen, wanted):
            continue
        body = {"TableName": table.reference(data), "Key": wanted}
        if data.chance(0.3):
            body["ProjectionExpression"] = expression.projection()
        gets.append({"Get": expression.into(body)})
    return "TransactGetItems", common(data, {"TransactItems": gets})
