package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stator.conformance.FaultRules.client;
import static stator.conformance.FaultRules.faulty;
import static stator.conformance.Server.onDemand;
import static stator.conformance.Server.withTable;
import static stator.conformance.Values.item;

import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.InternalServerErrorException;
import software.amazon.awssdk.services.dynamodb.model.ItemCollectionSizeLimitExceededException;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.dynamodb.model.RequestLimitExceededException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingException;
import software.amazon.awssdk.services.dynamodb.model.TransactionConflictException;

/** Faults on demand, as the SDK meets them: exceptions, attempts, pages without items, broken answers. */
class FaultsTest {
  private static final Map<String, Class<? extends DynamoDbException>> EXCEPTIONS = Map.of(
      "ConditionalCheckFailedException", ConditionalCheckFailedException.class,
      "InternalServerError", InternalServerErrorException.class,
      "ItemCollectionSizeLimitExceededException", ItemCollectionSizeLimitExceededException.class,
      "ProvisionedThroughputExceededException", ProvisionedThroughputExceededException.class,
      "RequestLimitExceeded", RequestLimitExceededException.class,
      "ResourceNotFoundException", ResourceNotFoundException.class,
      "ThrottlingException", ThrottlingException.class,
      "TransactionConflictException", TransactionConflictException.class);

  @Test
  void eachErrorIsItsClass() {
    try (DynamoDbClient client = client(1)) {
      withTable(client, onDemand(), table -> EXCEPTIONS.forEach((name, type) -> {
        String effect = "\"effect\":{\"error\":{\"type\":\"" + name + "\",\"message\":\"told\"}}";
        int fired = faulty(table, effect, () -> {
          DynamoDbException error = assertThrows(
              DynamoDbException.class, () -> client.putItem(b -> b.tableName(table).item(item("a"))));
          assertInstanceOf(type, error);
          assertEquals("told", error.awsErrorDetails().errorMessage());
        });
        assertEquals(1, fired, name);
      }));
    }
  }

  @Test
  void theFirstAttemptOfEachCallFails() {
    int threads = 8;
    int puts = 25;
    try (DynamoDbClient client = client(3)) {
      withTable(client, onDemand(), table -> {
        String members = "\"when\":{\"attempt\":1},\"effect\":{\"error\":\"InternalServerError\"}";
        int fired = faulty(table, members, () -> {
          var pool = Executors.newFixedThreadPool(threads);
          List<Future<?>> calls = new ArrayList<>();
          for (int i = 0; i < threads * puts; i++) {
            String key = "key" + i;
            calls.add(pool.submit(() -> client.putItem(b -> b.tableName(table).item(item(key)))));
          }
          for (Future<?> call : calls) {
            try {
              call.get();
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          }
          pool.shutdown();
        });
        assertEquals(threads * puts, fired);
      });
    }
  }

  @Test
  void aPaginatorFindsAllItemsBehindPagesWithoutAny() {
    try (DynamoDbClient client = client(1)) {
      withTable(client, onDemand(), table -> {
        for (int i = 0; i < 10; i++) {
          String key = "key" + i;
          client.putItem(b -> b.tableName(table).item(item(key)));
        }
        int fired = faulty(table, "\"when\":{\"every\":2},\"effect\":{\"page\":{\"items\":0}}", () -> {
          long found = client.scanPaginator(b -> b.tableName(table).limit(3)
                  .filterExpression("pk > :p").expressionAttributeValues(Map.of(":p", Values.text("key4"))))
              .items().stream().count();
          assertEquals(5, found);
        });
        assertTrue(fired > 0);
      });
    }
  }

  /** Whether the sum of an answer is looked at is the SDK's affair. */
  @Test
  void noBrokenAnswerLetsACallHang() {
    try (DynamoDbClient client = client(1)) {
      withTable(client, onDemand(), table -> {
        client.putItem(b -> b.tableName(table).item(item("a")));
        for (String how : List.of("crc", "cut", "empty", "json")) {
          int fired = faulty(table, "\"effect\":{\"corrupt\":\"" + how + "\"}", () -> {
            try {
              client.getItem(b -> b.tableName(table).key(item("a")));
              assertTrue(how.equals("crc") || how.equals("empty"), how);
            } catch (ApiCallTimeoutException e) {
              throw new AssertionError(how, e);
            } catch (SdkException e) {
              assertTrue(e.getMessage() != null, how);
            }
          });
          assertEquals(1, fired, how);
        }
      });
    }
  }
}
