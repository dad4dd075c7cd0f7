"""The steps of behaviour/*.json through the SDK, and how their runner refuses what it cannot judge."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

import behaviour
from scenario import unique_name

FILES = sorted((Path(__file__).parent / "behaviour").glob("*.json"))
SCENARIOS = [(path.stem, scenario) for path in FILES for scenario in behaviour.load(path)]
assert SCENARIOS


@pytest.mark.parametrize("scenario", [pytest.param(s, id=f"{stem}: {s['name']}") for stem, s in SCENARIOS])
def test_behaviour(caller, server, name_of_sdk, year_of_sdk, scenario):
    if name_of_sdk in scenario.get("except", {}):
        pytest.skip(scenario["except"][name_of_sdk])
    if scenario.get("since", 0) > year_of_sdk:
        pytest.skip("this SDK is older than what the scenario uses")
    run = behaviour.Run(caller, unique_name("table"), urlsplit(server.endpoint).netloc)
    try:
        run.scenario(scenario)
    finally:
        run.clean()


@pytest.mark.parametrize("steps", [
    [], [{}], [{"call": "GetItem", "input": {}}], [{"call": "GetItem", "out": {}, "error": "x"}],
    [{"each": [], "steps": [{"call": "Scan"}]}], [{"each": [{}], "steps": []}],
    [{"each": [{}], "steps": [{"call": "Scan"}], "out": {}}],
    [{"call": "Scan", "out": {"Items": [{"$any": 1}]}}], [{"call": "Scan", "out": {"$has": {}, "Count": 0}}],
])
def test_steps_that_cannot_be_run(steps):
    with pytest.raises(AssertionError):
        behaviour.check_steps(steps, "here")


@pytest.mark.parametrize("expected, found", [
    ({}, {"Count": 0}), ({"Count": 1}, {}), ({"Count": 1}, {"Count": 2}), ({"a": True}, {"a": 1}), ([1], [1, 1]),
    ({"N": "1"}, {"N": 1}), ({"SS": ["a", "b"]}, {"SS": ["b"]}), ({"L": [1, 2]}, {"L": [2, 1]}), ("1", None),
    ({"$has": {"a": 1}}, {"b": 1}), ({"$has": {"a": {"$absent": True}}}, {"a": 1}), ({"$matches": "a+"}, "aab"),
    ({"$date": [2020, 2100]}, 1.7e9), ({"$date": [2020, 2100]}, {"$date": 1.7e12}), ({"$not": "a"}, "a"),
    ({"$unordered": [1, 1]}, [1, 2]), ({"$unordered": [1]}, [1, 1]), ({"$any": 1}, 1),
])
def test_differences_are_found(expected, found):
    with pytest.raises(AssertionError):
        behaviour.compare(expected, found, "here")


def test_bindings():
    assert behaviour.bindings([["a", "b"], [1, 2]]) == behaviour.bindings([{"a": 1, "b": 2}])
    for rows in ([["a"]], [["a"], [1, 2]]):
        with pytest.raises(AssertionError):
            behaviour.bindings(rows)


def test_values_are_filled_in():
    names = {"one": {"S": "${text}"}, "text": "t"}
    assert behaviour.filled(["${one}", "a${text}${bc*2}", {"$wrap": [1, 2]}, {"$wrap": [1, 1, "L"]}], names) == [
        {"S": "t"}, "atbcbc", {"L": [{"M": {"é": 1}}]}, {"L": [1]}]
    with pytest.raises(AssertionError):
        behaviour.filled("${absent}", names)
