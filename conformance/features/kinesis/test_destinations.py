"""States of destinations, their descriptions, errors in their order."""

import pytest
from botocore.exceptions import ClientError

from admin import Admin
from kinesis_world import ACCOUNT, Wire, arn_of, destinations, kinesis_client, wait_for_records

NOT_PERMITTED = "User does not have a permission to use kinesis stream"
NOT_ACTIVE = "The kinesis Arn used to enable kinesis replication belongs to a stream which is not in Active state"
OTHER_REGION = ("The kinesis Arn used to enable kinesis replication belongs to a stream which is not in the current "
                "region")
INVALID = "Table is not in a valid state to enable Kinesis Streaming Destination: "
CONFIGURATION = "UpdateKinesisStreamingConfiguration"


def body(answer):
    return {name: value for name, value in answer.items() if name != "ResponseMetadata"}


def test_a_table_without_destinations(dynamodb, new_table):
    assert destinations(dynamodb, new_table()) == []


def test_the_life_of_a_destination(dynamodb, new_table, new_stream):
    table, arn = new_table(), arn_of(new_stream())
    answer = dynamodb.enable_kinesis_streaming_destination(TableName=table, StreamArn=arn)
    assert body(answer) == {"TableName": table, "StreamArn": arn, "DestinationStatus": "ENABLING",
                            "EnableKinesisStreamingConfiguration": {}}
    assert destinations(dynamodb, table) == [{"StreamArn": arn, "DestinationStatus": "ACTIVE"}]
    precision = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}
    answer = dynamodb.update_kinesis_streaming_destination(TableName=table, StreamArn=arn,
                                                           UpdateKinesisStreamingConfiguration=precision)
    assert body(answer) == {"TableName": table, "StreamArn": arn, "DestinationStatus": "UPDATING",
                            CONFIGURATION: precision}
    assert destinations(dynamodb, table) == [{"StreamArn": arn, "DestinationStatus": "ACTIVE", **precision}]
    answer = dynamodb.disable_kinesis_streaming_destination(TableName=table, StreamArn=arn)
    assert body(answer) == {"TableName": table, "StreamArn": arn, "DestinationStatus": "DISABLING"}
    assert destinations(dynamodb, table)[0]["DestinationStatus"] == "DISABLED"
    dynamodb.enable_kinesis_streaming_destination(TableName=table, StreamArn=arn)
    assert destinations(dynamodb, table) == [{"StreamArn": arn, "DestinationStatus": "ACTIVE"}]
    assert "Kinesis" not in str(dynamodb.describe_table(TableName=table)["Table"])


@pytest.mark.parametrize("arn, reason", [
    (arn_of("missing"), NOT_PERMITTED),
    (arn_of("s/consumer/c:1"), NOT_PERMITTED),
    (f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/other", NOT_PERMITTED),
    (arn_of("s", region="eu-west-1"), OTHER_REGION),
    (arn_of("s", account="123456789012"), NOT_ACTIVE),
    (f"arn:aws:firehose:us-east-1:{ACCOUNT}:deliverystream/s", NOT_ACTIVE),
    ("x" * 37, NOT_PERMITTED),
])
def test_streams_that_are_refused(dynamodb, new_table, arn, reason):
    table = new_table()
    answer = dynamodb.enable_kinesis_streaming_destination(TableName=table, StreamArn=arn)
    assert answer["DestinationStatus"] == "ENABLING"
    assert destinations(dynamodb, table) == [
        {"StreamArn": arn, "DestinationStatus": "ENABLE_FAILED", "DestinationStatusDescription": reason}]


def test_failed_entries_pile_up_newest_first(dynamodb, new_table, new_stream):
    table, stream = new_table(), new_stream()
    arns = [arn_of("missing-1"), arn_of("missing-2"), arn_of(stream)]
    for arn in arns:
        dynamodb.enable_kinesis_streaming_destination(TableName=table, StreamArn=arn)
    found = destinations(dynamodb, table)
    assert [one["StreamArn"] for one in found] == arns[::-1]
    assert [one["DestinationStatus"] for one in found] == ["ACTIVE", "ENABLE_FAILED", "ENABLE_FAILED"]


def test_errors_of_enable(dynamodb, new_table, new_stream, refused):
    table, arn = new_table(), arn_of(new_stream())
    dynamodb.enable_kinesis_streaming_destination(TableName=table, StreamArn=arn)
    for other in (arn, arn_of("other")):
        refused("ValidationException",
                INVALID + "EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE "
                "operation.", dynamodb.enable_kinesis_streaming_destination, TableName=table, StreamArn=other)
    refused("ResourceNotFoundException", "Requested resource not found: Table: nobody not found",
            dynamodb.enable_kinesis_streaming_destination, TableName="nobody", StreamArn=arn)


def test_errors_of_disable(dynamodb, new_table, new_stream, refused):
    table, arn = new_table(), arn_of(new_stream())
    text = INVALID + "KinesisStreamingDestination must be ACTIVE to perform DISABLE operation."
    refused("ValidationException", text, dynamodb.disable_kinesis_streaming_destination,
            TableName=table, StreamArn=arn)
    configuration = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}
    refused("ValidationException", "Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters",
            dynamodb.disable_kinesis_streaming_destination, TableName="nobody", StreamArn=arn,
            EnableKinesisStreamingConfiguration=configuration)
    refused("ResourceNotFoundException", "Requested resource not found: Table: nobody not found",
            dynamodb.disable_kinesis_streaming_destination, TableName="nobody", StreamArn=arn)
    dynamodb.enable_kinesis_streaming_destination(TableName=table, StreamArn=arn)
    dynamodb.disable_kinesis_streaming_destination(TableName=table, StreamArn=arn)
    refused("ValidationException", text, dynamodb.disable_kinesis_streaming_destination,
            TableName=table, StreamArn=arn)


def test_errors_of_update(dynamodb, new_table, new_stream, raw, refused):
    table, arn = new_table(), arn_of(new_stream())
    update = dynamodb.update_kinesis_streaming_destination
    micro = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}
    absent = ("Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration "
              "cannot be null or contain only null values")
    refused("ValidationException", absent, update, TableName="nobody", StreamArn=arn)
    refused("ValidationException", absent, update, TableName="nobody", StreamArn=arn,
            UpdateKinesisStreamingConfiguration={})
    refused("ValidationException",
            f"No streaming destination with streamArn: {arn} found for table with tableName: {table}",
            update, TableName=table, StreamArn=arn, UpdateKinesisStreamingConfiguration=micro)
    dynamodb.enable_kinesis_streaming_destination(TableName=table, StreamArn=arn)
    table_id = dynamodb.describe_table(TableName=table)["Table"]["TableId"]
    refused("ValidationException",
            f"Invalid Request: Precision is already set to the desired value of MILLISECOND for tableId: {table_id}, "
            f"kdsArn: {arn}", update, TableName=table, StreamArn=arn,
            UpdateKinesisStreamingConfiguration={"ApproximateCreationDateTimePrecision": "MILLISECOND"})
    dynamodb.disable_kinesis_streaming_destination(TableName=table, StreamArn=arn)
    refused("ValidationException",
            "Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. "
            f"TableName: {table}, kdsArn: {arn}", update, TableName=table, StreamArn=arn,
            UpdateKinesisStreamingConfiguration=micro)
    answer = raw.send("UpdateKinesisStreamingDestination",
                      {"TableName": table, "StreamArn": arn,
                       CONFIGURATION: {"ApproximateCreationDateTimePrecision": "SECOND"}})
    assert answer.json()["message"] == (
        "1 validation error detected: Value 'SECOND' at 'updateKinesisStreamingConfiguration."
        "approximateCreationDateTimePrecision' failed to satisfy constraint: Member must satisfy enum value set: "
        "[MILLISECOND, MICROSECOND]")


def test_a_stream_that_is_deleted_later_leaves_the_destination_active(dynamodb, kinesis, streaming):
    table, stream = streaming()
    kinesis.delete_stream(StreamName=stream)
    assert destinations(dynamodb, table) == [{"StreamArn": arn_of(stream), "DestinationStatus": "ACTIVE"}]
    dynamodb.put_item(TableName=table, Item={"pk": {"S": "a"}})
    kinesis.create_stream(StreamName=stream, ShardCount=1)
    wait_for_records(kinesis, stream, 1)  # the change has waited for the new stream


def test_a_table_that_is_made_again_has_none(dynamodb, streaming, new_table):
    table, _ = streaming()
    dynamodb.delete_table(TableName=table)
    new_table(TableName=table)
    assert destinations(dynamodb, table) == []


def test_states_that_take_time(start):
    server = start("--control-plane-delay", "10", "--clock", "manual")
    admin, dynamodb, kinesis = Admin(server), Wire(server), kinesis_client(server.endpoint)
    kinesis.create_stream(StreamName="s", ShardCount=1)
    assert kinesis.describe_stream(StreamName="s")["StreamDescription"]["StreamStatus"] == "CREATING"
    dynamodb.create_table(TableName="tbl", BillingMode="PAY_PER_REQUEST",
                          KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                          AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    with pytest.raises(ClientError, match="Table: tbl not found"):
        destinations(dynamodb, "tbl")
    admin.move(advance="10s")

    def status():
        return destinations(dynamodb, "tbl")[0]["DestinationStatus"]

    arn = arn_of("s")
    dynamodb.enable_kinesis_streaming_destination(TableName="tbl", StreamArn=arn)
    assert status() == "ENABLING"
    admin.move(advance="10s")
    assert status() == "ACTIVE"
    dynamodb.update_kinesis_streaming_destination(
        TableName="tbl", StreamArn=arn,
        UpdateKinesisStreamingConfiguration={"ApproximateCreationDateTimePrecision": "MICROSECOND"})
    assert destinations(dynamodb, "tbl")[0] == {"StreamArn": arn, "DestinationStatus": "UPDATING",
                                              "ApproximateCreationDateTimePrecision": "MICROSECOND"}
    admin.move(advance="10s")
    assert status() == "ACTIVE"
    for _ in range(2):  # disabling while it goes on is no error
        dynamodb.disable_kinesis_streaming_destination(TableName="tbl", StreamArn=arn)
    assert status() == "DISABLING"
    admin.move(advance="10s")
    assert status() == "DISABLED"
    dynamodb.enable_kinesis_streaming_destination(TableName="tbl", StreamArn=arn)
    admin.move(advance="10s")
    dynamodb.delete_table(TableName="tbl")
    assert status() == "UPDATING"
    kinesis.delete_stream(StreamName="s")
    assert kinesis.describe_stream(StreamName="s")["StreamDescription"]["StreamStatus"] == "DELETING"
    admin.move(advance="10s")
    assert kinesis.list_streams()["StreamNames"] == []
