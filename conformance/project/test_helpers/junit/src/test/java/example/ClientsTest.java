package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.enhanced.dynamodb.AttributeConverterProvider;
import software.amazon.awssdk.enhanced.dynamodb.AttributeValueType;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedAsyncClient;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedClient;
import software.amazon.awssdk.enhanced.dynamodb.TableMetadata;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.document.EnhancedDocument;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.StreamViewType;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsAsyncClient;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;
import stator.junit.StatorDatabase;
import stator.junit.StatorExtension;

/** The clients that a test may ask for; all see the same tables. */
@ExtendWith(StatorExtension.class)
class ClientsTest {
  private static final TableSchema<EnhancedDocument> SCHEMA = TableSchema.documentSchemaBuilder()
      .addIndexPartitionKey(TableMetadata.primaryIndexName(), "Title", AttributeValueType.S)
      .attributeConverterProviders(AttributeConverterProvider.defaultProvider()).build();

  @Test
  void allOfOneDatabase(DynamoDbClient client, DynamoDbAsyncClient async, DynamoDbStreamsClient streams,
      DynamoDbStreamsAsyncClient asyncStreams, DynamoDbEnhancedClient enhanced,
      DynamoDbEnhancedAsyncClient asyncEnhanced, StatorDatabase database) throws Exception {
    Albums.createTable(client);
    client.updateTable(table -> table.tableName("Albums").streamSpecification(
        stream -> stream.streamEnabled(true).streamViewType(StreamViewType.KEYS_ONLY)));
    enhanced.table("Albums", SCHEMA).putItem(EnhancedDocument.builder().putString("Title", "Blue").build());
    assertEquals(List.of("Albums"), async.listTables().get().tableNames());
    assertEquals(1, streams.listStreams().streams().size());
    assertEquals(1, asyncStreams.listStreams().get().streams().size());
    var key = EnhancedDocument.builder().putString("Title", "Blue").build();
    assertEquals("Blue", asyncEnhanced.table("Albums", SCHEMA).getItem(key).get().getString("Title"));
    try (var another = database.client()) {
      assertEquals(List.of(Albums.item("Blue")), another.scan(scan -> scan.tableName("Albums")).items());
    }
  }
}
