#!/usr/bin/python3
"""What access control costs a request, in the server's CPU: a server that verifies signatures, and two that
also decide, by policies of ten statements and by partition keys, each beside one with --auth off, in turns and
under the same load."""

import argparse
import json
import os
import pathlib
import statistics
import tempfile

import run

SECRET = "bench/secret+0123456789abcdefghijklmnopqr"
ACCOUNT = "000000000000"
ROWS = (("GetItem", "getitem", 16), ("Query of 10 items", "query", 16), ("PutItem", "putitem", 16))


def policy(condition=None):
    """Ten statements, of which the last one allows: what comes before has to be looked at, too."""
    actions = ["BatchGetItem", "Scan", "DeleteItem", "UpdateItem", "DescribeTable", "ListTables", "TagResource",
               "CreateBackup"]
    others = [{"Effect": "Allow", "Action": f"dynamodb:{action}", "Resource": f"arn:aws:dynamodb:*:*:table/other{i}"}
              for i, action in enumerate(actions)]
    last = {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "arn:aws:dynamodb:*:*:table/*"}
    if condition:
        last["Condition"] = condition
    return {"Version": "2012-10-17", "Statement": [
        {"Effect": "Deny", "Action": "dynamodb:DeleteTable", "Resource": "*"}, *others, last]}


# Every key matches, but is compared.
BY_KEYS = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["${aws:username}-*", "*"]}}
# Name, --auth, policy, and at most so many microseconds more than with --auth off.
MODES = (("signature", "signature", policy(), 4.0), ("iam", "iam", policy(), 6.0),
         ("iam by partition keys", "iam", policy(BY_KEYS), 7.0))


def access_file(folder, name, document):
    path = pathlib.Path(folder) / f"{name}.json"
    path.touch(0o600)
    path.write_text(json.dumps({"version": 1, "account": ACCOUNT, "principals": [{
        "arn": f"arn:aws:iam::{ACCOUNT}:user/bench", "policies": [document],
        "keys": [{"id": "AKIAIOSFODNN7EXAMPLE", "secret": SECRET}]}]}))
    return path


class SignedServer(run.Server):
    """Its requests are signed with the secret."""

    def load_command(self, mode, *more):
        return super().load_command(mode, *more) + ["--secret", SECRET]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="folder of the programs")
    parser.add_argument("--seconds", type=float, default=1, help="of each run (1)")
    parser.add_argument("--rounds", type=int, default=7, help="of each row (7)")
    options = parser.parse_args()
    build = run.ROOT / options.build
    run.LOAD = build / "bench_load"
    run.STATOR = [str(build / "stator"), "--port", "0", "--log-level", "error", "--threads", "1"]
    goals = []
    with tempfile.TemporaryDirectory() as folder, SignedServer(run.STATOR) as off:
        servers = {name: SignedServer(run.STATOR + [
            "--auth", auth, "--access-file", str(access_file(folder, name, document)), "--console-token", "none"])
            for name, auth, document, _ in MODES}
        for server in (off, *servers.values()):
            server.prepare()
        figures = measured({"off": off, **servers}, options)
        for server in servers.values():
            server.__exit__()
    run.head()
    for title, mode, _ in ROWS:
        for auth in ("off", *servers):
            run.row(f"--auth {auth}: {title}", figures[auth, mode])
        for auth, _, _, most_us in MODES:
            more_us = statistics.median(with_it["cpu_us"] - without["cpu_us"] for with_it, without in
                                        zip(figures[auth, mode], figures["off", mode]))
            goals.append((f"--auth {auth}: {title}, more than off", more_us, "us", "at most", most_us))
    run.verdicts(goals)


def measured(servers, options):
    """(name, mode of the load) -> runs, in turns: each round has the same machine for all servers."""
    runs = {}
    for number in range(options.rounds + 1):
        for _, mode, connections in ROWS:
            for name, server in servers.items():
                one = server.load(mode, options.seconds, connections)
                if number > 0:  # the first warms caches
                    runs.setdefault((name, mode), []).append(one)
    return runs


if __name__ == "__main__":
    os.umask(0o077)
    main()
