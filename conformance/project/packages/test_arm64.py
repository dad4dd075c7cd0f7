"""The packages for arm64, when the release has them (STATOR_RELEASE_ARM64=1 ./run, and always in ./dev test --long); their
program runs under qemu's user emulation."""

import hashlib
import json
import os
import re
import signal
import subprocess
import tarfile
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from box import client_of, podman
from conftest import apt_get, inside, only
from server_process import STOP_DEADLINE_S
from test_installed import action_in

pytestmark = pytest.mark.skipif("STATOR_RELEASE_ARM64" not in os.environ, reason="STATOR_RELEASE_ARM64 asks for those")
MACHINE = 183  # AArch64, in the header of an ELF file
PT_INTERP = 3


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arm64")
    with tarfile.open(only("stator-*-linux-aarch64.tar.gz")) as archive:
        member = next(found for found in archive.getmembers() if found.name.endswith("/bin/stator"))
        (folder / "stator").write_bytes(archive.extractfile(member).read())
    (folder / "stator").chmod(0o755)
    return folder / "stator"


@contextmanager
def serving(program, *flags):
    """Its endpoint; SIGTERM has to end it with status 0."""
    process = subprocess.Popen(["qemu-aarch64", program, "--port", "0", *flags], stdout=subprocess.PIPE, text=True)
    try:
        yield re.search(r"listening on (\S+)", process.stdout.readline())[1]
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_DEADLINE_S) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_it_is_static_and_says_its_version(program, run):
    data = program.read_bytes()
    assert int.from_bytes(data[18:20], "little") == MACHINE
    offset, size, count = (int.from_bytes(data[at:at + width], "little")
                           for at, width in ((32, 8), (54, 2), (56, 2)))
    assert PT_INTERP not in {int.from_bytes(data[offset + size * i:offset + size * i + 4], "little")
                             for i in range(count)}
    assert run("qemu-aarch64", program, "version").startswith("Stator ")


def test_a_table_is_written_and_read_and_outlives_the_server(program, tmp_path):
    item = {"Title": {"S": "Blue"}, "Sold": {"N": "12345678901234567890.5"}}
    with serving(program, "--db-path", tmp_path / "data") as endpoint:
        client = client_of(endpoint)
        client.create_table(TableName="Albums", BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "Title", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "Title", "KeyType": "HASH"}])
        client.put_item(TableName="Albums", Item=item)
        assert client.get_item(TableName="Albums", Key={"Title": item["Title"]})["Item"] == item
    with serving(program, "--db-path", tmp_path / "data") as endpoint:
        assert client_of(endpoint).scan(TableName="Albums")["Items"] == [item]


def test_in_memory_and_its_health(program):
    with serving(program) as endpoint:
        client = client_of(endpoint)
        client.create_table(TableName="Albums", BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "Title", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "Title", "KeyType": "HASH"}])
        told = subprocess.run(["qemu-aarch64", program, "health", "--endpoint", endpoint], capture_output=True, text=True)
        assert told.returncode == 0, told
        assert client.list_tables()["TableNames"] == ["Albums"]


def test_each_package_holds_it(program, project, run):
    data = program.read_bytes()
    with zipfile.ZipFile(only("pypi/*_aarch64.whl")) as wheel:
        name, = (name for name in wheel.namelist() if name.endswith(".data/scripts/stator"))
        assert wheel.read(name) == data
        info, = (name for name in wheel.namelist() if name.endswith("/WHEEL"))
        assert re.findall(r"^Tag: (\S+)$", wheel.read(info).decode(), re.M) == [
            f"py3-none-{kind}_aarch64" for kind in ("manylinux_2_17", "manylinux2014", "musllinux_1_1")]
    with tarfile.open(only("npm/stator-db-linux-arm64-*.tgz")) as package:
        assert package.extractfile("package/bin/stator").read() == data
        assert json.load(package.extractfile("package/package.json"))["cpu"] == ["arm64"]
    with tarfile.open(only("npm/stator-[0-9]*.tgz")) as package:
        chooser = json.load(package.extractfile("package/package.json"))
    assert set(chooser["optionalDependencies"]) == {"@stator-db/linux-x64", "@stator-db/linux-arm64"}
    with zipfile.ZipFile(only("maven/com/example/stator/stator-junit/*/*[0-9].jar")) as jar:
        assert jar.read("stator/junit/linux-aarch64/stator") == data
        assert jar.read("stator/junit/linux-aarch64/stator.sha256").decode().strip() == hashlib.sha256(data).hexdigest()

    apt = apt_get(project, f"deb [arch=arm64 trusted=yes] file:{only('debian')} ./")
    apt += ["-o", "APT::Architecture=arm64", "-o", "APT::Architectures=arm64"]
    run(*apt, "update")
    run(*apt, "download", "stator")
    deb, = project.glob("*.deb")
    assert deb.read_bytes() == only("debian/*_arm64.deb").read_bytes()
    run("dpkg-deb", "-x", deb, "unpacked")
    assert (project / "unpacked/usr/bin/stator").read_bytes() == data


def test_its_image(program):
    """Of the archive of all, by an engine that asks for this architecture."""
    image = podman("pull", "--quiet", "--arch", "arm64", f"oci-archive:{only('stator-image-*.oci.tar')}").split()[-1]
    assert json.loads(podman("inspect", "--type", "image", image))[0]["Architecture"] == "arm64"
    root = Path(podman("image", "mount", image).strip())
    try:
        assert (root / "usr/bin/stator").read_bytes() == program.read_bytes()
        assert os.readlink(root / "usr/bin/java") == "stator"
        listed = subprocess.run(["qemu-aarch64", root / "bin/busybox", "--list"], capture_output=True, text=True, check=True)
        links = {path.name for path in (root / "bin").iterdir() if path.is_symlink()}
        assert links == set(listed.stdout.split()) - {"busybox", "bash"}
        with serving(root / "usr/bin/stator") as endpoint:
            assert client_of(endpoint).list_tables()["TableNames"] == []
    finally:
        podman("image", "unmount", image)


def test_the_action_takes_it_on_such_a_machine(box):
    """There `uname` says so; here a script does, and another runs the program by qemu."""
    made = box(tools=True)
    made.run("tar", "-xzf", inside("github/*.tar.gz"))
    program = made.project / "linux-aarch64" / "stator"
    program.rename(program.with_name("emulated"))
    for path, text in ((program, 'exec qemu-aarch64 "${0%/*}/emulated" "$@"'),
                       (made.project / "uname", "echo aarch64")):
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    told = action_in(made, "aarch64", PATH="/project:/usr/bin:/bin")
    assert client_of(told["AWS_ENDPOINT_URL_DYNAMODB"]).list_tables()["TableNames"] == []


def test_bill_of_materials(program):
    told = json.loads(only("stator-*-linux-aarch64.spdx.json").read_text())
    itself, *linked = told["packages"]
    assert itself["checksums"][0]["checksumValue"] == hashlib.sha256(program.read_bytes()).hexdigest()
    assert {"libssl-dev", "liblmdb-dev", "libc6-dev-arm64-cross"} <= {package["name"] for package in linked}
    assert all(package["versionInfo"] and package["licenseDeclared"] for package in linked)
