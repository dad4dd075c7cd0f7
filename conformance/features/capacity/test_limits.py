"""How often throughput may be lowered and the mode be changed in a day: P41 and P42 of the scenarios, over HTTP.

Where throughput is enforced they are refused: while observing, everything is done as it is asked for, and told of. What
would have been refused does not count, so that the sequences come to the same.
"""

import re
import urllib.request
from datetime import timedelta

import pytest

from admin import Admin
from client import Client
from scenario_file import content
from scenario_run import BEGIN
from server_process import START_DEADLINE_S

ISO = "%Y-%m-%dT%H:%M:%SZ"
MANY = 1000


def scenario(type):
    (found,) = [one for one in content()["scenarios"] if one["type"] == type]
    return found


def long_date(second):
    """As errors tell it: Friday, October 9, 2026 at 1:21:34 AM Coordinated Universal Time"""
    at = BEGIN + timedelta(seconds=second)
    hour = at.hour % 12 or 12
    return f"{at:%A}, {at:%B} {at.day}, {at.year} at {hour}:{at:%M:%S %p} Coordinated Universal Time"


def units(read, write):
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


class Changes:
    """A table with an index, and its changes at given seconds of a day."""

    def __init__(self, server):
        self.server, self.client, self.admin, self.now_s = server, Client(server), Admin(server), 0
        index = {"IndexName": "by_g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                 "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": units(MANY, MANY)}
        self.client.ok("CreateTable", TableName="Things", ProvisionedThroughput=units(MANY, MANY),
                       KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}], GlobalSecondaryIndexes=[index],
                       AttributeDefinitions=[{"AttributeName": one, "AttributeType": "S"} for one in ("pk", "g")])

    def at(self, second):
        if second != self.now_s:
            self.admin.move(set=(BEGIN + timedelta(seconds=second)).strftime(ISO))
        self.now_s = second

    def told(self):
        return self.client.describe("Things")["ProvisionedThroughput"]


@pytest.fixture
def changes(standing):
    return lambda throttling: Changes(standing(throttling))


@pytest.mark.parametrize("throttling", ["enforce", "observe"])
def test_decreases(changes, throttling):
    table, reads, last_s, limited = changes(throttling), MANY, None, 0
    for call in scenario("decrease_quota")["calls"]:
        table.at(call["time_s"])
        write = table.told()["WriteCapacityUnits"]
        if call.get("increase_only"):
            wanted = units(reads, write + 1)
        else:
            wanted = units(reads - 1, write + (1 if call.get("mixed_up_and_down") else 0))
        if call["accepted"]:
            table.client.ok("UpdateTable", TableName="Things", ProvisionedThroughput=wanted)
            reads = wanted["ReadCapacityUnits"]
            last_s = last_s if call.get("increase_only") else call["time_s"]
        elif throttling == "observe":
            table.client.ok("UpdateTable", TableName="Things", ProvisionedThroughput=wanted)
            reads = wanted["ReadCapacityUnits"]
        else:
            status, error, message = table.client.error("UpdateTable", TableName="Things", ProvisionedThroughput=wanted)
            assert (status, error) == (400, "LimitExceededException")
            assert message == (
                "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. "
                "After the first 4 decreases, each subsequent decrease in the same UTC day can be performed at most "
                f"once every 3600 seconds. Number of decreases today: {call['count_after']}. "
                f"Last decrease at {long_date(last_s)}. Next decrease can be made at {long_date(call['next_allowed_s'])}")
        assert table.told()["NumberOfDecreasesToday"] == call["count_after"]
        assert table.told()["ReadCapacityUnits"] == reads
        limited += not call["accepted"]
        assert told_of(table).get("Decrease", 0) == limited


def test_table_and_index_are_counted_apart_and_refused_together(changes):
    table = changes("enforce")
    index = lambda reads: [{"Update": {"IndexName": "by_g", "ProvisionedThroughput": units(reads, MANY)}}]
    for reads in range(MANY - 1, MANY - 5, -1):
        table.client.ok("UpdateTable", TableName="Things", GlobalSecondaryIndexUpdates=index(reads))
    both = {"ProvisionedThroughput": units(1, 1), "GlobalSecondaryIndexUpdates": index(1)}
    status, error, _ = table.client.error("UpdateTable", TableName="Things", **both)
    assert (status, error) == (400, "LimitExceededException")
    assert table.told()["ReadCapacityUnits"] == MANY
    table.client.ok("UpdateTable", TableName="Things", ProvisionedThroughput=units(1, 1))


@pytest.mark.parametrize("throttling", ["enforce", "observe"])
def test_switches(changes, throttling):
    table, accepted, limited = changes(throttling), [], 0
    table.client.ok("UpdateTable", TableName="Things", GlobalSecondaryIndexUpdates=[
        {"Delete": {"IndexName": "by_g"}}])
    for call in scenario("mode_switch_quota")["calls"]:
        table.at(call["time_s"])
        limited += not call["accepted"]
        wanted = {"BillingMode": call["to"]}
        if call["to"] == "PROVISIONED":
            wanted["ProvisionedThroughput"] = units(5, 5)
        if call["accepted"]:
            table.client.ok("UpdateTable", TableName="Things", **wanted)
            accepted += [call["time_s"]] if call["to"] == "PAY_PER_REQUEST" else []
            assert told_of(table).get("OnDemandSwitch", 0) == limited
            continue
        if throttling == "observe":
            # Served; the scenario goes on in provisioned mode, to which a table may go back at any time.
            table.client.ok("UpdateTable", TableName="Things", **wanted)
            table.client.ok("UpdateTable", TableName="Things", BillingMode="PROVISIONED", ProvisionedThroughput=units(5, 5))
            continue
        status, error, message = table.client.error("UpdateTable", TableName="Things", **wanted)
        assert (status, error) == (400, "LimitExceededException")
        assert message == (
            "Subscriber limit exceeded: Update to PayPerRequest mode are limited to 4 times in 1 day(s). "
            f"Last update at {long_date(accepted[-1])}. Next update can be made at {long_date(accepted[-4] + 86400)}")
    assert told_of(table).get("OnDemandSwitch", 0) == limited


def told_of(table, index=""):
    (one,) = [one for one in table.admin.ok("capacity")["tables"] if one.get("index", "") == index]
    return one["limited_changes"]


def test_observed_tables_are_served_and_told_of(changes):
    table = changes("observe")
    for reads in range(MANY - 1, MANY - 11, -1):
        table.client.ok("UpdateTable", TableName="Things", ProvisionedThroughput=units(reads, MANY))
    assert table.told()["NumberOfDecreasesToday"] == 4
    for reads in range(MANY - 1, MANY - 6, -1):
        table.client.ok("UpdateTable", TableName="Things", GlobalSecondaryIndexUpdates=[
            {"Update": {"IndexName": "by_g", "ProvisionedThroughput": units(reads, MANY)}}])
    assert (told_of(table), told_of(table, "by_g")) == ({"Decrease": 6}, {"Decrease": 1})
    table.admin.move(advance="1m")
    line = r"table Things: 7 decreases of throughput would have been refused: LimitExceededException of index by_g"
    assert len(table.server.wait_for_log(line)) == 1
    with urllib.request.urlopen(table.server.endpoint + "/metrics", timeout=START_DEADLINE_S) as answer:
        page = answer.read().decode()
    assert re.search(r'stator_limited_changes_total\{[^}]*table="Things"[^}]*change="Decrease"[^}]*\} 6', page)
    assert table.server.stop() == 0
    assert "in all, of table Things: 7 decreases of throughput would have been refused" in table.server.log()


def test_observed_switches(changes):
    table = changes("observe")
    table.client.ok("UpdateTable", TableName="Things", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by_g"}}])
    for _ in range(6):
        table.client.ok("UpdateTable", TableName="Things", BillingMode="PAY_PER_REQUEST")
        table.client.ok("UpdateTable", TableName="Things", BillingMode="PROVISIONED",
                        ProvisionedThroughput=units(5, 5))
    assert told_of(table)["OnDemandSwitch"] == 2


def test_refused_changes_are_told_of(changes):
    table = changes("enforce")
    for reads in range(MANY - 1, MANY - 5, -1):
        table.client.ok("UpdateTable", TableName="Things", ProvisionedThroughput=units(reads, MANY))
    assert told_of(table) == {}
    table.client.error("UpdateTable", TableName="Things", ProvisionedThroughput=units(1, 1))
    assert told_of(table) == {"Decrease": 1}
