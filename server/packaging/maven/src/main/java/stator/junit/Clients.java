// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.net.URI;
import java.util.UUID;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** Apart from the rest, so that a JVM without the AWS SDK can load that. */
final class Clients {
  private Clients() {}

  static DynamoDbClient ofEmptyDatabase(String endpoint) {
    var credentials = AwsBasicCredentials.create(UUID.randomUUID().toString(), "any");
    return DynamoDbClient.builder().endpointOverride(URI.create(endpoint)).region(Region.US_EAST_1)
        .credentialsProvider(StaticCredentialsProvider.create(credentials)).build();
  }
}
