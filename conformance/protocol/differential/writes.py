"""Requests that write: PutItem, UpdateItem, DeleteItem, BatchWriteItem."""

import legacy
from data import item, key
from expressions import Expression

RETURN_VALUES = {
    "PutItem": ("NONE", "ALL_OLD"), "DeleteItem": ("NONE", "ALL_OLD"),
    "UpdateItem": ("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"),
}
CAPACITY = ("INDEXES", "TOTAL", "NONE")


def returned(data, body):
    """What to answer beside the items."""
    if data.chance(0.5):
        body["ReturnConsumedCapacity"] = data.choice(CAPACITY)
    if data.chance(0.2):
        body["ReturnItemCollectionMetrics"] = data.choice(("SIZE", "SIZE", "NONE"))
    if data.slip(0.01):
        body[data.choice(("ReturnConsumedCapacity", "ReturnItemCollectionMetrics"))] = "SOME"
    return body


def finished(data, operation, body, expression):
    allowed = RETURN_VALUES[operation]
    if data.chance(0.5):
        body["ReturnValues"] = data.choice(allowed if not data.slip(0.02) else RETURN_VALUES["UpdateItem"])
    if data.chance(0.15):
        body["ReturnValuesOnConditionCheckFailure"] = data.choice(("ALL_OLD", "NONE"))
    returned(data, body)
    return operation, expression.into(body)


def conditioned(data, table, body, expression):
    """Adds a condition in one of its forms to some requests."""
    if not data.chance(0.22):
        return
    if data.chance(0.2) and ("UpdateExpression" not in body or data.slip(0.05)):
        body["Expected"] = legacy.expected(data, table)
        legacy.combined(data, body)
    elif data.chance(0.4):
        exists = data.choice(("attribute_exists", "attribute_exists", "attribute_not_exists"))
        body["ConditionExpression"] = f"{exists}({expression.name(table.keys[0][0])})"
    else:
        body["ConditionExpression"] = expression.condition()


def put(data, table):
    expression = Expression(data, table)
    body = {"TableName": table.reference(data), "Item": item(data, table)}
    conditioned(data, table, body, expression)
    return finished(data, "PutItem", body, expression)


def delete(data, table):
    expression = Expression(data, table)
    body = {"TableName": table.reference(data), "Key": key(data, table)}
    conditioned(data, table, body, expression)
    return finished(data, "DeleteItem", body, expression)


def update(data, table):
    expression = Expression(data, table)
    body = {"TableName": table.reference(data), "Key": key(data, table)}
    if data.chance(0.12):
        body["AttributeUpdates"] = legacy.attribute_updates(data, table)
        if data.chance(0.3):
            body["Expected"] = legacy.expected(data, table)
            legacy.combined(data, body)
    else:
        if data.chance(0.98):
            body["UpdateExpression"] = expression.update()
        conditioned(data, table, body, expression)
    return finished(data, "UpdateItem", body, expression)


def batch(data, tables):
    requests, seen = {}, set()
    many = data.chance(0.04)
    for table in data.sample(tables, min(len(tables), data.randrange(1, 4))):
        entries = []
        for _ in range(data.randrange(1, 27 if many else 7)):
            is_put = data.chance(0.7)
            content = item(data, table) if is_put else key(data, table)
            identity = (table.name, *(str(content.get(name)) for name, _ in table.keys))
            if identity in seen and not data.slip(0.01):
                continue
            seen.add(identity)
            entries.append({"PutRequest": {"Item": content}} if is_put else {"DeleteRequest": {"Key": content}})
        if entries:
            requests[table.reference(data)] = entries
    return "BatchWriteItem", returned(data, {"RequestItems": requests})
