"""Incremental exports: the changes of a window, each item once."""

from datetime import datetime

import pytest

MICROS = 1_000_000


def seconds(time):
    return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()


@pytest.fixture
def window(exporter):
    """A table with changes of every kind in an hour; (arn, from, to)."""
    exporter.admin.move(mode="manual")
    arn = exporter.create()
    exporter.put_values(updated=1, deleted=1, back=1, before=1, untouched=1)
    begin = seconds(exporter.admin.move(advance="1h")["time"])
    exporter.put_values(inserted=1, updated=2, deleted=None, fleeting=1, back=None)
    exporter.admin.move(advance="30m")
    exporter.put_values(updated=3, fleeting=None, back=2)
    end = seconds(exporter.admin.move(advance="30m")["time"])
    exporter.put_values(after=1, before=2)
    exporter.admin.move(advance="1h")
    return arn, begin, end


def value(item):
    return item and item["v"]["N"]


@pytest.mark.parametrize("format", ["DYNAMODB_JSON", "ION"])
@pytest.mark.parametrize("view", ["NEW_AND_OLD_IMAGES", "NEW_IMAGE"])
def test_each_changed_item_has_a_line(exporter, window, view, format):
    arn, begin, end = window
    description = exporter.export(
        arn, S3Prefix="p", ExportFormat=format, ExportType="INCREMENTAL_EXPORT",
        IncrementalExportSpecification={"ExportFromTime": begin, "ExportToTime": end, "ExportViewType": view})
    assert description["ExportStatus"] == "COMPLETED", description
    assert description["BilledSizeBytes"] == 10_000_000
    changes = {}
    for record in exporter.records(description):
        assert list(record)[:2] == ["Metadata", "Keys"]
        assert list(record["Keys"]) == ["pk", "sk"]
        written = int(record["Metadata"]["WriteTimestampMicros"]["N"])
        changes[record["Keys"]["pk"]["S"]] = (value(record.get("OldImage")), value(record.get("NewImage")),
                                              written / MICROS - begin)
    later = pytest.approx(1800, abs=0.01)
    at_once = pytest.approx(0, abs=0.01)
    old = "1" if view == "NEW_AND_OLD_IMAGES" else None
    assert changes == {"inserted": (None, "1", at_once), "updated": (old, "3", later),
                       "deleted": (old, None, at_once), "back": (old, "2", later)}
    summary, files = exporter.manifests(description)
    assert summary["outputView"] == view and summary["exportType"] == "INCREMENTAL_EXPORT"
    assert "exportTime" not in summary and seconds(summary["exportFromTime"]) == pytest.approx(begin, abs=0.001)
    assert all(file["dataFileS3Key"].startswith("p/AWSDynamoDB/data/") for file in files)


def test_it_is_described_and_listed(exporter, window):
    arn, begin, end = window
    description = exporter.export(arn, ExportType="INCREMENTAL_EXPORT",
                                  IncrementalExportSpecification={"ExportFromTime": begin})
    spec = description["IncrementalExportSpecification"]
    assert spec["ExportViewType"] == "NEW_AND_OLD_IMAGES"
    assert spec["ExportFromTime"] == pytest.approx(begin, abs=0.001) and spec["ExportToTime"] > end
    assert exporter.client.ok("ListExports", TableArn=arn) == {"ExportSummaries": [
        {"ExportArn": description["ExportArn"], "ExportStatus": "COMPLETED", "ExportType": "INCREMENTAL_EXPORT"}]}


def test_deletions_by_time_to_live_are_changes(exporter):
    arn = exporter.create()
    exporter.client.ok("UpdateTimeToLive", TableName="Things",
                       TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
    now = seconds(exporter.admin.time())
    exporter.client.ok("PutItem", TableName="Things", Item={
        "pk": {"S": "expired"}, "sk": {"S": "1"}, "ttl": {"N": str(int(now) + 3600)}})
    begin = seconds(exporter.admin.move(advance="30m")["time"])
    exporter.admin.move(advance="2h")
    description = exporter.export(arn, ExportType="INCREMENTAL_EXPORT",
                                  IncrementalExportSpecification={"ExportFromTime": begin})
    (record,) = exporter.records(description)
    assert record["Keys"]["pk"] == {"S": "expired"} and "OldImage" in record and "NewImage" not in record
