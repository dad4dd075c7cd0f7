"""Folders of DynamoDB's own export: read as the service writes them, and written so."""

import base64
import gzip
import hashlib
import json
import re

import pytest

from data_program import all_items, items_of_every_type, ordered, put_all
from test_export import two_tables  # noqa: F401

SUMMARY = {"version": "2020-06-30", "exportArn": "arn:aws:dynamodb:us-east-1:123456789012:table/T/export/1-2",
           "startTime": "2020-11-04T07:28:34.028Z", "outputFormat": "DYNAMODB_JSON", "s3Prefix": "2020-Nov"}
ID = "01345678901234-abc12345"


def json_lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def write_export(folder, files, data="data", lines=json_lines, **summary):
    """An export as the service writes it, below its prefix; `files` are lists of records, `lines` their text."""
    export = folder / "2020-Nov" / "AWSDynamoDB" / ID
    (export / data).mkdir(parents=True)
    (export / "_started").write_bytes(b"")
    entries = []
    for number, records in enumerate(files):
        packed = gzip.compress(lines(records).encode())
        (export / data / f"file{number}.json.gz").write_bytes(packed)
        entries.append(json.dumps({
            "itemCount": len(records), "md5Checksum": base64.b64encode(hashlib.md5(packed).digest()).decode(),
            "etag": "af83-1", "dataFileS3Key": f"2020-Nov/AWSDynamoDB/{ID}/data/file{number}.json.gz"}) + "\n")
    (export / "manifest-files.json").write_text("".join(entries))
    (export / "manifest-summary.json").write_text(json.dumps({**SUMMARY, **summary}))
    return export


def wrapped(items):
    return [{"Item": item} for item in items]


@pytest.mark.parametrize("below", ["2020-Nov/AWSDynamoDB/" + ID, "2020-Nov", "."])
def test_a_full_export(program, raw, two_tables, below):  # noqa: F811
    items = items_of_every_type()
    write_export(program.folder, [wrapped(items[:9]), [], wrapped(items[9:])])
    assert program.done("import", two_tables[1], below).startswith(f"{len(items)} items written")
    assert ordered(all_items(raw, two_tables[1])) == ordered(items)


def test_an_incremental_export(program, raw, two_tables):  # noqa: F811
    def key(name):
        return {"pk": {"S": name}, "sk": {"N": "1"}}

    put_all(raw, two_tables[1], [{**key("changed"), "v": {"N": "1"}}, key("gone"), key("kept")])
    metadata = {"WriteTimestampMicros": {"N": "1680109764000000"}}
    write_export(program.folder, [[
        {"Metadata": metadata, "Keys": key("new"), "NewImage": {**key("new"), "v": {"SS": ["a"]}}},
        {"Metadata": metadata, "Keys": key("changed"), "OldImage": {**key("changed"), "v": {"N": "1"}},
         "NewImage": {**key("changed"), "v": {"N": "2"}}},
        {"Metadata": metadata, "Keys": key("gone"), "OldImage": key("gone")}]],
        data="../data", exportType="INCREMENTAL_EXPORT", outputView="NEW_AND_OLD_IMAGES")
    program.done("import", two_tables[1], ".")
    assert ordered(all_items(raw, two_tables[1])) == ordered([
        {**key("changed"), "v": {"N": "2"}}, key("kept"), {**key("new"), "v": {"SS": ["a"]}}])


def test_what_is_damaged(program, two_tables):  # noqa: F811
    assert program.refused("import", two_tables[1], ".")[0] == \
        "stator: . is a folder without a manifest-summary.json, so no export"
    items = wrapped(items_of_every_type())
    export = write_export(program.folder, [items[:2], items[2:]])
    manifest = (export / "manifest-files.json").read_text()

    def complaint():
        return program.refused("import", two_tables[1], ".")[0]

    (export / "manifest-files.json").write_text(manifest.replace('"itemCount": 2', '"itemCount": 3'))
    assert complaint().endswith("data/file0.json.gz holds 2 items, its manifest says 3")
    (export / "manifest-files.json").write_text(manifest)
    (export / "data" / "file1.json.gz").write_bytes(gzip.compress(b"{}"))
    assert complaint().endswith("data/file1.json.gz: its MD5 sum is not that of the manifest")
    (export / "data" / "file1.json.gz").unlink()
    assert complaint().endswith("data/file1.json.gz is in the manifest: No such file or directory")
    (export / "manifest-summary.json").write_text(json.dumps({**SUMMARY, "outputFormat": "CSV"}))
    assert complaint().endswith("is in the format CSV; DYNAMODB_JSON and ION are read")


@pytest.mark.parametrize("flags", [[], ["--format", "dynamodb-json"], ["--format", "ion"],
                                   ["--format", "ion", "--compression", "gzip"]], ids=" ".join)
def test_written_and_read_back(program, raw, two_tables, flags):  # noqa: F811
    items = items_of_every_type()
    put_all(raw, two_tables[0], items)
    program.done("export", two_tables[0], "out/", "--segments", "3", *flags)
    is_ion = "ion" in flags
    (export,) = (program.folder / "out" / "AWSDynamoDB").iterdir()
    assert re.fullmatch(r"\d{14}-[0-9a-f]{8}", export.name)
    assert {path.name for path in export.iterdir()} == {
        "_started", "manifest-summary.json", "manifest-summary.md5", "manifest-files.json", "manifest-files.md5", "data"}
    summary = json.loads((export / "manifest-summary.json").read_text())
    described = raw.describe(two_tables[0])
    assert (summary["tableArn"], summary["tableId"]) == (described["TableArn"], described["TableId"])
    assert (summary["itemCount"], summary["outputFormat"]) == (len(items), "ION" if is_ion else "DYNAMODB_JSON")
    assert summary["exportArn"] == f"{described['TableArn']}/export/{export.name}"
    found = []
    for line in (export / "manifest-files.json").read_text().splitlines():
        entry = json.loads(line)
        path = program.folder / "out" / entry["dataFileS3Key"]
        assert re.fullmatch(r"[a-z2-7]{26}\.ion\.gz" if is_ion else r"[a-z2-7]{26}\.json\.gz", path.name)
        assert base64.b64encode(hashlib.md5(path.read_bytes()).digest()).decode() == entry["md5Checksum"]
        assert hashlib.md5(path.read_bytes()).hexdigest() == entry["etag"]
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        assert len(lines) == entry["itemCount"]
        assert all(line.startswith("$ion_1_0 {Item:{" if is_ion else '{"Item":{') for line in lines)
        found += [] if is_ion else [json.loads(line)["Item"] for line in lines]
    assert is_ion or ordered(found) == ordered(items)
    for name in ("summary", "files"):
        text = (export / f"manifest-{name}.json").read_bytes()
        checksum = (export / f"manifest-{name}.md5").read_text()
        assert base64.b64decode(checksum) == hashlib.md5(text).digest()
    program.done("import", two_tables[1], "out")
    assert ordered(all_items(raw, two_tables[1])) == ordered(items)


@pytest.mark.parametrize("name, flags, told", [
    ("out/", ["--compression", "zstd"], "--compression: the files of an export's folder are always gzip"),
    ("out", ["--format", "export", "--compression", "none"], "--compression: the files of an export's folder are always"),
    ("out/", ["--format", "csv"], "--format: 'csv' is for a file, and 'out/' a folder; its files are dynamodb-json or ion"),
    ("items.ion", ["--compression", "GZIP"], "--compression: 'GZIP' is not none, gzip or zstd"),
    ("items.ion.bz2", [], "items.ion.bz2: the name tells no format, say it by --format"),
])
def test_flags_that_do_not_fit(program, name, flags, told):
    result = program.run("export", "Missing", name, *flags)
    assert result.returncode != 0 and told in result.stderr, result
    assert not list(program.folder.iterdir())
