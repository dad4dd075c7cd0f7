// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedAsyncClient;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** Apart from the rest, so that a JVM without the enhanced client can load that. */
final class EnhancedClients {
  private EnhancedClients() {}

  static DynamoDbEnhancedClient of(Object client) {
    return DynamoDbEnhancedClient.builder().dynamoDbClient((DynamoDbClient) client).build();
  }

  static DynamoDbEnhancedAsyncClient ofAsync(Object client) {
    return DynamoDbEnhancedAsyncClient.builder().dynamoDbClient((DynamoDbAsyncClient) client).build();
  }
}
