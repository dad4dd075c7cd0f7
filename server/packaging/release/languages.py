"""The packages for languages: a wheel for Python, two packages for npm, a module for Go."""

import base64
import hashlib
import json
import re
import time

from archives import entry, program, read_tree, tar_gz, under, zip_file

WHEEL_PLATFORMS = ("manylinux_2_17", "manylinux2014", "musllinux_1_1")
SUMMARY = "A local DynamoDB: the server, an API that starts and stops it, fixtures for tests"


def make_wheel(release, made_for, folder):
    """The program is a script of the wheel, so it lies on an environment's PATH as it is. Without an architecture the
    wheel has no program: pip takes it where no other fits, and $STATOR_ENDPOINT names the server there."""
    name = f"stator_db-{release.version}"
    info = f"{name}.dist-info"
    source = release.packaging / "pypi"
    metadata = (f"Metadata-Version: 2.1\nName: stator-db\nVersion: {release.version}\nSummary: {SUMMARY}\n"
                "License: Apache-2.0\nRequires-Python: >=3.8\nClassifier: Framework :: Pytest\n"
                "Classifier: Operating System :: POSIX :: Linux\nProvides-Extra: boto3\n"
                "Requires-Dist: boto3; extra == 'boto3'\nDescription-Content-Type: text/markdown\n\n"
                + (source / "README.md").read_text())
    platforms = [f"{platform}_{made_for.machine}" for platform in WHEEL_PLATFORMS] if made_for else ["any"]
    programs = {f"{name}.data/scripts/stator": program(release.programs[made_for])} if made_for else {}
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in platforms)
    pure = "false" if made_for else "true"
    tree = {
        **under("stator", read_tree(source / "stator")),
        **programs,
        **under(f"{info}/licenses", {"LICENSE": release.licence, **release.licences}),
        f"{info}/METADATA": entry(metadata),
        f"{info}/WHEEL": entry(f"Wheel-Version: 1.0\nGenerator: dev release\nRoot-Is-Purelib: {pure}\n{tags}"),
        f"{info}/entry_points.txt": entry("[pytest11]\nstator = stator.pytest_plugin\n"),
        f"{info}/top_level.txt": entry("stator\n"),
    }
    record = "".join(f"{path},sha256={wheel_sum(found.data)},{len(found.data)}\n"
                     for path, found in tree.items())
    tree[f"{info}/RECORD"] = entry(f"{record}{info}/RECORD,,\n")
    path = folder / f"{name}-py3-none-{'.'.join(platforms)}.whl"
    zip_file(path, tree, release.epoch_s)


def wheel_sum(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def make_npm(release, folder):
    """The chooser, which has no program, and a program for each platform, of which npm installs the one that fits."""
    source = release.packaging / "npm"
    trees = {
        f"stator-{release.version}.tgz": {
            **read_tree(source / "stator"), "LICENSE": release.licence,
            "package.json": manifest(source / "stator", release)},
    }
    for made_for, linked in release.programs.items():
        trees[f"stator-db-linux-{made_for.node}-{release.version}.tgz"] = {
            "bin/stator": program(linked), "LICENSE": release.licence,
            **under("licenses", release.licences),
            "package.json": manifest(source / f"linux-{made_for.node}", release)}
    for name, tree in trees.items():
        tar_gz(folder / name, under("package", tree), release.epoch_s)


def manifest(source, release):
    """package.json with this version, of the package and of what it chooses from."""
    told = json.loads((source / "package.json").read_text())
    told["version"] = release.version
    if "optionalDependencies" in told:
        told["optionalDependencies"] = {f"@stator-db/linux-{made_for.node}": release.version
                                        for made_for in release.programs}
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
