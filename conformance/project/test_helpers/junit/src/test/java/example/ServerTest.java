package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import stator.junit.Stator;
import stator.junit.StatorExtension;

/** How a test makes several databases in the shared server, or starts a server of its own. */
@ExtendWith(StatorExtension.class)
class ServerTest {
  @Test
  void eightDatabasesFilledSideBySideDoNotSeeEachOther(Stator server) {
    List<DynamoDbClient> clients = IntStream.range(0, 8).mapToObj(number -> server.client()).toList();
    var filled = IntStream.range(0, 8).mapToObj(number -> CompletableFuture.runAsync(() -> {
      Albums.createTable(clients.get(number));
      Albums.put(clients.get(number), "Volume " + number);
    })).toList();
    filled.forEach(CompletableFuture::join);
    for (int number = 0; number < 8; number++) {
      var found = clients.get(number).scan(scan -> scan.tableName("Albums")).items();
      assertEquals(List.of(Albums.item("Volume " + number)), found);
    }
    clients.forEach(DynamoDbClient::close);
  }

  @Test
  void aTableTakesItsTimeAsInTheCloud() {
    try (var server = Stator.start("--control-plane-delay", "1"); var client = server.client()) {
      assertEquals(TableStatus.CREATING, Albums.createTable(client));
      client.waiter().waitUntilTableExists(
          table -> table.tableName("Albums"),
          wait -> wait.backoffStrategyV2(BackoffStrategy.fixedDelay(Duration.ofMillis(200))).maxAttempts(150));
      Albums.put(client, "Blue");
    }
  }

  @Test
  void timeIsMovedInsteadOfWaitedFor() {
    var newYear = Instant.parse("2027-01-01T00:00:00Z");
    try (var server = Stator.start("--clock", newYear.toString(), "--control-plane-delay", "3600");
        var client = server.client()) {
      assertEquals(TableStatus.CREATING, Albums.createTable(client));
      server.advance(Duration.ofMinutes(30));
      server.setTime(newYear.plus(Duration.ofHours(1)));
      var table = client.describeTable(describe -> describe.tableName("Albums")).table();
      assertEquals(newYear, table.creationDateTime());
      assertEquals(TableStatus.ACTIVE, table.tableStatus());
      var settled = server.settle();
      assertTrue(settled.startsWith("{\"settled\":true,\"mappings\":[]"), settled);
      server.mark("created");
      server.reset();
      assertEquals(List.of(), client.listTables().tableNames());
      server.rollback("created");
      assertEquals(List.of("Albums"), client.listTables().tableNames());
    }
  }

  @Test
  void anEventuallyConsistentReadMayMissAWrite() {
    try (var server = Stator.start("--eventual-read-lag", "3600"); var client = server.client()) {
      Albums.createTable(client);
      Albums.put(client, "Blue");
      for (boolean consistent : new boolean[] {false, true}) {
        var got = client.getItem(get -> get.tableName("Albums").key(Albums.item("Blue")).consistentRead(consistent));
        assertEquals(consistent, got.hasItem());
      }
    }
  }
}
