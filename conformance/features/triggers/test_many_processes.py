"""Many processes that wait for calls at once. STATOR_POLLERS=10000 is the long form, which needs as many descriptors."""

import http.client
import os
import select

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


def answered(runtimes):
    """Those whose poll has an answer."""
    waiting = {runtime.connection.sock: runtime for runtime in runtimes}
    readable, _, _ = select.select(list(waiting), [], [], 0)
    return [waiting[sock] for sock in readable]


def test_the_limit_of_connections_bounds_them(start):  # noqa: F811
    """Those above it are refused, and none that waits is given up for them."""
    limit, more = 40, 20
    world = World(start("--function", "f", "--max-connections", str(limit)), None)
    runtimes = [Runtime(world.server) for _ in range(limit + more)]
    for runtime in runtimes:
        runtime.begin_poll()
    refused = wait_until(lambda: len(seen := answered(runtimes)) >= more and seen, what="refusals")
    assert len(refused) == more
    for runtime in refused:
        got = runtime.connection.getresponse()
        assert got.status == 503, got.status
        runtime.close()
    waiting = [runtime for runtime in runtimes if runtime not in refused]
    # The health check has room beside them, and what leaves makes room for others.
    wait_until(lambda: is_healthy(world.server), what="health")
    for runtime in waiting[:10]:
        runtime.close()
    waiting = waiting[10:]
    table = wait_until(lambda: make_table(world), what="room")
    world.map(table)
    world.put(table, "a")
    [runtime] = wait_until(lambda: answered(waiting), what="a call")
    assert runtime.finish_poll().keys == ["a"]
    for runtime in waiting:
        runtime.close()


def is_healthy(server):
    line = http.client.HTTPConnection(server.host, server.port, timeout=60)
    line.request("GET", "/healthz")
    status = line.getresponse().status
    line.close()
    return status == 200


def make_table(world):
    """The server notices a moment later that connections have gone."""
    try:
        return world.table()
    except world.db.exceptions.ClientError:
        return None
