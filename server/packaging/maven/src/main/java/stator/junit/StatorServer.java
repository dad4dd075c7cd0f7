// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** A running server, as a process or in a container. Only {@link #client()} needs the AWS SDK. */
public interface StatorServer {
  /** Where it listens: {@code http://127.0.0.1:40123}. */
  String endpoint();

  /** A client of an empty database: its access key is new, and keys share nothing. */
  default DynamoDbClient client() {
    return Clients.ofEmptyDatabase(endpoint());
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

  /** Posts JSON to a path below {@code /_stator/}; returns the answer, throws when its status is not 200. */
  default String ask(String path, String body) {
    var request = HttpRequest.newBuilder(URI.create(endpoint() + "/_stator/" + path))
        .version(HttpClient.Version.HTTP_1_1).POST(HttpRequest.BodyPublishers.ofString(body)).build();
    try {
      var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IllegalStateException(path + " " + body + ": " + answer.body());
      }
      return answer.body();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(error);
    }
  }
}
