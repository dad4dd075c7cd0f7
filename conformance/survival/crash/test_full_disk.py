"""A disk without space, and a file that may not grow: writes get a 500, reads go on, nothing is lost."""

import resource
import time

import pytest

from admin import Admin
from client import Client

FULL = "com.amazonaws.dynamodb.v20120810#InternalServerError"
KB = 1024
START_SIZE, LATER_SIZE = 24 * KB * KB, 96 * KB * KB
ITEM_FILL = 100 * KB


@pytest.fixture
def small_disk(disk_of):
    return disk_of(START_SIZE)


def item(number):
    return {"pk": {"S": f"k{number}"}, "n": {"N": str(number)}, "fill": {"S": chr(97 + number % 26) * ITEM_FILL}}


def put(client, number):
    return client.send("PutItem", {"TableName": "full", "Item": item(number)})


def fill(client, first=0, most=5000):
    """Puts items until one is refused; returns the numbers of those acknowledged."""
    kept = []
    for number in range(first, first + most):
        answer = put(client, number)
        if answer.status != 200:
            assert answer.status == 500, answer
            assert answer.json()["__type"] == FULL
            return kept
        kept.append(number)
    raise AssertionError(f"{most} items fitted")


def assert_kept(client, numbers, refused=()):
    for number in numbers:
        got = client.ok("GetItem", TableName="full", Key={"pk": {"S": f"k{number}"}}, ConsistentRead=True)
        assert got == {"Item": item(number)}
    for number in refused:
        assert client.ok("GetItem", TableName="full", Key={"pk": {"S": f"k{number}"}}) == {}


# What a lazy store gives up comes back with a sync: here not while a test looks.
SYNC = {"commit": ("--sync", "commit"), "lazy": ("--sync", "lazy", "--sync-interval", "100000")}


def assert_refuses_but_serves(client, kept):
    """However often it is asked: the answer is 500, and everything acknowledged stays readable."""
    for _ in range(10):
        answer = put(client, 99_999)
        assert (answer.status, answer.json()["__type"]) == (500, FULL)
    assert_kept(client, kept, refused=[99_999, kept[-1] + 1])
    assert client.describe("full")["TableStatus"] == "ACTIVE"
    assert "full" in client.table_names()


@pytest.mark.parametrize("sync", ["commit", "lazy"])
def test_full_disk(start, small_disk, sync, figures):
    folder = small_disk.folder / "db"
    flags = ("--db-path", folder, *SYNC[sync])
    client = Client(start(*flags, prefix=small_disk.prefix()))
    client.create_table("full")
    kept = fill(client)
    assert len(kept) >= START_SIZE // ITEM_FILL // 3
    assert_refuses_but_serves(client, kept)

    # Killed while full, started while still full.
    client.server.kill()
    client = Client(start(*flags, prefix=small_disk.prefix()))
    assert_kept(client, kept)
    kept += fill(client, first=kept[-1] + 1)
    assert_refuses_but_serves(client, kept)

    # Overwritten as far as it goes, then half of it deleted, and half written again.
    for number in kept:
        put(client, number)
    half = kept[: len(kept) // 2]
    for number in half[::2]:
        assert client.send("ExecuteStatement", {"Statement": f"DELETE FROM \"full\" WHERE pk = 'k{number}'"}).status == 200
    for number in half[1::2]:
        assert client.send("DeleteItem", {"TableName": "full", "Key": {"pk": {"S": f"k{number}"}}}).status == 200
    again = half[: len(half) * 95 // 100]
    for number in again:
        assert put(client, number).status == 200, number
    kept = again + kept[len(half):]
    # Told once, however many were refused.
    assert len(client.server.wait_for_log("disk space is available again: writes are accepted")) == 1
    assert client.server.log().count("there is no room for writes") == 1

    # Space comes back: the same process writes again.
    small_disk.resize(LATER_SIZE)
    more = list(range(10_000, 10_100))
    for number in more:
        assert put(client, number).status == 200
    assert_kept(client, kept + more)
    assert client.server.stop() == 0

    client = Client(start(*flags, prefix=small_disk.prefix()))
    assert_kept(client, kept + more)
    assert client.server.stop() == 0
    figures.append(f"full disk, --sync {sync}: {len(kept)} items of {ITEM_FILL // KB} KB kept in "
                   f"{START_SIZE // KB // KB} MB, {len(more)} more after it grew")


def statement(number):
    return {"Statement": f"DELETE FROM \"full\" WHERE pk = 'k{number}'"}


def deletion(number):
    return {"TableName": "full", "Key": {"pk": {"S": f"k{number}"}}}


# Requests that only delete, of several items.
DELETING = {
    "BatchWriteItem": lambda numbers: {"RequestItems": {"full": [
        {"DeleteRequest": {"Key": deletion(number)["Key"]}} for number in numbers]}},
    "TransactWriteItems": lambda numbers: {"ClientRequestToken": f"t{numbers[0]}", "TransactItems": [
        {"ConditionCheck": {**deletion("none"), "ConditionExpression": "attribute_not_exists(pk)"}},
        *({"Delete": deletion(number)} for number in numbers)]},
    "BatchExecuteStatement": lambda numbers: {"Statements": [statement(number) for number in numbers]},
    "ExecuteTransaction": lambda numbers: {"ClientRequestToken": f"e{numbers[0]}", "TransactStatements": [
        statement(number) for number in numbers]},
}


@pytest.mark.parametrize("sync", ["commit", "lazy"])
def test_full_disk_is_emptied_by_whatever_deletes(start, small_disk, sync):
    client = Client(start("--db-path", small_disk.folder / "db", *SYNC[sync], prefix=small_disk.prefix()))
    client.create_table("full")
    kept = fill(client)
    for number in kept:
        put(client, number)
    for first in range(0, len(kept), 5):
        operation = list(DELETING)[first // 5 % len(DELETING)]
        answer = client.send(operation, DELETING[operation](kept[first:first + 5]))
        assert answer.status == 200, (operation, first, answer)
    assert client.ok("Scan", TableName="full", Select="COUNT")["Count"] == 0
    assert put(client, 0).status == 200
    assert client.server.stop() == 0


@pytest.mark.parametrize("sync", ["commit", "lazy"])
def test_full_disk_is_emptied_by_time_and_with_its_tables(start, small_disk, sync):
    client = Client(start("--db-path", small_disk.folder / "db", *SYNC[sync], prefix=small_disk.prefix()))
    client.create_table("full")
    client.create_table("mortal")
    client.ok("UpdateTimeToLive", TableName="mortal",
              TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
    ttl = {"N": str(int(time.time()) + 3600)}
    mortal = 0
    while client.send("PutItem", {"TableName": "mortal", "Item": {**item(mortal), "ttl": ttl}}).status == 200:
        mortal += 1
        if mortal % 2 and put(client, mortal).status != 200:
            break
    assert mortal >= START_SIZE // ITEM_FILL // 5
    for number in range(mortal):
        put(client, number)
    assert put(client, 99_999).status == 500
    Admin(client.server).move(advance="2h")
    assert client.ok("Scan", TableName="mortal", Select="COUNT")["Count"] == 0
    for name in ("full", "mortal"):
        client.ok("DeleteTable", TableName=name)
    client.create_table("full")
    refilled = fill(client)  # what was swept is used again
    assert len(refilled) >= START_SIZE // ITEM_FILL // 3
    assert_kept(client, refilled)
    assert client.server.stop() == 0


@pytest.mark.parametrize("sync", ["commit", "lazy"])
def test_file_that_may_not_grow(start, tmp_path, sync, figures):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (START_SIZE, START_SIZE))

    flags = ("--db-path", tmp_path / "db", *SYNC[sync])
    client = Client(start(*flags, preexec=limited))
    client.create_table("full")
    kept = fill(client)
    assert len(kept) >= START_SIZE // ITEM_FILL // 3
    assert_refuses_but_serves(client, kept)
    assert client.server.stop() == 0

    client = Client(start(*flags))
    assert_kept(client, kept, refused=[99_999])
    for number in range(10_000, 10_100):
        assert put(client, number).status == 200
    assert_kept(client, kept + list(range(10_000, 10_100)))
    assert client.server.stop() == 0
    figures.append(f"limited file, --sync {sync}: {len(kept)} items of {ITEM_FILL // KB} KB kept")
