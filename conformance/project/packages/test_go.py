"""The Go module in an empty project, by the file tree of the release; the SDK comes from what go has downloaded."""

import hashlib
import re
import shutil
import subprocess
import time

from checkout import CONFORMANCE, ROOT
from conftest import HELPERS, inside, only, told_figures

MODULE = "example.com/stator/statortest"
PROGRAM = "stator-*-linux-x86_64.tar.gz"
FIGURES = """package albums

import (
	"fmt"
	"testing"
	"time"

	"%s"
)

func TestFigures(t *testing.T) {
	began := time.Now()
	var started, used time.Time
	t.Run("server", func(t *testing.T) {
		client := statortest.Start(t).Client()
		started = time.Now()
		createAlbums(t, client)
		put(t, client, "Blue")
		expectOnly(t, client, "Blue")
		used = time.Now()
	})
	fmt.Println("figures:", started.Sub(began).Seconds(), used.Sub(started).Seconds(), time.Since(used).Seconds())
}
"""


def test_module(box):
    cache = go_env("GOMODCACHE")
    compiled = kept_cache()
    made = box("--volume", f"{cache}/cache/download:/downloads:ro", "--volume", f"{compiled}:/root/.cache/go-build", tools=True)
    made.run("tar", "-xzf", inside(PROGRAM), "--strip-components=1")
    older = int(re.match(r"go1\.(\d+)", go_env("GOVERSION"))[1]) < 24
    source = CONFORMANCE / "languages/go/go1.19.mod" if older else HELPERS / "go" / "go.mod"
    described = re.sub(r"^module \S+", "module example.com/albums", source.read_text())
    (made.project / "go.mod").write_text(described)
    shutil.copy(source.with_suffix(".sum"), made.project / "go.sum")
    test = (HELPERS / "go" / "albums_test.go").read_text()
    assert '"example.com/albums/statortest"' in test
    (made.project / "albums_test.go").write_text(test.replace("example.com/albums/statortest", MODULE))
    (made.project / "figures_test.go").write_text(FIGURES % MODULE)
    environment = {"GOFLAGS": "-mod=mod", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0",
                   "GOPROXY": "file:///release/go,file:///downloads,off", "GONOPROXY": "", "GOPRIVATE": ""}
    version = only(f"go/{MODULE}/@v/*.zip").stem
    began = time.monotonic()
    made.run("go", "mod", "edit", f"-require={MODULE}@{version}", **environment)
    made.run("go", "mod", "download", MODULE, **environment)
    installed_s = time.monotonic() - began
    told = made.run("go", "test", "-count=1", "-vet=off", "-v", ".", STATOR="/project/bin/stator", **environment)
    assert "--- FAIL" not in told and told.count("--- PASS") >= 6
    told_figures("Go: module, with the tarball's program, by the SDK", [only(f"go/{MODULE}/@v/*.zip"), only(PROGRAM)],
                 installed_s, told)


def kept_cache():
    """What was compiled of the SDK, as on a machine where somebody works. Go takes the imports of a version from there too,
    so another module under the same version begins anew."""
    folder = ROOT / "build" / "packages" / "go"
    digest = hashlib.sha256(only(f"go/{MODULE}/@v/*.zip").read_bytes()).hexdigest()
    stamp = folder / "module.sha256"
    if not stamp.exists() or stamp.read_text() != digest:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    stamp.write_text(digest)
    return folder


def go_env(name):
    return subprocess.run(["go", "env", name], capture_output=True, text=True, check=True).stdout.strip()
