// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server in a process of its own, with data in memory, on a free port:
 *
 * <pre>{@code
 * try (var server = Stator.start("--control-plane-delay", "2"); var client = server.client()) { ... }
 * }</pre>
 *
 * Access keys share nothing, so each {@code client()} has an empty database. The server does not outlive this JVM,
 * however that ends. The program is $STATOR, else that of this jar, else stator on PATH. Where STATOR_ENDPOINT is
 * {@code http://HOST:PORT} of a server that runs with {@code --isolate key}, nothing is started and that one is used.
 */
public final class Stator implements StatorServer, AutoCloseable {
  private static final Pattern LISTENING = Pattern.compile("listening on (\\S+)");
  static final String NONE = "no Stator server runs: ";
  private static final int START_DEADLINE_S = 30;
  private static final int STOP_DEADLINE_S = 10;

  private final Process process;  // these three null: it was started elsewhere
  private final Process guard;
  private final Path log;
  private final AtomicBoolean closed = new AtomicBoolean();
  private String endpoint;

  private Stator(Process process, Process guard, Path log) {
    this.process = process;
    this.guard = guard;
    this.log = log;
  }

  /**
   * Starts one with these flags of {@code stator --help}; throws, with its log, when it does not listen. Where
   * STATOR_ENDPOINT names a server, it is that one, which {@code close()} leaves running.
   */
  public static Stator start(String... flags) {
    String named = System.getenv("STATOR_ENDPOINT");
    return named == null || named.isEmpty() ? launch(flags) : attach(named, flags);
  }

  private static Stator attach(String named, String[] flags) {
    if (!named.matches("https?://[^/]+/?")) {
      throw new IllegalStateException(NONE + "STATOR_ENDPOINT is '" + named + "', not http://HOST:PORT");
    }
    var server = new Stator(null, null, null);
    server.endpoint = named.replaceAll("/$", "");
    if (flags.length > 0) {
      throw new IllegalStateException("the server of STATOR_ENDPOINT, " + server.endpoint
          + ", runs already and takes no flags: " + String.join(" ", flags));
    }
    try {  // a key of nobody's; a server that shares tables between keys refuses
      server.ask("reset", "{\"access_key\":\"" + UUID.randomUUID() + "\"}");
    } catch (IllegalStateException | UncheckedIOException error) {
      throw new IllegalStateException(
          NONE + "STATOR_ENDPOINT names none for tests, start it with --isolate key: " + error.getMessage(), error);
    }
    return server;
  }

  private static Stator launch(String... flags) {
    String program = Program.path();
    List<String> command = new ArrayList<>(List.of(program, "--port", "0"));
    if (!List.of(flags).contains("--isolate")) {
      Collections.addAll(command, "--isolate", "key");
    }
    Collections.addAll(command, flags);
    try {
      Path log = Files.createTempFile("stator", ".log");
      log.toFile().deleteOnExit();
      var process = new ProcessBuilder(command).redirectError(log.toFile()).start();
      // Its standard input closes when this JVM ends in whatever way; then it ends the server.
      var guard = new ProcessBuilder("sh", "-c", "read _; kill \"$0\"", "" + process.pid()).start();
      var server = new Stator(process, guard, log);
      server.endpoint = CompletableFuture.supplyAsync(() -> told(process))
          .completeOnTimeout(null, START_DEADLINE_S, TimeUnit.SECONDS).join();
      if (server.endpoint == null) {
        throw new IllegalStateException(NONE + program + " did not listen: " + server.end());
      }
      return server;
    } catch (IOException error) {
      throw new UncheckedIOException(NONE + Program.hint(program), error);
    }
  }

  private static String told(Process process) {
    var output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    return output.lines().map(LISTENING::matcher).filter(Matcher::find).map(found -> found.group(1)).findFirst()
        .orElse(null);
  }

  @Override
  public String endpoint() {
    return endpoint;
  }

  /** Stops it; throws, with its log, when its status is not 0. Again does nothing. */
  @Override
  public void close() {
    if (process == null || closed.getAndSet(true)) {
      return;
    }
    Explainer.beforeClose(endpoint);
    process.destroy();
    String outcome = end();
    if (process.exitValue() != 0) {
      throw new IllegalStateException("stator ended with " + outcome);
    }
  }

  /** Waits for the end of the server, kills it at the deadline; returns its status and log. */
  private String end() {
    if (process.onExit().completeOnTimeout(null, STOP_DEADLINE_S, TimeUnit.SECONDS).join() == null) {
      process.destroyForcibly().onExit().join();
    }
    guard.destroyForcibly();
    try {
      String written = Files.readString(log);
      Files.delete(log);
      return "status " + process.exitValue() + "\n" + written;
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
