package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import stator.junit.Stator;
import stator.junit.StatorExtension;

/** On a server that runs elsewhere. ../../test_where.py starts it. */
@ExtendWith(StatorExtension.class)
class ElsewhereTest {
  @RepeatedTest(2)
  void databaseIsEmpty(DynamoDbClient client) {
    assertEquals(List.of(), client.listTables().tableNames());
    client.createTable(table -> table.tableName("Albums").billingMode("PAY_PER_REQUEST")
        .attributeDefinitions(title -> title.attributeName("Title").attributeType("S"))
        .keySchema(title -> title.attributeName("Title").keyType("HASH")));
  }

  @Test
  void itsVerbs(Stator server) {
    server.advance(Duration.ofHours(1));
    Stator.start().close();
    var refused = assertThrows(IllegalStateException.class, () -> Stator.start("--gsi-delay", "1"));
    assertTrue(refused.getMessage().contains("takes no flags: --gsi-delay 1"), refused.getMessage());
  }
}
