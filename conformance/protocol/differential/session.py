"""One random session: the next request follows from the seed and from the answers so far, so that
pages and unprocessed parts are followed and changed tables are known."""

import json
from collections import deque

import breakage
import cases
import control
import reads
import schema
import transactions
import writes
from data import Data
from request import Request

WEIGHTS = {"put": 17, "update": 20, "delete": 5, "get": 13, "query": 15, "scan": 7, "batch_get": 5,
           "batch_write": 5,
           "transact_write": 5, "transact_get": 2, "control": 2.8, "case": 3, "odd": 1}
# The share of requests that are broken, by the way that is done.
BROKEN = {"text": 0.04, "tree": 0.03, "json": 0.01}
CARELESS = 0.12
START_TABLES = 6
PAGES_MOST = 40
CHANGES_TABLES = ("CreateTable", "UpdateTable", "DeleteTable")


class Session:
    def __init__(self, seed):
        self.data = Data(seed)
        self.tables = {}
        self.fixtures, self.cases = cases.load()
        names = control.NAMES[:START_TABLES]
        first = [*self.fixtures, *(schema.definition(self.data, name) for name in names)]
        self.follow_up = deque(Request("CreateTable", body) for body in first)
        self.with_tokens = []  # transactions that may come again
        self.changed = []  # names of tables that may have another form since the last answer

    def next(self):
        """The next Request."""
        if self.follow_up:
            return self.follow_up.popleft()
        data = self.data
        kind = data.weighted(WEIGHTS)
        if kind == "odd":
            return self.odd()
        operation, body = self.made(kind)
        way = data.random()
        for name, share in BROKEN.items():
            way -= share
            if way < 0:
                break
        else:
            return Request(operation, body)
        if name == "json":
            return Request(operation, breakage.json_text(data, body))
        return Request(operation, (breakage.text if name == "text" else breakage.tree)(data, body))

    def made(self, kind):
        """(operation, body) of one kind."""
        data = self.data
        data.careless = data.chance(CARELESS)
        tables = [self.tables[name] for name in sorted(self.tables)]
        if kind == "case" or not tables:
            return data.choice(self.cases)
        if kind == "control":
            own = [table for table in tables if table.name in control.NAMES]
            return data.weighted(control.REQUESTS)(data, own or tables)
        if kind == "batch_get":
            return reads.batch(data, tables)
        if kind == "batch_write":
            return writes.batch(data, tables)
        if kind == "transact_write":
            return transactions.write(data, tables, self.with_tokens)
        if kind == "transact_get":
            return transactions.read(data, tables)
        # The tables of the session have more to them than those of the cases.
        own = [table for table in tables if table.name in control.NAMES]
        table = data.choice(own if own and data.chance(0.85) else tables)
        make = {"put": writes.put, "update": writes.update, "delete": writes.delete, "get": reads.get,
                "query": reads.query, "scan": reads.scan}[kind]
        return make(data, table)

    def odd(self):
        """A request that is wrong before its body matters."""
        data = self.data
        operation, body = self.made(data.choice(("get", "put", "query")))
        return Request(operation, body, headers=breakage.headers(data))

    # --- What answers lead to ---------------------------------------------------------------------

    def learn(self, request, answer):
        """Plans what follows from an answer both sides gave (or the left one, if they differ)."""
        if request.operation in CHANGES_TABLES and answer.status == 200:
            self.changed += request.table_names()
            if request.compared and self.data.chance(0.5) and isinstance(request.body, dict):
                self.follow_up.append(Request("DescribeTable", {"TableName": request.body["TableName"]}))
        if answer.status != 200 or not isinstance(request.body, dict):
            return
        if request.operation in ("Query", "Scan"):
            self.plan_next_page(request, answer)
        elif request.operation == "BatchGetItem":
            self.plan_the_rest(request, answer, "UnprocessedKeys")
        elif request.operation == "BatchWriteItem":
            self.plan_the_rest(request, answer, "UnprocessedItems")
        elif request.operation in ("PutItem", "UpdateItem", "DeleteItem") and self.data.chance(0.1):
            self.plan_reading_back(request)

    def plan_next_page(self, request, answer):
        # Looked for before parsing, which few answers need.
        if b'"LastEvaluatedKey"' not in answer.body or request.pages >= PAGES_MOST or self.data.chance(0.1):
            return
        last_key = json.loads(answer.body).get("LastEvaluatedKey")
        if last_key:
            body = reads.next_page(self.data, request.body, last_key)
            self.follow_up.append(Request(request.operation, body, pages=request.pages + 1))

    def plan_the_rest(self, request, answer, member):
        if f'"{member}":{{}}'.encode() in answer.body or request.pages >= PAGES_MOST:
            return
        rest = json.loads(answer.body).get(member)
        if rest:
            self.follow_up.append(Request(request.operation, {**request.body, "RequestItems": rest},
                                          pages=request.pages + 1))

    def plan_reading_back(self, request):
        body, table = request.body, self.tables.get(request.table_names()[0])
        source = body.get("Item", body.get("Key"))
        if table and isinstance(source, dict):
            key = {name: source.get(name) for name, _ in table.keys}
            self.follow_up.append(
                Request("GetItem", {"TableName": body["TableName"], "Key": key, "ConsistentRead": True}))

    def take_changed(self):
        changed, self.changed = self.changed, []
        return changed

    def set_table(self, name, description):
        """What a changed table is now, as DescribeTable shows it; None when it is gone."""
        self.tables.pop(name, None)
        if description:
            self.tables[name] = schema.Table(description)

    def give_up(self, names):
        """Tables whose content may differ between the sides are replaced, so that one cause does not
        show again and again."""
        of_cases = {body["TableName"]: body for body in self.fixtures}
        for name in names:
            if name in self.tables:
                unprotected = {"TableName": name, "DeletionProtectionEnabled": False}
                self.follow_up.append(Request("UpdateTable", unprotected, compared=False))
                self.follow_up.append(Request("DeleteTable", {"TableName": name}, compared=False))
                body = of_cases.get(name) or schema.definition(self.data, name)
                self.follow_up.append(Request("CreateTable", body, compared=False))
