"""The release itself: checksums, the tarball, the Debian package and its repository, the recipes."""

import hashlib
import json
import os
import re
import subprocess
import tarfile
from pathlib import Path

import boto3
import pytest
import yaml

from conftest import RELEASE, SUITE, apt_get, only

EPOCH_S = int(os.environ["SOURCE_DATE_EPOCH"])
MAKE = SUITE.parents[1] / "server" / "packaging" / "release" / "make.py"


def test_the_same_program_and_time_give_the_same_bytes(tmp_path):
    programs = []
    for flag, machine in (("--program", "x86_64"), ("--program-arm64", "aarch64")):
        for path in RELEASE.glob(f"stator-*-linux-{machine}.tar.gz"):
            with tarfile.open(path) as archive:
                name = next(name for name in archive.getnames() if name.endswith("/bin/stator"))
                (tmp_path / machine).write_bytes(archive.extractfile(name).read())
            programs += [flag, tmp_path / machine]
    subprocess.run(["sh", "-c", 'umask 077; exec /usr/bin/python3 -B "$@"', "sh", MAKE, *programs,
                    "--epoch", str(EPOCH_S), tmp_path / "again"], check=True,
                   env={"TZ": "Asia/Kolkata", "LC_ALL": "C", "PATH": os.environ["PATH"]}, cwd=tmp_path)
    assert (tmp_path / "again" / "SHA256SUMS").read_text() == (RELEASE / "SHA256SUMS").read_text()


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
    assert run("bin/stator", "version").startswith("Stator ")
    for path in ("LICENSE", "share/man/man1/stator.1", "share/bash-completion/completions/stator",
                 "share/zsh/site-functions/_stator", "share/fish/vendor_completions.d/stator.fish",
                 "share/doc/stator/docs/README.md", "licenses/libssl-dev.copyright", "licenses/LGPL-2.1"):
        assert (project / path).stat().st_size > 0, path
    # The tree has no path of the machine that built it.
    assert str(SUITE.parents[1]).encode() not in (project / "bin" / "stator").read_bytes()


def test_bill_of_materials():
    told = json.loads(only("stator-*-linux-x86_64.spdx.json").read_text())
    assert told["spdxVersion"] == "SPDX-2.3"
    packages = {package["SPDXID"]: package for package in told["packages"]}
    linked = [found["relatedSpdxElement"] for found in told["relationships"]
              if found["relationshipType"] == "STATIC_LINK"]
    assert len(packages) == len(told["packages"]) == len(linked) + 1
    assert set(linked) == set(packages) - {"SPDXRef-stator"}
    assert all(re.match(r"SPDXRef-[A-Za-z0-9.-]+$", name) for name in packages)
    assert all(package["versionInfo"] and package["licenseDeclared"] for package in told["packages"])


@pytest.mark.skipif(os.getuid() != 0, reason="dpkg installs as root only")
def test_debian_package(project, run):
    root = project / "root"
    for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates"):
        (root / folder).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    run("dpkg", f"--root={root}", "--force-script-chrootless", "--install", only("debian/*_amd64.deb"))
    expect_static(root / "usr" / "bin" / "stator")
    assert run(root / "usr" / "bin" / "stator", "version").startswith("Stator ")
    listed = run("dpkg", f"--root={root}", "--listfiles", "stator").splitlines()
    for path in ("/usr/bin/stator", "/usr/share/man/man1/stator.1.gz", "/usr/share/doc/stator/copyright",
                 "/lib/systemd/system/stator.service"):
        assert path in listed
    run("dpkg", f"--root={root}", "--verify", "stator")


def test_apt_repository(project, run):
    apt = apt_get(project, f"deb [trusted=yes] file:{only('debian')} ./")
    run(*apt, "update")
    run(*apt, "download", "stator")
    assert [path.read_bytes() for path in project.glob("stator*.deb")] == [only("debian/*_amd64.deb").read_bytes()]


def test_formula():
    formula = only("homebrew/stator.rb").read_text()
    assert "@" not in formula
    tarball = only("stator-*-linux-x86_64.tar.gz")
    assert hashlib.sha256(tarball.read_bytes()).hexdigest() in formula
    with tarfile.open(tarball) as archive:
        names = [name.split("/", 1)[1] for name in archive.getnames()]
    installed = re.findall(r'install "([^"]+)"', formula)
    assert len(installed) == 5
    assert set(installed) <= set(names)


def test_action(project, run):
    """The steps of action.yml, as a runner takes them."""
    run("tar", "-xzf", only("github/*.tar.gz"))
    action = yaml.safe_load((project / "action.yml").read_text())
    step, = action["runs"]["steps"]
    assert action["runs"]["using"] == "composite" and step["shell"] == "bash"
    files = {name: str(project / name) for name in ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH")}
    run("bash", "-e", "-c", step["run"], FLAGS="--isolate region", GITHUB_ACTION_PATH=str(project),
        RUNNER_TEMP=str(project), **files)
    told = dict(line.split("=", 1) for line in (project / "GITHUB_ENV").read_text().splitlines())
    server, = pids_of(project / "linux-x86_64" / "stator")
    try:
        client = boto3.client("dynamodb", endpoint_url=told["AWS_ENDPOINT_URL_DYNAMODB"],
                              region_name=told["AWS_DEFAULT_REGION"], aws_access_key_id=told["AWS_ACCESS_KEY_ID"],
                              aws_secret_access_key=told["AWS_SECRET_ACCESS_KEY"])
        assert client.list_tables()["TableNames"] == []
        assert (project / "GITHUB_OUTPUT").read_text() == f"endpoint={told['AWS_ENDPOINT_URL_DYNAMODB']}\n"
        assert run(Path((project / "GITHUB_PATH").read_text().strip()) / "stator", "version")
    finally:
        os.kill(server, 15)


def pids_of(program):
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "exe") == str(program):
                found.append(int(process.name))
        except OSError:
            pass  # it has ended, or is not ours
    return found


def test_component():
    """Its two documents; no GitLab is there to run it."""
    spec, jobs = yaml.safe_load_all(only("gitlab/stator.yml").read_text())
    assert set(spec["spec"]["inputs"]) == {"image", "isolate"}
    assert jobs[".stator"]["services"][0]["alias"] == "dynamodb"
    assert jobs[".stator"]["variables"]["AWS_ENDPOINT_URL_DYNAMODB"] == "http://dynamodb:8000"
