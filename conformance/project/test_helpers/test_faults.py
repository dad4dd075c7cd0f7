"""A test whose fault did not fire as asked fails, in Go and JUnit: cases/faults. The suite of faults has the others."""

import shutil

import pytest

from projects import SUITE, Run, copy_without_tests, place_of_tests

CASES = {"go": ("faults_test.go", ["TestFiresOnce", "TestNeverFires ", "TestNeverFiresByPreset"], "--- FAIL: "),
         "junit": ("FaultsTest.java", ["firesOnce", "neverFires", "annotationNeverFires"], "FaultsTest.")}


@pytest.mark.parametrize("language", CASES)
def test_a_rule_that_did_not_fire_fails_the_test(language, tmp_path, program):
    name, failing, before = CASES[language]
    project = copy_without_tests(language, tmp_path / "project")
    folder = place_of_tests(language, project)
    folder.mkdir(exist_ok=True)
    shutil.copy(SUITE / "cases" / "faults" / name, folder)
    with Run(language, project, STATOR=str(program)) as run:
        assert run.wait() != 0
        output = run.output()
    for test in failing:
        assert before + test in output, output
    assert "the fault fired 1 times, not 2: " in output, output
    assert "the fault fired 0 times, not once or more: " in output, output
    for passing in ("TestFires ", "TestFiresByPreset", "TestMayFire", "FaultsTest.fires:", "FaultsTest.mayFire", "FaultsTest.firesByPreset"):
        assert before + passing not in output and passing + " FAIL" not in output, output
