"""A run that needs more than its policy grants fails, and tells all that is missing: cases/limits."""

import shutil

import pytest

from projects import SUITE, Run, copy_without_tests, place_of_tests

TESTS = {"jest": "jest.test.js", "vitest": "vitest.test.mjs", "pytest": "test_limits.py", "go": "limits_test.go",
         "junit": "LimitsTest.java"}
# How the output counts three tests of which one needs more.
COUNTS = {"jest": "1 failed, 2 passed, 3 total", "vitest": "1 failed | 2 passed (3)", "pytest": "3 passed, 1 error",
          "go": "--- FAIL: TestNeedsMore", "junit": "Tests run: 3, Failures: 1, Errors: 0"}


@pytest.mark.parametrize("language", TESTS)
def test_a_run_that_needs_more_than_its_policy(language, tmp_path, program):
    project = copy_without_tests(language, tmp_path / "project")
    folder = place_of_tests(language, project)
    folder.mkdir(exist_ok=True)
    shutil.copy(SUITE / "cases" / "limits" / TESTS[language], folder)
    with Run(language, project, STATOR=str(program)) as run:
        assert run.wait() != 0
        output = run.output()
        run.expect_nothing_left(program)
    assert "the policy lacks what this run needed:" in output, output
    table = "arn:aws:dynamodb:us-east-1:000000000000:table/Limited"
    for action in ("DeleteItem", "Scan"):
        assert f"dynamodb:{action} on {table}" in output, output
    assert f"dynamodb:PutItem on {table}" not in output
    assert COUNTS[language] in output, output
    assert output.count("--- FAIL:") <= 1, output
