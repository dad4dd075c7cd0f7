package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import stator.junit.StatorEnvironment;

/** Copied as two classes, of which neither sees the other's table. ../../test_application.py runs them. */
@ExtendWith(StatorEnvironment.class)
@ResourceLock("orders")
class OrdersTest {
  @BeforeAll
  static void createTable() {
    Orders.createTable();
  }

  @Test
  void theApplicationCallsStator() {
    Orders.place("one");
    assertEquals(1, Orders.count());
    assertTrue(Orders.hasStream());
  }
}
