package stator.conformance;

import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.kinesis.worker.metric.OperatingRange;
import software.amazon.kinesis.worker.metric.WorkerMetric;
import software.amazon.kinesis.worker.metric.WorkerMetricType;

/** What the library is told instead of the load of the processor: so much for each shard, so it evens out shards. */
final class Load implements WorkerMetric {
  private final AtomicInteger shards = new AtomicInteger();

  void add(int change) {
    shards.addAndGet(change);
  }

  @Override
  public String getShortName() {
    return WorkerMetricType.CPU.getShortName();
  }

  @Override
  public WorkerMetricValue capture() {
    return WorkerMetricValue.builder().value(Math.min(90.0, 20.0 * shards.get())).build();
  }

  @Override
  public OperatingRange getOperatingRange() {
    return OperatingRange.builder().maxUtilization(95).build();
  }

  @Override
  public WorkerMetricType getWorkerMetricType() {
    return WorkerMetricType.CPU;
  }
}
