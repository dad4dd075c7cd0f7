"""Errors to the letter, and their order (conformance/observed/partiql.md)."""

import pytest

from rows import ROWS
from statements import refused, run


@pytest.mark.parametrize("statement, message", ROWS, ids=range(len(ROWS)))
def test_rows(raw, things, statement, message):
    assert refused(raw, statement) == ("ValidationException", message)


def test_other_errors(raw, things):
    assert refused(raw, "INSERT INTO PqThings VALUE {'pk': 'a', 'sk': '1'}") == (
        "DuplicateItemException", "Duplicate primary key exists in table")
    for statement in ("UPDATE PqThings SET n = 1 WHERE pk = 'zz' AND sk = '1'",
                      "DELETE FROM PqThings WHERE pk = 'a' AND sk = '1' AND n = 99"):
        assert refused(raw, statement) == ("ConditionalCheckFailedException", "The conditional request failed")
    for statement in ("SELECT * FROM PqNone", "SELECT * FROM PqNone.none", "DELETE FROM PqNone WHERE pk = 'a'"):
        assert refused(raw, statement) == ("ResourceNotFoundException", "Requested resource not found")


def test_the_order(raw, things):
    """Constraints, parameters, the text, the table."""
    bad = {"N": "x"}
    limit = ("1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value "
             "greater than or equal to 1")
    assert refused(raw, "nonsense", bad, Limit=0)[1] == limit
    assert refused(raw, "nonsense", bad)[1] == "The parameter cannot be converted to a numeric value: x"
    assert refused(raw, "SELECT * FROM PqNone WHERE", {"S": "x"})[1].endswith("Unexpected term")
    assert refused(raw, "SELECT * FROM PqNone WHERE exists(a)")[1].startswith("Unrecognized function")
    assert refused(raw, "SELECT * FROM PqThings", ConsistentRead=True, NextToken="x")[1] == "Invalid NextToken"


def test_more_parameters_than_asked_for(raw, things):
    assert len(run(raw, "SELECT * FROM PqThings WHERE pk = ?", {"S": "a"}, {"S": "b"})["Items"]) == 3
