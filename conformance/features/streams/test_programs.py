"""Programs that people build on streams: a table mirrored into another, an audit log, a clean-up after
sessions that expire. Data is generated; STATOR_DATA_SEED repeats it."""

from collections import defaultdict

import pytest

from reader import StreamReader, number_of, records_of
from scenario import generator, marshal, to_item, to_row
from server_process import wait_until

WORDS = "amber birch cedar delta ember fjord grove heath inlet juniper kelp larch maple north".split()


def scan(aws, table):
    pages = aws.db.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    return [to_row(item) for page in pages for item in page["Items"]]


class Orders:
    """An order table that is written to in every way there is, and what it should hold."""

    def __init__(self, aws, random):
        self.aws, self.random, self.rows = aws, random, {}
        self.table, self.arn = aws.create("customer:S number:N")
        self.changes = [self.put, self.put, self.put_many, self.change, self.change, self.change_nothing,
                        self.remove, self.move]

    def work(self, steps):
        for _ in range(steps):
            self.random.choice(self.changes)()

    def make(self):
        title = " ".join(self.random.sample(WORDS, self.random.randint(1, 4)))
        return {"customer": f"c{self.random.randrange(6)}", "number": self.random.randrange(25), "title": title,
                "amount": self.random.randrange(1000), "tags": set(self.random.sample(WORDS, 2))}

    def key(self, row):
        return row["customer"], row["number"]

    def key_item(self, row):
        return {"customer": marshal(row["customer"]), "number": marshal(row["number"])}

    def some(self):
        return self.random.choice(list(self.rows.values())) if self.rows else None

    def put(self):
        row = self.make()
        self.aws.db.put_item(TableName=self.table, Item=to_item(row))
        self.rows[self.key(row)] = row

    def put_many(self):
        rows = {self.key(row): row for row in (self.make() for _ in range(5))}
        gone = self.some()
        requests = [{"PutRequest": {"Item": to_item(row)}} for row in rows.values()]
        if gone and self.key(gone) not in rows:
            requests.append({"DeleteRequest": {"Key": self.key_item(gone)}})
            del self.rows[self.key(gone)]
        answer = self.aws.db.batch_write_item(RequestItems={self.table: requests})
        assert answer["UnprocessedItems"] == {}
        self.rows.update(rows)

    def change(self):
        row = self.some()
        if row:
            row = {**row, "amount": row["amount"] + 1, "title": row["title"] + " " + self.random.choice(WORDS)}
            self.aws.db.update_item(TableName=self.table, Key=self.key_item(row),
                                    UpdateExpression="SET title = :t ADD amount :one",
                                    ExpressionAttributeValues={":t": marshal(row["title"]), ":one": {"N": "1"}})
            self.rows[self.key(row)] = row

    def change_nothing(self):
        row = self.some()
        if row:
            self.aws.db.put_item(TableName=self.table, Item=to_item(row))

    def remove(self):
        row = self.some()
        if row:
            self.aws.db.delete_item(TableName=self.table, Key=self.key_item(row))
            del self.rows[self.key(row)]

    def move(self):
        """An order changes its customer: gone here and there in one request."""
        row, other = self.some(), self.make()
        if row and self.key(other) != self.key(row):
            other = {**row, "customer": other["customer"], "number": other["number"]}
            if self.key(other) == self.key(row):
                return
            answer = self.aws.db.batch_write_item(RequestItems={self.table: [
                {"DeleteRequest": {"Key": self.key_item(row)}}, {"PutRequest": {"Item": to_item(other)}}]})
            assert answer["UnprocessedItems"] == {}
            del self.rows[self.key(row)]
            self.rows[self.key(other)] = other


class Mirror:
    """Keeps a table of word -> order up to date from the records of a stream, each once or more often."""

    def __init__(self, aws):
        self.aws = aws
        self.table, _ = aws.create("word:S order:S", view=None)

    def entries(self, image):
        if not image:
            return {}
        row = to_row(image)
        order = f"{row['customer']}/{row['number']}"
        return {(word, order): {"word": word, "order": order, "amount": row["amount"]}
                for word in row["title"].split()}

    def handle(self, record):
        change = record["dynamodb"]
        before, after = self.entries(change.get("OldImage")), self.entries(change.get("NewImage"))
        requests = [{"DeleteRequest": {"Key": {"word": {"S": word}, "order": {"S": order}}}}
                    for word, order in before.keys() - after.keys()]
        requests += [{"PutRequest": {"Item": to_item(entry)}} for entry in after.values()]
        for start in range(0, len(requests), 25):
            self.aws.db.batch_write_item(RequestItems={self.table: requests[start:start + 25]})


def test_an_order_table_is_mirrored_into_a_search_table(aws, clock):
    orders, mirror = Orders(aws, generator("mirror")), Mirror(aws)
    orders.work(60)
    reader = StreamReader(aws.streams, orders.arn, limit=20)
    for record in records_of(reader.read()):
        mirror.handle(record)
    kept = reader.positions()  # and then the mirror fails before it keeps the next
    orders.work(40)
    clock("4h")
    orders.work(40)
    for record in records_of(reader.read())[:30]:
        mirror.handle(record)
    orders.work(40)
    for record in records_of(StreamReader(aws.streams, orders.arn, positions=kept).read()):
        mirror.handle(record)
    assert {orders.key(row): row for row in scan(aws, orders.table)} == orders.rows
    expected = {}
    for row in orders.rows.values():
        expected.update(mirror.entries(to_item(row)))
    assert {(e["word"], e["order"]): e for e in scan(aws, mirror.table)} == expected


def test_an_audit_log_tells_the_whole_story_of_each_order(aws, clock):
    orders = Orders(aws, generator("audit"))
    for _ in range(3):
        orders.work(50)
        clock("4h")
    story, keys = defaultdict(list), ("customer", "number")
    for record in records_of(StreamReader(aws.streams, orders.arn).read()):
        change = record["dynamodb"]
        old, new = (to_row(change[m]) if m in change else None for m in ("OldImage", "NewImage"))
        kind = {(True, False): "REMOVE", (False, True): "INSERT", (True, True): "MODIFY"}[bool(old), bool(new)]
        assert record["eventName"] == kind and old != new
        assert to_row(change["Keys"]) == {k: (new or old)[k] for k in keys}
        assert change["StreamViewType"] == "NEW_AND_OLD_IMAGES" and change["SizeBytes"] > 0
        assert (record["eventSource"], record["awsRegion"]) == ("aws:dynamodb", "us-east-1")
        assert "userIdentity" not in record
        story[orders.key(new or old)].append((number_of(record), old, new))
    present = {}
    for key, chapters in story.items():
        before = None
        assert [number for number, _, _ in chapters] == sorted(number for number, _, _ in chapters)
        for _, old, new in chapters:
            assert old == before
            before = new
        if before is not None:
            present[key] = before
    assert present == orders.rows


@pytest.mark.parametrize("view,images", [("KEYS_ONLY", ()), ("NEW_IMAGE", ("NewImage",)),
                                         ("OLD_IMAGE", ("OldImage",)),
                                         ("NEW_AND_OLD_IMAGES", ("NewImage", "OldImage"))])
def test_a_view_shows_what_it_promises(aws, view, images):
    table, arn = aws.create(view=view)
    first, second = {"pk": {"S": "a"}, "v": {"N": "1"}}, {"pk": {"S": "a"}, "v": {"N": "2"}}
    aws.db.put_item(TableName=table, Item=first)
    aws.db.put_item(TableName=table, Item=first)
    aws.db.put_item(TableName=table, Item=second)
    aws.db.delete_item(TableName=table, Key={"pk": {"S": "a"}})
    aws.db.delete_item(TableName=table, Key={"pk": {"S": "a"}})
    records = records_of(StreamReader(aws.streams, arn).read())
    story = [("INSERT", None, first), ("MODIFY", first, second), ("REMOVE", second, None)]
    assert [record["eventName"] for record in records] == [name for name, _, _ in story]
    for record, (_, old, new) in zip(records, story):
        shown = {"OldImage": old, "NewImage": new}
        expected = {name: shown[name] for name in images if shown[name]}
        change = record["dynamodb"]
        assert {name: change[name] for name in ("OldImage", "NewImage") if name in change} == expected
        assert change["SizeBytes"] == 3 + 6 * len(expected) and change["Keys"] == {"pk": {"S": "a"}}


def test_sessions_that_expire_have_their_uploads_removed(aws, clock):
    """Whoever logs out keeps his uploads; they go when a session ends because its time is up."""
    random = generator("sessions")
    sessions, arn = aws.create("session:S")
    uploads, _ = aws.create("session:S file:S", view=None)
    aws.db.update_time_to_live(TableName=sessions,
                               TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
    wait_until(lambda: aws.db.describe_time_to_live(TableName=sessions)["TimeToLiveDescription"]
               ["TimeToLiveStatus"] == "ENABLED")
    names, now_s = [f"s{i}" for i in range(30)], clock.now_s()
    ends = {name: now_s + 3600 * random.randint(1, 5) + 60 for name in names}
    for name in names:
        aws.db.put_item(TableName=sessions, Item=to_item({"session": name, "ends": ends[name]}))
        aws.db.put_item(TableName=uploads, Item=to_item({"session": name, "file": "a.txt"}))
    logged_out, extended = set(names[:5]), set(names[5:10])
    for name in logged_out:
        aws.db.delete_item(TableName=sessions, Key={"session": {"S": name}})
    for name in extended:
        ends[name] += 86400
        aws.db.update_item(TableName=sessions, Key={"session": {"S": name}}, UpdateExpression="ADD ends :day",
                           ExpressionAttributeValues={":day": {"N": "86400"}})
    reader = StreamReader(aws.streams, arn)
    left = set(names) - logged_out
    assert clean_up(aws, uploads, reader) == set()
    for _ in range(7):
        clock("1h")
        over = {name for name in left if ends[name] <= clock.now_s()}
        assert clean_up(aws, uploads, reader) == over
        left -= over
        assert {row["session"] for row in scan(aws, sessions)} == left
    assert left == extended
    assert {row["session"] for row in scan(aws, uploads)} == extended | logged_out
    clock("24h")
    assert clean_up(aws, uploads, reader) == extended
    assert {row["session"] for row in scan(aws, uploads)} == logged_out


def clean_up(aws, uploads, reader):
    """Removes the uploads of sessions that the stream tells have expired, and says whose."""
    over = set()
    for record in records_of(reader.read()):
        if record.get("userIdentity") == {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}:
            assert record["eventName"] == "REMOVE" and "NewImage" not in record["dynamodb"]
            name = record["dynamodb"]["OldImage"]["session"]["S"]
            aws.db.delete_item(TableName=uploads, Key={"session": {"S": name}, "file": {"S": "a.txt"}})
            over.add(name)
    return over
