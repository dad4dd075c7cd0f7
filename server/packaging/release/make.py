#!/usr/bin/python3
"""Everything that is published of Stator, as files in a folder: make.py --program FILE --epoch SECONDS FOLDER

The same program and time give the same files to the byte, save for signatures. Nothing is fetched and nothing is pushed.
"""

import argparse
import hashlib
import pathlib
import re
import shutil
import sys

import debian
import image
import languages
import libraries
import maven
import recipes
import signing
from architectures import AARCH64, X86_64
from archives import entry, program, read_tree, tar_gz, under

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Release:
    """What all packages are made of."""

    def __init__(self, programs, epoch_s, url, go_module, maven_group):
        self.packaging = ROOT / "server" / "packaging"
        self.version = re.search(r"project\(stator VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.programs = {made_for: path.read_bytes() for made_for, path in programs.items() if path}
        self.epoch_s = epoch_s
        self.url = url.rstrip("/")
        self.go_module = go_module
        self.maven_group = maven_group
        self.licence = entry((ROOT / "LICENSE").read_bytes())
        self.licences = libraries.licence_texts()

    def pages(self):
        """A tree of the documentation."""
        pages = {name: entry((ROOT / name).read_bytes()) for name in ("LICENSE", "README.md", "SECURITY.md")}
        return {**pages, **under("docs", read_tree(ROOT / "docs"))}


def make_tarball(release, made_for, folder):
    name = f"stator-{release.version}-linux-{made_for.machine}"
    packaging = release.packaging
    tree = {
        "bin/stator": program(release.programs[made_for]),
        "share/man/man1/stator.1": entry((packaging / "stator.1").read_bytes()),
        "share/bash-completion/completions/stator": entry((packaging / "stator.bash").read_bytes()),
        "share/zsh/site-functions/_stator": entry((packaging / "stator.zsh").read_bytes()),
        "share/fish/vendor_completions.d/stator.fish": entry((packaging / "stator.fish").read_bytes()),
        **under("share/doc/stator", release.pages()),
        "LICENSE": release.licence,
        **under("licenses", release.licences),
    }
    path = folder / f"{name}.tar.gz"
    tar_gz(path, under(name, tree), release.epoch_s)
    return path


KINDS = ("tarball", "debian", "pypi", "npm", "go", "maven", "recipes", "image")


def make(release, kinds, java_libraries, busyboxes, folder):
    for name in ("debian", "go", "maven", "npm", "pypi"):
        if name in kinds:
            (folder / name).mkdir()
    if "tarball" in kinds or "recipes" in kinds:  # of which a recipe tells the checksum
        tarballs = {made_for: make_tarball(release, made_for, folder) for made_for in release.programs}
    if "debian" in kinds:
        debian.make(release, folder / "debian")
    if "pypi" in kinds:
        for made_for in (*release.programs, None):
            languages.make_wheel(release, made_for, folder / "pypi")
    if "npm" in kinds:
        languages.make_npm(release, folder / "npm")
    if "go" in kinds:
        languages.make_go(release, folder / "go")
    if "maven" in kinds:
        maven.make(release, java_libraries, folder / "maven")
    if "recipes" in kinds:
        recipes.make(release, tarballs, folder)
    if "image" in kinds:
        image.make(release, busyboxes, folder)
    for made_for, linked in release.programs.items():
        sbom = libraries.bill_of_materials(release.version, hashlib.sha256(linked).hexdigest(), made_for, release.epoch_s)
        (folder / f"stator-{release.version}-linux-{made_for.machine}.spdx.json").write_text(sbom)


def write_sums(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    (folder / "SHA256SUMS").write_text("".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in files))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--program-arm64", type=pathlib.Path, help="packages for that are made too")
    parser.add_argument("--epoch", type=int, required=True)
    parser.add_argument("--url", default="https://YOUR.HOST/stator", help="where the files will lie, for the formula")
    parser.add_argument("--go-module", default="example.com/stator/statortest",
                        help="the path of the module, which is where its repository will lie")
    parser.add_argument("--maven-group", default="com.example.stator", help="the groupId of the Maven package")
    parser.add_argument("--java-libraries", type=pathlib.Path, default=ROOT / "build" / "sources" / "java",
                        help="the folder of jars that the Maven package is compiled against")
    for made_for, place in ((X86_64, "busybox"), (AARCH64, "arm64")):
        parser.add_argument(f"--busybox-{made_for.debian}", type=pathlib.Path, default=ROOT / "build" / "sources" / place,
                            help="the folder in which Debian's busybox-static for that is unpacked, for the image")
    parser.add_argument("--sign", metavar="KEY", help="the GnuPG key that signs the apt repository and the checksums")
    parser.add_argument("--only", default=",".join(KINDS), help="what is made, with commas: " + ", ".join(KINDS))
    parser.add_argument("--without", action="append", default=[], choices=KINDS, help="what is not made")
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    unknown = set(arguments.only.split(",")) - set(KINDS)
    if unknown:
        sys.exit(f"--only knows {', '.join(KINDS)}, not {', '.join(sorted(unknown))}")
    kinds = set(arguments.only.split(",")) - set(arguments.without)
    folder = arguments.folder
    if folder.exists() and any(folder.iterdir()) and not (folder / "SHA256SUMS").exists():
        sys.exit(f"{folder} is not empty and holds no release")
    if arguments.sign:
        signing.check(arguments.sign)
    part = folder.with_name(folder.name + ".part")  # so that a folder is a whole release or none
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    programs = {X86_64: arguments.program, AARCH64: arguments.program_arm64}
    make(Release(programs, arguments.epoch, arguments.url, arguments.go_module, arguments.maven_group),
         kinds, arguments.java_libraries, {X86_64: arguments.busybox_amd64, AARCH64: arguments.busybox_arm64}, part)
    if arguments.sign and "debian" in kinds:
        signing.sign_repository(arguments.sign, part / "debian")
    write_sums(part)
    if arguments.sign:
        signing.sign_sums(arguments.sign, part / "SHA256SUMS")
    else:
        print("not signed: --sign KEY signs the apt repository and the checksums", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)


if __name__ == "__main__":
    main()
