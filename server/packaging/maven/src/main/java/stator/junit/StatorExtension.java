// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

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
 * Parameters may be DynamoDbClient, DynamoDbStreamsClient, DynamoDbEnhancedClient and the asynchronous ones of these,
 * all of the test's database, or {@link StatorDatabase}, which that is. A parameter {@code Stator server} is the server; its client() makes further databases. A test that needs flags
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
public final class StatorExtension
    implements ParameterResolver, BeforeAllCallback, BeforeEachCallback, AfterEachCallback {
  private static final String DATABASE = "database";
  private static final String FAULT = "fault";
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
      throw new IllegalStateException(Stator.NONE + "StatorExtension.rollingBack() belongs into a static field");
    }
    return found;
  }

  private Stator server(ExtensionContext context) {
    if (ownFlags != null) {
      return own(context).server;
    }
    return ofAllClasses(context);
  }

  static Stator ofAllClasses(ExtensionContext context) {
    return context.getRoot().getStore(Namespace.create(StatorExtension.class))
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
    if (ownFlags != null) {
      var own = own(context);
      if (own.marked.compareAndSet(false, true)) {
        own.server.mark(MARK);
      } else {
        own.server.rollback(MARK);
      }
    }
    fault(context).ifPresent(wanted -> context.getStore(namespace).put(FAULT, begin(server(context), wanted)));
    Explainer.begin(context.getStore(namespace).get(DATABASE, StatorDatabase.class));
  }

  /** A test that failed tells why its requests did. */
  @Override
  public void afterEach(ExtensionContext context) {
    String explanation = Explainer.end(context.getExecutionException().isPresent());
    if (!explanation.isEmpty()) {
      System.err.println("Stator: requests of this test that failed: " + context.getRequiredTestClass().getSimpleName()
          + " " + context.getDisplayName() + "\n" + explanation);
    }
    var fault = context.getStore(namespace).remove(FAULT, StatorFault.class);
    if (fault == null) {
      return;
    }
    if (context.getExecutionException().isPresent()) {
      fault.optional();  // what the test itself says matters more
    }
    fault.close();
  }

  /** That of the method, else of its class. */
  private static Optional<Fault> fault(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getElement(), Fault.class)
        .or(() -> AnnotationSupport.findAnnotation(context.getTestClass(), Fault.class));
  }

  private static StatorFault begin(Stator server, Fault wanted) {
    var value = wanted.value().strip();
    var fault = value.startsWith("{") ? server.fault(value) : server.faultPreset(value);
    return wanted.optional() ? fault.optional() : fault;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    var type = parameter.getParameter().getType();
    return type == Stator.class || type == StatorDatabase.class || Clients.KINDS.containsKey(type.getName());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    var type = parameter.getParameter().getType();
    if (type == Stator.class) {
      return server(context);
    }
    return type == StatorDatabase.class ? database(context) : client(context, type.getName());
  }

  /** Of the test, or of the class when that asked first. */
  private StatorDatabase database(ExtensionContext context) {
    return context.getStore(namespace)
        .getOrComputeIfAbsent(DATABASE, key -> server(context).database(), StatorDatabase.class);
  }

  /** Closed with the test, or with the class when that took it first. */
  private Object client(ExtensionContext context, String type) {
    var store = context.getStore(namespace);
    if (store.get(type) == null) {  // one that is made of another cannot be put while that is
      store.put(type, Clients.KINDS.get(type).apply(database(context), other -> client(context, other)));
    }
    return store.get(type);
  }
}
