package example;

import java.util.Map;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/** An application that makes its clients when its class is loaded, and knows nothing of tests. */
final class Orders {
  private static final DynamoDbClient CLIENT = DynamoDbClient.create();
  private static final DynamoDbStreamsClient STREAMS = DynamoDbStreamsClient.create();

  private Orders() {}

  static void createTable() {
    CLIENT.createTable(table -> table.tableName("Orders").billingMode("PAY_PER_REQUEST")
        .attributeDefinitions(id -> id.attributeName("Id").attributeType("S"))
        .keySchema(id -> id.attributeName("Id").keyType("HASH"))
        .streamSpecification(stream -> stream.streamEnabled(true).streamViewType("KEYS_ONLY")));
  }

  static void place(String id) {
    CLIENT.putItem(put -> put.tableName("Orders").item(Map.of("Id", AttributeValue.fromS(id))));
  }

  static int count() {
    return CLIENT.scan(scan -> scan.tableName("Orders")).count();
  }

  static boolean hasStream() {
    return !STREAMS.listStreams(list -> list.tableName("Orders")).streams().isEmpty();
  }
}
