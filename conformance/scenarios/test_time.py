"""Data along time: chat messages by room or user and time range, reservations by hour and user."""

from datetime import datetime, timedelta

import pytest

import scenario
from scenario import Index, same

START = datetime(2026, 3, 1)
ROOMS, WRITERS = 40, 120


def stamp(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def generate_messages(data):
    moment = START
    for number in range(scenario.ITEMS + 500):
        moment += timedelta(microseconds=data.randrange(1, 200_000_000))
        yield {"room": f"room-{int(data.triangular(0, ROOMS, 0)):02d}", "sent": stamp(moment),
               "user": f"user-{data.randrange(WRITERS):03d}",
               "text": f"message {number} " + "lorem " * data.randrange(9),
               "likes": data.randrange(5)}


@pytest.fixture(scope="module")
def chat(new_store):
    store = new_store("room:S sent:S", by_user=Index("user:S sent:S", ["text"]))
    store.load(generate_messages(scenario.generator("chat")))
    return store


def time_ranges(chat, name, count):
    """Pairs of moments: between messages, exactly at messages, and a few that hold nothing."""
    data = scenario.generator(name)
    sent = sorted(row["sent"] for row in chat.rows.values())
    for _ in range(count):
        low, high = sorted(data.sample(sent, 2))
        yield low, high
    yield sent[0], sent[-1]
    yield sent[7], sent[7]
    yield "1999", "2000"


def test_messages_of_a_user_by_time(chat):
    data = scenario.generator("chat users")
    for low, high in time_ranges(chat, "chat by user", 60):
        user = f"user-{data.randrange(WRITERS):03d}"
        chat.check("#user = :u AND sent BETWEEN :low AND :high", {"u": user, "low": low, "high": high},
                   lambda e: e["user"] == user and low <= e["sent"] <= high, "by_user",
                   descending=data.random() < 0.5)


@pytest.mark.parametrize("operator, holds", [
    ("<", str.__lt__), ("<=", str.__le__), (">", str.__gt__), (">=", str.__ge__), ("=", str.__eq__)])
def test_messages_of_a_room_since(chat, operator, holds):
    for row in scenario.generator(f"chat {operator}").sample(list(chat.rows.values()), 12):
        room, moment = row["room"], row["sent"]
        chat.check(f"room = :r AND sent {operator} :s", {"r": room, "s": moment},
                   lambda e: e["room"] == room and holds(e["sent"], moment))


def test_a_day_of_a_room(chat):
    for day in sorted({row["sent"][:10] for row in chat.rows.values()})[:12]:
        chat.check("room = :r AND begins_with(sent, :d)", {"r": "room-03", "d": day},
                   lambda e: e["room"] == "room-03" and e["sent"].startswith(day))


def test_latest_messages_then_further_back(chat):
    """As a chat window reads: the newest first, older ones when the reader scrolls."""
    for number in range(0, ROOMS, 7):
        room = f"room-{number:02d}"
        wanted = chat.expected(lambda row: row["room"] == room, descending=True)
        read = chat.query_pages("room = :r", {"r": room}, descending=True, Limit=50)
        for page, answer in enumerate(read):
            found = [scenario.to_row(item) for item in answer["Items"]]
            assert found == wanted[50 * page:50 * page + 50]
        assert 50 * page + len(found) == len(wanted)


def test_a_user_in_a_room(chat):
    for user in ("user-000", "user-077"):
        chat.check("room = :r", {"r": "room-00", "u": user}, lambda e: (e["room"], e["user"]) == ("room-00", user),
                   FilterExpression="#user = :u")


def test_old_messages_are_removed(chat):
    border = sorted(row["sent"] for row in chat.rows.values())[600]
    found = []
    for room in sorted({row["room"] for row in chat.rows.values()}):
        old = chat.query("room = :r AND sent < :b", {"r": room, "b": border}, ProjectionExpression="room, sent")
        same(old, [{k: row[k] for k in chat.keys}
                   for row in chat.expected(lambda e: e["room"] == room and e["sent"] < border)], chat.order())
        found += old
    chat.remove(found)
    assert len(chat.rows) == scenario.ITEMS + 500 - 600
    chat.check_everything()


DAYS, OPEN_HOURS, GUESTS = 60, range(8, 22), 900


def generate_reservations(data):
    taken = set()
    while len(taken) < scenario.ITEMS:
        day = START + timedelta(days=data.randrange(DAYS))
        taken.add((f"{day:%Y-%m-%d}T{data.choice(OPEN_HOURS):02d}", f"guest-{data.randrange(GUESTS):04d}"))
    for hour, user in sorted(taken, key=lambda pair: data.random()):
        yield {"hour": hour, "user": user, "seats": data.randrange(1, 9), "vip": data.random() < 0.1}


@pytest.fixture(scope="module")
def reservations(new_store):
    store = new_store("hour:S user:S", by_user=Index("user:S hour:S"))
    store.load(generate_reservations(scenario.generator("reservations")))
    return store


def test_reservations_of_an_hour(reservations):
    for hour in scenario.generator("hours").sample(sorted({row["hour"] for row in reservations.rows.values()}), 60):
        reservations.check("#hour = :h", {"h": hour}, lambda row: row["hour"] == hour)


def test_reservations_of_a_user(reservations):
    for number in range(0, GUESTS, 30):
        user = f"guest-{number:04d}"
        for condition, values, holds in (
                ("", {}, lambda row: True),
                (" AND begins_with(#hour, :b)", {"b": "2026-03-1"}, lambda row: row["hour"].startswith("2026-03-1")),
                (" AND #hour BETWEEN :low AND :high", {"low": "2026-03-05T12", "high": "2026-04-02T09"},
                 lambda row: "2026-03-05T12" <= row["hour"] <= "2026-04-02T09")):
            reservations.check("#user = :u" + condition, {"u": user, **values},
                               lambda row: row["user"] == user and holds(row), "by_user")


def test_large_parties(reservations):
    found = reservations.scan(None, {"n": 7, "t": True}, FilterExpression="seats >= :n AND vip = :t")
    same(found, reservations.expected(lambda row: row["seats"] >= 7 and row["vip"]))


def test_nobody_books_twice(reservations):
    client, name = reservations.client, reservations.name
    once = {"ConditionExpression": "attribute_not_exists(#user)", "ExpressionAttributeNames": {"#user": "user"}}
    data = scenario.generator("second bookings")
    for row in data.sample(list(reservations.rows.values()), 100):
        with pytest.raises(client.exceptions.ConditionalCheckFailedException):
            client.put_item(TableName=name, Item=scenario.to_item({**row, "seats": 99}), **once)
    for row in data.sample(list(reservations.rows.values()), 100):
        answer = client.delete_item(TableName=name, Key=reservations.key_item(row), ReturnValues="ALL_OLD")
        assert scenario.to_row(answer["Attributes"]) == reservations.rows.pop(reservations.key(row))
        row = {**row, "seats": 1}
        if data.random() < 0.5:
            client.put_item(TableName=name, Item=scenario.to_item(row), **once)
            reservations.rows[reservations.key(row)] = row
    reservations.settle()
    reservations.check_everything()
