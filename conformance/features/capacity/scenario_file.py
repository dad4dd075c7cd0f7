"""Reads tests/cases/partition-scenarios.json, which explains its own members in "schema"."""

import functools
import json

from checkout import ROOT
from places import keys_at

FILE = ROOT / "tests" / "cases" / "partition-scenarios.json"

# Parameters of the file, and the names that --capacity has for them.
FLAGS = {
    "burst_seconds": "burst-seconds",
    "initial_burst_seconds": "initial-burst-seconds",
    "partition_read_limit": "partition-reads",
    "partition_write_limit": "partition-writes",
    "partition_burst_seconds": "partition-burst-seconds",
    "account_table_read": "account-reads",
    "account_table_write": "account-writes",
    "account_burst_seconds": "account-burst-seconds",
    "adaptive_mode": "adaptive",
    "adaptive_delay_s": "adaptive-delay-seconds",
    "window_s": "window-seconds",
    "heat_split": "heat-split",
    "heat_threshold_pct": "heat-percent",
    "heat_windows": "heat-windows",
    "split_duration_s": "split-seconds",
    "od_growth_delay_s": "growth-delay-seconds",
    "od_initial_partitions": "on-demand-partitions",
    "od_initial_read": "on-demand-reads",
    "od_initial_write": "on-demand-writes",
    "od_max_burst_seconds": "on-demand-max-burst-seconds",
    "partition_max_bytes": "partition-bytes",
}


@functools.cache
def content():
    return json.loads(FILE.read_text())


def throughput_scenarios():
    return [scenario for scenario in content()["scenarios"] if scenario["type"] == "throughput"]


def auto_scaling_scenarios():
    return [scenario for scenario in content()["scenarios"] if scenario["type"] == "auto_scaling"]


def at_creation():
    """How many partitions a new table has, which is empty."""
    (scenario,) = [one for one in content()["scenarios"] if one["type"] == "partition_count"]
    return [case for case in scenario["cases"] if case["size_gib"] == 0]


def capacity_flag(scenario):
    """The value of --capacity for a scenario. "set_warm" stands for the end of warming, so that takes no time."""
    values = {"first-warming-seconds": 0}
    for name, value in {**content()["defaults"], **scenario.get("params", {})}.items():
        values[FLAGS[name]] = {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value
    if wants_fewer_partitions(scenario):
        values["partition-formula"] = "larger"
    return ",".join(f"{name}={value}" for name, value in values.items())


def wants_fewer_partitions(scenario):
    """Whether a table is to begin with fewer partitions than its reads and writes together would take: they
    cannot be merged, so reads and writes must not be added up."""
    def is_one(table):
        needed = table.get("read", 0) / 3000 + table.get("write", 0) / 1000
        return table.get("partitions", needed) < needed

    return any(is_one(one) for table in scenario["tables"] for one in [table, *table.get("gsis", [])])


def charges_of(request):
    for member in [request, *request.get("items", [])]:
        for charges in member.get("gsi_charges", {}).values():
            yield from charges


@functools.cache
def place_keys():
    """The partition key of each place that a scenario names; searched for once."""
    places = set()
    for scenario in throughput_scenarios():
        places.update(key["hash16"] for key in scenario["keys"].values())
        for step in scenario["steps"]:
            for request in step.get("requests", []):
                places.update(charge["hash16"] for charge in charges_of(request))
    return keys_at(frozenset(places))
