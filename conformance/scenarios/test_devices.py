"""Devices: meters with measurements, status and configuration; sensors with write-sharded keys."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from heapq import merge

import pytest

import scenario
from scenario import Index, same

METERS, SHARDS = 90, 12
FIRST = 1_767_225_600  # 2026-01-01, in seconds
STATES = ("offline", "ok", "tampered")


def meter(number):
    return f"meter-{number:03d}"


def generate_measurements(data):
    for number in range(METERS):
        at = FIRST + data.randrange(900)
        for _ in range(112):
            at += data.randrange(1, 900)
            yield {"meter": meter(number), "at": at, "watts": data.randrange(-500, 9000),
                   "volts": Decimal(data.randrange(21_000_001, 25_000_000, 2)) / 100_000}


@pytest.fixture(scope="module")
def measurements(new_store):
    store = new_store("meter:S at:N")
    store.load(generate_measurements(scenario.generator("measurements")))
    assert len(store.rows) >= scenario.ITEMS
    return store


@pytest.fixture(scope="module")
def status(new_store):
    """What each meter says of itself now; `state` is the key of an index."""
    data = scenario.generator("status")
    store = new_store("meter:S", by_state=Index("state:S since:N", "KEYS_ONLY"))
    store.load({"meter": meter(number), "state": data.choice(STATES), "since": FIRST + data.randrange(10**6),
                "firmware": f"1.{data.randrange(5)}"} for number in range(METERS))
    return store


@pytest.fixture(scope="module")
def configurations(new_store):
    """Every version of every meter's configuration stays."""
    data = scenario.generator("configurations")
    store = new_store("meter:S version:N")
    store.load({"meter": meter(number), "version": version, "interval": data.choice((5, 15, 60)),
                "tariff": {"day": Decimal(data.randrange(1, 10)) / 10, "zones": data.sample(range(9), 3)}}
               for number in range(METERS) for version in range(1, data.randrange(2, 14)))
    return store


def latest(store, number):
    answer = store.client.query(
        TableName=store.name, KeyConditionExpression="meter = :m", ConsistentRead=True, Limit=1, ScanIndexForward=False,
        ExpressionAttributeValues={":m": {"S": meter(number)}})
    assert answer["Count"] == answer["ScannedCount"] == 1
    return scenario.to_row(answer["Items"][0])


def test_latest_values(measurements, configurations):
    for store, order in ((measurements, "at"), (configurations, "version")):
        for number in range(METERS):
            mine = [row for row in store.rows.values() if row["meter"] == meter(number)]
            assert latest(store, number) == max(mine, key=lambda row: row[order])


def test_new_values_become_the_latest(measurements):
    data = scenario.generator("new measurements")
    for number in data.sample(range(METERS), 25):
        row = {"meter": meter(number), "at": FIRST + 10**7 + data.randrange(99), "watts": data.randrange(9000)}
        measurements.load([row])
        assert latest(measurements, number) == row


def test_measurements_of_a_span(measurements):
    data = scenario.generator("spans")
    for _ in range(80):
        name, start = meter(data.randrange(METERS)), FIRST + data.randrange(60_000)
        low, high = start, start + data.choice((0, 900, 86_400))
        found = measurements.check("meter = :m AND #at BETWEEN :low AND :high", {"m": name, "low": low, "high": high},
                                   lambda row: row["meter"] == name and low <= row["at"] <= high)
        wanted = [row for row in measurements.rows.values() if row["meter"] == name and low <= row["at"] <= high]
        assert sum(row["watts"] for row in found) == sum(row["watts"] for row in wanted)


def test_unusual_values_are_filtered(measurements):
    limit = Decimal("249.5")
    found = measurements.scan(values={"v": limit, "zero": 0}, FilterExpression="volts > :v OR watts < :zero")
    same(found, [r for r in measurements.rows.values() if r.get("volts", 0) > limit or r["watts"] < 0])


def test_states_change(status):
    data = scenario.generator("state changes")
    for _ in range(200):
        row = status.rows[(meter(data.randrange(METERS)),)]
        before, row["state"] = row["state"], data.choice(STATES)
        row["since"] += 60
        status.update(row, "SET #state = :new, since = since + :sixty",
                      {"new": row["state"], "old": before, "sixty": 60},
                      ConditionExpression="#state = :old")
    status.settle()
    for state in STATES:
        status.check("#state = :s", {"s": state}, lambda entry: entry["state"] == state, "by_state", descending=True)
    status.check_everything()


def test_configuration_versions(configurations):
    """A version is written once; earlier ones can be compared."""
    refused = configurations.client.exceptions.ConditionalCheckFailedException
    for number in range(0, METERS, 6):
        newest = latest(configurations, number)
        with pytest.raises(refused):
            configurations.client.put_item(TableName=configurations.name, Item=scenario.to_item(newest),
                                           ConditionExpression="attribute_not_exists(version)")
        configurations.load([{**newest, "version": newest["version"] + 1, "interval": 1}])
        assert latest(configurations, number)["version"] == newest["version"] + 1
        configurations.check("meter = :m AND version < :v", {"m": meter(number), "v": newest["version"]},
                             lambda row: row["meter"] == meter(number) and row["version"] < newest["version"])


SENSORS = ("device-abc", "device-def", "device-xyz")


def generate_readings(data):
    """A busy device spreads its readings over SHARDS keys, `device-abc#1` to `device-abc#12`."""
    for device in SENSORS:
        at = FIRST * 1000
        for _ in range(scenario.ITEMS // len(SENSORS) + 1):
            at += data.randrange(1, 2000)
            yield {"shard": f"{device}#{data.randrange(1, SHARDS + 1)}", "at": at,
                   "value": Decimal(data.randrange(-4000, 12_000)) / 100}


@pytest.fixture(scope="module")
def readings(new_store):
    store = new_store("shard:S at:N")
    store.load(generate_readings(scenario.generator("readings")))
    return store


def fan_out(store, device, condition, values, **members):
    """The same query on every shard at once; the answers, one list per shard."""
    def read(shard):
        return store.query("#shard = :shard" + condition, {"shard": f"{device}#{shard}", **values}, **members)

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(read, range(1, SHARDS + 1)))


@pytest.mark.parametrize("device", SENSORS)
def test_shards_together_are_the_device(readings, device):
    mine = [row for row in readings.rows.values() if row["shard"].startswith(device + "#")]
    moments = sorted(row["at"] for row in mine)
    data = scenario.generator(f"fan out {device}")
    for low, high in [sorted(data.sample(moments, 2)) for _ in range(6)] + [(0, moments[-1])]:
        parts = fan_out(readings, device, " AND #at BETWEEN :low AND :high", {"low": low, "high": high})
        together = list(merge(*parts, key=lambda row: row["at"]))
        assert together == sorted((r for r in mine if low <= r["at"] <= high), key=lambda r: r["at"])


@pytest.mark.parametrize("device", SENSORS)
def test_latest_over_all_shards(readings, device):
    """One row of each shard is enough to know the newest ten of no shard, but the newest of all."""
    mine = sorted((r for r in readings.rows.values() if r["shard"].startswith(device + "#")), key=lambda r: -r["at"])
    newest = []
    for shard in range(1, SHARDS + 1):
        answer = next(readings.query_pages("#shard = :s", {"s": f"{device}#{shard}"}, descending=True, Limit=10))
        newest += [scenario.to_row(item) for item in answer["Items"]]
    assert sorted(newest, key=lambda r: -r["at"])[:10] == mine[:10]
    assert max(newest, key=lambda r: r["at"]) == mine[0]


def test_an_absent_shard_is_empty(readings):
    assert readings.query("#shard = :s", {"s": "device-abc#0"}) == []
    assert readings.query("#shard = :s", {"s": "device-abc"}) == []
