"""Requests that read: GetItem, BatchGetItem, Query, Scan, and how a page leads to the next."""

import copy

import legacy
from data import key
from expressions import Expression
from writes import CAPACITY


def common(data, body):
    if data.chance(0.4):
        body["ReturnConsumedCapacity"] = data.choice(CAPACITY)
    return body


def consistent(data, body, index=None):
    if data.chance(0.4) and (index is None or not index.is_global or data.slip(0.05)):
        body["ConsistentRead"] = data.chance(0.9)


def get(data, table):
    expression = Expression(data, table)
    body = {"TableName": table.reference(data), "Key": key(data, table)}
    consistent(data, body)
    if data.chance(0.1):
        body["AttributesToGet"] = legacy.attributes_to_get(data)
    elif data.chance(0.35):
        body["ProjectionExpression"] = expression.projection()
    return "GetItem", expression.into(common(data, body))


def batch(data, tables):
    requests = {}
    many, heavy = data.chance(0.05), data.chance(0.08)
    if heavy:
        tables = [table for table in tables if table.is_heavy] or tables
    for table in data.sample(tables, min(len(tables), data.randrange(1, 4))):
        expression = Expression(data, table)
        keys = [key(data, table) for _ in range(40 if heavy else data.randrange(1, 102 if many else 9))]
        if heavy:
            keys = [{**k, table.keys[0][0]: table.heavy_key()} for k in keys]
        if not data.slip(0.01):
            keys = list({str(k): k for k in keys}.values())
        body = {"Keys": keys}
        consistent(data, body)
        if data.chance(0.1):
            body["AttributesToGet"] = legacy.attributes_to_get(data)
        elif data.chance(0.3):
            body["ProjectionExpression"] = expression.projection()
        requests[table.reference(data)] = expression.into(body)
    return "BatchGetItem", common(data, {"RequestItems": requests})


def selected(data, body, index, expression):
    """Select and what to project, mostly in combinations that are allowed."""
    form = data.weighted({"nothing": 10, "projection": 5, "count": 3, "all": 2, "projected": 2, "specific": 1,
                          "legacy": 1, "wild": 0.2})
    if form in ("projection", "specific"):
        everything = index.projection == "ALL" or not index.is_global or data.slip(0.05)
        body["ProjectionExpression"] = (
            expression.projection() if everything else expression.projection(index.attributes()))
    has_expressions = "FilterExpression" in body or "KeyConditionExpression" in body
    if form == "legacy" and (not has_expressions or data.slip(0.05)):
        body["AttributesToGet"] = legacy.attributes_to_get(data)
    if form == "count":
        body["Select"] = "COUNT"
    elif form == "all" and (index.projection == "ALL" or not index.is_global or data.slip(0.05)):
        body["Select"] = "ALL_ATTRIBUTES"
    elif form == "projected" and (index.name or data.slip(0.05)):
        body["Select"] = "ALL_PROJECTED_ATTRIBUTES"
    elif form == "specific":
        body["Select"] = "SPECIFIC_ATTRIBUTES"
    elif form == "wild":
        body["Select"] = data.choice(("SPECIFIC_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SOME", "COUNT"))


def paged(data, table, index, body):
    if data.chance(0.4):
        body["Limit"] = data.choice((1, 1, 2, 3, 5, 10, 100)) if not data.slip(0.02) else 0
    if data.chance(0.03):
        body["ExclusiveStartKey"] = key(data, table)


def of_index(data, table):
    return data.choice(table.indexes) if table.indexes and data.chance(0.55) else table.primary


def query(data, table):
    expression, index = Expression(data, table), of_index(data, table)
    body = {"TableName": table.reference(data)}
    if index.name:
        body["IndexName"] = index.name
    # A filter mostly names what an index of fewer attributes does not carry, and then is refused.
    filtered = 0.3 if index.projection == "ALL" else 0.06
    if data.chance(0.12) and len(index.hashes) == 1:
        body["KeyConditions"] = legacy.key_conditions(data, index)
        if data.chance(filtered):
            body["QueryFilter"] = legacy.conditions(data)
            legacy.combined(data, body)
        if data.chance(0.2):
            body["AttributesToGet"] = legacy.attributes_to_get(data)
    else:
        body["KeyConditionExpression"] = expression.key_condition(index)
        if data.chance(filtered):
            body["FilterExpression"] = expression.condition()
        selected(data, body, index, expression)
    if data.chance(0.5):
        body["ScanIndexForward"] = data.chance(0.4)
    consistent(data, body, index)
    paged(data, table, index, body)
    return "Query", expression.into(common(data, body))


def scan(data, table):
    expression, index = Expression(data, table), of_index(data, table)
    body = {"TableName": table.reference(data)}
    if index.name:
        body["IndexName"] = index.name
    if data.chance(0.12):
        body["ScanFilter"] = legacy.conditions(data)
        legacy.combined(data, body)
    else:
        if data.chance(0.4):
            body["FilterExpression"] = expression.condition()
        selected(data, body, index, expression)
    if data.chance(0.3):
        body["TotalSegments"] = data.choice((1, 2, 3, 4, 7, 50))
        body["Segment"] = data.randrange(body["TotalSegments"] + (1 if data.slip(0.02) else 0))
    consistent(data, body, index)
    paged(data, table, index, body)
    return "Scan", expression.into(common(data, body))


def next_page(data, body, last_key):
    """The request for the page after this one; now and then another direction, or a key that is off."""
    body = copy.deepcopy(body)
    last_key = copy.deepcopy(last_key)
    if data.chance(0.02):
        last_key.pop(data.choice(list(last_key)))
    elif data.chance(0.02):
        last_key[data.choice(list(last_key))] = {data.choice("SN"): "1"}
    body["ExclusiveStartKey"] = last_key
    if "ScanIndexForward" in body and data.chance(0.1):
        body["ScanIndexForward"] = not body["ScanIndexForward"]
    if data.chance(0.2):
        body["Limit"] = data.randrange(1, 20)
    return body
