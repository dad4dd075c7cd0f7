"""What statements do, beside the native requests that do the same."""

import os
import random

import pytest

import twins
from statements import refused, run, several


def test_boto3_does_all_of_it(dynamodb, new_table):
    table = new_table("pk:S sk:N")
    execute = dynamodb.execute_statement
    for n in range(5):
        execute(Statement=f'INSERT INTO "{table}" VALUE {{\'pk\': ?, \'sk\': ?, \'l\': [1, {{\'k\': ?}}]}}'.replace(
            "{'k': ?}", "{'k': true}"), Parameters=[{"S": "a"}, {"N": str(n)}])
    found = execute(Statement=f'SELECT sk, l[1].k FROM "{table}" WHERE pk = ? AND sk >= 3', Parameters=[{"S": "a"}])
    assert found["Items"] == [{"sk": {"N": "3"}, "k": {"BOOL": True}}, {"sk": {"N": "4"}, "k": {"BOOL": True}}]
    changed = execute(Statement=f"UPDATE \"{table}\" SET s = set_add(s, <<'x', 'y'>>) REMOVE l "
                      "WHERE pk = 'a' AND sk = 0 RETURNING ALL NEW *")
    assert changed["Items"] == [{"pk": {"S": "a"}, "sk": {"N": "0"}, "s": {"SS": ["x", "y"]}}]
    batch = dynamodb.batch_execute_statement(Statements=[
        {"Statement": f'SELECT sk FROM "{table}" WHERE pk = \'a\' AND sk = {n}'} for n in (1, 9)])
    assert [entry.get("Item") for entry in batch["Responses"]] == [{"sk": {"N": "1"}}, None]
    dynamodb.execute_transaction(TransactStatements=[
        {"Statement": f"DELETE FROM \"{table}\" WHERE pk = 'a' AND sk = 1"},
        {"Statement": f"EXISTS(SELECT * FROM \"{table}\" WHERE pk = 'a' AND sk = 2 AND attribute_exists(l))"}])
    with pytest.raises(dynamodb.exceptions.DuplicateItemException):
        execute(Statement=f'INSERT INTO "{table}" VALUE {{\'pk\': \'a\', \'sk\': 2}}')
    pages = execute(Statement=f'SELECT * FROM "{table}"', Limit=2)
    rest = execute(Statement=f'SELECT * FROM "{table}"', NextToken=pages["NextToken"])
    assert len(pages["Items"] + rest["Items"]) == 4 and "NextToken" not in rest


def pages(client, statement, limit):
    """All pages' items."""
    items, members = [], {}
    while True:
        page = run(client, statement, Limit=limit, **members)
        assert len(page["Items"]) <= limit
        items += page["Items"]
        if "NextToken" not in page:
            return items
        members = {"NextToken": page["NextToken"]}


@pytest.mark.parametrize("statement", [
    "SELECT t FROM PqThings", "SELECT t FROM PqThings WHERE pk IN ['b', 'a']",
    "SELECT t FROM PqThings WHERE pk IN ['a', 'b'] AND sk > '1' ORDER BY pk DESC, sk DESC",
    "SELECT t FROM PqThings WHERE pk = 'a' AND n <> 2", "SELECT pk, sk FROM PqThings.by_g WHERE g = 'x'"])
@pytest.mark.parametrize("limit", [1, 2, 4])
def test_pages_come_to_the_whole(raw, things, statement, limit):
    assert pages(raw, statement, limit) == run(raw, statement)["Items"]


def test_a_token_survives_a_restart_and_only_that(start, tmp_path):
    from client import Client
    server = start("--db-path", str(tmp_path / "data"))
    client = Client(server)
    client.create_table("Kept")
    for n in range(4):
        run(client, "INSERT INTO Kept VALUE {'pk': ?}", {"S": str(n)})
    whole = run(client, "SELECT * FROM Kept")["Items"]
    token = run(client, "SELECT * FROM Kept", Limit=2)["NextToken"]
    server.stop()
    client = Client(start("--db-path", str(tmp_path / "data")))
    assert run(client, "SELECT * FROM Kept", NextToken=token)["Items"] == whole[2:]
    other = "NextToken does not match request"
    assert refused(client, "SELECT pk FROM Kept", NextToken=token)[1] == other
    for place in (0, 40, len(token) - 2):
        forged = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1:]
        assert refused(client, "SELECT * FROM Kept", NextToken=forged)[1] == "Invalid NextToken"


def test_the_same_as_native_requests(raw, request):
    """Two tables, one by statements, one by requests: the same items, units and refusals all the way."""
    seed = int(os.environ.get("STATOR_DATA_SEED") or random.SystemRandom().randrange(2**32))
    print(f"STATOR_DATA_SEED={seed} repeats it")
    names = ("PqFirst", "PqSecond")
    for name in names:
        raw.create_table(name, "sk", **twins.TABLE)
        raw.wait_active(name)
    dice = twins.Dice(random.Random(seed), *names)
    for number in range(request.config.getoption("--statements")):
        by_statement, by_request, asked = twins.step(raw, dice)
        assert by_statement == by_request, (number, asked)
    assert raw.ok("Scan", TableName="PqFirst") == raw.ok("Scan", TableName="PqSecond")
    written = twins.records(raw, "PqFirst")
    assert written and written == twins.records(raw, "PqSecond")
    for name in names:
        raw.ok("DeleteTable", TableName=name)


def test_units_of_failed_members(raw, things):
    answer = several(raw, "BatchExecuteStatement", "INSERT INTO PqThings VALUE {'pk': 'a', 'sk': '1'}",
                     ReturnConsumedCapacity="TOTAL").json()
    assert answer == {"Responses": [{"Error": {"Code": "DuplicateItem",
                                               "Message": "Duplicate primary key exists in table"},
                                     "TableName": "PqThings"}]}
