package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static stator.conformance.Server.onDemand;
import static stator.conformance.Server.withTable;
import static stator.conformance.Values.item;
import static stator.conformance.Values.text;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.dynamodb.model.RequestLimitExceededException;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingException;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingReason;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** Being throttled: exceptions and their reasons, attempts, success as soon as there is room again. */
class ThrottlingTest {
  private static final String REASON = "TableWriteProvisionedThroughputExceeded";

  /** Posts to the admin path of the server under test and gives the status. */
  private static int ask(String verb, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(Server.endpoint().resolve("/_stator/" + verb))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Lets five minutes pass before the second attempt at an item. */
  private static final class Mover extends Server.Attempts {
    @Override
    public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
      super.beforeTransmission(context, attributes);
      if (of("DeleteItem") == 2) {
        assertEquals(200, ask("clock", "{\"advance\":\"5m\"}"));
      }
    }
  }

  /** A client with the attempts of the default, that does not wait between them. */
  private static DynamoDbClient client(Server.Attempts attempts) {
    RetryStrategy usual;
    try (DynamoDbClient client = Server.client()) {
      usual = client.serviceClientConfiguration().overrideConfiguration().retryStrategy().orElseThrow();
    }
    RetryStrategy hasty = usual.toBuilder().throttlingBackoffStrategy(BackoffStrategy.retryImmediately()).build();
    return Server.builder(Server.endpoint())
        .overrideConfiguration(o -> o.addExecutionInterceptor(attempts).retryStrategy(hasty))
        .build();
  }

  /** A table of one unit that owes a hundred seconds of it: 400 units were asked for, 300 were saved. */
  private static void withEmptyTable(DynamoDbClient client, Consumer<String> body) {
    CreateTableRequest.Builder definition =
        onDemand()
            .billingMode(BillingMode.PROVISIONED)
            .provisionedThroughput(b -> b.readCapacityUnits(1L).writeCapacityUnits(1L));
    withEmptyTable(client, definition, body);
  }

  private static void withEmptyTable(
      DynamoDbClient client, CreateTableRequest.Builder definition, Consumer<String> body) {
    withTable(client, definition, table -> {
      String enforce = "{\"table\":\"" + table + "\",\"throttling\":\"enforce\"}";
      assumeTrue(ask("capacity", enforce) == 200, "this server does not tell of throughput");
      String filler = "x".repeat(400 * 1024 - 100);
      client.putItem(b -> b.tableName(table).item(item("large", "filler", text(filler))));
      body.accept(table);
    });
  }

  @Test
  void throttledForGood() {
    Server.Attempts attempts = new Server.Attempts();
    try (DynamoDbClient client = client(attempts)) {
      withEmptyTable(client, table -> {
        ProvisionedThroughputExceededException error = assertThrows(
            ProvisionedThroughputExceededException.class,
            () -> client.deleteItem(b -> b.tableName(table).key(item("a"))));
        assertTrue(error.isThrottlingException());
        assertReason(REASON, error.throttlingReasons(), table, attempts);
      });
    }
  }

  /** The one reason is about the table, and it took all attempts. */
  private static void assertReason(
      String reason, List<ThrottlingReason> reasons, String table, Server.Attempts attempts) {
    assertEquals(1, reasons.size());
    assertEquals(reason, reasons.get(0).reason());
    assertTrue(reasons.get(0).resource().endsWith(":table/" + table));
    assertEquals(9, attempts.of("DeleteItem"));
  }

  @Test
  void beyondTheMaximumOnDemand() {
    Server.Attempts attempts = new Server.Attempts();
    try (DynamoDbClient client = client(attempts)) {
      withEmptyTable(client, onDemand().onDemandThroughput(b -> b.maxWriteRequestUnits(1L)), table -> {
        ThrottlingException error = assertThrows(
            ThrottlingException.class, () -> client.deleteItem(b -> b.tableName(table).key(item("a"))));
        assertReason("TableWriteMaxOnDemandThroughputExceeded", error.throttlingReasons(), table, attempts);
      });
    }
  }

  @Test
  void beyondTheQuota() {
    assumeTrue(System.getenv("STATOR_OWN_SERVER") != null, "this server's quota is not known");
    Server.Attempts attempts = new Server.Attempts();
    try (DynamoDbClient client = client(attempts)) {
      withEmptyTable(client, onDemand(), table -> {
        RequestLimitExceededException error = assertThrows(
            RequestLimitExceededException.class, () -> client.deleteItem(b -> b.tableName(table).key(item("a"))));
        assertReason("TableWriteAccountLimitExceeded", error.throttlingReasons(), table, attempts);
      });
    }
  }

  @Test
  void throttledUntilTimePasses() {
    Mover mover = new Mover();
    try (DynamoDbClient client = client(mover)) {
      withEmptyTable(client, table -> {
        client.deleteItem(b -> b.tableName(table).key(item("a")));
        assertEquals(2, mover.of("DeleteItem"));
      });
    }
  }

  @Test
  void throttledTransaction() {
    Server.Attempts attempts = new Server.Attempts();
    try (DynamoDbClient client = client(attempts)) {
      withEmptyTable(client, table -> {
        TransactionCanceledException error = assertThrows(
            TransactionCanceledException.class,
            () -> client.transactWriteItems(
                b -> b.transactItems(i -> i.put(p -> p.tableName(table).item(item("a"))))));
        assertEquals("ProvisionedThroughputExceeded", error.cancellationReasons().get(0).code());
        assertEquals(1, attempts.of("TransactWriteItems"));
      });
    }
  }
}
