"""How tests use the server of `seeded`: it has flags of its own, and a rollback takes its clock along."""

import boto3
import pytest

NEW_YEAR = "2027-01-01T00:00:00.000Z"


@pytest.fixture(scope="module")
def stator_seed_flags():
    return "--clock", NEW_YEAR


@pytest.fixture(scope="module")
def stator_seed():
    def fill(client):
        client.create_table(TableName="Loans", BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "Title", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "Title", "KeyType": "HASH"}])
        client.update_time_to_live(TableName="Loans", TimeToLiveSpecification={"Enabled": True, "AttributeName": "Due"})
        client.put_item(TableName="Loans", Item={"Title": {"S": "Blue"}, "Due": {"N": "1798765200"}})  # an hour later
    return fill


# Each finds the time and the item as they were filled in.
@pytest.mark.parametrize("time", ["first", "second"])
def test_a_loan_ends(seeded, seeded_stator, time):
    assert seeded_stator.clock()["time"] == NEW_YEAR
    assert seeded.scan(TableName="Loans")["Count"] == 1
    seeded_stator.clock(advance="25h")
    assert seeded.scan(TableName="Loans")["Count"] == 0


def test_settings_of_the_filled_database(seeded_database, seeded_stator):
    assert seeded_database["endpoint_url"] == seeded_stator.endpoint
    assert boto3.client("dynamodb", **seeded_database).list_tables()["TableNames"] == ["Loans"]
