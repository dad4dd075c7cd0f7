"""UpdateItem with boto3: return values, arithmetic, lists, sets, nested paths, upserts, refusals."""

import itertools

import pytest

import scenario
from scenario import to_item, to_row

NUMBERS = itertools.count(1)
ENVELOPE = "1 validation error detected: "
INVALID = "One or more parameter values were invalid: "
MISSING = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
WRONG_PATH = "The document path provided in the update expression is invalid for update"
OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"


class Target:
    """One item of the shared table: put, update, read."""

    def __init__(self, client, table):
        self.client, self.table = client, table
        self.key = {"pk": {"S": f"update-{next(NUMBERS)}"}}

    def put(self, **attributes):
        self.client.put_item(TableName=self.table, Item={**self.key, **to_item(attributes)})

    def get(self):
        """The attributes without the key, or None."""
        item = self.client.get_item(TableName=self.table, Key=self.key, ConsistentRead=True).get("Item")
        return item and {name: value for name, value in to_row(item).items() if name != "pk"}

    def update(self, expression, **values):
        """UpdateExpression with :values; #name stands for name. Members begin with a capital."""
        members = {name: values.pop(name) for name in list(values) if name[0].isupper()}
        texts = (expression, members.get("ConditionExpression"))
        return self.client.update_item(TableName=self.table, Key=self.key, UpdateExpression=expression,
                                       **scenario.placeholders(values, *texts), **members)


@pytest.fixture
def target(fast, table):
    return Target(fast, table)


def raw_number(target, expression, **values):
    """The text of attribute n after an update, and of the values as they are sent."""
    values = {f":{name}": {"N": text} for name, text in values.items()}
    answer = target.client.update_item(TableName=target.table, Key=target.key, UpdateExpression=expression,
                                       ExpressionAttributeValues=values, ReturnValues="UPDATED_NEW")
    return answer["Attributes"]["n"]["N"]


def test_return_values(target):
    before = {"a": 1, "b": {"x": 1, "y": [1, 2, 3]}, "c": "c", "gone": True}
    after = {"a": 2, "b": {"x": 7, "y": [1, 9, 3]}, "c": "c", "new": {"k": 1}}
    expected = {
        "NONE": None, "ALL_OLD": before, "ALL_NEW": after,
        "UPDATED_OLD": {"a": 1, "b": {"x": 1, "y": [2]}, "gone": True},
        "UPDATED_NEW": {"a": 2, "b": {"x": 7, "y": [9]}, "new": {"k": 1}},
    }
    for mode, wanted in expected.items():
        target.put(**before)
        answer = target.update("SET a = a + :one, b.x = :seven, b.y[1] = :nine, #new = :new REMOVE gone",
                               one=1, seven=7, nine=9,
                               new={"k": 1}, ReturnValues=mode)
        found = answer.get("Attributes")
        if found is not None:
            found = to_row(found)
            assert ("pk" in found) == mode.startswith("ALL")
            found.pop("pk", None)
        assert found == wanted, mode
        assert target.get() == after
    assert "Attributes" not in target.update("SET c = :v", v="d")


def test_return_values_of_an_upsert(target):
    for mode, wanted in (("ALL_OLD", None), ("UPDATED_OLD", None), ("NONE", None), ("UPDATED_NEW", {"n": {"N": "1"}}),
                         ("ALL_NEW", {"n": {"N": "1"}, **target.key})):
        answer = target.update("ADD n :one", one=1, ReturnValues=mode)
        assert answer.get("Attributes") == wanted, mode
        assert target.get() == {"n": 1}
        target.client.delete_item(TableName=target.table, Key=target.key)


def test_updated_values_that_are_gone_are_left_out(target):
    target.put(a=1, b=2)
    assert "Attributes" not in target.update("REMOVE a", ReturnValues="UPDATED_NEW")
    assert target.update("REMOVE b, absent", ReturnValues="UPDATED_OLD")["Attributes"] == {"b": {"N": "2"}}
    assert "Attributes" not in target.update("REMOVE absent", ReturnValues="UPDATED_OLD")
    target.put(s={"x", "y"})
    assert to_row(target.update("DELETE s :x", x={"x"}, ReturnValues="UPDATED_NEW")["Attributes"]) == {"s": {"y"}}


@pytest.mark.parametrize("start, operation, operand, result", [
    ("0", "+", "0", "0"), ("1", "-", "1", "0"), ("0.1", "+", "0.2", "0.3"),
    ("-5", "+", "2.5", "-2.5"), ("5", "-", "-5", "10"),
    ("99999999999999999999999999999999999999", "+", "0", "9" * 38), ("9" * 38, "-", "1", "9" * 37 + "8"),
    ("12345678901234567890123456789012345678", "+", "1", "12345678901234567890123456789012345679"),
    ("9" * 37, "+", "1", "1" + "0" * 37), ("1E+37", "+", "1", "10000000000000000000000000000000000001"),
    ("1E-130", "+", "1E-130", "0." + "0" * 129 + "2"), ("1E+125", "-", "1E+125", "0"),
    ("9.9999999999999999999999999999999999999E+125", "-", "1E+125", "8" + "9" * 37 + "0" * 88),
    ("0.00000000000000000001", "+", "100000000000000000", "100000000000000000.00000000000000000001"),
    ("-0.5", "-", "0.5", "-1"), ("1E+20", "+", "1E-17", "100000000000000000000.00000000000000001"),
])
def test_arithmetic_is_exact(target, start, operation, operand, result):
    target.client.put_item(TableName=target.table, Item={**target.key, "n": {"N": start}})
    assert raw_number(target, f"SET n = n {operation} :v", v=operand) == result
    assert raw_number(target, f"SET n = :a {operation} :b", a=start, b=operand) == result
    if operation == "+":
        target.client.put_item(TableName=target.table, Item={**target.key, "n": {"N": start}})
        assert raw_number(target, "ADD n :v", v=operand) == result


@pytest.mark.parametrize("start, operand, message", [
    ("9.9999999999999999999999999999999999999E+125", "9E+125", OVERFLOW), ("-9E+125", "-9E+125", OVERFLOW),
    ("1E+50", "1", OVERFLOW), ("1", "1E-38", OVERFLOW), ("1E+38", "1", OVERFLOW), ("9" * 38, "0.5", OVERFLOW),
    ("1E+125", "1E-130", OVERFLOW),
])
def test_arithmetic_never_rounds(target, refused, start, operand, message):
    """A sum that is too large, or needs more than 38 digits, is refused and changes nothing."""
    target.client.put_item(TableName=target.table, Item={**target.key, "n": {"N": start}})
    old = target.get()
    for expression in ("SET n = n + :v", "ADD n :v"):
        refused("ValidationException", message, target.client.update_item, TableName=target.table, Key=target.key,
                UpdateExpression=expression, ExpressionAttributeValues={":v": {"N": operand}})
        assert target.get() == old


@pytest.mark.parametrize("start, expression, values, result", [
    ([1, 2, 3], "SET l[1] = :v", {"v": "x"}, [1, "x", 3]),
    ([1, 2, 3], "SET l[9] = :v", {"v": "x"}, [1, 2, 3, "x"]),
    ([1, 2, 3], "SET l[7] = :a, l[5] = :b, l[0] = :c", {"a": "7", "b": "5", "c": "0"}, ["0", 2, 3, "5", "7"]),
    ([1, 2, 3], "REMOVE l[0], l[2]", {}, [2]),
    ([1, 2, 3], "REMOVE l[7]", {}, [1, 2, 3]),
    ([1, 2, 3], "REMOVE l[0], l[1], l[2]", {}, []),
    ([1, 2, 3, 4], "REMOVE l[1] SET l[3] = :v", {"v": "x"}, [1, 3, "x"]),
    ([1, 2, 3], "SET l = list_append(l, :v)", {"v": [4, 5]}, [1, 2, 3, 4, 5]),
    ([1, 2, 3], "SET l = list_append(:v, l)", {"v": [[4]]}, [[4], 1, 2, 3]),
    ([1], "SET l = list_append(if_not_exists(l, :v), l)", {"v": [2]}, [1, 1]),
    ([1], "SET l = list_append(if_not_exists(k, :v), l)", {"v": [2]}, [2, 1]),
    ([], "SET l = list_append(l, :v)", {"v": []}, []),
    ([[1, 2], {"a": [5]}], "SET l[0][1] = :v, l[1].a[0] = :v", {"v": None}, [[1, None], {"a": [None]}]),
    ([1, 2, 3], "SET l[0] = l[2], l[2] = l[0]", {}, [3, 2, 1]),
    ([1, 2, 3], "SET l[1] = l[1] + :v", {"v": 40}, [1, 42, 3]),
    ([1], "SET l[0] = if_not_exists(l[5], :v)", {"v": "new"}, ["new"]),
])
def test_lists(target, start, expression, values, result):
    target.put(l=start)
    target.update(expression, **values)
    assert target.get() == {"l": result}


@pytest.mark.parametrize("start, expression, values, result", [
    ({"s": {"a"}}, "ADD s :v", {"v": {"a", "b"}}, {"s": {"a", "b"}}),
    ({}, "ADD s :v", {"v": {"a"}}, {"s": {"a"}}),
    ({"s": {1, 2}}, "ADD s :v", {"v": {2, 3}}, {"s": {1, 2, 3}}),
    ({"s": {"a", "b"}}, "DELETE s :v", {"v": {"b", "c"}}, {"s": {"a"}}),
    ({"s": {"a"}, "t": 1}, "DELETE s :v", {"v": {"a", "b"}}, {"t": 1}),
    ({"t": 1}, "DELETE s :v", {"v": {"a"}}, {"t": 1}),
    ({"m": {"s": {"a"}}}, "ADD m.s :v", {"v": {"b"}}, {"m": {"s": {"a", "b"}}}),
    ({"m": {"s": {"a"}}}, "DELETE m.s :v", {"v": {"a"}}, {"m": {}}),
    ({"m": {"n": 1}}, "ADD m.n :v, m.fresh :v", {"v": 2}, {"m": {"n": 3, "fresh": 2}}),
    ({"l": [{"s": {1}}]}, "ADD l[0].s :v", {"v": {2}}, {"l": [{"s": {1, 2}}]}),
])
def test_sets_and_add(target, start, expression, values, result):
    target.put(**start)
    target.update(expression, **values)
    assert target.get() == result


@pytest.mark.parametrize("start, expression, values, result", [
    ({"a": 1, "b": 2}, "SET a = b, b = a", {}, {"a": 2, "b": 1}),
    ({"a": 1}, "SET b = a, a = :v", {"v": 9}, {"a": 9, "b": 1}),
    ({"a": 1}, "SET a = if_not_exists(a, :v), b = if_not_exists(b, :v)", {"v": 9}, {"a": 1, "b": 9}),
    ({"a": None}, "SET a = if_not_exists(a, :v)", {"v": 9}, {"a": None}),
    ({"a": 1}, "SET b = if_not_exists(x, if_not_exists(y, a)) + :v", {"v": 1}, {"a": 1, "b": 2}),
    ({"m": {"a": {"b": 1}}}, "SET m.a.c = m.a.b REMOVE m.a.b", {}, {"m": {"a": {"c": 1}}}),
    ({"m": {"a": 1}}, "SET m = :v", {"v": {"z": [1, {"y": True}]}}, {"m": {"z": [1, {"y": True}]}}),
    ({"m": {"x.y": 1}}, "SET m.#k = :v", {"v": 2}, {"m": {"x.y": 1, "k": 2}}),
    ({"a": 5}, "SET a = a - :v", {"v": 7}, {"a": -2}),
    ({"a": 5}, "SET a = :v - a", {"v": 7}, {"a": 2}),
    ({"a": 5}, "REMOVE a, b SET c = a", {}, {"c": 5}),
    ({"a": 5}, "set a = :v remove b", {"v": ""}, {"a": ""}),
    ({"t": "x"}, "SET t = :v", {"v": b""}, {"t": b""}),
])
def test_set_and_remove(target, start, expression, values, result):
    target.put(**start)
    target.update(expression, **values)
    assert target.get() == result


def test_an_update_creates_the_item(target):
    """Unless all it does is to take something away: what is not there cannot be taken from it."""
    for expression, values, result in (
            ("SET a = :v", {"v": 1}, {"a": 1}), ("ADD a :v", {"v": 1}, {"a": 1}), ("ADD a :v", {"v": {1}}, {"a": {1}}),
            ("SET a = :v REMOVE b", {"v": 1}, {"a": 1}), ("REMOVE a", {}, None), ("DELETE a :v", {"v": {1}}, None),
            ("REMOVE a.b.c[1]", {}, None), ("SET a = if_not_exists(a, :v)", {"v": [1]}, {"a": [1]})):
        assert target.get() is None
        target.update(expression, **values)
        assert target.get() == result, expression
        target.client.delete_item(TableName=target.table, Key=target.key)
    target.client.update_item(TableName=target.table, Key=target.key)  # no expression at all: only the key
    assert target.get() == {}
    target.put(kept=1)
    target.client.update_item(TableName=target.table, Key=target.key)
    assert target.get() == {"kept": 1}


@pytest.mark.parametrize("expression, values, message", [
    ("SET x = absent", {}, MISSING), ("SET x = absent + :v", {"v": 1}, MISSING), ("SET x = m.absent", {}, MISSING),
    ("SET x = l[5]", {}, MISSING), ("SET x = list_append(absent, :v)", {"v": []}, MISSING),
    ("SET x = word + :v", {"v": 1}, WRONG_TYPE), ("SET x = list_append(word, :v)", {"v": []}, WRONG_TYPE),
    ("ADD word :v", {"v": 1}, WRONG_TYPE), ("ADD #set :v", {"v": {1}}, WRONG_TYPE),
    ("ADD l :v", {"v": {1}}, WRONG_TYPE),
    ("DELETE #set :v", {"v": {1}}, WRONG_TYPE), ("DELETE n :v", {"v": {1}}, WRONG_TYPE),
    ("SET x.y = :v", {"v": 1}, WRONG_PATH), ("SET m.a.b = :v", {"v": 1}, WRONG_PATH),
    ("SET n.x = :v", {"v": 1}, WRONG_PATH),
    ("SET m[0] = :v", {"v": 1}, WRONG_PATH), ("SET l.x = :v", {"v": 1}, WRONG_PATH), ("REMOVE x.y", {}, WRONG_PATH),
    ("ADD x.y :v", {"v": 1}, WRONG_PATH), ("SET l[7].x = :v", {"v": 1}, WRONG_PATH),
    ("SET pk = :v", {"v": "x"}, f"{INVALID}Cannot update attribute pk. This attribute is part of the key"),
    ("REMOVE pk", {}, f"{INVALID}Cannot update attribute pk. This attribute is part of the key"),
    ("SET a = :v, a = :v", {"v": 1}, f"{ENVELOPE}Invalid UpdateExpression: Two document paths overlap with each other; "
     "must remove or rewrite one of these paths; path one: [a], path two: [a]"),
    ("SET m.a = :v REMOVE m", {"v": 1},
     f"{ENVELOPE}Invalid UpdateExpression: Two document paths overlap with each other; "
     "must remove or rewrite one of these paths; path one: [m, a], path two: [m]"),
    ("SET m.a = :v, m[0] = :v", {"v": 1},
     f"{ENVELOPE}Invalid UpdateExpression: Two document paths conflict with each other; "
     "must remove or rewrite one of these paths; path one: [m, a], path two: [m, [0]]"),
    ("SET a = :v SET b = :v", {"v": 1},
     f'{ENVELOPE}Invalid UpdateExpression: The "SET" section can only be used once in an update expression;'),
    ("SET a = :v + :v + :v", {"v": 1},
     f'{ENVELOPE}Invalid UpdateExpression: Syntax error; token: "+", near: ":v + :v"'),
    ("SET a = :s + :v", {"v": 1, "s": "x"},
     f"{ENVELOPE}Invalid UpdateExpression: Incorrect operand type for operator or "
     "function; operator or function: +, operand type: S"),
    ("SET a = list_append(list_append(:v, :v), :v)", {"v": [1]},
     f"{ENVELOPE}Invalid UpdateExpression: The function is not "
     "allowed to be used this way in an expression; function: list_append"),
    ("ADD a :v", {"v": "x"}, f"{ENVELOPE}Invalid UpdateExpression: Incorrect operand type for operator or function; "
     "operator: ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND"),
    ("DELETE a :v", {"v": 1}, f"{ENVELOPE}Invalid UpdateExpression: Incorrect operand type for operator or function; "
     "operator: DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_ADD_OPERAND"),
])
def test_refused_updates_change_nothing(target, refused, expression, values, message):
    before = {"word": "t", "n": 1, "m": {"a": 1}, "l": [1, 2], "set": {"x"}}
    target.put(**before)
    refused("ValidationException", message, target.update, expression=expression, **values)
    assert target.get() == before


def test_conditions(target, refused):
    message = "The conditional request failed"
    refused("ConditionalCheckFailedException", message, target.update, expression="SET a = :v", v=1,
            ConditionExpression="attribute_exists(pk)")
    assert target.get() is None
    target.update("SET a = :v", v=1, ConditionExpression="attribute_not_exists(pk)")
    refused("ConditionalCheckFailedException", message, target.update, expression="SET a = :v", v=2,
            ConditionExpression="a > :v")
    assert target.get() == {"a": 1}
    target.update("SET a = a + :v", v=1, ConditionExpression="a = :v")
    assert target.get() == {"a": 2}


def test_the_item_that_refused_is_told_when_asked_for(raw, table):
    raw.ok("PutItem", TableName=table, Item={"pk": {"S": "told"}, "a": {"N": "1"}})
    members = {"TableName": table, "Key": {"pk": {"S": "told"}}, "UpdateExpression": "SET a = :v",
               "ConditionExpression": "a = :v", "ExpressionAttributeValues": {":v": {"N": "2"}}}
    for mode, more in ((None, {}), ("NONE", {}), ("ALL_OLD", {"Item": {"pk": {"S": "told"}, "a": {"N": "1"}}})):
        answer = raw.send("UpdateItem", {**members, "ReturnValuesOnConditionCheckFailure": mode})
        assert (answer.status, answer.json()) == (400, {
            "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
            "message": "The conditional request failed", **more})


def test_items_grow_up_to_the_limit(target, refused):
    """409,600 bytes; an update is measured with 3 bytes and 19 for each value it writes, without the key."""
    room = 409_600 - 3 - 19 - 1
    target.update("SET v = :v", v="x" * room)
    assert len(target.get()["v"]) == room
    refused("ValidationException", "Item size to update has exceeded the maximum allowed size", target.update,
            expression="SET v = :v", v="x" * (room + 1))
    refused("ValidationException", "Item size to update has exceeded the maximum allowed size", target.update,
            expression="SET w = :v", v="x" * 40)
    assert len(target.get()["v"]) == room


def test_numbers_come_back_canonical(target):
    for sent, back in (("1.50", "1.5"), ("1e2", "100"), ("-0", "0"), ("00042", "42"),
                       ("+.5", "0.5"), ("1E-5", "0.00001")):
        assert raw_number(target, "SET n = :v", v=sent) == back
