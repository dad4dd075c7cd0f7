package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stator.conformance.Server.INVALID;
import static stator.conformance.Server.ONE_ERROR;
import static stator.conformance.Server.attribute;
import static stator.conformance.Server.describe;
import static stator.conformance.Server.hash;
import static stator.conformance.Server.onDemand;
import static stator.conformance.Server.range;
import static stator.conformance.Server.refused;
import static stator.conformance.Server.refusedValidation;
import static stator.conformance.Server.uniqueName;
import static stator.conformance.Server.units;
import static stator.conformance.Server.withTable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableResponse;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndexDescription;
import software.amazon.awssdk.services.dynamodb.model.IndexStatus;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.ListTablesResponse;
import software.amazon.awssdk.services.dynamodb.model.ListTagsOfResourceResponse;
import software.amazon.awssdk.services.dynamodb.model.LocalSecondaryIndexDescription;
import software.amazon.awssdk.services.dynamodb.model.OnDemandThroughput;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputDescription;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.SSEStatus;
import software.amazon.awssdk.services.dynamodb.model.SSEType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.StreamViewType;
import software.amazon.awssdk.services.dynamodb.model.TableClass;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.Tag;
import software.amazon.awssdk.services.dynamodb.model.UpdateTableRequest;

/** Life of a table, its settings and tags, limits and endpoints. */
class TableTest {
  private final DynamoDbClient client = Server.client();

  private static CreateTableRequest.Builder provisioned(long read, long write) {
    return onDemand().billingMode((BillingMode) null).provisionedThroughput(units(read, write));
  }

  private TableDescription update(String name, Consumer<UpdateTableRequest.Builder> change) {
    return client.updateTable(b -> change.accept(b.tableName(name))).tableDescription();
  }

  private static void assertUnits(long read, long write, long decreases, ProvisionedThroughputDescription got) {
    assertEquals(
        List.of(read, write, decreases),
        List.of(got.readCapacityUnits(), got.writeCapacityUnits(), got.numberOfDecreasesToday()));
  }

  private void assertWarm(long read, long write, String table) {
    var warm = describe(client, table).warmThroughput();
    assertEquals(List.of(read, write), List.of(warm.readUnitsPerSecond(), warm.writeUnitsPerSecond()));
    assertEquals(TableStatus.ACTIVE, warm.status());
  }

  @Test
  void onDemandTableIsActiveInTheNextCall() {
    CreateTableRequest request = onDemand(ScalarAttributeType.N).build();
    TableDescription created = client.createTable(request).tableDescription();
    assertEquals(TableStatus.CREATING, created.tableStatus());

    TableDescription table = describe(client, request.tableName());
    assertEquals(TableStatus.ACTIVE, table.tableStatus());
    assertEquals(request.tableName(), table.tableName());
    assertEquals(request.attributeDefinitions(), table.attributeDefinitions());
    assertEquals(request.keySchema(), table.keySchema());
    assertEquals(created.tableId(), table.tableId());
    assertTrue(table.tableId().matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), table.tableId());
    assertTrue(
        table.tableArn().matches("arn:aws:dynamodb:us-east-1:\\d{12}:table/" + request.tableName()),
        table.tableArn());
    assertNotNull(table.creationDateTime());
    assertEquals(BillingMode.PAY_PER_REQUEST, table.billingModeSummary().billingMode());
    assertNotNull(table.billingModeSummary().lastUpdateToPayPerRequestDateTime());
    assertEquals(0, table.itemCount());
    assertEquals(0, table.tableSizeBytes());
    assertFalse(table.deletionProtectionEnabled());
    assertUnits(0, 0, 0, table.provisionedThroughput());
    assertWarm(12000, 4000, request.tableName());
    assertNull(table.sseDescription());
    assertNull(table.streamSpecification());
    assertNull(table.tableClassSummary());
    assertNull(table.onDemandThroughput());
    assertFalse(table.hasLocalSecondaryIndexes());
    assertFalse(table.hasGlobalSecondaryIndexes());
    client.deleteTable(b -> b.tableName(request.tableName()));
  }

  @Test
  void indexesAreEchoed() {
    CreateTableRequest.Builder definition =
        provisioned(3, 4)
            .attributeDefinitions(
                attribute("pk", ScalarAttributeType.S), attribute("sk", ScalarAttributeType.S),
                attribute("due", ScalarAttributeType.N), attribute("owner", ScalarAttributeType.B))
            .keySchema(hash("pk"), range("sk"))
            .localSecondaryIndexes(
                i ->
                    i.indexName("by-due")
                        .keySchema(hash("pk"), range("due"))
                        .projection(p -> p.projectionType(ProjectionType.INCLUDE).nonKeyAttributes("title")))
            .globalSecondaryIndexes(
                i ->
                    i.indexName("by-owner")
                        .keySchema(hash("owner"), range("due"))
                        .projection(p -> p.projectionType(ProjectionType.KEYS_ONLY))
                        .provisionedThroughput(units(1, 2)));
    withTable(client, definition, name -> {
      TableDescription table = describe(client, name);
      assertUnits(3, 4, 0, table.provisionedThroughput());
      assertWarm(3, 4, name);
      assertNull(table.billingModeSummary());
      LocalSecondaryIndexDescription local = table.localSecondaryIndexes().get(0);
      assertEquals("by-due", local.indexName());
      assertEquals(List.of(hash("pk"), range("due")), local.keySchema());
      assertEquals(ProjectionType.INCLUDE, local.projection().projectionType());
      assertEquals(List.of("title"), local.projection().nonKeyAttributes());
      assertEquals(table.tableArn() + "/index/by-due", local.indexArn());
      GlobalSecondaryIndexDescription global = table.globalSecondaryIndexes().get(0);
      assertEquals("by-owner", global.indexName());
      assertEquals(List.of(hash("owner"), range("due")), global.keySchema());
      assertEquals(ProjectionType.KEYS_ONLY, global.projection().projectionType());
      assertEquals(table.tableArn() + "/index/by-owner", global.indexArn());
      assertEquals(IndexStatus.ACTIVE, global.indexStatus());
      assertUnits(1, 2, 0, global.provisionedThroughput());
    });
  }

  @Test
  void globalIndexWithFourHashAndFourRangeAttributes() {
    List<AttributeDefinition> attributes = new ArrayList<>(List.of(attribute("pk", ScalarAttributeType.S)));
    List<KeySchemaElement> schema = new ArrayList<>();
    for (String name : List.of("h1", "h2", "h3", "h4", "r1", "r2", "r3", "r4")) {
      attributes.add(attribute(name, ScalarAttributeType.S));
      schema.add(name.startsWith("h") ? hash(name) : range(name));
    }
    CreateTableRequest.Builder definition =
        onDemand()
            .attributeDefinitions(attributes)
            .globalSecondaryIndexes(
                i -> i.indexName("wide").keySchema(schema).projection(p -> p.projectionType(ProjectionType.ALL)));
    withTable(
        client, definition,
        name -> assertEquals(schema, describe(client, name).globalSecondaryIndexes().get(0).keySchema()));
  }

  @Test
  void everySettingIsEchoed() {
    OnDemandThroughput ceilings =
        OnDemandThroughput.builder().maxReadRequestUnits(100L).maxWriteRequestUnits(50L).build();
    Tag tag = Tag.builder().key("team").value("stone").build();
    CreateTableRequest request =
        onDemand()
            .streamSpecification(s -> s.streamEnabled(true).streamViewType(StreamViewType.KEYS_ONLY))
            .sseSpecification(s -> s.enabled(true).sseType(SSEType.KMS))
            .tableClass(TableClass.STANDARD_INFREQUENT_ACCESS)
            .deletionProtectionEnabled(true)
            .onDemandThroughput(ceilings)
            .warmThroughput(w -> w.readUnitsPerSecond(13000L).writeUnitsPerSecond(5000L))
            .tags(tag)
            .build();
    String name = request.tableName();
    client.createTable(request);
    TableDescription table = describe(client, name);
    assertEquals(request.streamSpecification(), table.streamSpecification());
    assertEquals(table.tableArn() + "/stream/" + table.latestStreamLabel(), table.latestStreamArn());
    assertEquals(SSEStatus.ENABLED, table.sseDescription().status());
    assertEquals(SSEType.KMS, table.sseDescription().sseType());
    assertEquals(TableClass.STANDARD_INFREQUENT_ACCESS, table.tableClassSummary().tableClass());
    assertTrue(table.deletionProtectionEnabled());
    assertEquals(ceilings, table.onDemandThroughput());
    assertWarm(13000, 5000, name);
    assertEquals(List.of(tag), client.listTagsOfResource(b -> b.resourceArn(table.tableArn())).tags());

    refusedValidation(
        "Resource cannot be deleted as it is currently protected against deletion. "
            + "Disable deletion protection first.",
        () -> client.deleteTable(b -> b.tableName(name)));
    assertFalse(update(name, b -> b.deletionProtectionEnabled(false)).deletionProtectionEnabled());
    client.deleteTable(b -> b.tableName(name));
  }

  @Test
  void waitersAskOnce() {
    Server.Attempts attempts = new Server.Attempts();
    try (DynamoDbClient counted = Server.client(attempts)) {
      CreateTableRequest request = onDemand().build();
      String name = request.tableName();
      counted.createTable(request);
      var exists = counted.waiter().waitUntilTableExists(b -> b.tableName(name));
      assertEquals(1, exists.attemptsExecuted());
      assertEquals(1, attempts.of("DescribeTable"));
      DescribeTableResponse found = exists.matched().response().orElseThrow();
      assertEquals(TableStatus.ACTIVE, found.table().tableStatus());

      counted.deleteTable(b -> b.tableName(name));
      var gone = counted.waiter().waitUntilTableNotExists(b -> b.tableName(name));
      assertInstanceOf(ResourceNotFoundException.class, gone.matched().exception().orElseThrow());
      assertEquals(2, attempts.of("DescribeTable"));
    }
  }

  @Test
  void aDeletedNameCanBeUsedAgain() {
    CreateTableRequest request = onDemand().build();
    String name = request.tableName();
    String firstId = client.createTable(request).tableDescription().tableId();
    refused(ResourceInUseException.class, "Table already exists: " + name, () -> client.createTable(request));
    assertEquals(
        TableStatus.DELETING, client.deleteTable(b -> b.tableName(name)).tableDescription().tableStatus());
    refused(
        ResourceNotFoundException.class, "Requested resource not found: Table: " + name + " not found",
        () -> client.deleteTable(b -> b.tableName(name)));
    assertNotEquals(firstId, client.createTable(request).tableDescription().tableId());
    client.deleteTable(b -> b.tableName(name));
  }

  @Test
  void listTablesPages() {
    String prefix = uniqueName();
    List<String> names = new ArrayList<>();
    for (String letter : List.of("-a", "-b", "-c", "-d", "-e")) {
      names.add(prefix + letter);
      client.createTable(onDemand().tableName(prefix + letter).build());
    }
    List<String> seen = new ArrayList<>();
    for (ListTablesResponse page :
        client.listTablesPaginator(b -> b.exclusiveStartTableName(prefix).limit(2))) {
      assertTrue(page.tableNames().size() <= 2);
      page.tableNames().stream().filter(name -> name.startsWith(prefix + "-")).forEach(seen::add);
    }
    assertEquals(names, seen);
    names.forEach(name -> client.deleteTable(b -> b.tableName(name)));
    refusedValidation(
        ONE_ERROR + "Value '101' at 'limit' failed to satisfy constraint: "
            + "Member must have value less than or equal to 100",
        () -> client.listTables(b -> b.limit(101)));
  }

  @Test
  void updateTable() {
    withTable(client, provisioned(5, 6), name -> {
      TableDescription answer = update(name, b -> b.provisionedThroughput(units(9, 3)));
      assertEquals(TableStatus.UPDATING, answer.tableStatus());
      assertEquals(5, answer.provisionedThroughput().readCapacityUnits());
      TableDescription table = describe(client, name);
      assertEquals(TableStatus.ACTIVE, table.tableStatus());
      assertUnits(9, 3, 1, table.provisionedThroughput());
      assertNotNull(table.provisionedThroughput().lastIncreaseDateTime());
      assertNotNull(table.provisionedThroughput().lastDecreaseDateTime());
      assertWarm(9, 6, name);

      update(name, b -> b.billingMode(BillingMode.PAY_PER_REQUEST));
      assertEquals(
          BillingMode.PAY_PER_REQUEST, describe(client, name).billingModeSummary().billingMode());
      update(name, b -> b.tableClass(TableClass.STANDARD_INFREQUENT_ACCESS));
      assertEquals(
          TableClass.STANDARD_INFREQUENT_ACCESS, describe(client, name).tableClassSummary().tableClass());
      update(name, b -> b.onDemandThroughput(o -> o.maxReadRequestUnits(7L)));
      assertEquals(7, describe(client, name).onDemandThroughput().maxReadRequestUnits());
      assertTrue(update(name, b -> b.deletionProtectionEnabled(true)).deletionProtectionEnabled());
      update(name, b -> b.deletionProtectionEnabled(false));

      refusedValidation(
          INVALID + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
          () -> update(name, b -> b.billingMode(BillingMode.PROVISIONED)));
      refusedValidation(
          INVALID + "DeletionProtection modification must be the only operation in the request",
          () -> update(name, b -> b.deletionProtectionEnabled(true).billingMode(BillingMode.PAY_PER_REQUEST)));
    });
  }

  @Test
  void tags() {
    withTable(client, onDemand(), name -> {
      String arn = describe(client, name).tableArn();
      Map<String, String> expected = new HashMap<>();
      List<Tag> tags = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        tags.add(Tag.builder().key("ключ " + i).value("v" + i).build());
        expected.put("ключ " + i, "v" + i);
      }
      client.tagResource(b -> b.resourceArn(arn).tags(tags));
      client.tagResource(b -> b.resourceArn(arn).tags(t -> t.key("ключ 1").value("new")));
      client.untagResource(b -> b.resourceArn(arn).tagKeys("ключ 2", "none"));
      expected.put("ключ 1", "new");
      expected.remove("ключ 2");
      Map<String, String> listed = new HashMap<>();
      ListTagsOfResourceResponse page = client.listTagsOfResource(b -> b.resourceArn(arn));
      page.tags().forEach(tag -> assertNull(listed.put(tag.key(), tag.value())));
      while (page.nextToken() != null) {
        String token = page.nextToken();
        page = client.listTagsOfResource(b -> b.resourceArn(arn).nextToken(token));
        page.tags().forEach(tag -> assertNull(listed.put(tag.key(), tag.value())));
      }
      assertEquals(expected, listed);
      refusedValidation(
          "Atleast one Tag Key needs to be provided as Input.",
          () -> client.untagResource(b -> b.resourceArn(arn).tagKeys(List.of())));
    });
  }

  @Test
  void limitsAndEndpoints() {
    var limits = client.describeLimits();
    assertEquals(80000, limits.accountMaxReadCapacityUnits());
    assertEquals(80000, limits.accountMaxWriteCapacityUnits());
    assertEquals(40000, limits.tableMaxReadCapacityUnits());
    assertEquals(40000, limits.tableMaxWriteCapacityUnits());
    var endpoints = client.describeEndpoints().endpoints();
    assertEquals(1, endpoints.size());
    assertEquals(Server.endpoint().getAuthority(), endpoints.get(0).address());
    assertEquals(1440, endpoints.get(0).cachePeriodInMinutes());
  }
}
