"""Tests of a project whose server runs already, on the port named by --dynamodb-port."""


def test_items(running, make_table):
    assert [table.name for table in running.tables.all()] == ["kept"]
    table = make_table(running, "songs")
    song = {"artist": "Nina Simone", "title": "Sinnerman"}
    table.put_item(Item=song)
    assert table.scan()["Items"] == [song]


def test_only_the_tables_of_tests_are_removed(running):
    assert [table.name for table in running.tables.all()] == ["kept"]
