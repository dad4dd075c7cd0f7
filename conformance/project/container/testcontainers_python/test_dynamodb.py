"""Starts the image by testcontainers for Python, as a project's own tests do.

They name the image that ours takes the place of: ../run_testcontainers gives ours that name.
"""

import socket

import boto3
import pytest
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import (
    ExecWaitStrategy,
    HealthcheckWaitStrategy,
    HttpWaitStrategy,
    LogMessageWaitStrategy,
    PortWaitStrategy,
)

IMAGE = "amazon/dynamodb-local:latest"
SHARED = "-jar DynamoDBLocal.jar -sharedDb -inMemory"
PORT = 8000
ITEM = {"artist": {"S": "Nina"}, "albums": {"N": "15"}}


def image():
    return DockerContainer(IMAGE).with_exposed_ports(PORT)


def address(container):
    return container.get_container_host_ip(), int(container.get_exposed_port(PORT))


def client(container, key="one"):
    host, port = address(container)
    return boto3.client("dynamodb", endpoint_url=f"http://{host}:{port}", region_name="us-east-1",
                        aws_access_key_id=key, aws_secret_access_key="secret")


def works(dynamodb):
    dynamodb.create_table(
        TableName="Music",
        AttributeDefinitions=[{"AttributeName": "artist", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "artist", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    dynamodb.put_item(TableName="Music", Item=ITEM)
    assert dynamodb.get_item(TableName="Music", Key={"artist": {"S": "Nina"}})["Item"] == ITEM


def test_its_own_command():
    with image().waiting_for(PortWaitStrategy(PORT)) as container:
        works(client(container))
        assert client(container, "another").list_tables()["TableNames"] == []


def test_a_shared_database():
    with image().with_command(SHARED).waiting_for(PortWaitStrategy(PORT)) as container:
        works(client(container))
        assert client(container, "another").list_tables()["TableNames"] == ["Music"]


@pytest.mark.parametrize("strategy", [
    HttpWaitStrategy(PORT).for_status_code(400),
    LogMessageWaitStrategy("Initializing DynamoDB Local"),
    HealthcheckWaitStrategy(),
    ExecWaitStrategy(["curl", "-s", "http://localhost:8000"]),
], ids=lambda strategy: type(strategy).__name__)
def test_wait_strategies(strategy):
    with image().with_command(SHARED).waiting_for(strategy) as container:
        works(client(container))


def test_stop():
    with image().waiting_for(PortWaitStrategy(PORT)) as container:
        where = address(container)
        works(client(container))
    with pytest.raises(OSError):
        socket.create_connection(where, timeout=60).close()
