"""FilterSpecification: exports of a part of a table."""

import pytest

from exporting import Exporter
from table_content import by_key, items_of_every_type
from test_incremental import value, window  # noqa: F401

ABOVE_ONE = {"FilterExpression": "#v > :v", "ExpressionAttributeNames": {"#v": "v"},
             "ExpressionAttributeValues": {":v": {"N": "1"}}}


@pytest.mark.parametrize("format", ["DYNAMODB_JSON", "ION"])
@pytest.mark.parametrize("specification", [
    {"FilterExpression": "attribute_type(#a, :t) OR attribute_exists(#b)",
     "ExpressionAttributeNames": {"#a": "n", "#b": "s"}, "ExpressionAttributeValues": {":t": {"S": "N"}}},
    {"ProjectionExpression": "pk, sk"},
    {"FilterExpression": "begins_with(sk, :s)", "ExpressionAttributeValues": {":s": {"S": "1"}}},
    {"FilterExpression": "attribute_exists(nowhere)"},
], ids=["types", "keys", "keys-in-the-filter", "nothing"])
def test_a_full_export_has_what_a_scan_finds(exporter, specification, format):
    arn = exporter.create()
    exporter.put(items_of_every_type())
    description = exporter.export(arn, ExportFormat=format, FilterSpecification=specification)
    assert description["ExportStatus"] == "COMPLETED", description
    assert description["FilterSpecification"] == specification
    found = exporter.client.ok("Scan", TableName="Things", **specification)["Items"]
    assert exporter.items(description) == by_key(found)


def test_a_key_condition_exports_what_a_query_finds(exporter):
    arn = exporter.create()
    exporter.put([{"pk": {"S": pk}, "sk": {"S": f"{i:02}"}, "v": {"N": str(i % 3)}}
                  for pk in ("a", "b") for i in range(40)])
    specification = {"KeyConditionExpression": "pk = :p AND sk BETWEEN :l AND :h", "FilterExpression": "v = :v",
                     "ProjectionExpression": "sk, pk",
                     "ExpressionAttributeValues": {":p": {"S": "b"}, ":l": {"S": "05"}, ":h": {"S": "30"},
                                                   ":v": {"N": "1"}}}
    description = exporter.export(arn, FilterSpecification=specification)
    found = exporter.client.ok("Query", TableName="Things", **specification)["Items"]
    assert len(found) == 8 and exporter.items(description) == by_key(found)


@pytest.mark.parametrize("format", ["DYNAMODB_JSON", "ION"])
def test_a_changed_item_is_there_if_it_met_the_filter_before_or_after(exporter, window, format):  # noqa: F811
    arn, begin, end = window
    description = exporter.export(
        arn, ExportFormat=format, ExportType="INCREMENTAL_EXPORT", FilterSpecification=ABOVE_ONE,
        IncrementalExportSpecification={"ExportFromTime": begin, "ExportToTime": end})
    changes = {record["Keys"]["pk"]["S"]: (value(record.get("OldImage")), value(record.get("NewImage")))
               for record in exporter.records(description)}
    assert changes == {"updated": ("1", "3"), "back": ("1", "2")}


def test_keys_stay_when_images_are_projected(exporter, window):  # noqa: F811
    arn, begin, end = window
    description = exporter.export(
        arn, ExportType="INCREMENTAL_EXPORT", FilterSpecification={"ProjectionExpression": "v"},
        IncrementalExportSpecification={"ExportFromTime": begin, "ExportToTime": end})
    records = {record["Keys"]["pk"]["S"]: record for record in exporter.records(description)}
    assert set(records) == {"inserted", "updated", "deleted", "back"}
    assert records["updated"]["Keys"] == {"pk": {"S": "updated"}, "sk": {"S": "1"}}
    assert records["updated"]["OldImage"] == {"v": {"N": "1"}}
    assert records["updated"]["NewImage"] == {"v": {"N": "3"}}


def test_a_filter_survives_a_kill(start, tmp_path):
    (tmp_path / "s3" / "bucket").mkdir(parents=True)
    flags = ("--db-path", tmp_path / "data", "--s3-root", tmp_path / "s3", "--sync", "commit")
    exporter = Exporter(start(*flags), tmp_path / "s3")
    arn = exporter.create()
    items = [{"pk": {"S": f"p{i}"}, "sk": {"S": "1"}, "v": {"N": str(i % 4)}} for i in range(20_000)]
    exporter.put(items)
    begun = exporter.begin(arn, FilterSpecification=ABOVE_ONE)
    exporter.server.kill()
    exporter = Exporter(start(*flags), tmp_path / "s3")
    description = exporter.wait(begun["ExportArn"])
    assert description["ExportStatus"] == "COMPLETED" and description["FilterSpecification"] == ABOVE_ONE
    assert exporter.items(description) == by_key([item for item in items if int(item["v"]["N"]) > 1])


def test_tokens_stand_for_the_filter_too(exporter):
    arn = exporter.create()
    exporter.export(arn, ClientToken="one", FilterSpecification=ABOVE_ONE)
    for other in ({}, {"FilterSpecification": {**ABOVE_ONE, "ExpressionAttributeValues": {":v": {"N": "2"}}}}):
        status, error, _ = exporter.client.error("ExportTableToPointInTime", TableArn=arn, S3Bucket="bucket",
                                                 ClientToken="one", **other)
        assert (status, error) == (400, "ExportConflictException")
