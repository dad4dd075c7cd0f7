package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stator.conformance.Server.onDemand;
import static stator.conformance.Server.refused;
import static stator.conformance.Server.uniqueName;
import static stator.conformance.Server.withTable;
import static stator.conformance.Values.item;
import static stator.conformance.Values.number;
import static stator.conformance.Values.text;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableResponse;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.ListTablesResponse;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;

/** What the client adds to its calls: typed errors, metadata, waiters, paginators. */
class ClientTest {
  private final DynamoDbClient client = Server.client();

  @Test
  void typedErrors() {
    refused(
        ResourceNotFoundException.class, "ResourceNotFoundException", "Requested resource not found",
        () -> client.getItem(b -> b.tableName(uniqueName()).key(item("a"))));
    CreateTableRequest.Builder definition = onDemand();
    withTable(client, definition, table -> {
      refused(
          ResourceInUseException.class, "ResourceInUseException", "Table already exists: " + table,
          () -> client.createTable(definition.build()));
      refused(
          DynamoDbException.class, "ValidationException",
          "One or more parameter values were invalid: Missing the key pk in the item",
          () -> client.putItem(b -> b.tableName(table).item(Map.of("other", text("a")))));
      client.putItem(b -> b.tableName(table).item(item("a")));
      ConditionalCheckFailedException failed = refused(
          ConditionalCheckFailedException.class, "ConditionalCheckFailedException",
          "The conditional request failed",
          () -> client.putItem(
              b -> b.tableName(table).item(item("a")).conditionExpression("attribute_not_exists(pk)")
                  .returnValuesOnConditionCheckFailure("ALL_OLD")));
      assertEquals(item("a"), failed.item());
    });
  }

  @Test
  void waitersAskOnce() {
    Server.Attempts attempts = new Server.Attempts();
    try (DynamoDbClient counted = Server.client(attempts)) {
      CreateTableRequest request = onDemand().build();
      String name = request.tableName();
      counted.createTable(request);
      var exists = counted.waiter().waitUntilTableExists(b -> b.tableName(name));
      assertEquals(1, exists.attemptsExecuted());
      assertEquals(1, attempts.of("DescribeTable"));
      DescribeTableResponse found = exists.matched().response().orElseThrow();
      assertEquals(TableStatus.ACTIVE, found.table().tableStatus());

      counted.deleteTable(b -> b.tableName(name));
      var gone = counted.waiter().waitUntilTableNotExists(b -> b.tableName(name));
      assertInstanceOf(ResourceNotFoundException.class, gone.matched().exception().orElseThrow());
      assertEquals(2, attempts.of("DescribeTable"));
    }
  }

  @Test
  void listTablesPages() {
    String prefix = uniqueName();
    List<String> names = new ArrayList<>();
    for (String letter : List.of("-a", "-b", "-c", "-d", "-e")) {
      names.add(prefix + letter);
      client.createTable(onDemand().tableName(prefix + letter).build());
    }
    List<String> seen = new ArrayList<>();
    for (ListTablesResponse page :
        client.listTablesPaginator(b -> b.exclusiveStartTableName(prefix).limit(2))) {
      assertTrue(page.tableNames().size() <= 2);
      page.tableNames().stream().filter(name -> name.startsWith(prefix + "-")).forEach(seen::add);
    }
    assertEquals(names, seen);
    names.forEach(name -> client.deleteTable(b -> b.tableName(name)));
  }

  @Test
  void pagesOfQueriesAndScans() {
    withTable(client, onDemand(ScalarAttributeType.N), table -> {
      List<Map<String, AttributeValue>> items = new ArrayList<>();
      for (int i = 0; i < 25; i++) {
        items.add(item("p", "sk", number(String.valueOf(i))));
        client.putItem(b -> b.tableName(table).item(items.get(items.size() - 1)));
      }
      List<Map<String, AttributeValue>> scanned = new ArrayList<>();
      List<Integer> counts = new ArrayList<>();
      for (ScanResponse page : client.scanPaginator(b -> b.tableName(table).consistentRead(true).limit(7))) {
        counts.add(page.count());
        scanned.addAll(page.items());
      }
      assertEquals(List.of(7, 7, 7, 4), counts);
      assertEquals(items, scanned);

      Collections.reverse(items);
      var pages = client.queryPaginator(
          b -> b.tableName(table).consistentRead(true).scanIndexForward(false).limit(7)
              .keyConditionExpression("pk = :p").expressionAttributeValues(Map.of(":p", text("p"))));
      assertEquals(items, pages.items().stream().toList());
    });
  }
}
