"""Full exports: what they hold, how they are described, what fails and what survives."""

import shutil

import boto3
import pytest

from exporting import Exporter
from server_process import assert_whole, wait_until
from table_content import by_key, items_of_every_type

NOT_FOUND = ("The specified bucket does not exist (Service: Amazon S3; Status Code: 404; "
             "Error Code: NoSuchBucket; Request ID: ")


@pytest.mark.parametrize("format", ["DYNAMODB_JSON", "ION"])
def test_an_export_has_the_items_of_a_scan(exporter, format):
    arn = exporter.create()
    exporter.put(items_of_every_type())
    description = exporter.export(arn, ExportFormat=format, S3Prefix="some/prefix")
    assert description["ExportStatus"] == "COMPLETED", description
    assert exporter.items(description) == by_key(exporter.scan())
    export_id = description["ExportArn"].rsplit("/", 1)[1]
    folder = f"some/prefix/AWSDynamoDB/{export_id}"
    assert description["ExportManifest"] == f"{folder}/manifest-summary.json"
    assert exporter.object(f"{folder}/_started") == b""
    summary, files = exporter.manifests(description)
    assert list(summary) == ["version", "exportArn", "startTime", "endTime", "tableArn", "tableId", "exportTime",
                             "s3Bucket", "s3Prefix", "s3SseAlgorithm", "s3SseKmsKeyId", "manifestFilesS3Key",
                             "billedSizeBytes", "itemCount", "outputFormat", "exportType"]
    assert summary["version"] == "2020-06-30" and summary["exportArn"] == description["ExportArn"]
    assert (summary["s3Bucket"], summary["s3Prefix"]) == ("bucket", "some/prefix")
    assert summary["billedSizeBytes"] == description["BilledSizeBytes"] > 0
    assert summary["outputFormat"] == format
    ending = ".ion.gz" if format == "ION" else ".json.gz"
    for file in files:
        assert file["dataFileS3Key"].startswith(f"{folder}/data/") and file["dataFileS3Key"].endswith(ending)
        assert len(file["dataFileS3Key"].rsplit("/", 1)[1]) == 26 + len(ending)


def test_an_empty_table_has_one_empty_file(exporter):
    description = exporter.export(exporter.create())
    summary, files = exporter.manifests(description)
    assert (summary["itemCount"], summary["s3Prefix"], len(files)) == (0, None, 1)
    assert exporter.items(description) == {}


@pytest.mark.parametrize("format", ["DYNAMODB_JSON", "ION"])
def test_equal_items_give_equal_files(exporter, format):
    """Two exports of one table, and one of another table with its items, made in another order."""
    items = items_of_every_type()
    arn = exporter.create()
    exporter.put(items)
    other = exporter.create("Others")
    exporter.put(items[::-1], "Others")

    def data_of(table):
        description = exporter.export(table, ExportFormat=format)
        assert len(exporter.items(description)) == len(items)
        _, files = exporter.manifests(description)
        return [exporter.object(file["dataFileS3Key"]) for file in files]

    first = data_of(arn)
    exporter.admin.move(advance="72h")
    assert data_of(arn) == first
    assert data_of(other) == first


@pytest.mark.parametrize("prefix, folder", [("a/b/", "a/b/"), ("a/b", "a/b/"), (None, "")])
def test_a_slash_at_the_end_of_a_prefix_is_not_doubled(exporter, prefix, folder):
    arn = exporter.create()
    exporter.put_values(a=1)
    description = exporter.export(arn, **({"S3Prefix": prefix} if prefix else {}))
    folder += f"AWSDynamoDB/{description['ExportArn'].rsplit('/', 1)[1]}"
    assert (description.get("S3Prefix"), description["ExportManifest"]) == (prefix, f"{folder}/manifest-summary.json")
    summary, files = exporter.manifests(description)
    assert (summary["s3Prefix"], summary["manifestFilesS3Key"]) == (prefix, f"{folder}/manifest-files.json")
    assert all(file["dataFileS3Key"].startswith(f"{folder}/data/") for file in files)
    assert len(exporter.items(description)) == 1


def test_a_past_moment(exporter):
    arn = exporter.create()
    exporter.put_values(changed=1, deleted=1, kept=1)
    moment = exporter.admin.move(advance="1h")["time"]
    exporter.admin.move(advance="72h")
    exporter.put_values(changed=2, deleted=None, new=1)
    from datetime import datetime
    seconds = datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp()
    past = exporter.export(arn, ExportTime=seconds)
    values = {key[0]: item["v"]["N"] for key, item in exporter.items(past).items()}
    assert values == {"changed": "1", "deleted": "1", "kept": "1"}
    present = exporter.items(exporter.export(arn))
    assert {key[0]: item["v"]["N"] for key, item in present.items()} == {"changed": "2", "kept": "1", "new": "1"}


def test_the_table_may_go(exporter):
    arn = exporter.create()
    items = [{"pk": {"S": f"p{i}"}, "sk": {"S": "1"}} for i in range(5000)]
    exporter.put(items)
    begun = exporter.begin(arn)
    exporter.client.ok("DeleteTable", TableName="Things")
    assert exporter.items(exporter.wait(begun["ExportArn"])) == by_key(items)
    assert exporter.client.ok("ListExports", TableArn=arn)["ExportSummaries"] == []
    summaries = exporter.client.ok("ListExports")["ExportSummaries"]
    assert [summary["ExportArn"] for summary in summaries] == [begun["ExportArn"]]


def test_boto3_exports(exporter):
    arn = exporter.create()
    client = boto3.client("dynamodb", endpoint_url=exporter.server.endpoint, region_name="us-east-1")
    begun = client.export_table_to_point_in_time(TableArn=arn, S3Bucket="bucket")["ExportDescription"]
    assert begun["ExportStatus"] == "IN_PROGRESS" and begun["ClientToken"]
    exporter.wait(begun["ExportArn"])
    ended = client.describe_export(ExportArn=begun["ExportArn"])["ExportDescription"]
    assert ended["ExportStatus"] == "COMPLETED" and ended["EndTime"] >= ended["StartTime"]
    pages = client.get_paginator("list_exports") if client.can_paginate("list_exports") else None
    assert pages or client.list_exports(TableArn=arn)["ExportSummaries"][0]["ExportArn"] == begun["ExportArn"]


def test_tokens(exporter):
    arn = exporter.create()
    first = exporter.export(arn, ClientToken="one")
    again = exporter.client.ok("ExportTableToPointInTime", TableArn=arn, S3Bucket="bucket", ClientToken="one")
    assert again["ExportDescription"] == first
    status, error, message = exporter.client.error("ExportTableToPointInTime", TableArn=arn, S3Bucket="other",
                                                   ClientToken="one")
    assert (status, error) == (400, "ExportConflictException")
    assert message == "Export conflict: Duplicate request detected with conflicting parameters"


def test_the_token_of_a_failed_export_still_stands_for_it(exporter):
    arn = exporter.create()
    failed = exporter.export(arn, ClientToken="one", S3Bucket="missing")
    assert failed["ExportStatus"] == "FAILED"
    again = exporter.client.ok("ExportTableToPointInTime", TableArn=arn, S3Bucket="missing", ClientToken="one")
    assert again["ExportDescription"] == failed


def failure(exporter, arn, **members):
    description = exporter.export(arn, **members)
    assert description["ExportStatus"] == "FAILED" and "ExportManifest" not in description
    return description["FailureCode"], description["FailureMessage"]


def test_a_missing_bucket(exporter):
    code, message = failure(exporter, exporter.create(), S3Bucket="missing")
    assert code == "S3NoSuchBucket" and message.startswith(NOT_FOUND)
    assert not (exporter.root / "missing").exists()


@pytest.mark.parametrize("prefix", ["../other", "a/../../other", "/tmp", "a//b", ".", "link/x"])
def test_keys_that_leave_the_bucket(exporter, tmp_path, prefix):
    (tmp_path / "outside").mkdir()
    (exporter.root / "bucket" / "link").symlink_to(tmp_path / "outside")
    (exporter.root / "other").mkdir()
    code, _ = failure(exporter, exporter.create(), S3Prefix=prefix)
    assert code == "S3AccessDenied"
    assert list((tmp_path / "outside").iterdir()) == list((exporter.root / "other").iterdir()) == []


def test_a_server_without_buckets_says_how_to_get_one(start, tmp_path):
    exporter = Exporter(start(), tmp_path)
    code, message = failure(exporter, exporter.create())
    assert code == "S3NoSuchBucket" and "--s3-root" in message


def test_buckets_below_the_data_folder(start, tmp_path):
    (tmp_path / "data" / "s3" / "bucket").mkdir(parents=True)
    exporter = Exporter(start("--db-path", tmp_path / "data"), tmp_path / "data" / "s3")
    arn = exporter.create()
    exporter.put_values(a=1)
    assert len(exporter.items(exporter.export(arn))) == 1


def remove_for_good(folder):
    """Though the server may make another folder in it meanwhile."""
    wait_until(lambda: shutil.rmtree(folder, ignore_errors=True) or not folder.exists(), what="the end of the folder")


@pytest.mark.parametrize("is_removed", [False, True])
def test_a_bucket_that_vanishes(exporter, is_removed):
    """Moved or removed while the export is written: it ends as FAILED, and makes no bucket of its own."""
    arn = exporter.create()
    exporter.put([{"pk": {"S": f"p{i}"}, "sk": {"S": "1"}, "v": {"S": str(i) * 40}} for i in range(20_000)])
    bucket, gone = exporter.root / "bucket", exporter.root / "gone"
    for number in range(20):  # until one is not written before that
        begun = exporter.begin(arn, S3Prefix=f"p{number}")
        wait_until((bucket / f"p{number}").exists, what="the first object")
        bucket.rename(gone)
        if is_removed:
            remove_for_good(gone)
        description = exporter.wait(begun["ExportArn"])
        assert not bucket.exists()
        bucket.mkdir() if is_removed else gone.rename(bucket)
        if description["ExportStatus"] == "FAILED":
            break
    assert (description["ExportStatus"], description["FailureCode"]) == ("FAILED", "S3NoSuchBucket"), description
    assert description["FailureMessage"].startswith(NOT_FOUND)
    assert not list((bucket / f"p{number}").rglob("manifest-summary.json"))
    assert len(exporter.items(exporter.export(arn))) == 20_000


def test_a_kill_delays_an_export(start, tmp_path):
    """Whatever a kill interrupts is done again by the next process, with the items of the first moment."""
    (tmp_path / "s3" / "bucket").mkdir(parents=True)
    flags = ("--db-path", tmp_path / "data", "--s3-root", tmp_path / "s3", "--sync", "commit")
    exporter = Exporter(start(*flags), tmp_path / "s3")
    arn = exporter.create()
    items = [{"pk": {"S": f"p{i}"}, "sk": {"S": "1"}, "v": {"S": "x" * 20}} for i in range(50_000)]
    exporter.put(items)
    begun = exporter.begin(arn, S3Prefix="p")
    exporter.put_values(late=1)
    exporter.server.kill()
    assert_whole(tmp_path / "data")
    exporter = Exporter(start(*flags), tmp_path / "s3")
    description = exporter.wait(begun["ExportArn"])
    assert description["ExportStatus"] == "COMPLETED", description
    assert exporter.items(description) == by_key(items)
    partial = [path.name for path in (tmp_path / "s3").rglob("*") if "partial" in path.name]
    assert partial == []
    # An orderly stop, too.
    begun = exporter.begin(arn, S3Prefix="q")
    exporter.server.stop()
    exporter = Exporter(start(*flags), tmp_path / "s3")
    assert len(exporter.items(exporter.wait(begun["ExportArn"]))) == 50_001


def test_stator_import_reads_it(exporter, tmp_path):
    from server_process import run_to_end
    arn = exporter.create()
    exporter.put(items_of_every_type())
    exporter.export(arn, S3Prefix="p")
    exporter.client.create_table("Copy", sort_key="sk")
    ended = run_to_end("import", "Copy", exporter.root / "bucket" / "p", "--endpoint-url", exporter.server.endpoint)
    assert ended.returncode == 0, ended.stderr
    assert by_key(exporter.scan("Copy")) == by_key(exporter.scan())
