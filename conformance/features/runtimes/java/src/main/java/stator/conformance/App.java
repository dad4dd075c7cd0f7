package stator.conformance;

import com.amazonaws.services.lambda.runtime.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The function for Java. What it does stands in the event's first new item. */
public final class App {
  @SuppressWarnings("unchecked")
  private static Map<String, Object> change(Map<String, Object> record) {
    return (Map<String, Object>) record.get("dynamodb");
  }

  @SuppressWarnings("unchecked")
  private static String how(List<Map<String, Object>> records) {
    Map<String, Map<String, String>> image =
        (Map<String, Map<String, String>>) change(records.get(0)).get("NewImage");
    return image.get("how").get("S");
  }

  @SuppressWarnings("unchecked")
  public Object handle(Map<String, Object> event, Context context) throws InterruptedException {
    List<Map<String, Object>> records = (List<Map<String, Object>>) event.get("Records");
    switch (how(records)) {
      case "fail":
        throw new IllegalArgumentException("no");
      case "hang":
        Thread.sleep(60_000);
        break;
      case "second":
        List<Map<String, Object>> failures = new ArrayList<>();
        for (Map<String, Object> record : records.subList(Math.min(1, records.size()), Math.min(2, records.size()))) {
          failures.add(Map.of("itemIdentifier", change(record).get("SequenceNumber")));
        }
        return Map.of("batchItemFailures", failures);
      case "long":
        return "x".repeat(7_000_000);
      default:
    }
    System.out.println("handles " + records.size() + " " + context.getAwsRequestId());
    return Map.of("count", records.size());
  }
}
