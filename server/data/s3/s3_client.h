// S3Client: requests to a server of S3, one after the other, signed and retried.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/seams/random.h"
#include "server/client/endpoint.h"
#include "server/client/http_connection.h"
#include "server/data/objects/object_store.h"

namespace stator::data {

struct S3Request {
  std::string_view method;
  std::string_view bucket;
  std::string_view key = {};           // empty: the bucket itself
  std::string query = {};              // encoded, in the order of its names; each has a "="
  std::vector<HttpField> fields = {};  // besides those of the signature
  std::string_view body = {};
  std::size_t response_bytes_max = std::size_t{1} << 20;
};

// Why there is no response that a caller can use.
struct S3Error {
  StoreFailure failure;
  unsigned status = 0;  // 0: the server did not respond
  std::string code = {};
};

class S3Client {
 public:
  explicit S3Client(Endpoint endpoint);

  // Returns a response with a status of 2xx, which has no <Error>. Retries what may pass: errors of
  // the server, throttling, a connection that breaks, once a lack of a response. All pauses
  // together are a few seconds.
  tl::expected<HttpClientResponse, S3Error> ask(const S3Request& request);

  // Asks once, soon and without a look at the response, even after interrupt().
  void tell(const S3Request& request);

  // Ends ask(), and each later one at once, as failed. From any thread.
  void interrupt();
  bool is_interrupted();

  // "http://localhost:9000/bucket"
  std::string where(std::string_view bucket) const;
  // "http://localhost:9000 answered status 200, is it an endpoint of S3?"
  S3Error not_s3(unsigned status, std::string_view why) const;

 private:
  struct Attempt;
  Attempt attempt(const S3Request& request, HttpConnection& connection);
  bool wait_interrupted(std::chrono::milliseconds time);

  const Endpoint endpoint_;
  const std::string host_;
  HttpConnection connection_;
  SystemRandom random_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_interrupted_ = false;  // guarded by mutex_
};

}  // namespace stator::data
