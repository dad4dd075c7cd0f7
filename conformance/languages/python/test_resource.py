"""The boto3 resource (Python values) and many threads at once."""

import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from boto3.dynamodb.types import Binary

from conftest import make_client
from server_process import START_DEADLINE_S

THREADS = 20


def test_life_through_the_resource(resource):
    table = resource.create_table(
        TableName="py_resource", BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"},
                              {"AttributeName": "sk", "AttributeType": "N"}])
    table.wait_until_exists()
    table.reload()
    assert (table.table_status, table.name, table.item_count) == ("ACTIVE", "py_resource", 0)
    item = {
        "pk": "a", "sk": Decimal("1.5"), "text": "é", "none": None, "yes": True, "no": False,
        "list": [Decimal(1), "x", [], {}], "map": {"deep": {"er": Decimal("-1e-100")}},
        "bytes": Binary(b"\x00\xff"), "names": {"x", "y"}, "numbers": {Decimal(1), Decimal("2.5")},
        "blobs": {Binary(b"a"), Binary(b"")},
    }
    assert "Attributes" not in table.put_item(Item=item)
    key = {"pk": "a", "sk": Decimal("1.50")}
    assert table.get_item(Key=key)["Item"] == item
    old = table.put_item(Item={**key, "v": Decimal(2)}, ReturnValues="ALL_OLD")
    assert old["Attributes"] == item
    assert table.delete_item(Key=key, ReturnValues="ALL_OLD")["Attributes"] == {**key, "v": Decimal(2)}
    assert "Item" not in table.get_item(Key=key, ConsistentRead=True)
    assert "py_resource" in {t.name for t in resource.tables.all()}
    table.delete()
    table.wait_until_not_exists()


@pytest.mark.parametrize("number", ["1E-130", "-1E-130", "0", "9" * 38, "-" + "9" * 38, "0." + "1" * 38,
                                    "9.9999999999999999999999999999999999999E-93", "12345678901234567890.123456789"])
def test_decimals_are_exact(resource, table, number):
    """Numbers beyond 38 written digits are tested without the resource: its Decimal context cannot
    read them back."""
    mine = resource.Table(table)
    mine.put_item(Item={"pk": "number", "v": Decimal(number)})
    assert mine.get_item(Key={"pk": "number"})["Item"]["v"] == Decimal(number)


def in_threads(work):
    """work(n) in THREADS threads that start together; the first failure is raised."""
    gate = threading.Barrier(THREADS)

    def begin(number):
        gate.wait(START_DEADLINE_S)
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def test_threads_on_keys_of_their_own(server, table):
    client = make_client(server.endpoint, max_pool_connections=THREADS)

    def work(number):
        stored = {}
        for step in range(60):
            name = f"t{number}-{step % 7}"
            key = {"pk": {"S": name}}
            if step % 5 == 4:
                old = client.delete_item(TableName=table, Key=key, ReturnValues="ALL_OLD")
                assert old.get("Attributes") == stored.pop(name, None)
            else:
                item = {**key, "v": {"N": str(step)}, "fill": {"S": name * (step * 7)}}
                old = client.put_item(TableName=table, Item=item, ReturnValues="ALL_OLD")
                assert old.get("Attributes") == stored.get(name)
                stored[name] = item
            got = client.get_item(TableName=table, Key=key, ConsistentRead=True)
            assert got.get("Item") == stored.get(name)
        return len(stored)

    assert sum(in_threads(work)) > 0


def test_threads_on_one_key_lose_no_write(server, table):
    """Each put returns the item it replaced: the chain of versions has no gap and no fork."""
    client = make_client(server.endpoint, max_pool_connections=THREADS)
    key = {"pk": {"S": "contended"}}

    def work(number):
        seen = []
        for step in range(25):
            item = {**key, "v": {"S": f"{number}-{step}"}}
            old = client.put_item(TableName=table, Item=item, ReturnValues="ALL_OLD")
            seen.append((old.get("Attributes", {}).get("v", {}).get("S"), f"{number}-{step}"))
        return seen

    links = [link for seen in in_threads(work) for link in seen]
    replaced = [old for old, _ in links]
    assert len(set(replaced)) == len(links) == THREADS * 25
    last = client.get_item(TableName=table, Key=key, ConsistentRead=True)["Item"]["v"]["S"]
    assert set(replaced) == {new for _, new in links} - {last} | {None}


def test_threads_creating_one_table(server, dynamodb):
    client = make_client(server.endpoint, max_pool_connections=THREADS)

    def work(_):
        try:
            client.create_table(
                TableName="py_race", BillingMode="PAY_PER_REQUEST",
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
            return "created"
        except client.exceptions.ResourceInUseException:
            return "refused"

    answers = in_threads(work)
    dynamodb.delete_table(TableName="py_race")
    assert sorted(answers) == ["created"] + ["refused"] * (THREADS - 1)
