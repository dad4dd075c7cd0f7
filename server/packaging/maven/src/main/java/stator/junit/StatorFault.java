// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A rule that makes requests of a server fail on demand, until it is closed:
 *
 * <pre>{@code
 * try (var fault = server.fault("""
 *     {"match": {"operation": "PutItem"}, "when": {"times": 1}, "effect": {"drop": "after"}}""")) {
 *   placeOrder(client);  // must retry
 * }
 * }</pre>
 *
 * Closing it fails the test unless the rule fired, and with {@code times}, as often: a rule that never fired has tested
 * nothing. The page faults.md of Stator describes the members.
 */
public final class StatorFault implements AutoCloseable {
  private static final Pattern FIRED = Pattern.compile("\"matched\":\\d+,\"fired\":(\\d+),\"spent\"");
  private static final Pattern TIMES =
      Pattern.compile("\"when\"\\s*:\\s*\\{(?:[^{}]|\\{[^{}]*\\})*\"times\"\\s*:\\s*(\\d+)");

  private static final Pattern NAME = Pattern.compile("\\{\"name\":\"([^\"]+)\",\"rule\":");

  private final StatorServer server;
  private final String rule;
  private final List<String> names;
  private boolean optional;

  StatorFault(StatorServer server, String rule) {
    String members = rule.strip();
    if (!members.startsWith("{")) {
      throw new IllegalArgumentException("a rule is a JSON object: " + rule);
    }
    this.server = server;
    this.rule = rule;
    String name = "test-" + UUID.randomUUID();
    names = List.of(name);
    server.ask("faults", "{\"name\":\"" + name + "\"," + members.substring(1));
  }

  private StatorFault(StatorServer server, String preset, List<String> names) {
    this.server = server;
    this.rule = preset;
    this.names = names;
  }

  /** The rules of a preset, such as {@code throttled} or {@code hot-table orders}. */
  static StatorFault ofPreset(StatorServer server, String preset) {
    String[] words = preset.strip().split(" ", 2);
    String body = words.length == 1 ? "{}" : "{\"argument\":\"" + words[1].strip() + "\"}";
    String made = server.ask("faults/presets/" + words[0], body);
    return new StatorFault(
        server, preset, NAME.matcher(made).results().map(found -> found.group(1)).collect(Collectors.toList()));
  }

  /** Closing it then does not look whether the rule fired. */
  public StatorFault optional() {
    optional = true;
    return this;
  }

  /** How many requests it made fail. */
  public int fired() {
    return names.stream().mapToInt(name -> number(FIRED.matcher(server.ask("faults/" + name, null)))).sum();
  }

  @Override
  public void close() {
    int fired = fired();
    names.forEach(name -> server.ask("faults/" + name + "/remove", "{}"));
    Matcher asked = TIMES.matcher(rule);
    int times = asked.find() ? number(asked.reset()) : 0;
    if (!optional && (fired == 0 || (times > 0 && fired != times))) {
      throw new AssertionError(
          "the fault fired " + fired + " times, not " + (times > 0 ? "" + times : "once or more") + ": " + rule);
    }
  }

  private static int number(Matcher matcher) {
    if (!matcher.find()) {
      throw new IllegalStateException("this server does not tell of its faults as this helper expects");
    }
    return Integer.parseInt(matcher.group(1));
  }
}
