"""Typical mistakes, recorded by trying, and what the server says of them when it is asked why
(docs/explain.md)."""

import json
import subprocess
import urllib.request

import pytest

from admin import Admin
from client import Client
from raw_client import Connection, authorization, request
from server_process import STOP_DEADLINE_S, binary, clean_environment, given_endpoint, run_to_end, wait_until

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

INDEX = {
    "IndexName": "by_mail",
    "KeySchema": [{"AttributeName": "mail", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}
DEFINITIONS = [{"AttributeName": name, "AttributeType": of} for name, of in (("pk", "S"), ("sk", "N"), ("mail", "S"))]
SCHEMA = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
KEY_RULE = "a key is all key attributes of the table, and no others, with their types"
KEYS = "The key of table 'orders' is pk (S) and sk (N)"
CHOICES = f"{KEYS}; index by_mail: mail (S)"

# What was sent, the error, and the hints.
MISTAKES = {
    "a key without its sort key": (
        "GetItem", {"TableName": "orders", "Key": {"pk": {"S": "a"}}}, "ValidationException",
        [f"{KEYS}; Key has pk (S)"]),
    "a number sent as a string": (
        "PutItem", {"TableName": "orders", "Item": {"pk": {"S": "a"}, "sk": {"S": "1"}, "n": {"N": "1"}}},
        "ValidationException", [f"{KEYS}; of these Item has pk (S) and sk (S)"]),
    "an item without its key": (
        "PutItem", {"TableName": "orders", "Item": {"id": {"S": "a"}}}, "ValidationException",
        [f"{KEYS}; of these Item has none"]),
    "an index key of another type": (
        "PutItem", {"TableName": "orders", "Item": {"pk": {"S": "a"}, "sk": {"N": "1"}, "mail": {"N": "1"}}},
        "ValidationException", [f"{CHOICES}; of these Item has pk (S) and sk (N) and mail (N)"]),
    "a misspelt table": (
        "GetItem", {"TableName": "ordres", "Key": {"pk": {"S": "a"}}}, "ResourceNotFoundException",
        ["There is no table 'ordres' for Region us-east-1: did you mean orders?"]),
    "a table in other letters": (
        "GetItem", {"TableName": "ORDERS", "Key": {"pk": {"S": "a"}}}, "ResourceNotFoundException",
        ["There is no table 'ORDERS' for Region us-east-1: names tell upper from lower case, did you mean orders?"]),
    "an ARN of another account": (
        "DescribeTable", {"TableName": "arn:aws:dynamodb:us-east-1:123456789012:table/orders"},
        "ResourceNotFoundException",
        ["The ARN in TableName is of account '123456789012', here it is 000000000000: take ARNs from answers instead "
         "of putting them together"]),
    "an ARN of DynamoDB Local": (
        "DescribeTable", {"TableName": "arn:aws:dynamodb:ddblocal:000000000000:table/orders"},
        "ResourceNotFoundException",
        ["The ARN in TableName is of Region 'ddblocal', the request is signed for 'us-east-1': take ARNs from answers "
         "instead of putting them together"]),
    "a table that nobody made": (
        "GetItem", {"TableName": "customers", "Key": {"pk": {"S": "a"}}}, "ResourceNotFoundException",
        ["There is no table 'customers' for Region us-east-1: its tables are: orders"]),
    "a backup of a table that nobody made": (
        "CreateBackup", {"TableName": "order", "BackupName": "nightly"}, "TableNotFoundException",
        ["There is no table 'order' for Region us-east-1: did you mean orders?"]),
    "a restore without recovery": (
        "RestoreTableToPointInTime", {"SourceTableName": "orders", "TargetTableName": "copy",
                                      "UseLatestRestorableTime": True}, "PointInTimeRecoveryUnavailableException",
        ["UpdateContinuousBackups with PointInTimeRecoveryEnabled=true begins the history of 'orders': nothing before "
         "it can be restored or exported"]),
    "an update without its clause": (
        "UpdateItem", {"TableName": "orders", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}},
                       "UpdateExpression": "n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}},
        "ValidationException",
        ["UpdateExpression begins with SET, REMOVE, ADD or DELETE: write SET n = :n"]),
    "a reserved word": (
        "UpdateItem", {"TableName": "orders", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}},
                       "UpdateExpression": "SET status = :s", "ExpressionAttributeValues": {":s": {"S": "x"}}},
        "ValidationException",
        ["Write #status in the expression, and send ExpressionAttributeNames={\"#status\": \"status\"}"]),
    "a query by what is no key": (
        "Query", {"TableName": "orders", "KeyConditionExpression": "mail = :m",
                  "ExpressionAttributeValues": {":m": {"S": "x"}}}, "ValidationException",
        [f"A Query gives the partition key with = and may narrow the sort key. {CHOICES}",
         "This condition fits index by_mail: send IndexName=by_mail"]),
    "a key in the filter": (
        "Query", {"TableName": "orders", "KeyConditionExpression": "pk = :p", "FilterExpression": "sk > :n",
                  "ExpressionAttributeValues": {":p": {"S": "x"}, ":n": {"N": "1"}}}, "ValidationException",
        ["sk is a key of what is queried: say it in KeyConditionExpression instead of FilterExpression"]),
    "a misspelt index": (
        "Query", {"TableName": "orders", "IndexName": "by_email", "KeyConditionExpression": "mail = :m",
                  "ExpressionAttributeValues": {":m": {"S": "x"}}}, "ValidationException",
        [f"{CHOICES}, did you mean by_mail?"]),
    "definitions of what is no key": (
        "CreateTable", {"TableName": "more", "BillingMode": "PAY_PER_REQUEST", "KeySchema": SCHEMA,
                        "AttributeDefinitions": DEFINITIONS}, "ValidationException",
        ["No key of the table or of an index: mail. AttributeDefinitions takes keys alone; other attributes need "
         "no definition"]),
    "a condition that is not met": (
        "DeleteItem", {"TableName": "orders", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}},
                       "ConditionExpression": "attribute_exists(pk)"}, "ConditionalCheckFailedException",
        ["The item, or that there was none, did not meet: attribute_exists(pk)", "There is no item with this key now",
         "ReturnValuesOnConditionCheckFailure=ALL_OLD answers with the item as it was"]),
    "one action of a transaction": (
        "TransactWriteItems", {"TransactItems": [
            {"Put": {"TableName": "orders", "Item": {"pk": {"S": "t"}, "sk": {"N": "1"}}}},
            {"ConditionCheck": {"TableName": "orders", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}},
                                "ConditionExpression": "attribute_exists(pk)"}}]}, "TransactionCanceledException",
        ["Action 2 of 2, ConditionCheck on 'orders': ConditionalCheckFailed, it asked for attribute_exists(pk); "
         "there is no item with this key now"]),
    "a number that is no text": (
        "PutItem", {"TableName": "orders", "Item": {"pk": {"S": "a"}, "sk": {"N": 1}}}, "SerializationException",
        ["Numbers are sent as text: {\"N\": \"5\"}, not {\"N\": 5}"]),
    "an operation that there is not": (
        "GetItems", {"TableName": "orders"}, "UnknownOperationException",
        ["'GetItems' is no operation of DynamoDB, did you mean GetItem?"]),
}


@pytest.fixture
def server(start):
    running = start()
    Client(running).create_table("orders", AttributeDefinitions=DEFINITIONS, KeySchema=SCHEMA,
                                 GlobalSecondaryIndexes=[INDEX])
    return running


def explained(server, answer):
    return Admin(server).ok("requests/" + answer.get("x-amzn-RequestId"))


def hints(server, client, operation, **members):
    return explained(server, client.send(operation, members))["hints"]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda name: name.replace(" ", "_"))
def test_mistakes(server, mistake):
    operation, body, error, expected = MISTAKES[mistake]
    answer = Client(server).send(operation, body)
    assert answer.error()[1] == error
    told = explained(server, answer)
    assert told["error"] == error and told.get("message", "") == (answer.error()[2] or "")
    assert told["hints"] == expected


# What was sent, and the rule that refused it: its words, the attribute, what was expected and what was given.
RULES = {
    "a key without its sort key": (
        "GetItem", {"TableName": "orders", "Key": {"pk": {"S": "a"}}},
        (KEY_RULE, "sk", "pk (S) and sk (N)", "pk (S)")),
    "a key with another attribute": (
        "DeleteItem", {"TableName": "orders", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}, "mail": {"S": "x"}}},
        (KEY_RULE, "mail", "pk (S) and sk (N)", "pk (S) and sk (N) and mail (S)")),
    "a key in a batch": (
        "BatchGetItem", {"RequestItems": {"orders": {"Keys": [{"pk": {"S": "a"}, "sk": {"N": "1"}},
                                                              {"pk": {"S": "a"}, "sk": {"S": "1"}}]}}},
        (KEY_RULE, "sk", "pk (S) and sk (N)", "pk (S) and sk (S)")),
    "an item without its sort key": (
        "PutItem", {"TableName": "orders", "Item": {"pk": {"S": "a"}, "text": {"S": "x" * 9000}}},
        ("an item has all key attributes of its table", "sk", "N", "nothing")),
    "an index key of another type": (
        "UpdateItem", {"TableName": "orders", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}},
                       "UpdateExpression": "SET mail = :m", "ExpressionAttributeValues": {":m": {"N": "1"}}},
        ("an attribute that is a key of an index has the type of its definition", "mail", "S", "N")),
    "an expression that ends too early": (
        "UpdateItem", {"TableName": "orders", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}, "UpdateExpression": "SET"},
        ("an expression keeps to the grammar", "UpdateExpression", "other words at this place", "<EOF>, near SET")),
    "a value that nothing uses": (
        "PutItem", {"TableName": "orders", "Item": {"pk": {"S": "a"}, "sk": {"N": "1"}},
                    "ConditionExpression": "attribute_not_exists(pk)", "ExpressionAttributeValues": {":v": {"S": "x"}}},
        ("each placeholder is used by an expression", "ExpressionAttributeValues", "placeholders of the expressions",
         "{:v} beside them")),
    "a value that is not there": (
        "Scan", {"TableName": "orders", "FilterExpression": "a = :v"},
        ("each : placeholder is in ExpressionAttributeValues", "FilterExpression",
         ":v in ExpressionAttributeValues", "no such value")),
    "an operand of another type": (
        "Scan", {"TableName": "orders", "FilterExpression": "begins_with(a, :v)",
                 "ExpressionAttributeValues": {":v": {"N": "1"}}},
        ("an operator takes operands of its types", "FilterExpression", "S or B", "N for begins_with")),
    "an item that is too large": (
        "PutItem", {"TableName": "orders", "Item": {"pk": {"S": "a"}, "sk": {"N": "1"}, "text": {"S": "x" * 409600}}},
        ("an item is not too large, its names counted", "Item", "at most 409600 bytes",
         "more, in a body of 409688 bytes")),
    "a batch that is too large": (
        "BatchGetItem", {"RequestItems": {"orders": {"Keys": [{"pk": {"S": "a"}, "sk": {"N": str(n)}}
                                                              for n in range(101)]}}},
        ("members of the request keep to the API's description", "RequestItems.orders.member.Keys",
         "Member must have length less than or equal to 100", None)),
    "a page of no items": (
        "Scan", {"TableName": "orders", "Limit": 0},
        ("members of the request keep to the API's description", "limit",
         "Member must have value greater than or equal to 1", "0")),
    "an index that there is not": (
        "Scan", {"TableName": "orders", "IndexName": "by_email"},
        ("the index is one of the table's", "IndexName", "by_mail", "by_email")),
    "a table that there is not": (
        "Scan", {"TableName": "nothing"},
        ("what is named is there", "TableName", "a table of this name, account and Region", "nothing")),
    "a condition that is not met": (
        "DeleteItem", {"TableName": "orders", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}},
                       "ConditionExpression": "attribute_exists(pk)"},
        ("the item meets the condition", "ConditionExpression", "attribute_exists(pk)",
         "an item that does not meet it, or none")),
    "a transaction with a wrong value": (
        "TransactWriteItems", {"TransactItems": [
            {"Put": {"TableName": "orders", "Item": {"pk": {"S": "t"}, "sk": {"N": "1"}}}},
            {"Put": {"TableName": "orders", "Item": {"pk": {"S": "t"}, "sk": {"N": "2"}, "mail": {"N": "1"}}}}]},
        ("each action of a transaction can be done", "TransactItems[1]", None, "ValidationError")),
}


@pytest.mark.parametrize("mistake", RULES, ids=lambda name: name.replace(" ", "_"))
def test_rules(server, mistake):
    operation, body, expected = RULES[mistake]
    answer = Client(server).send(operation, body)
    assert answer.status == 400
    refused = explained(server, answer)["refused"]
    assert tuple(refused.get(name) for name in ("rule", "attribute", "expected", "given")) == expected


def test_what_is_not_kept_whole(server):
    """Bodies and answers that are longer than what is kept of them."""
    client = Client(server)
    long = {"text": {"S": "x" * 9000}}
    assert hints(server, client, "PutItem", TableName="orders", Item={"pk": {"S": "a"}, "sk": {"S": "1"}} | long) == [
        f"{KEYS}; of these Item has pk (S) and sk (S)"]
    # What may stand behind the beginning is not said to be missing.
    assert hints(server, client, "PutItem", TableName="orders", Item=long) == [KEYS]
    check = {"ConditionExpression": "attribute_exists(pk)"}
    actions = [{"ConditionCheck": {"TableName": "orders", "Key": {"pk": {"S": f"{n}"}, "sk": {"N": "1"}}} | check}
               for n in range(100)]
    client.ok("BatchWriteItem", RequestItems={"orders": [
        {"PutRequest": {"Item": {"pk": {"S": f"{n}"}, "sk": {"N": "1"}}}} for n in range(25)]})
    for first in range(25, 97, 24):
        client.ok("BatchWriteItem", RequestItems={"orders": [
            {"PutRequest": {"Item": {"pk": {"S": f"{n}"}, "sk": {"N": "1"}}}} for n in range(first, first + 24)]})
    told = explained(server, client.send("TransactWriteItems", {"TransactItems": actions}))
    assert told["message"].count("None") == 97
    assert told["hints"] == [f"Action {n} of 100: ConditionalCheckFailed" for n in (98, 99, 100)]
    assert told["refused"]["attribute"] == "TransactItems[97]"


def test_the_reason_of_an_action(server):
    """A cancelled transaction says of each action what a request of its own would have been told."""
    told = hints(server, Client(server), "TransactWriteItems", TransactItems=[
        {"Put": {"TableName": "orders", "Item": {"pk": {"S": "t"}, "sk": {"N": "1"}}}},
        {"Put": {"TableName": "orders", "Item": {"pk": {"S": "t"}, "sk": {"N": "2"}, "mail": {"N": "1"}}}}])
    assert told == ["Action 2 of 2, Put on 'orders': ValidationError, One or more parameter values were invalid: Type "
                    "mismatch for Index Key mail Expected: S Actual: N IndexName: by_mail"]


SHARED = ("With --isolate none, DynamoDB Local's -sharedDb, all would see the same tables; the cloud keeps Regions and "
          "accounts apart")


def test_a_restore_outside_of_the_window(server):
    client = Client(server)
    client.ok("UpdateContinuousBackups", TableName="orders",
              PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    restore = {"SourceTableName": "orders", "TargetTableName": "copy"}
    found = hints(server, client, "RestoreTableToPointInTime", **restore, RestoreDateTime=1000)
    assert len(found) == 1 and found[0].startswith("Recovery was enabled at 20")
    found = hints(server, client, "RestoreTableToPointInTime", **restore, RestoreDateTime=1790000000000)
    assert found == ["RestoreDateTime is in seconds; this one looks like milliseconds"]


def test_another_region(server):
    client = Client(server, region="eu-west-1")
    assert hints(server, client, "DescribeTable", TableName="orders") == [
        "There is a table 'orders' for Region us-east-1; this request was signed for Region eu-west-1", SHARED]


def test_another_access_key(start):
    server = start("--isolate", "key")
    Client(server, key="one").create_table("orders")
    told = hints(server, Client(server, key="two"), "GetItem", TableName="orders", Key={"pk": {"S": "a"}})
    assert told == ["There is a table 'orders' for access key and Region one/us-east-1; this request was signed for "
                    "access key and Region two/us-east-1", SHARED]


@pytest.mark.parametrize("region", ["local", "localhost", "ddblocal", "dummy", "fakeRegion", "us-east", "eu"])
def test_a_region_of_emulators(server, region):
    told = hints(server, Client(server, region=region), "CreateTable", TableName="things",
                 BillingMode="PAY_PER_REQUEST", AttributeDefinitions=DEFINITIONS[:1], KeySchema=SCHEMA[:1])
    assert told == [f"'{region}' is no Region of AWS, a habit of emulators: tables made for it are seen by no other "
                    "Region here, and the cloud has none"]


def test_no_signature(server):
    with Connection(server) as connection:
        answer = connection.exchange(request("ListTables", {}, {"Authorization": None}))
    assert answer.status == 400
    (hint,) = explained(server, answer)["hints"]
    assert "AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_REGION=us-east-1" in hint


def test_statements_that_failed_in_a_batch(server):
    """The batch succeeds, whatever became of its statements."""
    client = Client(server)
    insert = {"Statement": "INSERT INTO orders VALUE {'pk': 'a', 'sk': 1}"}
    answer = client.send("BatchExecuteStatement", {"Statements": [
        insert, {"Statement": "INSERT INTO orders VALUE {'pk': 'b'}"}, {"Statement": "INSERT INTO"}]})
    assert answer.status == 200
    (hint,) = explained(server, answer)["hints"]
    assert hint.startswith("The status is 200, but 2 of the statements failed, each has its Error in Responses. "
                           "Statement 2: ValidationError: ")
    assert answer.json()["Responses"][1]["Error"]["Message"] in hint
    assert hints(server, client, "BatchExecuteStatement", Statements=[insert]) == [
        "The status is 200, but 1 of the statements failed, each has its Error in Responses. Statement 1: "
        "DuplicateItem: Duplicate primary key exists in table"]
    read = {"Statement": "SELECT * FROM orders WHERE pk = 'a' AND sk = 1"}
    assert hints(server, client, "BatchExecuteStatement", Statements=[read]) == []
    (hint,) = hints(server, client, "BatchExecuteStatement", Statements=[read, {
        "Statement": "SELECT * FROM nothing WHERE pk = 'a'"}])
    assert "Statement 2: ResourceNotFound: " in hint


def test_what_a_batch_left(start):
    """What was throttled of a batch, whose answer is no error as long as a part of it was done."""
    server = start("--clock", "2027-01-01T00:00:00Z", "--capacity", "burst-seconds=1", "--throttling", "enforce")
    client = Client(server)
    client.create_table("orders", ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
    puts = [{"PutRequest": {"Item": {"pk": {"S": f"{n}"}}}} for n in range(10)]
    answer = client.send("BatchWriteItem", {"RequestItems": {"orders": puts}})
    left = len(answer.json()["UnprocessedItems"]["orders"])
    assert answer.status == 200 and 0 < left < 10
    told = explained(server, answer)
    assert told["throttled"] == "TableWriteProvisionedThroughputExceeded" and "would_be_throttled" not in told
    assert told["hints"] == [
        f"The status is 200, but {left} of its writes were not made: {left} throttled "
        "(TableWriteProvisionedThroughputExceeded). Send what stands in UnprocessedItems again, after pauses that grow"]
    Admin(server).move(advance="10s")
    keys = [{"pk": {"S": f"{n}"}} for n in range(10)]
    answer = client.send("BatchGetItem", {"RequestItems": {"orders": {"Keys": keys, "ConsistentRead": True}}})
    left = len(answer.json()["UnprocessedKeys"]["orders"]["Keys"])
    assert 0 < left < 10
    assert explained(server, answer)["hints"] == [
        f"The status is 200, but {left} of its keys were not read: {left} throttled "
        "(TableReadProvisionedThroughputExceeded). Send what stands in UnprocessedKeys again, after pauses that grow"]
    Admin(server).move(advance="10s")
    keys = ", ".join(f"'{n}'" for n in range(10))
    answer = client.send("ExecuteStatement", {"Statement": f"SELECT * FROM orders WHERE pk IN [{keys}] AND t IS MISSING",
                                              "ConsistentRead": True})
    told = explained(server, answer)
    assert "NextToken" in answer.json()
    assert 0 < told["read"]["pages"] < 10 and told["read"]["ended_by"] == "throttling"
    assert told["throttled"] == "TableReadProvisionedThroughputExceeded" and told["hints"] == []


def test_keys_for_which_the_answer_had_no_room(server):
    client = Client(server)
    for n in range(5):
        client.ok("PutItem", TableName="orders", Item={"pk": {"S": "p"}, "sk": {"N": f"{n}"}, "t": {"S": "x" * 390_000}})
    keys = [{"pk": {"S": "p"}, "sk": {"N": f"{n}"}} for n in range(5)]
    # The item that crosses 1 MB of its partition is in the answer.
    answer = client.send("BatchGetItem", {"RequestItems": {"orders": {"Keys": keys}}})
    assert len(answer.json()["UnprocessedKeys"]["orders"]["Keys"]) == 2
    assert explained(server, answer)["hints"] == [
        "The status is 200, but 2 of its keys were not read: 2 because the answer was full. Send what stands in "
        "UnprocessedKeys again, after pauses that grow"]


def test_writes_that_a_transaction_was_in_the_way_of(start):
    server = start("--clock", "manual", "--transaction-time", "60")
    client = Client(server)
    client.create_table("orders")
    put = {"PutRequest": {"Item": {"pk": {"S": "a"}}}}
    other = {"PutRequest": {"Item": {"pk": {"S": "b"}}}}
    with Connection(server) as connection:
        connection.send(request("TransactWriteItems", {"TransactItems": [
            {"Put": {"TableName": "orders", "Item": {"pk": {"S": "a"}}}}]},
            {"Authorization": authorization("us-east-1", "key")}))
        wait_until(lambda: client.send("BatchWriteItem", {"RequestItems": {"orders": [put, other]}})
                   .json()["UnprocessedItems"])
        answer = client.send("BatchWriteItem", {"RequestItems": {"orders": [put, other]}})
        assert explained(server, answer)["hints"] == [
            "The status is 200, but 1 of its writes were not made: 1 because transactions were writing the items. Send "
            "what stands in UnprocessedItems again, after pauses that grow"]


def test_reads(server):
    """Plan and cost of reads: a Scan where a Query would do, and what a filter does not save."""
    client = Client(server)
    for n in range(120):
        client.ok("PutItem", TableName="orders", Item={"pk": {"S": f"p{n % 60}"}, "sk": {"N": str(n)},
                                                       "mail": {"S": f"m{n}"}})
    values = {":p": {"S": "p1"}}
    scan = client.send("Scan", {"TableName": "orders", "FilterExpression": "#p = :p",
                                "ExpressionAttributeNames": {"#p": "pk"}, "ExpressionAttributeValues": values})
    told = explained(server, scan)
    bytes_read = told["read"].pop("bytes")
    assert 120 * 10 < bytes_read < 120 * 40
    assert told["read"] == {"way": "Scan", "pages": 1, "items_looked_at": 120, "items_matched": 2,
                            "ended_by": "all was read"}
    assert told["hints"] == [
        "The filter gives the partition key of the table, pk (S): a Query with it as KeyConditionExpression reads "
        "only these items",
        "120 items were read and paid for, and 2 passed the filter: a filter saves no units"]
    scan = client.send("Scan", {"TableName": "orders", "FilterExpression": "mail = :p", "Limit": 10,
                                "ExpressionAttributeValues": values})
    told = explained(server, scan)
    assert (told["read"]["pages"], told["read"]["ended_by"]) == (1, "Limit")
    assert told["read"]["bytes"] == pytest.approx(bytes_read / 12, rel=0.2)
    assert told["hints"] == [
        "The filter gives the partition key of the index by_mail, mail (S): a Query with it as "
        "KeyConditionExpression reads only these items",
        "Limit counts items before the filter: 10 were looked at and none passed, go on with what LastEvaluatedKey or "
        "NextToken says"]
    query = client.send("Query", {"TableName": "orders", "IndexName": "by_mail",
                                  "KeyConditionExpression": "mail = :p", "ExpressionAttributeValues":
                                  {":p": {"S": "m7"}}})
    told = explained(server, query)
    assert 10 < told["read"].pop("bytes") < 40
    assert told["read"] == {"way": "Query", "index": "by_mail", "pages": 1, "items_looked_at": 1, "items_matched": 1,
                            "ended_by": "all was read"}
    assert told["hints"] == [] and told["units"] == 0.5
    statement = client.send("ExecuteStatement", {"Statement": "SELECT * FROM orders WHERE sk = 1"})
    told = explained(server, statement)
    assert told["read"]["way"] == "Scan"
    assert told["hints"][0].startswith("The statement names no partition key")
    # Each key of IN is a page; the third is not read any more.
    statement = client.send("ExecuteStatement", {"Statement": "SELECT * FROM orders WHERE pk IN ['p1', 'p2', 'p3']",
                                                 "Limit": 4})
    read = explained(server, statement)["read"]
    assert (read["pages"], read["items_looked_at"], read["ended_by"]) == (2, 4, "Limit")
    for n in range(3):
        client.ok("PutItem", TableName="orders", Item={"pk": {"S": "l"}, "sk": {"N": f"{n}"}, "t": {"S": "x" * 390_000}})
    large = client.send("Query", {"TableName": "orders", "KeyConditionExpression": "pk = :l",
                                  "ExpressionAttributeValues": {":l": {"S": "l"}}})
    read = explained(server, large)["read"]
    assert (read["pages"], read["items_looked_at"], read["ended_by"]) == (1, 3, "1 MB") and read["bytes"] > 1024 * 1024


def test_what_the_cloud_would_have_throttled(start):
    server = start("--clock", "2027-01-01T00:00:00Z", "--capacity", "burst-seconds=1")
    client = Client(server)
    client.create_table("orders", ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
    item = {"pk": {"S": "a"}, "text": {"S": "x" * 3000}}
    answers = [client.send("PutItem", {"TableName": "orders", "Item": item}) for _ in range(3)]
    assert [answer.status for answer in answers] == [200] * 3
    told = explained(server, answers[-1])
    assert told["would_be_throttled"] == "TableWriteProvisionedThroughputExceeded"
    assert told["hints"] == [
        "It was served, but the cloud would have throttled it: TableWriteProvisionedThroughputExceeded. --throttling "
        "enforce does, 'stator capacity' tells of the table"]


def test_a_read_of_the_past(start):
    server = start("--eventual-read-lag", "60", "--clock", "2027-01-01T00:00:00Z")
    client = Client(server)
    client.create_table("orders")
    Admin(server).move(advance="2m")
    client.ok("PutItem", TableName="orders", Item={"pk": {"S": "a"}})
    key = {"TableName": "orders", "Key": {"pk": {"S": "a"}}}
    (hint,) = explained(server, client.send("GetItem", key))["hints"]
    assert hint.startswith("Nothing was found by an eventually consistent read")
    assert hints(server, client, "GetItem", **key, ConsistentRead=True) == []


def test_the_header(server):
    """Who asks with x-stator-explain is told at once, in ASCII; others get no such header."""
    body = {"TableName": "orders", "Key": {"ключ": {"S": "\U0001f600"}}}
    with Connection(server) as connection:
        plain = connection.exchange(request("GetItem", body, {"Authorization": authorization("us-east-1", "key")}))
        asked = connection.exchange(request("GetItem", body, {"Authorization": authorization("us-east-1", "key"),
                                                              "x-stator-explain": "1"}))
    assert plain.get("x-stator-explain") is None
    text = asked.get("x-stator-explain")
    assert text.isascii() and (asked.status, asked.body) == (plain.status, plain.body)
    told = json.loads(text)
    assert told["hints"] == [f"{KEYS}; Key has ключ (S)"]
    assert told["units"] == 0 and told["took_us"] >= 0


def test_hostile_bodies(server):
    """Whatever was sent can be explained, and the server stays."""
    client = Client(server)
    bodies = [b"", b"[]", b'"x"', b"{", b'{"TransactItems":"x"}', b'{"TransactItems":[1,{"Put":1},{}]}',
              b'{"TableName":"orders","Key":"x","Item":"y"}', b'{"TableName":"orders","Key":{"a":"b"}}',
              b'{"TableName":{"a":1},"AttributeDefinitions":[1,{"AttributeName":1}],"KeySchema":"x"}',
              b'{"TableName":"orders","FilterExpression":1,"ExpressionAttributeNames":"x"}',
              b'{"TableName":"orders","KeyConditionExpression":"a = :b","ExpressionAttributeNames":"xxxxxxxxxxxxxxxxx"}',
              b'{"TableName":"\xff\xfe","IndexName":1}', b'{"a":' * 200 + b"1" + b"}" * 200,
              b'{"TableName":"orders","ConditionExpression":7}' + b" " * 5000]
    for operation in ("GetItem", "PutItem", "Query", "Scan", "CreateTable", "TransactWriteItems", "DeleteItem",
                      "ExecuteStatement", "N\x7fone"):
        for body in bodies:
            with Connection(server) as connection:
                connection.exchange(request(operation, body, {
                    "Authorization": authorization("us-east-1", "key"), "x-stator-explain": "1"}))
    assert sum(one.get("count", 1) for one in Admin(server).ok("requests")["requests"]) > 100
    assert client.ok("ListTables")["TableNames"] == ["orders"]


def test_the_command(server):
    client = Client(server)
    client.ok("ListTables")
    failed = client.send("GetItem", {"TableName": "nothing", "Key": {"pk": {"S": "a"}}}).get("x-amzn-RequestId")
    told = run_to_end("explain", "--endpoint", server.endpoint).stdout
    assert told.splitlines()[-1] == f"  id {failed}" and "ListTables" not in told
    assert "ListTables" in run_to_end("explain", "--all", "--endpoint", server.endpoint).stdout
    one = run_to_end("explain", failed, "--endpoint", server.endpoint).stdout
    assert '\n  request {"TableName": "nothing", "Key": {"pk": {"S": "a"}}}\n' in one
    refused = client.send("PutItem", {"TableName": "orders", "Item": {"pk": {"S": "a"}, "sk": {"N": "1"},
                                                                      "mail": {"N": "1"}}}).get("x-amzn-RequestId")
    # As docs/explain.md shows it.
    assert ("\n  refused, an attribute that is a key of an index has the type of its definition: attribute mail, expected S, "
            "given N\n") in run_to_end("explain", refused, "--endpoint", server.endpoint).stdout
    none = run_to_end("explain", "NONE", "--endpoint", server.endpoint)
    assert none.returncode == 1 and none.stderr.endswith("the server does not remember a request of this id, or not any more\n")
    assert run_to_end("explain", "../clock", "--endpoint", server.endpoint).returncode == 2


def test_requests_of_one_access_key(start):
    """A test that has an access key of its own finds its own failures among those of others."""
    server = start()
    for key, table in (("one", "first"), ("two", "other"), ("one", "second")):
        Client(server, key=key).error("DescribeTable", TableName=table)
    with urllib.request.urlopen(f"{server.endpoint}/_stator/requests?access_key=one") as answer:
        told = json.load(answer)["requests"]
    assert [request["table"] for request in told] == ["second", "first"]
    with urllib.request.urlopen(f"{server.endpoint}/_stator/requests?x=1&access_key=none") as answer:
        assert json.load(answer)["requests"] == []
    with urllib.request.urlopen(f"{server.endpoint}/_stator/requests") as answer:
        assert len(json.load(answer)["requests"]) == 3


def listed(server, query=""):
    with urllib.request.urlopen(f"{server.endpoint}/_stator/requests{query}") as answer:
        return json.load(answer)


def operations(server, query=""):
    return [one["operation"] for one in listed(server, query)["requests"]]


def test_tools_of_its_own_are_not_recorded(start, tmp_path):
    """Neither explanations nor the throughput lines of the log have the requests of import, export and copy; they are
    charged as others are."""
    server = start("--clock", "2027-01-01T00:00:00Z", "--capacity", "burst-seconds=1")
    client = Client(server)
    client.create_table("orders", ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
    before = listed(server)
    file = tmp_path / "items.json"
    file.write_text("\n".join(json.dumps({"pk": f"{n}"}) for n in range(50)))
    for command in (("import", "orders", file), ("export", "orders", tmp_path / "out.json")):
        assert run_to_end(*command, "--endpoint", server.endpoint).returncode == 0
    assert run_to_end("copy", "--from", server.endpoint, "--to", server.endpoint, "orders:others",
                      "--state", tmp_path / "state.json").returncode == 0
    # Its failures too.
    assert run_to_end("import", "nothing", file, "--endpoint", server.endpoint).returncode != 0
    assert listed(server) == before
    Admin(server).move(advance="10m")
    assert "orders" not in server.log() and "others" not in server.log()
    # An answer's own explanation is not a record.
    with Connection(server) as connection:
        answer = connection.exchange(request("ListTables", {}, {
            "Authorization": authorization("us-east-1", "key"), "User-Agent": "stator-seed", "x-stator-explain": "1"}))
    assert answer.status == 200 and answer.get("x-stator-explain") and listed(server) == before
    # The log reports the same of another client.
    for n in range(20):
        client.ok("PutItem", TableName="orders", Item={"pk": {"S": f"{n}"}})
    Admin(server).move(advance="10m")
    wait_until(lambda: "orders" in server.log())


def test_seeds_are_not_recorded(start, tmp_path):
    (tmp_path / "orders.table.json").write_text(json.dumps({
        "TableName": "orders", "BillingMode": "PAY_PER_REQUEST", "KeySchema": SCHEMA[:1],
        "AttributeDefinitions": DEFINITIONS[:1]}))
    (tmp_path / "orders.json").write_text('{"pk": "a"}\n')
    server = start("--seed", tmp_path)
    assert listed(server)["requests"] == []
    assert Client(server).ok("Scan", TableName="orders")["Count"] == 1


def test_rings_of_their_own(start):
    """Failures, hints and other successes push each other out no more."""
    server = start("--explain", "3")
    client = Client(server)
    client.create_table("orders")
    client.error("GetItem", TableName="nothing", Key={"pk": {"S": "a"}})
    item = {"pk": {"S": "a"}}
    for _ in range(10):
        client.ok("PutItem", TableName="orders", Item=item)
    client.ok("ExecuteStatement", Statement="SELECT * FROM orders")
    for _ in range(10):
        client.ok("GetItem", TableName="orders", Key=item)
    for n in range(3):
        client.error("Query", TableName=f"nothing{n}", KeyConditionExpression="pk = :p")
    assert operations(server, "?show=failures") == ["Query"] * 3
    assert operations(server, "?show=hints") == ["Query"] * 3 + ["ExecuteStatement"]
    assert operations(server)[3:7] == ["GetItem"] * 3 + ["ExecuteStatement"]


def test_equal_neighbours(server):
    client = Client(server)
    wrong = {"TableName": "nothing", "Key": {"pk": {"S": "a"}}}
    sent = [client.send("GetItem", wrong).get("x-amzn-RequestId") for _ in range(12)]
    client.error("DescribeTable", TableName="nothing")
    client.ok("PutItem", TableName="orders", Item={"pk": {"S": "a"}, "sk": {"N": "1"}})
    client.error("GetItem", **wrong)
    told = listed(server, "?show=failures")["requests"]
    assert [(one["operation"], one.get("count")) for one in told] == [
        ("GetItem", None), ("DescribeTable", None), ("GetItem", 12)]
    assert told[2]["request_id"] == sent[-1]
    assert Admin(server).ok("requests/" + sent[0])["error"] == "ResourceNotFoundException"
    text = run_to_end("explain", "--endpoint", server.endpoint).stdout
    assert "ResourceNotFoundException: Requested resource not found ×12\n" in text
    assert len(operations(server, "?show=failures&last=2")) == 2


def test_a_wrong_query(server):
    for query in ("last=0", "after=x", "show=some"):
        answer = Admin(server).send("requests?" + query)
        assert answer.status == 400 and answer.json()["error"].startswith(query.split("=")[0] + " is ")


def explain(server, *flags):
    return run_to_end("explain", *flags, "--endpoint", server.endpoint)


def test_what_the_command_shows(server):
    client = Client(server)
    assert explain(server).stdout == "no requests that failed, --all shows the others too\n"
    for n in range(25):
        client.error("DescribeTable", TableName=f"nothing{n}")
    client.ok("ExecuteStatement", Statement="SELECT * FROM orders")
    shown = explain(server).stdout
    assert [f" nothing{n} " in shown for n in range(25)] == [False] * 5 + [True] * 20
    assert "The statement names no" not in shown and "The statement names no" in explain(server, "--hints").stdout
    assert explain(server, "--last", "1").stdout.count("\n  id ") == 1
    assert explain(server, "--table", "nothing3").stdout.count("\n  id ") == 1
    assert explain(server, "--all").stdout.count("\n  id ") == 27
    lines = [json.loads(line) for line in explain(server, "--json", "--last", "2").stdout.splitlines()]
    assert [line["table"] for line in lines] == ["nothing23", "nothing24"]
    one = json.loads(explain(server, "--json", lines[0]["request_id"]).stdout)
    assert one["table"] == "nothing23" and one["request"]
    for flags in (("--last", "0"), ("--table", "a b"), (lines[0]["request_id"], "--follow")):
        assert explain(server, *flags).returncode == 2


@pytest.mark.parametrize("end", ["pipe", "signal"])
def test_follow(server, end):
    """It goes on until its reader is gone or a signal ends it."""
    client = Client(server)
    client.error("DescribeTable", TableName="first")
    command = [binary(), "explain", "--follow", "--json", "--endpoint", server.endpoint]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=clean_environment()) as process:
        assert json.loads(process.stdout.readline())["table"] == "first"
        for n in range(3):
            client.error("DescribeTable", TableName=f"later{n}")
            assert json.loads(process.stdout.readline())["table"] == f"later{n}"
        process.stdout.close() if end == "pipe" else process.terminate()
        assert process.wait(timeout=STOP_DEADLINE_S) == (0 if end == "pipe" else -15)
