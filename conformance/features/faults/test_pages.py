"""Pages that end early, iterators and client tokens, as applications meet them."""

import pytest
from botocore.exceptions import ClientError

from boto3_fixtures import make_client
from client import Client
from raw_client import Connection, request

STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}}


def fill(server, table, count=10):
    client = make_client(server.endpoint, retries={"total_max_attempts": 1})
    for number in range(count):
        client.put_item(TableName=table, Item={"pk": {"S": f"{number}"}, "n": {"N": str(number)}})
    return client


def pages(client, operation, **members):
    """The numbers of items of each page."""
    return [len(page["Items"]) for page in client.get_paginator(operation).paginate(**members)]


def test_pages_end_early_and_a_paginator_finds_all(server, faults, new_table):
    table = new_table()
    client = fill(server, table)
    faults.add("Scan", page={"items": 3})
    assert pages(client, "scan", TableName=table) == [3, 3, 3, 1]
    assert faults.of()["fired"] == 4
    faults.add("Scan", {"every": 2}, page={"items": 1})
    assert pages(client, "scan", TableName=table) == [10]
    assert pages(client, "scan", TableName=table) == [1, 9]


def test_a_page_may_have_no_items_and_not_be_the_last(server, faults, new_table):
    table = new_table()
    client = fill(server, table)
    faults.add("Scan", page={"items": 0})
    found = pages(client, "scan", TableName=table, FilterExpression="n = :n", ExpressionAttributeValues={
        ":n": {"N": "4"}})
    assert sum(found) == 1 and found.count(0) >= 9
    assert client.scan(TableName=table, Select="COUNT")["Count"] == 1


def test_statements_have_such_pages_too(server, faults, new_table):
    table = new_table()
    client = fill(server, table)
    faults.add("ExecuteStatement", page={"items": 2})
    for where, count in (("", 10), (" WHERE pk IN ['1', '2', '3', '4', '5']", 5)):
        found, token = [], {}
        while True:
            page = client.execute_statement(Statement=f'SELECT * FROM "{table}"{where}', **token)
            assert len(page["Items"]) <= 2
            found += [item["pk"]["S"] for item in page["Items"]]
            if "NextToken" not in page:
                break
            token = {"NextToken": page["NextToken"]}
        assert len(found) == len(set(found)) == count


def test_explain_says_why_the_page_ended(server, faults, new_table):
    table = new_table()
    fill(server, table, 3)
    faults.add("Scan", page={"items": 1})
    answer = Client(server).send("Scan", {"TableName": table})
    seen = faults.admin.ok(f"requests/{answer.get('x-amzn-RequestId')}")
    assert seen["read"]["ended_by"] == "a fault on demand" and seen["fault"]["effect"] == "page"


@pytest.mark.parametrize("how,error", [("expired", "ExpiredIteratorException"),
                                       ("trimmed", "TrimmedDataAccessException")])
def test_an_iterator_is_lost(server, faults, new_table, how, error):
    table = new_table(**STREAM)
    arn = make_client(server.endpoint).describe_table(TableName=table)["Table"]["LatestStreamArn"]

    def ask(operation, **body):
        with Connection(server) as connection:
            return connection.exchange(request(None, body, {"X-Amz-Target": f"DynamoDBStreams_20120810.{operation}"}))

    faults.add(None, {"times": 1}, stream=how)
    shard = ask("DescribeStream", StreamArn=arn).json()["StreamDescription"]["Shards"][0]["ShardId"]
    iterator = ask("GetShardIterator", StreamArn=arn, ShardId=shard, ShardIteratorType="LATEST").json()["ShardIterator"]
    assert ask("GetRecords", ShardIterator=iterator).error()[:2] == (400, error)
    assert ask("GetRecords", ShardIterator=iterator).status == 200
    assert faults.of()["firings"][0]["effect"] == f"stream {how}"


def add_one(client, table, token):
    client.transact_write_items(ClientRequestToken=token, TransactItems=[{"Update": {
        "TableName": table, "Key": {"pk": {"S": "a"}}, "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}}}}])
    return client.get_item(TableName=table, Key={"pk": {"S": "a"}})["Item"]["n"]["N"]


def test_a_forgotten_token_applies_a_transaction_again(server, faults, new_table):
    table = new_table()
    client = make_client(server.endpoint, retries={"total_max_attempts": 1})
    assert [add_one(client, table, "one"), add_one(client, table, "one")] == ["1", "1"]
    faults.add(None, {"times": 1}, token="forgotten")
    assert [add_one(client, table, "one"), add_one(client, table, "one")] == ["2", "2"]


def test_a_retry_after_a_lost_answer_whose_token_is_forgotten(server, faults, new_table):
    table = new_table()
    faults.add("TransactWriteItems", {"times": 1}, name="lost", drop="after")
    faults.add("TransactWriteItems", {"attempt": 2}, name="forgotten", token="forgotten")
    client = make_client(server.endpoint, retries={"mode": "standard", "max_attempts": 3})
    assert add_one(client, table, "two") == "2"
    assert (faults.of("lost")["fired"], faults.of("forgotten")["fired"]) == (1, 1)


@pytest.mark.parametrize("how,error", [("running", "TransactionInProgressException"),
                                       ("mismatch", "IdempotentParameterMismatchException")])
def test_tokens_have_errors(server, faults, new_table, how, error):
    table = new_table()
    faults.add(None, {"times": 1}, token=how)
    client = make_client(server.endpoint, retries={"total_max_attempts": 1})
    with pytest.raises(ClientError) as caught:
        add_one(client, table, how)
    assert caught.value.response["Error"]["Code"] == error
    assert add_one(client, table, how) == "1"
