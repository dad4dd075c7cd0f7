"""The parameters from before expressions: KeyConditions, QueryFilter, ScanFilter, Expected,
AttributeUpdates, AttributesToGet, ConditionalOperator."""

import pytest

import scenario
from scenario import Index, marshal, same, to_item, to_row

INVALID = "One or more parameter values were invalid: "
FAILED = "The conditional request failed"


def condition(operator, *arguments):
    values = {"AttributeValueList": [marshal(v) for v in arguments]} if arguments else {}
    return {"ComparisonOperator": operator, **values}


@pytest.fixture(scope="module")
def rows(new_store):
    data = scenario.generator("legacy")
    store = new_store("pk:S sk:N", by_word=Index("word:S sk:N"))
    made = []
    for number in range(240):
        row = {"pk": f"p{number % 4}", "sk": number - 100, "n": data.randrange(20),
               "word": data.choice(("ant", "bee", "beetle")),
               "tags": {data.choice("xyz"), "w"}, "list": [data.randrange(5), "z"], "flag": data.random() < 0.5}
        if data.random() < 0.3:
            row["maybe"] = data.choice((None, "text", 5))
        made.append(row)
    store.load(made)
    return store


def pages_of(call, store, **members):
    return [to_row(item) for answer in scenario.pages(call, TableName=store.name, **members)
            for item in answer["Items"]]


@pytest.mark.parametrize("operator, arguments, holds", [
    ("EQ", (0,), lambda v: v == 0), ("LT", (-50,), lambda v: v < -50), ("LE", (-52,), lambda v: v <= -52),
    ("GT", (50,), lambda v: v > 50), ("GE", (52,), lambda v: v >= 52), ("BETWEEN", (-8, 8), lambda v: -8 <= v <= 8)])
def test_key_conditions(rows, operator, arguments, holds):
    conditions = {"pk": condition("EQ", "p0"), "sk": condition(operator, *arguments)}
    wanted = rows.expected(lambda row: row["pk"] == "p0" and holds(row["sk"]))
    for members, order in (({}, 1), ({"Limit": 3}, 1), ({"ScanIndexForward": False}, -1)):
        assert pages_of(rows.client.query, rows, KeyConditions=conditions, **members) == wanted[::order]


def test_key_conditions_on_an_index(rows):
    found = pages_of(rows.client.query, rows, IndexName="by_word", KeyConditions={
        "word": condition("EQ", "bee"), "sk": condition("GT", 0)})
    same(found, rows.expected(lambda row: row["word"] == "bee" and row["sk"] > 0, "by_word"), rows.order("by_word"))


FILTERS = [
    ({"n": ("EQ", 7)}, lambda r: r["n"] == 7), ({"n": ("NE", 7)}, lambda r: r["n"] != 7),
    ({"n": ("LE", 7)}, lambda r: r["n"] <= 7), ({"n": ("LT", 7)}, lambda r: r["n"] < 7),
    ({"n": ("GE", 7)}, lambda r: r["n"] >= 7), ({"n": ("GT", 7)}, lambda r: r["n"] > 7),
    ({"n": ("BETWEEN", 3, 9)}, lambda r: 3 <= r["n"] <= 9), ({"n": ("IN", 1, 5, 19)}, lambda r: r["n"] in (1, 5, 19)),
    ({"word": ("BEGINS_WITH", "bee")}, lambda r: r["word"].startswith("bee")),
    ({"word": ("CONTAINS", "e")}, lambda r: "e" in r["word"]),
    ({"word": ("NOT_CONTAINS", "e")}, lambda r: "e" not in r["word"]),
    ({"tags": ("CONTAINS", "x")}, lambda r: "x" in r["tags"]),
    ({"tags": ("NOT_CONTAINS", "x")}, lambda r: "x" not in r["tags"]),
    ({"tags": ("EQ", {"w", "x"})}, lambda r: r["tags"] == {"w", "x"}), ({"tags": ("NE", {"w", "x"})},
                                                                       lambda r: r["tags"] != {"w", "x"}),
    ({"list": ("CONTAINS", 3)}, lambda r: 3 in r["list"]),
    ({"list": ("EQ", [3, "z"])}, lambda r: r["list"] == [3, "z"]),
    ({"flag": ("EQ", True)}, lambda r: r["flag"]), ({"maybe": ("NULL",)}, lambda r: "maybe" not in r),
    ({"maybe": ("NOT_NULL",)}, lambda r: "maybe" in r), ({"maybe": ("EQ", None)}, lambda r: r.get("maybe", 0) is None),
    ({"maybe": ("NE", "text")}, lambda r: r.get("maybe") != "text"),
    ({"maybe": ("GT", 4)}, lambda r: r.get("maybe") == 5),
    ({"n": ("LT", 9), "flag": ("EQ", True)}, lambda r: r["n"] < 9 and r["flag"]),
    ({"absent": ("NE", 1)}, lambda r: True), ({"absent": ("NOT_CONTAINS", "x")}, lambda r: False),
]


@pytest.mark.parametrize("given, holds", FILTERS)
def test_query_and_scan_filters(rows, given, holds):
    conditions = {name: condition(*parts) for name, parts in given.items()}
    same(pages_of(rows.client.scan, rows, ScanFilter=conditions), [r for r in rows.rows.values() if holds(r)])
    if "word" not in given:
        found = pages_of(rows.client.query, rows, IndexName="by_word", KeyConditions={"word": condition("EQ", "ant")},
                         QueryFilter=conditions, Limit=11)
        same(found, rows.expected(lambda r: r["word"] == "ant" and holds(r), "by_word"), rows.order("by_word"))


def test_filters_joined_by_or(rows):
    conditions = {"n": condition("LT", 3), "flag": condition("EQ", True), "word": condition("EQ", "ant")}
    found = pages_of(rows.client.scan, rows, ScanFilter=conditions, ConditionalOperator="OR")
    same(found, [r for r in rows.rows.values() if r["n"] < 3 or r["flag"] or r["word"] == "ant"])
    found = pages_of(rows.client.query, rows, KeyConditions={"pk": condition("EQ", "p1")}, ConditionalOperator="OR",
                     QueryFilter={"n": condition("EQ", 3), "flag": condition("EQ", False)})
    same(found, rows.expected(lambda r: r["pk"] == "p1" and (r["n"] == 3 or not r["flag"])), rows.order())


def test_attributes_to_get(rows):
    names = ["n", "list", "absent"]
    reduced = {key: {"n": row["n"], "list": row["list"]} for key, row in rows.rows.items()}
    same(pages_of(rows.client.scan, rows, AttributesToGet=names), list(reduced.values()))
    found = pages_of(rows.client.query, rows, KeyConditions={"pk": condition("EQ", "p2")}, AttributesToGet=names)
    assert found == [reduced[rows.key(r)] for r in rows.expected(lambda r: r["pk"] == "p2")]


@pytest.fixture
def item(fast, table):
    """An item of the shared table: (key members, get, put)."""
    key = {"pk": {"S": scenario.unique_name("legacy")}}

    def get():
        found = fast.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")
        return found and {n: v for n, v in to_row(found).items() if n != "pk"}

    def put(**attributes):
        fast.put_item(TableName=table, Item={**key, **to_item(attributes)})

    return {"TableName": table, "Key": key}, get, put


def action(kind, *value):
    return {"Action": kind, **({"Value": marshal(value[0])} if value else {})}


@pytest.mark.parametrize("before, updates, after", [
    ({"a": 1}, {"a": ("PUT", 2), "b": ("PUT", "x")}, {"a": 2, "b": "x"}),
    ({"a": 1, "b": 2}, {"a": ("DELETE",)}, {"b": 2}),
    ({"a": 1}, {"a": ("ADD", 5), "b": ("ADD", -3)}, {"a": 6, "b": -3}),
    ({"s": {"x"}}, {"s": ("ADD", {"y"}), "t": ("ADD", {1})}, {"s": {"x", "y"}, "t": {1}}),
    ({"s": {"x", "y"}}, {"s": ("DELETE", {"y", "z"})}, {"s": {"x"}}),
    ({"s": {"x"}, "a": 1}, {"s": ("DELETE", {"x"})}, {"a": 1}),
    ({"l": [1]}, {"l": ("ADD", [2, "x"])}, {"l": [1, 2, "x"]}),
    (None, {"a": ("ADD", 1), "b": ("PUT", [])}, {"a": 1, "b": []}),
    (None, {"a": ("DELETE",)}, None),
    ({"a.b": 1}, {"a.b": ("PUT", 2)}, {"a.b": 2}),
])
def test_attribute_updates(fast, item, before, updates, after):
    members, get, put = item
    if before is not None:
        put(**before)
    answer = fast.update_item(**members, AttributeUpdates={n: action(*parts) for n, parts in updates.items()},
                              ReturnValues="ALL_NEW")
    assert get() == after
    key = to_row(members["Key"])
    assert to_row(answer.get("Attributes", {})) == ({**key, **after} if after is not None else {})


def test_attribute_updates_return_what_they_touched(fast, item):
    members, get, put = item
    for mode, wanted in (("UPDATED_OLD", {"a": 1, "gone": 3}), ("UPDATED_NEW", {"a": 2, "b": 7})):
        put(a=1, gone=3, kept=0)
        answer = fast.update_item(**members, ReturnValues=mode, AttributeUpdates={
            "a": action("PUT", 2), "b": action("ADD", 7), "gone": action("DELETE")})
        assert to_row(answer["Attributes"]) == wanted
        assert get() == {"a": 2, "b": 7, "kept": 0}


@pytest.mark.parametrize("name, update, message", [
    ("a", {"Action": "PUT"}, f"{INVALID}Only DELETE action is allowed when no attribute value is specified"),
    ("a", action("DELETE", "x"), f"{INVALID}DELETE action with value is not supported for the type S"),
    ("a", action("ADD", "x"), f"{INVALID}ADD action is not supported for the type S"),
    ("word", action("ADD", 1), "Type mismatch for attribute to update"),
    ("word", action("DELETE", {"x"}), "Type mismatch for attribute to update"),
    ("pk", action("PUT", "x"), f"{INVALID}Cannot update attribute pk. This attribute is part of the key"),
])
def test_refused_attribute_updates(fast, item, name, update, message):
    members, get, put = item
    put(word="x")
    with pytest.raises(fast.exceptions.ClientError) as caught:
        fast.update_item(**members, AttributeUpdates={name: update})
    error = caught.value.response["Error"]
    assert error["Code"] == "ValidationException"  # whether the text is enveloped is not known
    assert error["Message"].replace("1 validation error detected: ", "") == message
    assert get() == {"word": "x"}


@pytest.mark.parametrize("expected, holds", [
    ({"n": {"Value": {"N": "5.0"}}}, True), ({"n": {"Value": {"N": "6"}}}, False),
    ({"n": {"Exists": True, "Value": {"N": "5"}}}, True),
    ({"absent": {"Exists": False}}, True), ({"n": {"Exists": False}}, False),
    ({"absent": {"Value": {"N": "5"}}}, False),
    ({"n": condition("GT", 4)}, True), ({"n": condition("LT", 4)}, False), ({"n": condition("NE", 4)}, True),
    ({"n": condition("BETWEEN", 5, 6)}, True), ({"n": condition("IN", 4, 6)}, False),
    ({"s": condition("BEGINS_WITH", "he")}, True),
    ({"s": condition("CONTAINS", "xx")}, False), ({"set": condition("CONTAINS", "x")}, True),
    ({"absent": condition("NULL")}, True),
    ({"n": condition("NOT_NULL")}, True), ({"n": condition("GT", 4), "s": condition("EQ", "other")}, False),
])
def test_expected(fast, item, refused, expected, holds):
    """PutItem, UpdateItem and DeleteItem ask the same question."""
    members, get, put = item
    before = {"n": 5, "s": "hello", "set": {"x", "y"}}
    row = {**members["Key"], "done": {"BOOL": True}}
    for call, arguments, after in (
            (fast.update_item, {**members, "AttributeUpdates": {"n": action("ADD", 1)}}, {**before, "n": 6}),
            (fast.put_item, {"TableName": members["TableName"], "Item": row}, {"done": True}),
            (fast.delete_item, members, None)):
        put(**before)
        if holds:
            call(**arguments, Expected=expected)
            assert get() == after
        else:
            refused("ConditionalCheckFailedException", FAILED, call, **arguments, Expected=expected)
            assert get() == before


def test_expected_joined_by_or(fast, item, refused):
    members, get, put = item
    put(n=5)
    expected = {"n": condition("EQ", 5), "absent": condition("EQ", 1)}
    update = {**members, "AttributeUpdates": {"n": action("ADD", 1)}, "Expected": expected}
    refused("ConditionalCheckFailedException", FAILED, fast.update_item, **update, ConditionalOperator="AND")
    fast.update_item(**update, ConditionalOperator="OR")
    assert get() == {"n": 6}
    refused("ConditionalCheckFailedException", FAILED, fast.update_item, **update, ConditionalOperator="OR")


@pytest.mark.parametrize("members, message", [
    ({"KeyConditions": {"pk": condition("EQ", "a")}, "FilterExpression": "n = :v",
      "QueryFilter": {"n": condition("EQ", 1)},
      "ExpressionAttributeValues": {":v": {"N": "1"}}},
     "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
     "{QueryFilter} Expression parameters: {FilterExpression}"),
    ({"KeyConditions": {"sk": condition("EQ", 1)}}, "Query condition missed key schema element: pk"),
    ({"KeyConditions": {"pk": condition("GT", "a")}}, "Query key condition not supported"),
    ({"KeyConditions": {"pk": condition("EQ", "a"), "sk": condition("NE", 1)}},
     "Attempted conditional constraint is not an indexable operation"),
    ({"KeyConditions": {"pk": condition("EQ", "a", "b")}},
     f"{INVALID}Invalid number of argument(s) for the EQ ComparisonOperator"),
    ({"KeyConditions": {"pk": condition("EQ", "a")}, "QueryFilter": {"sk": condition("EQ", 1)}},
     "QueryFilter can only contain non-primary key attributes: Primary key attribute: sk"),
    ({"KeyConditions": {"pk": condition("EQ", "a")}, "QueryFilter": {"n": condition("BETWEEN", 5, 1)}},
     "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"),
    ({"KeyConditions": {"pk": condition("EQ", "a")}, "QueryFilter": {"n": condition("EQ", 1)},
      "ConditionalOperator": "OR"},
     "ConditionalOperator can only be used when Filter or Expected has two or more elements"),
    ({}, "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."),
])
def test_refused_queries(rows, refused, members, message):
    refused("ValidationException", message, rows.client.query, TableName=rows.name, **members)
