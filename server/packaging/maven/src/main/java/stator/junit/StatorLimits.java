// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A server whose client may do what a policy allows. A run that needs more fails, and tells all that is missing:
 *
 * <pre>{@code
 * try (var limits = StatorLimits.of(policy); var client = limits.database().client()) {
 *   ...  // limits.owner() makes the tables
 * }
 * }</pre>
 */
public final class StatorLimits implements AutoCloseable {
  private static final String ACCOUNT = "000000000000";
  private static final String PRINCIPAL = "arn:aws:iam::" + ACCOUNT + ":user/limited";
  private static final Pattern USE = Pattern.compile("\"action\":\"([^\"]+)\",\"resource\":\"([^\"]+)\"");

  private final boolean enforces;
  private final String token = UUID.randomUUID().toString();
  private final Stator server;
  private final StatorDatabase limited;
  private final StatorDatabase owner;

  private StatorLimits(String policy, boolean enforces) {
    this.enforces = enforces;
    String[] keys = new String[4];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = UUID.randomUUID().toString();
    }
    String content = "{\"version\":1,\"account\":\"" + ACCOUNT + "\",\"principals\":["
        + principal(PRINCIPAL, keys[0], keys[1], policy) + ","
        + principal("arn:aws:iam::" + ACCOUNT + ":root", keys[2], keys[3], "") + "]}";
    try {
      Path file = Files.createTempFile("stator", ".json");  // its owner alone may read it
      try {
        Files.writeString(file, content);
        server = Stator.start("--auth", enforces ? "iam" : "audit", "--access-file", file.toString(),
            "--console-token", token, "--isolate", "region");
      } finally {
        Files.delete(file);
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    limited = new StatorDatabase(server.endpoint(), keys[0], keys[1]);
    owner = new StatorDatabase(server.endpoint(), keys[2], keys[3]);
  }

  private static String principal(String arn, String key, String secret, String policy) {
    return "{\"arn\":\"" + arn + "\",\"keys\":[{\"id\":\"" + key + "\",\"secret\":\"" + secret + "\"}],\"policies\":["
        + policy + "]}";
  }

  /**
   * Starts a server for a policy, a document in JSON. What it does not allow is done all the same, so that a run shows
   * everything that it needs.
   */
  public static StatorLimits of(String policy) {
    return new StatorLimits(policy, false);
  }

  /** Starts a server that denies what the policy does not allow. */
  public static StatorLimits enforcing(String policy) {
    return new StatorLimits(policy, true);
  }

  /** For clients that have the policy. */
  public StatorDatabase database() {
    return limited;
  }

  /** For clients that may do everything, with the same tables. */
  public StatorDatabase owner() {
    return owner;
  }

  /** What was needed and not allowed so far: {@code dynamodb:Scan on arn:…}. */
  public List<String> missing() {
    String report = Asked.send(server.endpoint(), "access/report?only=denied&principal=" + PRINCIPAL, null, token);
    return USE.matcher(report).results().map(use -> use.group(1) + " on " + use.group(2)).collect(Collectors.toList());
  }

  /** Ends the server; throws when more was needed than the policy allows, unless that was enforced. */
  @Override
  public void close() {
    List<String> missing = List.of();
    try {
      if (!enforces) {
        missing = missing();
      }
    } finally {
      server.close();
    }
    if (!missing.isEmpty()) {
      throw new AssertionError("the policy lacks what this run needed:\n  " + String.join("\n  ", missing));
    }
  }
}
