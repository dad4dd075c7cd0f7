"""A signed release, by a key that lives as long as these tests: the same bytes once more, what apt takes and what it refuses."""

import gzip
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from checkout import ROOT
from conftest import RELEASE, apt_get, command_runner, only, walk

DEV = ROOT / "dev"


@pytest.fixture(scope="module")
def keyring():
    """A folder of GnuPG's. Its path is short, because the agent's socket lies in it."""
    folder = Path(tempfile.mkdtemp(prefix="gpg"))
    try:
        run = command_runner(folder, "keyring")
        run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "Thrown away <away@localhost>",
            "ed25519", "sign", "1d", GNUPGHOME=str(folder))
        yield folder
    finally:
        subprocess.run(["gpgconf", "--homedir", folder, "--kill", "all"])
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def signed(keyring, tmp_path_factory):
    folder = tmp_path_factory.mktemp("signed") / "release"
    run = command_runner(keyring, "signed")
    # By a caller with other settings than those of the first release.
    told = run("sh", "-c", 'umask 077; exec "$@"', "sh", DEV, "release", folder, *os.environ["RELEASE_FLAGS"].split(),
               "--sign", "away@localhost", GNUPGHOME=str(keyring), TZ="Asia/Kolkata", LC_ALL="C")
    assert "not signed" not in told
    return folder


@pytest.fixture
def repository(signed, project):
    """A copy of the folder for apt, which a test may change."""
    shutil.copytree(signed / "debian", project / "debian")
    return project / "debian"


def source(repository):
    return f"deb [signed-by={repository}/stator.gpg] file:{repository} ./"


def test_all_else_is_as_without_a_signature(signed):
    """And so the same program and time give the same bytes."""
    files = {path.relative_to(signed) for path in signed.rglob("*") if path.is_file()}
    unsigned = {path.relative_to(RELEASE) for path in RELEASE.rglob("*") if path.is_file()}
    added = {"SHA256SUMS.asc", "debian/InRelease", "debian/Release.gpg", "debian/stator.gpg"}
    assert {str(path) for path in files - unsigned} == added
    assert unsigned <= files
    lines = [set((folder / "SHA256SUMS").read_text().splitlines()) for folder in (RELEASE, signed)]
    assert lines[0] <= lines[1] and len(lines[1] - lines[0]) == 3


def test_checksums(signed, run):
    run("sh", "-c", f"cd {signed} && sha256sum --check --strict --quiet SHA256SUMS")
    run("gpgv", "--keyring", signed / "debian" / "stator.gpg", signed / "SHA256SUMS.asc", signed / "SHA256SUMS")


def test_installed_by_apt(signed, box):
    """As docs/install.md says it."""
    walk("apt, from the signed repository", [only("debian/*_amd64.deb")], box(release=signed), """
        rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/*
        install -m 644 /release/debian/stator.gpg /usr/share/keyrings/stator.gpg
        echo 'deb [signed-by=/usr/share/keyrings/stator.gpg] file:/release/debian ./' > /etc/apt/sources.list.d/stator.list
        apt-get update && apt-get install -y stator""", "stator")


@pytest.mark.parametrize("without", ["Release.gpg", "InRelease"])
def test_apt_takes_it_by_either_signature(repository, project, run, without):
    (repository / without).unlink()
    apt = apt_get(project, source(repository))
    assert "W:" not in run(*apt, "update")
    run(*apt, "download", "stator")
    assert [path.read_bytes() for path in project.glob("*.deb")] == \
        [path.read_bytes() for path in repository.glob("*_amd64.deb")]


def refused(run, apt):
    told = run("sh", "-c", '! "$@"', "sh", *apt, "update")
    assert "E:" in told
    return told


def test_changed_packages_are_refused(repository, project, run):
    changed = (repository / "Packages").read_bytes().replace(b"Version: ", b"Version: 9:")
    (repository / "Packages").write_bytes(changed)
    (repository / "Packages.gz").write_bytes(gzip.compress(changed))
    told = refused(run, apt_get(project, source(repository)))
    assert "Hash Sum mismatch" in told or "unexpected size" in told, told


def test_a_changed_release_is_refused(repository, project, run):
    for name in ("InRelease", "Release"):
        text = (repository / name).read_text()
        assert "Suite: stable" in text
        (repository / name).write_text(text.replace("Suite: stable", "Suite: staple"))
    assert "BADSIG" in refused(run, apt_get(project, source(repository)))


def test_without_a_signature_it_is_refused(repository, project, run):
    for name in ("InRelease", "Release.gpg"):
        (repository / name).unlink()
    assert "is not signed" in refused(run, apt_get(project, source(repository)))


def test_a_key_that_nobody_has(keyring, run):
    told = run("sh", "-c", '! "$@"', "sh", DEV, "release", "never", "--sign", "nobody@localhost",
               GNUPGHOME=str(keyring))
    assert "gpg has no secret key nobody@localhost" in told
    assert not (ROOT / "never").exists()
