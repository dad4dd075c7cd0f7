"""Terraform's event source mappings: made, changed in each argument, planned without a change, destroyed."""

import shutil
from pathlib import Path

import boto3
import pytest

from project import Project
from server_process import given_endpoint

MAPPINGS = Path(__file__).parent / "mappings"
# With a delay, the provider's waiters see a mapping that is being made, changed and deleted.
FLAGS = ("--control-plane-delay", "0.3", "--function", "ship-orders=http://127.0.0.1:1/")


def mappings(project):
    client = boto3.client("lambda", endpoint_url=project.server.endpoint, region_name="us-east-1",
                          aws_access_key_id="mock_access_key", aws_secret_access_key="mock")
    return client.list_event_source_mappings()["EventSourceMappings"]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    if given_endpoint():
        pytest.skip("needs servers started by the test, and STATOR_ENDPOINT is set")
    made = Project(tmp_path_factory.mktemp("mappings"))
    shutil.copy(MAPPINGS / "table.tf", made.folder / "source.tf")
    made.init()
    return made


def test_a_mapping_is_made_changed_and_destroyed(project):
    with project.served(*FLAGS):
        project.apply("created", MAPPINGS)
        [made] = mappings(project)
        assert (made["State"], made["BatchSize"], made["StartingPosition"]) == ("Enabled", 100, "TRIM_HORIZON")
        assert made["FunctionArn"].endswith(":function:ship-orders")
        assert made["DestinationConfig"]["OnFailure"]["Destination"].startswith("arn:aws:sqs:")
        project.plan_without_a_change()

        project.apply("changed", MAPPINGS)
        [changed] = mappings(project)
        assert changed["UUID"] == made["UUID"]
        assert {name: changed[name] for name in (
            "State", "BatchSize", "MaximumBatchingWindowInSeconds", "ParallelizationFactor", "MaximumRetryAttempts",
            "MaximumRecordAgeInSeconds", "BisectBatchOnFunctionError")} == {
            "State": "Disabled", "BatchSize": 7, "MaximumBatchingWindowInSeconds": 3, "ParallelizationFactor": 2,
            "MaximumRetryAttempts": 4, "MaximumRecordAgeInSeconds": 120, "BisectBatchOnFunctionError": True}
        assert changed["DestinationConfig"]["OnFailure"]["Destination"].startswith("arn:aws:sns:")
        project.plan_without_a_change()

    # A new process has the same mappings.
    with project.served(*FLAGS):
        project.plan_without_a_change()
        project.destroy()
        assert mappings(project) == []
        assert project.client.table_names() == []
