"""Start, stop, kill, and data that outlives the container."""

import os
import select
import signal
import socket
import subprocess
import time

import pytest

from conftest import FIGURES, artists, create_table, podman, put
from raw_client import request

JAR = ["-jar", "DynamoDBLocal.jar"]
SHARED = [*JAR, "-sharedDb", "-dbPath", "./data"]
START_MS_MAX = 50
STOP_MS_MAX = 1000


def milliseconds_until_end(container, number):
    process = container.state()["Pid"]
    handle = os.pidfd_open(process)
    started = time.monotonic()
    os.kill(process, number)
    assert select.select([handle], [], [], 30)[0], "still running after 30 s"
    took_ms = 1000 * (time.monotonic() - started)
    os.close(handle)
    return took_ms


@pytest.mark.parametrize("command", [[], SHARED], ids=["memory", "volume"])
def test_sigterm_ends_it_at_once(start, command):
    container = start(command=command)
    client = container.client()  # its connection stays open
    create_table(client)
    took_ms = milliseconds_until_end(container, signal.SIGTERM)
    FIGURES.append(f"ended {took_ms:.1f} ms after SIGTERM (at most {STOP_MS_MAX})")
    assert took_ms <= STOP_MS_MAX
    assert container.wait_for_end() == 0


def test_sigint_too(start):
    container = start()
    assert milliseconds_until_end(container, signal.SIGINT) <= STOP_MS_MAX
    assert container.wait_for_end() == 0


def test_data_outlives_the_container(start, volume):
    options = ["--volume", f"{volume}:/home/dynamodblocal/data"]
    for count, end in enumerate([signal.SIGTERM, signal.SIGKILL, signal.SIGTERM], 1):
        container = start(*options, command=SHARED)
        client = container.client()
        if count == 1:
            create_table(client)
        put(client, f"artist {count}")
        milliseconds_until_end(container, end)
        container.wait_for_end()
        container.remove()
    container = start(*options, command=SHARED)
    assert artists(container.client()) == ["artist 1", "artist 2", "artist 3"]


def test_data_outlives_a_restart_of_the_same_container(start):
    container = start(command=SHARED)
    create_table(container.client())
    put(container.client(), "Nina")
    milliseconds_until_end(container, signal.SIGKILL)
    container.wait_for_end()
    container.start().wait_until_it_answers()
    assert artists(container.client()) == ["Nina"]


def first_table_ms(container):
    """From the moment at which the container's process is Stator to the answer of CreateTable."""
    podman("init", container.name)
    process = container.state()["Pid"]
    address = container.endpoint.removeprefix("http://").split(":")[0]
    body = (b'{"TableName":"Music","BillingMode":"PAY_PER_REQUEST",'
            b'"AttributeDefinitions":[{"AttributeName":"artist","AttributeType":"S"}],'
            b'"KeySchema":[{"AttributeName":"artist","KeyType":"HASH"}]}')
    data = request("CreateTable", body)
    starter = subprocess.Popen(["podman", "start", container.name], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not os.readlink(f"/proc/{process}/exe").endswith("/stator"):
        assert time.monotonic() < deadline
    started = time.monotonic()
    answer = b""
    while not answer:
        assert time.monotonic() < deadline
        try:
            with socket.create_connection((address, 8000), timeout=30) as connection:
                connection.sendall(data)
                answer = connection.recv(65536)
        except ConnectionRefusedError:
            pass
    took_ms = 1000 * (time.monotonic() - started)
    assert answer.startswith(b"HTTP/1.1 200 OK"), answer
    assert starter.wait(60) == 0
    return took_ms


@pytest.mark.parametrize("command", [[], SHARED], ids=["memory", "volume"])
def test_first_table(create, command):
    times_ms = sorted(first_table_ms(create(command=command)) for _ in range(7))
    every = " ".join(f"{time_ms:.1f}" for time_ms in times_ms)
    FIGURES.append(f"first CreateTable answered after {every} ms (at most {START_MS_MAX})")
    assert times_ms[len(times_ms) // 2] <= START_MS_MAX
