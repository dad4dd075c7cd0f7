package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static stator.conformance.Server.onDemand;
import static stator.conformance.Server.withTable;
import static stator.conformance.Values.item;

import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.ExportDescription;
import software.amazon.awssdk.services.dynamodb.model.ExportStatus;
import software.amazon.awssdk.services.dynamodb.model.ImportTableDescription;
import software.amazon.awssdk.services.dynamodb.model.InputCompressionType;
import software.amazon.awssdk.services.dynamodb.model.InputFormat;
import software.amazon.awssdk.services.dynamodb.model.Select;
import software.amazon.awssdk.services.dynamodb.waiters.DynamoDbWaiter;

/** Exports and imports with the SDK's waiters and paginators. */
class JobsTest {
  private static final int ITEMS = 20;

  @BeforeAll
  static void needsBuckets() {
    assumeTrue(System.getenv("STATOR_BUCKETS") != null, "needs the buckets of a server that the suite starts");
  }

  /** Hands the body a client and the ARN of a table with items and recovery. */
  private static void withFilledTable(BiConsumer<DynamoDbClient, String> body) {
    try (DynamoDbClient client = Server.client()) {
      withTable(client, onDemand(), table -> {
        client.updateContinuousBackups(b -> b.tableName(table)
            .pointInTimeRecoverySpecification(p -> p.pointInTimeRecoveryEnabled(true)));
        for (int i = 0; i < ITEMS; i++) {
          String key = "k" + i;
          client.putItem(b -> b.tableName(table).item(item(key)));
        }
        body.accept(client, client.describeTable(b -> b.tableName(table)).table().tableArn());
      });
    }
  }

  private static DynamoDbWaiter waiter(DynamoDbClient client) {
    return DynamoDbWaiter.builder().client(client)
        .overrideConfiguration(o -> o.maxAttempts(120).backoffStrategyV2(BackoffStrategy.fixedDelay(Duration.ofSeconds(1))))
        .build();
  }

  @Test
  void exportsAreWaitedForListedAndImported() {
    withFilledTable((client, arn) -> {
      DynamoDbWaiter waiter = waiter(client);
      ExportDescription ended = null;
      for (String prefix : List.of("java/first", "java/second")) {
        ExportDescription begun = client.exportTableToPointInTime(
            b -> b.tableArn(arn).s3Bucket("bucket").s3Prefix(prefix)).exportDescription();
        assertEquals(ExportStatus.IN_PROGRESS, begun.exportStatus());
        ended = waiter.waitUntilExportCompleted(b -> b.exportArn(begun.exportArn()))
            .matched().response().orElseThrow().exportDescription();
      }
      assertEquals(ITEMS, ended.itemCount());
      assertEquals(2, client.listExportsPaginator(b -> b.tableArn(arn).maxResults(1)).stream()
          .mapToInt(page -> page.exportSummaries().size()).sum());

      String manifest = ended.exportManifest();
      CreateTableRequest table = onDemand().build();
      ImportTableDescription begun = client.importTable(b -> b
          .s3BucketSource(s -> s.s3Bucket("bucket").s3KeyPrefix(manifest.substring(0, manifest.lastIndexOf('/')) + "/data/"))
          .inputFormat(InputFormat.DYNAMODB_JSON).inputCompressionType(InputCompressionType.GZIP)
          .tableCreationParameters(t -> t.tableName(table.tableName()).keySchema(table.keySchema())
              .attributeDefinitions(table.attributeDefinitions()).billingMode(table.billingMode())))
          .importTableDescription();
      waiter.waitUntilImportCompleted(b -> b.importArn(begun.importArn()));
      assertEquals(ITEMS, client.scan(b -> b.tableName(table.tableName()).select(Select.COUNT)).count());
      assertEquals(1, client.listImportsPaginator(b -> b.tableArn(begun.tableArn()).pageSize(1)).stream()
          .mapToInt(page -> page.importSummaryList().size()).sum());
      client.deleteTable(b -> b.tableName(table.tableName()));
    });
  }

  @Test
  void aWaiterLearnsOfAFailure() {
    withFilledTable((client, arn) -> {
      String begun = client.exportTableToPointInTime(b -> b.tableArn(arn).s3Bucket("nobucket"))
          .exportDescription().exportArn();
      SdkClientException error = assertThrows(SdkClientException.class,
          () -> waiter(client).waitUntilExportCompleted(b -> b.exportArn(begun)));
      assertTrue(error.getMessage().contains("failure"), error.getMessage());
      ExportDescription ended = client.describeExport(b -> b.exportArn(begun)).exportDescription();
      assertEquals("S3NoSuchBucket", ended.failureCode());
    });
  }
}
