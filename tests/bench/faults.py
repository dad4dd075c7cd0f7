#!/usr/bin/python3
"""What fault rules that never match cost a request: ten of them, as many in a server that had them and has none now, and a
server with --faults off, in turns and under the same load. With --before another build of Stator has a row, too.

Figures are the server's CPU per request; ratios are medians over rounds. The limits of 1 and 3 % need a machine that does
nothing else: beside other work they say nothing."""

import argparse
import http.client
import json
import pathlib

import run

ROWS = (("GetItem", "getitem", 16), ("Query of 10 items", "query", 16), ("PutItem", "putitem", 16))
# One of each kind of member; no request of the load fits any.
RULES = [{"match": match, "effect": {"error": "InternalServerError"}} for match in (
    {"operation": "DescribeTable"}, {"operation": "transactions"}, {"table": "other*"}, {"index": "none"},
    {"key": {"nothing": "x*"}}, {"region": "eu-*"}, {"access_key": "other"}, {"user_agent": "other*"},
    {"header": {"x-test": "7"}}, {"operation": ["GetItem", "PutItem", "Query"], "table": "other"})]
# Name, and at most so much of the CPU without rules.
MODES = (("--faults off", 1.01), ("rules that were removed", 1.01), ("ten rules", 1.03))


def post(server, path, body):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("POST", f"/_stator/{path}", json.dumps(body))
    answer = connection.getresponse()
    told = answer.read()
    connection.close()
    assert answer.status == 200, told


def measured(servers, options):
    """(name, mode of the load) -> runs, in turns: each round has the same machine for all servers."""
    runs = {}
    for number in range(options.rounds + 1):
        for _, mode, connections in ROWS:
            names = list(servers)
            for name in names if number % 2 == 0 else reversed(names):
                one = servers[name].load(mode, options.seconds, connections)
                if number > 0:  # the first warms caches
                    runs.setdefault((name, mode), []).append(one)
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="folder of the programs")
    parser.add_argument("--before", help="another build of stator, whose requests may cost 1 %% less")
    parser.add_argument("--seconds", type=float, default=1, help="of each run (1)")
    parser.add_argument("--rounds", type=int, default=11, help="of each row (11)")
    options = parser.parse_args()
    build = run.ROOT / options.build
    run.LOAD = build / "bench_load"

    def flags(program):
        return [str(program), "--port", "0", "--log-level", "error", "--threads", "1"]

    stator = flags(build / "stator")
    servers = {"no rules": run.Server(stator), "--faults off": run.Server([*stator, "--faults", "off"]),
               "rules that were removed": run.Server(stator), "ten rules": run.Server(stator)}
    limits = dict(MODES)
    if options.before:
        servers["the build before"] = run.Server(flags(pathlib.Path(options.before)))
    for server in servers.values():
        server.prepare()
    for name in ("ten rules", "rules that were removed"):
        post(servers[name], "faults", {"rules": RULES})
    post(servers["rules that were removed"], "faults/clear", {})
    figures = measured(servers, options)
    for server in servers.values():
        server.__exit__()
    run.head()
    goals = []
    for title, mode, _ in ROWS:
        for name in servers:
            run.row(f"{name}: {title}", figures[name, mode])
        for name, most in limits.items():
            # A server without rules is never to cost more than one that cannot have any.
            pair = (("no rules", "--faults off") if name == "--faults off" else (name, "no rules"))
            goals.append((f"{' to '.join(pair)}: {title}", run.cpu_ratio(*(figures[one, mode] for one in pair)), "x",
                          "at most", most))
        if options.before:
            goals.append((f"no rules to the build before: {title}",
                          run.cpu_ratio(figures["no rules", mode], figures["the build before", mode]), "x", "at most", 1.01))
    run.verdicts(goals)


if __name__ == "__main__":
    main()
