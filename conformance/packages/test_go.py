"""The Go module in an empty project, by the file tree of the release; the SDK comes from what go has downloaded."""

import re
import shutil
import subprocess

from conftest import HELPERS, RELEASE, only

MODULE = "example.com/stator/statortest"


def test_module(project, run):
    run("tar", "-xzf", only("stator-*-linux-x86_64.tar.gz"), "--strip-components=1")
    older = int(re.match(r"go1\.(\d+)", go_env("GOVERSION"))[1]) < 24
    source = HELPERS.parent / "go" / "go1.19.mod" if older else HELPERS / "go" / "go.mod"
    described = re.sub(r"^module \S+", "module example.com/albums", source.read_text())
    (project / "go.mod").write_text(described)
    shutil.copy(source.with_suffix(".sum"), project / "go.sum")
    test = (HELPERS / "go" / "albums_test.go").read_text()
    assert '"example.com/albums/statortest"' in test
    (project / "albums_test.go").write_text(test.replace("example.com/albums/statortest", MODULE))
    environment = {"GOFLAGS": "-mod=mod -trimpath", "GOSUMDB": "off",
                   "GOPROXY": f"file://{RELEASE / 'go'},file://{go_env('GOMODCACHE')}/cache/download,off",
                   "GONOPROXY": "", "GOPRIVATE": "", "GOMODCACHE": str(project / "cache")}
    version = only(f"go/{MODULE}/@v/*.zip").stem
    run("go", "mod", "edit", f"-require={MODULE}@{version}", **environment)
    told = run("go", "test", "-count=1", "-v", ".", STATOR=str(project / "bin" / "stator"), **environment)
    assert "--- FAIL" not in told and told.count("--- PASS") >= 5
    run("go", "clean", "-modcache", **environment)


def go_env(name):
    return subprocess.run(["go", "env", name], capture_output=True, text=True, check=True).stdout.strip()
