"""Many processes that wait for calls at once. STATOR_POLLERS=10000 is the long form, which needs as many descriptors."""

import os

from called import World
from own_servers import start  # noqa: F401
from runtime_client import Runtime
from server_process import wait_until

PROCESSES = int(os.environ.get("STATOR_POLLERS", "300"))


def test_many_waiting_processes_hold_little(start):  # noqa: F811
    world = World(start("--function", "f", "--max-connections", "1500"), None)
    world.map(world.table())
    runtimes = [Runtime(world.server) for _ in range(1000)]
    try:
        before = world.server.memory_kb("VmRSS")
        for runtime in runtimes:
            runtime.begin_poll()
        wait_until(lambda: world.processes() == 1000)
        assert world.server.memory_kb("VmRSS") - before < 20 * 1000
    finally:
        for runtime in runtimes:
            runtime.close()
    wait_until(lambda: world.processes() == 0)


def test_each_of_many_processes_has_its_turn(start):  # noqa: F811
    """They are served in the order in which they ask."""
    world = World(start("--function", "f", "--max-connections", str(PROCESSES + 100)), None)
    table = world.table()
    world.map(table, BatchSize=1, ParallelizationFactor=10)
    runtimes = [Runtime(world.server) for _ in range(PROCESSES)]
    for runtime in runtimes:
        runtime.begin_poll()
    wait_until(lambda: world.processes() == PROCESSES)
    names = [f"k{number}" for number in range(2 * PROCESSES)]
    for first in range(0, len(names), 25):
        world.db.batch_write_item(RequestItems={table: [
            {"PutRequest": {"Item": {"pk": {"S": name}}}} for name in names[first:first + 25]]})
    seen = []
    for _ in range(2):
        for runtime in runtimes:
            event = runtime.finish_poll()
            seen += event.keys
            assert runtime.respond(event).status == 202
            runtime.begin_poll()
    assert sorted(seen) == sorted(names)
    world.settle()
    for runtime in runtimes:
        runtime.close()
    wait_until(lambda: world.processes() == 0)
