"""Creates the tables that gocloud.dev's test expects. It runs in us-east-2, as the recordings do."""

import os

import boto3

UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}


def keys(*names):
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"))]


def attributes(**types):
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


def index(name, *names, **units):
    return {"IndexName": name, "KeySchema": keys(*names), "Projection": {"ProjectionType": "ALL"}, **units}


def main():
    client = boto3.client(
        "dynamodb", endpoint_url=os.environ["AWS_ENDPOINT_URL_DYNAMODB"], region_name="us-east-2"
    )
    client.create_table(
        TableName="docstore-test-1",
        AttributeDefinitions=attributes(name="S"),
        KeySchema=keys("name"),
        ProvisionedThroughput=UNITS,
    )
    client.create_table(
        TableName="docstore-test-2",
        AttributeDefinitions=attributes(Game="S", Player="S", Score="N", Time="S"),
        KeySchema=keys("Game", "Player"),
        ProvisionedThroughput=UNITS,
        LocalSecondaryIndexes=[index("local", "Game", "Score")],
        GlobalSecondaryIndexes=[index("global", "Player", "Time", ProvisionedThroughput=UNITS)],
    )


if __name__ == "__main__":
    main()
