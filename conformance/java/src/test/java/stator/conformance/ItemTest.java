package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stator.conformance.Server.INVALID;
import static stator.conformance.Server.NOT_VALID;
import static stator.conformance.Server.ONE_ERROR;
import static stator.conformance.Server.attribute;
import static stator.conformance.Server.describe;
import static stator.conformance.Server.hash;
import static stator.conformance.Server.onDemand;
import static stator.conformance.Server.range;
import static stator.conformance.Server.refused;
import static stator.conformance.Server.refusedValidation;
import static stator.conformance.Server.uniqueName;
import static stator.conformance.Server.withTable;
import static stator.conformance.Values.bytes;
import static stator.conformance.Values.item;
import static stator.conformance.Values.number;
import static stator.conformance.Values.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.Capacity;
import software.amazon.awssdk.services.dynamodb.model.ConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.PutItemResponse;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** PutItem, GetItem and DeleteItem: returned values, capacity, ARNs, sizes, keys, errors, many at once. */
class ItemTest {
  private final DynamoDbClient client = Server.client();

  private PutItemResponse put(
      String table, Map<String, AttributeValue> item, Consumer<PutItemRequest.Builder> change) {
    return client.putItem(b -> change.accept(b.tableName(table).item(item)));
  }

  private GetItemResponse get(
      String table, Map<String, AttributeValue> key, Consumer<GetItemRequest.Builder> change) {
    return client.getItem(b -> change.accept(b.tableName(table).key(key).consistentRead(true)));
  }

  private DeleteItemResponse delete(
      String table, Map<String, AttributeValue> key, Consumer<DeleteItemRequest.Builder> change) {
    return client.deleteItem(b -> change.accept(b.tableName(table).key(key)));
  }

  private List<Executable> eachOf(String table, Map<String, AttributeValue> key) {
    return List.of(
        () -> put(table, key, b -> {}), () -> get(table, key, b -> {}), () -> delete(table, key, b -> {}));
  }

  private static Capacity capacity(double units) {
    return Capacity.builder().capacityUnits(units).build();
  }

  private static ConsumedCapacity consumed(
      String table, double units, Consumer<ConsumedCapacity.Builder> more) {
    return ConsumedCapacity.builder().tableName(table).capacityUnits(units).applyMutation(more).build();
  }

  @Test
  void itemLife() {
    withTable(client, onDemand(ScalarAttributeType.N), table -> {
      Map<String, AttributeValue> key = item("a", "sk", number("1"));
      Map<String, AttributeValue> first = item("a", "sk", number("1"), "colour", text("red"));
      Map<String, AttributeValue> second = item("a", "sk", number("1"), "shade", text("dark"));
      assertFalse(put(table, first, b -> b.returnValues(ReturnValue.ALL_OLD)).hasAttributes());
      assertEquals(first, get(table, key, b -> {}).item());
      assertEquals(first, put(table, second, b -> b.returnValues(ReturnValue.ALL_OLD)).attributes());
      assertEquals(second, get(table, key, b -> b.consistentRead(null)).item());
      assertFalse(get(table, item("a", "sk", number("2")), b -> {}).hasItem());
      assertEquals(second, delete(table, key, b -> b.returnValues(ReturnValue.ALL_OLD)).attributes());
      assertFalse(get(table, key, b -> {}).hasItem());
      DeleteItemResponse again = delete(table, key, b -> b.returnValues(ReturnValue.ALL_OLD));
      assertFalse(again.hasAttributes());
      assertTrue(again.responseMetadata().requestId().matches(Server.REQUEST_ID));
      assertEquals(200, again.sdkHttpResponse().statusCode());
    });
  }

  @Test
  void consumedCapacity() {
    CreateTableRequest.Builder definition =
        onDemand()
            .attributeDefinitions(
                attribute("pk", ScalarAttributeType.S), attribute("sk", ScalarAttributeType.N),
                attribute("due", ScalarAttributeType.S), attribute("owner", ScalarAttributeType.S))
            .keySchema(hash("pk"), range("sk"))
            .localSecondaryIndexes(
                i ->
                    i.indexName("by-due")
                        .keySchema(hash("pk"), range("due"))
                        .projection(p -> p.projectionType(ProjectionType.ALL)))
            .globalSecondaryIndexes(
                i ->
                    i.indexName("by-owner")
                        .keySchema(hash("owner"))
                        .projection(p -> p.projectionType(ProjectionType.KEYS_ONLY)));
    withTable(client, definition, table -> {
      ReturnConsumedCapacity indexes = ReturnConsumedCapacity.INDEXES;
      ReturnConsumedCapacity total = ReturnConsumedCapacity.TOTAL;
      Map<String, AttributeValue> key = item("p", "sk", number("1"));
      Map<String, AttributeValue> full =
          item("p", "sk", number("1"), "due", text("now"), "owner", text("me"), "text", text("x".repeat(2500)));
      ConsumedCapacity everywhere =
          consumed(
              table, 7,
              b ->
                  b.table(capacity(3))
                      .localSecondaryIndexes(Map.of("by-due", capacity(3)))
                      .globalSecondaryIndexes(Map.of("by-owner", capacity(1))));
      ConsumedCapacity one = consumed(table, 1, b -> b.table(capacity(1)));

      assertEquals(one, put(table, key, b -> b.returnConsumedCapacity(indexes)).consumedCapacity());
      assertEquals(everywhere, put(table, full, b -> b.returnConsumedCapacity(indexes)).consumedCapacity());
      assertEquals(
          consumed(table, 3, b -> {}),
          put(table, full, b -> b.returnConsumedCapacity(total)).consumedCapacity());
      assertEquals(one, get(table, key, b -> b.returnConsumedCapacity(indexes)).consumedCapacity());
      assertEquals(
          consumed(table, 0.5, b -> {}),
          get(table, key, b -> b.returnConsumedCapacity(total).consistentRead(false)).consumedCapacity());
      assertNull(get(table, key, b -> {}).consumedCapacity());
      assertEquals(everywhere, delete(table, key, b -> b.returnConsumedCapacity(indexes)).consumedCapacity());
      assertEquals(one, delete(table, key, b -> b.returnConsumedCapacity(indexes)).consumedCapacity());
    });
  }

  @Test
  void tableArns() {
    withTable(client, onDemand(), table -> {
      String arn = describe(client, table).tableArn();
      assertEquals(table, describe(client, arn).tableName());
      PutItemResponse written =
          put(arn, item("x"), b -> b.returnConsumedCapacity(ReturnConsumedCapacity.TOTAL));
      assertEquals(consumed(arn, 1, b -> {}), written.consumedCapacity());
      assertEquals(item("x"), get(table, item("x"), b -> {}).item());
      assertEquals(item("x"), get(arn, item("x"), b -> {}).item());
      assertEquals(item("x"), delete(arn, item("x"), b -> b.returnValues(ReturnValue.ALL_OLD)).attributes());
    });
  }

  @Test
  void itemSizeLimit() {
    withTable(client, onDemand(), table -> {
      int rest = "pk".length() + "big".length() + "data".length();
      Map<String, AttributeValue> largest = item("big", "data", text("x".repeat(409_600 - rest)));
      PutItemResponse written =
          put(table, largest, b -> b.returnConsumedCapacity(ReturnConsumedCapacity.TOTAL));
      assertEquals(400, written.consumedCapacity().capacityUnits());
      GetItemResponse read =
          get(table, item("big"), b -> b.returnConsumedCapacity(ReturnConsumedCapacity.TOTAL));
      assertEquals(100, read.consumedCapacity().capacityUnits());
      assertEquals(largest, read.item());
      Map<String, AttributeValue> tooLarge = item("big", "data", text("x".repeat(409_601 - rest)));
      refusedValidation(
          "Item size has exceeded the maximum allowed size", () -> put(table, tooLarge, b -> {}));
    });
  }

  @Test
  void keySizes() {
    withTable(client, onDemand(ScalarAttributeType.S), table -> {
      List<Map<String, AttributeValue>> keys = new ArrayList<>();
      for (int n : new int[] {1, 100, 255, 256, 400, 511, 512, 1023, 1024}) {
        keys.add(item("k".repeat(2 * n), "sk", text("s".repeat(n))));
        keys.add(item("k".repeat(2 * n - 1) + "l", "sk", text("s".repeat(n))));
        keys.add(item("k".repeat(2 * n), "sk", text("s".repeat(n - 1) + "t")));
      }
      for (int i = 0; i < keys.size(); i++) {
        put(table, item(keys.get(i).get("pk").s(), "sk", keys.get(i).get("sk"), "i", number("" + i)), b -> {});
      }
      for (int i = 0; i < keys.size(); i++) {
        assertEquals("" + i, get(table, keys.get(i), b -> {}).item().get("i").n());
      }
      for (Executable call : eachOf(table, item("k".repeat(2049), "sk", text("s")))) {
        refusedValidation(INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes", call);
      }
      for (Executable call : eachOf(table, item("k", "sk", text("s".repeat(1025))))) {
        refusedValidation(
            INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes", call);
      }
    });
  }

  @Test
  void badKeys() {
    withTable(client, onDemand(ScalarAttributeType.B), table -> {
      AttributeValue some = bytes(new byte[] {1});
      refusedValidation(INVALID + "Missing the key sk in the item", () -> put(table, item("a"), b -> {}));
      refusedValidation(
          INVALID + "Type mismatch for key sk expected: B actual: S",
          () -> put(table, item("a", "sk", text("s")), b -> {}));
      refusedValidation(
          "The provided key element does not match the schema", () -> get(table, item("a"), b -> {}));
      refusedValidation(
          "The provided key element does not match the schema",
          () -> delete(table, item("a", "sk", some, "x", text("y")), b -> {}));
      for (Executable call : eachOf(table, item("", "sk", some))) {
        refusedValidation(
            NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
            call);
      }
      for (Executable call : eachOf(table, item("a", "sk", bytes(new byte[0])))) {
        refusedValidation(
            NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty binary value. Key: sk",
            call);
      }
    });
  }

  @Test
  void typedErrors() {
    for (Executable call : eachOf(uniqueName(), item("a"))) {
      ResourceNotFoundException error =
          refused(ResourceNotFoundException.class, "Requested resource not found", call);
      assertEquals("ResourceNotFoundException", error.awsErrorDetails().errorCode());
    }
    withTable(client, onDemand(), table ->
        refusedValidation(
            ONE_ERROR + "ReturnValues can only be ALL_OLD or NONE",
            () -> put(table, item("a"), b -> b.returnValues(ReturnValue.UPDATED_NEW))));
  }

  private static void inParallel(int count, IntConsumer task) {
    ExecutorService threads = Executors.newFixedThreadPool(64);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int number = i;
        all.add(threads.submit(() -> task.accept(number)));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void manyAtOnce() {
    withTable(client, onDemand(ScalarAttributeType.N), table -> {
      inParallel(2000, i -> put(table, item("p" + i % 50, "sk", number("" + i), "t", text("i" + i)), b -> {}));
      inParallel(2000, i -> {
        Map<String, AttributeValue> read = get(table, item("p" + i % 50, "sk", number("" + i)), b -> {}).item();
        assertEquals(item("p" + i % 50, "sk", number("" + i), "t", text("i" + i)), read);
      });
    });
  }
}
