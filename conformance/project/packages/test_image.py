"""The images of the release, which no container engine has built: as podman loads and runs them."""

import json
import platform
import re
import shlex
import tarfile
import time

from box import podman, write_and_read
from checkout import ROOT
from conftest import ROWS, Row, load_image, only
from server_process import STOP_DEADLINE_S, wait_until

DOCKERFILE = ROOT / "docker" / "Dockerfile"


def inspected(image):
    return json.loads(podman("inspect", "--type", "image", image))[0]


def of_dockerfile():
    """The settings of its last stage, as the description of an image has them."""
    text = re.sub(r"\\\n\s*", "", DOCKERFILE.read_text().split("FROM scratch")[1])
    told = {}
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word and word != "#":
            told[word] = rest
    check = re.match(r"--interval=(\d+)s --timeout=(\d+)s --retries=(\d+) CMD (.*)", told["HEALTHCHECK"])
    return {
        "User": told["USER"], "ExposedPorts": {told["EXPOSE"] + "/tcp": {}}, "Env": shlex.split(told["ENV"]),
        "Entrypoint": json.loads(told["ENTRYPOINT"]), "Cmd": json.loads(told["CMD"]), "Volumes": {told["VOLUME"]: {}},
        "WorkingDir": told["WORKDIR"], "Labels": dict(pair.split("=", 1) for pair in shlex.split(told["LABEL"])),
        "Healthcheck": {"Test": ["CMD", *json.loads(check[4])], "Interval": int(check[1]) * 10**9,
                        "Timeout": int(check[2]) * 10**9, "Retries": int(check[3])}}


def test_it_is_described_as_the_dockerfile_says():
    for path in only("stator-image-*-linux-x86_64.tar").parent.glob("stator-image-*-linux-*.tar"):
        with tarfile.open(path) as archive:
            listed, = json.load(archive.extractfile("manifest.json"))
            config = json.load(archive.extractfile(listed["Config"]))
        assert config["config"] == of_dockerfile()
        assert config["architecture"] == {"x86_64": "amd64", "aarch64": "arm64"}[path.stem.rsplit("-", 1)[1]]


def test_loaded_and_used():
    image, load_s = load_image()
    assert inspected(image)["Healthcheck"]["Test"] == ["CMD", "stator", "health"]
    name = podman("create", "--network", "host", "--read-only", "--cap-drop", "all", image,
                  "-jar", "DynamoDBLocal.jar", "-sharedDb", "-dbPath", "./data").split()[-1]
    try:
        began = time.monotonic()
        podman("start", name)
        wait_until(lambda: "is healthy" in podman("exec", name, "stator", "health", check=False), what="a healthy server")
        start_s = time.monotonic() - began
        use_s = write_and_read("http://127.0.0.1:8000")
        assert "Blue" in podman("exec", name, "stator", "export", "Albums", "-")
        began = time.monotonic()
        podman("stop", "--time", STOP_DEADLINE_S, name)
        stop_s = time.monotonic() - began
        assert podman("inspect", "--format", "{{.State.ExitCode}}", name).split() == ["0"]
    finally:
        podman("rm", "--force", "--time", 0, "--volumes", name)
    ROWS.append(Row("image", only("stator-image-*-linux-x86_64.tar").stat().st_size, load_s, start_s, use_s, stop_s))


def test_an_engine_takes_its_own_of_the_archive_of_all():
    assert platform.machine() == "x86_64"
    both = podman("pull", "--quiet", f"oci-archive:{only('stator-image-*.oci.tar')}").split()[-1]
    assert inspected(both)["Architecture"] == "amd64"
    assert inspected(both)["RootFS"] == inspected(load_image()[0])["RootFS"]
