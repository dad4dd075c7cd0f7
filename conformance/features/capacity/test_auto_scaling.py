"""The scenarios of auto scaling (P43 to P45 of tests/cases/partition-scenarios.json): the policy is auto_scaling.py's, as
that service is a client of DynamoDB in the cloud, too; what it goes by and what it changes is the server's."""

import auto_scaling
import pytest
from boto3_fixtures import make_client
from scenario_file import auto_scaling_scenarios
from throttled_world import World

# So much is saved that what a scenario says is consumed is served with `enforce`, too.
SAVED = "burst-seconds=3600,initial-burst-seconds=3600"


@pytest.mark.parametrize("throttling", ["enforce", "observe"])
@pytest.mark.parametrize("scenario", auto_scaling_scenarios(), ids=lambda scenario: scenario["id"])
def test_scenario(standing, scenario, throttling):
    here = World(standing(throttling, SAVED))
    config = scenario["config"]
    here.table("Scaled", config["initial"], config["initial"])
    client = make_client(here.server.endpoint)
    policy = auto_scaling.TargetTracking(client, "Scaled", config["min"], config["max"], config["target_pct"])
    loads = scenario["consumed_per_minute"]
    changes = auto_scaling.follow(client, here.server.endpoint, policy, loads, here.wait)
    assert changes == [(one["after_minute"], one["new_capacity"]) for one in scenario["expect"]]
    told = here.told("Scaled")["write"]
    assert told["consumed_units"] == sum(loads)
    assert told["throttled"] == {}
    described = client.describe_table(TableName="Scaled")["Table"]["ProvisionedThroughput"]
    assert described["WriteCapacityUnits"] == (changes[-1][1] if changes else config["initial"])
