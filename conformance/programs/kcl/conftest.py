"""Fixtures of the suite of workers on the Kinesis Client Library."""

import boto3
import pytest
from botocore.config import Config

from own_servers import start  # a fixture, used by pytest
from worker import Worker


def clients_of(server):
    """boto3's clients of a server: for tables, for streams."""
    members = {"endpoint_url": server.endpoint, "region_name": "us-east-1",
               "config": Config(connect_timeout=10, read_timeout=30, max_pool_connections=20)}
    session = boto3.session.Session()
    return session.client("dynamodb", **members), session.client("dynamodbstreams", **members)


@pytest.fixture
def new_worker():
    """new_worker(endpoint, arn, application, name, ...) starts a process, killed at the end of the test."""
    started = []

    def begin(*arguments):
        started.append(Worker(*arguments))
        return started[-1]

    yield begin
    for worker in started:
        worker.kill()
        if worker.log():
            print(f"--- {worker.name}\n{worker.log()[-4000:]}")  # pytest shows it when the test failed
