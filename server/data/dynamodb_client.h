// DynamodbClient: calls of DynamoDB's operations at any endpoint, one after the other, repeated
// when that may help.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "engine/seams/random.h"
#include "protocol/arena.h"
#include "protocol/json_tree.h"
#include "server/data/signature.h"
#include "server/http_connection.h"

namespace stator::data {

// Where, and as whom.
struct Endpoint {
  HealthOptions server;
  std::string region;
  Credentials credentials;
  CertificateCheck certificate_check = CertificateCheck::None;
};

struct Failure {
  std::string code;     // "ResourceNotFoundException"; empty: there was no answer of DynamoDB's
  std::string message;  // for people, with the endpoint when there was no answer

  // "ValidationException: One or more …"
  std::string text() const { return code.empty() ? message : code + ": " + message; }
};

class DynamodbClient {
 public:
  // `was_answered`: another client of the endpoint was, so that it is one.
  explicit DynamodbClient(const Endpoint& endpoint, bool was_answered = false);

  // The answer, an object, which lives until the next call. Throttled and failed calls are repeated
  // for about half a minute, with pauses, and those that are not answered in time once: unless no
  // call was ever answered, or the command is interrupted.
  tl::expected<JsonNode, Failure> call(std::string_view operation, std::string_view body);

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  struct Attempt;
  Attempt attempt(std::string_view target, std::string_view body);

  Endpoint endpoint_;
  std::string host_;
  HttpConnection connection_;
  SystemRandom random_;
  bool was_answered_;
  std::string answer_text_;
  Arena arena_;
};

}  // namespace stator::data
