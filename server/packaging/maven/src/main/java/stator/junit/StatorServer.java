// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** A running server, as a process or in a container. Only {@link #client()} and the clients of {@link #database()} need the AWS SDK. */
public interface StatorServer {
  /** Where it listens: {@code http://127.0.0.1:40123}. */
  String endpoint();

  /** A client of an empty database: its access key is new, and keys share nothing. */
  default DynamoDbClient client() {
    return database().client();
  }

  /** An empty database, for clients of all kinds. */
  default StatorDatabase database() {
    return new StatorDatabase(endpoint());
  }

  /** Moves the time of all databases of the server ahead; what became due has happened when this returns. */
  default void advance(Duration by) {
    ask("clock", "{\"advance\":\"" + by.toMillis() + "ms\"}");
  }

  /** Moves the time of all databases of the server to one that is not over. */
  default void setTime(Instant to) {
    ask("clock", "{\"set\":\"" + to.truncatedTo(ChronoUnit.MICROS) + "\"}");
  }

  /** Removes all tables of the server. */
  default void reset() {
    ask("reset", "{}");
  }

  /** Remembers the state of all databases of the server, and the time if it is moved later. */
  default void mark(String name) {
    ask("marks/" + name, "{}");
  }

  /** Goes back to the state of a mark; it may be gone back to again. */
  default void rollback(String name) {
    ask("marks/" + name + "/rollback", "{}");
  }

  /**
   * Waits until functions have got all records of the streams that trigger them; returns what each mapping waits for, as
   * JSON. Throws when calls are left after half a minute.
   */
  default String settle() {
    String told = ask("triggers/settle", "{\"timeout_ms\":30000}");
    if (!told.startsWith("{\"settled\":true")) {
      throw new AssertionError("calls of functions are left: " + told);
    }
    return told;
  }

  /** Makes requests fail on demand by a rule of Stator's page faults.md, in JSON and without a name, until it is closed. */
  default StatorFault fault(String rule) {
    return new StatorFault(this, rule);
  }

  /** Makes requests fail by a preset of Stator's page faults.md, with its argument, until it is closed. */
  default StatorFault faultPreset(String preset) {
    return StatorFault.ofPreset(this, preset);
  }

  /** Posts JSON to a path below {@code /_stator/}, or gets it if there is no body; returns the answer, throws when its status is not 200. */
  default String ask(String path, String body) {
    return Asked.send(endpoint(), path, body);
  }
}
