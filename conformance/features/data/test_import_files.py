"""`stator import`: a file is read to its end, or it is an error that says what the file is."""

import gzip
import json
import os
import subprocess
import threading

import pytest

from data_program import all_items
from server_process import STOP_DEADLINE_S, binary, clean_environment
from test_import import table  # noqa: F401

GOOD = b'{"pk":"a","sk":1}\n'
MORE = b'{"pk":"b","sk":1}\n'
MEMBER = gzip.compress(MORE)


def test_members_in_a_row(program, raw, table):  # noqa: F811
    program.write("two.gz", gzip.compress(GOOD) + gzip.compress(b"") + MEMBER)
    assert program.done("import", table, "two.gz").startswith("2 items written")


@pytest.mark.parametrize("packed", [True, False], ids=["gzip", "stdin"])
@pytest.mark.parametrize("tail, told", [
    (b"\x1f\x8c" + MEMBER[2:], "what follows its gzip data is no gzip"),
    (b"\x1f", "what follows its gzip data is no gzip"),
    (MORE, "what follows its gzip data is no gzip"),
    (b"\0" * 512, "what follows its gzip data is no gzip"),
    (b"\x1f\x8b\x07" + MEMBER[3:], "its gzip data are damaged: unknown compression method"),
    (MEMBER[:-8] + b"\0" * 8, "its gzip data are damaged: incorrect data check"),
    (MEMBER[:5], "its gzip data are cut short"), (MEMBER[:-1], "its gzip data are cut short"),
], ids=["second head", "one byte", "text", "zeros", "method", "sum", "cut head", "cut tail"])
def test_what_follows_a_member(program, raw, table, tail, told, packed):  # noqa: F811
    data = gzip.compress(GOOD) + tail
    program.write("items.gz", data)
    name = "items.gz" if packed else "stdin"
    with open(program.folder / "items.gz", "rb") as file:
        result = subprocess.run(
            [binary(), "import", table, "items.gz" if packed else "-", "--endpoint-url", program.endpoint],
            cwd=program.folder, env=clean_environment(), stdin=file, capture_output=True, text=True,
            timeout=STOP_DEADLINE_S)
    assert result.returncode == 1, result
    assert f"stator: {name}: {told}" in result.stderr.splitlines()


def test_a_cut_row_of_csv_is_no_row(program, raw, table):  # noqa: F811
    """Its last cell would be a part of what it was."""
    rows = "pk,sk,v\n" + "".join(f"{os.urandom(40).hex()},1,{'x' * 1000}\n" for _ in range(200))
    packed = gzip.compress(rows.encode())
    program.write("cut.csv.gz", packed[:len(packed) // 2])
    told = program.refused("import", table, "cut.csv.gz")
    assert told[0] == "stator: cut.csv.gz: its gzip data are cut short"
    assert {len(item["v"]["S"]) for item in all_items(raw, table)} <= {1000}


NOTHING = {
    "an empty file": (b"", "items is empty"),
    "blank lines": (b"\n \n", "items is empty"),
    "a packed empty file": (gzip.compress(b""), "items is empty"),
    "HTML": (b"<!DOCTYPE html><html><body>502 Bad Gateway</body></html>", "it looks like HTML"),
    "XML": (b"<?xml version='1.0'?><Error/>", "it looks like XML"),
    "text": (b"An error occurred\n", "it looks like plain text"),
    "text with commas": (b"Well, no\n", "it looks like other CSV"),
    "Ion without Item": (b"$ion_1_0 {pk:\"a\",sk:1}\n", "items line 1: it is no {Item:{…}} of Ion"),
    "binary Ion": (b"\xe0\x01\x00\xea\x81", "items is binary Amazon Ion, which is not read"),
    "cut zstd": (b"\x28\xb5\x2f\xfd\x04", "items: its zstd data are cut short"),
    "xz": (b"\xfd7zXZ\0", "items is xz data, which are not unpacked here"),
    "ZIP": (b"PK\x03\x04\x14", "items is a ZIP archive"),
    "UTF-32": ('{"pk":"a","sk":1}'.encode("utf-32"), "items is UTF-32; UTF-8 is read"),
    "half of UTF-16": ('{"pk":"a","sk":1}'.encode("utf-16") + b"x", "items: its UTF-16 is damaged"),
    "zeros": (b"\0" * 4096, "items is binary data"),
    "a header without the key": (b"pk,Sk\n", "no column has the name of the key attribute 'sk'"),
}


@pytest.mark.parametrize("what", NOTHING)
def test_reading_nothing_is_an_error(program, raw, table, what):  # noqa: F811
    data, told = NOTHING[what]
    program.write("items", data)
    lines = program.refused("import", table, "items")
    assert told in lines[0] and lines[0].startswith("stator: items"), lines
    assert all_items(raw, table) == []


@pytest.mark.parametrize("text", ["pk,sk\n", "[]", '{"Items": [], "Count": 0}', "$ion_1_0\n"])
def test_files_that_say_that_there_are_no_items(program, table, text):  # noqa: F811
    program.write("items", text)
    assert program.done("import", table, "items").startswith("0 items written")


@pytest.mark.parametrize("header, told", [
    ("pk,sk,a,a", "'a' is there twice"), ("pk,sk,sk", "'sk' is there twice"),
    ("pk,sk,a:N,b,a:N", "'a' is there twice"), ("pk,sk,pk:S", "'pk' is there twice"),
    (",".join(["pk", "sk", *map(str, range(10_000))]), "it has more than 10,000 cells"),
])
def test_columns_that_hide_each_other(program, raw, table, header, told):  # noqa: F811
    row = ",".join(["a", "1", *["2"] * (header.count(",") - 1)]) + "\n"
    program.write("items.csv", header + "\n" + row)
    assert told in program.refused("import", table, "items.csv")[0]
    if len(header) < 1000:
        program.write("rows.csv", row)
        assert told in program.refused("import", table, "rows.csv", "--header", header)[0]
    assert all_items(raw, table) == []


def test_a_column_for_each_type_of_an_attribute(program, raw, table):  # noqa: F811
    program.write("items.csv", "pk,sk,a,a:N\na,1,x,\na,2,,7\n")
    program.done("import", table, "items.csv")
    assert {item["sk"]["N"]: item["a"] for item in all_items(raw, table)} == {"1": {"S": "x"}, "2": {"N": "7"}}
    program.write("items.csv", "pk,sk,a,a:N\na,3,x,8\n")
    assert program.refused("import", table, "items.csv")[0] == \
        "stator: items.csv line 2: two cells are of the attribute 'a'"


ENDLESS = {"JSON": b'{"pk":"', "an array": b'[{"pk":"', "a member": b'{"Items":[],"Tail":"', "CSV": b"pk,sk\na,",
           "a quote": b'pk,sk\na,"', "a header": b"pk"}


@pytest.mark.parametrize("what", ENDLESS)
def test_a_record_without_end(program, table, what):  # noqa: F811
    """It is refused where it is longer than any item, not where it ends: it never does."""
    process = subprocess.Popen(
        [binary(), "import", table, "-", "--keep-going", "--endpoint-url", program.endpoint], cwd=program.folder,
        env=clean_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def feed():
        try:
            process.stdin.buffer.write(ENDLESS[what])
            while True:
                process.stdin.buffer.write(b"x" * 65536)
        except OSError:
            pass

    threading.Thread(target=feed, daemon=True).start()
    try:
        told = process.stderr.readline()
        assert process.wait(STOP_DEADLINE_S) == 1
        assert "it is longer than 16 MiB, which no item is" in told
        assert ("a quote is opened" in told) == (what == "a quote")
    finally:
        process.kill()
        process.wait()


def test_a_manifest_that_lost_files(program, table):  # noqa: F811
    """Cut between two lines it is as good JSON as before."""
    from test_export_folder import write_export
    records = [[{"Item": {"pk": {"S": name}, "sk": {"N": "1"}}}] for name in "ab"]
    export = write_export(program.folder, records, itemCount=2)
    manifest = (export / "manifest-files.json").read_text()
    (export / "manifest-files.json").write_text(manifest.splitlines(keepends=True)[0])
    assert program.refused("import", table, ".")[0].endswith(
        "manifest-files.json names files with 1 items, manifest-summary.json says 2")
    (export / "manifest-files.json").write_text(manifest)
    assert program.done("import", table, ".").startswith("2 items")


def test_json_that_seems_whole(program, table):  # noqa: F811
    """Objects one after another, cut in the middle of one."""
    program.write("items", json.dumps([{"pk": "a", "sk": 1}, {"pk": "b", "sk": 1}])[:-1])
    assert "the file ends too early" in program.refused("import", table, "items")[0]
