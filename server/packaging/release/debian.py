"""The Debian package of the static program, and the index that makes its folder an apt repository."""

import hashlib
import os
import pathlib
import subprocess
import tempfile
import time

from archives import entry, gzip_bytes, program, under

DESCRIPTION = """local server that speaks DynamoDB's wire protocol
 One small server that the official SDKs and the AWS CLI take for DynamoDB: for
 development, tests and continuous integration. It starts in milliseconds, keeps
 data in memory or in a folder, and takes DynamoDB Local's command line too. This
 package's program is linked statically, so it needs no other."""


def installed(release, made_for):
    """The package's files. What lies where is said once more in ../install.cmake, for the shared program."""
    packaging = release.packaging
    doc = {"copyright": entry((packaging / "copyright").read_bytes()), **release.pages(),
           **under("licenses", release.licences)}
    return {
        "usr/bin/stator": program(release.programs[made_for]),
        "usr/share/man/man1/stator.1.gz": entry(gzip_bytes((packaging / "stator.1").read_bytes())),
        "usr/share/bash-completion/completions/stator": entry((packaging / "stator.bash").read_bytes()),
        "usr/share/zsh/vendor-completions/_stator": entry((packaging / "stator.zsh").read_bytes()),
        "usr/share/fish/vendor_completions.d/stator.fish": entry((packaging / "stator.fish").read_bytes()),
        "lib/systemd/system/stator.service": entry((packaging / "stator.service").read_bytes()),
        **under("usr/share/doc/stator", doc),
    }


def control_fields(release, made_for, tree):
    size_kib = sum(-(-len(found.data) // 1024) for found in tree.values())
    return (f"Package: stator\nVersion: {release.version}\nArchitecture: {made_for.debian}\n"
            "Maintainer: The authors of Stator <stator@localhost>\n"
            f"Installed-Size: {size_kib}\nSuggests: bash-completion, awscli\nSection: database\n"
            f"Priority: optional\nDescription: {DESCRIPTION}\n")


def make(release, folder):
    """A package for each architecture, and their index."""
    packages = {folder / f"stator_{release.version}_{made_for.debian}.deb": made_for for made_for in release.programs}
    controls = {path: make_deb(release, made_for, path) for path, made_for in packages.items()}
    make_index(release, controls, folder)


def make_deb(release, made_for, path):
    """Returns its description."""
    tree = installed(release, made_for)
    sums = "".join(f"{hashlib.md5(tree[name].data).hexdigest()}  {name}\n" for name in sorted(tree))
    control = control_fields(release, made_for, tree)
    tree.update({"DEBIAN/control": entry(control), "DEBIAN/md5sums": entry(sums),
                 "DEBIAN/prerm": program((release.packaging / "prerm").read_bytes())})
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "root")
        root.mkdir()
        root.chmod(0o755)
        for name, found in tree.items():
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(found.data)
            file.chmod(found.mode)
        for found in [root, *root.rglob("*")]:
            if found.is_dir():
                found.chmod(0o755)
            os.utime(found, (release.epoch_s, release.epoch_s))
        subprocess.run(["dpkg-deb", "--root-owner-group", "--threads-max=1", "-Zxz", "--build", root, path], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(release.epoch_s)})
    return control


def make_index(release, controls, folder):
    """Packages and Release beside the packages; signing.py may sign it."""
    packages = ""
    for deb, control in controls.items():
        data = deb.read_bytes()
        packages += control + (f"Filename: ./{deb.name}\nSize: {len(data)}\n"
                               f"SHA256: {hashlib.sha256(data).hexdigest()}\n\n")
    files = {"Packages": packages.encode(), "Packages.gz": gzip_bytes(packages.encode())}
    sums = "".join(f" {hashlib.sha256(content).hexdigest()} {len(content)} {name}\n"
                   for name, content in files.items())
    date = time.strftime("%a, %d %b %Y %H:%M:%S UTC", time.gmtime(release.epoch_s))
    architectures = " ".join(made_for.debian for made_for in release.programs)
    files["Release"] = (f"Origin: Stator\nLabel: Stator\nSuite: stable\nDate: {date}\nArchitectures: {architectures}\n"
                        f"SHA256:\n{sums}").encode()
    for name, content in files.items():
        (folder / name).write_bytes(content)
