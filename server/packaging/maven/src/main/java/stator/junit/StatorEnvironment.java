// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * For an application that makes clients of its own, {@code DynamoDbClient.create()} in a static field for instance: until
 * the end of the run they call the server of all test classes, by system properties.
 *
 * <pre>{@code
 * @ExtendWith(StatorEnvironment.class)
 * class OrdersTest { ... }
 * }</pre>
 *
 * There is one database of this kind in a JVM, as such a client lives as long, and each class finds it empty. So classes
 * with this extension must not run at once in a JVM.
 */
public final class StatorEnvironment implements BeforeAllCallback {
  private static final Namespace NAMESPACE = Namespace.create(StatorEnvironment.class);
  // What would lead a client past the others, or is the user's own.
  private static final List<String> UNSET = List.of("aws.profile", "aws.sessionToken", "aws.accountId",
      "aws.accountIdEndpointMode");

  /** The properties, from when the first class asks for them until JUnit closes what is stored with the run. */
  static final class Properties implements AutoCloseable {
    private final Map<String, String> before = new HashMap<>();
    private final String accessKey = UUID.randomUUID().toString();
    private final Stator server;

    Properties(Stator server) {
      this.server = server;
      UNSET.forEach(name -> set(name, null));
      Map.of("aws.endpointUrlDynamoDb", server.endpoint(), "aws.endpointUrlDynamoDbStreams", server.endpoint(),
          "aws.accessKeyId", accessKey, "aws.secretAccessKey", "any", "aws.region", "us-east-1",
          "aws.ignoreConfiguredEndpointUrls", "false", "aws.useFipsEndpoint", "false", "aws.useDualstackEndpoint", "false")
          .forEach(this::set);
    }

    private void set(String name, String value) {
      before.put(name, System.getProperty(name));
      put(name, value);
    }

    private static void put(String name, String value) {
      if (value == null) {
        System.clearProperty(name);
      } else {
        System.setProperty(name, value);
      }
    }

    @Override
    public void close() {
      before.forEach(Properties::put);
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    var server = StatorExtension.ofAllClasses(context);
    var properties = context.getRoot().getStore(NAMESPACE)
        .getOrComputeIfAbsent("properties", key -> new Properties(server), Properties.class);
    if (context.getTestClass().map(Class::getEnclosingClass).isEmpty()) {  // a @Nested class goes on with what is there
      properties.server.ask("reset", "{\"access_key\":\"" + properties.accessKey + "\"}");
    }
  }
}
