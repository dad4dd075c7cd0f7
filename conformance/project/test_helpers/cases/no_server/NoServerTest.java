package example;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import stator.junit.StatorExtension;
import stator.junit.StatorServer;

/** Without a server. ../../test_where.py reads what it says. */
class NoServerTest {
  @Test
  void noClientOfNull() {
    StatorServer none = () -> null;
    none.client();
  }

  @Test
  void noClientOfNothing() {
    StatorServer none = () -> "";
    none.client();
  }

  @Nested
  class NotStatic {
    @RegisterExtension
    final StatorExtension stator = StatorExtension.rollingBack();

    @Test
    void noClient(DynamoDbClient client) {}
  }
}
