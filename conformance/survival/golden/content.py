"""What a data folder holds, and where the golden folders lie.

tests/golden/format-N/ has a data folder as a program of format version N left it (data.mdb.xz) and
its content as that program told it (content.json.xz).
"""

import json
import lzma

from checkout import ROOT
from table_content import content_of  # noqa: F401

TOKENS_SINCE = 5      # the first version that keeps tokens
THROUGHPUT_SINCE = 6  # the first that keeps what tables can serve
MARKS_SINCE = 7       # and the first that keeps states to go back to
BALANCES_SINCE = 8    # and what is left in their buckets
BACKUPS_SINCE = 9     # and backups, and the history of tables
GOLDEN = ROOT / "tests" / "golden"


def versions():
    return sorted(int(folder.name.removeprefix("format-")) for folder in GOLDEN.glob("format-*"))


def unpack(version, folder):
    """Puts a copy of a golden data folder at `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    packed = (GOLDEN / f"format-{version}" / "data.mdb.xz").read_bytes()
    (folder / "data.mdb").write_bytes(lzma.decompress(packed))


def expected(version):
    return json.loads(lzma.decompress((GOLDEN / f"format-{version}" / "content.json.xz").read_bytes()))


def keep(version, folder, content):
    """Makes `folder` and its content the golden ones of a version."""
    target = GOLDEN / f"format-{version}"
    target.mkdir(parents=True, exist_ok=True)
    pack = lambda data: lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)
    (target / "data.mdb.xz").write_bytes(pack((folder / "data.mdb").read_bytes()))
    (target / "content.json.xz").write_bytes(pack(json.dumps(content, sort_keys=True).encode()))


def transaction(amount=5):
    """A transaction that is sent once where the folder is made, and again where it is opened."""
    move = lambda name, sign: {"Update": {
        "TableName": "accounts", "Key": {"pk": {"S": name}},
        "UpdateExpression": f"SET balance = balance {sign} :amount",
        "ExpressionAttributeValues": {":amount": {"N": str(amount)}}}}
    note = {"Put": {"TableName": "notes", "Item": {"pk": {"S": "first"}, "sk": {"N": "1"}},
                    "ConditionExpression": "attribute_not_exists(pk)"}}
    return {"ClientRequestToken": "golden-token", "TransactItems": [move("a", "-"), move("b", "+"), note]}


def divide(admin):
    """Sets what one table can serve: it has 4 partitions, and 6 have 4 more boundaries."""
    told = admin.ok("capacity", {"table": "notes", "partitions": 6, "throttling": "enforce"})["tables"]
    assert len(told[0]["partitions"]) == 8
