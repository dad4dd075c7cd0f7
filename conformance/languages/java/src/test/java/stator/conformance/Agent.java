package stator.conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.awscore.AwsResponse;
import software.amazon.awssdk.protocols.jsoncore.JsonNode;
import software.amazon.awssdk.protocols.jsoncore.JsonNodeParser;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/**
 * Lets scenarios/ call the server through the AWS SDK for Java v2: one call per line of standard input, one
 * answer per line of standard output (scenarios/sdk.py says what they hold).
 */
final class Agent {
  private static final JsonNodeParser JSON = JsonNode.parser();
  private static final Set<String> OF_STREAMS =
      Set.of("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams");

  private Agent() {}

  private static Map<String, Object> answer(
      DynamoDbClient client, DynamoDbStreamsClient streams, Map<String, JsonNode> asked) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("id", Long.valueOf(asked.get("id").asNumber()));
    try {
      String operation = asked.get("call").asString();
      Class<?> type = Class.forName(DynamoDbRequest.class.getPackageName() + "." + operation + "Request");
      Object request = Convert.toSdk(type, asked.get("input"));
      String method = Character.toLowerCase(operation.charAt(0)) + operation.substring(1);
      boolean isOfStreams = OF_STREAMS.contains(operation);
      Class<?> service = isOfStreams ? DynamoDbStreamsClient.class : DynamoDbClient.class;
      Object called = service.getMethod(method, type).invoke(isOfStreams ? streams : client, request);
      var response = (AwsResponse) called;
      answer.put("output", Convert.fromSdk(response));
      answer.put("status", response.sdkHttpResponse().statusCode());
      answer.put("requestId", response.responseMetadata().requestId());
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof DynamoDbException error && error.awsErrorDetails() != null) {
        answer.put("error", error.awsErrorDetails().errorCode());
        answer.put("message", error.awsErrorDetails().errorMessage());
        if (error instanceof TransactionCanceledException cancelled) {
          answer.put("reasons", Convert.fromSdk(cancelled.cancellationReasons()));
        }
        String code = error.awsErrorDetails().errorCode();
        String name = error.getClass().getSimpleName(); // ends in Exception, whether the code does or not
        answer.put("typed", name.equals(code) || name.equals(code + "Exception"));
        answer.put("status", error.statusCode());
        answer.put("requestId", error.requestId());
      } else {
        answer.put("broken", e.getCause().toString());
      }
    } catch (ReflectiveOperationException | RuntimeException e) {
      answer.put("broken", e.toString());
    }
    return answer;
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    var output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    ExecutorService threads = Executors.newCachedThreadPool();
    // The SDK's own setting, which its client of DynamoDB does not read.
    String attempts = System.getenv("AWS_MAX_ATTEMPTS");
    try (DynamoDbClient client = attempts == null ? Server.client() : FaultRules.client(Integer.parseInt(attempts));
        DynamoDbStreamsClient streams = Server.streams(client)) {
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        Map<String, JsonNode> asked = JSON.parse(line).asObject();
        threads.execute(
            () -> {
              String answer = Convert.toJson(answer(client, streams, asked));
              synchronized (output) {
                output.println(answer);
              }
            });
      }
      threads.shutdown();
      threads.awaitTermination(1, TimeUnit.MINUTES);
    }
  }
}
