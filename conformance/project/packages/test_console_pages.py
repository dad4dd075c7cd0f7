"""The console's pages are the same bytes wherever they are built, and a machine without Node.js builds without them."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from checkout import ROOT

BUILD_DEADLINE_S = 600
NEEDED = (".ci", "conformance/lib", "server/console/web")
BUILT = ("node_modules", "dist", "__pycache__")


def checkout(folder):
    """What .ci/console_pages needs of a checkout, at another path."""
    for name in NEEDED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns(*BUILT))
    return folder


def build(folder, script=".ci/console_pages", **environment):
    return subprocess.run([script], cwd=folder, env={**os.environ, **environment}, text=True,
                          capture_output=True, timeout=BUILD_DEADLINE_S)


def pages(folder):
    """The sums of all files by their names."""
    dist = folder / "server/console/web/dist"
    return {str(file.relative_to(dist)): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in sorted(dist.rglob("*")) if file.is_file()}


def test_two_paths_give_the_same_bytes(tmp_path):
    folders = [checkout(tmp_path / "one"), checkout(tmp_path / "another place")]
    for folder in folders:
        built = build(folder, STATOR_CONSOLE="ON")
        assert built.returncode == 0, built.stderr
    first, second = map(pages, folders)
    assert "index.html" in first
    assert first == second
    # The program that is published has these, whatever it was built for: they are embedded as files.
    assert first == pages(ROOT)


# In strict mode; what fetches the packages ends a script of its own.
CHECK = '''source .ci/common && source conformance/lib/node && use_node_20 && cd server/console/web &&
(npm_install --ignore-scripts) && npm run --silent check'''


def test_the_sources_have_no_fault_of_types_or_accessibility(tmp_path):
    folder = checkout(tmp_path / "clone")
    checked = subprocess.run(["bash", "-c", CHECK], cwd=folder, text=True, capture_output=True, timeout=BUILD_DEADLINE_S)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "found 0 errors and 0 warnings" in checked.stdout


@pytest.fixture
def no_node(tmp_path):
    """A PATH with all tools but those of Node.js."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for folder in ("/usr/bin", "/bin"):
        for tool in Path(folder).iterdir():
            if tool.name not in ("node", "nodejs", "npm", "npx") and not (tools / tool.name).exists():
                (tools / tool.name).symlink_to(tool)
    return str(tools)


def test_a_machine_without_node_leaves_the_pages_out(tmp_path, no_node):
    folder = checkout(tmp_path / "clone")
    built = build(folder, PATH=no_node)
    assert built.returncode == 0, built.stderr
    assert "console: left out, no Node.js 20.19 or later" in built.stdout + built.stderr
    assert pages(folder) == {}
    asked = build(folder, PATH=no_node, STATOR_CONSOLE="ON")
    assert asked.returncode != 0
    assert "console: no Node.js 20.19 or later" in asked.stdout + asked.stderr


def test_the_last_line_of_a_build_says_that_the_pages_are_left_out(tmp_path, no_node):
    folder = checkout(tmp_path / "clone")
    # The compiler is not what this is about, and nothing is installed where packages cannot be asked for.
    tools = Path(no_node)
    (tools / "dpkg-query").unlink(missing_ok=True)
    (tools / "cmake").unlink(missing_ok=True)
    (tools / "cmake").symlink_to(tools / "true")
    built = build(folder, ".ci/build", PATH=no_node)
    assert built.returncode == 0, built.stderr
    assert built.stderr.splitlines()[-2:] == ["build/release/stator", "console: left out, no Node.js 20.19 or later"]
    (folder / "server/console/web/dist").mkdir()
    (folder / "server/console/web/dist/index.html").write_text("")
    assert build(folder, ".ci/build", PATH=no_node).stderr.splitlines()[-1] == "build/release/stator"
