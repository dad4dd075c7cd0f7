"""The package for Java: a jar with the program in it, its sources and its description, as a repository of Maven."""

import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from archives import entry, program, read_tree, under, zip_file

JAVA_RELEASE = 11  # the oldest that runs it


def make(release, libraries, folder):
    """A file tree that a project's <repository> may name."""
    source = release.packaging / "maven"
    described = (source / "pom.xml").read_text()
    group, artifact = (re.search(f"<{tag}>(.*)</{tag}>", described)[1] for tag in ("groupId", "artifactId"))
    described = described.replace(f"<groupId>{group}</groupId>", f"<groupId>{release.maven_group}</groupId>", 1)
    described = re.sub("<version>.*</version>", f"<version>{release.version}</version>", described, count=1)
    described = re.sub("<!-- .* -->\n", "", described, count=1)

    place = folder / release.maven_group.replace(".", "/") / artifact
    name = f"{artifact}-{release.version}"
    (place / release.version).mkdir(parents=True)
    sources = read_tree(source / "src" / "main" / "java")
    packed = {
        f"{name}.pom": described.encode(),
        f"{name}.jar": jar(release, {**class_files(source, libraries), **bundled_programs(release),
                                     **under("META-INF/licenses", release.licences)}),
        f"{name}-sources.jar": jar(release, sources),
    }
    for file, data in packed.items():
        with_sums(place / release.version / file, data)
    moment = time.strftime("%Y%m%d%H%M%S", time.gmtime(release.epoch_s))
    with_sums(place / "maven-metadata.xml", (
        '<?xml version="1.0" encoding="UTF-8"?>\n<metadata>\n'
        f"  <groupId>{release.maven_group}</groupId>\n  <artifactId>{artifact}</artifactId>\n  <versioning>\n"
        f"    <release>{release.version}</release>\n"
        f"    <versions>\n      <version>{release.version}</version>\n    </versions>\n"
        f"    <lastUpdated>{moment}</lastUpdated>\n  </versioning>\n</metadata>\n").encode())


def class_files(source, libraries):
    """What javac makes of the sources. It writes no times and no folders; another JDK may make other bytes."""
    jars = sorted(libraries.glob("*.jar"))
    if not jars:
        sys.exit(f"{libraries} has no jars of JUnit, Testcontainers and the AWS SDK: ./dev install release")
    java = source / "src" / "main" / "java"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["javac", "--release", str(JAVA_RELEASE), "-encoding", "UTF-8", "-g", "-proc:none", "-nowarn",
             "-d", folder, "-classpath", ":".join(map(str, jars)), *map(str, sorted(java.rglob("*.java")))], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"javac failed:\n{done.stdout}{done.stderr}")
        return read_tree(pathlib.Path(folder))


def bundled_programs(release):
    """Where Program.java looks for them."""
    tree = {}
    for made_for, linked in release.programs.items():
        place = f"stator/junit/linux-{made_for.machine}/stator"
        tree.update({place: program(linked), f"{place}.sha256": entry(hashlib.sha256(linked).hexdigest() + "\n")})
    return tree


def jar(release, tree):
    """Its bytes. The manifest has to be the first file."""
    manifest = (f"Manifest-Version: 1.0\nAutomatic-Module-Name: stator.junit\nImplementation-Title: Stator\n"
                f"Implementation-Version: {release.version}\n\n")
    tree = {"META-INF/MANIFEST.MF": entry(manifest), "META-INF/LICENSE": release.licence, **tree}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "jar")
        zip_file(path, tree, release.epoch_s)
        return path.read_bytes()


def with_sums(path, data):
    """A file, and those beside it by which Maven checks it."""
    path.write_bytes(data)
    for kind in ("md5", "sha1", "sha256"):
        path.with_name(f"{path.name}.{kind}").write_text(hashlib.new(kind, data).hexdigest())
