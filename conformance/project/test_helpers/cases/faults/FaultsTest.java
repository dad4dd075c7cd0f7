package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import stator.junit.Fault;
import stator.junit.Stator;
import stator.junit.StatorExtension;

/** Four tests pass, three fail because of their rules. ../../test_faults.py reads the report. */
@Execution(ExecutionMode.SAME_THREAD)
@ExtendWith(StatorExtension.class)
class FaultsTest {
  static final String RULE =
      "{\"match\":{\"operation\":\"ListTables\"},\"when\":{\"times\":2},\"effect\":{\"error\":\"InternalServerError\"}}";

  /** With attempts enough to get past the rule. */
  static void list(DynamoDbClient client) {
    assertEquals(0, client.listTables().tableNames().size());
  }

  @Test
  void fires(Stator server, DynamoDbClient client) {
    try (var fault = server.fault(RULE)) {
      list(client);
      assertEquals(2, fault.fired());
    }
    list(client);
  }

  @Test
  void mayFire(Stator server) {
    try (var fault = server.fault(RULE).optional()) {
      assertEquals(0, fault.fired());
    }
  }

  @Test
  void firesOnce(Stator server, DynamoDbClient client) {
    try (var fault = server.fault(RULE.replace("\"times\"", "\"nth\":1,\"times\""))) {
      list(client);
      assertEquals(1, fault.fired());
    }
  }

  @Test
  @Fault("slow")
  void firesByPreset(DynamoDbClient client) {
    list(client);
  }

  @Test
  @Fault(value = "{\"match\":{\"operation\":\"PutItem\"},\"effect\":{\"drop\":\"after\"}}", optional = true)
  void mayFireByAnnotation(DynamoDbClient client) {
    list(client);
  }

  @Test
  @Fault("{\"match\":{\"operation\":\"GetItem\"},\"effect\":{\"drop\":\"after\"}}")
  void annotationNeverFires(DynamoDbClient client) {
    list(client);
  }

  @Test
  void neverFires(Stator server) {
    try (var fault = server.fault("{\"effect\":{\"drop\":\"after\"}}")) {
      assertEquals(0, fault.fired());
    }
  }
}
