// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.net.URI;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.regions.Region;

/** Apart from the rest, so that a JVM without the AWS SDK can load that. */
final class Clients {
  private static final String SDK = "software.amazon.awssdk.";

  private static final String CLIENT = SDK + "services.dynamodb.DynamoDbClient";
  private static final String ASYNC = SDK + "services.dynamodb.DynamoDbAsyncClient";

  /**
   * What the extension makes for parameters, by the names of their types, which may not be there. The enhanced clients
   * take one of another kind, by its name.
   */
  static final Map<String, BiFunction<StatorDatabase, Function<String, Object>, Object>> KINDS = Map.of(
      CLIENT, (database, other) -> database.client(),
      ASYNC, (database, other) -> database.asyncClient(),
      SDK + "services.dynamodb.streams.DynamoDbStreamsClient", (database, other) -> database.streams(),
      SDK + "services.dynamodb.streams.DynamoDbStreamsAsyncClient", (database, other) -> database.asyncStreams(),
      SDK + "enhanced.dynamodb.DynamoDbEnhancedClient", (database, other) -> EnhancedClients.of(other.apply(CLIENT)),
      SDK + "enhanced.dynamodb.DynamoDbEnhancedAsyncClient",
      (database, other) -> EnhancedClients.ofAsync(other.apply(ASYNC)));

  private Clients() {}

  static <B extends AwsClientBuilder<B, C>, C> B prepared(B builder, StatorDatabase database) {
    var credentials = AwsBasicCredentials.create(database.accessKey(), database.secretKey());
    return builder.endpointOverride(URI.create(database.endpoint())).region(Region.US_EAST_1)
        .credentialsProvider(StaticCredentialsProvider.create(credentials));
  }
}
