package stator.conformance;

import com.amazonaws.services.dynamodbv2.streamsadapter.adapter.DynamoDBStreamsClientRecord;
import com.amazonaws.services.dynamodbv2.streamsadapter.model.DynamoDBStreamsProcessRecordsInput;
import com.amazonaws.services.dynamodbv2.streamsadapter.processor.DynamoDBStreamsShardRecordProcessor;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.kinesis.lifecycle.events.InitializationInput;
import software.amazon.kinesis.lifecycle.events.LeaseLostInput;
import software.amazon.kinesis.lifecycle.events.ShardEndedInput;
import software.amazon.kinesis.lifecycle.events.ShutdownRequestedInput;
import software.amazon.kinesis.processor.RecordProcessorCheckpointer;

/**
 * Handles the records of one shard by printing them. Each line is the monotonic time of the machine, the
 * worker, what happened, the shard, and for a record its sequence number, key and counter. After every third
 * batch it keeps how far it came, so that a worker that dies leaves something to be repeated.
 */
final class Printer implements DynamoDBStreamsShardRecordProcessor {
  private static final int BATCHES_PER_CHECKPOINT = 3;

  private final String worker;
  private final Load load;
  private String shard;
  private int batches;

  Printer(String worker, Load load) {
    this.worker = worker;
    this.load = load;
  }

  private void print(String what, Object... more) {
    StringBuilder line = new StringBuilder();
    line.append(System.nanoTime()).append(' ').append(worker).append(' ').append(what).append(' ').append(shard);
    for (Object one : more) {
      line.append(' ').append(one);
    }
    System.out.println(line); // one call, one line: shards have threads of their own
  }

  @Override
  public void initialize(InitializationInput input) {
    shard = input.shardId();
    load.add(1);
    print("begins", input.extendedSequenceNumber().sequenceNumber());
  }

  @Override
  public void processRecords(DynamoDBStreamsProcessRecordsInput input) {
    for (DynamoDBStreamsClientRecord record : input.records()) {
      var change = record.getRecord().dynamodb();
      Map<String, AttributeValue> image = change.newImage();
      print("record", change.sequenceNumber(), image.get("pk").s(), image.get("n").n());
    }
    if (input.records().isEmpty()) {
      return;
    }
    if (++batches % BATCHES_PER_CHECKPOINT == 0) {
      checkpoint(input.checkpointer(), "keeps");
    } else {
      print("holds");
    }
  }

  @Override
  public void leaseLost(LeaseLostInput input) {
    load.add(-1);
    print("loses");
  }

  @Override
  public void shardEnded(ShardEndedInput input) {
    load.add(-1);
    checkpoint(input.checkpointer(), "ends");
  }

  @Override
  public void shutdownRequested(ShutdownRequestedInput input) {
    checkpoint(input.checkpointer(), "leaves");
  }

  private void checkpoint(RecordProcessorCheckpointer checkpointer, String what) {
    try {
      checkpointer.checkpoint();
    } catch (Exception failure) {
      throw new IllegalStateException(failure);
    }
    print(what);
  }
}
