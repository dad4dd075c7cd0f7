"""An application that makes its clients itself, when it is loaded, unchanged under each helper: cases/application."""

import shutil

import pytest

from projects import PYTHON, SUITE, Run, copy_without_tests, go_minor, place_of_tests

APPLICATION = SUITE / "cases" / "application"
THE_USERS_OWN = {"AWS_PROFILE": "mine", "AWS_SESSION_TOKEN": "secret", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}


@pytest.fixture
def run(tmp_path, program):
    def run_one(language, project, *arguments, status=0, **options):
        with Run(language, project, arguments, STATOR=str(program), **THE_USERS_OWN, **options) as running:
            assert running.wait() == status, running.output()
            return running.output()
    return run_one


def project_with(language, tmp_path, files):
    """files: the name of each in the application -> its names in the project."""
    project = copy_without_tests(language, tmp_path / "project")
    folder = place_of_tests(language, project)
    folder.mkdir(exist_ok=True)
    for source, names in files.items():
        for name in names:
            shutil.copy(APPLICATION / source, folder / name)
    return project


@pytest.mark.parametrize("workers", [1, 2])
def test_jest(run, tmp_path, workers):
    project = project_with("jest", tmp_path, {"orders.js": ["orders.js"], "orders.test.js": ["a.test.js", "b.test.js"]})
    assert "Tests:       2 passed, 2 total" in run("jest", project, f"--maxWorkers={workers}")


@pytest.mark.parametrize("how", [["--maxWorkers=1"], ["--maxWorkers=2"], ["--no-isolate", "--maxWorkers=1"],
                                 ["--pool=threads", "--maxWorkers=2"]], ids=" ".join)
def test_vitest(run, tmp_path, how):
    files = {"orders.js": ["orders.cjs"], "orders.test.mjs": ["a.test.mjs", "b.test.mjs"]}
    told = run("vitest", project_with("vitest", tmp_path, files), "--minWorkers=1", *how)
    assert "2 passed (2)" in told


@pytest.mark.parametrize("workers", [0, 2])
def test_pytest(run, tmp_path, workers):
    """By the option, with a conftest.py that imports the application."""
    project = project_with("pytest", tmp_path, {"orders.py": ["orders.py"], "test_orders.py": ["test_a.py", "test_b.py"]})
    (project / "conftest.py").write_text("import orders\n")
    (project / "pytest.ini").write_text("[pytest]\nstator_env = true\n")
    told = run("pytest", project, "-p", "stator.pytest_plugin", "-n", str(workers), command=PYTHON + ["-m", "pytest"],
               PYTHONPATH=str(project))
    assert "4 passed" in told


def test_pytest_by_the_fixture(run, tmp_path):
    project = project_with("pytest", tmp_path, {name: [name] for name in ("orders.py", "test_lazy.py")})
    assert "3 passed" in run("pytest", project, command=PYTHON + ["-m", "pytest"])


def test_a_boto3_that_does_not_read_the_environment_is_refused(run, tmp_path):
    boto3 = pytest.importorskip("boto3")
    if tuple(map(int, boto3.__version__.split(".")[:2])) >= (1, 28):
        pytest.skip("boto3 is new enough here")
    project = project_with("pytest", tmp_path, {name: [name] for name in ("orders.py", "test_lazy.py")})
    assert "AWS_ENDPOINT_URL_DYNAMODB. Take boto3 1.28 or later" in run("pytest", project, status=1)
    (project / "pytest.ini").write_text("[pytest]\nstator_env = true\n")
    assert "stator_env: no Stator server runs" in run("pytest", project, status=4)


@pytest.mark.skipif(go_minor() < 24, reason="the SDK's config wants Go 1.24")
def test_go(run, tmp_path):
    files = {name: [name] for name in ("orders.go", "orders_test.go", "go.mod", "go.sum")}
    assert "ok" in run("go", project_with("go", tmp_path, files))


def test_junit(run, tmp_path):
    project = project_with("junit", tmp_path, {"Orders.java": ["Orders.java"], "OrdersTest.java": ["OrdersTest.java"]})
    folder = place_of_tests("junit", project)
    again = (folder / "OrdersTest.java").read_text().replace("class OrdersTest", "class AgainTest")
    (folder / "AgainTest.java").write_text(again)
    assert "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0" in run("junit", project)
