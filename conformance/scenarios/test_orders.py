"""Orders of a user by `status#date` and of a status by date; a sparse index of pending orders."""

import pytest

import scenario
from scenario import Index, same

CUSTOMERS = 250
STATUSES = ("cancelled", "delivered", "paid", "pending", "shipped")


def generate_orders(data):
    for number in range(scenario.ITEMS):
        status = data.choice(STATUSES)
        date = f"2026-{data.randrange(1, 13):02d}-{data.randrange(1, 29):02d}"
        yield {"user": f"user-{data.randrange(CUSTOMERS):03d}", "order": f"{number:06d}", "status": status,
               "date": date,
               "status_date": f"{status}#{date}", "total": data.randrange(100, 99_999),
               "lines": [{"sku": f"s{data.randrange(900)}", "n": data.randrange(1, 4)}
                         for _ in range(data.randrange(3))]}


@pytest.fixture(scope="module", params=["local", "global"])
def orders(request, new_store):
    """`by_status_date` is a local index once and a global one once: both must answer alike."""
    store = new_store("user:S order:S", by_status=Index("status:S date:S", ["total"]),
                      by_status_date=Index("user:S status_date:S", local=request.param == "local"))
    store.load(generate_orders(scenario.generator("orders")))
    return store


def customers(name, count):
    return [f"user-{number:03d}" for number in scenario.generator(name).sample(range(CUSTOMERS), count)]


def test_orders_of_a_user_by_status_and_date(orders):
    for user in customers("by status", 25):
        for status in STATUSES:
            prefix = f"{status}#"
            orders.check("#user = :u AND begins_with(status_date, :s)", {"u": user, "s": prefix},
                         lambda row: row["user"] == user and row["status_date"].startswith(prefix), "by_status_date")
        low, high = "delivered#2026-03-10", "delivered#2026-08"
        orders.check("#user = :u AND status_date BETWEEN :low AND :high", {"u": user, "low": low, "high": high},
                     lambda row: row["user"] == user and low <= row["status_date"] <= high, "by_status_date",
                     descending=True)


def test_latest_orders_of_a_user_in_a_status(orders):
    for user in customers("latest", 25):
        wanted = orders.expected(lambda row: row["user"] == user and row["status"] == "paid", "by_status_date", True)
        answer = next(orders.query_pages("#user = :u AND begins_with(status_date, :s)", {"u": user, "s": "paid#"},
                                         "by_status_date", descending=True, Limit=3))
        found = [scenario.to_row(item) for item in answer["Items"]]
        assert [row["date"] for row in found] == [row["date"] for row in wanted[:3]]
        assert all(row in wanted for row in found)


def test_orders_of_a_status_by_date(orders):
    for status in STATUSES:
        orders.check("#status = :s AND #date BETWEEN :a AND :b", {"s": status, "a": "2026-05-01", "b": "2026-05-31"},
                     lambda e: e["status"] == status and e["date"].startswith("2026-05"), "by_status")
        orders.check("#status = :s AND #date < :d", {"s": status, "d": "2026-01-15", "t": 50_000},
                     lambda e: e["status"] == status and e["date"] < "2026-01-15" and e["total"] > 50_000, "by_status",
                     FilterExpression="#total > :t")


def test_orders_change_their_status(orders):
    """Both indexes follow, the local and the global one."""
    data = scenario.generator("status changes")
    for row in data.sample(list(orders.rows.values()), 300):
        row["status"] = data.choice(STATUSES)
        row["status_date"] = f"{row['status']}#{row['date']}"
        orders.update(row, "SET #status = :s, status_date = :d", {"s": row["status"], "d": row["status_date"]})
    orders.settle()
    orders.check_everything()


SHOPS = ("berlin", "lyon", "wien")


def generate_shop_orders(data):
    """Only a pending order has the attribute `waiting_shop`."""
    for number in range(scenario.ITEMS):
        row = {"order": f"{data.getrandbits(40):010x}{number}", "shop": data.choice(SHOPS),
               "placed": data.randrange(10**6),
               "note": "x" * data.randrange(60)}
        if data.random() < 0.03:
            row["waiting_shop"] = row["shop"]
        yield row


@pytest.fixture
def queue(new_store):
    store = new_store("order:S", waiting=Index("waiting_shop:S placed:N", ["shop"]))
    store.load(generate_shop_orders(scenario.generator("queue")))
    return store


def test_the_sparse_index_holds_pending_orders_only(queue):
    pending = queue.entries("waiting")
    assert 100 < len(pending) < 1_000
    answer = queue.client.scan(TableName=queue.name, IndexName="waiting", Select="COUNT")
    assert answer["Count"] == answer["ScannedCount"] == len(pending)
    same(queue.scan("waiting"), pending)
    for shop in SHOPS:
        queue.check("waiting_shop = :s", {"s": shop}, lambda entry: entry["waiting_shop"] == shop, "waiting")


def test_pending_orders_are_worked_off_oldest_first(queue):
    """REMOVE takes an order off the index, a new pending order appears on it."""
    data = scenario.generator("work")
    for shop in SHOPS:
        while True:
            queue.settle()
            head = next(queue.query_pages("waiting_shop = :s", {"s": shop}, "waiting", Limit=10))["Items"]
            waiting = queue.expected(lambda entry: entry["waiting_shop"] == shop, "waiting")
            assert [row["placed"] for row in map(scenario.to_row, head)] == [row["placed"] for row in waiting[:10]]
            if not head:
                break
            for item in head:
                row = queue.rows[(item["order"]["S"],)]
                del row["waiting_shop"]
                row["done"] = True
                queue.update(row, "REMOVE waiting_shop SET done = :t", {"t": True},
                             ConditionExpression="attribute_exists(waiting_shop)")
    assert queue.scan("waiting") == []
    again = data.sample(list(queue.rows.values()), 50)
    for row in again:
        row["waiting_shop"] = row["shop"]
        queue.update(row, "SET waiting_shop = shop")
    queue.settle()
    queue.check_everything()
