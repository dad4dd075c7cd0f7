"""aws_dynamodb_io, a public reader of exports, reads ours from moto's server of S3 as it reads those of the service:
manifests, items of both formats, a folder without its description. ImportTable reads what the library writes."""

import base64
import gzip
import sys
from decimal import Decimal

import boto3
import pytest
from aws_dynamodb_io import api
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from admin import Admin
from checkout import ROOT
from own_servers import start  # noqa: F401

sys.path.insert(0, str(ROOT / "conformance" / "features" / "object_stores"))
from stores import Moto  # noqa: E402

BUCKET = "bucket"
LONG = Decimal("12345678901234567890123456789012345678")
# As boto3 has values; a Python set is a set of DynamoDB.
ITEMS = [
    {"pk": "scalars", "s": "a \"quote\", a line\nbreak, \u00fc and \U0001F600", "empty": "", "n": LONG, "zero": Decimal(0),
     "small": Decimal("1E-130"), "yes": True, "no": False, "nil": None, "b": bytes(range(256)), "nob": b""},
    {"pk": "sets", "ss": {"", "a"}, "ns": {Decimal("-1.5"), LONG}, "bs": {b"\1", b"\1\2"},
     "many": {Decimal(number) for number in range(1000)}},
    {"pk": "documents", "l": ["x", Decimal(1), [], {}, None], "m": {"a b": {"null": [b"\1"]}, "it's": Decimal("0.1")}},
    *({"pk": f"k{number}", "v": Decimal(number)} for number in range(500)),
]
WAIT = {"delays": 0.1, "timeout": 60, "verbose": False}


def plain(value):
    """A value with its sets as sorted lists, as the library returns those of both formats."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, set):
        return sorted(plain(element) for element in value)
    if isinstance(value, list):
        return [plain(element) for element in value]
    if isinstance(value, (bytes, bytearray)) or hasattr(value, "value"):
        return bytes(value)
    return value


def by_key(items):
    keyed = {item["pk"]: item for item in items}
    assert len(keyed) == len(items)
    return keyed


@pytest.fixture(scope="module")
def moto():
    store = Moto()
    store.s3.create_bucket(Bucket=BUCKET)
    yield store
    store.stop()


class World:
    def __init__(self, server, store):
        self.admin = Admin(server)
        self.s3 = store.s3
        self.db = boto3.client("dynamodb", endpoint_url=server.endpoint, region_name="us-east-1")
        self.clients = {"dynamodb_client": self.db, "s3_client": self.s3}
        self.arn = self.db.create_table(
            TableName="Things", BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])["TableDescription"]["TableArn"]
        self.db.update_continuous_backups(
            TableName="Things", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        for item in ITEMS:
            self.put(item)

    def put(self, item):
        self.db.put_item(TableName="Things", Item=TypeSerializer().serialize(item)["M"])

    def export(self, **members):
        begun = api.ExportJob.export_table_to_point_in_time(
            self.db, table_arn=self.arn, s3_bucket=BUCKET, **members)
        assert begun.is_in_progress()
        job = api.ExportJob.wait_until_complete(self.db, export_arn=begun.arn, **WAIT)
        assert job.is_completed()
        return job


@pytest.fixture
def world(start, moto):  # noqa: F811
    return World(start("--s3-endpoint", moto.endpoint, env=moto.environment), moto)


def decoded(line):
    """An item of DynamoDB JSON as it stands in a file, where binaries are Base64."""
    def raw(value):
        (kind, content), = value.items()
        if kind == "B":
            return {kind: base64.b64decode(content)}
        if kind == "BS":
            return {kind: [base64.b64decode(element) for element in content]}
        if kind == "L":
            return {kind: [raw(element) for element in content]}
        if kind == "M":
            return {kind: {name: raw(member) for name, member in content.items()}}
        return value

    return {name: plain(TypeDeserializer().deserialize(raw(value))) for name, value in line.items()}


def test_items_as_json(world):
    job = world.export(s3_prefix="as/json")
    assert job.is_dynamodb_json_format() and job.item_count == len(ITEMS)
    read = [decoded(line) for line in job.read_dynamodb_json(**world.clients)]
    assert by_key(read) == by_key([plain(item) for item in ITEMS])


def test_items_as_ion(world):
    job = world.export(s3_prefix="as/ion", export_format="ION")
    assert job.is_ion_format()
    read = [{name: plain(value) for name, value in item.items()} for item in job.read_amazon_ion(**world.clients)]
    expected = by_key([plain(item) for item in ITEMS])
    # The library returns elements of sets in the order of the file.
    for item in read:
        for name in ("ss", "ns", "bs", "many"):
            if name in item:
                item[name] = sorted(item[name])
    assert by_key(read) == expected


def test_manifests(world):
    job = world.export(s3_prefix="manifests/")
    summary = job.get_manifest_summary(**world.clients)
    assert summary.is_full_export() and summary.version == "2020-06-30"
    assert (summary.export_arn, summary.table_arn, summary.table_id) == (job.arn, world.arn, job.table_id)
    assert (summary.s3_bucket, summary.s3_prefix) == (BUCKET, "manifests/")
    assert (summary.item_count, summary.billed_size_bytes) == (job.item_count, job.billed_size_bytes)
    assert summary.start_time <= summary.end_time and summary.export_time == job.export_time
    files = job.get_data_files(**world.clients)
    assert sum(file.item_count for file in files) == len(ITEMS)
    for file in files:
        stored = world.s3.get_object(Bucket=file.s3_bucket, Key=file.s3_key)
        assert stored["ETag"].strip('"') == file.etag
        assert len(gzip.decompress(stored["Body"].read()).splitlines()) == file.item_count


def test_a_folder_without_its_description(world):
    """After the service has forgotten the export. The library looks for the sums of both manifests."""
    exported = world.export(s3_prefix="folder")
    prefix = f"folder/AWSDynamoDB/{exported.export_short_id}"
    job = api.ExportJob.from_s3_dir(world.s3, bucket=BUCKET, prefix=prefix)
    assert (job.arn, job.item_count, job.export_type) == (exported.arn, len(ITEMS), "FULL_EXPORT")
    read = [decoded(line) for line in job.read_dynamodb_json(**world.clients)]
    assert by_key(read) == by_key([plain(item) for item in ITEMS])


def test_an_incremental_export(world):
    begin = world.db.describe_continuous_backups(TableName="Things")["ContinuousBackupsDescription"][
        "PointInTimeRecoveryDescription"]["EarliestRestorableDateTime"]
    world.admin.move(advance="1h")
    world.put({"pk": "later"})
    job = world.export(s3_prefix="changes", export_type="INCREMENTAL_EXPORT", incremental_export_specification={
        "ExportFromTime": begin, "ExportViewType": "NEW_IMAGE"})
    summary = job.get_manifest_summary(**world.clients)
    assert summary.is_incremental_export() and summary.output_view == "NEW_IMAGE"
    assert summary.export_from_time == begin < summary.export_to_time
    files = job.get_data_files(**world.clients)
    assert all(file.s3_key.startswith("changes/AWSDynamoDB/data/") for file in files)
    assert sum(file.item_count for file in files) == job.item_count == len(ITEMS) + 1


def test_exports_are_listed(world):
    made = [world.export(s3_prefix=f"listed{number}").arn for number in range(3)]
    listed = api.ExportJob.list_exports(world.db, table_arn=world.arn, page_size=2, get_details=True)
    assert sorted(job.arn for job in listed) == sorted(made)
    assert all(job.is_completed() and job.s3_bucket == BUCKET for job in listed)
    missing = f"{world.arn}/export/01790000000123-00000000"
    assert api.ExportJob.describe_export(world.db, missing) is None


def test_an_import_of_what_the_library_writes(world):
    records = [{"pk": f"k{number}", "n": number, "l": ["x", {"deep": True}], "nil": None} for number in range(200)]
    api.write_dynamodb_json(records, s3uri=f"s3://{BUCKET}/written/all.json.gz", s3_client=world.s3)
    begun = world.db.import_table(
        S3BucketSource={"S3Bucket": BUCKET, "S3KeyPrefix": "written/"}, InputFormat="DYNAMODB_JSON",
        InputCompressionType="GZIP", TableCreationParameters={
            "TableName": "Written", "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})["ImportTableDescription"]
    job = api.ImportJob.wait_until_complete(world.db, import_arn=begun["ImportArn"], **WAIT)
    assert (job.imported_item_count, job.error_count) == (200, 0)
    pages = world.db.get_paginator("scan").paginate(TableName="Written")
    found = [TypeDeserializer().deserialize({"M": item}) for page in pages for item in page["Items"]]
    assert by_key(found) == by_key(records)
