"""Many clients at once: optimistic locking by version, stock that never goes below zero, counters."""

from collections import Counter, defaultdict

import pytest

import scenario
from scenario import at_once, marshal, read_batches, same

CLIENTS = 64


@pytest.fixture(scope="module")
def documents(new_store):
    data = scenario.generator("documents")
    store = new_store("doc:S")
    store.load({"doc": f"doc-{number:05d}", "version": data.randrange(1, 6), "title": f"title {data.randrange(99)}",
                "edits": []} for number in range(scenario.ITEMS))
    return store


def edit(store, row, version, name):
    """One try to edit the version that the writer has seen; False when somebody was faster."""
    try:
        store.update(row, "SET version = version + :one, edits = list_append(edits, :e)",
                     {"one": 1, "e": [name], "seen": version}, ConditionExpression="version = :seen")
    except store.client.exceptions.ConditionalCheckFailedException:
        return False
    return True


def test_optimistic_locking(documents):
    """16 writers edit the same 20 documents; each edit that was accepted saw all those before it."""
    hot = scenario.generator("hot documents").sample(list(documents.rows.values()), 20)
    refused = []

    def writer(number):
        data, mine = scenario.generator(f"writer {number}"), []
        for turn in range(25):
            row, name = data.choice(hot), f"{number}/{turn}"
            while True:
                seen = documents.get(row)
                assert len(seen["edits"]) == seen["version"] - row["version"]
                if edit(documents, row, seen["version"], name):
                    mine.append((row["doc"], seen["version"], name))
                    break
                refused.append(name)
        return mine

    accepted = defaultdict(dict)
    for document, version, name in (entry for mine in at_once(16, writer) for entry in mine):
        assert version not in accepted[document], "two writers changed the same version"
        accepted[document][version] = name
    for row in hot:
        edits = accepted[row["doc"]]
        row["edits"] = [edits[version] for version in sorted(edits)]
        row["version"] += len(edits)
    assert sum(map(len, accepted.values())) == 16 * 25
    same(read_batches(documents.client, documents.name, [{"doc": row["doc"]} for row in hot]), hot)
    documents.check_everything()


def test_a_version_that_is_gone_changes_nothing(documents):
    data = scenario.generator("stale versions")
    for row in data.sample(list(documents.rows.values()), 60):
        assert not edit(documents, row, row["version"] - data.randrange(1, 3), "late")
        assert documents.get(row) == row


@pytest.fixture(scope="module")
def products(new_store):
    data = scenario.generator("products")
    store = new_store("sku:S")
    store.load({"sku": f"sku-{number:05d}", "stock": data.randrange(0, 60), "sold": 0}
               for number in range(scenario.ITEMS))
    return store


def test_stock_never_goes_below_zero(products):
    """64 clients buy from 25 products, more than there is. Stock only falls, so an order that was
    refused asked for more than is left in the end; and what was sold and what is left is what was."""
    offered = scenario.generator("offered").sample(list(products.rows.values()), 25)

    def buyer(number):
        data, bought, refused = scenario.generator(f"buyer {number}"), [], []
        for _ in range(25):
            row, amount = data.choice(offered), data.randrange(1, 5)
            try:
                answer = products.update(row, "SET stock = stock - :n, sold = sold + :n", {"n": amount},
                                         ConditionExpression="stock >= :n", ReturnValues="UPDATED_NEW")
            except products.client.exceptions.ConditionalCheckFailedException:
                refused.append((row["sku"], amount))
            else:
                after = scenario.to_row(answer["Attributes"])
                assert after["stock"] >= 0 and after["stock"] + after["sold"] == row["stock"]
                bought.append((row["sku"], amount, after["stock"]))
        return bought, refused

    results = at_once(CLIENTS, buyer)
    bought = [entry for mine, _ in results for entry in mine]
    refused = [entry for _, mine in results for entry in mine]
    assert len(bought) + len(refused) == CLIENTS * 25 and refused
    assert len({(sku, left) for sku, _, left in bought}) == len(bought), "the same stock was left twice"
    for row in offered:
        sold = sum(amount for sku, amount, _ in bought if sku == row["sku"])
        row["sold"], row["stock"] = sold, row["stock"] - sold
        assert row["stock"] >= 0
        assert all(amount > row["stock"] for sku, amount in refused if sku == row["sku"])
    products.check_everything()


def test_the_last_pieces_are_sold_once(products):
    """Single pieces: exactly as many buyers succeed as there are pieces."""
    data = scenario.generator("last pieces")
    scarce = [row for row in products.rows.values() if 0 <= row["stock"] <= 7]
    for row in data.sample(scarce, 12):
        def buy(_):
            try:
                products.update(row, "SET stock = stock - :one ADD sold :one", {"one": 1, "zero": 0},
                                ConditionExpression="stock > :zero")
            except products.client.exceptions.ConditionalCheckFailedException:
                return False
            return True

        assert sum(at_once(CLIENTS, buy)) == row["stock"]
        row["sold"], row["stock"] = row["sold"] + row["stock"], 0
        assert products.get(row) == row


@pytest.fixture(scope="module")
def counters(new_store):
    data = scenario.generator("counters")
    store = new_store("page:S day:N")
    store.load({"page": f"/page/{number // 10}", "day": number % 10, "views": data.randrange(1000)}
               for number in range(scenario.ITEMS))
    return store


def test_counters_lose_nothing(counters):
    """Every increment sees a number of its own: together they are an unbroken row."""
    data = scenario.generator("hot counters")
    hot = data.sample(list(counters.rows.values()), 10)
    hot += [{"page": "/new", "day": day} for day in range(5)]  # made by their first increment

    def visitor(number):
        mine = scenario.generator(f"visitor {number}")
        seen = []
        for _ in range(40):
            row = mine.choice(hot)
            answer = counters.update(row, "ADD #views :one", {"one": 1}, ReturnValues="UPDATED_NEW")
            seen.append((counters.key(row), scenario.to_row(answer["Attributes"])["views"]))
        return seen

    seen = defaultdict(list)
    for key, value in (entry for mine in at_once(32, visitor) for entry in mine):
        seen[key].append(value)
    for row in hot:
        start, values = row.get("views", 0), seen[counters.key(row)]
        assert sorted(values) == list(range(start + 1, start + len(values) + 1))
        if values:
            counters.rows[counters.key(row)] = {**row, "views": start + len(values)}
    counters.check_everything()


def test_counters_by_any_amount(counters):
    """Several counters in one item, up and down, with if_not_exists as a start."""
    data = scenario.generator("amounts")
    chosen = data.sample(list(counters.rows.values()), 30)
    sums = Counter()

    def visitor(number):
        mine, added = scenario.generator(f"amounts {number}"), Counter()
        for _ in range(30):
            row, amount = mine.choice(chosen), mine.randrange(-500, 500)
            counters.update(row, "SET balance = if_not_exists(balance, :zero) + :n ADD #views :one",
                            {"zero": 0, "n": amount, "one": 1})
            added[counters.key(row), "balance"] += amount
            added[counters.key(row), "views"] += 1
        return added

    for added in at_once(16, visitor):
        for key, amount in added.items():
            sums[key] += amount
    for (key, name), amount in sums.items():
        row = counters.rows[key]
        row[name] = row.get(name, 0) + amount
    for row in chosen:
        assert counters.get(row) == row
        assert marshal(row["views"]) == {"N": str(row["views"])}
