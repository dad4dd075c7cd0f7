package stator.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static stator.conformance.Server.onDemand;
import static stator.conformance.Server.withTable;
import static stator.conformance.Values.item;
import static stator.conformance.Values.text;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.Crc32MismatchException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What happens around a call: checksums, retries, compression, TLS. */
class TransportTest {
  private final DynamoDbClient client = Server.client();

  /** Forwards to the server; the first answer comes back with the given status and its checksum changed. */
  private static final class SpoilingProxy implements AutoCloseable {
    final AtomicInteger requests = new AtomicInteger();
    final URI endpoint;
    private final HttpServer server;

    SpoilingProxy(int firstStatus, long checksumMask) throws IOException {
      Set<String> ownHeaders = Set.of("connection", "content-length", "expect", "host", "upgrade");
      HttpClient forward = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext("/", exchange -> {
        try (exchange) {
          boolean first = requests.incrementAndGet() == 1;
          HttpRequest.Builder request =
              HttpRequest.newBuilder(Server.endpoint())
                  .POST(HttpRequest.BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
          exchange.getRequestHeaders().forEach((name, values) -> {
            if (!ownHeaders.contains(name.toLowerCase(Locale.ROOT))) {
              values.forEach(value -> request.header(name, value));
            }
          });
          HttpResponse<byte[]> answer = forward.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
          answer.headers().map().forEach((name, values) -> {
            if (!ownHeaders.contains(name)) {
              values.forEach(value -> exchange.getResponseHeaders().add(name, value));
            }
          });
          long checksum = Long.parseLong(answer.headers().firstValue("x-amz-crc32").orElseThrow());
          if (first) {
            exchange.getResponseHeaders().set("x-amz-crc32", Long.toString(checksum ^ checksumMask));
          }
          exchange.sendResponseHeaders(first ? firstStatus : answer.statusCode(), answer.body().length);
          exchange.getResponseBody().write(answer.body());
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
      });
      server.start();
      endpoint = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }

  private void putsAtTheSecondAttempt(SpoilingProxy proxy, DynamoDbClient through) {
    withTable(client, onDemand(), table -> {
      through.putItem(b -> b.tableName(table).item(item("again")));
      assertEquals(2, proxy.requests.get());
      assertEquals(item("again"), client.getItem(b -> b.tableName(table).key(item("again"))).item());
    });
  }

  /** Left alone, this SDK reports a wrong checksum at once: that the other tests pass says ours are right. */
  @Test
  void wrongChecksumIsReported() throws IOException {
    try (SpoilingProxy proxy = new SpoilingProxy(200, 1);
        DynamoDbClient through = Server.client(proxy.endpoint)) {
      assertThrows(Crc32MismatchException.class, through::listTables);
      assertEquals(1, proxy.requests.get());
      through.listTables();
      assertEquals(2, proxy.requests.get());
    }
  }

  @Test
  void wrongChecksumIsRetriedWhenAskedFor() throws IOException {
    try (SpoilingProxy proxy = new SpoilingProxy(200, 1);
        DynamoDbClient through =
            Server.builder(proxy.endpoint)
                .overrideConfiguration(
                    o -> o.retryStrategy(r -> r.retryOnException(Crc32MismatchException.class)))
                .build()) {
      putsAtTheSecondAttempt(proxy, through);
    }
  }

  @Test
  void serverErrorIsRetried() throws IOException {
    try (SpoilingProxy proxy = new SpoilingProxy(500, 0);
        DynamoDbClient through = Server.client(proxy.endpoint)) {
      putsAtTheSecondAttempt(proxy, through);
    }
  }

  /** Asks for compressed answers and keeps the last one's head. */
  private static final class Compressing implements ExecutionInterceptor {
    final AtomicReference<SdkHttpResponse> last = new AtomicReference<>();

    @Override
    public SdkHttpRequest modifyHttpRequest(Context.ModifyHttpRequest context, ExecutionAttributes attributes) {
      return context.httpRequest().toBuilder().putHeader("Accept-Encoding", "gzip").build();
    }

    @Override
    public void afterTransmission(Context.AfterTransmission context, ExecutionAttributes attributes) {
      last.set(context.httpResponse());
    }
  }

  /** The SDK checks the checksum over the compressed bytes and would retry on a wrong one. */
  @Test
  void compressedAnswers() {
    Compressing compressing = new Compressing();
    Server.Attempts attempts = new Server.Attempts();
    try (DynamoDbClient compressed = Server.client(compressing, attempts)) {
      withTable(client, onDemand(), table -> {
        Map<String, AttributeValue> big = item("big", "data", text("all work and no play ".repeat(10_000)));
        compressed.putItem(b -> b.tableName(table).item(big));
        assertEquals(big, compressed.getItem(b -> b.tableName(table).key(item("big"))).item());
        assertEquals("gzip", compressing.last.get().firstMatchingHeader("Content-Encoding").orElseThrow());
        String length = compressing.last.get().firstMatchingHeader("Content-Length").orElseThrow();
        assertTrue(Integer.parseInt(length) < 20_000, length);
        assertEquals(1, attempts.of("GetItem"));
      });
    }
  }

  @Test
  void tlsWithSelfSignedCertificate() {
    assumeTrue(Server.TLS_ENDPOINT != null, "no STATOR_TLS_ENDPOINT");
    URI endpoint = URI.create(Server.TLS_ENDPOINT);
    assertEquals("https", endpoint.getScheme());
    try (DynamoDbClient secure = Server.client(endpoint)) {
      withTable(secure, onDemand(), table -> {
        Map<String, AttributeValue> big = item("secret", "data", text("s".repeat(300_000)));
        secure.putItem(b -> b.tableName(table).item(big));
        assertEquals(big, secure.getItem(b -> b.tableName(table).key(item("secret"))).item());
      });
      try (DynamoDbClient suspicious =
          Server.builder(endpoint).httpClient(UrlConnectionHttpClient.create()).build()) {
        SdkClientException error = assertThrows(SdkClientException.class, suspicious::listTables);
        assertTrue(error.getMessage().contains("certification path"), error.getMessage());
      }
    }
  }
}
