"""Who follows the streams of the tables that are written to, and a writer of items that expire.

A stream that lost, doubled or moved a record gives another table when it is replayed: each record
must fit the item that the ones before it left, and what all of them leave must be the table.
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


class Follower:
    """Reads on in the stream of one table, whose shard stays open."""

    def __init__(self, table):
        self.table = table
        self.items = {}
        self.last, self.records = None, 0
        self.marks = collections.Counter()  # (whose, number of a transaction) -> records

    def read(self, connection):
        """Replays what has come since the last time; returns the new records."""
        arn = described(connection, self.table)["LatestStreamArn"]
        shard, = ask(connection, "DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
        place = {"ShardIteratorType": "TRIM_HORIZON"}
        if self.last:
            place = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self.last}
        page = ask(connection, "GetShardIterator", {"StreamArn": arn, "ShardId": shard["ShardId"], **place})
        iterator, records = page["ShardIterator"], []
        while True:
            page = ask(connection, "GetRecords", {"ShardIterator": iterator})
            if not page["Records"]:
                return records
            for record in page["Records"]:
                self.replay(record)
            records += page["Records"]
            iterator = page["NextShardIterator"]

    def replay(self, record):
        change = record["dynamodb"]
        number, before, after = change["SequenceNumber"], change.get("OldImage"), change.get("NewImage")
        where = f"{self.table}, record {number}"
        assert self.last is None or int(number) > int(self.last), f"{where} follows {self.last}"
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
        self.last, self.records = number, self.records + 1

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
