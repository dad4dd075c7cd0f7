"""BatchGetItem and BatchWriteItem with boto3: sizes, several tables, leftovers, refusals."""

import pytest

import scenario
from scenario import canonical, marshal, read_batches, same, to_item, to_row
from sizes import item_size, read_units, write_units

INVALID = "One or more parameter values were invalid: "
MB = 1024 * 1024


@pytest.fixture(scope="module")
def two(new_store):
    """Two tables with other keys, 300 rows each."""
    first, second = new_store("pk:S sk:N"), new_store("id:N")
    first.load({"pk": f"p{n % 7}", "sk": n, "text": "x" * (n % 90), "list": [n, {"m": n}]} for n in range(300))
    second.load({"id": n, "name": f"name {n}"} for n in range(300))
    return first, second


def key(store, row):
    return store.key_item(row)


def test_a_hundred_keys_of_two_tables(fast, two):
    first, second = two
    some, others = list(first.rows.values())[:60], list(second.rows.values())[:39]
    missing = {"id": 12_345}
    answer = fast.batch_get_item(RequestItems={
        first.name: {"Keys": [key(first, row) for row in some], "ConsistentRead": True},
        second.name: {"Keys": [key(second, row) for row in (*others, missing)]}})
    assert answer["UnprocessedKeys"] == {}
    assert set(answer["Responses"]) == {first.name, second.name}
    for store, wanted in ((first, some), (second, others)):
        same([to_row(item) for item in answer["Responses"][store.name]], wanted)


def test_nothing_found_is_an_empty_list(fast, two):
    _, second = two
    answer = fast.batch_get_item(RequestItems={second.name: {"Keys": [{"id": {"N": "-1"}}, {"id": {"N": "-2"}}]}})
    assert (answer["Responses"], answer["UnprocessedKeys"]) == ({second.name: []}, {})


def test_projections(fast, two):
    first, _ = two
    rows = list(first.rows.values())[:50]
    keys = [key(first, row) for row in rows]
    for members, wanted in (
            ({"ProjectionExpression": "sk, #list[1].m", "ExpressionAttributeNames": {"#list": "list"}},
             [{"sk": row["sk"], "list": [{"m": row["sk"]}]} for row in rows]),
            ({"AttributesToGet": ["pk", "absent"]}, [{"pk": row["pk"]} for row in rows])):
        answer = fast.batch_get_item(RequestItems={first.name: {"Keys": keys, **members}})
        same([to_row(item) for item in answer["Responses"][first.name]], wanted)


def test_many_batches_over_everything(two):
    for store in two:
        keys = [{k: row[k] for k in store.keys} for row in store.rows.values()]
        same(read_batches(store.client, store.name, keys), store.entries())


def test_answers_of_16_mb(fast, new_store):
    """What does not fit comes back in UnprocessedKeys, with what was asked of it."""
    store = new_store("pk:S")
    store.load({"pk": f"p{n:03d}", "v": "x" * 399_000, "n": n} for n in range(60))
    asked = {"Keys": [store.key_item(row) for row in store.rows.values()], "ConsistentRead": True,
             "ProjectionExpression": "#pk, v, #n", "ExpressionAttributeNames": {"#pk": "pk", "#n": "n"}}
    left, answers = {store.name: dict(asked)}, []
    while left:
        answer = fast.batch_get_item(RequestItems=left, ReturnConsumedCapacity="TOTAL")
        found = [to_row(item) for item in answer["Responses"][store.name]]
        sizes = list(map(item_size, found))
        assert found and sum(sizes) <= 16 * MB
        wanted = [{"TableName": store.name, "CapacityUnits": sum(read_units(size, True) for size in sizes)}]
        assert answer["ConsumedCapacity"] == wanted
        left = answer["UnprocessedKeys"]
        if left:
            rest = left[store.name]
            assert {name: rest[name] for name in asked if name != "Keys"} == \
                {name: asked[name] for name in asked if name != "Keys"}
            assert len(rest["Keys"]) + sum(map(len, answers)) + len(found) == 60
        answers.append(found)
    assert len(answers) > 1
    same([row for rows in answers for row in rows], store.entries())


@pytest.mark.parametrize("change, message", [
    (lambda first, second: {}, "1 validation error detected: Value at 'RequestItems' failed to satisfy "
     "constraint: Member must have length greater than or equal to 1"),
    (lambda first, second: {second.name: {"Keys": [{"id": {"N": str(n)}} for n in range(101)]}},
     lambda first, second: f"1 validation error detected: Value at 'RequestItems.{second.name}.member.Keys' failed to "
     "satisfy constraint: Member must have length less than or equal to 100"),
    (lambda first, second: {second.name: {"Keys": [{"id": {"N": str(n)}} for n in range(100)]},
                            first.name: {"Keys": [{"pk": {"S": "a"}, "sk": {"N": "1"}}]}},
     "Too many items requested for the BatchGetItem call"),
    (lambda first, second: {second.name: {"Keys": [{"id": {"N": "1"}}, {"id": {"N": "1.0"}}]}},
     "Provided list of item keys contains duplicates"),
    (lambda first, second: {first.name: {"Keys": [{"pk": {"S": "a"}}]}},
     "The provided key element does not match the schema"),
    (lambda first, second: {second.name: {"Keys": [{"id": {"S": "1"}}]}},
     "The provided key element does not match the schema"),
    (lambda first, second: {second.name: {"Keys": [{"id": {"N": "1"}}], "AttributesToGet": ["a", "a"]}},
     f"{INVALID}Duplicate value in attribute name: a"),
])
def test_refused_reads(fast, refused, two, change, message):
    message = message(*two) if callable(message) else message
    refused("ValidationException", message, fast.batch_get_item, RequestItems=change(*two))


def test_a_missing_table_fails_the_whole_batch(fast, refused, two):
    first, second = two
    missing = scenario.unique_name("absent")
    keys = {"Keys": [{"id": {"N": "1"}}]}
    refused("ResourceNotFoundException", "Requested resource not found", fast.batch_get_item,
            RequestItems={second.name: keys, missing: keys})
    refused("ResourceNotFoundException", "Requested resource not found", fast.batch_write_item, RequestItems={
        second.name: [{"PutRequest": {"Item": {"id": {"N": "777"}}}}],
        missing: [{"PutRequest": {"Item": {"id": {"N": "1"}}}}]})
    assert second.get({"id": 777}) is None


def test_puts_and_deletes_in_one_batch(fast, two):
    first, second = two
    puts = [{"pk": "batch", "sk": n, "set": {n, n + 1}} for n in range(-12, 0)]
    gone = list(second.rows.values())[-12:]
    replaced = {"id": gone[0]["id"] - 1, "name": "other"}
    answer = fast.batch_write_item(RequestItems={
        first.name: [{"PutRequest": {"Item": to_item(row)}} for row in puts],
        second.name: [{"DeleteRequest": {"Key": key(second, row)}} for row in gone]
        + [{"PutRequest": {"Item": to_item(replaced)}}]})
    assert answer["UnprocessedItems"] == {}
    first.rows.update((first.key(row), row) for row in puts)
    second.rows[second.key(replaced)] = replaced
    for row in gone:
        del second.rows[second.key(row)]
    first.check_everything()
    second.check_everything()


def put(row):
    return {"PutRequest": {"Item": to_item(row)}}


def delete(row):
    return {"DeleteRequest": {"Key": to_item(row)}}


@pytest.mark.parametrize("requests, message", [
    ([put({"id": n}) for n in range(900, 925)] + [put({"id": 926})], None),
    ([put({"id": 900}), delete({"id": 900})], "Provided list of item keys contains duplicates"),
    ([put({"id": 900}), put({"id": 900, "a": 1})], "Provided list of item keys contains duplicates"),
    ([put({"id": 900}), put({"name": "no key"})], "The provided key element does not match the schema"),
    ([put({"id": 900}), put({"id": "text"})], "The provided key element does not match the schema"),
    ([put({"id": 900}), delete({"id": 901, "more": 1})], "The provided key element does not match the schema"),
    ([put({"id": 900}), put({"id": 901, "v": "x" * 409_600})], "Item size has exceeded the maximum allowed size"),
    ([put({"id": 900}), {"PutRequest": {"Item": {"id": {"N": "901"}, "s": {"SS": ["a", "a"]}}}}],
     f"{INVALID}Input collection [a, a] contains duplicates."),
    ([put({"id": 900}), {"PutRequest": {"Item": {"id": {"N": "1x"}}}}],
     "The parameter cannot be converted to a numeric value: 1x"),
])
def test_refused_writes_write_nothing(fast, refused, two, requests, message):
    _, second = two
    call = {"RequestItems": {second.name: requests}}
    if message:
        refused("ValidationException", message, fast.batch_write_item, **call)
    else:  # the text lists the whole request
        with pytest.raises(fast.exceptions.ClientError, match="Map value must satisfy constraint"):
            fast.batch_write_item(**call)
    assert second.get({"id": 900}) is None


def test_more_than_25_over_all_tables(fast, refused, two):
    first, second = two
    refused("ValidationException", "Too many items requested for the BatchWriteItem call", fast.batch_write_item,
            RequestItems={
        first.name: [put({"pk": "many", "sk": n}) for n in range(13)],
        second.name: [put({"id": 900 + n}) for n in range(13)]})
    refused("ValidationException", "The requestItems parameter is required for BatchWriteItem", fast.batch_write_item,
            RequestItems={})
    assert second.get({"id": 900}) is None and first.get({"pk": "many", "sk": 0}) is None


def test_consumed_capacity(fast, two):
    """One entry per table, in the order of their names; each member is rounded on its own."""
    first, second = two
    before = {"id": 500, "v": "x" * 2000}
    second.load([before])
    rows = [{"pk": "units", "sk": n, "v": "x" * n * 700} for n in range(10)]
    shorter = {"id": 500, "v": "x"}
    for mode in ("TOTAL", "INDEXES"):
        second.load([before])
        first.load(rows)
        answer = fast.batch_write_item(ReturnConsumedCapacity=mode, RequestItems={
            second.name: [put(shorter), delete({"id": 501_000})], first.name: [put(row) for row in rows]})
        units = {first.name: sum(write_units(item_size(row)) for row in rows),
                 second.name: write_units(item_size(before), item_size(shorter)) + 1}
        assert answer["ConsumedCapacity"] == entries(units, mode)
        for consistent in (False, True):
            answer = fast.batch_get_item(ReturnConsumedCapacity=mode, RequestItems={
                second.name: {"Keys": [{"id": {"N": "500"}}, {"id": {"N": "501000"}}], "ConsistentRead": consistent},
                first.name: {"Keys": [key(first, row) for row in rows]}})
            units = {first.name: sum(read_units(item_size(row)) for row in rows),
                     second.name: 2 * read_units(item_size(shorter), consistent)}
            assert answer["ConsumedCapacity"] == entries(units, mode)
    second.rows[(500,)] = shorter
    for members in ({}, {"ReturnConsumedCapacity": "NONE"}):
        assert "ConsumedCapacity" not in fast.batch_write_item(RequestItems={second.name: [put(shorter)]}, **members)


def entries(units, mode):
    return [{"TableName": name, "CapacityUnits": units[name],
             **({"Table": {"CapacityUnits": units[name]}} if mode == "INDEXES" else {})} for name in sorted(units)]


def test_item_collection_metrics(fast, new_store):
    store = new_store("pk:S sk:N", local=scenario.Index("pk:S n:N", local=True))
    answer = fast.batch_write_item(ReturnItemCollectionMetrics="SIZE", RequestItems={
        store.name: [put({"pk": pk, "sk": sk, "n": 1}) for pk in "ab" for sk in range(3)]})
    found = answer["ItemCollectionMetrics"][store.name]
    assert {entry["ItemCollectionKey"]["pk"]["S"] for entry in found} == {"a", "b"}
    assert all(entry["SizeEstimateRangeGB"] == [0.0, 1.0] for entry in found)


def test_bytes_and_empty_values_survive(fast, two):
    first, _ = two
    row = {"pk": "odd", "sk": 1, "empty": "", "bytes": bytes(range(256)), "none": None, "set": {"", "a"},
           "deep": [[], {}, [{" ": 1}]]}
    fast.batch_write_item(RequestItems={first.name: [put(row)]})
    answer = fast.batch_get_item(RequestItems={first.name: {"Keys": [key(first, row)], "ConsistentRead": True}})
    assert canonical(map(to_row, answer["Responses"][first.name])) == canonical([row])
    assert marshal(row["none"]) == answer["Responses"][first.name][0]["none"]
    fast.delete_item(TableName=first.name, Key=key(first, row))
