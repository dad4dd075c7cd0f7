package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stator.conformance.Server.onDemand;
import static stator.conformance.Server.uniqueName;
import static stator.conformance.Server.withTable;
import static stator.conformance.Values.item;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.DestinationStatus;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException;
import software.amazon.awssdk.services.kinesis.model.Shard;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/** A consumer of the stream of Kinesis to which a table sends its changes. */
class KinesisTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final DynamoDbClient client = Server.client();

  /** The client speaks CBOR to Kinesis by default. */
  private static KinesisClient kinesis(boolean speaksCbor) {
    System.setProperty("aws.cborEnabled", Boolean.toString(speaksCbor));
    return KinesisClient.builder()
        .endpointOverride(Server.endpoint())
        .region(Region.US_EAST_1)
        .credentialsProvider(
            StaticCredentialsProvider.create(AwsBasicCredentials.create("conformance", "conformance")))
        .httpClient(UrlConnectionHttpClient.create())
        .build();
  }

  /** Reads all shards until there are as many records. */
  private static List<String> read(KinesisClient kinesis, String stream, int count) {
    List<String> iterators = new ArrayList<>();
    for (Shard shard : kinesis.listShards(b -> b.streamName(stream)).shards()) {
      iterators.add(
          kinesis
              .getShardIterator(
                  b -> b.streamName(stream).shardId(shard.shardId()).shardIteratorType(ShardIteratorType.TRIM_HORIZON))
              .shardIterator());
    }
    List<String> found = new ArrayList<>();
    Instant end = Instant.now().plus(DEADLINE);
    while (found.size() < count && Instant.now().isBefore(end)) {
      for (int number = 0; number < iterators.size(); number++) {
        String iterator = iterators.get(number);
        var page = kinesis.getRecords(b -> b.shardIterator(iterator));
        iterators.set(number, page.nextShardIterator());
        for (var record : page.records()) {
          found.add(record.data().asUtf8String());
          // Other tests move the server's time ahead.
          Instant arrived = record.approximateArrivalTimestamp();
          assertTrue(arrived.isAfter(Instant.now().minus(Duration.ofMinutes(5))), arrived.toString());
          assertTrue(arrived.isBefore(Instant.now().plus(Duration.ofDays(36_500))), arrived.toString());
        }
      }
    }
    return found;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aConsumerGetsTheChangesOfATable(boolean speaksCbor) {
    String stream = uniqueName();
    try (KinesisClient kinesis = kinesis(speaksCbor)) {
      kinesis.createStream(b -> b.streamName(stream).shardCount(2));
      String arn = kinesis.describeStreamSummary(b -> b.streamName(stream)).streamDescriptionSummary().streamARN();
      withTable(client, onDemand(), table -> {
        client.enableKinesisStreamingDestination(b -> b.tableName(table).streamArn(arn));
        var destinations = client.describeKinesisStreamingDestination(b -> b.tableName(table));
        assertEquals(
            DestinationStatus.ACTIVE, destinations.kinesisDataStreamDestinations().get(0).destinationStatus());
        for (String key : List.of("a", "b", "c")) {
          client.putItem(b -> b.tableName(table).item(item(key)));
        }
        List<String> changes = read(kinesis, stream, 3);
        assertEquals(3, changes.size());
        for (String key : List.of("a", "b", "c")) {
          String image = "\"NewImage\":{\"pk\":{\"S\":\"" + key + "\"}}";
          assertTrue(changes.stream().anyMatch(change -> change.contains(image)), changes.toString());
        }
        assertTrue(changes.stream().allMatch(change -> change.contains("\"eventName\":\"INSERT\"")));
      });
      ResourceNotFoundException missing = assertThrows(
          ResourceNotFoundException.class, () -> kinesis.listShards(b -> b.streamName("missing")));
      assertEquals(400, missing.statusCode());
      kinesis.deleteStream(b -> b.streamName(stream));
    }
  }
}
