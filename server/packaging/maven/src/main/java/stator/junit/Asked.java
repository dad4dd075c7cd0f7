// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** A request of a server's admin path. */
final class Asked {
  private Asked() {}

  /** The answer; throws when its status is not 200. Without a body it is a GET. */
  static String send(String endpoint, String path, String body) {
    return send(endpoint, path, body, null);
  }

  /** With the token of --console-token, which some servers need; null: none. */
  static String send(String endpoint, String path, String body, String token) {
    var request = HttpRequest.newBuilder(URI.create(endpoint + "/_stator/" + path)).version(HttpClient.Version.HTTP_1_1);
    if (token != null) {
      request.header("x-stator-token", token);
    }
    if (body != null) {
      request.POST(HttpRequest.BodyPublishers.ofString(body));
    }
    try {
      var answer = HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IllegalStateException(path + " " + body + ": " + answer.body());
      }
      return answer.body();
    } catch (IOException error) {
      throw new UncheckedIOException(endpoint + ": " + error, error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(error);
    }
  }
}
