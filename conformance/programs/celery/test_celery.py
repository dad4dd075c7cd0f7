"""Celery keeps the results of its tasks in a table, with a lifetime: the library makes the table, asks for time to
live when it starts and waits for results. A worker runs beside the test."""

import secrets

import boto3
import pytest
from botocore.exceptions import ClientError
from celery import Celery, chord
from celery.contrib.testing.worker import start_worker

from admin import Admin
from own_servers import start  # noqa: F401
from server_process import wait_until

LIFETIME_S = 3600
DEADLINE_S = 60
TABLE = "results"


def application(server, setting=""):
    port = server.endpoint.rsplit(":", 1)[1]
    name = secrets.token_hex(4)
    app = Celery(name, broker="memory://", backend=f"dynamodb://key:secret@127.0.0.1:{port}/{TABLE}{setting}")
    app.conf.update(worker_hijack_root_logger=False, result_backend_always_retry=False)

    @app.task(name="add", shared=False)
    def add(x, y):
        return x + y

    @app.task(name="total", shared=False)
    def total(numbers):
        return sum(numbers)

    @app.task(name="fail", shared=False)
    def fail():
        raise ValueError("as it should")

    return app


def working(app):
    return start_worker(app, pool="solo", perform_ping_check=False, shutdown_timeout=DEADLINE_S)


@pytest.fixture
def server(start):  # noqa: F811
    return start()


@pytest.fixture
def client(server):
    return boto3.client("dynamodb", endpoint_url=server.endpoint)


def setting(client):
    return client.describe_time_to_live(TableName=TABLE)["TimeToLiveDescription"]


def kept(client):
    return {item["id"]["S"]: item for item in client.scan(TableName=TABLE)["Items"]}


def test_results_go_when_their_lifetime_is_over(server, client):
    app = application(server, f"?ttl_seconds={LIFETIME_S}")
    with working(app):
        done = [app.tasks["add"].delay(n, n) for n in range(5)]
        assert [result.get(timeout=DEADLINE_S) for result in done] == [0, 2, 4, 6, 8]
        failed = app.tasks["fail"].delay()
        with pytest.raises(ValueError, match="as it should"):
            failed.get(timeout=DEADLINE_S)
    assert setting(client) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}
    items = kept(client)
    assert len(items) == 6 and all(any(result.id in key for key in items) for result in [*done, failed])
    for item in items.values():
        assert int(item["ttl"]["N"]) == int(float(item["timestamp"]["N"]) + LIFETIME_S)
    done[0].forget()
    assert app.AsyncResult(done[0].id).state == "PENDING"
    assert {app.AsyncResult(result.id).state for result in done[1:]} == {"SUCCESS"}
    Admin(server).move(advance="2h")
    wait_until(lambda: not kept(client), what="results gone")
    assert {app.AsyncResult(result.id).state for result in [*done, failed]} == {"PENDING"}


def test_a_chord_counts_in_the_table(server, client):
    app = application(server)
    with working(app):
        header = [app.tasks["add"].s(n, n) for n in range(4)]
        assert chord(header)(app.tasks["total"].s()).get(timeout=DEADLINE_S) == 12
    assert setting(client) == {"TimeToLiveStatus": "DISABLED"}  # nobody asked for it


def test_the_setting_at_every_start(server, client):
    lasting = f"?ttl_seconds={LIFETIME_S}"
    for _ in range(2):  # the second finds all there is
        assert application(server, lasting).backend.client
        assert setting(client)["TimeToLiveStatus"] == "ENABLED"
    for _ in range(2):
        assert application(server, "?ttl_seconds=-1").backend.client
        assert setting(client) == {"TimeToLiveStatus": "DISABLED"}
    client.update_time_to_live(TableName=TABLE, TimeToLiveSpecification={"Enabled": True, "AttributeName": "other"})
    # The library names the attribute that is there.
    with pytest.raises(ClientError, match="TimeToLive is already enabled"):
        assert application(server, lasting).backend.client


def test_a_change_too_soon(start):  # noqa: F811
    server = start("--ttl-cooldown", "1800")
    assert application(server, f"?ttl_seconds={LIFETIME_S}").backend.client
    with pytest.raises(ClientError, match="modified multiple times within a fixed interval"):
        assert application(server, "?ttl_seconds=-1").backend.client
    Admin(server).move(advance="30m")
    assert application(server, "?ttl_seconds=-1").backend.client
