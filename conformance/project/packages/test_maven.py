"""The Maven package in an empty project, by the repository of the release, and its jar without anything else."""

import hashlib
import os
import re
import shutil
import xml.etree.ElementTree as xml
import zipfile
from pathlib import Path

from checkout import ROOT
from conftest import HELPERS, RELEASE, inside, load_image, only, told_figures

GROUP, ARTIFACT = "com.example.stator", "stator-junit"
PLACE = "maven/com/example/stator/stator-junit"
JAVA_11 = 55  # the major version of class files
JAR = f"{PLACE}/*/*[0-9].jar"
LIBRARIES = ["--volume", f"{ROOT / 'build' / 'sources' / 'java'}:/libraries:ro"]

# All that Maven would fetch comes from what it has fetched before; the package from the release.
SETTINGS = """
<settings><mirrors><mirror>
  <id>fetched</id><mirrorOf>*,!release</mirrorOf><url>file:///fetched</url>
</mirror></mirrors></settings>
"""

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

DATABASE = """
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.*;
import stator.junit.*;

class Database {
  static void writeAndRead(StatorServer server) {
    var item = Map.of("Title", AttributeValue.fromS("Blue"));
    try (var client = server.client()) {
      client.createTable(table -> table.tableName("Albums").billingMode(BillingMode.PAY_PER_REQUEST)
          .attributeDefinitions(AttributeDefinition.builder().attributeName("Title").attributeType("S").build())
          .keySchema(KeySchemaElement.builder().attributeName("Title").keyType(KeyType.HASH).build()));
      client.putItem(put -> put.tableName("Albums").item(item));
      var read = client.getItem(get -> get.tableName("Albums").key(item)).item();
      if (!read.equals(item)) throw new AssertionError(read.toString());
    }
  }

  static void figures(long... moments) {
    System.out.print("figures:");
    for (int at = 1; at < moments.length; at++) System.out.print(" " + (moments[at] - moments[at - 1]) / 1e9);
    System.out.println();
  }

  public static void main(String[] arguments) throws Exception {
    %s
  }
}
"""

PROCESS = """
    long began = System.nanoTime();
    var server = Stator.start();
    long started = System.nanoTime();
    writeAndRead(server);
    long used = System.nanoTime();
    server.close();
    figures(began, started, used, System.nanoTime());
"""

CONTAINER = """
    long began = System.nanoTime();
    var container = new StatorContainer(arguments[0]).withCommand("--isolate", "key", "--gsi-delay", "1");
    container.start();
    long started = System.nanoTime();
    writeAndRead(container);
    long used = System.nanoTime();
    container.mark("kept");
    container.reset();
    container.rollback("kept");
    container.advance(java.time.Duration.ofHours(25));
    String log = container.getLogs();
    long stopping = System.nanoTime();
    container.stop();
    figures(began, started, used, used + System.nanoTime() - stopping);
    System.out.println(log);
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


def test_junit(box):
    """The example of the helpers, with the package in the place of its sources."""
    fetched = Path.home() / ".m2" / "repository"
    made = box("--volume", f"{fetched}:/fetched:ro", tools=True)
    shutil.copytree(HELPERS / "junit" / "src", made.project / "src")
    version = only(f"{PLACE}/*/*.pom").parent.name
    added = ("<repositories><repository><id>release</id><url>file:///release/maven</url>"
             "<releases><checksumPolicy>fail</checksumPolicy></releases></repository></repositories>\n  <dependencies>"
             f"<dependency><groupId>{GROUP}</groupId><artifactId>{ARTIFACT}</artifactId><version>{version}</version>"
             "<scope>test</scope></dependency>")
    described = (HELPERS / "junit" / "pom.xml").read_text().replace("<dependencies>", added, 1)
    (made.project / "pom.xml").write_text(described)
    (made.project / "settings.xml").write_text(SETTINGS)
    (made.project / "temporary").mkdir()
    told = made.run("mvn", "--batch-mode", "--no-transfer-progress", "-Dstyle.color=never", "-s", "settings.xml", "test",
                    "-DargLine=-Djava.io.tmpdir=temporary")
    assert re.search(r"Tests run: [1-9]\d*, Failures: 0, Errors: 0, Skipped: 0\n", told), told
    classes = {path.stem for path in (made.project / "src").rglob("*Test.java")}
    assert classes == set(re.findall(r"Running example\.(\w+Test)$", told, re.MULTILINE)), told
    left = list((made.project / "temporary").glob("stator-*/*"))
    assert len(left) == 1 and left[0].stat().st_mode & 0o777 == 0o700, left


def launch(box, name, text, *arguments, libraries=""):
    """Runs a source file as it is. Its folder for temporary files is the project's."""
    (box.project / f"{name}.java").write_text(text)
    (box.project / "temporary").mkdir(exist_ok=True)
    return box.run("java", "-Djava.io.tmpdir=temporary", "-cp", inside(JAR) + libraries, f"{name}.java", *arguments)


def test_api_without_any_library(box):
    made = box(tools=True)
    assert launch(made, "Use", USE) == "used\n"
    program, = (made.project / "temporary").glob("stator-*/stator-*")
    whole = program.read_bytes()
    assert program.name == f"stator-{hashlib.sha256(whole).hexdigest()[:16]}"

    # One that somebody broke is written anew; a folder that others may write to is not used.
    program.write_bytes(whole[:-1])
    assert launch(made, "Use", USE) == "used\n"
    assert program.read_bytes() == whole
    program.write_text("#!/bin/sh\nexit 1\n")
    program.parent.chmod(0o777)
    assert launch(made, "Use", USE) == "used\n"
    assert program.read_bytes() != whole


def test_with_the_sdk(box):
    told = launch(box(*LIBRARIES, tools=True), "Database", DATABASE % PROCESS, libraries=":/libraries/*")
    told_figures("Maven: jar, by its API and the SDK", [only(JAR)], None, told)


def test_a_damaged_jar_is_refused(box):
    made = box(tools=True)
    with zipfile.ZipFile(only(JAR)) as whole, zipfile.ZipFile(made.project / "damaged.jar", "w") as damaged:
        for name in whole.namelist():
            damaged.writestr(name, b"#!/bin/sh\n" if name.endswith("/stator") else whole.read(name))
    (made.project / "Use.java").write_text(USE)
    told = made.run("sh", "-c", "! java -Djava.io.tmpdir=. -cp damaged.jar Use.java")
    assert "the program in the jar has another digest than the jar says" in told
    assert not list(made.project.rglob("stator-*/*"))


def test_container(box):
    """The class for Testcontainers, by an engine and with the image of the release."""
    image, _ = load_image()
    socket = os.environ["DOCKER_HOST"].removeprefix("unix://")
    made = box(*LIBRARIES, "--volume", f"{socket}:/run/engine.sock", "--env", "DOCKER_HOST=unix:///run/engine.sock",
               "--env", "TESTCONTAINERS_RYUK_DISABLED=true", "--env", "TESTCONTAINERS_HOST_OVERRIDE=localhost", tools=True)
    told = launch(made, "Database", DATABASE % CONTAINER, image, libraries=":/libraries/*")
    assert "listening on" in told
    told_figures("Maven: jar, its class for Testcontainers, the image", [only(JAR)], None, told)
