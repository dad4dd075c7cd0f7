"""Several kinds of entity in one table: users, orders and order items with two overloaded global
indexes; teams and users as an adjacency list with an inverted index."""

import pytest

import scenario
from scenario import Index, same

COUNTRIES = ("AT", "CH", "DE", "FR")
STATUSES = ("cancelled", "delivered", "open", "shipped")
USERS, PRODUCTS = 500, 120


def day(data):
    return f"2026-{data.randrange(1, 13):02d}-{data.randrange(1, 29):02d}"


def generate_shop(data):
    """gsi1 finds users by email, orders by id and items by product; gsi2 users by country and
    orders by status. Every entity uses the same attributes pk, sk, gsi1pk, gsi1sk, gsi2pk, gsi2sk."""
    order = 0
    for user in range(USERS):
        key, country = f"USER#{user:05d}", data.choice(COUNTRIES)
        yield {"pk": key, "sk": "PROFILE", "gsi1pk": f"EMAIL#user{user}@example.com", "gsi1sk": key,
               "gsi2pk": f"COUNTRY#{country}", "gsi2sk": key, "country": country, "kind": "user"}
        for _ in range(data.randrange(0, 13)):
            order, ordered, status = order + 1, day(data), data.choice(STATUSES)
            name = f"ORDER#{order:06d}"
            yield {"pk": key, "sk": f"ORDER#{ordered}#{order:06d}", "gsi1pk": name, "gsi1sk": "ORDER",
                   "gsi2pk": f"STATUS#{status}", "gsi2sk": f"{ordered}#{order:06d}", "kind": "order",
                   "ordered": ordered, "status": status}
            for line in range(data.randrange(1, 6)):
                product = data.randrange(PRODUCTS)
                yield {"pk": name, "sk": f"ITEM#{line:02d}", "gsi1pk": f"PRODUCT#{product:04d}",
                       "gsi1sk": f"{ordered}#{order:06d}#{line:02d}", "kind": "item", "quantity": data.randrange(1, 9)}


@pytest.fixture(scope="module")
def shop(new_store):
    store = new_store("pk:S sk:S", gsi1=Index("gsi1pk:S gsi1sk:S"), gsi2=Index("gsi2pk:S gsi2sk:S", ["kind", "status"]))
    store.load(generate_shop(scenario.generator("shop")))
    assert len(store.rows) >= scenario.ITEMS, len(store.rows)
    return store


def some_users(name, count):
    return [f"USER#{number:05d}" for number in scenario.generator(name).sample(range(USERS), count)]


def of_kind(shop, kind, count):
    rows = [row for row in shop.rows.values() if row["kind"] == kind]
    return scenario.generator(f"some {kind}").sample(rows, count)


def test_a_user_with_all_orders(shop):
    for user in some_users("with orders", 40):
        found = shop.check("pk = :u", {"u": user}, lambda row: row["pk"] == user)
        assert [row["kind"] for row in found] == ["order"] * (len(found) - 1) + ["user"]


def test_orders_of_a_user_by_date(shop):
    for user in some_users("orders by date", 40):
        low, high = "ORDER#2026-03", "ORDER#2026-09"
        shop.check("pk = :u AND sk BETWEEN :low AND :high", {"u": user, "low": low, "high": high},
                   lambda row: row["pk"] == user and low <= row["sk"] <= high)
        shop.check("pk = :u AND begins_with(sk, :o)", {"u": user, "o": "ORDER#2026-1"},
                   lambda row: row["pk"] == user and row["sk"].startswith("ORDER#2026-1"), descending=True)


def test_items_of_an_order(shop):
    for row in of_kind(shop, "order", 60):
        name = row["gsi1pk"]
        lines = shop.check("pk = :o AND begins_with(sk, :i)", {"o": name, "i": "ITEM#"}, lambda r: r["pk"] == name)
        assert lines
        shop.check("gsi1pk = :o AND gsi1sk = :k", {"o": name, "k": "ORDER"}, lambda e: e["gsi1pk"] == name, "gsi1")


def test_users_by_email_and_country(shop):
    for row in of_kind(shop, "user", 40):
        shop.check("gsi1pk = :e", {"e": row["gsi1pk"]}, lambda e: e["gsi1pk"] == row["gsi1pk"], "gsi1")
    for country in COUNTRIES:
        key = f"COUNTRY#{country}"
        found = shop.check("gsi2pk = :c", {"c": key}, lambda e: e["gsi2pk"] == key, "gsi2")
        assert {row["kind"] for row in found} == {"user"}


def test_sales_of_a_product(shop):
    for number in range(0, PRODUCTS, 8):
        product = f"PRODUCT#{number:04d}"
        shop.check("gsi1pk = :p AND gsi1sk >= :d", {"p": product, "d": "2026-06-15"},
                   lambda e: e["gsi1pk"] == product and e["gsi1sk"] >= "2026-06-15", "gsi1", descending=True)


def test_orders_by_status(shop):
    for status in STATUSES:
        key = f"STATUS#{status}"
        shop.check("gsi2pk = :s", {"s": key}, lambda e: e["gsi2pk"] == key, "gsi2")
        shop.check("gsi2pk = :s AND gsi2sk BETWEEN :a AND :b", {"s": key, "a": "2026-02", "b": "2026-04"},
                   lambda e: e["gsi2pk"] == key and "2026-02" <= e["gsi2sk"] <= "2026-04", "gsi2")


def test_the_life_of_orders(shop):
    for row in of_kind(shop, "order", 120):
        row["status"] = "returned"
        row["gsi2pk"] = "STATUS#returned"
        answer = shop.update(row, "SET #status = :s, gsi2pk = :k", {"s": "returned", "k": row["gsi2pk"]},
                             ConditionExpression="attribute_exists(pk)", ReturnValues="ALL_NEW")
        assert scenario.to_row(answer["Attributes"]) == row
    shop.settle()
    shop.check("gsi2pk = :s", {"s": "STATUS#returned"}, lambda e: e["gsi2pk"] == "STATUS#returned", "gsi2")
    shop.check_everything()


TEAMS, MEMBERS = 400, 1_500


def generate_graph(data):
    """Nodes have themselves as the other end, edges lead from the team to the user."""
    for number in range(TEAMS):
        yield {"node": f"TEAM#{number:04d}", "other": f"TEAM#{number:04d}", "name": f"Team {number}"}
    for number in range(MEMBERS):
        yield {"node": f"USER#{number:05d}", "other": f"USER#{number:05d}", "age": data.randrange(18, 80)}
    edges = set()
    while len(edges) < scenario.ITEMS - 1_000:
        edges.add((f"TEAM#{int(data.triangular(0, TEAMS, 0)):04d}", f"USER#{data.randrange(MEMBERS):05d}"))
    for team, user in sorted(edges):
        yield {"node": team, "other": user, "role": data.choice(("guest", "member", "owner")), "since": day(data)}


@pytest.fixture(scope="module")
def graph(new_store):
    store = new_store("node:S other:S", inverted=Index("other:S node:S", ["role", "since"]))
    store.load(generate_graph(scenario.generator("graph")))
    assert len(store.rows) >= scenario.ITEMS
    return store


def test_members_of_a_team(graph):
    for number in scenario.generator("teams").sample(range(TEAMS), 40):
        team = f"TEAM#{number:04d}"
        graph.check("node = :t AND begins_with(#other, :u)", {"t": team, "u": "USER#"},
                    lambda row: row["node"] == team and row["other"].startswith("USER#"))
        graph.check("node = :t AND begins_with(#other, :u)", {"t": team, "u": "USER#", "r": "owner"},
                    lambda row: row["node"] == team and row.get("role") == "owner", FilterExpression="#role = :r")
        assert graph.get({"node": team, "other": team})["name"] == f"Team {number}"


def teams_of(graph, user):
    return graph.check("#other = :u AND begins_with(node, :t)", {"u": user, "t": "TEAM#"},
                       lambda entry: entry["other"] == user and entry["node"].startswith("TEAM#"), "inverted")


def test_teams_of_a_user(graph):
    for number in scenario.generator("members").sample(range(MEMBERS), 60):
        teams_of(graph, f"USER#{number:05d}")


def test_colleagues(graph):
    """Two steps through the graph: from a user to the teams, and on to their users."""
    for number in scenario.generator("colleagues").sample(range(MEMBERS), 6):
        user = f"USER#{number:05d}"
        found = {row["other"] for entry in teams_of(graph, user)
                 for row in graph.query("node = :t AND begins_with(#other, :u)", {"t": entry["node"], "u": "USER#"})}
        mine = {node for node, other in graph.rows if other == user and node != user}
        assert found == {other for node, other in graph.rows if node in mine and other != node}


def test_users_leave_all_their_teams(graph):
    for number in scenario.generator("leavers").sample(range(MEMBERS), 20):
        user = f"USER#{number:05d}"
        graph.remove(teams_of(graph, user))
        assert teams_of(graph, user) == []
        same(graph.query("#other = :u", {"u": user}, "inverted", ProjectionExpression="node"), [{"node": user}])
    graph.check_everything()
