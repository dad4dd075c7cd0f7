// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.util.UUID;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsAsyncClient;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/**
 * A database on a server, which its access key sees alone. All clients of it see the same tables. The synchronous and the
 * asynchronous ones need an HTTP client of the SDK of their kind.
 */
public final class StatorDatabase {
  private final String endpoint;
  private final String accessKey;
  private final String secretKey;

  StatorDatabase(String endpoint) {
    if (endpoint == null || endpoint.isEmpty()) {  // a client without one would call the cloud
      throw new IllegalStateException(Stator.NONE + "add @ExtendWith(StatorExtension.class) to the class of the test, "
          + "or call Stator.start()");
    }
    this.endpoint = endpoint;
    accessKey = UUID.randomUUID().toString();
    secretKey = "any";
    Explainer.remember(this);
  }

  /** What a key of an access file sees. */
  StatorDatabase(String endpoint, String accessKey, String secretKey) {
    this.endpoint = endpoint;
    this.accessKey = accessKey;
    this.secretKey = secretKey;
  }

  public String endpoint() {
    return endpoint;
  }

  /** The key that is the database's own; any text does as the secret one, except with limits, and any Region. */
  public String accessKey() {
    return accessKey;
  }

  public String secretKey() {
    return secretKey;
  }

  public DynamoDbClient client() {
    return Clients.prepared(DynamoDbClient.builder(), this).build();
  }

  public DynamoDbAsyncClient asyncClient() {
    return Clients.prepared(DynamoDbAsyncClient.builder(), this).build();
  }

  public DynamoDbStreamsClient streams() {
    return Clients.prepared(DynamoDbStreamsClient.builder(), this).build();
  }

  public DynamoDbStreamsAsyncClient asyncStreams() {
    return Clients.prepared(DynamoDbStreamsAsyncClient.builder(), this).build();
  }
}
