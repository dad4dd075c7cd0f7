// What the flags say about triggers: the functions, where failures go, how to retry.
// The server calls only URLs that are named here.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stator {

// "http://HOST[:PORT][/PATH]"
struct WebTarget {
  bool is_tls = false;
  std::string host;
  std::uint16_t port = 80;
  std::string path;  // with the query; empty: the URL has none
};

// How a function's server reports errors.
enum class FunctionKind : std::uint8_t {
  Api,       // by the header X-Amz-Function-Error or the status
  Emulator,  // by an error object as the body; takes one call at a time
  Runtime,   // has no server: its processes fetch their calls from this one
};

struct FunctionTarget {
  std::string name;  // empty: of --function-default
  WebTarget target;  // not of FunctionKind::Runtime
  FunctionKind kind = FunctionKind::Api;
  unsigned concurrency = 0;  // calls at a time; 0: no limit of its own
  std::chrono::milliseconds timeout{60'000};
};

// How a server takes messages.
enum class SinkKind : std::uint8_t {
  Post,   // as the body of a POST
  Queue,  // as a server of SQS: SendMessage
  Topic,  // as a server of SNS: Publish
};

// Where messages about discarded batches go that name this ARN. A folder or a target is set.
struct FailureSink {
  std::string arn;
  std::string folder;  // gets a file for each message
  std::optional<WebTarget> target;
  SinkKind kind = SinkKind::Post;  // of the target
};

struct TriggerOptions {
  std::vector<FunctionTarget> functions;
  std::optional<FunctionTarget> function_default;
  std::vector<FailureSink> sinks;
  // The texts of the three above, for a list of flags.
  std::vector<std::string> function_texts;
  std::string default_text;
  std::vector<std::string> sink_texts;
  // Whether a mapping must name a function of these flags.
  bool is_strict = false;
  // The first pause after a failed call, which doubles; 0: none.
  std::chrono::milliseconds retry_backoff{500};
};

}  // namespace stator
