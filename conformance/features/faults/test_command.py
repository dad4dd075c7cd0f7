"""`stator fault`: the rules of a server from the command line."""

import json

import pytest

from admin import Admin
from client import Client
from server_process import run_to_end


@pytest.fixture
def command(server, faults):
    """Runs `stator fault` with these words for the server of the test."""
    return lambda *words: run_to_end("fault", *words, "--endpoint", server.endpoint)


def lines(result):
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.splitlines()


def test_a_rule_is_made_listed_and_removed(server, command, faults):
    assert lines(command()) == ["no rules"]
    assert lines(command("add", "ListTables", "--name", "busy", "--times", "1", "--error",
                         "ThrottlingException")) == ["added busy"]
    assert lines(command("list")) == [
        'busy: fired 0 of 0 that fit: {"match":{"operation":["ListTables"]},"when":{"times":1},'
        '"effect":{"error":"ThrottlingException"}}']
    assert Client(server).send("ListTables", {}).error()[1] == "ThrottlingException"
    assert Client(server).send("ListTables", {}).status == 200
    (rule,) = map(json.loads, lines(command("list", "--json")))
    assert (rule["name"], rule["matched"], rule["fired"], rule["spent"]) == ("busy", 2, 1, True)
    assert lines(command("remove", "busy")) == ["1 rule removed"]
    assert faults.admin.ok("faults")["rules"] == []


def test_a_file_has_one_rule_or_several(command, tmp_path):
    file = tmp_path / "rules.json"
    rule = {"effect": {"error": "InternalServerError"}}
    for text, names in ((rule, ["a"]), ([rule, rule], ["b", "c"]), ({"rules": [rule]}, ["d"])):
        rules = text if isinstance(text, list) else text.get("rules", [text])
        named = [{**one, "name": name} for one, name in zip(rules, names)]
        file.write_text(json.dumps(named if isinstance(text, list) else
                                   {"rules": named} if "rules" in text else named[0]))
        assert lines(command("add", "-f", file)) == [f"added {name}" for name in names]
    assert lines(command("clear")) == ["4 rules removed"]


def test_wait_returns_once_the_rule_has_fired(server, command):
    lines(command("add", "ListTables", "--name", "r", "--drop", "before", "--times", "2"))
    late = command("wait", "r", "--timeout", "2")
    assert (late.returncode, late.stdout) == (1, "")
    assert late.stderr == "stator: r fired 0 times, not 1\n"
    Admin(server).ok("faults", {"name": "r", "match": {"operation": "ListTables"}, "when": {"times": 2},
                                "effect": {"error": "InternalServerError"}})
    for _ in range(2):
        Client(server).send("ListTables", {})
    assert lines(command("wait", "r", "--fired", "2")) == ["r fired 2 times"]
    assert command("wait", "r", "--fired", "3").stderr == "stator: r fired 2 times and is spent\n"


def test_mistakes_have_the_servers_words(command, tmp_path):
    for words, told in ((("add", "PutItm", "--drop", "after"), "did you mean PutItem?"),
                        (("remove", "none"), "there is no rule of this name"),
                        (("wait", "none"), "there is no rule of this name"),
                        (("add", "-f", tmp_path / "none"), "none")):
        result = command(*words)
        assert (result.returncode, result.stdout) == (1, "")
        assert told in result.stderr and result.stderr.count("\n") == 1
