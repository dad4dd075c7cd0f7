"""Plays a scenario of throughput over HTTP: its tables, its requests and what is told of them afterwards.

How a request comes to cost what the scenario says:
- a read of 1 unit is a consistent GetItem of a missing item, of 0.5 an eventually consistent one, or a Query
  of an index; 128.5 is a page of a Scan of a bit more than a megabyte;
- a write of 1 unit is a DeleteItem of a missing item, a larger one an UpdateItem that changes nothing of an
  item of that size, which was put there while nothing was counted;
- a write that an index is charged for puts a new item with the index's key, or one with another key over it;
- in a transaction or a batch each member has a sort key of its own.

A step of very many equal requests of 1 unit sends them as members of batches, which are granted one by one, too.
"""

import itertools
import json
from collections import Counter
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

from admin import admin_request
from pipeline import call_bytes, clock_bytes
from scenario_file import place_keys

BEGIN = datetime(2027, 1, 1, tzinfo=timezone.utc)
REGION = "us-east-1"
REQUESTS_AT_ONCE = 2000
MANY_REQUESTS = 150_000
BATCH_MEMBERS = {"read": 100, "write": 25}
SCAN_UNITS = 128.5
SCAN_ITEM_BYTES = 349_600  # three of them are a page
KEY_ROOM_BYTES = 100       # names and keys of a stored item are smaller


def table_name(name):
    return f"Table_{name}"


def index_name(name):
    return f"Index_{name}"


def key_of(partition, sort="0"):
    return {"pk": {"S": partition}, "sk": {"S": sort}}


def figures_of(report):
    return {(one["table"], one.get("index", "")): one for one in report["tables"]}


class ScenarioRun:
    def __init__(self, pipeline, scenario, throttling):
        self.pipeline = pipeline
        self.scenario = scenario
        self.throttling = throttling
        self.now_s = 0
        self.sorts = (f"n{number}" for number in itertools.count(1))
        self.keys = {name: (place_keys()[key["hash16"]], key.get("sort", "0"))
                     for name, key in scenario["keys"].items()}
        self.tables = {table["name"]: table for table in scenario["tables"]}
        for table in scenario["tables"]:
            self._create(table)
        self._load()
        self.figures = self.report()

    # The tables, and what lies in them.

    def _create(self, table):
        def throughput(one):
            if table["mode"] == "PAY_PER_REQUEST":
                return {}
            return {"ProvisionedThroughput": {"ReadCapacityUnits": one["read"], "WriteCapacityUnits": one["write"]}}

        def index(name, hash_name, range_name=None):
            schema = [{"AttributeName": hash_name, "KeyType": "HASH"}]
            if range_name:
                schema.append({"AttributeName": range_name, "KeyType": "RANGE"})
            return {"IndexName": name, "KeySchema": schema, "Projection": {"ProjectionType": "ALL"}}

        name, members, attributes = table_name(table["name"]), throughput(table), ["pk", "sk"]
        if table.get("lsi"):
            attributes.append("local")
            members["LocalSecondaryIndexes"] = [index("Index_local", "pk", "local")]
        for one in table.get("gsis", []):
            attributes.append(one["name"])
            made = {**index(index_name(one["name"]), one["name"]), **throughput(one)}
            members.setdefault("GlobalSecondaryIndexes", []).append(made)
        if "max_write" in table:
            members["OnDemandThroughput"] = {"MaxWriteRequestUnits": table["max_write"]}
        if "warm_write" in table:
            members["WarmThroughput"] = {"ReadUnitsPerSecond": table["warm_read"],
                                         "WriteUnitsPerSecond": table["warm_write"]}
        self.pipeline.call(
            "CreateTable", TableName=name, BillingMode=table["mode"],
            AttributeDefinitions=[{"AttributeName": one, "AttributeType": "S"} for one in attributes],
            KeySchema=index("", "pk", "sk")["KeySchema"], **members)
        self._divide(name, "", table)
        for one in table.get("gsis", []):
            self._divide(name, index_name(one["name"]), one)

    def _divide(self, table, index, wanted):
        if "partitions" in wanted:
            told = self.capacity(table=table, index=index, partitions=wanted["partitions"])
            assert len(figures_of(told)[table, index]["partitions"]) == wanted["partitions"]

    def _load(self):
        """Stores what requests will find, while nothing is counted."""
        items = [item for step in self.scenario["steps"] for request in step.get("requests", [])
                 for item in self._items_before(request, step)]
        if not items:
            return
        self.capacity(throttling="off")
        blob = b"".join(call_bytes("PutItem", TableName=table, Item=item) for table, item in items)
        answers = self.pipeline.tally(blob, len(items))
        assert answers == {(200, b"{}"): len(items)}, answers
        self.capacity(throttling=self.throttling)

    def _items_before(self, request, step):
        if "items" in request:
            return
        name = table_name(request["table"])
        if request["units"] == SCAN_UNITS:
            for sort in "ABC":
                yield name, {**key_of(self._keys(request)[0][0], sort), "filler": {"S": "x" * SCAN_ITEM_BYTES}}
        elif request["op"] == "write" and request["units"] > 1 and not self._is_local(request):
            size = int(request["units"] * 1024) - KEY_ROOM_BYTES
            for partition, sort in self._keys(request):
                sorts = [sort]
                if request.get("sort_from_time"):
                    sorts = [f"{step['at_s'] + tick * step.get('every_s', 1):010}" for tick in range(step["ticks"])]
                for one in sorts:
                    yield name, {**key_of(partition, one), "filler": {"S": "x" * size}}
        elif self._moves(request):
            for number in range(request["n"]):
                first = {index: {"S": place_keys()[charges[0]["hash16"]]}
                         for index, charges in request["gsi_charges"].items()}
                yield name, {**key_of(self._keys(request)[0][0], f"m{number}"), **first}

    # Requests.

    def _is_local(self, request):
        return request["op"] == "write" and request["units"] == 2 and self.tables[request["table"]].get("lsi")

    @staticmethod
    def _moves(request):
        """Whether the write takes an index's entry from one place to another."""
        return any(len(charges) == 2 for charges in request.get("gsi_charges", {}).values())

    def _keys(self, request):
        names = request.get("keys") or [request.get("key", next(iter(self.keys)))]
        return [self.keys[name] for name in names]

    def _singles(self, request):
        """The requests of a tick, one by one."""
        name, n = table_name(request["table"]), request["n"]
        keys = itertools.islice(itertools.cycle(self._keys(request)), n)
        if request["op"] == "write" and ("gsi_charges" in request or self._is_local(request)):
            return self._puts(request, name, keys)
        made = [self._single(request, name, key) for key in self._keys(request)]
        return itertools.islice(itertools.cycle(made), n)

    def _puts(self, request, name, keys):
        moves = self._moves(request)
        indexed = {index: {"S": place_keys()[charges[-1]["hash16"]]}
                   for index, charges in request.get("gsi_charges", {}).items()}
        if self._is_local(request):
            indexed["local"] = {"S": "value"}
        for number, (partition, _) in enumerate(keys):
            sort = f"m{number}" if moves else next(self.sorts)
            yield call_bytes("PutItem", TableName=name, Item={**key_of(partition, sort), **indexed})

    def _single(self, request, name, key):
        partition, sort = key
        if request.get("sort_from_time"):
            sort = f"{self.now_s:010}"
        elif request["units"] <= 1:
            sort += "-missing"
        wanted = {"TableName": name, "Key": key_of(partition, sort)}
        if request["op"] == "write":
            return call_bytes("DeleteItem" if request["units"] == 1 else "UpdateItem", **wanted)
        if "index" in request:
            assert request["units"] == 0.5
            return call_bytes("Query", TableName=name, IndexName=index_name(request["index"]),
                              KeyConditionExpression=f"{request['index']} = :key",
                              ExpressionAttributeValues={":key": {"S": partition}})
        if request["units"] == SCAN_UNITS:
            return call_bytes("Scan", TableName=name, Limit=3)
        assert request["units"] in (0.5, 1)
        return call_bytes("GetItem", **wanted, ConsistentRead=request["units"] == 1)

    def _batches(self, op, members):
        """Members are (table, key, sort key), as requests of as many as go into one."""
        size = BATCH_MEMBERS[op]
        for first in range(0, len(members), size):
            by_table = {}
            for table, partition, sort in members[first:first + size]:
                by_table.setdefault(table_name(table), []).append(key_of(partition, sort))
            if op == "read":
                wanted = {name: {"Keys": keys, "ConsistentRead": True} for name, keys in by_table.items()}
                yield call_bytes("BatchGetItem", RequestItems=wanted)
            else:
                wanted = {name: [{"DeleteRequest": {"Key": key}} for key in keys] for name, keys in by_table.items()}
                yield call_bytes("BatchWriteItem", RequestItems=wanted)

    def _members(self, items):
        """(table, key, sort key) of each member of a batch or transaction."""
        for item in items:
            keys = itertools.cycle(self._keys(item))
            for number in range(item.get("n", 1)):
                yield item["table"], next(keys)[0], f"b{number}"

    def _transaction(self, request):
        assert request["op"] == "transact_write" and all(item["units"] == 2 for item in request["items"])
        return [call_bytes("TransactWriteItems", TransactItems=[
            {"Put": {"TableName": table_name(table), "Item": key_of(partition, sort)}}
            for table, partition, sort in self._members(request["items"])])]

    def _requests(self, request, is_many):
        if request["op"].startswith("batch_"):
            return self._batches(request["op"].removeprefix("batch_"), list(self._members(request["items"])))
        if "items" in request:
            return self._transaction(request)
        if is_many:
            return self._batches(request["op"], list(self._members([request])))
        return self._singles(request)

    # Steps.

    def _act(self, action):
        name = table_name(action["table"])
        if action["do"] == "set_throughput":
            wanted = {"ProvisionedThroughput": {"ReadCapacityUnits": action["read"],
                                                "WriteCapacityUnits": action["write"]}}
        else:
            wanted = {"WarmThroughput": {"ReadUnitsPerSecond": action["read"],
                                         "WriteUnitsPerSecond": action["write"]}}
        return call_bytes("UpdateTable", TableName=name, **wanted)

    @staticmethod
    def is_many(step):
        requests = step.get("requests", [])
        return step.get("ticks", 1) * sum(one.get("n", 0) for one in requests) >= MANY_REQUESTS and all(
            one.get("units") == 1 and "gsi_charges" not in one for one in requests)

    def _ticks(self, step):
        """(bytes, how many requests they are) of each tick; the clock's among them."""
        is_many, same = self.is_many(step), None
        for tick in range(step.get("ticks", 1)):
            parts, at_s = [], step["at_s"] + tick * step.get("every_s", 1)
            if at_s != self.now_s:
                self.now_s = at_s
                parts.append(clock_bytes((BEGIN + timedelta(seconds=at_s)).strftime("%Y-%m-%dT%H:%M:%SZ")))
            parts += [self._act(action) for action in step.get("actions", [])]
            requests = step.get("requests", [])
            if same is None or any("gsi_charges" in one or "sort_from_time" in one for one in requests):
                made = [list(self._requests(one, is_many)) for one in requests]
                same = b"".join(map(b"".join, made)), sum(map(len, made))
            yield b"".join(parts) + same[0], len(parts) + same[1]

    def run(self, step):
        """What came of a step: answers as counted, and what the server tells was throttled."""
        counted, blobs, waiting = Counter(), [], 0
        for blob, count in itertools.chain(self._ticks(step), [(b"", REQUESTS_AT_ONCE)]):
            if blob:
                blobs.append(blob)
                waiting += count
            if waiting and (waiting >= REQUESTS_AT_ONCE or not blob):
                counted.update(self.pipeline.tally(b"".join(blobs), waiting))
                blobs, waiting = [], 0
        before, self.figures = self.figures, self.report()
        for answer in [one for one in counted if one[1].startswith(b'{"TableDescription"')]:
            del counted[answer]
        return SimpleNamespace(counted=counted, throttled=throttled_since(before, self.figures),
                               before=before, after=self.figures)

    def capacity(self, **body):
        """POST /_stator/capacity."""
        if "table" in body:
            body["region"] = REGION
        return self.pipeline.ask(admin_request("capacity", body))

    def report(self):
        return figures_of(self.pipeline.ask(admin_request("capacity")))

    def state(self, name, member):
        told = self.figures[table_name(name), ""]
        values = {"partitions": lambda: len(told["partitions"]), "warm_read": lambda: told["read"]["warm_units"],
                  "warm_write": lambda: told["write"]["warm_units"], "read_tokens": lambda: told["read"]["tokens"]}
        return values[member]()


def throttled_since(before, after):
    """How often each reason was counted between two reports."""
    def reasons(figures):
        counted = Counter()
        for one in figures.values():
            counted.update(one["read"]["throttled"])
            counted.update(one["write"]["throttled"])
        return counted

    return dict(reasons(after) - reasons(before))


def members_of(body):
    """How many members of a batch an answer's body leaves unprocessed."""
    answer = json.loads(body)
    left = answer.get("UnprocessedItems") or answer.get("UnprocessedKeys") or {}
    return sum(len(one["Keys"] if isinstance(one, dict) else one) for one in left.values())
