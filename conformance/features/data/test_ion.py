"""`stator import` reads Ion as exports to S3 have it, and zstd."""

import gzip
import json
import shutil
import subprocess

import pytest

from data_program import all_items, items_of_every_type, ordered
from test_export import two_tables  # noqa: F401
from test_export_folder import SUMMARY, write_export
from test_import import table  # noqa: F401

KEY = 'pk:"a",sk:1.'
# Each value as Ion, and as DynamoDB JSON; the first of each kind as the service's guide has it.
VALUES = [
    ('"Book 103"', {"S": "Book 103"}), ('""', {"S": ""}), (r'"\x41\u20ac\U0001F600\n\t\"\'\\"', {"S": "A€😀\n\t\"'\\"}),
    ("103.", {"N": "103"}), ("6d2", {"N": "600"}), ("-1.50", {"N": "-1.5"}), ("7", {"N": "7"}),
    ("12345678901234567890123456789012345678.", {"N": "12345678901234567890123456789012345678"}),
    ("1d-130", {"N": "0." + "0" * 129 + "1"}), ("9.9999999999999999999999999999999999999d125",
                                               {"N": "99999999999999999999999999999999999999" + "0" * 88}),
    ("false", {"BOOL": False}), ("null", {"NULL": True}), ("{{AQI=}}", {"B": "AQI="}), ("{{}}", {"B": ""}),
    ('$dynamodb_SS::["A","B"]', {"SS": ["A", "B"]}), ("$dynamodb_NS::[1.,2.5]", {"NS": ["1", "2.5"]}),
    ("$dynamodb_BS::[{{AQ==}},{{Ag==}}]", {"BS": ["AQ==", "Ag=="]}),
    ('["x",1.,[],{}]', {"L": [{"S": "x"}, {"N": "1"}, {"L": []}, {"M": {}}]}),
    ("{'a b':{x:null},'it\\'s':1.}", {"M": {"a b": {"M": {"x": {"NULL": True}}}, "it's": {"N": "1"}}}),
    ("[" * 31 + "true" + "]" * 31, None),
]


def as_ion(value):
    """An attribute value as another writer might write it: with names and annotations in quotes, and with spaces."""
    (kind, content), = value.items()
    if kind in ("SS", "NS", "BS"):
        return f"'$dynamodb_{kind}' :: [" + " , ".join(as_ion({kind[0]: element}) for element in content) + "]"
    if kind == "L":
        return "[ " + ", ".join(map(as_ion, content)) + " ]"
    if kind == "M":
        return as_struct(content)
    if kind == "N":
        digits = content.rstrip("0") if "." not in content and content.strip("0") else content
        return f"{digits}d{len(content) - len(digits)}" if len(digits) < len(content) else content + "d0"
    if kind == "B":
        return "{{ " + content + " }}"
    return {"S": lambda: json.dumps(content), "BOOL": lambda: json.dumps(content), "NULL": lambda: "null"}[kind]()


def as_struct(item):
    return "{ " + ", ".join(f"{json.dumps(name)} : {as_ion(value)}" for name, value in item.items()) + " }"


def ion_lines(items):
    return "".join("$ion_1_0 {Item:" + as_struct(item) + "}\n" for item in items)


def zstd(data, *flags):
    if shutil.which("zstd") is None:
        pytest.skip("zstd is missing (Debian package zstd)")
    return subprocess.run(["zstd", "-q", "-c", *flags], input=data, capture_output=True, check=True).stdout


@pytest.mark.parametrize("ion, value", VALUES, ids=[ion[:20] for ion, _ in VALUES])
def test_a_value(program, raw, table, ion, value):  # noqa: F811
    program.write("items.ion", f"$ion_1_0 {{Item:{{{KEY},v:{ion}}}}}\n")
    assert program.done("import", table, "items.ion").startswith("1 item written")
    (item,) = all_items(raw, table)
    if value is None:
        depth, found = 0, item["v"]
        while "L" in found:
            depth, found = depth + 1, found["L"][0]
        assert (depth, found) == (31, {"BOOL": True})
    else:
        assert item["v"] == value


@pytest.mark.parametrize("value, told", [
    ("1e3", "a float is no number of DynamoDB at byte 33"),
    ("2007-02-23", "this is no number at byte 36"),
    ("symbol", "a value is missing, or its type is none of DynamoDB's at byte 32"),
    ("null.string", "a value is missing, or its type is none of DynamoDB's at byte 32"),
    ('"open', "a quote is never closed at byte 39"),
    ("123456789012345678901234567890123456789.", "Attempting to store more than 38 significant digits in a Number"),
    ("1d126", "Number overflow. Attempting to store a number with magnitude larger than supported range"),
    ("$dynamodb_SS::[]", "One or more parameter values were invalid: An string set  may not be empty"),
    ('$dynamodb_SS::["a","a"]', "contains duplicates"),
    ("[" * 33 + "1." + "]" * 33, "Nesting Levels have exceeded supported limits"),
    ("[" * 200 + "1." + "]" * 200, "it is nested too deep at byte"),
    ("{{A}}", "is no value in DynamoDB JSON"),
])
def test_what_is_no_value(program, raw, table, value, told):  # noqa: F811
    """The line is named, and goes to the file of rejects as it is."""
    line = f"$ion_1_0 {{Item:{{pk:\"b\",sk:1.,v:{value}}}}}"
    program.write("items.ion", f"$ion_1_0 {{Item:{{{KEY}}}}}\n\n{line}\n")
    lines = program.refused("import", table, "items.ion", "--keep-going")
    assert lines[0].startswith("stator: items.ion line 3: ") and told in lines[0], lines
    assert (program.folder / "rejects.txt").read_text() == line + "\n"
    assert [item["pk"]["S"] for item in all_items(raw, table)] == ["a"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd], ids=["plain", "gzip", "zstd"])
def test_every_type(program, raw, table, pack):  # noqa: F811
    items = items_of_every_type()
    program.write("items", pack(("\ufeff" + "$ion_1_0\n" + ion_lines(items)).encode()))
    program.done("import", table, "items")
    assert ordered(all_items(raw, table)) == ordered(items)


@pytest.mark.parametrize("flags", [[], ["-19"], ["--ultra", "-22"], ["--long=27"], ["--no-check"], ["-T2"]])
def test_zstd(program, raw, table, flags):  # noqa: F811
    rows = "".join(f'{{"pk":"p{number}","sk":{number}}}\n' for number in range(2000))
    half = len(rows) // 2
    program.write("items.jsonl.zst", zstd(rows[:half].encode(), *flags) + zstd(rows[half:].encode(), *flags))
    assert program.done("import", table, "items.jsonl.zst").startswith("2,000 items written")


def test_damaged_zstd(program, table):  # noqa: F811
    packed = zstd(b'{"pk":"a","sk":1}\n')
    for data, told in [(packed[:-1], "its zstd data are cut short"),
                       (packed + b"x", "what follows its zstd data is no zstd"),
                       (packed + gzip.compress(b""), "what follows its zstd data is no zstd"),
                       (packed[:-1] + b"\0", "its zstd data are damaged: Restored data doesn't match checksum"),
                       (zstd(b"x" * 1000, "--long=28", "--no-content-size"),
                        "its zstd data are damaged: Frame requires too much memory for decoding")]:
        program.write("items.zst", data)
        assert program.refused("import", table, "items.zst")[0] == f"stator: items.zst: {told}"


@pytest.mark.parametrize("flags, told", [
    (["--format", "csv"], "items line 1: no column has the name of the key attribute 'pk'"),
    (["--format", "json"], "items line 1: it is no JSON, it looks like Amazon Ion"),
    (["--types", "v:N"], "items is Ion; --types is for the columns of CSV"),
])
def test_flags_that_do_not_fit(program, table, flags, told):  # noqa: F811
    program.write("items", f"$ion_1_0 {{Item:{{{KEY}}}}}\n")
    assert program.refused("import", table, "items", *flags)[0].startswith("stator: " + told)


def test_a_full_export(program, raw, two_tables):  # noqa: F811
    items = items_of_every_type()
    write_export(program.folder, [items[:9], [], items[9:]], lines=ion_lines, outputFormat="ION",
                 itemCount=len(items))
    assert program.done("import", two_tables[1], ".").startswith(f"{len(items)} items written")
    assert ordered(all_items(raw, two_tables[1])) == ordered(items)


def test_an_incremental_export(program, raw, two_tables):  # noqa: F811
    def lines(records):
        return "".join("$ion_1_0{Record:" + record + "}\n" for record in records)

    program.write("items.ion", ion_lines([{"pk": {"S": name}, "sk": {"N": "1"}} for name in ("changed", "gone", "stays")]))
    program.done("import", two_tables[1], "items.ion")
    written = "Metadata:{WriteTimestampMicros:1684374845117899.}"
    write_export(program.folder, [[
        f'{{{written},Keys:{{pk:"new",sk:1.}},NewImage:{{pk:"new",sk:1.,v:$dynamodb_SS::["a"]}}}}',
        f'{{Keys:{{pk:"changed",sk:1.}},{written},OldImage:{{pk:"changed",sk:1.}},NewImage:{{pk:"changed",sk:1.,v:2.}}}}',
        f'{{{written},Keys:{{pk:"gone",sk:1.}},OldImage:{{pk:"gone",sk:1.}}}}']],
        data="../data", lines=lines, outputFormat="ION", exportType="INCREMENTAL_EXPORT")
    program.done("import", two_tables[1], ".")
    values = {item["pk"]["S"]: item.get("v") for item in all_items(raw, two_tables[1])}
    assert values == {"new": {"SS": ["a"]}, "changed": {"N": "2"}, "stays": None}


def test_items_in_an_incremental_export(program, two_tables):  # noqa: F811
    items = [{"pk": {"S": "a"}, "sk": {"N": "1"}}]
    export = write_export(program.folder, [items], lines=ion_lines, outputFormat="ION",
                          exportType="INCREMENTAL_EXPORT")
    assert program.refused("import", two_tables[1], ".")[0].endswith(
        "file0.json.gz line 1: it is no record of an incremental export")
    (export / "manifest-summary.json").write_text(json.dumps({**SUMMARY, "outputFormat": "DYNAMODB_JSON"}))
    assert program.refused("import", two_tables[1], ".")[0].endswith(
        "file0.json.gz line 1: it is no JSON, it looks like Amazon Ion")
