"""Export, import, export again: the second is equal to the first, to the byte, whatever a table holds."""

import gzip
import json
import subprocess

import pytest

from data_program import all_items, items_of_every_type, ordered, put_all
from test_export import two_tables  # noqa: F401
from test_ion import zstd

UNPACK = {"none": bytes, "gzip": gzip.decompress, "zstd": lambda data: zstd(data, "-d")}


def nested(kind, levels):
    value = {"N": "1"}
    for _ in range(levels):
        value = {"L": [value]} if kind == "L" else {"M": {"a b": value}}
    return value


def items():
    """Every type, and each limit of the service that values have."""
    number = "9" * 38
    extremes = {
        "list of 32 levels": nested("L", 31), "map of 32 levels": nested("M", 31),
        "38 digits": {"L": [{"N": number}, {"N": "-" + number}, {"N": "0." + number}, {"N": number[:19] + "." + number[:19]}]},
        "magnitudes": {"NS": ["9" * 38 + "0" * 88, "-" + "9" * 38 + "0" * 88, "0." + "0" * 129 + "1"]},
        "empty": {"M": {"s": {"S": ""}, "b": {"B": ""}, "l": {"L": []}, "m": {"M": {}}, "ss": {"SS": [""]}, "bs": {"BS": [""]}}},
        "1,000 strings": {"SS": [f"element {i}" for i in range(1000)]},
        "1,000 numbers": {"NS": [str(i - 500) for i in range(1000)]},
        "1,000 binaries": {"BS": [f"{i:04}" for i in range(1000)]},
        "a large item": {"S": "\u00fc\\\"'\x01\x7f" * 50_000},
        "names": {"M": {name: {"NULL": True} for name in ("null", "$ion_1_0", "$10", "it's", "a\"b", "\x01", "\U0001F600")}},
    }
    return items_of_every_type() + [{"pk": {"S": name}, "sk": {"N": "1"}, "v": value} for name, value in extremes.items()]


@pytest.mark.parametrize("compression", ["none", "gzip", "zstd"])
@pytest.mark.parametrize("format", ["dynamodb-json", "ion", "csv", "scan"])
def test_a_file(program, raw, two_tables, format, compression):  # noqa: F811
    put_all_alone(raw, two_tables[0])
    flags = ["--format", format, "--compression", compression]
    program.done("export", two_tables[0], "first", *flags)
    program.done("import", two_tables[1], "first")
    assert ordered(all_items(raw, two_tables[1])) == ordered(all_items(raw, two_tables[0])) == ordered(items())
    program.done("export", two_tables[1], "second", *flags)
    first, second = ((program.folder / name).read_bytes() for name in ("first", "second"))
    assert first == second
    plain = UNPACK[compression](first)
    assert plain.count(b"\n") >= len(items())
    if compression != "none":
        assert len(first) < len(plain)


@pytest.mark.parametrize("format", ["dynamodb-json", "ion"])
def test_a_folder(program, raw, two_tables, format):  # noqa: F811
    put_all_alone(raw, two_tables[0])
    for table, folder in zip(two_tables, ("first/", "second/")):
        program.done("export", table, folder, "--format", format)
        if folder == "first/":
            program.done("import", two_tables[1], folder)
    assert ordered(all_items(raw, two_tables[1])) == ordered(items())
    assert data_files(program.folder / "first") == data_files(program.folder / "second")


def data_files(folder):
    """The data files' bytes, in the order of the manifest."""
    (export,) = (folder / "AWSDynamoDB").iterdir()
    lines = (export / "manifest-files.json").read_text().splitlines()
    return [(folder / json.loads(line)["dataFileS3Key"]).read_bytes() for line in lines]


def put_all_alone(client, table):
    """In small batches: together the items are longer than a request may be."""
    for item in items():
        put_all(client, table, [item])


def test_zstd_reads_what_export_writes(program, raw, two_tables):  # noqa: F811
    put_all(raw, two_tables[0], items_of_every_type())
    program.done("export", two_tables[0], "items.jsonl.zst")
    subprocess.run(["zstd", "-q", "--test", "items.jsonl.zst"], cwd=program.folder, check=True)
    program.done("export", two_tables[0], "items.jsonl")
    assert zstd((program.folder / "items.jsonl.zst").read_bytes(), "-d") == (program.folder / "items.jsonl").read_bytes()
