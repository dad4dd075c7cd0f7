// KinesisClient: requests to a server of Kinesis, one after the other, signed, in JSON over
// HTTP/1.1. It does not retry: its caller knows what repeating does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/outbox/kinesis_queue.h"
#include "server/client/endpoint.h"
#include "server/client/http_connection.h"

namespace stator {

// A stream on that server.
struct RemoteStream {
  std::string_view arn;
  std::string_view name;
  std::string_view region;
};

class KinesisClient {
 public:
  explicit KinesisClient(data::Endpoint endpoint);

  enum class Look : std::uint8_t {
    Active,
    Refused,   // it is not there or not ACTIVE, or this client may not use it
    NoAnswer,  // nothing is known
  };
  Look look_at(const RemoteStream& stream);

  struct Put {
    std::vector<bool> taken;  // a flag for each record
    bool is_invalid = false;  // the server will never take the request as it is
    std::string why;          // if not all were taken: why, in a few words
  };
  Put put(const RemoteStream& stream, const std::vector<const KinesisQueueRecord*>& records);

  // Ends the request in flight, and each later one at once, as failed. From any thread.
  void interrupt() { connection_.interrupt(); }

  // "http://localhost:4566"
  std::string address() const;

 private:
  tl::expected<HttpClientResponse, HttpClientError> ask(std::string_view operation,
                                                        const RemoteStream& stream,
                                                        const std::string& body);

  const data::Endpoint endpoint_;
  const std::string host_;
  HttpConnection connection_;
};

}  // namespace stator
