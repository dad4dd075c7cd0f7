"""What the image holds and says of itself."""

import os
import stat
from pathlib import Path

import pytest

from conftest import FIGURES, IMAGE, inspect, podman

SIZE_BYTES_MAX = 18_000_000  # 16.6 MB today: 2 of them are busybox, 3.4 libcrypto, 0.8 zstd and Expat, 0.2 the console


@pytest.fixture(scope="module")
def root():
    """Its file system, mounted."""
    yield Path(podman("image", "mount", IMAGE).stdout.strip())
    podman("image", "unmount", IMAGE)


@pytest.fixture(scope="module")
def config():
    return inspect(IMAGE, "image")["Config"]


def files(root):
    for folder, _, names in os.walk(root):
        for name in names:
            yield Path(folder, name)


def test_size(root):
    size_bytes = sum(path.lstat().st_size for path in files(root))
    FIGURES.append(f"image unpacked {size_bytes} bytes (at most {SIZE_BYTES_MAX})")
    assert 1_000_000 < size_bytes <= SIZE_BYTES_MAX
    assert inspect(IMAGE, "image")["Size"] <= SIZE_BYTES_MAX


def test_the_contract(config):
    assert config["Entrypoint"] == ["java"]
    assert config["Cmd"] == ["-jar", "DynamoDBLocal.jar", "-inMemory"]
    assert config["WorkingDir"] == "/home/dynamodblocal"
    assert list(config["ExposedPorts"]) == ["8000/tcp"]
    assert list(config["Volumes"]) == ["/home/dynamodblocal/data"]
    assert config.get("StopSignal") in (None, "", "SIGTERM", "15")


def test_its_user_is_not_root(config):
    # By number, so that platforms that refuse root can see it.
    assert config["User"] == "1000:1000"


def test_health_check(config):
    assert inspect(IMAGE, "image")["Healthcheck"]["Test"] == ["CMD", "stator", "health"]


def test_labels(config):
    version = podman("run", "--rm", "--network", "none", "--entrypoint", "stator", IMAGE, "version")
    labels = {name.removeprefix("org.opencontainers.image."): value
              for name, value in config["Labels"].items() if name.startswith("org.")}
    assert labels["version"] == version.stdout.removeprefix("Stator ").strip()
    assert labels["title"] == "Stator"
    assert set(labels) >= {"description", "licenses"}


def test_programs_need_no_library(root):
    for name in ("usr/bin/stator", "bin/busybox"):
        program = (root / name).read_bytes()
        assert program.startswith(b"\x7fELF")
        assert b"/lib64/ld-linux" not in program and b"ld-linux-aarch64" not in program, name
    assert [path for path in files(root) if ".so" in path.suffixes] == []


def test_java_is_stator(root):
    assert os.readlink(root / "usr/bin/java") == "stator"


def test_nobody_gains_rights_by_a_file(root):
    writable = set()
    for folder, names, others in os.walk(root):
        for name in names + others:
            path = Path(folder, name)
            mode = path.lstat().st_mode
            if path.is_symlink():
                continue
            assert not mode & (stat.S_ISUID | stat.S_ISGID), path
            if mode & stat.S_IWOTH:
                assert mode & stat.S_ISVTX, path
                writable.add(str(path.relative_to(root)))
    assert writable == {"home/dynamodblocal", "home/dynamodblocal/data", "tmp"}


def test_licences_are_there(root):
    assert "Apache License" in (root / "usr/share/doc/stator.LICENSE").read_text()
    assert "MIT License" in (root / "usr/share/doc/prometheus-cpp.copyright").read_text()
    assert "GPL" in (root / "usr/share/doc/busybox.copyright").read_text()
