"""Every format in every compression, sound and with a bad line; and tables that go out, in, and out again."""

import base64
import gzip
import json

import pytest

from importing import counts, lines, pack
from server_process import wait_until
from table_content import by_key, items_of_every_type

COMPRESSIONS = ["NONE", "GZIP", "ZSTD"]
ITEMS = [{"pk": {"S": f"p{number}"}, "sk": {"S": "1"}, "v": {"S": "x" * number}} for number in range(1, 8)]


def ion_lines(items):
    return "".join("$ion_1_0 {Item:{%s}}\n" % ",".join(f'{name}:"{value["S"]}"' for name, value in item.items())
                   for item in items).encode()


def csv_lines(items):
    return ("pk,sk,v\n" + "".join(",".join(value["S"] for value in item.values()) + "\n" for item in items)).encode()


FORMATS = {"DYNAMODB_JSON": (lines, b"no JSON\n"), "ION": (ion_lines, b"$ion_1_0 {Item:{sk:\"1\"}}\n"),
           "CSV": (csv_lines, b",1,without a key\n")}


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_in_every_compression(importer, format, compression):
    text_of, _ = FORMATS[format]
    for number in range(2):
        importer.write(f"in/{number}", pack(text_of(ITEMS[number::2]), compression))
    description = importer.completed("in/", InputFormat=format, InputCompressionType=compression)
    assert counts(description) == (7, 7, 0)
    assert by_key(importer.scan()) == by_key(ITEMS)


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("format", FORMATS)
def test_one_bad_line_leaves_the_other_items(importer, format, compression):
    text_of, bad = FORMATS[format]
    text = text_of(ITEMS[:4])
    end_of_second = [at for at, byte in enumerate(text) if byte == 10][2 if format == "CSV" else 1] + 1
    importer.write("in/1", pack(text[:end_of_second] + bad + text[end_of_second:], compression))
    importer.write("in/2", pack(text_of(ITEMS[4:]), compression))
    description = importer.failed("in/", InputFormat=format, InputCompressionType=compression)
    assert description["FailureCode"] == "ItemValidationError" and description["ErrorCount"] == 1, description
    assert importer.status() == "ACTIVE"
    assert by_key(importer.scan()) == by_key(ITEMS)
    (error,) = importer.errors(description)
    assert (error["itemS3Pointer"]["key"], error["itemS3Pointer"]["itemIndex"]) == ("in/1", 2)


def extreme_items():
    """What is at the service's limits."""
    def deep(wrap, levels=31):
        value = {"S": ""}
        for level in range(levels):
            value = wrap(value, level)
        return value

    def in_list(value, _level):
        return {"L": [value]}

    def in_map(value, _level):
        return {"M": {"k": value}}

    def in_turns(value, level):
        return in_map(value, level) if level % 2 else in_list(value, level)

    extremes = {
        "thousand texts": {"SS": sorted(f"text {number:04}" for number in range(1000))},
        "thousand numbers": {"NS": [str(number) for number in range(1000)]},
        "thousand binaries": {"BS": [base64.b64encode(number.to_bytes(2, "big")).decode() for number in range(1000)]},
        "38 digits": {"N": "-12345678901234567890123456789012345678"},
        "38 nines": {"N": "9" * 38},
        "a fraction": {"N": "0." + "0" * 91 + "1234567890123456789012345678901234567"},
        "largest": {"N": "99999999999999999999999999999999999999" + "0" * 88},
        "smallest": {"N": "0." + "0" * 129 + "1"},
        "maps": deep(in_map), "lists": deep(in_list), "both": deep(in_turns),
        "no text": {"S": ""}, "no bytes": {"B": ""}, "no list": {"L": []}, "no map": {"M": {}},
        "controls": {"S": "".join(chr(code) for code in range(32)) + "\x7f\u2028\ufeff"},
    }
    return [{"pk": {"S": name}, "sk": {"S": "1"}, "v": value} for name, value in extremes.items()]


def export_lines(importer, table, format):
    """The lines of an export of the table."""
    client = importer.client
    client.ok("UpdateContinuousBackups", TableName=table,
              PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    arn = client.ok("DescribeTable", TableName=table)["Table"]["TableArn"]
    begun = client.ok("ExportTableToPointInTime", TableArn=arn, S3Bucket="bucket", ExportFormat=format)
    export = begun["ExportDescription"]["ExportArn"]
    wait_until(lambda: client.ok("DescribeExport", ExportArn=export)["ExportDescription"]["ExportStatus"] == "COMPLETED",
               deadline_s=120, what="the end of the export")
    folder = importer.root / "bucket" / "AWSDynamoDB" / export.rsplit("/", 1)[1] / "data"
    return b"".join(gzip.decompress(file.read_bytes()) for file in sorted(folder.iterdir())).splitlines(keepends=True)


@pytest.mark.parametrize("format", ["DYNAMODB_JSON", "ION"])
def test_out_in_and_out_again(importer, format):
    """The second export has the lines of the first, through every compression."""
    client = importer.client
    client.create_table("Source", sort_key="sk")
    items = items_of_every_type() + extreme_items()
    for one in items:
        client.ok("PutItem", TableName="Source", Item=one)
    first = export_lines(importer, "Source", format)
    assert len(first) == len(items)
    for compression in COMPRESSIONS:
        importer.write(f"again {compression}", pack(b"".join(first), compression))
        description = importer.completed(f"again {compression}", InputFormat=format, InputCompressionType=compression)
        assert counts(description) == (len(items), len(items), 0)
        assert by_key(importer.scan()) == by_key(importer.scan("Source"))
        assert sorted(export_lines(importer, "Things", format)) == sorted(first)
        client.ok("DeleteTable", TableName="Things")
    if format == "DYNAMODB_JSON":
        assert by_key([json.loads(text)["Item"] for text in first]) == by_key(importer.scan("Source"))
