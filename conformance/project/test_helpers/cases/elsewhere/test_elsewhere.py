"""On a server that runs elsewhere. ../../test_where.py starts it."""

import pytest


@pytest.mark.parametrize("name", ["one", "two"])
def test_database_is_empty(dynamodb, name):
    assert dynamodb.list_tables()["TableNames"] == []
    dynamodb.create_table(TableName="Albums", BillingMode="PAY_PER_REQUEST",
                          AttributeDefinitions=[{"AttributeName": "Title", "AttributeType": "S"}],
                          KeySchema=[{"AttributeName": "Title", "KeyType": "HASH"}])


def test_its_verbs(stator, start_stator):
    stator.clock(advance="1h")
    start_stator().stop()
    with pytest.raises(RuntimeError, match="takes no flags: --gsi-delay 1"):
        start_stator("--gsi-delay", "1")
