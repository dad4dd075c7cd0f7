"""The packages for languages: a wheel for Python, two packages for npm, a module for Go."""

import base64
import hashlib
import json
import re
import time

from archives import entry, program, read_tree, tar_gz, under, zip_file

WHEEL_TAG = "py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"
SUMMARY = "A local DynamoDB: the server, an API that starts and stops it, fixtures for tests"


def make_wheel(release, folder):
    """The program is a script of the wheel, so it lies on an environment's PATH as it is."""
    name = f"stator_db-{release.version}"
    info = f"{name}.dist-info"
    source = release.packaging / "pypi"
    metadata = (f"Metadata-Version: 2.1\nName: stator-db\nVersion: {release.version}\nSummary: {SUMMARY}\n"
                "License: Apache-2.0\nRequires-Python: >=3.8\nClassifier: Framework :: Pytest\n"
                "Classifier: Operating System :: POSIX :: Linux\nProvides-Extra: boto3\n"
                "Requires-Dist: boto3; extra == 'boto3'\nDescription-Content-Type: text/markdown\n\n"
                + (source / "README.md").read_text())
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in WHEEL_TAG.split("-")[2].split("."))
    tree = {
        **under("stator", read_tree(source / "stator")),
        f"{name}.data/scripts/stator": program(release.program),
        **under(f"{info}/licenses", {"LICENSE": release.licence, **release.licences}),
        f"{info}/METADATA": entry(metadata),
        f"{info}/WHEEL": entry(f"Wheel-Version: 1.0\nGenerator: dev release\nRoot-Is-Purelib: false\n{tags}"),
        f"{info}/entry_points.txt": entry("[pytest11]\nstator = stator.pytest_plugin\n"),
        f"{info}/top_level.txt": entry("stator\n"),
    }
    record = "".join(f"{path},sha256={wheel_sum(found.data)},{len(found.data)}\n"
                     for path, found in tree.items())
    tree[f"{info}/RECORD"] = entry(f"{record}{info}/RECORD,,\n")
    path = folder / f"{name}-{WHEEL_TAG}.whl"
    zip_file(path, tree, release.epoch_s)


def wheel_sum(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def make_npm(release, folder):
    """The chooser, which has no program, and the program of this platform, which npm installs where it fits."""
    source = release.packaging / "npm"
    trees = {
        f"stator-{release.version}.tgz": {
            **read_tree(source / "stator"), "LICENSE": release.licence,
            "package.json": manifest(source / "stator", release.version)},
        f"stator-db-linux-x64-{release.version}.tgz": {
            "bin/stator": program(release.program), "LICENSE": release.licence,
            **under("licenses", release.licences),
            "package.json": manifest(source / "linux-x64", release.version)},
    }
    for name, tree in trees.items():
        tar_gz(folder / name, under("package", tree), release.epoch_s)


def manifest(source, version):
    """package.json with this version, of the package and of what it chooses from."""
    told = json.loads((source / "package.json").read_text())
    told["version"] = version
    if "optionalDependencies" in told:
        told["optionalDependencies"] = {name: version for name in told["optionalDependencies"]}
    return entry(json.dumps(told, indent=2) + "\n")


def make_go(release, folder):
    """The module as a file tree that GOPROXY may name, by the path that it will have where it is published."""
    source = release.packaging / "go"
    version = f"v{release.version}"
    described = re.sub(r"^module \S+", f"module {release.go_module}", (source / "go.mod").read_text())
    place = folder / release.go_module / "@v"
    place.mkdir(parents=True)
    tree = {"LICENSE": release.licence, **read_tree(source), "go.mod": entry(described)}
    zip_file(place / f"{version}.zip", under(f"{release.go_module}@{version}", tree), release.epoch_s)
    (place / f"{version}.mod").write_text(described)
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(release.epoch_s))
    (place / f"{version}.info").write_text(json.dumps({"Version": version, "Time": moment}))
    (place / "list").write_text(f"{version}\n")
