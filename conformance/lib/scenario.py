"""What the scenarios share: generated data, a table beside an oracle of plain Python rows, bulk
loading and complete paging.

The oracle of a Store is a dictionary of rows. Every expectation is computed from it with Python's own
comparisons; nothing that the server answers ever flows back into it.
"""

import os
import random
import re
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from definitions import attributes, key_schema, wait
from server_process import START_DEADLINE_S, wait_until

SEED = int(os.environ.get("STATOR_DATA_SEED") or random.SystemRandom().randrange(2**32))
ITEMS = 10_000  # the least a scenario generates
LOADERS = 3
PLACEHOLDER = re.compile(r"([#:])(\w+)")


def generator(name):
    """The random numbers of one scenario: the same seed and name give the same data."""
    return random.Random(f"{SEED}/{name}")


def unique_name(prefix):
    return f"{prefix}-{uuid.uuid4().hex[:12]}"


def marshal(value):
    """A Python value as an attribute value. Sets are of text or of numbers."""
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, str):
        return {"S": value}
    if isinstance(value, (int, Decimal)):
        return {"N": str(value)}
    if isinstance(value, bytes):
        return {"B": value}
    if value is None:
        return {"NULL": True}
    if isinstance(value, list):
        return {"L": [marshal(v) for v in value]}
    if isinstance(value, dict):
        return {"M": to_item(value)}
    assert isinstance(value, (set, frozenset)) and value, f"no attribute value: {value!r}"
    if all(isinstance(v, str) for v in value):
        return {"SS": sorted(value)}
    return {"NS": [str(v) for v in sorted(value)]}


def unmarshal(value):
    (kind, content), = value.items()
    if kind == "N":
        return int(content) if content.lstrip("-").isdigit() else Decimal(content)
    if kind == "L":
        return [unmarshal(v) for v in content]
    if kind == "M":
        return to_row(content)
    if kind in ("SS", "BS"):
        return set(content)
    if kind == "NS":
        return {unmarshal({"N": v}) for v in content}
    return None if kind == "NULL" else content


def to_item(row):
    return {name: marshal(value) for name, value in row.items()}


def to_row(item):
    return {name: unmarshal(value) for name, value in item.items()}


def placeholders(values, *expressions):
    """The members for #name (which stands for the attribute `name`) and :value in expressions."""
    used = set(PLACEHOLDER.findall(" ".join(filter(None, expressions))))
    members = {}
    if names := {f"#{n}": n for kind, n in used if kind == "#"}:
        members["ExpressionAttributeNames"] = names
    if values:
        members["ExpressionAttributeValues"] = {f":{n}": marshal(v) for n, v in values.items()}
    return members


def pages(call, **members):
    """All answers of a Query or Scan, page by page. No start key may come back a second time."""
    seen = []
    while True:
        answer = call(**members)
        yield answer
        start = answer.get("LastEvaluatedKey")
        if start is None:
            return
        assert start not in seen[-3:], f"the same LastEvaluatedKey again: {start}"
        seen.append(start)
        members["ExclusiveStartKey"] = start


def write_batches(client, table, requests, threads=LOADERS):
    """BatchWriteItem of any number of requests, sending again whatever comes back unprocessed."""
    def write(chunk):
        left = {table: chunk}

        def done():
            nonlocal left
            left = client.batch_write_item(RequestItems=left)["UnprocessedItems"]
            return not left

        wait_until(done, what="a batch written")

    chunks = [requests[i:i + 25] for i in range(0, len(requests), 25)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(write, chunks))


def read_batches(client, table, keys, threads=LOADERS):
    """BatchGetItem of any number of key rows: the items found, as rows, in no order."""
    def read(chunk):
        found, left = [], {table: {"Keys": [to_item(k) for k in chunk], "ConsistentRead": True}}

        def done():
            nonlocal left
            answer = client.batch_get_item(RequestItems=left)
            found.extend(answer["Responses"].get(table, []))
            left = answer["UnprocessedKeys"]
            return not left

        wait_until(done, what="a batch read")
        return found

    chunks = [keys[i:i + 100] for i in range(0, len(keys), 100)]
    with ThreadPoolExecutor(threads) as pool:
        return [to_row(item) for items in pool.map(read, chunks) for item in items]


def at_once(count, work):
    """work(n) for n below `count` in threads that start together; their results in order."""
    gate = threading.Barrier(count)

    def begin(number):
        gate.wait(START_DEADLINE_S)
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


class Index:
    """An index of a Store: "user:S sent:N", what it projects ("ALL", "KEYS_ONLY" or names). With
    several key attributes: "tenant:S region:S / day:S number:N"."""

    def __init__(self, types, projection="ALL", local=False):
        self.types, self.projection, self.local = types.replace(" / ", " "), projection, local
        self.keys = [word.split(":")[0] for word in self.types.split()]
        hashes = len(types.split(" / ")[0].split()) if " / " in types else 1
        self.sort_keys = self.keys[hashes:]

    def definition(self, name):
        kind = self.projection if isinstance(self.projection, str) else "INCLUDE"
        projection = {"ProjectionType": kind}
        if kind == "INCLUDE":
            projection["NonKeyAttributes"] = list(self.projection)
        schema = [{"AttributeName": k, "KeyType": "RANGE" if k in self.sort_keys else "HASH"} for k in self.keys]
        return {"IndexName": name, "KeySchema": schema, "Projection": projection}

    def entry(self, row, table_keys):
        """What the index holds of a row, or None."""
        for key in self.keys:
            if key not in row:
                return None
        if self.projection == "ALL":
            return row
        more = () if self.projection == "KEYS_ONLY" else self.projection
        kept = {*self.keys, *table_keys, *more}
        return {name: value for name, value in row.items() if name in kept}


class Store:
    """A table of its own with an oracle: `rows` maps each primary key (a tuple) to its row."""

    def __init__(self, server, client, name, types, indexes):
        self.server, self.client, self.name, self.indexes = server, client, name, indexes
        self.keys = [word.split(":")[0] for word in types.split()]
        self.rows = {}
        self.held = {}  # entries() of each index since the last write
        every = {word for text in (types, *(i.types for i in indexes.values())) for word in text.split()}
        members = {}
        for local, member in ((True, "LocalSecondaryIndexes"), (False, "GlobalSecondaryIndexes")):
            if mine := [i.definition(n) for n, i in indexes.items() if i.local == local]:
                members[member] = mine
        client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=key_schema(*self.keys),
                            AttributeDefinitions=attributes(" ".join(sorted(every))), **members)
        wait(client, "table_exists", name)

    def key(self, row):
        return tuple(row[k] for k in self.keys)

    def key_item(self, row):
        return {k: marshal(row[k]) for k in self.keys}

    def load(self, rows):
        """Writes rows with BatchWriteItem and waits until indexes of a foreign server show them."""
        rows = list(rows)
        self.rows.update((self.key(row), row) for row in rows)
        requests = [{"PutRequest": {"Item": to_item(row)}} for row in rows]
        write_batches(self.client, self.name, requests)
        self.settle()

    def remove(self, rows):
        """Deletes rows with BatchWriteItem."""
        rows = list(rows)
        for row in rows:
            del self.rows[self.key(row)]
        requests = [{"DeleteRequest": {"Key": self.key_item(row)}} for row in rows]
        write_batches(self.client, self.name, requests)
        self.settle()

    def update(self, row, expression, values=None, **members):
        """UpdateItem of the row's key; the oracle is the caller's."""
        self.held.clear()
        texts = (expression, members.get("ConditionExpression"))
        return self.client.update_item(TableName=self.name, Key=self.key_item(row), UpdateExpression=expression,
                                       **placeholders(values, *texts), **members)

    def get(self, row):
        """The stored row with the key of `row`, or None."""
        answer = self.client.get_item(TableName=self.name, Key=self.key_item(row), ConsistentRead=True)
        return to_row(answer["Item"]) if "Item" in answer else None

    def _members(self, index, members):
        index_members = {"IndexName": index} if index else {}
        if not index or self.indexes[index].local:
            index_members["ConsistentRead"] = True
        return {"TableName": self.name, **index_members, **members}

    def query_pages(self, condition, values, index=None, descending=False, **members):
        texts = (condition, members.get("FilterExpression"), members.get("ProjectionExpression"))
        direction = {"ScanIndexForward": False} if descending else {}
        return pages(self.client.query, KeyConditionExpression=condition, **placeholders(values, *texts),
                     **direction, **self._members(index, members))

    def query(self, condition, values, index=None, descending=False, **members):
        """All rows of a query over all its pages, in their order."""
        answers = self.query_pages(condition, values, index, descending, **members)
        return [to_row(item) for answer in answers for item in answer["Items"]]

    def scan(self, index=None, values=None, **members):
        texts = (members.get("FilterExpression"), members.get("ProjectionExpression"))
        answers = pages(self.client.scan, **placeholders(values, *texts), **self._members(index, members))
        return [to_row(item) for answer in answers for item in answer["Items"]]

    def entries(self, index=None):
        """The oracle's rows as the table or an index holds them."""
        if not index:
            return list(self.rows.values())
        if index not in self.held:
            every = (self.indexes[index].entry(row, self.keys) for row in self.rows.values())
            self.held[index] = [entry for entry in every if entry is not None]
        return self.held[index]

    def expected(self, holds, index=None, descending=False):
        """The oracle's entries for which holds(entry) is true, by sort key."""
        found = [entry for entry in self.entries(index) if holds(entry)]
        return sorted(found, key=self.order(index), reverse=descending)

    def order(self, index=None):
        """The function that gives an entry's place within its partition."""
        keys = self.indexes[index].sort_keys if index else self.keys[1:]
        return lambda entry: [entry[k] for k in keys]

    def check(self, condition, values, holds, index=None, descending=False, **members):
        """A query finds exactly the entries that the oracle finds, in order. Returns them."""
        found = self.query(condition, values, index, descending, **members)
        order, expected = self.order(index), self.expected(holds, index, descending)
        assert [order(row) for row in found] == [order(row) for row in expected]
        if found != expected:  # rows with the same sort key come in any order
            assert sorted(found, key=self.key) == sorted(expected, key=self.key)
        return found

    def settle(self):
        """After writes: the oracle's entries are made anew; a server that is not our own may bring its
        global indexes up to date later."""
        self.held.clear()
        if self.server.controllable:
            return
        for name, index in self.indexes.items():
            if not index.local:
                wanted = canonical(self.entries(name))
                wait_until(lambda: canonical(self.scan(name)) == wanted, 120, f"{name} up to date", 0.2)

    def check_everything(self):
        """The table and each index hold exactly what the oracle says."""
        self.held.clear()
        for index in (None, *self.indexes):
            found, expected = self.scan(index), self.entries(index)
            assert len(found) == len(expected), index
            assert {self.key(row): row for row in found} == {self.key(row): row for row in expected}, index


@pytest.fixture(scope="module")
def new_store(server, fast):
    """new_store("pk:S sk:N", index=Index(...)) creates a table with an oracle, see Store. `fast` is the
    client that it uses."""
    stores = []

    def create(types, **indexes):
        stores.append(Store(server, fast, unique_name("store"), types, indexes))
        return stores[-1]

    yield create
    for store in stores:
        fast.delete_table(TableName=store.name)
        wait(fast, "table_not_exists", store.name)


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"generated data: seed {SEED}, STATOR_DATA_SEED={SEED} repeats it")


def canonical(rows):
    """Rows in an order of their own, for comparisons that ignore order."""
    return sorted(repr(plain(row)) for row in rows)


def plain(value):
    """A value whose text is the same for equal values."""
    if isinstance(value, dict):
        return {name: plain(value[name]) for name in sorted(value)}
    if isinstance(value, set):
        return "set", sorted(value)
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return Decimal(value)
    return value


def same(found, expected, order=None):
    """The same rows; when `order` is given also in its order (rows that are equal in it in any)."""
    assert len(found) == len(expected)
    if order:
        assert [order(row) for row in found] == [order(row) for row in expected]
    if found != expected:
        assert canonical(found) == canonical(expected)
