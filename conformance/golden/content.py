"""What a data folder holds, and where the golden folders lie.

tests/golden/format-N/ has a data folder as a program of format version N left it (data.mdb.xz) and
its content as that program told it (content.json.xz).
"""

import json
import lzma
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"


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


def all_pages(client, operation, **members):
    """The items of all pages, in their order."""
    items, more = [], {}
    while True:
        page = client.ok(operation, **members, **more)
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        more = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def content_of(client):
    """Everything a client can see: tables and indexes as described, tags, and all items in order."""
    content = {}
    for name in client.table_names():
        description = client.describe(name)
        tags = client.ok("ListTagsOfResource", ResourceArn=description["TableArn"])["Tags"]
        indexes = [index["IndexName"] for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
                   for index in description.get(kind, [])]
        content[name] = {
            "description": description,
            "tags": tags,
            "items": all_pages(client, "Scan", TableName=name, ConsistentRead=True),
            "indexes": {index: all_pages(client, "Scan", TableName=name, IndexName=index)
                        for index in indexes},
        }
    return content
