package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static stator.conformance.Values.everyByte;
import static stator.conformance.Values.text;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.enhanced.dynamodb.Document;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedClient;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.Expression;
import software.amazon.awssdk.enhanced.dynamodb.Key;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondaryPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSortKey;
import software.amazon.awssdk.enhanced.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.enhanced.dynamodb.model.TransactPutItemEnhancedRequest;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** The enhanced client: a bean becomes a table, its objects become items. */
class EnhancedClientTest {
  /** Where a delivery goes. */
  @DynamoDbBean
  public static class Place {
    private String city;
    private Integer number;

    public String getCity() {
      return city;
    }

    public void setCity(String city) {
      this.city = city;
    }

    public Integer getNumber() {
      return number;
    }

    public void setNumber(Integer number) {
      this.number = number;
    }
  }

  /** One order of a customer. */
  @DynamoDbBean
  public static class Order {
    private String customer;
    private Long serial;
    private String state;
    private BigDecimal price;
    private Instant created;
    private Boolean paid;
    private SdkBytes signature;
    private Set<String> labels;
    private List<Integer> amounts;
    private Map<String, Place> stops;

    @DynamoDbPartitionKey
    public String getCustomer() {
      return customer;
    }

    public void setCustomer(String customer) {
      this.customer = customer;
    }

    @DynamoDbSortKey
    public Long getSerial() {
      return serial;
    }

    public void setSerial(Long serial) {
      this.serial = serial;
    }

    @DynamoDbSecondaryPartitionKey(indexNames = "by-state")
    public String getState() {
      return state;
    }

    public void setState(String state) {
      this.state = state;
    }

    public BigDecimal getPrice() {
      return price;
    }

    public void setPrice(BigDecimal price) {
      this.price = price;
    }

    public Instant getCreated() {
      return created;
    }

    public void setCreated(Instant created) {
      this.created = created;
    }

    public Boolean getPaid() {
      return paid;
    }

    public void setPaid(Boolean paid) {
      this.paid = paid;
    }

    public SdkBytes getSignature() {
      return signature;
    }

    public void setSignature(SdkBytes signature) {
      this.signature = signature;
    }

    public Set<String> getLabels() {
      return labels;
    }

    public void setLabels(Set<String> labels) {
      this.labels = labels;
    }

    public List<Integer> getAmounts() {
      return amounts;
    }

    public void setAmounts(List<Integer> amounts) {
      this.amounts = amounts;
    }

    public Map<String, Place> getStops() {
      return stops;
    }

    public void setStops(Map<String, Place> stops) {
      this.stops = stops;
    }
  }

  private static Order order() {
    Place place = new Place();
    place.setCity("Århus");
    place.setNumber(-7);
    Order order = new Order();
    order.setCustomer("Zoë");
    order.setSerial(Long.MAX_VALUE);
    order.setState("open");
    order.setPrice(new BigDecimal("1234567890123456789012345678901234567.8"));
    order.setCreated(Instant.parse("2026-01-02T03:04:05.678Z"));
    order.setPaid(false);
    order.setSignature(SdkBytes.fromByteArray(everyByte()));
    order.setLabels(Set.of("fragile", "gift 🎁"));
    order.setAmounts(List.of(3, 1, 2));
    order.setStops(Map.of("last", place));
    return order;
  }

  @Test
  void beanLife() {
    try (DynamoDbClient client = Server.client()) {
      DynamoDbEnhancedClient enhanced = DynamoDbEnhancedClient.builder().dynamoDbClient(client).build();
      TableSchema<Order> schema = TableSchema.fromBean(Order.class);
      DynamoDbTable<Order> orders = enhanced.table(Server.uniqueName(), schema);
      orders.createTable(
          b ->
              b.globalSecondaryIndices(
                  i -> i.indexName("by-state").projection(p -> p.projectionType(ProjectionType.ALL))));
      TableDescription table = orders.describeTable().table();
      assertEquals(TableStatus.ACTIVE, table.tableStatus());
      assertEquals("by-state", table.globalSecondaryIndexes().get(0).indexName());

      Order sent = order();
      orders.putItem(sent);
      Key key = Key.builder().partitionValue("Zoë").sortValue(Long.MAX_VALUE).build();
      Order read = orders.getItem(b -> b.key(key).consistentRead(true));
      assertEquals(schema.itemToMap(sent, false).keySet(), schema.itemToMap(read, false).keySet());
      assertEquals(sent.getPrice(), read.getPrice());
      assertEquals(sent.getCreated(), read.getCreated());
      assertEquals(sent.getPaid(), read.getPaid());
      assertEquals(sent.getSignature(), read.getSignature());
      assertEquals(sent.getLabels(), read.getLabels());
      assertEquals(sent.getAmounts(), read.getAmounts());
      assertEquals("Århus", read.getStops().get("last").getCity());
      assertEquals(-7, read.getStops().get("last").getNumber());

      // What the bean writes is what the plain client reads.
      Map<String, AttributeValue> raw =
          client.getItem(b -> b.tableName(orders.tableName()).key(key.keyMap(schema, "$PRIMARY_INDEX"))).item();
      assertEquals(AttributeValue.fromN("9223372036854775807"), raw.get("serial"));
      assertEquals(text("2026-01-02T03:04:05.678Z"), raw.get("created"));

      assertEquals("open", orders.deleteItem(key).getState());
      assertNull(orders.getItem(key));
      orders.deleteTable();
    }
  }

  @Test
  void transactions() {
    try (DynamoDbClient client = Server.client()) {
      DynamoDbEnhancedClient enhanced = DynamoDbEnhancedClient.builder().dynamoDbClient(client).build();
      DynamoDbTable<Order> orders = enhanced.table(Server.uniqueName(), TableSchema.fromBean(Order.class));
      orders.createTable(
          b ->
              b.globalSecondaryIndices(
                  i -> i.indexName("by-state").projection(p -> p.projectionType(ProjectionType.ALL))));
      Order open = order();
      Order paid = order();
      paid.setSerial(1L);
      paid.setState("paid");
      Key openKey = Key.builder().partitionValue("Zoë").sortValue(Long.MAX_VALUE).build();
      Key paidKey = Key.builder().partitionValue("Zoë").sortValue(1L).build();
      Expression fresh = Expression.builder().expression("attribute_not_exists(customer)").build();
      orders.putItem(open);
      enhanced.transactWriteItems(
          b ->
              b.addDeleteItem(orders, openKey)
                  .addPutItem(
                      orders,
                      TransactPutItemEnhancedRequest.builder(Order.class).item(paid).conditionExpression(fresh).build())
                  .addConditionCheck(
                      orders,
                      ConditionCheck.builder()
                          .key(k -> k.partitionValue("Zoë").sortValue(2L))
                          .conditionExpression(fresh)
                          .build()));
      List<Document> read =
          enhanced.transactGetItems(b -> b.addGetItem(orders, openKey).addGetItem(orders, paidKey));
      assertNull(read.get(0).getItem(orders));
      assertEquals("paid", read.get(1).getItem(orders).getState());

      TransactionCanceledException cancelled =
          assertThrows(
              TransactionCanceledException.class,
              () ->
                  enhanced.transactWriteItems(
                      b ->
                          b.addPutItem(orders, open)
                              .addPutItem(
                                  orders,
                                  TransactPutItemEnhancedRequest.builder(Order.class)
                                      .item(paid)
                                      .conditionExpression(fresh)
                                      .returnValuesOnConditionCheckFailure(
                                          ReturnValuesOnConditionCheckFailure.ALL_OLD)
                                      .build())));
      assertEquals(
          List.of("None", "ConditionalCheckFailed"),
          cancelled.cancellationReasons().stream().map(CancellationReason::code).toList());
      assertEquals(text("paid"), cancelled.cancellationReasons().get(1).item().get("state"));
      assertNull(orders.getItem(openKey));
      orders.deleteTable();
    }
  }
}
