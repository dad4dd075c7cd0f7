"""An application that makes its clients when it is imported, and knows nothing of tests."""

import boto3

client = boto3.client("dynamodb")
table = boto3.resource("dynamodb").Table("Orders")
streams = boto3.client("dynamodbstreams")


def create_table():
    client.create_table(TableName="Orders", BillingMode="PAY_PER_REQUEST",
                        AttributeDefinitions=[{"AttributeName": "Id", "AttributeType": "S"}],
                        KeySchema=[{"AttributeName": "Id", "KeyType": "HASH"}],
                        StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})


def place(number):
    table.put_item(Item={"Id": number})


def count():
    return table.scan()["Count"]


def has_stream():
    return streams.list_streams(TableName="Orders")["Streams"] != []
