"""Amazon's library for Ion reads what `stator export` and exports to S3 write, value for value, and `stator import` reads
what the library writes."""

import gzip
import json
import subprocess
from decimal import Decimal

import boto3
import pytest
from amazon.ion import simpleion
from amazon.ion.core import IonType
from amazon.ion.simple_types import IonPyBytes, IonPyDecimal, IonPyList, IonPyNull
from boto3.dynamodb.types import Binary

from own_servers import start  # noqa: F401
from server_process import binary, clean_environment, wait_until

DEADLINE_S = 60
SETS = {str: "$dynamodb_SS", Decimal: "$dynamodb_NS", bytes: "$dynamodb_BS"}
NUMBER = Decimal("12345678901234567890123456789012345678")
# As boto3 has values; a Python set is a set of DynamoDB.
ITEMS = [
    {"pk": "scalars", "s": "text with \"quotes\", a line\nbreak, \\, '\u00fc', \x01, \x7f and \U0001F600", "empty": "",
     "n": NUMBER, "small": Decimal("1E-130"), "zero": Decimal(0), "negative": Decimal("-1.5"),
     "yes": True, "no": False, "nil": None, "b": bytes(range(256)), "nob": b""},
    {"pk": "sets", "ss": {"", "a", "d\"e"}, "ns": {Decimal(-1), Decimal("1.5"), NUMBER}, "bs": {b"\1", b"\1\2"},
     "many": {Decimal(number) for number in range(1000)}},
    {"pk": "documents", "l": ["x", Decimal(1), [], {}, None, {"q"}], "m": {"a b": {"null": [b"\1"]}, "$10": "x",
                                                                        "it's": Decimal(0), "true": True}},
    {"pk": "names", "null": Decimal(1), "nan": "x", "$ion_1_0": "x", "1a": "x", "\u00fc": "x", "a\"b\\": "x"},
]


def from_ion(value):
    """A value of the library as boto3 has it. What no export should hold fails."""
    annotations = [symbol.text for symbol in getattr(value, "ion_annotations", ())]
    if isinstance(value, IonPyList):
        elements = [from_ion(element) for element in value]
        if annotations:
            (element_type,) = {type(element) for element in elements}
            assert annotations == [SETS[element_type]] and len(set(elements)) == len(elements)
        return set(elements) if annotations else elements
    assert not annotations, annotations
    if value is None or isinstance(value, IonPyNull):
        return None
    if value.ion_type == IonType.STRUCT:
        return {name: from_ion(member) for name, member in value.items()}
    if value.ion_type == IonType.BOOL:
        return bool(value)
    if value.ion_type == IonType.DECIMAL:
        return Decimal(value)
    if value.ion_type == IonType.BLOB:
        return bytes(value)
    assert value.ion_type == IonType.STRING, value.ion_type
    return str(value)


def to_ion(value):
    if isinstance(value, set):
        elements = [to_ion(element) for element in value]
        return IonPyList.from_value(IonType.LIST, elements, (SETS[type(next(iter(value)))],))
    if isinstance(value, list):
        return [to_ion(element) for element in value]
    if isinstance(value, dict):
        return {name: to_ion(member) for name, member in value.items()}
    if isinstance(value, bytes):
        return IonPyBytes.from_value(IonType.BLOB, value)
    return IonPyDecimal.from_value(IonType.DECIMAL, value) if isinstance(value, Decimal) else value


def from_boto3(value):
    if isinstance(value, Binary):
        return bytes(value)
    if isinstance(value, dict):
        return {name: from_boto3(member) for name, member in value.items()}
    if isinstance(value, (list, set)):
        return type(value)(from_boto3(element) for element in value)
    return value


def by_key(items):
    keyed = {item["pk"]: item for item in items}
    assert len(keyed) == len(items)
    return keyed


class World:
    def __init__(self, server, folder):
        self.server = server
        self.folder = folder
        options = {"endpoint_url": server.endpoint, "region_name": "us-east-1"}
        self.client = boto3.client("dynamodb", **options)
        self.resource = boto3.resource("dynamodb", **options)
        self.tables = {name: self.create(name) for name in ("Out", "Back")}

    def create(self, name):
        return self.resource.create_table(
            TableName=name, KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}], BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])

    def run(self, *arguments):
        subprocess.run([binary(), *arguments, "--endpoint-url", self.server.endpoint], cwd=self.folder,
                       env=clean_environment(), check=True, timeout=DEADLINE_S)

    def items(self, name):
        return by_key([from_boto3(item) for item in self.tables[name].scan()["Items"]])


@pytest.fixture
def world(start, tmp_path):  # noqa: F811
    (tmp_path / "s3" / "bucket").mkdir(parents=True)
    world = World(start("--s3-root", tmp_path / "s3"), tmp_path)
    for item in ITEMS:
        world.tables["Out"].put_item(Item=item)
    assert world.items("Out") == by_key(ITEMS)
    return world


def read(packed):
    """The items of a data file: each line a datagram of its own, and all of them in a row."""
    text = gzip.decompress(packed).decode()
    rows = [simpleion.loads(line) for line in text.splitlines()]
    assert len(simpleion.loads(text, single_value=False)) == len(rows)
    assert all(list(row) == ["Item"] for row in rows)
    return [from_ion(row["Item"]) for row in rows]


def items_of(folder, files_manifest):
    found = []
    for line in files_manifest.read_text().splitlines():
        entry = json.loads(line)
        rows = read((folder / entry["dataFileS3Key"]).read_bytes())
        assert len(rows) == entry["itemCount"]
        found += rows
    return by_key(found)


def test_the_library_reads_the_command(world):
    world.run("export", "Out", "items.ion.gz")
    assert by_key(read((world.folder / "items.ion.gz").read_bytes())) == by_key(ITEMS)
    world.run("export", "Out", "out/", "--format", "ion")
    (export,) = (world.folder / "out" / "AWSDynamoDB").iterdir()
    assert items_of(world.folder / "out", export / "manifest-files.json") == by_key(ITEMS)


def test_the_library_reads_exports_to_s3(world):
    world.client.update_continuous_backups(
        TableName="Out", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    arn = world.client.export_table_to_point_in_time(
        TableArn=world.tables["Out"].table_arn, S3Bucket="bucket", ExportFormat="ION")["ExportDescription"]["ExportArn"]

    def ended():
        description = world.client.describe_export(ExportArn=arn)["ExportDescription"]
        return description if description["ExportStatus"] != "IN_PROGRESS" else None

    description = wait_until(ended, deadline_s=DEADLINE_S, what="the end of the export")
    assert description["ExportStatus"] == "COMPLETED", description
    bucket = world.folder / "s3" / "bucket"
    summary = json.loads((bucket / description["ExportManifest"]).read_text())
    assert items_of(bucket, bucket / summary["manifestFilesS3Key"]) == by_key(ITEMS)
    world.run("import", "Back", "s3/bucket")
    assert world.items("Back") == by_key(ITEMS)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_library_writes(world, pack):
    lines = "".join(simpleion.dumps({"Item": to_ion(item)}, binary=False) + "\n" for item in ITEMS)
    assert lines.count("$ion_1_0 {") == len(ITEMS)
    (world.folder / "items").write_bytes(pack(lines.encode()))
    world.run("import", "Back", "items")
    assert world.items("Back") == by_key(ITEMS)
