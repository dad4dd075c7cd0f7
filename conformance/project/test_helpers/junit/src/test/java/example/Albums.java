package example;

import java.util.Map;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;

/** The table of the application under test. */
final class Albums {
  private Albums() {}

  static TableStatus createTable(DynamoDbClient client) {
    return client.createTable(table -> table.tableName("Albums")
        .attributeDefinitions(title -> title.attributeName("Title").attributeType(ScalarAttributeType.S))
        .keySchema(title -> title.attributeName("Title").keyType(KeyType.HASH))
        .billingMode(BillingMode.PAY_PER_REQUEST)).tableDescription().tableStatus();
  }

  static Map<String, AttributeValue> item(String title) {
    return Map.of("Title", AttributeValue.fromS(title));
  }

  static void put(DynamoDbClient client, String title) {
    client.putItem(put -> put.tableName("Albums").item(item(title)));
  }
}
