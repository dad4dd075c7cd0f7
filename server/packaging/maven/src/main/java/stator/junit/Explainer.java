// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import software.amazon.awssdk.protocols.jsoncore.JsonNode;

/**
 * Why the requests of a test failed, to be shown when it has. It knows the databases that the test's thread makes, and
 * those that its class has made before.
 */
final class Explainer {
  private static final int SHOWN_MAX = 20;  // requests
  private static final ThreadLocal<Explainer> RUNNING = new ThreadLocal<>();

  /** A request that failed. */
  private static final class Failure {
    private final String id;
    private final String time;
    private final String text;

    private Failure(JsonNode told) {
      id = member(told, "request_id");
      time = member(told, "time");
      var lines = new StringBuilder(List.of("time", "status", "operation", "table", "error").stream()
          .map(name -> member(told, name)).filter(word -> !word.isEmpty()).collect(Collectors.joining(" ")));
      if (!member(told, "message").isEmpty()) {
        lines.append(": ").append(member(told, "message"));
      }
      told.field("hints").ifPresent(
          hints -> hints.asArray().forEach(hint -> lines.append("\n  -> ").append(hint.text())));
      text = lines.append("\n  id ").append(id).toString();
    }

    private static String member(JsonNode told, String name) {
      return told.field(name).map(found -> found.isNumber() ? found.asNumber() : found.text()).orElse("");
    }
  }

  private final List<StatorDatabase> databases = new ArrayList<>();
  private final Map<String, Failure> gone = new HashMap<>();  // of servers that were closed during the test, by id
  private final Set<String> before = new HashSet<>();

  /** A test begins on this thread. What a database of its class, if any, has failed at before is not its own. */
  static void begin(StatorDatabase ofClass) {
    var explainer = new Explainer();
    if (ofClass != null) {
      explainer.databases.add(ofClass);
      explainer.before.addAll(failures(ofClass).stream().map(one -> one.id).collect(Collectors.toList()));
    }
    RUNNING.set(explainer);
  }

  static void remember(StatorDatabase made) {
    var explainer = RUNNING.get();
    if (explainer != null) {
      explainer.databases.add(made);
    }
  }

  /** A server is about to stop. */
  static void beforeClose(String endpoint) {
    var explainer = RUNNING.get();
    if (explainer != null) {
      explainer.collect(endpoint);
    }
  }

  /** The test has ended, by failing or not. The text is empty when none of its requests failed. */
  static String end(boolean failed) {
    var explainer = RUNNING.get();
    RUNNING.remove();
    if (explainer == null || !failed) {
      return "";
    }
    explainer.collect(null);
    var failures = explainer.gone.values().stream().filter(one -> !explainer.before.contains(one.id))
        .sorted(Comparator.comparing(one -> one.time)).map(one -> one.text).collect(Collectors.toList());
    int left = Math.max(0, failures.size() - SHOWN_MAX);
    return (left > 0 ? "(" + left + " before these)\n" : "")
        + String.join("\n", failures.subList(left, failures.size()));
  }

  private void collect(String endpoint) {
    for (var database : List.copyOf(databases)) {
      if (endpoint == null || database.endpoint().equals(endpoint)) {
        failures(database).forEach(one -> gone.put(one.id, one));
        databases.remove(database);
      }
    }
  }

  /** Of a server that is gone, or was started with {@code --explain 0}, none. */
  private static List<Failure> failures(StatorDatabase database) {
    var found = new ArrayList<Failure>();
    try {
      String answer = Asked.send(database.endpoint(), "requests?access_key=" + database.accessKey(), null);
      for (var told : JsonNode.parser().parse(answer).field("requests").orElseThrow().asArray()) {
        if (Failure.member(told, "access_key").equals(database.accessKey())
            && Integer.parseInt(Failure.member(told, "status")) >= 400) {
          found.add(new Failure(told));
        }
      }
    } catch (RuntimeException | LinkageError unknown) {
      return List.of();
    }
    return found;
  }
}
