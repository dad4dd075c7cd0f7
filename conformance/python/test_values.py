"""Attribute values with boto3: every type at every depth, numbers, text, sets, sizes."""

import json

import pytest

OPVI = "One or more parameter values were invalid: "
ITEM_BYTES_MAX = 400 * 1024
SMALLEST, LARGEST = "1E-130", "9.9999999999999999999999999999999999999E+125"

EVERY_TYPE = {
    "S": {"S": "text é 東京 😀"}, "empty S": {"S": ""}, "N": {"N": "-12.5"}, "B": {"B": b"\x00\x01\xff"},
    "empty B": {"B": b""}, "true": {"BOOL": True}, "false": {"BOOL": False}, "NULL": {"NULL": True},
    "SS": {"SS": ["a", "b", ""]}, "NS": {"NS": ["1", "2.5", "-3"]}, "BS": {"BS": [b"", b"a", b"\xff"]},
    "L": {"L": [{"S": "x"}, {"N": "1"}, {"L": []}]}, "empty L": {"L": []},
    "M": {"M": {"a": {"S": "x"}, "b": {"M": {}}}}, "empty M": {"M": {}},
}


def normal(value):
    """Sets have no order: sorted here, everywhere inside."""
    (kind, content), = value.items()
    if kind in ("SS", "NS", "BS"):
        return {kind: sorted(content)}
    if kind == "L":
        return {kind: [normal(v) for v in content]}
    if kind == "M":
        return {kind: {k: normal(v) for k, v in content.items()}}
    return value


@pytest.fixture
def keep(dynamodb, table):
    """keep(value) stores the value and returns what comes back."""
    def store_and_read(value, name="v"):
        dynamodb.put_item(TableName=table, Item={"pk": {"S": "kept"}, name: value})
        got = dynamodb.get_item(TableName=table, Key={"pk": {"S": "kept"}}, ConsistentRead=True)
        assert set(got["Item"]) == {"pk", name}
        return got["Item"][name]

    return store_and_read


@pytest.mark.parametrize("kind", list(EVERY_TYPE))
def test_every_type(keep, kind):
    assert normal(keep(EVERY_TYPE[kind])) == normal(EVERY_TYPE[kind])


@pytest.mark.parametrize("wrapper", ["L", "M", "both"])
@pytest.mark.parametrize("kind", list(EVERY_TYPE))
def test_every_type_nested_32_deep(keep, kind, wrapper):
    """31 wrappers around a scalar; a document inside counts its own levels."""
    own = {"L": 2, "M": 2, "empty L": 1, "empty M": 1}.get(kind, 0)
    value = EVERY_TYPE[kind]
    for level in range(31 - own):
        as_list = wrapper == "L" or (wrapper == "both" and level % 2)
        value = {"L": [value]} if as_list else {"M": {"é": value}}
    assert normal(keep(value)) == normal(value)


@pytest.mark.parametrize("wrap", [lambda v: {"L": [v]}, lambda v: {"M": {"a": v}}], ids=["L", "M"])
def test_one_level_more_is_refused(dynamodb, table, refused, wrap):
    value = {"S": "x"}
    for _ in range(32):
        value = wrap(value)
    refused("ValidationException",
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond "
            "supported limit", dynamodb.put_item, TableName=table, Item={"pk": {"S": "a"}, "v": value})


CANONICAL = [
    ("+3", "3"), ("007", "7"), ("00042", "42"), ("1.10", "1.1"), ("1.0e-1", "0.1"), ("-0.0", "0"), ("-0", "0"),
    ("0e5", "0"), ("0.0e126", "0"), ("0e125", "0"), (".5", "0.5"), ("-.5", "-0.5"), ("5.", "5"), ("1.e5", "100000"),
    ("1E5", "100000"), ("1e+5", "100000"), ("1e2", "100"), ("1.50", "1.5"), ("0001.23", "1.23"),
    ("1e125", "1" + "0" * 125), ("-1e125", "-1" + "0" * 125), ("1e-20", "0.00000000000000000001"),
    (SMALLEST, "0." + "0" * 129 + "1"), ("-" + SMALLEST, "-0." + "0" * 129 + "1"),
    (LARGEST, "9" * 38 + "0" * 88), ("-" + LARGEST, "-" + "9" * 38 + "0" * 88),
    ("9" * 38, "9" * 38), ("-" + "9" * 38, "-" + "9" * 38),
    ("0." + "1" * 38, "0." + "1" * 38), ("1" * 19 + "." + "2" * 19, "1" * 19 + "." + "2" * 19),
]


@pytest.mark.parametrize("sent, stored", CANONICAL)
def test_numbers_come_back_in_one_form(keep, sent, stored):
    assert keep({"N": sent}) == {"N": stored}
    assert keep({"NS": [sent]}) == {"NS": [stored]}
    assert keep({"L": [{"N": sent}]}) == {"L": [{"N": stored}]}


def test_38_digits_at_the_small_end(keep):
    digits = "12345678901234567890123456789012345678"
    assert keep({"N": f"{digits[0]}.{digits[1:]}E-93"}) == {"N": "0." + "0" * 92 + digits}


@pytest.mark.parametrize(
    "number, message",
    [
        ("1e126", "Number overflow. Attempting to store a number with magnitude larger than supported range"),
        ("1e-131", "Number underflow. Attempting to store a number with magnitude smaller than supported range"),
        ("1" * 39, "Attempting to store more than 38 significant digits in a Number"),
        ("dog", "The parameter cannot be converted to a numeric value: dog"),
    ],
)
def test_numbers_out_of_range(dynamodb, table, refused, number, message):
    refused("ValidationException", "1 validation error detected: " + message, dynamodb.put_item,
            TableName=table, Item={"pk": {"S": "a"}, "v": {"N": number}})
    refused("ValidationException", message, dynamodb.get_item, TableName=table, Key={"pk": {"N": number}})


def test_equal_numbers_are_one_key(dynamodb, new_table):
    name = new_table("pk:N")
    dynamodb.put_item(TableName=name, Item={"pk": {"N": "1e3"}, "v": {"S": "x"}})
    for same in ("1000", "1000.0", "+1000", "0.1e4", "01000"):
        got = dynamodb.get_item(TableName=name, Key={"pk": {"N": same}})
        assert got["Item"] == {"pk": {"N": "1000"}, "v": {"S": "x"}}
    old = dynamodb.put_item(TableName=name, Item={"pk": {"N": "1000.00"}}, ReturnValues="ALL_OLD")
    assert old["Attributes"] == {"pk": {"N": "1000"}, "v": {"S": "x"}}


NAMES = ["é", "東京", "😀", " ", "a b", "#", ":v", "a.b[0]", "\"quoted\"", "back\\slash", "nul\u0000", "\ufeff",
         "n" * 65535]


@pytest.mark.parametrize("name", NAMES, ids=[ascii(n[:12]) for n in NAMES])
def test_attribute_names(keep, name):
    assert keep({"M": {name: {"S": name[:100]}}}, name) == {"M": {name: {"S": name[:100]}}}


def test_text_comes_back_as_it_was(keep):
    text = "".join(chr(n) for n in range(0x20)) + "\"\\/\u007f\u0080\u2028\u2029\ufffd\ufffe\uffff\U0010ffff e\u0301 é"
    assert keep({"S": text}) == {"S": text}


def test_unicode_keys(dynamodb, new_table):
    name = new_table("é東:S 😀:S")
    for first, second in (("é", "e\u0301"), ("e\u0301", "é"), ("\u0000", "\U0010ffff")):
        key = {"é東": {"S": first}, "😀": {"S": second}}
        dynamodb.put_item(TableName=name, Item={**key, "v": {"S": first + second}})
        assert dynamodb.get_item(TableName=name, Key=key)["Item"]["v"] == {"S": first + second}


def test_binary_keys(dynamodb, new_table):
    name = new_table("pk:B sk:B")
    keys = [bytes([n]) * length for n in (0, 127, 255) for length in (1, 2, 500, 512)] + [b"\x00\x01", b"\x01\x00"]
    for first in keys:
        key = {"pk": {"B": first}, "sk": {"B": first[::-1]}}
        dynamodb.put_item(TableName=name, Item={**key, "v": {"N": str(len(first))}})
    for first in keys:
        got = dynamodb.get_item(TableName=name, Key={"pk": {"B": first}, "sk": {"B": first[::-1]}})
        assert got["Item"]["v"] == {"N": str(len(first))}


def test_keys_of_every_length_are_apart(dynamodb, new_table):
    """Around the lengths where storage may cut or hash keys, up to the service's limits."""
    name = new_table("pk:S sk:S")
    lengths = [1, 2, 100, 254, 255, 256, 400, 500, 505, 510, 511, 512, 513, 767, 1023, 1024]
    keys = [("p" * (2 * n), "s" * n) for n in lengths] + [("p" * 2048, "s" * 1023 + end) for end in "tu"]
    for first, second in keys:
        item = {"pk": {"S": first}, "sk": {"S": second}, "v": {"S": f"{len(first)}/{second[-1]}/{len(second)}"}}
        dynamodb.put_item(TableName=name, Item=item)
    for first, second in keys:
        got = dynamodb.get_item(TableName=name, Key={"pk": {"S": first}, "sk": {"S": second}})
        assert got["Item"]["v"] == {"S": f"{len(first)}/{second[-1]}/{len(second)}"}


def of_size(size, key="big"):
    """An item of exactly `size` bytes: names 2 + 1, the key and a text."""
    return {"pk": {"S": key}, "v": {"S": "x" * (size - 3 - len(key))}}


def test_items_of_400_kb(dynamodb, table, refused):
    item = of_size(ITEM_BYTES_MAX)
    dynamodb.put_item(TableName=table, Item=item)
    assert dynamodb.get_item(TableName=table, Key={"pk": item["pk"]})["Item"] == item
    refused("ValidationException", "Item size has exceeded the maximum allowed size",
            dynamodb.put_item, TableName=table, Item=of_size(ITEM_BYTES_MAX + 1))
    assert dynamodb.get_item(TableName=table, Key={"pk": item["pk"]})["Item"] == item
    old = dynamodb.delete_item(TableName=table, Key={"pk": item["pk"]}, ReturnValues="ALL_OLD")
    assert old["Attributes"] == item


SIZES = [
    ({"S": "é"}, 2), ({"B": b"123"}, 3), ({"BOOL": False}, 1), ({"NULL": True}, 1), ({"L": []}, 3), ({"M": {}}, 3),
    ({"L": [{"S": "ab"}, {"NULL": True}]}, 3 + 1 + 2 + 1 + 1), ({"M": {"xy": {"S": "abc"}}}, 3 + 1 + 2 + 3),
    ({"SS": ["ab", "c"]}, 3), ({"BS": [b"a", b"bc"]}, 3), ({"NS": ["1", "120"]}, 2 + 3),
    *[({"N": n}, size) for n, size in (
        ("0", 1), ("1", 2), ("12", 2), ("123", 3), ("1234", 3), ("12345", 4), ("100", 2), ("1010", 3), ("1.5", 3),
        ("0.15", 2), ("1.234", 4), ("3.14159", 5), ("100.5", 4), ("0.0000001", 2), ("1E125", 2), ("1E-100", 2),
        ("-42", 3), ("-12345", 5), ("-1E125", 3), ("9" * 38, 20))],
]


@pytest.mark.parametrize("value, size", SIZES, ids=[json.dumps(v, default=repr)[:40] for v, _ in SIZES])
def test_size_of_each_value_at_the_limit(dynamodb, table, refused, value, size):
    """The item is filled up to 400 KB with text, so one byte of misjudged size shows."""
    fill = of_size(ITEM_BYTES_MAX - size - 1)
    dynamodb.put_item(TableName=table, Item={**fill, "w": value})
    refused("ValidationException", "Item size has exceeded the maximum allowed size", dynamodb.put_item,
            TableName=table, Item={**of_size(ITEM_BYTES_MAX - size), "w": value})


def test_set_rules(dynamodb, table, refused):
    for value, message in (
        ({"SS": []}, OPVI + "An string set  may not be empty"),
        ({"NS": []}, OPVI + "An number set  may not be empty"),
        ({"BS": []}, OPVI + "Binary sets should not be empty"),
        ({"SS": ["a", "b", "a"]}, OPVI + 'Input collection ["a", "b", "a"] contains duplicates.'),
        ({"NS": ["1", "1.0"]}, OPVI + "Input collection contains duplicates."),
    ):
        refused("ValidationException", "1 validation error detected: " + message, dynamodb.put_item,
                TableName=table, Item={"pk": {"S": "a"}, "v": value})
