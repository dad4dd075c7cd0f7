package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static software.amazon.awssdk.services.dynamodb.model.AttributeValue.fromS;
import static stator.conformance.Server.onDemand;
import static stator.conformance.Server.withTable;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.PutRequest;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** Servers that verify signatures serve the SDK, whatever its values are, and refuse a wrong secret. */
class SignaturesTest {
  private static final String ENDPOINTS = System.getenv("STATOR_SIGNED_ENDPOINTS");

  @BeforeAll
  static void needServers() {
    assumeTrue(ENDPOINTS != null, "needs servers started by the test");
  }

  private static Stream<URI> endpoints() {
    return Stream.of(ENDPOINTS.split(" ")).map(URI::create);
  }

  private static DynamoDbClient client(URI endpoint, String key, String secret) {
    return Server.builder(endpoint)
        .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(key, secret)))
        .build();
  }

  private static Map<String, AttributeValue> item(String sk) {
    return Map.of(
        "pk", fromS("Björk – 日本 😀"), "sk", fromS(sk), "text", fromS("naïve & \"ça\" = 100 %"));
  }

  private static Map<String, AttributeValue> keyOf(Map<String, AttributeValue> item) {
    return Map.of("pk", item.get("pk"), "sk", item.get("sk"));
  }

  @Test
  void rightSignatures() {
    endpoints().forEach(SignaturesTest::useTable);
  }

  private static void useTable(URI endpoint) {
    try (DynamoDbClient client = client(endpoint, "AKIAROOT", System.getenv("STATOR_SIGNED_SECRET"))) {
      withTable(client, onDemand(ScalarAttributeType.S), table -> {
        var one = item("Jóga");
        var two = item("ⅷ");
        client.putItem(b -> b.tableName(table).item(one));
        var write = WriteRequest.builder().putRequest(PutRequest.builder().item(two).build()).build();
        client.batchWriteItem(b -> b.requestItems(Map.of(table, List.of(write))));
        assertEquals(one, client.getItem(b -> b.tableName(table).key(keyOf(one)).consistentRead(true)).item());
        var found = client.query(b -> b.tableName(table).consistentRead(true).keyConditionExpression("pk = :p")
            .expressionAttributeValues(Map.of(":p", one.get("pk"))));
        assertEquals(List.of(one, two), found.items());
        var keys = KeysAndAttributes.builder().keys(List.of(keyOf(one), keyOf(two))).build();
        assertEquals(2, client.batchGetItem(b -> b.requestItems(Map.of(table, keys))).responses().get(table).size());
      });
    }
  }

  @Test
  void wrongSignatures() {
    endpoints().forEach(endpoint ->
        Map.of("AKIAROOT", "InvalidSignatureException", "AKIAOTHER", "UnrecognizedClientException")
            .forEach((key, code) -> {
              try (DynamoDbClient client = client(endpoint, key, "wrong")) {
                var error = assertThrows(DynamoDbException.class, client::listTables);
                assertEquals(code, error.awsErrorDetails().errorCode());
              }
            }));
  }
}
