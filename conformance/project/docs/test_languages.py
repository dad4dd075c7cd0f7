"""Pieces of programs in the pages, each run in its language within its frame (frames.py)."""

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

import pytest
import yaml

from checkout import CONFORMANCE, ROOT
from frames import CALLED, FRAMES, framed
from pages import all_blocks
from server_process import binary, clean_environment

PACKAGES = ROOT / "server/packaging"
DEADLINE_S = 300


def of(language):
    return [block for block in all_blocks() if block.language == language]


def cases(language):
    return [pytest.param(block, id=f"{block.page}-{block.place}") for block in of(language) if block.frame is not None]


def run(command, folder, **environment):
    """Its output, as nobody's own settings change it."""
    environment = clean_environment({"STATOR": str(binary()), "AWS_ACCESS_KEY_ID": "local", "AWS_REGION": "us-east-1",
                                     "AWS_SECRET_ACCESS_KEY": "local", **environment})
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, timeout=DEADLINE_S,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_frames_and_calls_are_of_blocks_that_there_are():
    there = {(block.language, block.page, block.place) for block in all_blocks()}
    assert {(language, *key) for language, frames in FRAMES.items() for key in frames} <= there
    assert CALLED.keys() <= there


@pytest.mark.parametrize("block", cases("python"))
def test_python(block, tmp_path):
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["stator.pytest_plugin"]\n')
    (tmp_path / "test_page.py").write_text("import boto3\n" + framed(block.frame, block.text) + "\n")
    told = run(["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"], tmp_path,
               PYTHONPATH=str(PACKAGES / "pypi"))
    assert re.search(r"^\d+ passed in", told, re.MULTILINE), told


@pytest.mark.parametrize("block", cases("js"))
def test_js(block, tmp_path, start):
    """With the SDK of the suite javascript/."""
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/@aws-sdk").symlink_to(CONFORMANCE / "languages/javascript/node_modules/@aws-sdk")
    (tmp_path / "node_modules/stator").symlink_to(PACKAGES / "npm/stator")
    text = framed(block.frame, block.text)
    if "localhost:8000" in text:
        text = text.replace("http://localhost:8000", start().endpoint)
    name = "page.mjs" if "\nimport " in "\n" + text else "page.cjs"
    (tmp_path / name).write_text(text)
    told = run(["node", "--preserve-symlinks-main", name], tmp_path, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED="true")
    assert re.search(r"^[1-9]\d* ran$", told, re.MULTILINE), told


@pytest.fixture(scope="module")
def go_module(tmp_path_factory):
    """The example of the test helpers, without its tests."""
    folder = tmp_path_factory.mktemp("go")
    example = CONFORMANCE / "project/test_helpers/go"
    version = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout
    if int(version.split(".")[1]) < 24:  # Debian's, which takes the last SDK made for it
        older = (CONFORMANCE / "languages/go/go1.19.mod").read_text()
        (folder / "go.mod").write_text(older.replace("stator/conformance", "example.com/albums"))
        shutil.copy(CONFORMANCE / "languages/go/go1.19.sum", folder / "go.sum")
    else:
        for name in ("go.mod", "go.sum"):
            shutil.copy(example / name, folder)
    (folder / "statortest").mkdir()
    shutil.copy(PACKAGES / "go/stator.go", folder / "statortest")
    return folder


@pytest.mark.parametrize("block", cases("go"))
def test_go(block, go_module, start):
    # Go does not compile what makes something and leaves it at that.
    text = re.sub(r"^(\s*)(\w+) := (.*)$", r"\1\2 := \3\n\1_ = \2", block.text, flags=re.MULTILINE)
    if "localhost:8000" in text:
        text = re.sub(r"^(client := [^\n]*)\n_ = client", r"\1", text, flags=re.MULTILINE)
        text = text.replace("http://localhost:8000", start().endpoint)
    (go_module / "page_test.go").write_text(framed(block.frame, text))
    told = run(["go", "test", "-count=1", "-v", "."], go_module, GOTOOLCHAIN="local", GOWORK="off",
               GOFLAGS="-mod=readonly")
    assert "--- PASS" in told


@pytest.fixture(scope="module")
def java_project(tmp_path_factory):
    """The example of the test helpers with the package's sources, without its tests."""
    project = tmp_path_factory.mktemp("java")
    shutil.copy(CONFORMANCE / "project/test_helpers/junit/pom.xml", project)
    shutil.copytree(PACKAGES / "maven/src/main/java/stator", project / "src/test/java/stator",
                    ignore=shutil.ignore_patterns("StatorContainer.java"))
    return project


def test_java(java_project, start):
    """All at once: most of the time is Maven's."""
    folder = java_project / "src/test/java/example"
    folder.mkdir()
    found = cases("java")
    for number, case in enumerate(found):
        (block,) = case.values
        text = re.sub(r"^class \w+Test\b", f"class Page{number}Test", framed(block.frame, block.text), flags=re.MULTILINE)
        if "localhost:8000" in text:
            text = text.replace("http://localhost:8000", start().endpoint)
        (folder / f"Page{number}Test.java").write_text(text)
    told = run(["mvn", "--batch-mode", "--no-transfer-progress", "-Dstyle.color=never", "test",
                "-DargLine=-Djava.io.tmpdir=target"], java_project)
    ran = re.findall(r"Tests run: (\d+), Failures: 0, Errors: 0, Skipped: 0, Time.*Page\d+Test", told)
    assert len(ran) == len(found) and "0" not in ran, told


@pytest.mark.parametrize("key", CALLED, ids=lambda key: f"{key[0]}-{key[1]}-{key[2]}")
def test_what_it_calls_is_called_by_a_suite(key):
    language, page, place = key
    (block,) = [block for block in of(language) if (block.page, block.place) == (page, place)]
    code = re.sub(r"//.*", "", block.text)
    names = set(re.findall(r"(\w+)(?:<>)?\(", code))
    assert names
    programs = "".join(path.read_text() for path in CONFORMANCE.glob(CALLED[key]))
    assert [name for name in sorted(names) if not re.search(rf"\b{name}\b(?:<>)?\(", programs)] == []


def test_yaml(tmp_path):
    """Prometheus checks its own; the others are well formed."""
    found = of("yaml")
    assert [block.page for block in found].count("docs/metrics.md") > 0
    for block in found:
        if block.page == "docs/metrics.md":
            (tmp_path / "prometheus.yml").write_text(block.text)
            assert "SUCCESS" in run(["promtool", "check", "config", "prometheus.yml"], tmp_path)
        else:
            assert all(isinstance(document, (dict, list)) for document in yaml.safe_load_all(block.text))


def test_descriptions_of_the_admin_path_are_read_whole():
    """In {...} YAML ends an unquoted text at a comma and reads the rest as a member without a value."""
    def members(node, path):
        for name, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
            yield f"{path}/{name}", value
            yield from members(value, f"{path}/{name}")

    document = yaml.safe_load((ROOT / "docs/admin-openapi.yaml").read_text())
    assert [path for path, value in members(document, "") if value is None] == []


def test_compose_waits_for_a_service_that_is_healthy():
    (compose,) = [yaml.safe_load(block.text) for block in of("yaml") if "depends_on" in block.text]
    services = compose["services"]
    for service in services.values():
        for name, how in service.get("depends_on", {}).items():
            assert how == {"condition": "service_healthy"} and name in services


def test_kubernetes_service_finds_its_pod():
    (documents,) = [list(yaml.safe_load_all(block.text)) for block in of("yaml") if "kind: Deployment" in block.text]
    deployment, service = documents
    assert (deployment["kind"], service["kind"]) == ("Deployment", "Service")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == labels == service["spec"]["selector"]


def test_json():
    """Members that an example has in its package.json; whole files elsewhere."""
    assert of("json")
    package = json.loads((CONFORMANCE / "project/test_helpers/jest/package.json").read_text())
    for block in of("json"):
        if block.text.startswith("{"):
            assert json.loads(block.text)
        else:
            assert json.loads("{" + block.text + "}").items() <= package.items()


def test_xml():
    """The dependency on the Maven package is one on what is made."""
    assert of("xml")
    pom = xml.parse(PACKAGES / "maven/pom.xml")
    space = {"": "http://maven.apache.org/POM/4.0.0"}
    for block in of("xml"):
        dependency = xml.fromstring(block.text)
        assert dependency.findtext("artifactId") == pom.findtext("artifactId", namespaces=space)
        assert dependency.findtext("scope") == "test"


def test_dev_has_the_commands_and_flags():
    help_text = subprocess.run([ROOT / "dev", "--help"], capture_output=True, text=True, check=True).stdout
    server_flags = subprocess.run([binary(), "--help"], capture_output=True, text=True, check=True).stdout
    known = set(re.findall(r"^  (\w+)", help_text, re.MULTILINE))
    lines = [line.partition("#")[0].split() for block in of("sh") for line in block.text.splitlines()
             if line.startswith("./dev ")]
    assert len(lines) > 5
    for _, command, *arguments in lines:
        flags = [argument for argument in arguments if argument.startswith("--")]
        assert command in known
        assert all(re.search(rf"{flag}\b", server_flags if command == "run" else help_text) for flag in flags), flags
        if command == "install":
            assert re.search(rf"install \[[^\]]*\b{arguments[0]}\b", help_text)
