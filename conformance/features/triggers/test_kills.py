"""Records reach their function although the server is killed again and again. STATOR_LONG=1 kills 100 times."""

import os
import random

import pytest

from called import Functions, World, function_flags, keys_of
from own_servers import start  # noqa: F401

KILLS = 100 if os.environ.get("STATOR_LONG") == "1" else 10
KEYS = [f"k{number}" for number in range(5)]


@pytest.mark.parametrize("factor", [1, 3])
def test_kills_lose_nothing(start, tmp_path, factor):  # noqa: F811
    functions = Functions()
    draw = random.Random(7)
    flags = ("--db-path", tmp_path / "data", *function_flags(functions), "--lambda-retry-backoff", "0")
    written = {key: [] for key in KEYS}
    world = World(start(*flags), functions)
    table = world.table()
    world.map(table, ParallelizationFactor=factor, BatchSize=4)
    for number in range(KILLS):
        for value in range(draw.randint(1, 12)):
            key = draw.choice(KEYS)
            world.put(table, key, v=f"{number}.{value}")
            written[key].append(f"{number}.{value}")
        world.server.kill()
        world = World(start(*flags), functions)
    world.settle()
    seen = {key: [] for key in KEYS}
    for record in functions.records():
        values = seen[keys_of(record)]
        value = record["dynamodb"]["NewImage"]["v"]["S"]
        if value not in values:
            values.append(value)
    assert seen == written
    functions.close()
