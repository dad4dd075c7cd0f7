"""An event source mapping through the AWS CLI, at the endpoint of DynamoDB: `aws lambda`, from its creation to its end."""

import functools


def test_life_of_a_mapping(aws):
    functions = functools.partial(aws, service="lambda")
    created = aws(
        "create-table", "--table-name", "cli_orders", "--billing-mode", "PAY_PER_REQUEST",
        "--attribute-definitions", "AttributeName=pk,AttributeType=S", "--key-schema", "AttributeName=pk,KeyType=HASH",
        "--stream-specification", "StreamEnabled=true,StreamViewType=NEW_IMAGE").json["TableDescription"]
    stream = created["LatestStreamArn"]
    mapping = functions(
        "create-event-source-mapping", "--function-name", "of-cli", "--event-source-arn", stream,
        "--starting-position", "LATEST", "--batch-size", 5).json
    assert (mapping["State"], mapping["BatchSize"], mapping["EventSourceArn"]) == ("Creating", 5, stream)
    uuid = mapping["UUID"]
    arn = f"arn:aws:lambda:us-east-1:000000000000:event-source-mapping:{uuid}"  # older versions show none
    assert functions("get-event-source-mapping", "--uuid", uuid).json["State"] == "Enabled"
    listed = functions("list-event-source-mappings", "--function-name", "of-cli").json["EventSourceMappings"]
    assert [one["UUID"] for one in listed] == [uuid]
    functions("update-event-source-mapping", "--uuid", uuid, "--batch-size", 7, "--no-enabled")
    updated = functions("get-event-source-mapping", "--uuid", uuid).json
    assert (updated["State"], updated["BatchSize"]) == ("Disabled", 7)
    tagged = functions("tag-resource", "--resource", arn, "--tags", "team=music")
    assert (tagged.status, tagged.text, tagged.error) == (0, "", "")
    assert functions("list-tags", "--resource", arn).json["Tags"] == {"team": "music"}
    assert functions("delete-event-source-mapping", "--uuid", uuid).json["State"] == "Deleting"
    gone = functions("get-event-source-mapping", "--uuid", uuid)
    assert gone.status == 254
    assert gone.error == ("An error occurred (ResourceNotFoundException) when calling the GetEventSourceMapping operation: "
                          "The resource you requested does not exist.")
    assert aws("delete-table", "--table-name", "cli_orders").json["TableDescription"]["TableStatus"] == "DELETING"


def test_invoke(aws, tmp_path):
    """No flag names the function."""
    refused = aws("invoke", "--function-name", "missing", tmp_path / "answer", service="lambda")
    assert refused.status == 254
    assert "ResourceNotFoundException" in refused.error and "Function not found: " in refused.error
