"""The image of the static program, laid out and packed without a container engine.

docker/Dockerfile takes the file system from here, as a tar on standard output: image.py PROGRAM FOLDER_OF_BUSYBOX
A test sees to it that the settings below are that file's too.
"""

import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import time

from archives import gzip_bytes

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUSYBOX = "bin/busybox"
USER = 1000
HOME = "home/dynamodblocal"
PASSWD = f"""root:x:0:0:root:/root:/bin/sh
dynamodblocal:x:{USER}:{USER}:Stator:/{HOME}:/bin/sh
nobody:x:65534:65534:nobody:/:/bin/false
"""
GROUP = f"root:x:0:\ndynamodblocal:x:{USER}:\nnogroup:x:65534:\n"
DESCRIPTION = "A local DynamoDB: speaks its wire protocol, takes DynamoDB Local's command line"
SECOND_NS = 1_000_000_000
OCI = "application/vnd.oci.image"


# --- The file system --------------------------------------------------------------------------------

def layer(program, busybox, applets, epoch_s):
    """A tar. Beside Stator there is a shell with the usual small tools (busybox) and a small `curl`: compose files, pipelines
    and testcontainers check a container's health with them, and derived images run commands."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        def add(name, kind, mode, data=b"", target="", owner=0):
            member = tarfile.TarInfo(name)
            member.type, member.mode, member.linkname, member.size = kind, mode, target, len(data)
            member.uid = member.gid = owner
            member.mtime = epoch_s
            archive.addfile(member, io.BytesIO(data))

        def file(name, data, mode=0o644):
            add(name, tarfile.REGTYPE, mode, data)

        def link(name, target):
            add(name, tarfile.SYMTYPE, 0o777, target=target)

        for name in ("bin", "etc", "home", "usr", "usr/bin", "usr/share", "usr/share/doc"):
            add(name, tarfile.DIRTYPE, 0o755)
        add("root", tarfile.DIRTYPE, 0o700)
        add("tmp", tarfile.DIRTYPE, 0o1777)
        # Any uid may keep data, as some platforms choose one at random; a new named volume takes this mode over.
        for name in (HOME, f"{HOME}/data"):
            add(name, tarfile.DIRTYPE, 0o1777, owner=USER)

        file("usr/bin/stator", program, 0o755)
        link("usr/bin/java", "stator")
        file("usr/bin/curl", (ROOT / "docker" / "curl").read_bytes(), 0o755)
        file(BUSYBOX, (busybox / BUSYBOX).read_bytes(), 0o755)
        for name in applets:
            link(f"bin/{name}", "busybox")
        file("bin/bash", b'#!/bin/sh\nexec /bin/sh "$@"\n', 0o755)  # what people type to look inside
        file("etc/passwd", PASSWD.encode())
        file("etc/group", GROUP.encode())
        file("usr/share/doc/stator.LICENSE", (ROOT / "LICENSE").read_bytes())
        file("usr/share/doc/prometheus-cpp.copyright",
             (ROOT / "build" / "sources" / "prometheus-cpp" / "LICENSE").read_bytes())
        file("usr/share/doc/busybox.copyright", (busybox / "usr/share/doc/busybox-static/copyright").read_bytes())
    return packed.getvalue()


def applets_of(busybox):
    """The names that a busybox goes by; it has to run here."""
    told = subprocess.run([busybox / BUSYBOX, "--list"], capture_output=True, text=True, check=True).stdout
    return sorted(set(told.split()) - {"busybox", "bash"})


# --- Its description --------------------------------------------------------------------------------

def settings(version):
    return {
        "User": f"{USER}:{USER}",
        "ExposedPorts": {"8000/tcp": {}},
        "Env": ["PATH=/usr/local/bin:/usr/bin:/bin"],
        "Entrypoint": ["java"],
        "Cmd": ["-jar", "DynamoDBLocal.jar", "-inMemory"],
        "Volumes": {f"/{HOME}/data": {}},
        "WorkingDir": f"/{HOME}",
        # Without a start period: in one, Docker looks every 5 s only, and the server answers at once.
        "Healthcheck": {"Test": ["CMD", "stator", "health"], "Interval": SECOND_NS, "Timeout": 3 * SECOND_NS,
                        "Retries": 5},
        "Labels": {
            "org.opencontainers.image.title": "Stator",
            "org.opencontainers.image.description": DESCRIPTION,
            "org.opencontainers.image.version": version,
            "org.opencontainers.image.licenses": "Apache-2.0 AND GPL-2.0-only",
        },
    }


class Image:
    """One architecture's: the bytes of its layer and of its description."""

    def __init__(self, release, made_for, busybox, applets):
        unpacked = layer(release.programs[made_for], busybox, applets, release.epoch_s)
        created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(release.epoch_s))
        self.layer = gzip_bytes(unpacked)
        self.platform = {"architecture": made_for.debian, "os": "linux"}
        self.config = as_json({
            "created": created, **self.platform, "config": settings(release.version),
            "rootfs": {"type": "layers", "diff_ids": [digest(unpacked)]},
            "history": [{"created": created, "created_by": "dev release"}]})


def as_json(value):
    return json.dumps(value, indent=1, sort_keys=True).encode()


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


# --- Archives ---------------------------------------------------------------------------------------

def make(release, busyboxes, folder):
    """An archive for each architecture, as `docker save` writes them, and one of all in OCI's layout, for registries."""
    applets = applets_of(next(iter(busyboxes.values())))
    images = {made_for: Image(release, made_for, busyboxes[made_for], applets) for made_for in release.programs}
    name = f"stator-image-{release.version}"
    for made_for, image in images.items():
        config = digest(image.config).removeprefix("sha256:") + ".json"
        packed = digest(image.layer).removeprefix("sha256:") + ".tar.gz"
        tags = [f"stator:{release.version}", "stator:latest"]
        listed = [{"Config": config, "RepoTags": tags, "Layers": [packed]}]
        write_tar(folder / f"{name}-linux-{made_for.machine}.tar",
                  {config: image.config, packed: image.layer, "manifest.json": as_json(listed)}, release.epoch_s)
    write_tar(folder / f"{name}.oci.tar", oci_layout(release, list(images.values())), release.epoch_s)


def oci_layout(release, images):
    """File name -> content. The list of images leads to one index, which leads to one image for each architecture."""
    files = {"oci-layout": as_json({"imageLayoutVersion": "1.0.0"})}

    def blob(kind, data, **more):
        files["blobs/sha256/" + digest(data).removeprefix("sha256:")] = data
        return {"mediaType": f"{OCI}.{kind}", "digest": digest(data), "size": len(data), **more}

    manifests = [blob("manifest.v1+json", as_json({
        "schemaVersion": 2, "mediaType": f"{OCI}.manifest.v1+json",
        "config": blob("config.v1+json", image.config),
        "layers": [blob("layer.v1.tar+gzip", image.layer)]}), platform=image.platform) for image in images]
    index = as_json({"schemaVersion": 2, "mediaType": f"{OCI}.index.v1+json", "manifests": manifests})
    name = {"org.opencontainers.image.ref.name": f"stator:{release.version}",
            "io.containerd.image.name": f"docker.io/library/stator:{release.version}"}  # what Docker goes by
    files["index.json"] = as_json({"schemaVersion": 2, "mediaType": f"{OCI}.index.v1+json",
                                   "manifests": [blob("index.v1+json", index, annotations=name)]})
    return files


def write_tar(path, files, epoch_s):
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(files[name]), epoch_s
            archive.addfile(member, io.BytesIO(files[name]))


if __name__ == "__main__":
    where = pathlib.Path(sys.argv[2])
    sys.stdout.buffer.write(layer(pathlib.Path(sys.argv[1]).read_bytes(), where, applets_of(where), 0))
