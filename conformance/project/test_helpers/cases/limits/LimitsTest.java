package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import stator.junit.StatorLimits;

/** A run within its policy, and one that needs more. ../../test_limits.py reads the report. */
class LimitsTest {
  private static final String POLICY = "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", "
      + "\"Action\": [\"dynamodb:PutItem\", \"dynamodb:GetItem\"], \"Resource\": \"*\"}]}";
  private static final Map<String, AttributeValue> KEY = Map.of("Id", AttributeValue.fromS("a"));

  /** Makes the table as the owner, and calls a test with a client that has the policy. */
  private static void with(StatorLimits limits, Consumer<DynamoDbClient> test) {
    try (limits; var owner = limits.owner().client(); var client = limits.database().client()) {
      owner.createTable(b -> b.tableName("Limited").billingMode(BillingMode.PAY_PER_REQUEST)
          .attributeDefinitions(id -> id.attributeName("Id").attributeType(ScalarAttributeType.S))
          .keySchema(id -> id.attributeName("Id").keyType(KeyType.HASH)));
      client.putItem(b -> b.tableName("Limited").item(KEY));
      test.accept(client);
    }
  }

  @Test
  void within() {
    with(StatorLimits.of(POLICY),
        client -> assertEquals(KEY, client.getItem(b -> b.tableName("Limited").key(KEY)).item()));
  }

  @Test
  void needsMore() {
    with(StatorLimits.of(POLICY), client -> {
      client.deleteItem(b -> b.tableName("Limited").key(KEY));
      assertEquals(0, client.scan(b -> b.tableName("Limited")).count());
    });
  }

  @Test
  void enforced() {
    with(StatorLimits.enforcing(POLICY), client -> {
      var error = assertThrows(DynamoDbException.class, () -> client.scan(b -> b.tableName("Limited")));
      assertEquals("AccessDeniedException", error.awsErrorDetails().errorCode());
    });
  }
}
