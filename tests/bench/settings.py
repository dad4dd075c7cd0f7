#!/usr/bin/python3
"""What those settings cost that are on when nobody asks for them: requests with and without each, on
two servers in turns, by their CPU.

Throttling is observed on tables that serve all the load asks for, and on new ones, which the load asks
for far more than the cloud would grant: there nearly every request is told of."""

import argparse

import run

ROWS = (("GetItem", "getitem", 16), ("Query of 10 items", "query", 16), ("PutItem", "putitem", 16))
# More than any load of this bench asks for, and the most that is taken.
AMPLE = ",".join(f"{name}=10000000" for name in
                 ("partition-reads", "partition-writes", "on-demand-reads", "on-demand-writes",
                  "account-reads", "account-writes"))
# Title, flags that mean with and without, threads of each server.
SETTINGS = (
    ("observed throttling, nothing to tell", ["--throttling", "observe", "--capacity", AMPLE],
     ["--throttling", "off"], (1, 4)),
    ("observed throttling, all to tell", ["--throttling", "observe"], ["--throttling", "off"], (1, 4)),
    ("the last requests kept", ["--explain", "200"], ["--explain", "0"], (1,)),
)
GOAL = 1.03


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="folder of the programs")
    parser.add_argument("--seconds", type=float, default=2, help="of each run (2)")
    parser.add_argument("--rounds", type=int, default=7, help="of each row (7)")
    parser.add_argument("--only", default="", help="settings whose titles have this text")
    options = parser.parse_args()
    build = run.ROOT / options.build
    run.LOAD = build / "bench_load"
    run.STATOR = [str(build / "stator"), "--port", "0", "--log-level", "error"]
    goals = []
    for title, with_it, without, thread_counts in SETTINGS:
        if options.only not in title:
            continue
        for threads in thread_counts:
            flags = ["--threads", str(threads)]
            print(f"\n{title}, {threads} thread{'s' if threads > 1 else ''}")
            with run.Server(run.STATOR + flags + with_it) as on, \
                    run.Server(run.STATOR + flags + without) as off:
                ratios = run.compare(on, off, ROWS, options, ("with", "without"))
            goals += [(f"{row}, {title}, {threads}", ratio, "x", "at most", GOAL)
                      for row, ratio in ratios.items()]
    run.verdicts(goals)


if __name__ == "__main__":
    main()
