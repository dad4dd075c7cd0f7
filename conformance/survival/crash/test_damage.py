"""Damages a folder and uses it: the process never ends by it, and no answer is wrong.

A folder of two tables with indexes is made once. Each round harms a copy of it: bits and bytes,
whole pages, fields of headers, the lists of pages. Then `stator check` reads it, and a server on it
answers reads, writes and deletes. Either the folder is refused in one line, or every answer is the
one that the whole folder gave, or status 500. What lies inside a key or value of a record has no
checksum: rounds that touched such bytes may show them, and are counted apart.
"""

import collections
import json
import random
import shutil
import struct
import time

import pytest

from client import Client
from lmdb_file import BIG_DATA, HEADER, PAGE, TREE_BYTES, TREES_AT, LmdbFile
from raw_client import Closed, Connection, request
from server_process import Server, run_to_end

ITEMS = 600
LARGE = (101, 202, 303, 404)
TABLE, INDEXED = "damage_plain", "damage_indexed"
NEW, GONE = range(ITEMS, ITEMS + 40), range(5, 45)


def key_of(number):
    return {"pk": {"S": f"p{number % 7}"}, "sk": {"S": f"{number:04d}" + "s" * (number % 9 * 90)}}


def item_of(number):
    large = number in LARGE
    return {**key_of(number), "g": {"S": f"g{number % 5}"}, "l": {"N": str(number)},
            "text": {"S": chr(97 + number % 26) * (100_000 if large else number % 200)}}


def call(connection, operation, body):
    answer = connection.exchange(request(operation, body))
    return answer.status, answer.body


def reads():
    """Requests whose answers depend on nothing but what is stored."""
    yield "ListTables", {}
    for table in (TABLE, INDEXED):
        for number in range(ITEMS):
            yield "GetItem", {"TableName": table, "Key": key_of(number), "ConsistentRead": True}
        for segment in range(6):
            yield "Scan", {"TableName": table, "TotalSegments": 6, "Segment": segment}
        for forward in (True, False):
            yield "Query", {"TableName": table, "KeyConditionExpression": "pk = :p",
                            "ScanIndexForward": forward,
                            "ExpressionAttributeValues": {":p": {"S": "p3"}}}
    for group in range(5):
        yield "Query", {"TableName": INDEXED, "IndexName": "by_g", "KeyConditionExpression": "g = :g",
                        "ExpressionAttributeValues": {":g": {"S": f"g{group}"}}}
    yield "Query", {"TableName": INDEXED, "IndexName": "by_l",
                    "KeyConditionExpression": "pk = :p AND l > :l",
                    "ExpressionAttributeValues": {":p": {"S": "p1"}, ":l": {"N": "40"}}}


READS = [(operation, body, request(operation, body)) for operation, body in reads()]


def schema(*names):
    return [{"AttributeName": n, "KeyType": k} for n, k in zip(names, ("HASH", "RANGE"))]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a sound folder's files, and its answers."""
    folder = tmp_path_factory.mktemp("whole")
    # Synced at once, pages are used again at once: the file stays small.
    server = Server("--db-path", folder, "--sync", "commit")
    client = Client(server)
    keys = {"AttributeDefinitions": [{"AttributeName": n, "AttributeType": t}
                                     for n, t in (("pk", "S"), ("sk", "S"))],
            "KeySchema": schema("pk", "sk"), "BillingMode": "PAY_PER_REQUEST"}
    every = {"Projection": {"ProjectionType": "ALL"}}
    client.ok("CreateTable", TableName=TABLE, **keys)
    client.ok("CreateTable", TableName=INDEXED, **{
        **keys,
        "AttributeDefinitions": keys["AttributeDefinitions"] + [
            {"AttributeName": "g", "AttributeType": "S"}, {"AttributeName": "l", "AttributeType": "N"}],
        "LocalSecondaryIndexes": [{"IndexName": "by_l", "KeySchema": schema("pk", "l"), **every}],
        "GlobalSecondaryIndexes": [{"IndexName": "by_g", "KeySchema": schema("g", "sk"), **every}]})
    numbers = list(range(ITEMS + 300))
    random.Random(1).shuffle(numbers)
    with Connection(server) as connection:
        for number in numbers:
            for table in (TABLE, INDEXED):
                assert call(connection, "PutItem", {"TableName": table, "Item": item_of(number)})[0] == 200
        # Free pages, of which a list is kept.
        for number in range(ITEMS, ITEMS + 300):
            for table in (TABLE, INDEXED):
                assert call(connection, "DeleteItem", {"TableName": table, "Key": key_of(number)})[0] == 200
        answers = []
        for operation, _, wire in READS:
            answer = connection.exchange(wire)
            assert answer.status == 200, (operation, answer)
            answers.append(answer.body)
    assert server.stop() == 0
    files = {name: (folder / name).read_bytes() for name in ("data.mdb", "synced")}
    assert run_to_end("check", folder).returncode == 0
    return files, answers


class Damage:
    """One round's harm: what was done, to which bytes."""

    def __init__(self, chance, files):
        self.chance = chance
        self.file = LmdbFile(files["data.mdb"])
        self.data = bytearray(files["data.mdb"])
        self.others = {"synced": bytearray(files["synced"])}
        self.touches_content = False
        self.what = chance.choice(self.KINDS)
        getattr(self, self.what)()

    def page(self, *kinds, trees=None):
        """A page of one of the kinds, all trees being as likely, the small ones not forgotten."""
        found = self.file.of(*kinds, trees=trees)
        tree = self.chance.choice(sorted({p.tree for p in found}))
        return self.chance.choice([p for p in found if p.tree == tree])

    def write(self, page, at, new):
        begin, end = page.number * PAGE + at, page.number * PAGE + at + len(new)
        self.data[begin:end] = new
        self.touches_content |= any(b < end and begin < e for b, e in page.content)

    def some_bytes(self):
        for _ in range(self.chance.randint(1, 4)):
            page = self.page("branch", "leaf", "overflow", "meta")
            at = self.chance.randrange(200 if page.kind == "meta" else PAGE)
            self.write(page, at, self.chance.randbytes(1))

    def bytes_of_records(self):
        for _ in range(self.chance.randint(1, 4)):
            page = self.chance.choice([p for p in self.file.of("leaf", "overflow") if p.content])
            begin, end = self.chance.choice(page.content)
            at = self.chance.randrange(begin, min(end, begin + 200)) - page.number * PAGE
            self.write(page, at, self.chance.randbytes(1))

    def one_bit_of_a_header(self):
        page = self.page("branch", "leaf", "overflow")
        at = self.chance.randrange(HEADER)
        old = self.data[page.number * PAGE + at]
        self.write(page, at, bytes([old ^ 1 << self.chance.randrange(8)]))

    def a_field_of_a_header(self):
        page = self.page("branch", "leaf", "overflow")
        at = self.chance.choice((0, 8, 10, 12, 14))
        self.write(page, at, struct.pack("<H", self.extreme(16)))

    def an_offset_of_a_node(self):
        page = self.page("branch", "leaf")
        number = self.chance.randrange(sum(1 for _ in self.file.nodes(page.number)))
        self.write(page, HEADER + 2 * number, struct.pack("<H", self.extreme(16)))

    def a_header_of_a_node(self):
        page = self.page("branch", "leaf")
        node = self.chance.choice(list(self.file.nodes(page.number)))
        at = node[0] % PAGE + self.chance.choice((0, 2, 4, 6))
        self.write(page, at, struct.pack("<H", self.extreme(16)))

    def a_page_of_zeros(self):
        self.write(self.page("branch", "leaf", "overflow", "meta"), 0, bytes(PAGE))

    def a_page_of_noise(self):
        self.write(self.page("branch", "leaf", "overflow"), 0, self.chance.randbytes(PAGE))

    def two_pages_swapped(self):
        one, other = (self.page("branch", "leaf", "overflow") for _ in range(2))
        texts = [bytes(self.data[p.number * PAGE:(p.number + 1) * PAGE]) for p in (one, other)]
        self.write(one, 0, texts[1])
        self.write(other, 0, texts[0])

    def a_page_twice(self):
        one, other = (self.page("branch", "leaf") for _ in range(2))
        text = bytearray(self.data[one.number * PAGE:(one.number + 1) * PAGE])
        text[0:8] = struct.pack("<Q", other.number)
        self.write(other, 0, bytes(text))

    def a_child_that_is_another(self):
        page = self.page("branch")
        node = self.chance.choice(list(self.file.nodes(page.number)))
        target = self.chance.choice((page.number, self.page("branch", "leaf").number,
                                     self.chance.randrange(len(self.data) // PAGE), 2**40))
        self.write(page, node[0] % PAGE, struct.pack("<IH", target & 0xFFFFFFFF, target >> 32))

    def a_field_of_the_meta_page(self):
        # LMDB looks less closely at the older one, and takes it when its number is higher.
        is_older = self.chance.random() < 0.2
        page = self.file.of("meta")[self.file.newest_meta ^ is_older]
        at, size = self.chance.choice(
            [(16, 4), (20, 4), (136, 8), (144, 8)] +
            [(TREES_AT + tree * TREE_BYTES + field, size) for tree in (0, 1)
             for field, size in ((0, 4), (4, 2), (6, 2), (8, 8), (16, 8), (24, 8), (32, 8), (40, 8))])
        self.write(page, at, self.extreme(8 * size).to_bytes(size, "little"))

    def a_record_of_a_database(self):
        page = self.page("leaf", trees=("main",))
        node = self.chance.choice(list(self.file.nodes(page.number)))
        field, size = self.chance.choice(((4, 2), (6, 2), (8, 8), (16, 8), (24, 8), (32, 8), (40, 8)))
        self.write(page, node[0] % PAGE + 8 + node[4] + field,
                   self.extreme(8 * size).to_bytes(size, "little"))

    def a_free_page_that_is_none(self):
        page = self.page("leaf", trees=("free",))
        node = self.chance.choice([n for n in self.file.nodes(page.number) if n[3] == 0])
        words = (node[1] | node[2] << 16) // 8
        target = self.chance.choice((self.page("branch", "leaf").number, self.extreme(64), 0, 1))
        self.write(page, node[0] % PAGE + 16 + 8 * self.chance.randrange(words),
                   struct.pack("<Q", target))

    def a_file_too_short(self):
        last = max(p.number for p in self.file.pages)
        del self.data[self.chance.randrange(2 * PAGE, (last + 1) * PAGE):]

    def bytes_of_synced(self):
        for _ in range(self.chance.randint(1, 4)):
            at = self.chance.choice((0, PAGE)) + self.chance.randrange(300)
            self.others["synced"][at % len(self.others["synced"])] ^= self.chance.randint(1, 255)

    def a_lock_file_of_noise(self):
        self.others["lock.mdb"] = self.chance.randbytes(self.chance.choice((0, 100, 8192, 32896)))

    def extreme(self, bits):
        most = 2**bits - 1
        return self.chance.choice((0, 1, 2, 15, 16, 17, 4094, 4095 % 2**bits, 4096, most, most - 1,
                                   most // 2, most // 2 + 1, self.chance.randint(0, most)))

    KINDS = ("some_bytes", "bytes_of_records", "one_bit_of_a_header", "a_field_of_a_header",
             "an_offset_of_a_node", "a_header_of_a_node", "a_page_of_zeros", "a_page_of_noise",
             "two_pages_swapped", "a_page_twice", "a_child_that_is_another",
             "a_field_of_the_meta_page", "a_record_of_a_database", "a_free_page_that_is_none",
             "a_file_too_short", "bytes_of_synced", "a_lock_file_of_noise")


class Round:
    """Uses one damaged folder; `outcome` and `wrong` tell what came of it."""

    def __init__(self, folder, answers):
        self.folder = folder
        self.answers = answers
        self.wrong = []
        self.failed = 0
        self.outcome = self.use()

    def use(self):
        checked = run_to_end("check", self.folder)
        if checked.returncode not in (0, 1) or (checked.returncode == 1 and not checked.stderr):
            return f"check ended with {checked.returncode}"
        try:
            server = Server("--db-path", self.folder)
        except AssertionError as problem:
            return self.refused(str(problem))
        try:
            with Connection(server) as connection:
                self.read(connection, {})
                self.write(connection)
            status = server.stop()
        except (Closed, OSError) as problem:
            return f"server ended with {server.wait()} ({problem})"
        finally:
            server.kill()
        if status != 0:
            return f"server ended with {status}"
        if self.failed:
            return "status 500"
        if checked.returncode == 1:
            return "only seen by check"
        again = run_to_end("check", self.folder)
        return "harmless" if again.returncode == 0 else f"check found more: {again.stderr[:300]}"

    @staticmethod
    def refused(problem):
        _, _, rest = problem.partition("the server ended: status ")
        status, _, log = rest.partition(", log: ")
        if status == "1" and len(log.strip().splitlines()) == 1:
            return "refused"
        return f"start ended with {problem[:300]}"

    def exchange(self, connection, wire):
        answer = connection.exchange(wire)
        self.failed += answer.status == 500
        return answer

    def read(self, connection, changed):
        """All that can be read; `changed` tells for numbers of items what they are now."""
        for (operation, body, wire), right in zip(READS, self.answers):
            if changed and operation != "GetItem":
                continue
            number = int(body["Key"]["sk"]["S"][:4]) if changed else None
            wanted = changed.get(number, right)
            answer = self.exchange(connection, wire)
            if answer.status != 500 and (answer.status, answer.body) != (200, wanted):
                self.wrong.append((operation, json.dumps(body)[:80], answer.status, answer.body[:80]))

    def write(self, connection):
        changed = {}
        for table in (TABLE, INDEXED):
            written = []
            for number in NEW:
                put = {"TableName": table, "Item": item_of(number)}
                if self.exchange(connection, request("PutItem", put)).status == 200:
                    written.append(number)
            for number in written:
                got = self.exchange(connection, request("GetItem", {"TableName": table, "Key": key_of(number)}))
                if got.status != 500 and got.json().get("Item") != item_of(number):
                    self.wrong.append(("written", number, got.status, got.body[:80]))
            if table == TABLE:
                continue
            for number in GONE:
                results = [self.exchange(connection, request("DeleteItem", {"TableName": t, "Key": key_of(number)}))
                           for t in (TABLE, INDEXED)]
                if all(r.status == 200 for r in results):
                    changed[number] = b"{}"
                elif any(r.status == 200 for r in results):
                    return
        self.read(connection, changed)


def test_damaged_folders(tmp_path, whole, damages, seed, figures):
    files, answers = whole
    outcomes, by_kind, wrong_content, bad = collections.Counter(), collections.Counter(), 0, []
    started = time.monotonic()
    for number in range(damages):
        damage = Damage(random.Random(f"{seed}-{number}"), files)
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, content in {**damage.others, "data.mdb": damage.data}.items():
            (folder / name).write_bytes(content)
        result = Round(folder, answers)
        shutil.rmtree(folder)
        is_known = result.outcome in ("refused", "status 500", "only seen by check", "harmless")
        if not is_known:
            outcomes["ended or worse"] += 1
            bad.append(f"round {number}, {damage.what}: {result.outcome}")
        elif result.wrong and not damage.touches_content:
            outcomes["wrong answers"] += 1
            bad.append(f"round {number}, {damage.what}: {result.outcome}, {result.wrong[:2]}")
        else:
            outcomes[result.outcome] += 1
            wrong_content += bool(result.wrong)
        if not is_known or (result.wrong and not damage.touches_content):
            by_kind[damage.what] += 1
    told = ", ".join(f"{count} {name}" for name, count in outcomes.most_common())
    figures.append(f"{damages} damaged folders: {told}; {wrong_content} with other content, where content "
                   f"was touched; {time.monotonic() - started:.0f} s")
    assert not bad, f"{len(bad)} of {damages}: {dict(by_kind)}\n" + "\n".join(bad[:40])


def test_a_damaged_item_is_one_line(tmp_path, whole):
    """Its requests get status 500, the others their answers, and the log a line for the table."""
    files, _ = whole
    number, file = 77, LmdbFile(files["data.mdb"])
    data = bytearray(files["data.mdb"])
    text = json.dumps(item_of(number)["text"]["S"])[1:-1].encode()
    for page in file.of("leaf", trees=("items", "nodes")):
        for at, low, high, kind, key_bytes in file.nodes(page.number):
            if kind & BIG_DATA:  # the value is elsewhere
                continue
            begin = at + 8 + key_bytes
            value = data[begin:begin + (low | high << 16)]
            if text in value and text + text[:1] not in value and key_of(number)["sk"]["S"].encode() in value:
                data[begin + 20:begin + len(value)] = b"\xff" * (len(value) - 20)
    for name, content in (("data.mdb", data), ("synced", files["synced"])):
        (tmp_path / name).write_bytes(content)
    server = Server("--db-path", tmp_path)
    try:
        client = Client(server)
        for _ in range(5):
            for table in (TABLE, INDEXED):
                place = {"TableName": table, "Key": key_of(number)}
                assert client.send("GetItem", place).status == 500
                assert client.send("DeleteItem", {**place, "ReturnValues": "ALL_OLD"}).status == 500
                assert client.send("Scan", {"TableName": table}).status == 500
                other = client.ok("GetItem", TableName=table, Key=key_of(number + 1))
                assert other["Item"] == item_of(number + 1)
                client.ok("PutItem", TableName=table, Item=item_of(number + 1))
        assert server.stop() == 0
    finally:
        server.kill()
    lines = [line for line in server.log().splitlines() if "damaged" in line]
    assert len(lines) == 2 and all("an item cannot be read" in line for line in lines), lines
