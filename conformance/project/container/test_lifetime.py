"""Start, stop, kill, and data that outlives the container."""

import os
import select
import signal

import pytest

from conftest import artists, create_table, put
from raw_client import Closed, Connection, request
from server_process import STOP_DEADLINE_S, GivenServer, wait_until

JAR = ["-jar", "DynamoDBLocal.jar"]
SHARED = [*JAR, "-sharedDb", "-dbPath", "./data"]


def end(container, number):
    """Ends its process and returns the status."""
    process = container.state()["Pid"]
    handle = os.pidfd_open(process)
    os.kill(process, number)
    assert select.select([handle], [], [], STOP_DEADLINE_S)[0], f"still running after {STOP_DEADLINE_S} s"
    os.close(handle)
    return container.wait_for_end()


@pytest.mark.parametrize("command", [[], SHARED], ids=["memory", "volume"])
def test_sigterm_ends_it(start, command):
    container = start(command=command)
    client = container.client()  # its connection stays open
    create_table(client)
    assert end(container, signal.SIGTERM) == 0


def test_sigint_too(start):
    assert end(start(), signal.SIGINT) == 0


def test_data_outlives_the_container(start, volume):
    options = ["--volume", f"{volume}:/home/dynamodblocal/data"]
    for count, number in enumerate([signal.SIGTERM, signal.SIGKILL, signal.SIGTERM], 1):
        container = start(*options, command=SHARED)
        client = container.client()
        if count == 1:
            create_table(client)
        put(client, f"artist {count}")
        end(container, number)
        container.remove()
    container = start(*options, command=SHARED)
    assert artists(container.client()) == ["artist 1", "artist 2", "artist 3"]


def test_data_outlives_a_restart_of_the_same_container(start):
    container = start(command=SHARED)
    create_table(container.client())
    put(container.client(), "Nina")
    end(container, signal.SIGKILL)
    container.start().wait_until_it_answers()
    assert artists(container.client()) == ["Nina"]


@pytest.mark.parametrize("command", [[], SHARED], ids=["memory", "volume"])
def test_first_table(create, command):
    """The first request that is answered may be the one for a table."""
    container = create(command=command).start()
    server = GivenServer(container.endpoint)
    data = request("CreateTable", {
        "TableName": "Music", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}]})

    def answer():
        try:
            with Connection(server) as connection:
                return connection.exchange(data)
        except (Closed, OSError):
            return None

    assert wait_until(answer, what="an answer").status == 200
