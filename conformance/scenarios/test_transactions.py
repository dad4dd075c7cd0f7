"""What several items must show together: transfers, unique e-mail addresses, orders, sagas, followers. All live in
one table; whoever meets a conflict tries again, as programs on the service do."""

from collections import Counter

import pytest

import scenario
from scenario import at_once, placeholders, same, to_item, to_row

ACCOUNTS, USERS, PRODUCTS, PLACES = 3_000, 3_000, 3_000, 1_000
CLIENTS = 16


def generate(data):
    for number in range(ACCOUNTS):
        yield {"pk": f"account-{number}", "sk": "-", "balance": data.randrange(100, 1_000)}
    for number in range(USERS):
        yield {"pk": f"user-{number}", "sk": "-", "email": f"u{number}@example.com", "followers": 0, "following": 0}
        yield {"pk": f"email-u{number}@example.com", "sk": "-", "user": f"user-{number}"}
    for number in range(PRODUCTS):
        yield {"pk": f"product-{number}", "sk": "-", "stock": data.randrange(20, 60)}
    for number in range(PLACES):
        yield {
            "pk": f"{('flight', 'hotel', 'car')[number % 3]}-{number // 3}", "sk": "-", "free": data.randrange(1, 9)
        }


@pytest.fixture(scope="module")
def town(new_store):
    store = new_store("pk:S sk:S")
    store.load(generate(scenario.generator("town")))
    return store


# --- Transactions of a store ------------------------------------------------------------------------


def put(store, row, condition=None, values=None):
    texts = {"ConditionExpression": condition} if condition else {}
    return {"Put": {"TableName": store.name, "Item": to_item(row), **texts, **placeholders(values, condition)}}


def change(store, pk, expression, values, condition=None, sk="-"):
    texts = {"ConditionExpression": condition} if condition else {}
    return {
        "Update": {
            "TableName": store.name, "Key": to_item({"pk": pk, "sk": sk}), "UpdateExpression": expression, **texts,
            **placeholders(values, expression, condition)
        }
    }


def remove(store, pk, condition=None, values=None, sk="-"):
    texts = {"ConditionExpression": condition} if condition else {}
    return {
        "Delete": {
            "TableName": store.name, "Key": to_item({"pk": pk, "sk": sk}), **texts, **placeholders(values, condition)
        }
    }


NEW, THERE = "attribute_not_exists(pk)", "attribute_exists(pk)"


def codes_of(error):
    """The codes of a cancellation, through whatever SDK it came."""
    reasons = error.reasons if hasattr(error, "reasons") else error.response["CancellationReasons"]
    return [reason["Code"] for reason in reasons]


def transact(store, *actions, **members):
    """None when it is done, else the codes of the reasons why not, conflicts apart."""
    while True:
        try:
            store.client.transact_write_items(TransactItems=list(actions), **members)
        except store.client.exceptions.TransactionCanceledException as error:
            codes = codes_of(error)
            assert set(codes) <= {"None", "ConditionalCheckFailed", "TransactionConflict"}, codes
            if "TransactionConflict" not in codes:
                assert len(codes) == len(actions) and "ConditionalCheckFailed" in codes
                return codes
        else:
            return None


def read_together(store, *keys):
    """The rows with these keys (None for those that are not there) as they were at one moment."""
    gets = [{"Get": {"TableName": store.name, "Key": to_item({"pk": pk, "sk": "-"})}} for pk in keys]
    while True:
        try:
            answers = store.client.transact_get_items(TransactItems=gets)["Responses"]
        except store.client.exceptions.TransactionCanceledException as error:
            assert set(codes_of(error)) == {"None", "TransactionConflict"} or set(
                codes_of(error)) == {"TransactionConflict"}
        else:
            return [to_row(answer["Item"]) if "Item" in answer else None for answer in answers]


# --- The applications -------------------------------------------------------------------------------


def test_transfers_with_audit_rows(town):
    """Money moves with its audit row or not at all; whoever looks at all accounts sees what there always was."""
    hot = [f"account-{n}" for n in scenario.generator("hot accounts").sample(range(ACCOUNTS), 12)]
    before = {name: town.rows[name, "-"]["balance"] for name in hot}
    total = sum(before.values())

    def client(number):
        data, audits = scenario.generator(f"transfers {number}"), []
        for turn in range(20):
            giver, taker = data.sample(hot, 2)
            amount = data.randrange(1, 400)
            audit = {"pk": "audit", "sk": f"{number:02}/{turn:02}", "from": giver, "to": taker, "amount": amount}
            codes = transact(town, change(town, giver, "SET balance = balance - :n", {"n": amount}, "balance >= :n"),
                             change(town, taker, "SET balance = balance + :n", {"n": amount}, THERE),
                             put(town, audit, NEW))
            assert codes in (None, ["ConditionalCheckFailed", "None", "None"])
            if codes is None:
                audits.append(audit)
            if turn % 5 == 0:
                assert sum(row["balance"] for row in read_together(town, *hot)) == total
        return audits

    audits = [audit for mine in at_once(CLIENTS, client) for audit in mine]
    assert 0 < len(audits) < CLIENTS * 20
    same(town.query("pk = :a", {"a": "audit"}), audits)
    after = Counter(before)
    for audit in audits:
        after[audit["from"]] -= audit["amount"]
        after[audit["to"]] += audit["amount"]
        town.rows[town.key(audit)] = audit
    assert min(after.values()) >= 0
    for name in hot:
        town.rows[name, "-"]["balance"] = after[name]
    assert read_together(town, *hot) == [town.rows[name, "-"] for name in hot]


def test_an_email_address_belongs_to_one(town):
    """A second item reserves the address. Of many who want it one gets it, and reasons say what was taken."""
    wanted = [f"fresh-{n}@example.com" for n in range(10)]
    data = scenario.generator("emails")
    movers = data.sample(range(USERS), CLIENTS)

    def move(user, old, new):
        """The user's address becomes another: the old one is free then."""
        return transact(town, change(town, user, "SET email = :new", {"new": new, "old": old}, "email = :old"),
                        put(town, {"pk": f"email-{new}", "sk": "-", "user": user}, NEW),
                        remove(town, f"email-{old}", "#user = :user", {"user": user}))

    def client(number):
        user, old, refused = f"user-{movers[number]}", f"u{movers[number]}@example.com", 0
        for address in wanted:
            codes = move(user, old, address)
            if codes is None:
                old = address
            else:
                assert codes == ["None", "ConditionalCheckFailed", "None"]
                refused += 1
        return user, old, refused

    results = at_once(CLIENTS, client)
    owners = {address: user for user, address, _ in results}
    assert len(owners) == CLIENTS and sum(refused for *_, refused in results)
    for user, address, _ in results:
        row = town.rows[user, "-"]
        if address != row["email"]:
            del town.rows[f"email-{row['email']}", "-"]
            row["email"] = address
            town.rows[f"email-{address}", "-"] = {"pk": f"email-{address}", "sk": "-", "user": user}
        assert read_together(town, user, f"email-{address}") == [row, town.rows[f"email-{address}", "-"]]
    taken = [row for row in read_together(town, *(f"email-{address}" for address in wanted)) if row]
    assert {row["pk"][len("email-"):]: row["user"] for row in taken}.items() <= owners.items()
    assert move("user-nobody", "nobody@example.com", next(iter(owners))) == 3 * ["ConditionalCheckFailed"]


def test_orders_take_from_ten_items(town):
    """Stock and order change together. Each client sends its order again with the same token, as after a lost
    answer: what was done is not done twice, what was refused is refused again."""
    offered = [f"product-{n}" for n in scenario.generator("offered").sample(range(PRODUCTS), 14)]

    def client(number):
        data, placed, refused = scenario.generator(f"orders {number}"), [], 0
        for turn in range(4):
            lines = {name: data.randrange(1, 5) for name in data.sample(offered, 10)}
            order = {"pk": f"customer-{number}", "sk": f"order-{turn}", "lines": lines}
            actions = [
                change(town, name, "SET stock = stock - :n", {"n": count}, "stock >= :n")
                for name, count in lines.items()
            ]
            actions.append(put(town, order, NEW))
            token = scenario.unique_name("order")[:36]
            codes = transact(town, *actions, ClientRequestToken=token)
            again = transact(town, *actions, ClientRequestToken=token)
            if codes is None:
                assert again is None
                placed.append(order)
            else:
                assert codes[-1] == "None" and again
                refused += 1
        return placed, refused

    results = at_once(CLIENTS, client)
    orders = [order for placed, _ in results for order in placed]
    assert orders and sum(refused for _, refused in results)
    for order in orders:
        town.rows[town.key(order)] = order
        for name, count in order["lines"].items():
            town.rows[name, "-"]["stock"] -= count
    assert read_together(town, *offered) == [town.rows[name, "-"] for name in offered]
    assert min(town.rows[name, "-"]["stock"] for name in offered) >= 0
    for number in range(CLIENTS):
        same(town.query("pk = :c", {"c": f"customer-{number}"}), results[number][0])


STEPS = ("flight", "hotel", "car")


def test_trips_are_booked_whole_or_given_back(town):
    """A saga: each step takes a place and says so in the trip's log, in one transaction; when a step cannot be
    done, those before are undone, last first."""
    data = scenario.generator("scarce")
    places = {step: [f"{step}-{n}" for n in data.sample(range(PLACES // 3), 4)] for step in STEPS}

    def step_of(trip, at, place, to):
        return (change(town, place, "SET #free = #free - :one", {"one": 1, "zero": 0}, "#free > :zero"),
                change(town, "trips", "SET #state = :to, held = list_append(held, :held)",
                       {"to": to, "at": at, "held": [place]}, "#state = :at", trip))

    def undo_of(trip, at, place, to):
        return (change(town, place, "SET #free = #free + :one", {"one": 1}),
                change(town, "trips", f"SET #state = :to REMOVE held[{to}]", {"to": to, "at": at}, "#state = :at",
                       trip))

    def client(number):
        mine, trips = scenario.generator(f"trips {number}"), []
        for turn in range(4):
            trip, chosen = f"{number:02}/{turn}", [mine.choice(places[step]) for step in STEPS]
            town.client.put_item(TableName=town.name,
                                 Item=to_item({"pk": "trips", "sk": trip, "state": 0, "held": []}))
            done = 0
            while done < len(STEPS):
                codes = transact(town, *step_of(trip, done, chosen[done], done + 1))
                if codes:
                    assert codes == ["ConditionalCheckFailed", "None"]
                    break
                done += 1
            booked = done == len(STEPS)
            while not booked and done:
                assert transact(town, *undo_of(trip, done, chosen[done - 1], done - 1)) is None
                done -= 1
            trips.append({"pk": "trips", "sk": trip, "state": done, "held": chosen if booked else []})
        return trips

    trips = [trip for mine in at_once(CLIENTS, client) for trip in mine]
    assert {trip["state"] for trip in trips} == {0, len(STEPS)}
    for trip in trips:
        town.rows[town.key(trip)] = trip
        for place in trip["held"]:
            town.rows[place, "-"]["free"] -= 1
    same(town.query("pk = :t", {"t": "trips"}), trips)
    every = [place for step in STEPS for place in places[step]]
    assert read_together(town, *every) == [town.rows[place, "-"] for place in every]
    assert min(town.rows[place, "-"]["free"] for place in every) >= 0


def test_followers_are_counted_on_both_sides(town):
    """Two rows and two counters: following twice, or leaving whom one does not follow, changes none of them."""
    people = [f"user-{n}" for n in scenario.generator("people").sample(range(USERS), 8)]

    def follow(who, whom):
        return transact(town, put(town, {"pk": who, "sk": f"follows-{whom}"}, NEW),
                        put(town, {"pk": whom, "sk": f"followed-{who}"}, NEW),
                        change(town, who, "ADD following :one", {"one": 1}, THERE),
                        change(town, whom, "ADD followers :one", {"one": 1}, THERE))

    def leave(who, whom):
        return transact(town, remove(town, who, THERE, sk=f"follows-{whom}"),
                        remove(town, whom, THERE, sk=f"followed-{who}"),
                        change(town, who, "ADD following :less", {"less": -1}),
                        change(town, whom, "ADD followers :less", {"less": -1}))

    def client(number):
        data, changes = scenario.generator(f"follows {number}"), Counter()
        for _ in range(25):
            pair = tuple(data.sample(people, 2))
            act = data.choice((follow, follow, leave))
            codes = act(*pair)
            assert codes in (None, ["ConditionalCheckFailed"] * 2 + ["None"] * 2)
            if codes is None:
                changes[pair] += 1 if act is follow else -1
        return changes

    edges = Counter()
    for changes in at_once(CLIENTS, client):
        edges.update(changes)
    assert set(edges.values()) <= {0, 1} and sum(edges.values())
    for (who, whom), there in edges.items():
        if there:
            town.rows[who, f"follows-{whom}"] = {"pk": who, "sk": f"follows-{whom}"}
            town.rows[whom, f"followed-{who}"] = {"pk": whom, "sk": f"followed-{who}"}
    for person in people:
        row = town.rows[person, "-"]
        row["following"] = sum(there for (who, _), there in edges.items() if who == person)
        row["followers"] = sum(there for (_, whom), there in edges.items() if whom == person)
        town.check("pk = :p", {"p": person}, lambda entry, person=person: entry["pk"] == person)


def test_all_of_it(town):
    town.check_everything()
