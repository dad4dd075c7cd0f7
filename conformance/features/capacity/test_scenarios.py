"""The scenarios of throughput (tests/cases/partition-scenarios.json) over HTTP, with exact counts.

With `enforce` answers are counted; with `observe` everything is served, and the admin path tells of the same.

Not played here: P41 and P42, which test_limits.py has; of P40 (partitions at creation) the cases of tables with a size,
which test_sizes.py has; and P43 to P45, which are of Application Auto Scaling, a service of its own, and stand in
test_auto_scaling.py. The unit tests of engine/capacity have them all.
"""

import json
from collections import Counter

import pytest

from admin import Admin
from client import Client
from definitions import attributes, key_schema
from pipeline import Pipeline
from scenario_file import at_creation, capacity_flag, throughput_scenarios
from scenario_run import BATCH_MEMBERS, ScenarioRun, index_name, members_of, table_name

PROVISIONED = "ProvisionedThroughputExceededException"
SCENARIOS = throughput_scenarios()


def exception_of(reason, mode):
    """The exception that is documented for a reason."""
    if reason.endswith("ProvisionedThroughputExceeded"):
        return PROVISIONED
    if reason.endswith("AccountLimitExceeded"):
        return "RequestLimitExceeded"
    if reason.endswith("KeyRangeThroughputExceeded") and mode == "PROVISIONED":
        return PROVISIONED
    return "ThrottlingException"


def reasons_of(body, run):
    """The reasons of an exception, each with the resource it is about; the first one names the exception."""
    answer = json.loads(body)
    given = answer.get("ThrottlingReasons") or answer.get("throttlingReasons")
    tables = [table for table in run.scenario["tables"]
              if f":table/{table_name(table['name'])}" in given[0]["resource"]]
    assert len(tables) == 1, given
    arn = f"arn:aws:dynamodb:us-east-1:000000000000:table/{table_name(tables[0]['name'])}"
    indexes = [f"{arn}/index/{index_name(one['name'])}" for one in tables[0].get("gsis", [])]
    for one in given:
        assert one["resource"] in (indexes if one["reason"].startswith("Index") else [arn])
    assert answer["__type"].partition("#")[2] == exception_of(given[0]["reason"], tables[0]["mode"])
    return [one["reason"] for one in given]


class Answers:
    """What the answers to a step's requests add up to."""

    def __init__(self, step, run, counted):
        requests = step.get("requests", [])
        self.op = requests[0]["op"] if requests else ""
        self.counts, self.reasons, self.codes = Counter(accepted=0, throttled=0), Counter(), None
        many = run.is_many(step) and sum(one["n"] for one in requests) * step.get("ticks", 1)
        members = sum(item.get("n", 1) for one in requests for item in one.get("items", []))
        for (status, body), times in counted.items():
            self.counts["accepted" if status == 200 else "throttled"] += times
            if self.op.startswith("transact"):
                self._transaction(status, body)
            elif status != 200:
                self.reasons.update({reason: n * times for reason, n in Counter(reasons_of(body, run)).items()})
            if self.op.startswith("batch"):
                left = members_of(body) if status == 200 else members
                self.counts.update(processed=(members - left) * times, unprocessed=left * times)
        if many:
            self._batches(many, counted, requests)

    def _transaction(self, status, body):
        if status != 200:
            answer = json.loads(body)
            assert answer["__type"].endswith("#TransactionCanceledException"), answer
            self.codes = [one["Code"] for one in answer["CancellationReasons"]]

    def _batches(self, many, counted, requests):
        """Members of batches count as the requests that they stand for; all batches of a step that has
        refused ones whole are of one size."""
        left = sum(members_of(body) * times for (status, body), times in counted.items() if status == 200)
        refused = sum(times for (status, _), times in counted.items() if status != 200)
        size = BATCH_MEMBERS[self.op]
        assert not refused or all(one["n"] % size == 0 for one in requests)
        throttled = left + refused * size
        self.counts = Counter(accepted=many - throttled, throttled=throttled)


def check_enforced(step, run, came):
    expected = step["expect"]
    answers = Answers(step, run, came.counted)
    wanted = {name: value for name, value in expected.items() if isinstance(value, int)}
    assert {name: answers.counts[name] for name in wanted} == wanted
    assert answers.codes == expected.get("cancellation_codes")
    if not run.is_many(step) and not answers.op.startswith("batch"):
        assert answers.reasons == expected.get("reasons", {})


def check_observed(step, run, came):
    assert all(status == 200 for status, _ in came.counted), came.counted
    assert not any(members_of(body) for _, body in came.counted)
    sent = sum(came.counted.values())
    if "accepted" in step["expect"] and not run.is_many(step):
        assert sent == step["expect"]["accepted"] + step["expect"]["throttled"]


def check_told(step, run, came):
    """What the admin path tells of a step, in either mode."""
    expected = step["expect"]
    refused = [code for code in expected.get("cancellation_codes", []) if code != "None"]
    assert sum(came.throttled.values()) == sum(expected.get("reasons", {}).values()) + len(refused)
    if not refused:
        assert came.throttled == expected.get("reasons", {})
    for name, members in expected.get("state", {}).items():
        assert {member: run.state(name, member) for member in members} == members
    check_consumed(step, came)


def check_consumed(step, came):
    """Units are consumed by what passes, and by nothing else. Looked at where all requests of a step are alike."""
    alike = {json.dumps([one["op"], one.get("table"), one.get("index"), one.get("units"), one.get("gsi_charges")])
             for one in step.get("requests", [])}
    if len(alike) != 1 or "items" in step["requests"][0]:
        return
    request = step["requests"][0]
    passed = step["expect"]["accepted"]
    of = table_name(request["table"]), index_name(request["index"]) if "index" in request else ""
    expected = {(of, request["op"]): request["units"] * passed}
    for index, charges in request.get("gsi_charges", {}).items():
        expected[(of[0], index_name(index)), "write"] = sum(charge["units"] for charge in charges) * passed
    consumed = {(one, dimension): (came.after[one][dimension]["consumed_units"]
                                   - came.before[one][dimension]["consumed_units"])
                for one, dimension in expected}
    assert consumed == expected


@pytest.mark.parametrize("throttling", ["enforce", "observe"])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario["id"] for scenario in SCENARIOS])
def test_scenario(standing, scenario, throttling):
    with Pipeline(standing(throttling, capacity_flag(scenario))) as pipeline:
        run = ScenarioRun(pipeline, scenario, throttling)
        for step in scenario["steps"]:
            came = run.run(step)
            (check_enforced if throttling == "enforce" else check_observed)(step, run, came)
            check_told(step, run, came)


@pytest.mark.parametrize("case", at_creation(), ids=lambda case: case["why"])
def test_partitions_at_creation(standing, case):
    server = standing("observe", "first-warming-seconds=0")
    members = {"BillingMode": case["mode"]}
    if case["mode"] == "PROVISIONED":
        members["ProvisionedThroughput"] = {"ReadCapacityUnits": case["read"], "WriteCapacityUnits": case["write"]}
    else:
        members["WarmThroughput"] = {"ReadUnitsPerSecond": case["warm_read"], "WriteUnitsPerSecond": case["warm_write"]}
    Client(server).ok("CreateTable", TableName="made", KeySchema=key_schema("pk"),
                      AttributeDefinitions=attributes("pk:S"), **members)
    (told,) = Admin(server).ok("capacity")["tables"]
    assert len(told["partitions"]) == case["partitions"]
