"""The Maven package in an empty project, by the repository of the release, and its jar without anything else."""

import hashlib
import re
import shutil
import xml.etree.ElementTree as xml
import zipfile
from pathlib import Path

import pytest

from conftest import HELPERS, RELEASE, SUITE, only

GROUP, ARTIFACT = "com.example.stator", "stator-junit"
PLACE = "maven/com/example/stator/stator-junit"
JAVA_11 = 55  # the major version of class files
LIBRARIES = SUITE.parents[1] / "build" / "sources" / "java"

USE = """
import stator.junit.Stator;

class Use {
  public static void main(String[] arguments) throws Exception {
    Stator kept;
    try (var server = Stator.start("--clock", "2027-01-01T00:00:00Z")) {
      server.advance(java.time.Duration.ofMinutes(30));
      if (!server.ask("clock", "{\\"advance\\":\\"30m\\"}").contains("2027-01-01T01:00:00.000Z")) throw new AssertionError("the clock");
      server.mark("empty");
      server.rollback("empty");
      server.reset();
      if (!server.endpoint().startsWith("http://")) throw new AssertionError(server.endpoint());
      kept = server;
    }
    kept.close();
    try {
      Stator.start("--no-such-flag");
      throw new AssertionError("it started");
    } catch (IllegalStateException error) {
      if (!error.getMessage().contains("--no-such-flag")) throw error;
    }
    System.out.println("used");
  }
}
"""

CONTAINER = """
import org.testcontainers.containers.wait.strategy.HttpWaitStrategy;
import stator.junit.StatorContainer;

class Check {
  static class Seen extends StatorContainer {
    Seen(String image) { super(image); }
    String waits() throws Exception {
      var path = HttpWaitStrategy.class.getDeclaredField("path");
      var port = HttpWaitStrategy.class.getDeclaredField("livenessPort");
      path.setAccessible(true);
      port.setAccessible(true);
      var strategy = (HttpWaitStrategy) getWaitStrategy();
      return port.get(strategy) + " " + path.get(strategy);
    }
    @Override public String getHost() { return "engine.example"; }
    @Override public Integer getMappedPort(int port) { return port + 40000; }
  }

  public static void main(String[] arguments) throws Exception {
    var container = new Seen("registry.example/stator:0.1.0").withCommand("--isolate", "key", "--gsi-delay", "1");
    System.out.println(container.getImage());
    System.out.println(new StatorContainer().getImage());
    System.out.println(container.getExposedPorts());
    System.out.println(((Seen) container).waits());
    System.out.println(((Seen) container).endpoint());
    System.out.println(String.join(" ", container.getCommandParts()));
    ((Seen) container).client().close();
  }
}
"""


def test_the_repository_is_as_maven_wants_it():
    version = only(f"{PLACE}/*/*.pom").parent.name
    files = {path.name for path in only(f"{PLACE}/{version}").iterdir() if not re.search(r"\.(md5|sha\d+)$", path.name)}
    assert files == {f"{ARTIFACT}-{version}{end}" for end in (".pom", ".jar", "-sources.jar")}
    for path in (RELEASE / PLACE).rglob("*.*"):
        if re.search(r"\.(pom|jar|xml)$", path.name):
            for kind in ("md5", "sha1", "sha256"):
                told = path.with_name(f"{path.name}.{kind}").read_text()
                assert told == hashlib.new(kind, path.read_bytes()).hexdigest()
    described = xml.parse(only(f"{PLACE}/*/*.pom"))
    space = {"": "http://maven.apache.org/POM/4.0.0"}
    told = [described.findtext(tag, namespaces=space) for tag in ("groupId", "artifactId", "version")]
    assert told == [GROUP, ARTIFACT, version]
    assert {found.text for found in described.findall("dependencies/dependency/optional", space)} == {"true"}


def test_the_jar():
    with zipfile.ZipFile(only(f"{PLACE}/*/*[0-9].jar")) as jar:
        names = jar.namelist()
        assert names[0] == "META-INF/MANIFEST.MF"
        classes = [name for name in names if name.endswith(".class")]
        assert {int.from_bytes(jar.read(name)[6:8], "big") for name in classes} == {JAVA_11}
        program = jar.read("stator/junit/linux-x86_64/stator")
        assert jar.read("stator/junit/linux-x86_64/stator.sha256").decode().strip() == \
            hashlib.sha256(program).hexdigest()
    with zipfile.ZipFile(only(f"{PLACE}/*/*-sources.jar")) as sources:
        public = {f"stator/junit/{name}.java" for name in ("Stator", "StatorContainer", "StatorExtension")}
        assert public <= set(sources.namelist())


@pytest.fixture
def repository():
    """Maven's own folder of packages, which has the SDK and JUnit already; and this one not."""
    folder = Path.home() / ".m2" / "repository" / "com" / "example" / "stator"
    shutil.rmtree(folder, ignore_errors=True)
    yield
    shutil.rmtree(folder, ignore_errors=True)


def test_junit(project, run, repository):
    """The example of the helpers, with the package in the place of its sources."""
    shutil.copytree(HELPERS / "junit" / "src", project / "src")
    version = only(f"{PLACE}/*/*.pom").parent.name
    added = (f"<repositories><repository><id>release</id><url>file://{RELEASE / 'maven'}</url>"
             "<releases><checksumPolicy>fail</checksumPolicy></releases></repository></repositories>\n  <dependencies>"
             f"<dependency><groupId>{GROUP}</groupId><artifactId>{ARTIFACT}</artifactId><version>{version}</version>"
             "<scope>test</scope></dependency>")
    described = (HELPERS / "junit" / "pom.xml").read_text().replace("<dependencies>", added, 1)
    (project / "pom.xml").write_text(described)
    (project / "temporary").mkdir()
    told = run("mvn", "--batch-mode", "--no-transfer-progress", "-Dstyle.color=never", "test",
               "-DargLine=-Djava.io.tmpdir=temporary")
    assert re.search(r"Tests run: 14, Failures: 0, Errors: 0, Skipped: 0\n", told), told
    left = [path for path in (project / "temporary").glob("stator-*/*")]
    assert len(left) == 1 and left[0].stat().st_mode & 0o777 == 0o700, left


def launch(run, folder, name, text, jars):
    """Runs a source file as it is. Its folder for temporary files is the project's."""
    (folder / f"{name}.java").write_text(text)
    (folder / "temporary").mkdir(exist_ok=True)
    return run("java", "-Djava.io.tmpdir=temporary", "-cp", ":".join(map(str, jars)), f"{name}.java")


def test_api_without_any_library(project, run):
    assert launch(run, project, "Use", USE, [only(f"{PLACE}/*/*[0-9].jar")]) == "used\n"
    program, = (project / "temporary").glob("stator-*/stator-*")
    whole = program.read_bytes()
    assert program.name == f"stator-{hashlib.sha256(whole).hexdigest()[:16]}"

    # One that somebody broke is written anew; a folder that others may write to is not used.
    program.write_bytes(whole[:-1])
    assert launch(run, project, "Use", USE, [only(f"{PLACE}/*/*[0-9].jar")]) == "used\n"
    assert program.read_bytes() == whole
    program.write_text("#!/bin/sh\nexit 1\n")
    program.parent.chmod(0o777)
    assert launch(run, project, "Use", USE, [only(f"{PLACE}/*/*[0-9].jar")]) == "used\n"
    assert program.read_bytes() != whole


def test_a_damaged_jar_is_refused(project, run):
    with zipfile.ZipFile(only(f"{PLACE}/*/*[0-9].jar")) as whole, zipfile.ZipFile(project / "damaged.jar", "w") as damaged:
        for name in whole.namelist():
            damaged.writestr(name, b"#!/bin/sh\n" if name.endswith("/stator") else whole.read(name))
    (project / "Use.java").write_text(USE)
    told = run("sh", "-c", "! java -Djava.io.tmpdir=. -cp damaged.jar Use.java")
    assert "the program in the jar has another digest than the jar says" in told
    assert not [path for path in project.rglob("stator-*/*")]


def test_container(project, run):
    """The class for Testcontainers without an engine: what it would ask one for."""
    jars = [only(f"{PLACE}/*/*[0-9].jar"), *sorted(LIBRARIES.glob("*.jar"))]
    told = launch(run, project, "Check", CONTAINER, jars)
    assert re.search(r"imageName=registry\.example/stator:0\.1\.0\b.*\n.*imageName=stator:latest\b", told), told
    assert told.splitlines()[-4:] == ["[8000]", "Optional[8000] /healthz", "http://engine.example:48000",
                                      "--isolate key --gsi-delay 1"]
