package example;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import stator.junit.Stator;
import stator.junit.StatorExtension;

/**
 * A test that uses the servers and then, with EXTRA_HELD=FILE, writes FILE and waits to be killed; without,
 * it fails. ../test_helpers.py looks what is left of them.
 */
@ExtendWith(StatorExtension.class)
class ExtraTest {
  @Test
  void heldOrFailed(DynamoDbClient client) throws Exception {
    try (var server = Stator.start("--gsi-delay", "1"); var own = server.client()) {
      client.listTables();
      own.listTables();
      String file = System.getenv("EXTRA_HELD");
      if (file == null) {
        throw new AssertionError("failed on purpose");
      }
      Files.writeString(Path.of(file), "held");
      new CountDownLatch(1).await(600, TimeUnit.SECONDS);
    }
  }
}
