"""The server, and the SDK through which the scenarios call it: boto3, or the agent that STATOR_SDK names
(a folder of conformance/languages and a command to run there)."""

import os
import shlex

import boto3
import pytest
from botocore.config import Config

import sdk
from checkout import CONFORMANCE
from scenario import new_store, pytest_terminal_summary  # used by pytest
from server_process import clean_environment, default_server


@pytest.fixture(scope="session")
def buckets(tmp_path_factory):
    """The folder whose folders are the server's buckets."""
    return tmp_path_factory.mktemp("buckets")


@pytest.fixture(scope="session")
def server(buckets):
    with default_server("--s3-root", str(buckets)) as running:
        yield running


@pytest.fixture(scope="session")
def boto(server):
    config = Config(max_pool_connections=70, parameter_validation=False)
    return boto3.session.Session().client("dynamodb", endpoint_url=server.endpoint, config=config, verify=False)


@pytest.fixture(scope="session")
def agent(server):
    """The program that STATOR_SDK names, or None."""
    if "STATOR_SDK" not in os.environ:
        yield None
        return
    folder, *command = shlex.split(os.environ["STATOR_SDK"])
    started = sdk.Agent(command, CONFORMANCE / "languages" / folder, clean_environment({"STATOR_ENDPOINT": server.endpoint}))
    yield started
    started.close()


@pytest.fixture(scope="session")
def caller(agent, boto):
    """call("PutItem", members) of plain JSON."""
    return agent or sdk.Boto3(boto)


@pytest.fixture(scope="session")
def fast(agent, boto):
    """What looks like a client of boto3."""
    return sdk.Client(agent) if agent else boto


@pytest.fixture(scope="session")
def name_of_sdk():
    return os.environ.get("STATOR_SDK", "python").split()[0]


@pytest.fixture(scope="session")
def year_of_sdk(agent, boto):
    """Of which year's API the SDK knows everything that the scenarios use."""
    if agent:
        return int(os.environ.get("STATOR_SDK_YEAR", "2026"))
    known = boto.meta.service_model.operation_model("CreateTable").input_shape.members
    return 2024 if "WarmThroughput" in known else 2023 if "DeletionProtectionEnabled" in known else 2022
