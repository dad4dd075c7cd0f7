"""What aws-record's table configurations ask for at a program's start, replayed: describe, compare, then make or change
only what differs, wait, and set the time to live. Programs run it at every start, so the second run must change nothing."""

import secrets

import pytest
from botocore.exceptions import ClientError

from conftest import attributes, key_schema

UNITS = {"ReadCapacityUnits": 2, "WriteCapacityUnits": 1}
ON_DEMAND = "PAY_PER_REQUEST"


def index(name, *key):
    return {"IndexName": name, "KeySchema": key_schema(*key), "Projection": {"ProjectionType": "ALL"}}


class Configuration:
    """A table as a program declares it. `asked` is what its last migration asked for."""

    def __init__(self, client, name, attributes, indexes=(), units=None, ttl=None):
        self.client, self.name, self.attributes = client, name, attributes
        self.indexes, self.units, self.ttl = list(indexes), units, ttl
        self.asked = []

    def ask(self, operation, **members):
        self.asked.append(operation)
        return getattr(self.client, operation)(TableName=self.name, **members)

    def wait(self):
        self.client.get_waiter("table_exists").wait(TableName=self.name)

    def with_units(self, definition):
        return {**definition, **({"ProvisionedThroughput": self.units} if self.units else {})}

    def throughput_is_equal(self, table):
        if not self.units:
            return table.get("BillingModeSummary", {}).get("BillingMode") == ON_DEMAND
        return {name: table["ProvisionedThroughput"][name] for name in UNITS} == self.units

    def has_indexes(self, table):
        found = {one["IndexName"]: one for one in table.get("GlobalSecondaryIndexes", [])}
        return all(one["IndexName"] in found and all(
            found[one["IndexName"]][member] == one[member] for member in ("KeySchema", "Projection"))
            for one in self.indexes)

    def has_attributes(self, table):
        return all(one in table["AttributeDefinitions"] for one in self.attributes)

    def is_compatible(self):
        try:
            table = self.ask("describe_table")["Table"]
        except self.client.exceptions.ResourceNotFoundException:
            return False
        fits = self.throughput_is_equal(table) and self.has_indexes(table) and self.has_attributes(table)
        return fits and self.has_time_to_live()

    def has_time_to_live(self):
        if not self.ttl:
            return True
        found = self.ask("describe_time_to_live")["TimeToLiveDescription"]
        return found["TimeToLiveStatus"] in ("ENABLED", "ENABLING") and found.get("AttributeName") == self.ttl

    def create(self):
        billing = {} if self.units else {"BillingMode": ON_DEMAND}
        indexes = {"GlobalSecondaryIndexes": [self.with_units(one) for one in self.indexes]} if self.indexes else {}
        self.ask("create_table", KeySchema=key_schema("pk"), AttributeDefinitions=self.attributes, **indexes,
                 **self.with_units(billing))
        self.wait()

    def change_throughput(self, table):
        if not self.units:
            self.ask("update_table", BillingMode=ON_DEMAND)
        else:
            members = {"ProvisionedThroughput": self.units}
            if table.get("BillingModeSummary", {}).get("BillingMode") == ON_DEMAND:
                members["BillingMode"] = "PROVISIONED"
                updates = [{"Update": {"IndexName": one["IndexName"], "ProvisionedThroughput": self.units}}
                           for one in table.get("GlobalSecondaryIndexes", [])]
                members.update({"GlobalSecondaryIndexUpdates": updates} if updates else {})
            self.ask("update_table", **members)
        self.wait()

    def add_indexes(self, table):
        there = {one["IndexName"] for one in table.get("GlobalSecondaryIndexes", [])}
        created = [{"Create": self.with_units(one)} for one in self.indexes if one["IndexName"] not in there]
        self.ask("update_table", AttributeDefinitions=self.attributes, GlobalSecondaryIndexUpdates=created)
        self.wait()

    def migrate(self):
        self.asked = []
        try:
            table = self.ask("describe_table")["Table"]
            if not self.throughput_is_equal(table):
                self.change_throughput(table)
            if not self.has_indexes(table):
                self.add_indexes(table)
        except self.client.exceptions.ResourceNotFoundException:
            self.create()
        if not self.has_time_to_live():
            self.ask("update_time_to_live", TimeToLiveSpecification={"Enabled": True, "AttributeName": self.ttl})
        return self.asked


LOOKS = ["describe_table", "describe_time_to_live"]


@pytest.fixture
def declare(dynamodb):
    """declare(...) is a configuration of one table; it is deleted behind the test."""
    name = f"py_migrated_{secrets.token_hex(4)}"
    yield lambda *arguments, **more: Configuration(dynamodb, name, *arguments, **more)
    dynamodb.delete_table(TableName=name)


@pytest.mark.parametrize("units", [None, UNITS], ids=["on_demand", "provisioned"])
def test_a_table_is_made_once(declare, units):
    table = declare(attributes("pk:S g:S"), [index("by_g", "g")], units=units, ttl="expires")
    assert not table.is_compatible()
    assert table.migrate() == ["describe_table", "create_table", "describe_time_to_live", "update_time_to_live"]
    assert table.is_compatible()
    for _ in range(2):
        assert table.migrate() == LOOKS


def test_only_what_differs_is_changed(declare):
    table = declare(attributes("pk:S"), units=UNITS)
    table.migrate()
    for changed, calls in (
            (declare(attributes("pk:S"), units={**UNITS, "ReadCapacityUnits": 5}), ["update_table"]),
            (declare(attributes("pk:S")), ["update_table"]),
            (declare(attributes("pk:S g:S"), [index("by_g", "g")]), ["update_table"]),
            (declare(attributes("pk:S g:S"), [index("by_g", "g")], units=UNITS), ["update_table"])):
        assert not changed.is_compatible()
        assert changed.migrate() == ["describe_table", *calls]
        assert changed.is_compatible() and changed.migrate() == ["describe_table"]


def test_time_to_live_is_added_and_kept(declare):
    table = declare(attributes("pk:S"))
    table.migrate()
    with_ttl = declare(attributes("pk:S"), ttl="expires")
    assert not with_ttl.is_compatible()
    assert with_ttl.migrate() == [*LOOKS, "update_time_to_live"]
    assert with_ttl.is_compatible() and with_ttl.migrate() == LOOKS
    # A configuration that does not speak of it leaves it.
    assert table.migrate() == ["describe_table"] and with_ttl.is_compatible()
    with pytest.raises(ClientError, match="current AttributeName is expires"):
        declare(attributes("pk:S"), ttl="other").migrate()
