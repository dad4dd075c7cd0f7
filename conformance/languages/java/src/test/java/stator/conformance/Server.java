package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.function.Executable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpConfigurationOption;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClientBuilder;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;
import software.amazon.awssdk.utils.AttributeMap;

/** What the tests share: clients of the server under test, table definitions, exact expectations of errors. */
final class Server {
  static final String REQUEST_ID = "[0-9A-Z]{52}";
  static final String TLS_ENDPOINT = System.getenv("STATOR_TLS_ENDPOINT");

  private Server() {}

  static URI endpoint() {
    String endpoint = System.getenv("STATOR_ENDPOINT");
    assertTrue(endpoint != null, "STATOR_ENDPOINT is not set: start the tests with ./run");
    return URI.create(endpoint);
  }

  static DynamoDbClient client(ExecutionInterceptor... interceptors) {
    return client(endpoint(), interceptors);
  }

  static DynamoDbClient client(URI endpoint, ExecutionInterceptor... interceptors) {
    return builder(endpoint)
        .overrideConfiguration(
            o -> {
              for (ExecutionInterceptor interceptor : interceptors) {
                o.addExecutionInterceptor(interceptor);
              }
            })
        .build();
  }

  static DynamoDbClientBuilder builder(URI endpoint) {
    AttributeMap trusting =
        AttributeMap.builder().put(SdkHttpConfigurationOption.TRUST_ALL_CERTIFICATES, true).build();
    return DynamoDbClient.builder()
        .region(Region.US_EAST_1)
        .endpointOverride(endpoint)
        .credentialsProvider(
            StaticCredentialsProvider.create(AwsBasicCredentials.create("conformance", "conformance")))
        .httpClient(UrlConnectionHttpClient.builder().buildWithDefaults(trusting));
  }

  /** A client of streams with the settings of another client. */
  static DynamoDbStreamsClient streams(DynamoDbClient like) {
    var settings = like.serviceClientConfiguration();
    return DynamoDbStreamsClient.builder()
        .region(settings.region())
        .endpointOverride(endpoint())
        .credentialsProvider(settings.credentialsProvider())
        .overrideConfiguration(
            o -> settings.overrideConfiguration().retryStrategy().ifPresent(strategy -> o.retryStrategy(strategy)))
        .httpClient(UrlConnectionHttpClient.create())
        .build();
  }

  /** Counts the attempts of each operation, retries included. */
  static class Attempts implements ExecutionInterceptor {
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();

    @Override
    public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
      String target = context.httpRequest().firstMatchingHeader("X-Amz-Target").orElseThrow();
      counts.merge(target.substring(target.indexOf('.') + 1), 1, Integer::sum);
    }

    int of(String operation) {
      return counts.getOrDefault(operation, 0);
    }
  }

  static String uniqueName() {
    return "java-" + UUID.randomUUID().toString().substring(0, 13);
  }

  private static AttributeDefinition attribute(String name, ScalarAttributeType type) {
    return AttributeDefinition.builder().attributeName(name).attributeType(type).build();
  }

  private static KeySchemaElement hash(String name) {
    return KeySchemaElement.builder().attributeName(name).keyType(KeyType.HASH).build();
  }

  private static KeySchemaElement range(String name) {
    return KeySchemaElement.builder().attributeName(name).keyType(KeyType.RANGE).build();
  }

  /** A table with the string key pk. */
  static CreateTableRequest.Builder onDemand() {
    return CreateTableRequest.builder()
        .tableName(uniqueName())
        .attributeDefinitions(attribute("pk", ScalarAttributeType.S))
        .keySchema(hash("pk"))
        .billingMode(BillingMode.PAY_PER_REQUEST);
  }

  /** A table with the string key pk and the sort key sk. */
  static CreateTableRequest.Builder onDemand(ScalarAttributeType sortKey) {
    return onDemand()
        .attributeDefinitions(attribute("pk", ScalarAttributeType.S), attribute("sk", sortKey))
        .keySchema(hash("pk"), range("sk"));
  }

  /** Creates a table, hands its name to the body and deletes it again. */
  static void withTable(DynamoDbClient client, CreateTableRequest.Builder definition, Consumer<String> body) {
    CreateTableRequest request = definition.build();
    client.createTable(request);
    client.waiter().waitUntilTableExists(b -> b.tableName(request.tableName()));
    try {
      body.accept(request.tableName());
    } finally {
      client.deleteTable(b -> b.tableName(request.tableName()));
    }
  }

  static <E extends DynamoDbException> E refused(
      Class<E> type, String code, String message, Executable call) {
    E error = assertThrows(type, call);
    AwsErrorDetails details = error.awsErrorDetails();
    assertEquals(code, details.errorCode());
    assertEquals(message, details.errorMessage());
    assertEquals(400, error.statusCode());
    assertTrue(error.requestId().matches(REQUEST_ID), error.requestId());
    assertEquals(error.requestId(), details.sdkHttpResponse().firstMatchingHeader("x-amzn-RequestId").orElseThrow());
    return error;
  }
}
