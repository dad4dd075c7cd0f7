// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;

/** The program of this platform, out of the jar. */
final class Program {
  private static Path extracted;  // of this JVM; null before

  private Program() {}

  /** $STATOR, else the jar's program as a file, else {@code stator}, which is looked for on PATH. */
  static synchronized String path() {
    String named = System.getenv("STATOR");
    if (named != null && !named.isEmpty()) {
      return named;
    }
    if (Program.class.getResource(resource()) == null) {
      return "stator";
    }
    if (extracted == null || !Files.isExecutable(extracted)) {  // who clears temporary files may have been here
      try {
        extracted = extract();
      } catch (IOException error) {
        throw new UncheckedIOException("the jar's program could not be written to a temporary file", error);
      }
    }
    return extracted.toString();
  }

  /** What to say when it cannot be started. */
  static String hint(String program) {
    return program.equals("stator")
        ? "there is no program for " + platform() + " in the jar; the variable STATOR may name one, and STATOR_ENDPOINT a server that runs elsewhere"
        : program + " could not be started; the variable STATOR may name another, java.io.tmpdir another folder";
  }

  private static String platform() {
    String arch = System.getProperty("os.arch");
    return System.getProperty("os.name").toLowerCase(Locale.ROOT) + "-" + (arch.equals("amd64") ? "x86_64" : arch);
  }

  private static String resource() {
    return platform() + "/stator";
  }

  /** The file is called after its digest, and is used again by other JVMs as long as it has it. */
  private static Path extract() throws IOException {
    String wanted;
    try (var told = Program.class.getResourceAsStream(resource() + ".sha256")) {
      wanted = new String(told.readAllBytes(), StandardCharsets.US_ASCII).trim();
    }
    Path folder = folder();
    Path program = folder.resolve("stator-" + wanted.substring(0, 16));
    if (Files.isRegularFile(program, LinkOption.NOFOLLOW_LINKS)
        && wanted.equals(digest(Files.newInputStream(program), null))) {
      return program;
    }
    Path part = Files.createTempFile(folder, "part", "");
    if (!wanted.equals(digest(Program.class.getResourceAsStream(resource()), part))) {
      Files.delete(part);
      throw new IOException("the program in the jar has another digest than the jar says: it is damaged");
    }
    Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rwx------"));
    return Files.move(part, program, StandardCopyOption.ATOMIC_MOVE);
  }

  /** The SHA-256 of what is read, which is written to a file unless that is null. */
  private static String digest(InputStream from, Path to) throws IOException {
    try (var read = new DigestInputStream(from, MessageDigest.getInstance("SHA-256"))) {
      if (to == null) {
        read.transferTo(OutputStream.nullOutputStream());
      } else {
        Files.copy(read, to, StandardCopyOption.REPLACE_EXISTING);
      }
      var text = new StringBuilder();
      for (byte value : read.getMessageDigest().digest()) {
        text.append(String.format("%02x", value));
      }
      return text.toString();
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error);
    }
  }

  /** One folder for all JVMs of this user; a new one when somebody else has made what is called so. */
  private static Path folder() throws IOException {
    Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    Path shared = Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath().resolve("stator-" + user);
    try {
      Files.createDirectory(shared, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException there) {
      if (!Files.isDirectory(shared, LinkOption.NOFOLLOW_LINKS)
          || !user.equals(Files.getAttribute(shared, "unix:uid", LinkOption.NOFOLLOW_LINKS))
          || !PosixFilePermissions.toString(Files.getPosixFilePermissions(shared)).equals("rwx------")) {
        return Files.createTempDirectory("stator");
      }
    }
    return shared;
  }
}
