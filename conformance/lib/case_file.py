"""Reads tests/cases/validation-cases.json, which explains its own format in its member "about"."""

import json
import re

from checkout import ROOT

CASES_FILE = ROOT / "tests" / "cases" / "validation-cases.json"
MACRO = re.compile(r"\$\{(.)\*(\d+)\}")


def expand(value):
    """Replaces ${c*n} in every string, member names included."""
    if isinstance(value, str):
        return MACRO.sub(lambda m: m[1] * int(m[2]), value)
    if isinstance(value, list):
        return [expand(v) for v in value]
    if isinstance(value, dict):
        return {expand(k): expand(v) for k, v in value.items()}
    return value


def load():
    """(fixtures, cases), macros expanded; ids are checked to be unique."""
    content = expand(json.loads(CASES_FILE.read_text()))
    ids = [case["id"] for case in content["cases"]]
    assert len(ids) == len(set(ids)), "a case id appears twice"
    return content["fixtures"], content["cases"]
