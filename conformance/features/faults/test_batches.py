"""Batches that leave parts of themselves for another request."""

import boto3
import pytest

from boto3_fixtures import make_client
from client import Client


def puts(table, count):
    return {table: [{"PutRequest": {"Item": {"pk": {"S": f"{i}"}}}} for i in range(count)]}


def stored(client, table):
    return sorted(item["pk"]["S"] for item in client.scan(TableName=table, ConsistentRead=True)["Items"])


def test_listed_parts_come_back_in_order(server, faults, table):
    faults.add("BatchWriteItem", unprocessed=[0, 3])
    client = make_client(server.endpoint)
    answer = client.batch_write_item(RequestItems=puts(table, 10))
    left = [part["PutRequest"]["Item"]["pk"]["S"] for part in answer["UnprocessedItems"][table]]
    assert left == ["0", "3"]
    assert stored(client, table) == ["1", "2", "4", "5", "6", "7", "8", "9"]


def test_the_last_parts_come_back(server, faults, table):
    client = make_client(server.endpoint)
    client.batch_write_item(RequestItems=puts(table, 4))
    for unprocessed, left in (({"count": 1}, ["3"]), ({"fraction": 0.5}, ["2", "3"]), ({"fraction": 0.1}, ["3"])):
        faults.add("BatchGetItem", unprocessed=unprocessed)
        answer = client.batch_get_item(RequestItems={table: {"Keys": [{"pk": {"S": f"{i}"}} for i in range(4)]}})
        assert [key["pk"]["S"] for key in answer["UnprocessedKeys"][table]["Keys"]] == left
        assert len(answer["Responses"][table]) == 4 - len(left)


def test_a_batch_without_a_part_done_is_throttled(server, faults, table):
    faults.add("batches", unprocessed={"fraction": 1})
    client = make_client(server.endpoint, retries={"total_max_attempts": 1})
    new = {table: [{"PutRequest": {"Item": {"pk": {"S": "new"}}}}]}
    with pytest.raises(client.exceptions.ProvisionedThroughputExceededException):
        client.batch_write_item(RequestItems=new)
    assert "new" not in stored(client, table)
    faults.clear()
    client.batch_write_item(RequestItems=new)
    assert "new" in stored(client, table)
    client.delete_item(TableName=table, Key={"pk": {"S": "new"}})


def test_a_batch_writer_ends_with_all_stored(server, faults, table):
    faults.add("BatchWriteItem", {"times": 3}, unprocessed={"fraction": 0.5})
    client = make_client(server.endpoint)
    resource = boto3.resource("dynamodb", endpoint_url=server.endpoint, region_name="us-east-1",
                              aws_access_key_id="local", aws_secret_access_key="local")
    with resource.Table(table).batch_writer() as writer:
        for i in range(40):
            writer.put_item(Item={"pk": f"{i}"})
    assert len(stored(client, table)) == 40
    assert faults.of()["spent"]


def test_a_part_that_is_left_costs_nothing(server, faults, table):
    faults.add(None, match={"key": {"pk": "1"}}, unprocessed="matching")
    answer = Client(server).ok("BatchWriteItem", RequestItems=puts(table, 2), ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"][0]["CapacityUnits"] == 1
    assert [part["PutRequest"]["Item"]["pk"]["S"] for part in answer["UnprocessedItems"][table]] == ["1"]


def inserts(table, *keys):
    return [{"Statement": f"INSERT INTO \"{table}\" VALUE {{'pk':'{key}'}}"} for key in keys]


def test_statements_of_a_batch_fail_alone(server, faults, new_table):
    table = new_table()
    client = make_client(server.endpoint, retries={"total_max_attempts": 1})
    faults.add("BatchExecuteStatement", {"times": 1}, unprocessed=[1], type="TransactionConflict")
    answer = client.batch_execute_statement(Statements=inserts(table, "a", "b", "c"))["Responses"]
    assert [part.get("Error", {}).get("Code") for part in answer] == [None, "TransactionConflict", None]
    assert stored(client, table) == ["a", "c"]
    faults.add("BatchExecuteStatement", match={"key": {"pk": "user#*"}}, unprocessed="matching")
    answer = client.batch_execute_statement(Statements=inserts(table, "user#1", "d"))["Responses"]
    assert answer[0]["Error"]["Code"] == "ProvisionedThroughputExceeded" and "Error" not in answer[1]
    assert stored(client, table) == ["a", "c", "d"]


def test_other_operations_have_no_parts(faults):
    refused = faults.refused({"match": {"operation": "PutItem"}, "effect": {"unprocessed": [0]}})
    assert "unprocessed is only for BatchGetItem, BatchWriteItem, BatchExecuteStatement" in refused
    assert faults.admin.ok("faults")["rules"] == []
