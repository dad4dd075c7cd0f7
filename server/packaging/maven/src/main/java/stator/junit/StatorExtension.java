// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Stator, a local DynamoDB, for tests with JUnit 5.13 or later.
 *
 * <pre>{@code
 * @ExtendWith(StatorExtension.class)
 * class AlbumsTest {
 *   @Test
 *   void put(DynamoDbClient client) { ... }
 * }
 * }</pre>
 *
 * One server runs for all test classes. Each test has an empty database in it, which its {@code @BeforeEach}
 * sees too; a client taken in a constructor or in {@code @BeforeAll} is shared by the tests of the class.
 * A parameter {@code Stator server} is the server; its client() makes further databases. A test that needs flags
 * of its own starts a server for itself, with {@link Stator#start}.
 *
 * <p>Where tables are dear to fill, a class has a server of its own that goes back before each test:
 *
 * <pre>{@code
 * @RegisterExtension
 * static final StatorExtension STATOR = StatorExtension.rollingBack();
 *
 * @BeforeAll
 * static void fill(DynamoDbClient client) { ... }
 * }</pre>
 */
public final class StatorExtension implements ParameterResolver, BeforeAllCallback, BeforeEachCallback {
  private static final String CLIENT = "software.amazon.awssdk.services.dynamodb.DynamoDbClient";
  private static final String MARK = "before-each-test";

  private final Namespace namespace;
  private final String[] ownFlags;  // null: the server is that of all classes

  public StatorExtension() {
    namespace = Namespace.create(StatorExtension.class);
    ownFlags = null;
  }

  private StatorExtension(String[] flags) {
    namespace = Namespace.create(StatorExtension.class, this);
    ownFlags = flags.clone();
  }

  /**
   * For a static field with {@code @RegisterExtension}: a server of the class's own with these flags, whose data and time are
   * before each test what they were before the first. Its tests must not run at once.
   */
  public static StatorExtension rollingBack(String... flags) {
    return new StatorExtension(flags);
  }

  /** A class's own server. JUnit closes what is kept in a store with the class. */
  private static final class Own implements AutoCloseable {
    private final Stator server;
    private final AtomicBoolean marked = new AtomicBoolean();

    private Own(Stator server) {
      this.server = server;
    }

    @Override
    public void close() {
      server.close();
    }
  }

  private Own own(ExtensionContext context) {
    var found = context.getStore(namespace).get("own", Own.class);
    if (found == null) {
      throw new IllegalStateException("StatorExtension.rollingBack() belongs into a static field");
    }
    return found;
  }

  private Stator server(ExtensionContext context) {
    if (ownFlags != null) {
      return own(context).server;
    }
    return context.getRoot().getStore(namespace)
        .getOrComputeIfAbsent("server", key -> Stator.start(), Stator.class);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    if (ownFlags != null) {  // a @Nested class finds that of the class around it
      context.getStore(namespace).getOrComputeIfAbsent("own", key -> new Own(Stator.start(ownFlags)), Own.class);
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (ownFlags == null) {
      return;
    }
    var own = own(context);
    if (own.marked.compareAndSet(false, true)) {
      own.server.mark(MARK);
    } else {
      own.server.rollback(MARK);
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    var type = parameter.getParameter().getType();
    return type == Stator.class || type.getName().equals(CLIENT);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    var server = server(context);
    if (parameter.getParameter().getType() == Stator.class) {
      return server;
    }
    // Closed with the test, or with the class when that took it first.
    return context.getStore(namespace).getOrComputeIfAbsent("client", key -> server.client());
  }
}
