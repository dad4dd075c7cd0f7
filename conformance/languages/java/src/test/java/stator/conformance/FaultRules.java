package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** Rules for faults of the server under test, and clients that meet them. */
final class FaultRules {
  private static final Pattern FIRED = Pattern.compile("\"fired\":(\\d+)");

  private FaultRules() {}

  /** Posts to the admin path of the server under test, or gets without a body. */
  private static HttpResponse<String> ask(String path, String body) {
    HttpRequest.Builder request = HttpRequest.newBuilder(Server.endpoint().resolve("/_stator/" + path));
    if (body != null) {
      request.POST(HttpRequest.BodyPublishers.ofString(body));
    }
    try {
      return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs the body while requests to the table fail; gives how many did. */
  static int faulty(String table, String members, Runnable body) {
    assumeTrue(ask("faults", null).statusCode() == 200, "this server has no faults");
    String name = "java-" + table;
    String rule = "{\"name\":\"" + name + "\",\"match\":{\"table\":\"" + table + "\"}," + members + "}";
    HttpResponse<String> made = ask("faults", rule);
    assertEquals(200, made.statusCode(), made.body());
    try {
      body.run();
      Matcher fired = FIRED.matcher(ask("faults/" + name, null).body());
      assertTrue(fired.find());
      return Integer.parseInt(fired.group(1));
    } finally {
      ask("faults/" + name + "/remove", "{}");
    }
  }

  /** A client that makes so many attempts and does not wait between them. */
  static DynamoDbClient client(int attempts) {
    return Server.builder(Server.endpoint())
        .overrideConfiguration(o -> o.apiCallTimeout(Duration.ofMinutes(1)).retryStrategy(
            DefaultRetryStrategy.standardStrategyBuilder()
                .maxAttempts(attempts)
                .backoffStrategy(BackoffStrategy.retryImmediately())
                .circuitBreakerEnabled(false)
                .build()))
        .build();
  }
}
