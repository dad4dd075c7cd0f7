"""Who follows the streams of the tables that are written to, and a writer of items that expire.

A stream that lost, doubled or moved a record gives another table when it is replayed: each record
must fit the item that the ones before it left, and what all of them leave must be the table. Shards
are followed by others and split meanwhile, which must not change that.
"""

import collections
import time

from admin import Admin
from definers import described, scan
from raw_client import request
from workload import EXPIRING, MOVED, Worker, name_of

LONG_AGO_S = 3600  # expired, and not for five years
TTL_SERVICE = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}


def ask(connection, operation, body):
    target = {"X-Amz-Target": f"DynamoDBStreams_20120810.{operation}"}
    answer = connection.exchange(request(operation, body, target))
    assert answer.status == 200, f"{operation}: {answer.status} {answer.body[:400]!r}"
    return answer.json()


def shards_of(connection, arn):
    """All shards of a stream by id, parents before their children."""
    found, after = {}, {}
    while True:
        page = ask(connection, "DescribeStream", {"StreamArn": arn, **after})["StreamDescription"]
        found.update((shard["ShardId"], shard) for shard in page["Shards"])
        if "LastEvaluatedShardId" not in page:
            return found
        after = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}


class Follower:
    """Reads on in the stream of one table: each shard when its parent is finished."""

    def __init__(self, table):
        self.table = table
        self.items = {}
        self.places, self.finished = {}, set()  # shard -> the last number read of it; shards
        self.records = 0
        self.marks = collections.Counter()  # (whose, number of a transaction) -> records

    def read(self, connection):
        """Replays what has come since the last time; returns the new records."""
        arn = described(connection, self.table)["LatestStreamArn"]
        records = []
        while True:
            shards, finished = shards_of(connection, arn), len(self.finished)
            for shard_id, shard in shards.items():
                parent = shards.get(shard.get("ParentShardId"))
                if shard_id not in self.finished and (parent is None or self.is_behind(shard, parent)):
                    records += self.read_shard(connection, arn, shard)
            if len(self.finished) == finished:
                return records

    def is_behind(self, child, parent):
        """Whether the parent is finished; if so, that the child's numbers begin behind it."""
        end = parent["SequenceNumberRange"].get("EndingSequenceNumber")
        if end is None or parent["ShardId"] not in self.finished:
            return False
        begin = child["SequenceNumberRange"]["StartingSequenceNumber"]
        assert int(end) < int(begin), f"{self.table}, {child['ShardId']} begins before its parent's end"
        return True

    def read_shard(self, connection, arn, shard):
        shard_id, numbers, records = shard["ShardId"], shard["SequenceNumberRange"], []
        last = self.places.get(shard_id)
        place = {"ShardIteratorType": "TRIM_HORIZON"}
        if last:
            place = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": last}
        page = ask(connection, "GetShardIterator", {"StreamArn": arn, "ShardId": shard_id, **place})
        iterator = page["ShardIterator"]
        while iterator:
            page = ask(connection, "GetRecords", {"ShardIterator": iterator})
            iterator = page.get("NextShardIterator")
            for record in page["Records"]:
                number = record["dynamodb"]["SequenceNumber"]
                where = f"{self.table}, {shard_id}, record {number}"
                assert int(number) > int(last or numbers["StartingSequenceNumber"]), f"{where} follows {last}"
                assert int(number) <= int(numbers.get("EndingSequenceNumber", number)), f"{where} is behind the end"
                self.replay(record, where)
                last = self.places[shard_id] = number
            records += page["Records"]
            if not page["Records"] and iterator:
                return records
        self.finished.add(shard_id)
        return records

    def replay(self, record, where):
        change = record["dynamodb"]
        before, after = change.get("OldImage"), change.get("NewImage")
        name = name_of(change["Keys"])
        assert before == self.items.get(name), f"{where} does not follow from the ones before it"
        kind = "INSERT" if before is None else "REMOVE" if after is None else "MODIFY"
        assert record["eventName"] == kind and before != after, f"{where} is {record['eventName']}, not {kind}"
        if after is None:
            del self.items[name]
        else:
            self.items[name] = after
            if self.table in MOVED:
                self.marks[name[:3], int(after["v"]["N"])] += 1
        self.records += 1

    def check(self, connection, contents):
        """Whether the stream so far gives the table, name -> item."""
        self.read(connection)
        apart = [name for name in {*contents, *self.items} if contents.get(name) != self.items.get(name)]
        assert not apart, f"{self.table} and its stream differ: {apart[:5]}, {len(apart)} in all"


class Expirer(Worker):
    """Puts items that are expired already: each is swept once, and told so once."""

    def __init__(self, tally, seed):
        super().__init__(tally, f"{seed}-expiring")
        self.promised, self.doubtful = set(), None
        self.follower = Follower(EXPIRING)

    def work(self):
        name = f"e{len(self.promised):06d}{self.random.randrange(1 << 32):08x}"
        expires_s = int(time.time()) - LONG_AGO_S - self.random.randrange(LONG_AGO_S)
        self.doubtful = name
        self.call("PutItem", {"TableName": EXPIRING, "Item": {
            "pk": {"S": name[:3]}, "sk": {"S": name}, "expires": {"N": str(expires_s)}}})
        self.promised.add(name)
        self.doubtful = None
        self.tally.add("expiring PutItem")

    def check(self, server, connection):
        """Nothing is left, and the stream tells of each item that it came and that it was swept."""
        Admin(server).sweep()
        left = scan(connection, EXPIRING) + scan(connection, EXPIRING, IndexName="by_sk")
        assert not left, f"{EXPIRING} still has {len(left)} items"
        records = self.follower.read(connection)
        swept = [name_of(r["dynamodb"]["Keys"]) for r in records if r["eventName"] == "REMOVE"]
        strange = [r["eventID"] for r in records
                   if (r["eventName"] == "REMOVE") != (r.get("userIdentity") == TTL_SERVICE)]
        assert not strange, f"not the service's deletes: {strange[:5]}"
        came = {name for name in [self.doubtful, *self.promised] if name in set(swept)}
        missing = self.promised - came
        assert not missing and len(swept) == len(came), f"{len(missing)} items were swept in silence"
        self.promised, self.doubtful = set(), None
