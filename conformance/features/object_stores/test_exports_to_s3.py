"""Exports to real servers of S3: what they hold, large objects, names of all kinds, what is refused."""

import base64
import hashlib
import random

import boto3
import pytest

from server_process import run_to_end
from stores import StoreExporter
from table_content import by_key, items_of_every_type

PART_BYTES = 16 << 20


def boto3_of(exporter):
    return boto3.client("dynamodb", endpoint_url=exporter.server.endpoint, region_name="us-east-1")


@pytest.mark.parametrize("format", ["DYNAMODB_JSON", "ION"])
def test_an_export_has_the_items_of_a_scan(exporter, format):
    arn = exporter.create()
    exporter.put(items_of_every_type())
    begun = boto3_of(exporter).export_table_to_point_in_time(
        TableArn=arn, S3Bucket="bucket", S3Prefix="some/prefix", ExportFormat=format)["ExportDescription"]
    description = exporter.wait(begun["ExportArn"])
    assert description["ExportStatus"] == "COMPLETED", description
    assert exporter.items(description) == by_key(exporter.scan())
    folder = f"some/prefix/AWSDynamoDB/{begun['ExportArn'].rsplit('/', 1)[1]}"
    assert description["ExportManifest"] == f"{folder}/manifest-summary.json"
    assert exporter.object(f"{folder}/_started") == b""


PREFIXES = ["a b", "a+b", "100%", "%41", "\u00fcmlaut/\u65e5\u672c/\U0001F600", "a&b=<c>;'\"!*()", "~x-y_z.w", "a//b", "ends/"]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_names_of_all_kinds(exporter, store, prefix):
    if "//" in prefix and store.environment["AWS_ACCESS_KEY_ID"] == "S3RVER":
        pytest.skip("s3rver has folders, which have no empty names")
    arn = exporter.create()
    exporter.put_values(a=1)
    description = exporter.export(arn, S3Prefix=prefix)
    assert description["ExportStatus"] == "COMPLETED", description
    export_id = description["ExportArn"].rsplit("/", 1)[1]
    folder = f"{prefix.rstrip('/')}/AWSDynamoDB/{export_id}/"
    listed = store.s3.list_objects_v2(Bucket="bucket", Prefix=folder)
    names = {entry["Key"].removeprefix(folder).partition("/")[0] for entry in listed["Contents"]}
    assert names == {"_started", "data", "manifest-files.json", "manifest-files.md5", "manifest-summary.json",
                     "manifest-summary.md5"}
    assert len(exporter.items(description)) == 1


@pytest.mark.parametrize("prefix", ["..", "../other", "a/../../other/x", ".", "a/./b"])
def test_a_prefix_does_not_leave_its_bucket(exporter, store, prefix):
    description = exporter.export(exporter.create(), S3Prefix=prefix)
    assert (description["ExportStatus"], description["FailureCode"]) == ("FAILED", "S3AccessDenied")
    assert [bucket["Name"] for bucket in store.s3.list_buckets()["Buckets"]] == ["bucket"]


def test_a_large_object_goes_in_parts(exporter, store):
    """Bytes that no one can compress: more than one part, each byte compared, and the ETag that the store gave."""
    arn = exporter.create()
    numbers = random.Random(7)
    items = [{"pk": {"S": f"p{i}"}, "sk": {"S": "1"},
              "b": {"B": base64.b64encode(numbers.randbytes(360_000)).decode()}} for i in range(60)]
    for item in items:
        exporter.client.ok("PutItem", TableName="Things", Item=item)
    description = exporter.export(arn, S3Prefix="large")
    assert description["ExportStatus"] == "COMPLETED", description
    _, files = exporter.manifests(description)
    large = [file for file in files if len(exporter.object(file["dataFileS3Key"])) > PART_BYTES]
    assert large, "no object was large"
    for file in large:
        data = exporter.object(file["dataFileS3Key"])
        assert hashlib.md5(data).digest() == base64.b64decode(file["md5Checksum"])
        parts = [hashlib.md5(data[at:at + PART_BYTES]).digest() for at in range(0, len(data), PART_BYTES)]
        assert file["etag"] == exporter.etag
        if store.has_tags_of_parts:
            assert exporter.etag == f"{hashlib.md5(b''.join(parts)).hexdigest()}-{len(parts)}"
    lines = [record["Item"] for record in exporter.records_of(files)]
    assert by_key(lines) == by_key(items)
    if store.has_tags_of_parts:  # s3rver does not list uploads
        assert "Uploads" not in exporter.open_uploads()


def test_a_missing_bucket(exporter, store):
    description = exporter.export(exporter.create(), S3Bucket="missing")
    assert (description["ExportStatus"], description["FailureCode"]) == ("FAILED", "S3NoSuchBucket")
    assert description["FailureMessage"].startswith(
        "The specified bucket does not exist (Service: Amazon S3; Status Code: 404; Error Code: NoSuchBucket; ")
    assert [bucket["Name"] for bucket in store.s3.list_buckets()["Buckets"]] == ["bucket"]


def test_an_unknown_key(start, stores):
    store = stores["s3rver"]
    environment = {**store.environment, "AWS_ACCESS_KEY_ID": "nobody"}
    exporter = StoreExporter(start("--s3-endpoint", store.endpoint, env=environment), store)
    description = exporter.export(exporter.create())
    assert (description["ExportStatus"], description["FailureCode"]) == ("FAILED", "S3InvalidAccessKeyId")
    assert "Status Code: 403" in description["FailureMessage"]


def test_the_log_says_where(exporter, store):
    exporter.export(exporter.create())
    assert exporter.server.wait_for_log(f"items in {store.endpoint}/bucket/AWSDynamoDB/")


def test_a_kill_delays_an_export(start, stores, tmp_path):
    store = stores["moto"]
    flags = ("--db-path", tmp_path / "data", "--s3-endpoint", store.endpoint, "--sync", "commit")
    exporter = StoreExporter(start(*flags, env=store.environment), store)
    arn = exporter.create()
    items = [{"pk": {"S": f"p{i}"}, "sk": {"S": "1"}, "v": {"S": "x" * 20}} for i in range(5000)]
    exporter.put(items)
    begun = exporter.begin(arn, S3Prefix="killed")
    exporter.server.kill()
    exporter = StoreExporter(start(*flags, env=store.environment), store)
    assert exporter.items(exporter.wait(begun["ExportArn"])) == by_key(items)


@pytest.mark.parametrize("flags, reason", [
    (("--s3-endpoint", "http://localhost:9", "--s3-root", "x"), "--s3-endpoint: not together with --s3-root"),
    (("--s3-endpoint", "localhost:9000"), "'localhost:9000' is not http://HOST:PORT"),
    (("--s3-endpoint", "http://localhost:9000/path"), "'http://localhost:9000/path' is not http://HOST:PORT"),
    (("--s3-timeout", "0"), "too short")])
def test_mistakes_in_flags(flags, reason):
    ended = run_to_end(*flags)
    assert ended.returncode == 2 and reason in ended.stderr, ended.stderr


def test_the_environment_names_the_endpoint(start, stores):
    store = stores["moto"]
    exporter = StoreExporter(start(env={**store.environment, "STATOR_S3_ENDPOINT": store.endpoint}), store)
    assert exporter.export(exporter.create())["ExportStatus"] == "COMPLETED"
    ended = run_to_end("--s3-root", "x", env={"STATOR_S3_ENDPOINT": store.endpoint})
    assert ended.returncode == 2 and "not together" in ended.stderr


def test_only_flags_name_the_endpoint(start, stores):
    """The variables by which SDKs choose endpoints have no effect."""
    store = stores["moto"]
    environment = {**store.environment, "AWS_ENDPOINT_URL": store.endpoint, "AWS_ENDPOINT_URL_S3": store.endpoint}
    exporter = StoreExporter(start(env=environment), store)
    description = exporter.export(exporter.create())
    assert description["FailureCode"] == "S3NoSuchBucket" and "--s3-endpoint" in description["FailureMessage"]
