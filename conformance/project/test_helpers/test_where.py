"""Which server a helper uses: one that runs elsewhere, or none, and then no client is made, as it would call the cloud."""

import collections
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from admin import Admin
from projects import PACKAGES, SUITE, Run, copy_without_tests, place_of_tests, starts

FILES = {
    "jest": ("jest.test.js", "jest.test.js"),
    "vitest": ("vitest.test.mjs", "vitest.test.mjs"),
    "pytest": ("test_no_server.py", "test_elsewhere.py"),
    "go": ("no_server_test.go", "elsewhere_test.go"),
    "junit": ("NoServerTest.java", "ElsewhereTest.java"),
}
FEWEST_REFUSALS = {"jest": 4, "vitest": 4, "pytest": 4, "go": 3, "junit": 2}
NONE = "no Stator server runs: "


@pytest.fixture(params=FILES)
def language(request):
    return request.param


def project_of(language, case, tmp_path):
    """The project of a language with the one test of a case."""
    project = copy_without_tests(language, tmp_path / "project")
    folder = place_of_tests(language, project)
    folder.mkdir(exist_ok=True)
    shutil.copy(SUITE / "cases" / case / FILES[language][case == "elsewhere"], folder)
    return project


def test_without_a_server_there_is_no_client(language, tmp_path, program):
    project = project_of(language, "no_server", tmp_path)
    for name, empty in (("package.json", '{"jest": {}}'), ("vitest.config.mjs", "export default {};")):
        if (project / name).exists():
            (project / name).write_text(empty)
    environment = {"STATOR_ENDPOINT": "localhost:8000"} if language == "pytest" else {}
    with Run(language, project, STATOR=str(program), **environment) as run:
        assert run.wait() != 0
        output = run.output()
    assert output.count(NONE) >= FEWEST_REFUSALS[language], output
    assert "amazonaws" not in output and "passed" not in output
    assert starts(program) == collections.Counter()


@pytest.mark.parametrize("named, said", [
    ("localhost:8000", r"STATOR_ENDPOINT is .localhost:8000., not http://HOST:PORT"),
    ("http://127.0.0.1:9", r"STATOR_ENDPOINT names none for tests, start it with --isolate key"),
    ("shared", r"tables belong to access keys with --isolate key alone"),
    ("", r"The variable STATOR may name a program, and STATOR_ENDPOINT a server that runs elsewhere|/none")])
def test_a_server_that_will_not_do_fails_the_run(language, tmp_path, named, said, start):
    project = project_of(language, "elsewhere", tmp_path)
    endpoint = start().endpoint if named == "shared" else named
    with Run(language, project, STATOR_ENDPOINT=endpoint, STATOR=str(tmp_path / "none")) as run:
        assert run.wait() != 0
        output = run.output()
    assert NONE in output and re.search(said, output), output


def test_a_server_that_runs_elsewhere(language, tmp_path, program, start):
    """Nothing is started, and what is asked of it happens there."""
    project = project_of(language, "elsewhere", tmp_path)
    server = start("--isolate", "key", "--clock", "2027-01-01T00:00:00Z")
    with Run(language, project, STATOR_ENDPOINT=server.endpoint + "/", STATOR=str(program)) as run:
        assert run.wait() == 0, run.output()
    assert Admin(server).time() >= "2027-01-01T01:00:00"
    assert starts(program) == collections.Counter()


def test_the_words_of_npx_where_there_is_no_program(tmp_path):
    """The API says them too."""
    package = PACKAGES / "npm/stator"
    environment = {"PATH": f"{Path(shutil.which('node')).parent}", "HOME": str(tmp_path)}
    api = "require(process.argv[1]).startStator().catch((error) => console.error(error.message))"
    told = [subprocess.run(["node", *words], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60).stderr
            for words in ([str(package / "bin.cjs"), "version"], ["-e", api, str(package)])]
    words = told[0].removeprefix("stator: ").strip()
    assert words.startswith("there is no program for linux-") and words in told[1]
