"""The Go module in an empty project, by the file tree of the release; the SDK comes from what go has downloaded."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import HELPERS, RELEASE, only

MODULE = "example.com/stator/statortest"


@pytest.fixture
def modules():
    """The folder of downloaded modules, where the SDK is, compiled already by conformance/go; and this one is not."""
    folder = Path(go_env("GOMODCACHE"))

    def forget():
        for found in (folder / "example.com" / "stator", folder / "cache" / "download" / "example.com" / "stator"):
            if found.exists():
                subprocess.run(["chmod", "-R", "u+w", found], check=True)
                shutil.rmtree(found)

    forget()
    yield folder
    forget()


def test_module(project, run, modules):
    run("tar", "-xzf", only("stator-*-linux-x86_64.tar.gz"), "--strip-components=1")
    older = int(re.match(r"go1\.(\d+)", go_env("GOVERSION"))[1]) < 24
    source = HELPERS.parent / "go" / "go1.19.mod" if older else HELPERS / "go" / "go.mod"
    described = re.sub(r"^module \S+", "module example.com/albums", source.read_text())
    (project / "go.mod").write_text(described)
    shutil.copy(source.with_suffix(".sum"), project / "go.sum")
    test = (HELPERS / "go" / "albums_test.go").read_text()
    assert '"example.com/albums/statortest"' in test
    (project / "albums_test.go").write_text(test.replace("example.com/albums/statortest", MODULE))
    environment = {"GOFLAGS": "-mod=mod", "GOSUMDB": "off",
                   "GOPROXY": f"file://{RELEASE / 'go'},file://{modules}/cache/download,off",
                   "GONOPROXY": "", "GOPRIVATE": ""}
    version = only(f"go/{MODULE}/@v/*.zip").stem
    run("go", "mod", "edit", f"-require={MODULE}@{version}", **environment)
    told = run("go", "test", "-count=1", "-v", ".", STATOR=str(project / "bin" / "stator"), **environment)
    assert "--- FAIL" not in told and told.count("--- PASS") >= 5


def go_env(name):
    return subprocess.run(["go", "env", name], capture_output=True, text=True, check=True).stdout.strip()
