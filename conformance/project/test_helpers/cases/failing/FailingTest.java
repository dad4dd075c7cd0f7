package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import stator.junit.StatorExtension;

/** One test fails after a request did, one passes all the same, one fails without. ../../test_explained.py reads the report. */
class FailingTest {
  static void get(DynamoDbClient client, String table) {
    assertThrows(ResourceNotFoundException.class,
        () -> client.getItem(get -> get.tableName(table).key(Map.of("Id", AttributeValue.fromS("a")))));
  }

  @Nested
  @ExtendWith(StatorExtension.class)
  class Shared {
    @Test
    void passes(DynamoDbClient client) {
      get(client, "OfTheTestThatPasses");
    }

    @Test
    void fails(DynamoDbClient client) {
      get(client, "OfANewDatabase");
      assertEquals(1, 2);
    }

    @Test
    void failsWithoutARequest(DynamoDbClient client) {
      assertEquals(1, 4);
    }
  }

  @Nested
  @ExtendWith(StatorExtension.class)
  class HalfMade {
    @BeforeEach
    void make(DynamoDbClient client) {
      get(client, "OfAFixture");
      throw new IllegalStateException("no fixture");
    }

    @Test
    void hasNoFixture() {}
  }
}
