package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static stator.conformance.FaultRules.client;
import static stator.conformance.FaultRules.faulty;
import static stator.conformance.Server.onDemand;
import static stator.conformance.Server.withTable;
import static stator.conformance.Values.item;
import static stator.conformance.Values.number;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.ExpiredIteratorException;
import software.amazon.awssdk.services.dynamodb.model.IdempotentParameterMismatchException;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.dynamodb.model.ShardIteratorType;
import software.amazon.awssdk.services.dynamodb.model.StreamViewType;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.TransactionInProgressException;
import software.amazon.awssdk.services.dynamodb.model.TrimmedDataAccessException;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/** Faults that leave something done, half done or undone: lost answers, transactions, batches, stale reads, streams. */
class FaultOutcomesTest {
  /** Adds one to the item n, in a transaction of one action. */
  private static void addOne(DynamoDbClient client, String table, String token) {
    client.transactWriteItems(b -> b.clientRequestToken(token).transactItems(TransactWriteItem.builder()
        .update(u -> u.tableName(table).key(item("n")).updateExpression("ADD n :one")
            .expressionAttributeValues(Map.of(":one", number("1"))))
        .build()));
  }

  private static Map<String, AttributeValue> stored(DynamoDbClient client, String table, String key) {
    return client.getItem(b -> b.tableName(table).key(item(key)).consistentRead(true)).item();
  }

  /** The JDK's HTTP client sends a request again by itself when a connection ends, so the rule fires only once. */
  @Test
  void aRetryAfterALostAnswerMeetsItsOwnWrite() {
    try (DynamoDbClient client = client(3)) {
      withTable(client, onDemand(), table -> {
        for (String how : List.of("fin", "rst")) {
          String lost = "\"when\":{\"times\":1},\"effect\":{\"drop\":\"after\",\"how\":\"" + how + "\"}";
          int fired = faulty(table, lost, () -> assertThrows(ConditionalCheckFailedException.class, () ->
              client.putItem(b -> b.tableName(table).item(item(how)).conditionExpression("attribute_not_exists(pk)"))));
          assertEquals(1, fired, how);
          assertEquals(item(how), stored(client, table, how));
        }
        String before = "\"when\":{\"times\":1},\"effect\":{\"drop\":\"before\"}";
        assertEquals(1, faulty(table, before, () -> client.putItem(b -> b.tableName(table).item(item("before")))));
      });
    }
  }

  @Test
  void aTransactionWhoseAnswerIsLostIsAppliedOnce() {
    try (DynamoDbClient client = client(3)) {
      withTable(client, onDemand(), table -> {
        String lost = "\"when\":{\"times\":1},\"effect\":{\"drop\":\"after\"}";
        assertEquals(1, faulty(table, lost, () -> addOne(client, table, null)));
        assertEquals(number("1"), stored(client, table, "n").get("n"));
      });
    }
  }

  @Test
  void aForgottenTokenIsAppliedTwice() {
    try (DynamoDbClient client = client(1)) {
      withTable(client, onDemand(), table -> {
        addOne(client, table, "token");
        assertEquals(1, faulty(table, "\"effect\":{\"token\":\"forgotten\"}", () -> addOne(client, table, "token")));
        assertEquals(number("2"), stored(client, table, "n").get("n"));
        faulty(table, "\"effect\":{\"token\":\"running\"}", () ->
            assertThrows(TransactionInProgressException.class, () -> addOne(client, table, "token")));
        faulty(table, "\"effect\":{\"token\":\"mismatch\"}", () ->
            assertThrows(IdempotentParameterMismatchException.class, () -> addOne(client, table, "token")));
        assertEquals(number("2"), stored(client, table, "n").get("n"));
      });
    }
  }

  @Test
  void aCancelledTransactionHasTheReasonOfEachAction() {
    try (DynamoDbClient client = client(1)) {
      withTable(client, onDemand(), table -> {
        List<TransactWriteItem> puts = Stream.of("a", "b", "c")
            .map(key -> TransactWriteItem.builder().put(p -> p.tableName(table).item(item(key))).build())
            .toList();
        String cancel = "\"effect\":{\"cancel\":{\"1\":\"TransactionConflict\",\"2\":\"ThrottlingError\"}}";
        int fired = faulty(table, cancel, () -> {
          TransactionCanceledException error = assertThrows(
              TransactionCanceledException.class, () -> client.transactWriteItems(b -> b.transactItems(puts)));
          assertEquals(
              List.of("None", "TransactionConflict", "ThrottlingError"),
              error.cancellationReasons().stream().map(CancellationReason::code).toList());
        });
        assertEquals(1, fired);
        assertEquals(Map.of(), stored(client, table, "a"));
      });
    }
  }

  @Test
  void partsOfBatchesAreLeft() {
    try (DynamoDbClient client = client(1)) {
      withTable(client, onDemand(), table -> {
        List<Map<String, AttributeValue>> keys = Stream.of("a", "b", "c", "d").map(key -> item(key)).toList();
        List<WriteRequest> writes = keys.stream()
            .map(key -> WriteRequest.builder().putRequest(p -> p.item(key)).build())
            .toList();
        BatchWriteItemRequest write = BatchWriteItemRequest.builder().requestItems(Map.of(table, writes)).build();
        faulty(table, "\"effect\":{\"unprocessed\":[0,2]}", () -> {
          assertEquals(
              List.of(writes.get(0), writes.get(2)), client.batchWriteItem(write).unprocessedItems().get(table));
          BatchGetItemResponse got = client.batchGetItem(
              b -> b.requestItems(Map.of(table, KeysAndAttributes.builder().keys(keys).build())));
          assertEquals(List.of(keys.get(0), keys.get(2)), got.unprocessedKeys().get(table).keys());
          assertEquals(2, got.responses().get(table).size());
        });
        faulty(table, "\"effect\":{\"unprocessed\":{\"fraction\":1}}", () ->
            assertThrows(ProvisionedThroughputExceededException.class, () -> client.batchWriteItem(write)));
      });
    }
  }

  @Test
  void aStaleReadIsEventual() {
    try (DynamoDbClient client = client(1)) {
      withTable(client, onDemand(), table -> {
        client.putItem(b -> b.tableName(table).item(item("a", "v", number("1"))));
        int fired = faulty(table, "\"effect\":{\"stale\":\"1h\"}", () -> {
          client.putItem(b -> b.tableName(table).item(item("a", "v", number("2"))));
          assertEquals(number("1"), client.getItem(b -> b.tableName(table).key(item("a"))).item().get("v"));
          assertEquals(number("2"), stored(client, table, "a").get("v"));
        });
        assertEquals(1, fired);
      });
    }
  }

  @Test
  void anIteratorIsLost() {
    try (DynamoDbClient client = client(1); DynamoDbStreamsClient streams = Server.streams(client)) {
      CreateTableRequest.Builder definition = onDemand()
          .streamSpecification(b -> b.streamEnabled(true).streamViewType(StreamViewType.NEW_IMAGE));
      withTable(client, definition, table -> {
        String arn = client.describeTable(b -> b.tableName(table)).table().latestStreamArn();
        String shard = streams.describeStream(b -> b.streamArn(arn)).streamDescription().shards().get(0).shardId();
        String iterator = streams.getShardIterator(
            b -> b.streamArn(arn).shardId(shard).shardIteratorType(ShardIteratorType.TRIM_HORIZON)).shardIterator();
        int expired = faulty(table, "\"effect\":{\"stream\":\"expired\"}", () -> assertThrows(
            ExpiredIteratorException.class, () -> streams.getRecords(b -> b.shardIterator(iterator))));
        int trimmed = faulty(table, "\"effect\":{\"stream\":\"trimmed\"}", () -> assertThrows(
            TrimmedDataAccessException.class, () -> streams.getRecords(b -> b.shardIterator(iterator))));
        assertEquals(2, expired + trimmed);
        assertEquals(List.of(), streams.getRecords(b -> b.shardIterator(iterator)).records());
      });
    }
  }

  @Test
  void answersComeLateAndInPiecesAndFromAProxy() {
    try (DynamoDbClient client = client(2)) {
      withTable(client, onDemand(), table -> {
        client.putItem(b -> b.tableName(table).item(item("a")));
        for (String effect : List.of(
            "{\"delay\":\"20ms\"}",
            "{\"drip\":{\"bytes\":4,\"every\":\"1ms\"}}",
            "{\"http\":{\"status\":503,\"body\":\"<html>\"}}")) {
          int fired = faulty(table, "\"when\":{\"times\":1},\"effect\":" + effect,
              () -> assertEquals(item("a"), stored(client, table, "a")));
          assertEquals(1, fired, effect);
        }
      });
    }
  }
}
