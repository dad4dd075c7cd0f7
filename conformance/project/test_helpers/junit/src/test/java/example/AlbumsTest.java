package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import stator.junit.StatorExtension;

/**
 * How tests use StatorExtension: each has a database of its own. JUnit runs them at once (pom.xml), on
 * tables of the same name.
 */
@ExtendWith(StatorExtension.class)
class AlbumsTest {
  @BeforeEach
  void createTable(DynamoDbClient client) {
    Albums.createTable(client);
  }

  @Test
  void aNewDatabaseIsEmptyButForTheTableMadeBeforeEachTest(DynamoDbClient client) {
    assertEquals(List.of("Albums"), client.listTables().tableNames());
    assertEquals(List.of(), client.scan(scan -> scan.tableName("Albums")).items());
  }

  @ParameterizedTest
  @ValueSource(strings = {"Blue", "Hejira", "Pastel Blues"})
  void anAlbumIsAloneInItsDatabase(String title, DynamoDbClient client) {
    Albums.put(client, title);
    assertEquals(List.of(Albums.item(title)), client.scan(scan -> scan.tableName("Albums")).items());
  }
}
