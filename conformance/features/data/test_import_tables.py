"""`stator import --key`: a table is made when there is an item for it; numbers of CSV; copies under another name."""

import json

import pytest

from data_program import all_items, put_all
from test_export import two_tables  # noqa: F401


def tables(raw):
    return raw.ok("ListTables")["TableNames"]


@pytest.mark.parametrize("files, key, told", [
    (["missing.jsonl"], "pk:S", "missing.jsonl: No such file or directory"),
    (["good.jsonl", "missing.jsonl"], "pk:S", "missing.jsonl: No such file or directory"),
    (["good.jsonl"], "PK:S", "good.jsonl line 1: the key attribute 'PK' is missing"),
    (["good.jsonl"], "pk:N", "good.jsonl line 1: the key attribute 'pk' is of type S, the table's is N"),
    (["head.csv"], "PK:S", "head.csv line 1: no column has the name of the key attribute 'PK'"),
    (["empty"], "pk:S", "empty is empty"),
])
def test_what_has_no_item_for_it_makes_no_table(program, raw, files, key, told):
    program.write("good.jsonl", '{"pk":"a","sk":1}\n')
    program.write("head.csv", "pk,sk\na,1\n")
    program.write("empty", "")
    lines = program.refused("import", "DataMade", *files, "--key", key)
    assert lines[0].startswith("stator: " + told)
    assert "DataMade" not in tables(raw)


def test_a_table_with_nothing_in_it_goes_again(program, raw):
    """The endpoint alone knows that the item is too large."""
    program.write("items", json.dumps({"pk": "a", "t": "x" * 410_000}) + "\n")
    told = program.refused("import", "DataMade", "items", "--key", "pk:S")
    assert told[-1].endswith("the rest is not; table 'DataMade', which this command made, is removed again")
    assert "DataMade" not in tables(raw)
    program.write("items", '{"pk":"a"}\n')
    program.done("import", "DataMade", "items", "--key", "pk:S")
    raw.ok("DeleteTable", TableName="DataMade")


CSV = ("pk,sk,Total,Price,Zip,Note,Mixed,Empty,Typed:N\n"
       "a,1,100,-1.50,00501,x,1,,1\nb,2,200,0.5,10001,y,z,,2\nc,3,,7,20002,,,,\n")


def test_numbers_that_became_strings(program, raw, two_tables):  # noqa: F811
    program.write("items.csv", CSV)
    result = program.run("import", two_tables[0], "items.csv")
    assert result.returncode == 0 and result.stdout.startswith("3 items")
    assert result.stderr == ("items.csv is read as CSV\n"
                             "columns that look like numbers were imported as strings: Price, Total "
                             "(--types Price:N,Total:N)\n")
    result = program.run("import", two_tables[0], "items.csv", "--types", "Price:N,Total:N")
    assert (result.returncode, result.stderr) == (0, "items.csv is read as CSV\n")
    item = next(item for item in all_items(raw, two_tables[0]) if item["pk"]["S"] == "b")
    assert item == {"pk": {"S": "b"}, "sk": {"N": "2"}, "Total": {"N": "200"}, "Price": {"N": "0.5"},
                    "Zip": {"S": "10001"}, "Note": {"S": "y"}, "Mixed": {"S": "z"}, "Typed": {"N": "2"}}


def test_mistakes_of_types(program, two_tables):  # noqa: F811
    program.write("items.csv", CSV)
    program.write("items.json", '{"pk":"a","sk":1}')
    told = program.refused("import", two_tables[0], "items.csv", "--types", "total:N")
    assert told[0] == "stator: items.csv line 1: no column has the name 'total' of --types"
    told = program.refused("import", two_tables[0], "items.json", "--types", "sk:N")
    assert told[0] == "stator: items.json is JSON; --types is for the columns of CSV"
    result = program.run("import", two_tables[0], "items.csv", "--types", "Total")
    assert result.returncode == 2 and "'Total' is not NAME:TYPE" in result.stderr


def test_a_copy_under_another_name(program, raw, two_tables):  # noqa: F811
    items = [{"pk": {"S": f"p{i}"}, "sk": {"N": "1"}} for i in range(40)]
    put_all(raw, two_tables[0], items)
    raw.ok("UpdateTimeToLive", TableName=two_tables[0],
           TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": True})
    words = ["copy", "--from", program.endpoint, "--to", program.endpoint]
    program.done(*words, "DataOut:DataOutCopy", endpoint=False)
    try:
        assert len(all_items(raw, "DataOutCopy")) == 40
        assert raw.describe("DataOutCopy")["KeySchema"] == raw.describe("DataOut")["KeySchema"]
        ttl = raw.ok("DescribeTimeToLive", TableName="DataOutCopy")["TimeToLiveDescription"]
        assert ttl["AttributeName"] == "ttl"
        told = program.refused(*words, "DataOut:DataOutCopy", endpoint=False)
        assert "it is there already" in told[0]
        program.done(*words, "DataOut:DataBack", "--merge", endpoint=False)
        assert len(all_items(raw, "DataBack")) == 40
    finally:
        raw.ok("DeleteTable", TableName="DataOutCopy")
    for names, word in ((["DataOut"], "already"), (["DataOut:DataOut"], "already"), ([], "already"),
                        (["DataOut:"], "TABLE:COPY"), (["DataOut:Xxx", "DataBack:Xxx"], "two copies")):
        result = program.run(*words, *names, endpoint=False)
        assert result.returncode == 2 and word in result.stderr, result
