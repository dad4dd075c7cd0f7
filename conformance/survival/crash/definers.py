"""Workers that create and delete tables and indexes, and the comparison of indexes with their tables."""

import json

from raw_client import request
from server_process import wait_until
from workload import EXPIRING, LATE, TABLES, Worker, attributes, index, name_of, schema

CHURN_TABLES = tuple(f"churn_{n}" for n in range(8))
LATE_INDEXES = {"late_g": index("late_g", "g"),
                "late_l": index("late_l", "l", "v", projection="KEYS_ONLY")}


def described(connection, table):
    return connection.call("DescribeTable", {"TableName": table}).json()["Table"]


class Churner(Worker):
    """Creates tables with one item and deletes them again."""

    def __init__(self, tally, seed):
        super().__init__(tally, f"{seed}-tables")
        self.present = set()
        self.doubt = None  # The table whose creation or deletion was not answered.
        self.without_item = None  # A table that is there; its item may be.

    def work(self):
        name = self.random.choice(CHURN_TABLES)
        self.doubt = name
        if name not in self.present:
            self.call("CreateTable", {"TableName": name, **schema("pk")})
            self.present.add(name)
            self.tally.add("CreateTable")
            self.doubt, self.without_item = None, name
            self.call("PutItem", {"TableName": name, "Item": {"pk": {"S": name}}})
            self.without_item = None
        else:
            self.call("DeleteTable", {"TableName": name})
            self.present.discard(name)
            self.doubt = None
            self.tally.add("DeleteTable")

    def check(self, connection):
        listed = set(connection.call("ListTables", {}).json()["TableNames"])
        assert set(TABLES) <= listed, f"lost tables {set(TABLES) - listed}"
        found = listed - set(TABLES) - {EXPIRING}
        assert found - {self.doubt} == self.present - {self.doubt}, (
            f"tables {sorted(found)}, acknowledged {sorted(self.present)}, in doubt {self.doubt}")
        for name in sorted(found):
            assert described(connection, name)["TableStatus"] == "ACTIVE"
            item = {"pk": {"S": name}}
            got = connection.call("GetItem", {"TableName": name, "Key": item}).json()
            if name in (self.doubt, self.without_item):
                assert got in ({}, {"Item": item})
                assert connection.call("PutItem", {"TableName": name, "Item": item}).status == 200
            else:
                assert got == {"Item": item}, f"{name} lost its item"
        self.present = found
        self.doubt = self.without_item = None


class Indexer(Worker):
    """Has global indexes created and deleted on a table with so many bytes that filling one takes
    several commits."""

    def __init__(self, tally, seed):
        super().__init__(tally, f"{seed}-indexes")
        self.present = set()
        self.doubt = None
        self.unfinished = 0  # Times a start found an index that was still to be filled or removed.

    def work(self):
        name = self.random.choice(sorted(LATE_INDEXES))
        kind = "delete" if name in self.present else "create"
        if kind == "create":
            body = {"AttributeDefinitions": attributes(("pk", "g", "l", "v")),
                    "GlobalSecondaryIndexUpdates": [{"Create": LATE_INDEXES[name]}]}
        else:
            body = {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}]}
        self.doubt = name
        error, answer = self.attempt("UpdateTable", {"TableName": LATE, **body})
        self.doubt = None
        if error is None:
            (self.present.add if kind == "create" else self.present.discard)(name)
            self.tally.add(f"{kind} index")
        else:  # One at a time, and none while it is being filled.
            assert error in ("ResourceInUseException", "LimitExceededException"), answer
            self.call("DescribeTable", {"TableName": LATE})

    def check(self, connection):
        """Waits until what was begun is done."""
        found = self.states(connection)
        self.unfinished += any(state != "ACTIVE" for state in found.values())
        for name in set(LATE_INDEXES) - {self.doubt}:
            there = found.get(name) in ("CREATING", "ACTIVE")
            assert there == (name in self.present), f"{name} is {found.get(name)}, not what was acknowledged"
        wait_until(lambda: set(self.states(connection).values()) <= {"ACTIVE"}, what="indexes ACTIVE")
        self.present = set(self.states(connection))
        self.doubt = None

    @staticmethod
    def states(connection):
        found = described(connection, LATE).get("GlobalSecondaryIndexes", [])
        return {entry["IndexName"]: entry["IndexStatus"] for entry in found}


def scan(connection, table, **more):
    items, start = [], {}
    while True:
        answer = connection.exchange(request("Scan", {"TableName": table, **more, **start}))
        assert answer.status == 200, f"{table} {more}: {answer.body[:300]!r}"
        page = answer.json()
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def contents_of(connection):
    """table -> name -> item, by Scan. Every index of every table is compared with its table."""
    contents, compared = {}, 0
    for table in TABLES:
        description = described(connection, table)
        assert description["TableStatus"] == "ACTIVE", f"{table} is {description['TableStatus']}"
        items = scan(connection, table, ConsistentRead=True)
        contents[table] = {name_of(item): item for item in items}
        assert len(contents[table]) == len(items), f"{table} has an item twice"
        for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
            for entry in description.get(kind, []):
                compare(connection, description, entry, items)
                compared += 1
    return contents, compared


def compare(connection, description, entry, items):
    """Whether the index holds what follows from the table's items, all of it, once."""
    keys = [k["AttributeName"] for k in entry["KeySchema"]]
    kept = {*keys, *(k["AttributeName"] for k in description["KeySchema"]),
            *entry["Projection"].get("NonKeyAttributes", [])}
    everything = entry["Projection"]["ProjectionType"] == "ALL"
    wanted = [{n: v for n, v in item.items() if everything or n in kept}
              for item in items if all(key in item for key in keys)]
    found = scan(connection, description["TableName"], IndexName=entry["IndexName"])
    wanted, found = (sorted(json.dumps(i, sort_keys=True) for i in some) for some in (wanted, found))
    if wanted != found:
        where = f"{description['TableName']}.{entry['IndexName']}"
        raise AssertionError(f"{where} has {len(found)} entries, its table {len(wanted)}; only in one of both: "
                             f"{[text[:200] for text in sorted(set(wanted) ^ set(found))[:4]]}")
