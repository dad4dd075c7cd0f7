"""Faults drawn from a seed are the same in each run, on any number of connections."""

import threading

from admin import Admin
from client import Client
from raw_client import Connection, authorization, request

CONNECTIONS, REQUESTS = 16, 10_000
RULES = [
    {"name": "puts", "match": {"operation": "PutItem"}, "when": {"probability": 0.05},
     "effect": {"error": "InternalServerError"}},
    {"name": "gets", "match": {"operation": "GetItem"}, "when": {"probability": 0.03}, "effect": {"http": {"status": 503}}},
    {"name": "updates", "match": {"operation": "UpdateItem"}, "when": {"probability": 0.1, "count_by": "client"},
     "effect": {"error": "ProvisionedThroughputExceededException"}},
    {"name": "deletes", "match": {"operation": "DeleteItem", "key": {"pk": "*"}},
     "when": {"probability": 0.2, "count_by": "key"}, "effect": {"error": "ThrottlingException"}},
]


def work(server, number, told):
    """The share of one connection, which has an access key of its own; `told` gets the faults in their order."""
    key = {"pk": {"S": str(number)}}
    bodies = [("PutItem", {"TableName": "t01", "Item": key}), ("GetItem", {"TableName": "t01", "Key": key}),
              ("UpdateItem", {"TableName": "t01", "Key": key}), ("DeleteItem", {"TableName": "t01", "Key": key})]
    headers = {"Authorization": authorization(key=f"c{number}")}
    with Connection(server) as connection:
        for i in range(REQUESTS // CONNECTIONS):
            operation, body = bodies[i % len(bodies)]
            answer = connection.exchange(request(operation, body, headers))
            fault = answer.get("x-stator-fault")
            assert (answer.status == 200) == (fault is None), answer
            if fault is not None:
                told.append((i, fault))


def run(start):
    """The faults of each connection."""
    server = start("--fault-seed", "7")
    Client(server).create_table("t01")
    Admin(server).ok("faults", {"rules": RULES})
    told = [[] for _ in range(CONNECTIONS)]
    failed = []

    def guarded(number):
        try:
            work(server, number, told[number])
        except BaseException as error:  # pylint: disable=broad-except
            failed.append(error)

    workers = [threading.Thread(target=guarded, args=(number,)) for number in range(CONNECTIONS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failed == []
    return told


def of_rules(told, *names):
    """The faults of these rules by connection, without the others."""
    return [[(i, fault) for i, fault in faults if fault.partition(";")[0][len("rule="):] in names] for faults in told]


def test_a_seed_gives_the_same_faults_on_many_connections(start):
    first, second = run(start), run(start)
    # Which connection has the nth request is a matter of time; which numbers fail is not.
    for name in ("puts", "gets"):
        one, other = ([fault for faults in of_rules(told, name) for _, fault in faults] for told in (first, second))
        assert sorted(one) == sorted(other)
        assert len(set(one)) == len(one) > 50
    # What is counted for each client or item is the same to the last request. Its n is the number among those of all.
    one, other = ([[(i, fault.partition(";")[0]) for i, fault in faults] for faults in of_rules(told, "updates", "deletes")]
                  for told in (first, second))
    assert one == other
    assert all(one)
