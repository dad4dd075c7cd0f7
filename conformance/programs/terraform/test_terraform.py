"""Terraform with the AWS provider: one project through its stages. Each test looks at the server after one of them."""

import pytest

from project import Project
from server_process import given_endpoint

TABLES = ("Albums", "Counters", "Sessions")
PLAN_ARGUMENTS = {"changed": ["-var=disabled_attribute="]}
BLUE = {"Artist": {"S": "Joni Mitchell"}, "Title": {"S": "Blue"}, "Year": {"N": "1971"}}
BY_LABEL = {"IndexName": "ByLabel", "KeySchema": [{"AttributeName": "Label", "KeyType": "HASH"}]}
BY_YEAR = {
    "IndexName": "ByYear",
    "KeySchema": [{"AttributeName": "Year", "KeyType": "HASH"}, {"AttributeName": "Title", "KeyType": "RANGE"}],
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["Label", "Price"]},
}


# Without a delay, a change is done at the next request; with one, the provider's waiters see tables and indexes change.
DELAY = ("--control-plane-delay", "0.3")
STAGES = {"created": (), "changed": DELAY, "changed_again": ()}


class Run:
    """All stages of the project, made once: the tests look at the state after each, so the first failure ends it."""

    def __init__(self, project):
        self.project = project
        self.states = {}
        self.outputs = {}
        project.init()
        for stage, flags in STAGES.items():
            with project.served(*flags):
                self.outputs[stage] = project.apply(stage)
                self.states[stage] = {table: project.state(table) for table in TABLES}
                project.plan_without_a_change(*PLAN_ARGUMENTS.get(stage, ()))
        with project.served(*DELAY):
            project.destroy()
            self.names_after = project.client.table_names()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    if given_endpoint():
        pytest.skip("needs servers started by the test, and STATOR_ENDPOINT is set")
    return Run(Project(tmp_path_factory.mktemp("project")))


def units(throughput):
    return throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]


def keys(schema):
    return [(key["AttributeName"], key["KeyType"]) for key in schema]


def indexes(table, kind="GlobalSecondaryIndexes"):
    """Indexes by their names, without the members that only the server knows."""
    members = ("IndexName", "KeySchema", "Projection")
    return {index["IndexName"]: {name: index[name] for name in members} for index in table.get(kind, [])}


def by_year(found):
    """The provider sends the names of a projection in an order of its own."""
    found["Projection"]["NonKeyAttributes"].sort()
    return found


def test_creates_the_keys_and_the_throughput(run):
    table = run.states["created"]["Albums"]["table"]
    assert table["TableStatus"] == "ACTIVE"
    assert keys(table["KeySchema"]) == [("Artist", "HASH"), ("Title", "RANGE")]
    types = {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]}
    assert types == {"Artist": "S", "Title": "S", "Year": "N"}
    assert units(table["ProvisionedThroughput"]) == (5, 6)


def test_creates_the_indexes(run):
    table = run.states["created"]["Albums"]["table"]
    (index,) = table["GlobalSecondaryIndexes"]
    assert units(index["ProvisionedThroughput"]) == (2, 3)
    assert by_year(indexes(table)["ByYear"]) == BY_YEAR
    local = indexes(table, "LocalSecondaryIndexes")["ByArtistAndYear"]
    assert keys(local["KeySchema"]) == [("Artist", "HASH"), ("Year", "RANGE")]
    assert local["Projection"] == {"ProjectionType": "KEYS_ONLY"}


def test_creates_what_is_set_after_the_table(run):
    state = run.states["created"]["Albums"]
    assert state["ttl"] == {"TimeToLiveStatus": "ENABLED", "AttributeName": "Expires"}
    assert state["recovery"] == "ENABLED"
    assert state["tags"] == {"Team": "music", "Stage": "test"}
    assert state["table"]["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert state["table"]["SSEDescription"]["Status"] == "ENABLED"
    assert state["table"]["SSEDescription"]["SSEType"] == "KMS"


def test_puts_the_item(run):
    sides = {"L": [{"M": {"Songs": {"N": "5"}}}, {"NULL": True}]}
    assert run.states["created"]["Albums"]["items"] == [{**BLUE, "Sides": sides}]


def test_creates_a_plain_table_on_demand(run):
    state = run.states["created"]["Sessions"]
    assert state["table"]["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert keys(state["table"]["KeySchema"]) == [("Token", "HASH")]
    assert state["ttl"] == {"TimeToLiveStatus": "DISABLED"}
    assert state["recovery"] == "DISABLED"
    assert not state["table"].keys() & {"StreamSpecification", "SSEDescription", "GlobalSecondaryIndexes"}


def test_removes_all_tags(run):
    assert run.states["created"]["Sessions"]["tags"] == {"Owner": "login"}
    assert run.states["changed"]["Sessions"]["tags"] == {}


def test_reads_a_table_as_a_data_source(run):
    assert 'sessions_hash_key = "Token"' in run.outputs["created"]


def test_changes_to_on_demand_and_back(run):
    albums = run.states["changed"]["Albums"]["table"]
    assert albums["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert units(albums["ProvisionedThroughput"]) == (0, 0)
    sessions = run.states["changed"]["Sessions"]["table"]
    assert sessions["BillingModeSummary"]["BillingMode"] == "PROVISIONED"
    assert units(sessions["ProvisionedThroughput"]) == (3, 4)


def test_adds_an_index(run):
    found = indexes(run.states["changed"]["Albums"]["table"])
    assert by_year(found.pop("ByYear")) == BY_YEAR
    assert found == {"ByLabel": {**BY_LABEL, "Projection": {"ProjectionType": "ALL"}}}


def test_disables_what_it_enabled(run):
    state = run.states["changed"]["Albums"]
    assert state["ttl"] == {"TimeToLiveStatus": "DISABLED"}
    assert state["recovery"] == "DISABLED"
    assert not state["table"].keys() & {"StreamSpecification", "SSEDescription"}


def test_enables_on_an_existing_table(run):
    state = run.states["changed"]["Sessions"]
    assert state["ttl"] == {"TimeToLiveStatus": "ENABLED", "AttributeName": "End"}
    assert state["recovery"] == "ENABLED"
    assert state["table"]["SSEDescription"]["Status"] == "ENABLED"
    again = run.states["changed_again"]["Sessions"]["table"]
    assert again["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}


def test_changes_tags(run):
    assert run.states["changed"]["Albums"]["tags"] == {"Stage": "production", "Cost": "42"}
    assert run.states["changed_again"]["Albums"]["tags"] == {}


def test_updates_the_item(run):
    sides = {"L": [{"NULL": True}]}
    assert run.states["changed"]["Albums"]["items"] == [{**BLUE, "Label": {"S": "Reprise"}, "Sides": sides}]


def test_changes_the_table_in_place(run):
    ids = [{state[table]["table"]["TableId"] for state in run.states.values()} for table in TABLES]
    assert [len(one) for one in ids] == [1, 1, 1]


def test_removes_an_index_and_replaces_another(run):
    found = indexes(run.states["changed_again"]["Albums"]["table"])
    assert found == {"ByLabel": {**BY_LABEL, "Projection": {"ProjectionType": "KEYS_ONLY"}}}


def test_enables_again_in_another_form(run):
    state = run.states["changed_again"]["Albums"]
    assert state["ttl"] == {"TimeToLiveStatus": "ENABLED", "AttributeName": "GoneAt"}
    assert state["table"]["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "OLD_IMAGE"}


def test_replaces_an_item_with_another_key(run):
    (item,) = run.states["changed_again"]["Albums"]["items"]
    assert item == {"Artist": {"S": "Joni Mitchell"}, "Title": {"S": "Hejira"}, "Label": {"S": "Asylum"}}


def test_changes_throughput(run):
    seen = [units(state["Counters"]["table"]["ProvisionedThroughput"]) for state in run.states.values()]
    assert seen == [(1, 2), (5, 1), (5, 1)]


def test_destroys_all(run):
    assert run.names_after == []


def test_no_request_failed_except_those_that_wait_for_the_end(run):
    failed = {(name, error) for name, status, error in run.project.requests() if status != 200}
    assert failed <= {("DescribeTable", "ResourceNotFoundException")}


def test_nothing_is_missing(run):
    assert len(run.project.requests()) > 50
    for log in run.project.logs:
        assert "is not built" not in log
        assert "UnknownOperationException" not in log
