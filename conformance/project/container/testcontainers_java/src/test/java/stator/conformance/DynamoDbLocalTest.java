package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.containers.wait.strategy.WaitStrategy;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.utility.DockerImageName;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/**
 * Starts the image as a Java project's own tests do. They name the image that ours takes the place of:
 * ../run_testcontainers gives ours that name.
 */
@Testcontainers
class DynamoDbLocalTest {
  private static final DockerImageName IMAGE = DockerImageName.parse("amazon/dynamodb-local:latest");
  private static final String SHARED = "-jar DynamoDBLocal.jar -sharedDb -inMemory";
  private static final int PORT = 8000;
  private static final String TABLE = "Music";
  private static final Map<String, AttributeValue> KEY = Map.of("artist", AttributeValue.fromS("Nina"));
  private static final Map<String, AttributeValue> ITEM =
      Map.of("artist", AttributeValue.fromS("Nina"), "albums", AttributeValue.fromN("15"));

  /** As most have it: started and ended by the extension of JUnit, with the default wait strategy. */
  @Container
  private static final GenericContainer<?> SHARED_CONTAINER =
      new GenericContainer<>(IMAGE).withExposedPorts(PORT).withCommand(SHARED);

  private static DynamoDbClient client(GenericContainer<?> container, String accessKey) {
    return DynamoDbClient.builder()
        .endpointOverride(URI.create("http://" + container.getHost() + ":" + container.getMappedPort(PORT)))
        .region(Region.US_EAST_1)
        .credentialsProvider(
            StaticCredentialsProvider.create(AwsBasicCredentials.create(accessKey, "secret")))
        .httpClient(UrlConnectionHttpClient.create())
        .build();
  }

  /** Creates a table, puts an item and gets it. */
  private static void works(DynamoDbClient client) {
    client.createTable(
        table ->
            table
                .tableName(TABLE)
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .attributeDefinitions(a -> a.attributeName("artist").attributeType(ScalarAttributeType.S))
                .keySchema(key -> key.attributeName("artist").keyType(KeyType.HASH)));
    client.waiter().waitUntilTableExists(table -> table.tableName(TABLE));
    client.putItem(put -> put.tableName(TABLE).item(ITEM));
    assertEquals(ITEM, client.getItem(get -> get.tableName(TABLE).key(KEY)).item());
  }

  @Test
  void sharedDatabase() {
    works(client(SHARED_CONTAINER, "one"));
    DynamoDbClient another = client(SHARED_CONTAINER, "another");
    assertEquals(List.of(TABLE), another.listTables().tableNames());
    assertEquals(ITEM, another.getItem(get -> get.tableName(TABLE).key(KEY)).item());
  }

  @Test
  void defaultCommand() {
    try (GenericContainer<?> container = new GenericContainer<>(IMAGE).withExposedPorts(PORT)) {
      container.start();
      works(client(container, "one"));
      assertEquals(List.of(), client(container, "another").listTables().tableNames());
    }
  }

  static List<WaitStrategy> strategiesInUse() {
    return List.of(
        Wait.forHttp("/").forStatusCode(400),
        Wait.forHttp("/").forPort(PORT).forStatusCodeMatching(status -> status == 400),
        Wait.forLogMessage(".*Initializing DynamoDB Local.*", 1),
        Wait.forHealthcheck(),
        Wait.forSuccessfulCommand("curl -s http://localhost:8000"));
  }

  @ParameterizedTest
  @MethodSource("strategiesInUse")
  void waitStrategies(WaitStrategy strategy) {
    try (GenericContainer<?> container =
        new GenericContainer<>(IMAGE).withExposedPorts(PORT).withCommand(SHARED).waitingFor(strategy)) {
      container.start();
      works(client(container, "one"));
    }
  }

  @Test
  void otherFormsInUse() {
    try (GenericContainer<?> container =
        new GenericContainer<>(IMAGE)
            .withExposedPorts(PORT)
            .withWorkingDirectory("/home/dynamodblocal")
            .withCreateContainerCmdModifier(create -> create.withEntrypoint("java"))
            .withCommand("-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar", "-sharedDb")
            .withTmpFs(Map.of("/home/dynamodblocal/data", "rw"))) {
      container.start();
      works(client(container, "one"));
    }
  }

  @Test
  void stop() throws IOException {
    GenericContainer<?> container = new GenericContainer<>(IMAGE).withExposedPorts(PORT);
    container.start();
    InetSocketAddress address = new InetSocketAddress(container.getHost(), container.getMappedPort(PORT));
    try (Socket socket = new Socket()) {
      socket.connect(address, 10_000);
    }
    container.stop();
    assertFalse(container.isRunning());
    try (Socket socket = new Socket()) {
      assertThrows(IOException.class, () -> socket.connect(address, 10_000));
    }
  }

  /** As docker stop: SIGTERM ends it before it would be killed. */
  @Test
  void stopByTheDaemon() {
    try (GenericContainer<?> container = new GenericContainer<>(IMAGE).withExposedPorts(PORT)) {
      container.start();
      var docker = container.getDockerClient();
      docker.stopContainerCmd(container.getContainerId()).withTimeout(60).exec();
      var state = container.getCurrentContainerInfo().getState();
      assertEquals("exited", state.getStatus());
      assertEquals(0L, state.getExitCodeLong());
    }
  }
}
