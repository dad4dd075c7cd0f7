"""The release itself: checksums, what the tarball holds, the bill of materials, the repository for apt."""

import json
import os
import subprocess
import tarfile

import pytest

from checkout import ROOT
from conftest import RELEASE, apt_get, only

EPOCH_S = int(os.environ["SOURCE_DATE_EPOCH"])


@pytest.mark.skipif("STATOR_COMPILE_TWICE" not in os.environ, reason="STATOR_COMPILE_TWICE=1 compiles all once more")
def test_another_folder_gives_the_same_program(project, tmp_path):
    """Compiled anew, and without what a ccache may have kept of the first."""
    for name in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "SECURITY.md", "dev", ".ci", "docs",
                 "protocol", "engine", "streams", "server", "build/sources"):
        (tmp_path / "elsewhere" / name).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-r", ROOT / name, tmp_path / "elsewhere" / name], check=True)
    subprocess.run([tmp_path / "elsewhere" / "dev", "build", "--static"], check=True,
                   env={**os.environ, "CCACHE_DISABLE": "1"})
    subprocess.run(["tar", "-xzf", only("stator-*-linux-x86_64.tar.gz"), "--strip-components=1"], cwd=project, check=True)
    again = tmp_path / "elsewhere" / "build" / "static" / "stator"
    assert again.read_bytes() == (project / "bin" / "stator").read_bytes()


def test_checksums_cover_every_file(run):
    run("sh", "-c", f"cd {RELEASE} && sha256sum --check --strict --quiet SHA256SUMS")
    named = {line.split("  ", 1)[1] for line in (RELEASE / "SHA256SUMS").read_text().splitlines()}
    there = {str(path.relative_to(RELEASE)) for path in RELEASE.rglob("*") if path.is_file()}
    assert there - named == {"SHA256SUMS"}


def expect_static(program):
    """No interpreter: an ELF file without PT_INTERP."""
    data = program.read_bytes()
    assert data[:5] == b"\x7fELF\x02"
    offset, size, count = (int.from_bytes(data[at:at + width], "little")
                           for at, width in ((32, 8), (54, 2), (56, 2)))
    kinds = [int.from_bytes(data[offset + size * i:offset + size * i + 4], "little") for i in range(count)]
    assert 3 not in kinds


def test_tarball(project, run):
    with tarfile.open(only("stator-*-linux-x86_64.tar.gz")) as archive:
        members = archive.getmembers()
    names = [member.name for member in members]
    assert names == sorted(names)
    assert {(member.uid, member.gid, member.uname, member.mtime) for member in members} == {(0, 0, "", EPOCH_S)}
    run("tar", "-xzf", only("stator-*-linux-x86_64.tar.gz"), "--strip-components=1")
    expect_static(project / "bin" / "stator")
    for path in ("LICENSE", "share/man/man1/stator.1", "share/bash-completion/completions/stator",
                 "share/zsh/site-functions/_stator", "share/fish/vendor_completions.d/stator.fish",
                 "share/doc/stator/docs/README.md", "licenses/libssl-dev.copyright", "licenses/LGPL-2.1"):
        assert (project / path).stat().st_size > 0, path
    # The tree has no path of the machine that built it.
    assert str(ROOT).encode() not in (project / "bin" / "stator").read_bytes()


@pytest.mark.parametrize("path", RELEASE.glob("*.spdx.json"), ids=lambda path: path.name.split("-")[3].split(".")[0])
def test_bill_of_materials(path, run):
    """By the validator of the format's own project; and that it names what is linked."""
    run(os.environ["SPDX_TOOLS"], "--infile", path)
    told = json.loads(path.read_text())
    packages = {package["SPDXID"]: package for package in told["packages"]}
    linked = [found["relatedSpdxElement"] for found in told["relationships"]
              if found["relationshipType"] == "STATIC_LINK"]
    assert len(packages) == len(told["packages"]) == len(linked) + 1
    assert set(linked) == set(packages) - {"SPDXRef-stator"}
    assert all(package["versionInfo"] and package["licenseDeclared"] for package in told["packages"])


def test_the_validator_refuses_a_wrong_one(project, run):
    told = json.loads(only("stator-*-linux-x86_64.spdx.json").read_text())
    told["packages"][1]["licenseConcluded"] = "no such licence"
    (project / "wrong.spdx.json").write_text(json.dumps(told))
    assert "no such licence" in run("sh", "-c", f"! {os.environ['SPDX_TOOLS']} --infile wrong.spdx.json")


def test_apt_repository(project, run):
    apt = apt_get(project, f"deb [trusted=yes] file:{only('debian')} ./")
    run(*apt, "update")
    run(*apt, "download", "stator")
    assert [path.read_bytes() for path in project.glob("stator*.deb")] == [only("debian/*_amd64.deb").read_bytes()]
