"""Takes valid requests and breaks them: expression texts, members of the body, its JSON, the HTTP
request around it."""

import copy
import json
import re

from raw_client import authorization

TOKEN = re.compile(r"[#:]?[\w]+|<=|>=|<>|\S")
TOKENS = ("AND", "OR", "NOT", "IN", "BETWEEN", "SET", "REMOVE", "ADD", "DELETE", "(", ")", ",", "=", "<", "<>",
          "+", "-", ".", "[", "]", "[0]", "[-1]", "[99999999999]", ":v0", ":absent", "#n0", "#absent", "#", ":", "pk",
          "size", "size(", "attribute_exists(", "begins_with(", "contains(", "if_not_exists(", "list_append(",
          "unknown_function(", "1", "'a'", '"a"', "é", "@", "!", "status", "s1", "m1.s1", "l1[0]", "a" * 256)
EXPRESSIONS = ("ConditionExpression", "FilterExpression", "ProjectionExpression", "UpdateExpression",
               "KeyConditionExpression")
VALUES = (None, True, 0, -1, 1.5, 2**31, 10**400, "", "a", "x" * 300, [], {}, [None], {"a": "b"}, {"S": "a"}, [[]],
          {"NULL": True}, "PAY_PER_REQUEST", "é")
MEMBERS = ("TableName", "Key", "Item", "Limit", "Select", "IndexName", "Expected", "ConditionalOperator",
           "ExclusiveStartKey", "AttributesToGet", "KeyConditions", "QueryFilter", "ScanFilter", "AttributeUpdates",
           "TotalSegments", "Segment", "ReturnValues", "ConsistentRead", "ExpressionAttributeNames",
           "ExpressionAttributeValues", "Unknown", *EXPRESSIONS)
TARGETS = ("DynamoDB_20120810.", "DynamoDB_20120810.GetItems", "DynamoDB_20111205.GetItem", "GetItem", "",
           "DynamoDB_20120810.getitem", "DynamoDB_20120810.GetItem.GetItem", "Kinesis_20131202.SplitShard",
           "DynamoDB_20120810.é", "x" * 500)
TYPES = ("application/json", "application/x-amz-json-1.1", "text/plain", "", None,
         "application/x-amz-json-1.0; charset=x", "APPLICATION/X-AMZ-JSON-1.0")


def text(data, body):
    """Breaks one expression text of the body, if it has any."""
    members = [name for name in EXPRESSIONS if body.get(name)]
    if not members:
        return tree(data, body)
    name = data.choice(members)
    tokens = TOKEN.findall(body[name])
    for _ in range(data.randrange(1, 3)):
        at, form = data.randrange(len(tokens)), data.randrange(6)
        if form == 0 and len(tokens) > 1:
            del tokens[at]
        elif form == 1:
            tokens.insert(at, data.choice(TOKENS))
        elif form == 2:
            tokens[at] = data.choice(TOKENS)
        elif form == 3:
            other = data.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif form == 4:
            tokens[at:at] = tokens[at:at + data.randrange(1, 5)]
        else:
            tokens[at] = tokens[at].swapcase()
    out = data.choice((" ", "  ", "\n")).join(tokens)
    if data.chance(0.05):
        out = data.choice(("", " ", out + " " * 5000, "(" * 400 + out + ")" * 400, out + " AND " + out))
    return {**body, name: out}


def nodes(tree_, found):
    """All (container, key) places of a tree, without recursion deeper than the tree."""
    entries = tree_.items() if isinstance(tree_, dict) else enumerate(tree_)
    for where, value in entries:
        found.append((tree_, where))
        if isinstance(value, (dict, list)):
            nodes(value, found)
    return found


def tree(data, body):
    """Removes, replaces, renames or adds members, most of them near the top."""
    body = copy.deepcopy(body)
    for _ in range(data.randrange(1, 3)):
        places = [(body, name) for name in body] if data.chance(0.4) else nodes(body, [])
        form = data.randrange(6)
        if form == 0 or not places:
            body[data.choice(MEMBERS)] = copy.deepcopy(data.choice(VALUES))
            continue
        container, where = data.choice(places)
        if form == 1:
            del container[where]
        elif form == 2 and isinstance(container, dict):
            container[data.choice((*MEMBERS, "S", "N", "M", str(where).lower(), ""))] = container.pop(where)
        elif form == 3:
            container[where] = copy.deepcopy(data.choice(places)[0])
        elif form == 4:
            container[where] = [container[where]] * data.choice((1, 2, 101))
        else:
            container[where] = copy.deepcopy(data.choice(VALUES))
    return body


def json_text(data, body):
    """The body as bytes that are no longer (quite) JSON, or JSON in an unusual form."""
    whole = json.dumps(body).encode()
    at, form = data.randrange(len(whole)), data.randrange(9)
    if form == 0:
        return whole[:at]
    if form == 1:
        return whole[:at] + data.choice((b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\x00", b"\xff", b"'",
                                         b"\t", b"\n", b"1", b"e", b"nul")) + whole[at:]
    if form == 2:
        return whole[:at] + whole[at + 1:]
    if form == 3:
        return whole + data.choice((b" ", b"\n\n", b"x", b"{}", b",", b"\x00"))
    if form == 4:
        return b'{"TableName":"dr_00",' + whole[1:] if len(whole) > 2 else b'{"TableName":"dr_00"}'
    if form == 5:
        depth = data.choice((10, 200, 999, 1000, 1001, 3000))
        return b"[" * depth + b"]" * depth
    if form == 6:
        return data.choice((b"", b" ", b"null", b"[]", b'"a"', b"1", b"{", b"\xef\xbb\xbf" + whole, b"NaN", b"{}{}"))
    if form == 7:
        return json.dumps(body, indent=data.choice((1, 4)), sort_keys=True).encode()
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass").replace(b"1", b"1.0", 1)


def headers(data):
    """Header fields that differ from a proper request's; None leaves one out."""
    form = data.randrange(6)
    if form == 0:
        return {"X-Amz-Target": data.choice(TARGETS)}
    if form == 1:
        return {"Content-Type": data.choice(TYPES)}
    if form == 2:
        return {"Authorization": data.choice((None, "", "AWS4-HMAC-SHA256", "Basic eDp5",
                                              "AWS4-HMAC-SHA256 Credential=k/2/",
                                              authorization("eu-west-1"), authorization(key="other")))}
    if form == 3:
        return {"X-Amz-Date": data.choice((None, "20270101T000000Z"))}
    if form == 4:
        return {"X-Amz-Target": None}
    return {"Connection": data.choice(("close", "keep-alive")), "X-Unknown": "a"}
