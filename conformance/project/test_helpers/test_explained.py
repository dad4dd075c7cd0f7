"""What a test that fails says of its requests that failed: cases/failing."""

import re
import shutil

import pytest

from projects import SUITE, Run, copy_without_tests, place_of_tests

# The file of the test, the tables which its tests that fail have missed, and how often the report has the title: Vitest
# shows a message twice.
CASES = {
    "jest": ("jest.test.js", ["OfANewDatabase", "OfTheFilesDatabase", "OfTheApplication", "OfAnOwnServer"], 2),
    "vitest": ("vitest.test.mjs", ["OfANewDatabase", "OfTheFilesDatabase", "OfTheApplication", "OfAnOwnServer"], 4),
    "pytest": ("test_failing.py", ["OfANewDatabase", "OfTheFilesDatabase", "OfAnOwnServer", "OfAFixture"], 3),
    "go": ("failing_test.go", ["OfANewDatabase", "OfTheApplication", "OfAnOwnServer", "OfAFilledDatabase"], 4),
    "junit": ("FailingTest.java", ["OfANewDatabase", "OfAFixture"], 2),
}


@pytest.mark.parametrize("language", CASES)
def test_a_test_that_fails_explains_its_requests(language, tmp_path, program):
    name, tables, titles = CASES[language]
    project = copy_without_tests(language, tmp_path / "project")
    folder = place_of_tests(language, project)
    folder.mkdir(exist_ok=True)
    shutil.copy(SUITE / "cases" / "failing" / name, folder)
    with Run(language, project, STATOR=str(program)) as run:
        assert run.wait() != 0
        output = run.output()
    lines = r"Z 400 GetItem %s ResourceNotFoundException: [^\n]*\n.*  -> There is no table '%s'"
    for table in tables:
        assert re.search(lines % (table, table), output), output
    # Nothing of the test that passes, and nothing where no request failed.
    assert "-> There is no table 'OfTheTestThatPasses'" not in output, output
    assert output.count("requests of this test that failed") == titles, output
