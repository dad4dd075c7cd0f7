// JSON-RPC 2.0: what a message is, and the texts of answers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "protocol/json/json_tree.h"

namespace stator::mcp {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kUnsupportedVersion = -32022;

// The longest id of a request, in bytes of JSON: each answer has it.
inline constexpr std::size_t kIdBytesMax = 256;

struct RpcError {
  int code = 0;
  std::string message;    // UTF-8
  std::string data = {};  // JSON; empty: none
};

struct RpcMessage {
  enum class Kind : std::uint8_t { Request, Notification, Response };

  Kind kind = Kind::Request;
  std::string id = {};  // of a request, as JSON
  std::string_view method = {};
  JsonNode params = {};  // an object, empty without parameters
};

// Why a message is none, and the id to answer: "null" if it is unknown.
struct RpcMistake {
  std::string id;
  RpcError error;
};

// The message refers to `node`.
tl::expected<RpcMessage, RpcMistake> read_message(const JsonNode& node);

// Answers, each a line without its break. `result` is JSON.
std::string result_line(std::string_view id, std::string_view result);
std::string error_line(std::string_view id, const RpcError& error);

}  // namespace stator::mcp
