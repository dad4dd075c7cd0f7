"""Every case of tests/cases/validation-cases.json, in both wordings of error texts.

pending.json names the cases whose operation or parameter is still to come. A pending case runs
too: when it passes in all its wordings it fails here until it is taken off the list.
"""

import json
import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from case_file import load
from case_runner import World, wordings
from client import Client
from conftest import PENDING
from server_process import GivenServer, Server, given_endpoint

FIXTURES, CASES = load()
PENDING_FILE = Path(__file__).with_name("pending.json")
PENDING_GROUPS = json.loads(PENDING_FILE.read_text())["pending"]
REASONS = {identity: group["reason"] for group in PENDING_GROUPS for identity in group["ids"]}


@pytest.fixture(scope="module")
def worlds():
    """wording -> World; with STATOR_ENDPOINT only the wording named by STATOR_WORDING."""
    with ExitStack() as stack:
        if given_endpoint():
            running = {os.environ.get("STATOR_WORDING", "current"): GivenServer(given_endpoint())}
        else:
            running = {
                wording: stack.enter_context(Server("--error-wording", wording, "--cors", "*"))
                for wording in ("current", "classic")
            }
        yield {w: World(stack.enter_context(closing(Client(s))), FIXTURES) for w, s in running.items()}


class closing(ExitStack):
    """Enters to the client itself and closes it at the end."""

    def __init__(self, client):
        super().__init__()
        self.client = client
        self.callback(client.close)

    def __enter__(self):
        return self.client


def test_pending_ids_exist_once():
    listed = [identity for group in PENDING_GROUPS for identity in group["ids"]]
    assert sorted(listed) == sorted(set(listed)), "an id is listed twice"
    known = {case["id"] for case in CASES}
    assert set(listed) <= known, f"not in the case file: {sorted(set(listed) - known)}"


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case, worlds):
    tried = [w for w in wordings(case) if w in worlds]
    if not tried:
        pytest.skip(f"only known for the wording {case['profile']}")
    reason = REASONS.get(case["id"])
    differences = []
    for wording in tried:
        try:
            found = worlds[wording].run(case, wording)
        except AssertionError as error:
            if not reason:
                raise
            found = [str(error)]
        differences += [f"{wording}: {difference}" for difference in found]
    if reason:
        PENDING.setdefault(reason, []).append(case["id"])
        assert differences, "passes: take it off pending.json"
        pytest.xfail(reason)
    assert not differences, "\n".join(differences)
