package stator.conformance;

import com.amazonaws.services.dynamodbv2.streamsadapter.AmazonDynamoDBStreamsAdapterClient;
import com.amazonaws.services.dynamodbv2.streamsadapter.StreamsSchedulerFactory;
import com.amazonaws.services.dynamodbv2.streamsadapter.polling.DynamoDBStreamsPollingConfig;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.cloudwatch.CloudWatchAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;
import software.amazon.kinesis.common.ConfigsBuilder;
import software.amazon.kinesis.common.InitialPositionInStream;
import software.amazon.kinesis.common.InitialPositionInStreamExtended;
import software.amazon.kinesis.coordinator.Scheduler;
import software.amazon.kinesis.leases.LeaseManagementConfig;
import software.amazon.kinesis.metrics.NullMetricsFactory;
import software.amazon.kinesis.processor.StreamTracker;

/**
 * A worker of an application on the Kinesis Client Library: {@code Worker ENDPOINT STREAM_ARN APPLICATION ID
 * POSITION}. Prints what it handles (see {@link Printer}) and ends in an orderly way when its standard input
 * does. All periods of the library are short, so that tests are.
 */
public final class Worker {
  private static final Region REGION = Region.US_EAST_1;
  private static final StaticCredentialsProvider CREDENTIALS =
      StaticCredentialsProvider.create(AwsBasicCredentials.create("conformance", "conformance"));

  private final URI endpoint;
  private final String streamArn;
  private final StreamTracker tracker;
  private final ConfigsBuilder configs;
  private final AmazonDynamoDBStreamsAdapterClient streams;
  private final Load load = new Load();

  private Worker(String[] arguments) {
    endpoint = URI.create(arguments[0]);
    streamArn = arguments[1];
    tracker = StreamsSchedulerFactory.createSingleStreamTracker(streamArn,
        InitialPositionInStreamExtended.newInitialPosition(InitialPositionInStream.valueOf(arguments[4])));
    streams = new AmazonDynamoDBStreamsAdapterClient(DynamoDbStreamsClient.builder().endpointOverride(endpoint)
        .region(REGION).credentialsProvider(CREDENTIALS).httpClient(UrlConnectionHttpClient.create()).build(), REGION);
    DynamoDbAsyncClient leases = DynamoDbAsyncClient.builder().endpointOverride(endpoint)
        .region(REGION).credentialsProvider(CREDENTIALS).build();
    CloudWatchAsyncClient unused = CloudWatchAsyncClient.builder().endpointOverride(endpoint)
        .region(REGION).credentialsProvider(CREDENTIALS).build();
    configs = new ConfigsBuilder(tracker, arguments[2], streams, leases, unused, arguments[3],
        () -> new Printer(arguments[3], load));
  }

  private LeaseManagementConfig leaseManagement() {
    LeaseManagementConfig config = configs.leaseManagementConfig();
    config.failoverTimeMillis(3000).leaseAssignmentIntervalMillis(700L)
        .leasesRecoveryAuditorExecutionFrequencyMillis(500)
        .shardSyncIntervalMillis(0).listShardsCacheAllowedAgeInSeconds(1);
    config.workerUtilizationAwareAssignmentConfig().workerMetricList(List.of(load))
        .inMemoryWorkerMetricsCaptureFrequencyMillis(200).workerMetricsReporterFreqInMillis(1000)
        .noOfPersistedMetricsPerWorkerMetrics(1).workerMetricsEMAAlpha(1).varianceBalancingFrequency(3);
    return config;
  }

  private Scheduler scheduler(LeaseManagementConfig leaseManagement) {
    DynamoDBStreamsPollingConfig polling = new DynamoDBStreamsPollingConfig(streamArn, streams);
    polling.idleTimeBetweenReadsInMillis(200);
    polling.maxRecords(10);
    return StreamsSchedulerFactory.createScheduler(configs.checkpointConfig(),
        configs.coordinatorConfig().parentShardPollIntervalMillis(200).shardConsumerDispatchPollIntervalMillis(100)
            .skipShardSyncAtWorkerInitializationIfLeasesExist(true),
        leaseManagement,
        configs.lifecycleConfig().taskBackoffTimeMillis(100),
        configs.metricsConfig().metricsFactory(new NullMetricsFactory()),
        configs.processorConfig(),
        configs.retrievalConfig().retrievalSpecificConfig(polling),
        streams);
  }

  /** Does at once what an application's first worker does after a random time of up to 30 seconds. */
  private void makeLeases(LeaseManagementConfig leaseManagement) throws Exception {
    var factory = leaseManagement.leaseManagementFactory();
    var leases = factory.createLeaseRefresher();
    leases.createLeaseTableIfNotExists();
    leases.waitUntilLeaseTableExists(1, 30);
    if (leases.isLeaseTableEmpty()) {
      var stream = tracker.streamConfigList().get(0);
      var result = factory.createShardSyncTaskManager(new NullMetricsFactory(), stream, null).callShardSyncTask();
      if (result.getException() != null) {
        throw result.getException();
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    Worker worker = new Worker(arguments);
    LeaseManagementConfig leaseManagement = worker.leaseManagement();
    Scheduler scheduler = worker.scheduler(leaseManagement);
    worker.makeLeases(leaseManagement);
    new Thread(scheduler, "scheduler").start();
    waitForEndOfInput();
    boolean done = false;
    try {
      done = scheduler.startGracefulShutdown().get(30, TimeUnit.SECONDS);
    } finally {
      System.exit(done ? 0 : 1); // threads of the library would go on
    }
  }

  private static void waitForEndOfInput() throws IOException {
    while (System.in.read() >= 0) {
      // Whatever comes is no matter.
    }
  }
}
