package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stator.conformance.Server.attribute;
import static stator.conformance.Server.hash;
import static stator.conformance.Server.onDemand;
import static stator.conformance.Server.range;
import static stator.conformance.Server.withTable;
import static stator.conformance.Values.item;
import static stator.conformance.Values.number;
import static stator.conformance.Values.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.LocalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * Scenarios from practice on generated data: every answer is compared with one computed from the data.
 * The seed is printed; -Dstator.seed=N repeats a run.
 */
class ScenarioTest {
  private static final int ROWS = 10_000;

  private final DynamoDbClient client = Server.client();
  private final Random random = seeded();

  private static Random seeded() {
    long seed = Long.getLong("stator.seed", System.nanoTime());
    System.out.println("stator.seed=" + seed);
    return new Random(seed);
  }

  private static String s(Map<String, AttributeValue> row, String name) {
    return row.containsKey(name) ? row.get(name).s() : "";
  }

  private static int n(Map<String, AttributeValue> row, String name) {
    return Integer.parseInt(row.get(name).n());
  }

  private void load(String table, List<Map<String, AttributeValue>> rows) {
    for (int at = 0; at < rows.size(); at += 25) {
      List<WriteRequest> requests = new ArrayList<>();
      for (Map<String, AttributeValue> row : rows.subList(at, Math.min(at + 25, rows.size()))) {
        requests.add(WriteRequest.builder().putRequest(p -> p.item(row)).build());
      }
      Map<String, List<WriteRequest>> left = Map.of(table, requests);
      while (!left.isEmpty()) {
        Map<String, List<WriteRequest>> now = left;
        left = client.batchWriteItem(b -> b.requestItems(now)).unprocessedItems();
      }
    }
  }

  private List<Map<String, AttributeValue>> query(Consumer<QueryRequest.Builder> change) {
    List<Map<String, AttributeValue>> found = new ArrayList<>();
    client.queryPaginator(change).items().forEach(found::add);
    return found;
  }

  private static List<Map<String, AttributeValue>> where(
      List<Map<String, AttributeValue>> rows,
      Predicate<Map<String, AttributeValue>> holds,
      Comparator<Map<String, AttributeValue>> order) {
    return rows.stream().filter(holds).sorted(order).toList();
  }

  private static Comparator<Map<String, AttributeValue>> by(String name) {
    return Comparator.comparing(row -> s(row, name));
  }

  private CreateTableRequest.Builder orders() {
    return onDemand()
        .attributeDefinitions(
            attribute("user", ScalarAttributeType.S),
            attribute("order", ScalarAttributeType.S),
            attribute("stateDate", ScalarAttributeType.S),
            attribute("state", ScalarAttributeType.S))
        .keySchema(hash("user"), range("order"))
        .localSecondaryIndexes(
            LocalSecondaryIndex.builder()
                .indexName("byStateDate")
                .keySchema(hash("user"), range("stateDate"))
                .projection(p -> p.projectionType(ProjectionType.KEYS_ONLY))
                .build())
        .globalSecondaryIndexes(
            GlobalSecondaryIndex.builder()
                .indexName("byState")
                .keySchema(hash("state"), range("order"))
                .projection(p -> p.projectionType(ProjectionType.INCLUDE).nonKeyAttributes("total"))
                .build());
  }

  private List<Map<String, AttributeValue>> generateOrders() {
    String[] states = {"delivered", "paid", "pending"};
    List<Map<String, AttributeValue>> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      String state = states[random.nextInt(3)];
      String date = "2026-%02d-%02d".formatted(1 + random.nextInt(12), 1 + random.nextInt(28));
      rows.add(
          Map.of(
              "user", text("u%03d".formatted(random.nextInt(150))),
              "order", text("o%05d".formatted(i)),
              "state", text(state),
              "stateDate", text(state + "#" + date),
              "total", number(String.valueOf(random.nextInt(1000)))));
    }
    return rows;
  }

  @Test
  void ordersOfAUserAndOfAState() {
    List<Map<String, AttributeValue>> rows = generateOrders();
    withTable(
        client,
        orders(),
        table -> {
          load(table, rows);
          for (int i = 0; i < 40; i++) {
            String user = "u%03d".formatted(random.nextInt(150));
            boolean descending = i % 2 == 0;
            Comparator<Map<String, AttributeValue>> order = by("order");
            assertEquals(
                where(rows, r -> s(r, "user").equals(user), descending ? order.reversed() : order),
                query(
                    b ->
                        b.tableName(table)
                            .keyConditionExpression("#u = :u")
                            .expressionAttributeNames(Map.of("#u", "user"))
                            .expressionAttributeValues(Map.of(":u", text(user)))
                            .scanIndexForward(!descending)
                            .limit(7)));
            List<String> dates =
                query(
                        b ->
                            b.tableName(table)
                                .indexName("byStateDate")
                                .consistentRead(true)
                                .keyConditionExpression("#u = :u AND begins_with(stateDate, :s)")
                                .expressionAttributeNames(Map.of("#u", "user"))
                                .expressionAttributeValues(Map.of(":u", text(user), ":s", text("paid#2026-0"))))
                    .stream()
                    .map(r -> s(r, "stateDate"))
                    .toList();
            Predicate<Map<String, AttributeValue>> paid =
                r -> s(r, "user").equals(user) && s(r, "stateDate").startsWith("paid#2026-0");
            assertEquals(
                where(rows, paid, by("stateDate")).stream().map(r -> s(r, "stateDate")).toList(), dates);
          }
          pendingAboveATotal(table, rows);
        });
  }

  private void pendingAboveATotal(String table, List<Map<String, AttributeValue>> rows) {
    List<Map<String, AttributeValue>> found =
        query(
            b ->
                b.tableName(table)
                    .indexName("byState")
                    .keyConditionExpression("#s = :s AND #o BETWEEN :from AND :to")
                    .filterExpression("#t > :least")
                    .expressionAttributeNames(Map.of("#s", "state", "#o", "order", "#t", "total"))
                    .expressionAttributeValues(
                        Map.of(
                            ":s", text("pending"),
                            ":from", text("o02000"),
                            ":to", text("o07999"),
                            ":least", number("900"))));
    Predicate<Map<String, AttributeValue>> wanted =
        r ->
            s(r, "state").equals("pending")
                && s(r, "order").compareTo("o02000") >= 0
                && s(r, "order").compareTo("o07999") <= 0
                && n(r, "total") > 900;
    List<Map<String, AttributeValue>> entries =
        where(rows, wanted, by("order")).stream()
            .map(
                r -> {
                  Map<String, AttributeValue> entry = new HashMap<>(r);
                  entry.remove("stateDate"); // not projected
                  return entry;
                })
            .toList();
    assertTrue(entries.size() > 50);
    assertEquals(entries, found);
  }

  @Test
  void metersLatestValueFirst() {
    List<Map<String, AttributeValue>> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      rows.add(
          item("meter-" + i % 50, "sk", number(String.valueOf(i)), "value", number(String.valueOf(random.nextInt(500)))));
    }
    withTable(
        client,
        onDemand(ScalarAttributeType.N),
        table -> {
          load(table, rows);
          for (int meter = 0; meter < 50; meter++) {
            String pk = "meter-" + meter;
            List<Map<String, AttributeValue>> latest =
                client
                    .query(
                        b ->
                            b.tableName(table)
                                .keyConditionExpression("pk = :p")
                                .expressionAttributeValues(Map.of(":p", text(pk)))
                                .scanIndexForward(false)
                                .limit(1))
                    .items();
            Predicate<Map<String, AttributeValue>> own = r -> s(r, "pk").equals(pk);
            Comparator<Map<String, AttributeValue>> byTime = Comparator.comparingInt(r -> n(r, "sk"));
            assertEquals(where(rows, own, byTime.reversed()).subList(0, 1), latest);
          }
        });
  }

  @Test
  void stockNeverBelowZeroUnderManyClients() throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(64);
    AtomicInteger sold = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    withTable(
        client,
        onDemand(),
        table -> {
          client.putItem(b -> b.tableName(table).item(item("stock", "left", number("400"))));
          List<Future<?>> done = new ArrayList<>();
          for (int i = 0; i < 64; i++) {
            done.add(clients.submit(() -> buy(table, sold, refused)));
          }
          try {
            for (Future<?> future : done) {
              future.get();
            }
          } catch (Exception error) {
            throw new AssertionError(error);
          }
          Map<String, AttributeValue> stock =
              client.getItem(b -> b.tableName(table).key(item("stock")).consistentRead(true)).item();
          assertEquals(400, sold.get() + n(stock, "left"));
          assertTrue(n(stock, "left") >= 0 && refused.get() > 0, stock + " " + refused);
          assertEquals(64 * 10, n(stock, "tries"));
        });
    clients.shutdown();
  }

  private void buy(String table, AtomicInteger sold, AtomicInteger refused) {
    for (int i = 0; i < 10; i++) {
      try {
        client.updateItem(
            b ->
                b.tableName(table)
                    .key(item("stock"))
                    .updateExpression("SET #l = #l - :one")
                    .conditionExpression("#l >= :one")
                    .expressionAttributeNames(Map.of("#l", "left"))
                    .expressionAttributeValues(Map.of(":one", number("1"))));
        sold.incrementAndGet();
      } catch (ConditionalCheckFailedException tooFew) {
        refused.incrementAndGet();
      }
      client.updateItem(
          b ->
              b.tableName(table)
                  .key(item("stock"))
                  .updateExpression("ADD tries :one")
                  .expressionAttributeValues(Map.of(":one", number("1"))));
    }
  }
}
