"""Transactions of a writer over items of its own in two tables, and what must be true of them after
a crash: all of a transaction or nothing, in the tables and in their streams, and however often it is
sent with its token, it has its effect once.
"""

import collections
import time

from raw_client import request
from workload import MOVED, condition, key_of

ITEMS_PER_TABLE = 8
TOKEN_S = 8 * 60  # a token counts for ten minutes; a writer may rest for longer, and a request may take a while
CANCELLED, OTHER_REQUEST = "TransactionCanceledException", "IdempotentParameterMismatchException"


class Moves:
    """Each transaction gives the items it writes its number, and counts how often they were written.
    Its conditions hold before it alone, so one that was applied twice would be told of."""

    def __init__(self, writer, number):
        self.writer, self.random, self.name = writer, writer.random, f"{number:02d}m"
        names = [f"{self.name}{k}" for k in range(ITEMS_PER_TABLE)]
        self.items = {(table, name): None for table in MOVED for name in names}
        self.number = 0
        self.sizes = {}  # number of a transaction -> how many items it leaves with its number
        self.acknowledged = []  # numbers, since the streams were looked at
        self.last = self.doubt = None  # (request, what the items it touches are then)
        self.last_begun = self.doubt_begun = 0  # before their first attempts

    def work(self):
        self.random.choices((self.move, self.again, self.other, self.cancelled), (8, 1, 1, 1))[0]()

    def action(self, place, after):
        """One that makes the item `after`; None deletes it."""
        before = self.items[place]
        guard = {"TableName": place[0], **condition(int(before["v"]["N"]) if before else None)}
        if after is None:
            return {"Delete": {"Key": key_of(*place), **guard}}
        if self.random.random() < 0.5:
            return {"Put": {"Item": after, **guard}}
        values = guard.setdefault("ExpressionAttributeValues", {})
        values.update({":v": after["v"], ":g": after["g"], ":one": {"N": "1"}})
        return {"Update": {"Key": key_of(*place), "UpdateExpression": "SET v = :v, g = :g ADD times :one", **guard}}

    def planned(self):
        """(request, changes) of a transaction whose conditions hold."""
        self.number += 1
        places = self.random.sample(list(self.items), self.random.randint(2, 10))
        checked = places[:self.random.randint(0, 2)] if len(places) > 4 else []
        changes, actions = {}, []
        for place in places:
            before = self.items[place]
            if place in checked:
                version = int(before["v"]["N"]) if before else None
                actions.append({"ConditionCheck": {"TableName": place[0], "Key": key_of(*place), **condition(version)}})
                continue
            after = None
            if before is None or len(changes) < 2 or self.random.random() < 0.8:
                times = int(before["times"]["N"]) if before else 0
                after = {**key_of(*place), "v": {"N": str(self.number)}, "times": {"N": str(times + 1)},
                         "g": {"S": self.random.choice("abcd")}}
            changes[place] = after
            actions.append(self.action(place, after))
        self.random.shuffle(actions)
        return {"ClientRequestToken": f"{self.name}-{self.number}", "TransactItems": actions}, changes

    def move(self):
        self.doubt = body, changes = self.planned()
        self.doubt_begun = time.monotonic()
        self.sizes[self.number] = sum(after is not None for after in changes.values())
        self.writer.call("TransactWriteItems", body)
        # The answer is there: from here on all of it must survive.
        self.items.update(changes)
        self.acknowledged.append(self.number)
        self.remember()
        self.writer.tally.add("TransactWriteItems")

    def remember(self):
        """The transaction in doubt is the last one now."""
        self.last, self.last_begun, self.doubt = self.doubt, self.doubt_begun, None

    def has_token(self):
        """Whether the last transaction's token still counts."""
        return self.last is not None and time.monotonic() - self.last_begun < TOKEN_S

    def again(self):
        if self.has_token():
            self.writer.call("TransactWriteItems", self.last[0])
            self.writer.tally.add("transaction sent again")

    def other(self):
        """Another transaction under a token that is taken."""
        if self.has_token():
            body = {**self.planned()[0], "ClientRequestToken": self.last[0]["ClientRequestToken"]}
            error, answer = self.writer.attempt("TransactWriteItems", body)
            assert error == OTHER_REQUEST, f"{error}: {answer}"

    def cancelled(self):
        """One of its conditions does not hold, so none of it is done."""
        body, _ = self.planned()
        member, = self.random.choice(body["TransactItems"]).values()
        member.update(ConditionExpression="v = :never")
        member.setdefault("ExpressionAttributeValues", {}).pop(":expected", None)
        member["ExpressionAttributeValues"][":never"] = {"S": "never"}
        error, answer = self.writer.attempt("TransactWriteItems", body)
        assert error == CANCELLED, f"{error}: {answer}"

    def check(self, connection, contents):
        """All or nothing of the transaction in doubt; then it is sent again. (doubts, applied)"""
        found = {place: contents[place[0]].get(place[1]) for place in self.items}
        doubts = applied = 0
        if self.doubt:
            body, changes = self.doubt
            after = {**self.items, **changes}
            assert found in (self.items, after), f"part of {body}: {differing(found, self.items)}"
            doubts, applied = 1, found == after
            self.items = after
        else:
            assert found == self.items, f"lost: {differing(found, self.items)}"
        for sent in (self.doubt, self.last if self.has_token() else None):
            if sent:
                answer = connection.exchange(request("TransactWriteItems", sent[0]))
                assert answer.status == 200, f"sent again: {answer.status} {answer.body[:400]!r} for {sent[0]}"
        gets = [{"Get": {"TableName": t, "Key": key_of(t, n)}} for t, n in self.items]
        answer = connection.exchange(request("TransactGetItems", {"TransactItems": gets})).json()
        found = dict(zip(self.items, (r.get("Item") for r in answer["Responses"])))
        assert found == self.items, f"after it was sent again: {differing(found, self.items)}"
        if self.doubt:
            # What it did just now is told by the streams later.
            self.acknowledged.append(self.number)
            self.remember()
        return doubts, applied


def differing(found, wanted):
    return [(place, found[place], wanted[place]) for place in wanted if found[place] != wanted[place]][:4]


def check_streams(followers, writers):
    """The streams of both tables together have all records of a transaction or none."""
    marks = collections.Counter()
    for follower in followers:
        marks.update(follower.marks)
    for writer in writers:
        moves = writer.moves
        for number in moves.acknowledged:
            if moves.sizes[number]:
                assert marks[moves.name, number], f"transaction {number} of {moves.name} is not in the streams"
        moves.acknowledged = []
        for (name, number), count in marks.items():
            if name == moves.name:
                size = moves.sizes.get(number, 0)
                assert count == size, f"transaction {number} of {name}: {count} records of {size}"
