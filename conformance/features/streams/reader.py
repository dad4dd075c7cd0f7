"""A consumer of a stream, as people write it: it follows the lineage of shards, parents before children."""

from dataclasses import dataclass

from botocore.exceptions import ClientError

START_TYPES = ("TRIM_HORIZON", "LATEST")


def shards_of(client, arn, page=None):
    """All shards of a stream by id, over all pages."""
    members, found = {"Limit": page} if page else {}, {}
    while True:
        description = client.describe_stream(StreamArn=arn, **members)["StreamDescription"]
        found.update((shard["ShardId"], shard) for shard in description["Shards"])
        if "LastEvaluatedShardId" not in description:
            return found
        members["ExclusiveStartShardId"] = description["LastEvaluatedShardId"]


def children_of(client, arn, shard_id):
    """The ids of a shard's children, picked out of the whole list: packaged SDKs know no ShardFilter."""
    shards = shards_of(client, arn).values()
    return sorted(s["ShardId"] for s in shards if s.get("ParentShardId") == shard_id)


@dataclass
class Position:
    """Where a reader is in a shard: behind a number, or where it began."""

    start: str
    after: str = None
    iterator: str = None
    ended: bool = False


class StreamReader:
    """Reads one stream. `positions` is what a consumer would keep: a dictionary of shard id to the last
    sequence number handled, with None for a shard that is finished."""

    def __init__(self, client, arn, start="TRIM_HORIZON", positions=None, limit=None):
        assert start in START_TYPES
        self.client, self.arn = client, arn
        self.members = {"Limit": limit} if limit else {}
        self.shards, self.order, self.expired = {}, [], 0
        for shard_id, after in (positions or {}).items():
            self._begin(shard_id, Position("TRIM_HORIZON", after=after, ended=after is None))
        listed = {} if positions else shards_of(client, arn)
        for shard_id, shard in listed.items():
            if start == "LATEST":
                is_open = "EndingSequenceNumber" not in shard["SequenceNumberRange"]
                self._begin(shard_id, Position("LATEST", ended=not is_open))
                if is_open:  # LATEST is now, not when the first records are asked for
                    self._iterator(shard_id)
        self._discover()

    def positions(self):
        return {shard_id: None if at.ended else at.after for shard_id, at in self.shards.items()
                if at.ended or at.after}

    def _begin(self, shard_id, position):
        self.shards[shard_id] = position
        self.order.append(shard_id)

    def _discover(self):
        """Takes up shards whose parents are finished, or are not there any more."""
        listed = shards_of(self.client, self.arn)
        for shard_id, shard in listed.items():
            if shard_id in self.shards:
                continue
            parent = shard.get("ParentShardId")
            if parent not in listed or (parent in self.shards and self.shards[parent].ended):
                self._begin(shard_id, Position("TRIM_HORIZON"))

    def _iterator(self, shard_id):
        at = self.shards[shard_id]
        if at.iterator is None:
            members = {"ShardIteratorType": at.start}
            if at.after:
                members = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": at.after}
            answer = self.client.get_shard_iterator(StreamArn=self.arn, ShardId=shard_id, **members)
            at.iterator = answer["ShardIterator"]
        return at.iterator

    def _read(self, shard_id):
        """The next page of a shard, read again with a new iterator when the old one had expired."""
        at = self.shards[shard_id]
        try:
            answer = self.client.get_records(ShardIterator=self._iterator(shard_id), **self.members)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ExpiredIteratorException":
                raise
            assert at.after or at.start == "TRIM_HORIZON", "nothing to go on from: changes would be lost"
            at.iterator = None
            self.expired += 1
            answer = self.client.get_records(ShardIterator=self._iterator(shard_id), **self.members)
        records = answer["Records"]
        if records:
            at.after = records[-1]["dynamodb"]["SequenceNumber"]
        at.iterator = answer.get("NextShardIterator")
        at.ended = at.iterator is None
        return records

    def poll(self):
        """One page of each shard that is not finished; [(shard id, record)]."""
        found, ended = [], False
        for shard_id in [s for s in self.order if not self.shards[s].ended]:
            found += [(shard_id, record) for record in self._read(shard_id)]
            ended |= self.shards[shard_id].ended
        if ended:
            self._discover()
        return found, ended

    def read(self):
        """Everything there is until all open shards have nothing more to say."""
        everything = []
        while True:
            found, ended = self.poll()
            everything += found
            if not found and not ended:
                return everything


def records_of(found):
    return [record for _, record in found]


def number_of(record):
    """The sequence number as the integer that it is: texts of different lengths do not sort."""
    return int(record["dynamodb"]["SequenceNumber"])
