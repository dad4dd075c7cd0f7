"""Secondary indexes with boto3: what they hold, several key attributes, adding and removing them."""

import threading

import pytest

import scenario
from definitions import wait
from scenario import Index, canonical, marshal, to_item, to_row
from server_process import wait_until
from sizes import item_size

INVALID = "One or more parameter values were invalid: "
NOT_VALID = "One or more parameter values are not valid. "
UNSUPPORTED = "The update expression attempted to update the secondary index key to unsupported type"
EMPTY = ("The update expression attempted to update a secondary index key to a value that is not supported. "
         "The AttributeValue for a key attribute cannot contain an empty string value.")


@pytest.fixture
def mixed(new_store):
    """One index of each kind and projection; few keys, so that writes meet."""
    return new_store("pk:S sk:N", all=Index("a:S"), some=Index("a:S b:N", ["c"]), keys=Index("b:N a:S", "KEYS_ONLY"),
                     local=Index("pk:S b:N", ["c"], local=True), whole=Index("pk:S a:S", local=True),
                     inverted=Index("sk:N pk:S"))


def random_attributes(data):
    row = {"c": data.randrange(5), "d": "x" * data.randrange(50)}
    if data.random() < 0.7:
        row["a"] = data.choice("uvw")
    if data.random() < 0.7:
        row["b"] = data.randrange(-3, 4)
    return {name: value for name, value in row.items() if data.random() < 0.9}


def test_indexes_follow_every_kind_of_write(mixed):
    """1,500 random puts, updates and deletes over 60 keys, some refused by a condition."""
    data = scenario.generator("index writes")
    refused = mixed.client.exceptions.ConditionalCheckFailedException
    for number in range(1500):
        row = {"pk": data.choice("pqr"), "sk": data.randrange(20)}
        key, kind = mixed.key(row), data.randrange(10)
        if kind < 3:
            mixed.rows[key] = {**row, **random_attributes(data)}
            mixed.client.put_item(TableName=mixed.name, Item=to_item(mixed.rows[key]))
        elif kind < 5:
            mixed.rows.pop(key, None)
            mixed.client.delete_item(TableName=mixed.name, Key=to_item(row))
        elif kind < 6:
            with pytest.raises(refused):
                mixed.update(row, "SET a = :a, b = :b", {"a": "never", "b": 99},
                             ConditionExpression="attribute_exists(absent)")
        else:
            changes = random_attributes(data)
            gone = [n for n in "abcd" if n not in changes and data.random() < 0.5]
            parts = ["SET " + ", ".join(f"{n} = :{n}" for n in changes)] if changes else []
            parts += ["REMOVE " + ", ".join(gone)] if gone else []
            if parts:
                mixed.update(row, " ".join(parts), changes)
                if changes or key in mixed.rows:  # REMOVE alone makes no item
                    after = {**mixed.rows.get(key, row), **changes}
                    mixed.rows[key] = {n: v for n, v in after.items() if n not in gone}
        if number % 300 == 299:
            mixed.settle()
            mixed.check_everything()
    for a in "uvw":
        mixed.check("a = :a", {"a": a}, lambda entry: entry["a"] == a, "all")
        mixed.check("a = :a AND b >= :b", {"a": a, "b": -1},
                    lambda e: e["a"] == a and e["b"] >= -1, "some", descending=True)
    mixed.check("pk = :p AND b < :b", {"p": "q", "b": 2}, lambda e: e["pk"] == "q" and e["b"] < 2, "local")


def test_local_indexes_fetch_what_they_do_not_hold(mixed):
    mixed.load({"pk": "p", "sk": n, "b": n // 3, "c": n, "d": f"d{n}", "m": {"x": [n]}} for n in range(40))
    wanted = [mixed.rows[mixed.key(e)] for e in mixed.expected(lambda e: e["pk"] == "p", "local")]
    for members, reduce in (
            ({"Select": "ALL_ATTRIBUTES"}, lambda row: row),
            ({"ProjectionExpression": "d, m.x[0]"}, lambda row: {"d": row["d"], "m": {"x": [row["sk"]]}}),
            ({"ProjectionExpression": "c"}, lambda row: {"c": row["c"]})):
        found = mixed.query("pk = :p", {"p": "p"}, "local", Limit=7, **members)
        assert canonical(found) == canonical(map(reduce, wanted))


def test_statistics(server, mixed):
    """ItemCount and sizes in bytes of table and indexes, true at all times on our own server."""
    if not server.controllable:
        pytest.skip("the service brings these figures up to date every six hours")
    data = scenario.generator("statistics")
    mixed.load({"pk": f"p{n % 5}", "sk": n, **random_attributes(data)} for n in range(200))
    for _ in range(3):
        described = mixed.client.describe_table(TableName=mixed.name)["Table"]
        assert described["ItemCount"] == len(mixed.rows)
        assert described["TableSizeBytes"] == sum(map(item_size, mixed.rows.values()))
        found = {index["IndexName"]: (index["ItemCount"], index["IndexSizeBytes"])
                 for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes") for index in described[kind]}
        entries = {name: mixed.entries(name) for name in mixed.indexes}
        assert found == {name: (len(rows), sum(map(item_size, rows))) for name, rows in entries.items()}
        mixed.remove(data.sample(list(mixed.rows.values()), 60))
        for row in data.sample(list(mixed.rows.values()), 20):
            row.update(a="w", d="longer" * data.randrange(1, 9))
            mixed.update(row, "SET a = :a, d = :d", {"a": row["a"], "d": row["d"]})


@pytest.fixture(scope="module")
def several(new_store):
    """A global index with two partition and three sort attributes of all types."""
    data = scenario.generator("several")
    store = new_store("pk:N", wide=Index("tenant:S zone:N / day:S blob:B number:N", ["note"]))
    rows = []
    for pk in range(1500):
        row = {"pk": pk, "tenant": data.choice(("t", "t\x00", "t1")), "zone": data.randrange(3), "note": f"n{pk}",
               "day": data.choice(("a", "a\x00", "a\x00\x01", "ab", "b")), "number": data.randrange(-5, 5),
               "blob": data.choice((b"\x00", b"\x00\xff", b"\x00\x01", b"\x01", b"\xff\xff"))}
        if data.random() < 0.1:
            del row[data.choice(("tenant", "zone", "day", "blob", "number"))]
        rows.append(row)
    store.load(rows)
    return store


@pytest.mark.parametrize("condition, values, holds", [
    ("", {}, lambda e: True),
    (" AND #day = :d", {"d": "a"}, lambda e: e["day"] == "a"),
    (" AND #day < :d", {"d": "ab"}, lambda e: e["day"] < "ab"),
    (" AND #day > :d", {"d": "a"}, lambda e: e["day"] > "a"),
    (" AND #day BETWEEN :d AND :e", {"d": "a\x00", "e": "ab"}, lambda e: "a\x00" <= e["day"] <= "ab"),
    (" AND begins_with(#day, :d)", {"d": "a\x00"}, lambda e: e["day"].startswith("a\x00")),
    (" AND #day = :d AND #blob >= :b", {"d": "a", "b": b"\x00\x01"},
     lambda e: e["day"] == "a" and e["blob"] >= b"\x00\x01"),
    (" AND #day = :d AND begins_with(#blob, :b)", {"d": "a", "b": b"\x00"},
     lambda e: e["day"] == "a" and e["blob"].startswith(b"\x00")),
    (" AND #blob = :b AND #day = :d AND #number <= :n", {"d": "a", "b": b"\x00", "n": 2},
     lambda e: (e["day"], e["blob"]) == ("a", b"\x00") and e["number"] <= 2),
    (" AND #day = :d AND #blob = :b AND #number = :n", {"d": "b", "b": b"\x01", "n": -2},
     lambda e: (e["day"], e["blob"], e["number"]) == ("b", b"\x01", -2)),
])
def test_several_key_attributes(several, condition, values, holds):
    for tenant, zone in (("t", 0), ("t", 1), ("t\x00", 0), ("t1", 2)):
        for descending, limit in ((False, {}), (True, {}), (False, {"Limit": 3}), (True, {"Limit": 4})):
            several.check("tenant = :t AND #zone = :z" + condition, {"t": tenant, "z": zone, **values},
                          lambda e: (e["tenant"], e["zone"]) == (tenant, zone) and holds(e),
                          "wide", descending, **limit)


@pytest.mark.parametrize("condition", [
    "tenant = :t", "tenant = :t AND #zone > :z", "tenant = :t AND #zone = :z AND #blob = :b",
    "tenant = :t AND #zone = :z AND #day > :d AND #blob = :b", "tenant = :t AND #zone = :z AND note = :d"])
def test_several_key_attributes_refused(several, condition):
    """All partition attributes with =, sort attributes from the left, a range only on the last."""
    values = {"t": "t", "z": 1, "b": b"\x00", "d": "a"}
    used = {name: value for name, value in values.items() if f":{name}" in condition}
    with pytest.raises(several.client.exceptions.ClientError) as caught:
        several.query(condition, used, "wide")
    assert caught.value.response["Error"]["Code"] == "ValidationException"


@pytest.mark.parametrize("attributes, message", [
    ({"a": 1}, f"{INVALID}Type mismatch for Index Key a Expected: S Actual: N IndexName: "),
    ({"b": "x"}, f"{INVALID}Type mismatch for Index Key b Expected: N Actual: S IndexName: "),
    ({"a": ""}, f"{NOT_VALID}A value specified for a secondary index key is not supported. The AttributeValue for a "
     "key attribute cannot contain an empty string value. IndexName: "),
])
def test_index_keys_of_another_type_are_refused(mixed, attributes, message):
    """By PutItem, BatchWriteItem and UpdateItem alike; nothing is written. What an update takes from
    the item itself is refused in words of its own."""
    row = {"pk": "typed", "sk": 1, **attributes}
    error = mixed.client.exceptions.ClientError
    put, client = {"Item": to_item(row)}, mixed.client
    for write in (lambda: client.put_item(TableName=mixed.name, **put),
                  lambda: client.batch_write_item(RequestItems={mixed.name: [{"PutRequest": put}]})):
        with pytest.raises(error) as caught:
            write()
        assert caught.value.response["Error"]["Code"] == "ValidationException"
        assert caught.value.response["Error"]["Message"].startswith(message)
    (name, value), = attributes.items()
    wanted = message if value != "" else f"{NOT_VALID}{EMPTY}"
    with pytest.raises(error) as caught:
        mixed.update(row, f"SET {name} = :v", {"v": value})
    assert caught.value.response["Error"]["Message"].startswith(wanted)
    assert mixed.get(row) is None
    stored = {"pk": "typed", "sk": 1, "kept": value}
    mixed.load([stored])
    wanted = f"{NOT_VALID}{EMPTY}" if value == "" else UNSUPPORTED
    with pytest.raises(error) as caught:
        mixed.update(row, f"SET {name} = kept")
    assert caught.value.response["Error"]["Message"] == wanted
    assert mixed.get(row) == stored


def change_index(store, **action):
    """UpdateTable with one GlobalSecondaryIndexUpdate, and the wait until it is done."""
    definitions = [{"AttributeName": n, "AttributeType": t} for n, t in action.pop("types", {}).items()]
    members = {"AttributeDefinitions": definitions} if definitions else {}
    answer = store.client.update_table(TableName=store.name, GlobalSecondaryIndexUpdates=[action], **members)

    def done():
        table = store.client.describe_table(TableName=store.name)["Table"]
        states = {index["IndexStatus"] for index in table.get("GlobalSecondaryIndexes", [])}
        return table["TableStatus"] == "ACTIVE" and states <= {"ACTIVE"}

    wait_until(done, what="the index changed")
    return answer["TableDescription"]


def test_an_index_is_added_and_removed(new_store):
    """The backfill takes what fits the key and leaves out what does not."""
    data = scenario.generator("backfill")
    store = new_store("pk:S sk:N")
    values = ["red", "blue", 7, True, None, "", "x" * 3000, b"red", ["red"], {"red": 1}, {"red"}]
    rows = [{"pk": f"p{n % 50}", "sk": n, "n": n, "color": data.choice(values)} for n in range(3000)]
    for row in data.sample(rows, 500):
        del row["color"]
    store.load(rows)
    for projection in ("ALL", "KEYS_ONLY", ["n"]):
        index = Index("color:S sk:N", projection)
        answer = change_index(store, Create=index.definition("by_color"), types={"color": "S", "sk": "N"})
        created = {i["IndexName"]: i["IndexStatus"] for i in answer["GlobalSecondaryIndexes"]}
        assert created == {"by_color": "CREATING"}
        store.indexes["by_color"] = index
        wanted = [index.entry(row, store.keys) for row in rows if row.get("color") in ("red", "blue")]
        assert canonical(store.scan("by_color")) == canonical(wanted)
        for color in ("red", "blue"):
            found = store.query("color = :c", {"c": color}, "by_color")
            assert found == sorted((row for row in wanted if row["color"] == color), key=lambda row: row["sk"])
        del store.indexes["by_color"]
        change_index(store, Delete={"IndexName": "by_color"})
        with pytest.raises(store.client.exceptions.ClientError, match="does not have the specified index: by_color"):
            store.client.scan(TableName=store.name, IndexName="by_color")
    assert canonical(store.scan()) == canonical(store.entries())


def test_writes_go_on_while_an_index_is_built(new_store):
    store = new_store("pk:S")
    store.load({"pk": f"p{n}", "group": f"g{n % 13}", "n": n} for n in range(4000))
    stop, failures = threading.Event(), []

    def write(number):
        data = scenario.generator(f"backfill writer {number}")
        mine = [f"p{n}" for n in range(number, 4400, 4)]
        try:
            while not stop.is_set():
                pk = data.choice(mine)
                row = {"pk": pk, "group": f"g{data.randrange(13)}", "n": data.randrange(99)}
                if data.random() < 0.2:
                    store.client.delete_item(TableName=store.name, Key={"pk": marshal(pk)})
                    store.rows.pop((pk,), None)
                else:
                    store.client.put_item(TableName=store.name, Item=to_item(row))
                    store.rows[pk,] = row
        except BaseException as error:
            failures.append(error)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    index = Index("group:S", ["n"])
    try:
        change_index(store, Create=index.definition("by_group"), types={"group": "S"})
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert not failures
    store.indexes["by_group"] = index
    store.settle()
    store.check_everything()
    for number in range(13):
        store.check("#group = :g", {"g": f"g{number}"}, lambda e: e["group"] == f"g{number}", "by_group")


def test_names_of_deleted_indexes_come_back_empty_of_the_past(new_store):
    """An index made again under its old name holds today's items, not those of its forerunner."""
    store = new_store("pk:S", again=Index("a:S"))
    store.load({"pk": f"p{n}", "a": f"a{n % 3}"} for n in range(90))
    change_index(store, Delete={"IndexName": "again"})
    store.indexes.pop("again")
    store.remove(list(store.rows.values())[:60])
    index = Index("a:S", "KEYS_ONLY")
    change_index(store, Create=index.definition("again"), types={"a": "S"})
    store.indexes["again"] = index
    store.settle()
    store.check_everything()
    wait(store.client, "table_exists", store.name)
    assert [to_row(item) for item in store.client.scan(TableName=store.name, IndexName="again", Limit=1)["Items"]]
