// SPDX-License-Identifier: Apache-2.0
package example;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * Stator, a local DynamoDB, for tests with JUnit 5.13 or later. Copy this file and change its package.
 *
 * <pre>{@code
 * @ExtendWith(StatorExtension.class)
 * class AlbumsTest {
 *   @Test
 *   void put(DynamoDbClient client) { ... }
 * }
 * }</pre>
 *
 * One server runs for all test classes. Each test has an empty database in it, which its {@code @BeforeEach}
 * sees too; a client taken in a constructor or in {@code @BeforeAll} is shared by the tests of the class.
 * A parameter {@code StatorExtension.Server server} is the server; its client() makes further databases.
 * A test that needs flags of its own starts a server for itself:
 *
 * <pre>{@code
 * try (var server = StatorExtension.start("--control-plane-delay", "2"); var client = server.client()) { ... }
 * }</pre>
 *
 * Its time moves, {@code server.advance(Duration.ofHours(25))}, and what became due has happened when that
 * returns; {@code server.reset()} removes all its tables, {@code server.mark("seeded")} remembers their state and
 * {@code server.rollback("seeded")} goes back to it.
 *
 * The program is $STATOR, else stator on PATH.
 */
public final class StatorExtension implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(StatorExtension.class);
  private static final Pattern LISTENING = Pattern.compile("listening on (\\S+)");
  private static final int START_DEADLINE_S = 30;
  private static final int STOP_DEADLINE_S = 10;

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    var type = parameter.getParameter().getType();
    return type == DynamoDbClient.class || type == Server.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    // JUnit closes what is kept in a store: the client with its test, the server with the run.
    var server = context.getRoot().getStore(NAMESPACE)
        .getOrComputeIfAbsent("server", key -> start(), Server.class);
    return parameter.getParameter().getType() == Server.class ? server : context.getStore(NAMESPACE)
        .getOrComputeIfAbsent("client", key -> server.client(), DynamoDbClient.class);
  }

  public static Server start(String... flags) {
    String program = System.getenv().getOrDefault("STATOR", "stator");
    var command = Stream.concat(Stream.of(program, "--port", "0", "--isolate", "key"), Stream.of(flags));
    try {
      Path log = Files.createTempFile("stator", ".log");
      log.toFile().deleteOnExit();
      var process = new ProcessBuilder(command.toList()).redirectError(log.toFile()).start();
      // Its standard input closes when this JVM ends in whatever way; then it ends the server.
      var guard = new ProcessBuilder("sh", "-c", "read _; kill \"$0\"", "" + process.pid()).start();
      var endpoint = CompletableFuture.supplyAsync(() -> process.inputReader().lines()
          .map(LISTENING::matcher).filter(Matcher::find).map(found -> found.group(1)).findFirst().orElse(null))
          .completeOnTimeout(null, START_DEADLINE_S, TimeUnit.SECONDS).join();
      var server = new Server(endpoint, process, guard, log);
      if (endpoint == null) {
        throw new IllegalStateException(program + " did not listen: " + server.end());
      }
      return server;
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** A running server; close() stops it. */
  public record Server(String endpoint, Process process, Process guard, Path log) implements AutoCloseable {
    /** A client of an empty database: its access key is new, and keys share nothing. */
    public DynamoDbClient client() {
      var credentials = AwsBasicCredentials.create(UUID.randomUUID().toString(), "any");
      return DynamoDbClient.builder().endpointOverride(URI.create(endpoint)).region(Region.US_EAST_1)
          .credentialsProvider(StaticCredentialsProvider.create(credentials)).build();
    }

    /** Moves the time of all databases of the server ahead. */
    public void advance(Duration by) {
      admin("clock", "{\"advance\":\"" + by.toMillis() + "ms\"}");
    }

    /** Moves the time of all databases of the server to one that is not over. */
    public void setTime(Instant to) {
      admin("clock", "{\"set\":\"" + to.truncatedTo(ChronoUnit.MICROS) + "\"}");
    }

    /** Removes all tables of the server. */
    public void reset() {
      admin("reset", "{}");
    }

    /** Remembers the state of all databases of the server, and the time if it is moved later. */
    public void mark(String name) {
      admin("marks/" + name, "{}");
    }

    /** Goes back to the state of a mark; it may be gone back to again. */
    public void rollback(String name) {
      admin("marks/" + name + "/rollback", "{}");
    }

    private void admin(String path, String body) {
      var request = HttpRequest.newBuilder(URI.create(endpoint + "/_stator/" + path))
          .version(HttpClient.Version.HTTP_1_1).POST(HttpRequest.BodyPublishers.ofString(body)).build();
      try {
        var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
          throw new IllegalStateException(path + " " + body + ": " + answer.body());
        }
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(error);
      }
    }

    @Override
    public void close() {
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
        return "status " + process.exitValue() + "\n" + Files.readString(log);
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }
  }
}
