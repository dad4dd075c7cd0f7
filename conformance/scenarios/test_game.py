"""A game: users found by id, by provider and by email; inventories with a hierarchical sort key."""

import pytest

import scenario
from scenario import Index, marshal, read_batches, same

PROVIDERS = ("apple", "facebook", "google", "steam")
NAMES = ("Ana", "Bjørn", "Chloé", "Дмитрий", "Emre", "文子", "Gül", "🦊")


def generate_users(data):
    for number in range(scenario.ITEMS):
        user = {
            "id": f"u-{data.getrandbits(60):015x}-{number}", "provider": data.choice(PROVIDERS),
            "provider_user": f"{data.choice('abc')}{number:05d}", "level": data.randrange(1, 100),
            "name": f"{data.choice(NAMES)} {number}", "friends": data.sample(range(scenario.ITEMS), 3)}
        if data.random() < 0.8:  # some signed up without an address, some share one
            user["email"] = f"{data.choice(('mail', 'post'))}{data.randrange(9_000)}@example.com"
        yield user


@pytest.fixture(scope="module")
def users(new_store):
    store = new_store("id:S", by_provider=Index("provider:S provider_user:S", ["name", "level"]),
                      by_email=Index("email:S"))
    store.load(generate_users(scenario.generator("users")))
    return store


def test_users_by_id(users):
    data = scenario.generator("users by id")
    wanted = data.sample(list(users.rows.values()), 300)
    same(read_batches(users.client, users.name, [{"id": row["id"]} for row in wanted]), wanted)
    assert users.get(wanted[0]) == wanted[0]
    assert users.get({"id": "nobody"}) is None


def test_users_by_provider(users):
    data = scenario.generator("users by provider")
    for row in data.sample(list(users.rows.values()), 30):
        values = {"p": row["provider"], "u": row["provider_user"]}
        users.check("provider = :p AND provider_user = :u", values, index="by_provider",
                    holds=lambda e: (e["provider"], e["provider_user"]) == (values["p"], values["u"]))
    for provider in PROVIDERS:
        users.check("provider = :p AND begins_with(provider_user, :u)", {"p": provider, "u": "b0"},
                    lambda e: e["provider"] == provider and e["provider_user"].startswith("b0"), "by_provider")
    users.check("provider = :p", {"p": "steam"}, lambda e: e["provider"] == "steam", "by_provider", descending=True)
    users.check("provider = :p", {"p": "unknown"}, lambda e: False, "by_provider")


def test_users_by_email(users):
    data = scenario.generator("users by email")
    addresses = sorted({row["email"] for row in users.entries("by_email")})
    for address in data.sample(addresses, 80):
        users.check("email = :e", {"e": address}, lambda e: e["email"] == address, "by_email")
    users.check("email = :e", {"e": "nobody@example.com"}, lambda e: False, "by_email")
    answers = scenario.pages(users.client.scan, TableName=users.name, IndexName="by_email", Select="COUNT")
    assert sum(answer["Count"] for answer in answers) == sum("email" in row for row in users.rows.values())


def test_users_change_their_address(users):
    """An entry moves, appears or disappears with the attribute."""
    data = scenario.generator("new addresses")
    for row in data.sample(list(users.rows.values()), 120):
        if data.random() < 0.3:
            row.pop("email", None)
            users.update(row, "REMOVE email")
        else:
            row["email"], row["level"] = f"new{data.randrange(40)}@example.com", row["level"] + 1
            users.update(row, "SET email = :e, #level = #level + :one", {"e": row["email"], "one": 1})
    gone = data.sample(list(users.rows.values()), 80)
    users.remove(gone)
    for number in range(40):
        address = f"new{number}@example.com"
        users.check("email = :e", {"e": address}, lambda e: e["email"] == address, "by_email")
    assert read_batches(users.client, users.name, [{"id": row["id"]} for row in gone]) == []
    users.check_everything()


KINDS = ("armor", "food", "potion", "weapon")


def generate_players(data):
    for number in range(200):
        player = f"player-{number:04d}"
        yield {"player": player, "sk": "profile", "gold": data.randrange(10_000)}
        for character in range(1, 4):
            prefix = f"char#{character:02d}#"
            yield {"player": player, "sk": f"{prefix}stats", "strength": data.randrange(100)}
            for kind in KINDS:
                for slot in sorted(data.sample(range(100), 4)):
                    yield {"player": player, "sk": f"{prefix}inventory#{kind}#{slot:04d}", "kind": kind,
                           "amount": data.randrange(1, 50), "rarity": data.choice(("common", "rare", "epic"))}


@pytest.fixture(scope="module")
def inventories(new_store):
    store = new_store("player:S sk:S")
    store.load(generate_players(scenario.generator("players")))
    assert len(store.rows) >= scenario.ITEMS
    return store


@pytest.mark.parametrize("prefix", ["char#", "char#02#", "char#02#inventory#", "char#01#inventory#weapon#", "profile",
                                    "char#03#stats", "char#04", "char#01#inventory#potion#00"])
def test_inventory_by_prefix(inventories, prefix):
    data = scenario.generator(f"inventory {prefix}")
    for number in data.sample(range(200), 8):
        player = f"player-{number:04d}"
        for descending in (False, True):
            inventories.check("player = :p AND begins_with(sk, :s)", {"p": player, "s": prefix},
                              lambda row: row["player"] == player and row["sk"].startswith(prefix),
                              descending=descending)


@pytest.mark.parametrize("low, high", [
    ("char#01#inventory#armor#0003", "char#01#inventory#armor#0061"), ("char#01#", "char#02#"),
    ("char#01#inventory#", "char#01#inventory#~"), ("char#02#inventory#food", "char#03#inventory#food"),
    ("a", "z"), ("profile", "profile"), ("char#01#t", "char#01#z"),
])
def test_inventory_between(inventories, low, high):
    data = scenario.generator(f"inventory {low} {high}")
    for number in data.sample(range(200), 8):
        player = f"player-{number:04d}"
        inventories.check("player = :p AND sk BETWEEN :low AND :high", {"p": player, "low": low, "high": high},
                          lambda row: row["player"] == player and low <= row["sk"] <= high)


def test_inventory_filters_and_counts(inventories):
    """What a filter drops is still counted as scanned."""
    player = "player-0042"
    mine = inventories.expected(lambda row: row["player"] == player and row["sk"].startswith("char#"))
    for rarity in ("common", "rare", "epic", "unknown"):
        wanted = [row for row in mine if row.get("rarity") == rarity and row["amount"] >= 20]
        answers = list(inventories.query_pages(
            "player = :p AND begins_with(sk, :s)", {"p": player, "s": "char#", "r": rarity, "least": 20},
            FilterExpression="rarity = :r AND amount >= :least", Select="COUNT", Limit=7))
        assert sum(answer["Count"] for answer in answers) == len(wanted)
        assert sum(answer["ScannedCount"] for answer in answers) == len(mine)
        assert all("Items" not in answer and answer["ScannedCount"] <= 7 for answer in answers)


def test_inventory_moves_between_characters(inventories):
    """A transfer is a delete and a put; potions are drunk until none is left."""
    player = "player-0007"
    own = inventories.expected(lambda r: r["player"] == player and r["sk"].startswith("char#01#inventory#weapon#"))
    inventories.remove(own)
    inventories.load({**row, "sk": row["sk"].replace("char#01", "char#03") + "#from01"} for row in own)
    potions = inventories.expected(lambda r: r["player"] == player and r["sk"].startswith("char#02#inventory#potion#"))
    for row in potions:
        left = row["amount"] - 5
        changed = inventories.update(row, "SET amount = amount - :n", {"n": 5}, ReturnValues="UPDATED_NEW")
        assert changed["Attributes"] == {"amount": marshal(left)}
        row["amount"] = left
    empty = [row for row in potions if row["amount"] <= 0]
    inventories.remove(empty)
    inventories.check("player = :p", {"p": player}, lambda row: row["player"] == player)
