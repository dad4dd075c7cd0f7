package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import stator.junit.Stator;
import stator.junit.StatorExtension;

/** A table that is filled once for the class; each test finds it so, whatever the one before did to it. */
@Execution(ExecutionMode.SAME_THREAD)
class RollbackTest {
  @RegisterExtension
  static final StatorExtension STATOR = StatorExtension.rollingBack();

  @BeforeAll
  static void fill(DynamoDbClient client) {
    Albums.createTable(client);
    Albums.put(client, "Blue");
  }

  @RepeatedTest(3)
  void anItemMoreInEachTest(DynamoDbClient client) {
    Albums.put(client, "Hejira");
    assertEquals(2, client.scan(scan -> scan.tableName("Albums")).count());
  }

  @Test
  void noTableLeft(DynamoDbClient client) {
    client.deleteTable(table -> table.tableName("Albums"));
    assertEquals(List.of(), client.listTables().tableNames());
  }

  @RepeatedTest(2)
  void timeGoesBackToo(DynamoDbClient client, Stator server) {
    var filled = created(client);
    server.advance(Duration.ofHours(25));
    client.deleteTable(table -> table.tableName("Albums"));
    Albums.createTable(client);
    assertEquals(25, Duration.between(filled, created(client)).toHours());
  }

  private static Instant created(DynamoDbClient client) {
    return client.describeTable(table -> table.tableName("Albums")).table().creationDateTime();
  }

  @Nested
  class Inside {
    @RepeatedTest(2)
    void theSameServer(DynamoDbClient client) {
      assertEquals(List.of(Albums.item("Blue")), client.scan(scan -> scan.tableName("Albums")).items());
      client.deleteItem(delete -> delete.tableName("Albums").key(Albums.item("Blue")));
    }
  }
}
