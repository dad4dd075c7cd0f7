"""Table and item life through the AWS CLI. Each call costs most of a second, so the tests below are
steps of one story and run in the order written."""

import json

import pytest

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/cli_music"
KEY = {"artist": {"S": "Björk"}, "song": {"S": "Jóga"}}
ITEM = {**KEY, "year": {"N": "1997"}, "tags": {"SS": ["art", "pop"]}, "blob": {"B": "AAH/"},
        "deep": {"M": {"l": {"L": [{"BOOL": True}, {"NULL": True}]}}}}
VALIDATION_STATUS = 254


def failed(outcome, operation, code, message):
    """The CLI's one line for an error of the service, and its exit status."""
    assert outcome.status == VALIDATION_STATUS
    assert outcome.text == ""
    assert outcome.error == f"An error occurred ({code}) when calling the {operation} operation: {message}"


def test_create_table(aws):
    created = aws(
        "create-table", "--table-name", "cli_music",
        "--attribute-definitions", "AttributeName=artist,AttributeType=S", "AttributeName=song,AttributeType=S",
        "AttributeName=year,AttributeType=N",
        "--key-schema", "AttributeName=artist,KeyType=HASH", "AttributeName=song,KeyType=RANGE",
        "--provisioned-throughput", "ReadCapacityUnits=5,WriteCapacityUnits=6",
        "--global-secondary-indexes",
        "IndexName=by_year,KeySchema=[{AttributeName=year,KeyType=HASH}],Projection={ProjectionType=ALL},"
        "ProvisionedThroughput={ReadCapacityUnits=1,WriteCapacityUnits=1}",
        "--tags", "Key=team,Value=one",
    ).json["TableDescription"]
    assert (created["TableStatus"], created["TableArn"]) == ("CREATING", ARN)
    assert created["GlobalSecondaryIndexes"][0]["IndexArn"] == ARN + "/index/by_year"


def test_wait_and_describe(aws):
    waited = aws("wait table-exists", "--table-name", "cli_music")
    assert (waited.status, waited.text, waited.error) == (0, "", "")
    table = aws("describe-table", "--table-name", "cli_music").json["Table"]
    assert (table["TableStatus"], table["ItemCount"]) == ("ACTIVE", 0)
    assert table["KeySchema"] == [{"AttributeName": "artist", "KeyType": "HASH"},
                                  {"AttributeName": "song", "KeyType": "RANGE"}]


def test_query_option_and_text_output(aws):
    status = aws("describe-table", "--table-name", ARN, "--query", "Table.[TableStatus,TableName]", output="text")
    assert status.text.split() == ["ACTIVE", "cli_music"]


def test_create_again_fails(aws):
    outcome = aws(
        "create-table", "--table-name", "cli_music", "--billing-mode", "PAY_PER_REQUEST",
        "--attribute-definitions", "AttributeName=artist,AttributeType=S",
        "--key-schema", "AttributeName=artist,KeyType=HASH")
    failed(outcome, "CreateTable", "ResourceInUseException", "Table already exists: cli_music")


def test_time_to_live(aws):
    table = ("--table-name", "cli_music")
    assert aws("describe-time-to-live", *table).json == {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    switch = ("update-time-to-live", *table, "--time-to-live-specification", "Enabled=true,AttributeName=expires")
    assert aws(*switch).json == {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}}
    assert aws("describe-time-to-live", *table).json == {
        "TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}}
    failed(aws(*switch), "UpdateTimeToLive", "ValidationException", "TimeToLive is already enabled")


def test_put_item(aws):
    outcome = aws("put-item", "--table-name", "cli_music", "--item", ITEM)
    assert (outcome.status, outcome.text, outcome.error) == (0, "", "")
    answer = aws("put-item", "--table-name", "cli_music", "--item", ITEM, "--return-values", "ALL_OLD",
                 "--return-consumed-capacity", "INDEXES").json
    answer["Attributes"]["tags"]["SS"].sort()
    assert answer == {"Attributes": ITEM, "ConsumedCapacity": {
        "TableName": "cli_music", "CapacityUnits": 1.0, "Table": {"CapacityUnits": 1.0}}}


def test_get_item(aws):
    answer = aws("get-item", "--table-name", "cli_music", "--key", KEY, "--consistent-read").json
    answer["Item"]["tags"]["SS"].sort()
    assert answer == {"Item": ITEM}
    absent = aws("get-item", "--table-name", "cli_music", "--key", {**KEY, "song": {"S": "other"}})
    assert (absent.status, absent.text) == (0, "")


def test_input_from_a_file(aws, tmp_path):
    request = tmp_path / "request.json"
    request.write_text(json.dumps({
        "TableName": "cli_music", "Item": {**KEY, "song": {"S": "from a file"}, "long": {"S": "é" * 60_000}},
        "ReturnConsumedCapacity": "TOTAL"}))
    answer = aws("put-item", "--cli-input-json", f"file://{request}").json
    assert answer["ConsumedCapacity"] == {"TableName": "cli_music", "CapacityUnits": 118.0}


def test_errors_of_items(aws):
    failed(aws("get-item", "--table-name", "cli_nothing", "--key", KEY),
           "GetItem", "ResourceNotFoundException", "Requested resource not found")
    failed(aws("put-item", "--table-name", "cli_music", "--item", {"artist": {"S": "a"}}), "PutItem",
           "ValidationException", "One or more parameter values were invalid: Missing the key song in the item")


def test_delete_item(aws):
    answer = aws("delete-item", "--table-name", "cli_music", "--key", KEY, "--return-values", "ALL_OLD").json
    answer["Attributes"]["tags"]["SS"].sort()
    assert answer == {"Attributes": ITEM}
    again = aws("delete-item", "--table-name", "cli_music", "--key", KEY)
    assert (again.status, again.text, again.error) == (0, "", "")


def test_statements(aws):
    insert = "Statement=\"INSERT INTO cli_music VALUE {{'artist': ?, 'song': '{}'}}\",Parameters=[{{S=Sigur Rós}}]"
    added = aws("execute-transaction", "--transact-statements", *map(insert.format, "abc"))
    assert added.json == {"Responses": []}
    twice = aws("execute-transaction", "--transact-statements", [
        {"Statement": "INSERT INTO cli_music VALUE {'artist': 'Sigur Rós', 'song': 'a'}"}])
    failed(twice, "ExecuteTransaction", "TransactionCanceledException",
           "Transaction cancelled, please refer cancellation reasons for specific reasons [DuplicateItem]")
    asked = ("execute-statement", "--statement", "SELECT song FROM cli_music WHERE artist = ? ORDER BY song DESC",
             "--parameters", [{"S": "Sigur Rós"}], "--limit", 2)
    page = aws(*asked).json
    assert page["Items"] == [{"song": {"S": "c"}}, {"song": {"S": "b"}}]
    assert aws(*asked, "--next-token", page["NextToken"]).json == {"Items": [{"song": {"S": "a"}}]}
    removed = aws("batch-execute-statement", "--statements", [
        *({"Statement": f"DELETE FROM cli_music WHERE artist = 'Sigur Rós' AND song = '{song}'"} for song in "abc"),
        {"Statement": "DELETE FROM cli_music"}])
    assert removed.json["Responses"] == [{"TableName": "cli_music"}] * 3 + [{"Error": {
        "Code": "ValidationError",
        "Message": "Where clause does not contain a mandatory equality on all key attributes"}}]
    failed(aws("execute-statement", "--statement", "SELECT"), "ExecuteStatement", "ValidationException",
           "Statement wasn't well formed, can't be processed: Unexpected term")


def test_tags(aws):
    tagged = aws("tag-resource", "--resource-arn", ARN, "--tags", "Key=stage,Value=test", "Key=team,Value=two")
    assert (tagged.status, tagged.text, tagged.error) == (0, "", "")
    removed = aws("untag-resource", "--resource-arn", ARN, "--tag-keys", "stage")
    assert (removed.status, removed.text, removed.error) == (0, "", "")
    assert aws("list-tags-of-resource", "--resource-arn", ARN).json == {"Tags": [{"Key": "team", "Value": "two"}]}


def test_update_table(aws):
    updated = aws("update-table", "--table-name", "cli_music", "--billing-mode", "PAY_PER_REQUEST").json
    assert updated["TableDescription"]["TableStatus"] == "UPDATING"
    mode = aws("describe-table", "--table-name", "cli_music", "--query",
               "Table.BillingModeSummary.BillingMode", output="text")
    assert mode.text.strip() == "PAY_PER_REQUEST"


def test_list_tables(aws):
    assert "cli_music" in aws("list-tables").json["TableNames"]
    limited = aws("list-tables", "--no-paginate", "--limit", 101)
    failed(limited, "ListTables", "ValidationException",
           "1 validation error detected: Value '101' at 'limit' failed to satisfy constraint: Member must have "
           "value less than or equal to 100")


@pytest.mark.parametrize("operation, answer", [
    ("describe-limits", {"AccountMaxReadCapacityUnits": 80000, "AccountMaxWriteCapacityUnits": 80000,
                         "TableMaxReadCapacityUnits": 40000, "TableMaxWriteCapacityUnits": 40000}),
])
def test_limits(aws, operation, answer):
    assert aws(operation).json == answer


def test_describe_endpoints(aws, server):
    addresses = aws("describe-endpoints").json["Endpoints"]
    assert addresses == [{"Address": server.endpoint.partition("://")[2], "CachePeriodInMinutes": 1440}]


def test_another_region_does_not_see_the_table(aws):
    answer = aws("list-tables", AWS_DEFAULT_REGION="eu-west-3").json
    assert "cli_music" not in answer["TableNames"]


def test_delete_table(aws):
    deleted = aws("delete-table", "--table-name", "cli_music").json["TableDescription"]
    assert deleted["TableStatus"] == "DELETING"
    assert aws("wait table-not-exists", "--table-name", "cli_music").status == 0
    failed(aws("describe-table", "--table-name", "cli_music"), "DescribeTable", "ResourceNotFoundException",
           "Requested resource not found: Table: cli_music not found")
