"""A hotel's bookings on PynamoDB: the library makes the table, its indexes and every expression."""

import datetime
import secrets

import pytest
from pynamodb.attributes import (
    BooleanAttribute, JSONAttribute, ListAttribute, MapAttribute, NumberAttribute, UnicodeAttribute,
    UnicodeSetAttribute, UTCDateTimeAttribute, VersionAttribute)
from pynamodb.connection import Connection
from pynamodb.exceptions import DoesNotExist, PutError, TransactWriteError, UpdateError
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex, KeysOnlyProjection, LocalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactGet, TransactWrite

import server_process

START = datetime.datetime(2026, 5, 1, tzinfo=datetime.timezone.utc)


class Address(MapAttribute):
    city = UnicodeAttribute()
    lines = ListAttribute(default=list)


class ByGuest(GlobalSecondaryIndex):
    class Meta:
        index_name = "by-guest"
        projection = AllProjection()

    guest = UnicodeAttribute(hash_key=True)
    arrival = UTCDateTimeAttribute(range_key=True)


class ByPrice(LocalSecondaryIndex):
    class Meta:
        index_name = "by-price"
        projection = KeysOnlyProjection()

    hotel = UnicodeAttribute(hash_key=True)
    price = NumberAttribute(range_key=True)


class Booking(Model):
    class Meta:
        table_name = "pynamodb-" + secrets.token_hex(6)
        region = "us-east-1"
        aws_access_key_id = "conformance"
        aws_secret_access_key = "conformance"
        billing_mode = "PAY_PER_REQUEST"

    hotel = UnicodeAttribute(hash_key=True)
    number = NumberAttribute(range_key=True)
    guest = UnicodeAttribute(null=True)
    arrival = UTCDateTimeAttribute()
    price = NumberAttribute(default=0)
    wishes = UnicodeSetAttribute(null=True)
    address = Address(null=True)
    extras = JSONAttribute(null=True)
    paid = BooleanAttribute(default=False)
    version = VersionAttribute()
    by_guest = ByGuest()
    by_price = ByPrice()


def make(i):
    return Booking(
        f"hotel-{i % 4}", i,
        guest=None if i % 9 == 0 else f"guest-{i % 13}",
        arrival=START + datetime.timedelta(days=i % 40),
        price=50 + (i * 37) % 400,
        wishes={"quiet", f"floor-{i % 6}"},
        address=Address(city=f"city-{i % 3}", lines=["a", str(i)]),
        extras={"nights": i % 5, "note": None})


@pytest.fixture(scope="module")
def bookings():
    server = None
    host = server_process.given_endpoint()
    if not host:
        server = server_process.Server()
        host = server.endpoint
    Booking.Meta.host = host
    Booking.create_table(wait=True)
    made = [make(i) for i in range(200)]
    with Booking.batch_write() as batch:
        for booking in made:
            batch.save(booking)
    yield made
    Booking.delete_table()
    if server:
        server.stop()


def numbers(found):
    return [booking.number for booking in found]


def test_get_and_missing(bookings):
    booking = Booking.get("hotel-1", 5, consistent_read=True)
    assert booking.address.city == "city-2"
    assert booking.address.lines == ["a", "5"]
    assert booking.wishes == {"quiet", "floor-5"}
    assert booking.extras == {"nights": 0, "note": None}
    with pytest.raises(DoesNotExist):
        Booking.get("hotel-1", 6)


def test_query_ranges_pages_and_order(bookings):
    expected = [b.number for b in bookings if b.hotel == "hotel-2" and 20 <= b.number <= 150]
    assert numbers(Booking.query("hotel-2", Booking.number.between(20, 150), page_size=3)) == expected
    backwards = Booking.query("hotel-2", Booking.number < 151, scan_index_forward=False, limit=4)
    assert numbers(backwards) == expected[::-1][:4]
    first = Booking.query("hotel-2", limit=10)
    seen = numbers(first)
    rest = Booking.query("hotel-2", last_evaluated_key=first.last_evaluated_key)
    assert seen + numbers(rest) == [b.number for b in bookings if b.hotel == "hotel-2"]


def test_global_and_local_index(bookings):
    until = START + datetime.timedelta(days=20)
    expected = sorted((b.arrival, b.number) for b in bookings if b.guest == "guest-7" and b.arrival < until)
    found = list(Booking.by_guest.query("guest-7", Booking.arrival < until))
    assert sorted((b.arrival, b.number) for b in found) == expected
    assert [b.arrival for b in found] == [arrival for arrival, _ in expected]
    cheap = sorted((b.price, b.number) for b in bookings if b.hotel == "hotel-3" and b.price <= 120)
    found = list(Booking.by_price.query("hotel-3", Booking.price <= 120))
    assert [b.price for b in found] == [price for price, _ in cheap]
    assert sorted(numbers(found)) == sorted(number for _, number in cheap)


def test_filters_and_counts(bookings):
    condition = (Booking.address.city == "city-1") & Booking.wishes.contains("floor-4")
    expected = [b.number for b in bookings
                if b.address.city == "city-1" and "floor-4" in b.wishes and b.price > 100]
    found = Booking.scan(condition & (Booking.price > 100), page_size=17)
    assert sorted(numbers(found)) == expected
    assert Booking.count("hotel-0", filter_condition=Booking.guest.does_not_exist()) == len(
        [b for b in bookings if b.hotel == "hotel-0" and b.guest is None])
    assert len(list(Booking.scan())) == len(bookings)
    segments = [numbers(Booking.scan(segment=i, total_segments=3)) for i in range(3)]
    assert sorted(sum(segments, [])) == [b.number for b in bookings]


def test_updates_conditions_and_versions(bookings):
    booking = Booking.get("hotel-0", 8)
    stale = Booking.get("hotel-0", 8)
    booking.update(actions=[
        Booking.price.add(5),
        Booking.address.lines.set(Booking.address.lines.append(["third"])),
        Booking.wishes.delete({"quiet"}),
        Booking.paid.set(True),
        Booking.extras.remove(),
    ], condition=Booking.paid == False)  # noqa: E712  (builds an expression)
    expected = make(8)
    assert booking.price == expected.price + 5
    assert booking.address.lines == ["a", "8", "third"]
    assert booking.wishes == {"floor-2"}
    assert booking.extras is None
    assert booking.version == 1  # a batch writes none
    with pytest.raises(UpdateError) as caught:
        stale.update(actions=[Booking.price.set(1)])
    assert caught.value.cause_response_code == "ConditionalCheckFailedException"
    with pytest.raises(PutError) as caught:
        make(8).save(Booking.hotel.does_not_exist())
    assert caught.value.cause_response_message == "The conditional request failed"
    booking.refresh()
    assert booking.price == expected.price + 5


def test_batches(bookings):
    keys = [("hotel-1", n) for n in range(1, 200, 4)]
    assert sorted(numbers(Booking.batch_get(keys + [("hotel-1", 1000)]))) == [n for _, n in keys]
    with Booking.batch_write() as batch:
        for _, number in keys[:30]:
            batch.delete(Booking("hotel-1", number))
    assert sorted(numbers(Booking.batch_get(keys))) == [n for _, n in keys[30:]]


def test_transactions(bookings):
    """A guest moves to another room: both bookings change or none."""
    connection = Connection(region="us-east-1", host=Booking.Meta.host)
    connection.session.set_credentials("conformance", "conformance")
    first, second = Booking.get("hotel-3", 11), Booking.get("hotel-3", 15)
    token = secrets.token_hex(8)
    for _ in range(2):  # the second time nothing happens
        with TransactWrite(connection=connection, client_request_token=token) as transaction:
            transaction.update(Booking("hotel-3", 11), actions=[Booking.price.add(-10)], add_version_condition=False)
            transaction.update(Booking("hotel-3", 15), actions=[Booking.price.add(10)], add_version_condition=False)
            transaction.condition_check(Booking, "hotel-3", 19, condition=Booking.hotel.exists())
            transaction.save(make(1003), condition=Booking.hotel.does_not_exist())
    with TransactGet(connection=connection) as transaction:
        found = [transaction.get(Booking, "hotel-3", number) for number in (11, 15, 1003)]
    assert [future.get().price for future in found[:2]] == [first.price - 10, second.price + 10]
    assert found[2].get().wishes == make(1003).wishes
    with pytest.raises(TransactWriteError) as caught:
        with TransactWrite(connection=connection) as transaction:
            transaction.delete(Booking("hotel-3", 11), add_version_condition=False)
            transaction.save(make(1003), condition=Booking.hotel.does_not_exist(), return_values="ALL_OLD")
    assert caught.value.cause_response_code == "TransactionCanceledException"
    reasons = caught.value.cancellation_reasons
    assert reasons[0] is None and reasons[1].code == "ConditionalCheckFailed"
    assert Booking.get("hotel-3", 11).price == first.price - 10
    with pytest.raises(DoesNotExist):
        with TransactGet(connection=connection) as transaction:
            nobody = transaction.get(Booking, "hotel-3", 7777)
        nobody.get()
