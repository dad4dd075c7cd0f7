// Operation: one row of the table of operations, made by define<T>() (define.h) from a struct that
// has name, layer, parse, execute and resources.
//
//   struct GetItem {
//     static constexpr std::string_view name = "GetItem";
//     static constexpr Layer layer = Layer::Bare;
//     struct Request { … };  // trivially destructible, lives in the call's arena
//     // Every error that needs no stored data.
//     static Result<const Request*> parse(const JsonNode& body, Call& call);
//     // A read has the first, a write the second. An operation that can be either has both, and
//     // says of a parsed request which: static Access access(const Request& request);
//     static Result<void> execute(const Request&, const Snapshot&, Call& call);
//     static Result<void> execute(const Request&, const Snapshot&, Mutation&, Call& call);
//     // What the request touches, and so the permissions that it needs. At least one resource,
//     even
//     // if that is only the account (Reach).
//     static void resources(const Request& request, Resources& touched);
//     // Left out where no request only makes room; a function of the request where some do.
//     static constexpr bool only_frees_space = true;
//   };
//
// `execute` renders its response into call.reply. It is plain synchronous code and changes only the
// Mutation that it fills.
#pragma once

#include <span>
#include <string_view>

#include "engine/call/call.h"
#include "engine/operations/resources.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/service/wording.h"

namespace stator {

class Mutation;
class Snapshot;

struct ParsedRequest {
  const void* request;
  Access access;
};

struct Operation {
  std::string_view name;  // "GetItem"
  Layer layer;
  // Converts a JSON body to a typed request in call.arena.
  Result<ParsedRequest> (*parse)(const JsonNode& body, Call& call);
  // nullptr if no request of the operation has that access.
  Result<void> (*read)(const void* request, const Snapshot& snapshot, Call& call);
  Result<void> (*write)(const void* request, const Snapshot& snapshot, Mutation& mutation,
                        Call& call);
  // Appends the resources of a parsed request, in its order.
  void (*resources)(const void* request, Resources& touched);
  // Whether a parsed request only frees space, so that a full store does not reject it.
  bool (*only_frees_space)(const void* request) = [](const void*) { return false; };
};

// Operations that belong together, for the table of operations. The rows live as long as the
// program.
struct OperationFamily {
  std::string_view target_prefix;  // in the X-Amz-Target header, with its dot
  std::span<const Operation> rows;
};

inline constexpr std::string_view kDynamoDbTarget = "DynamoDB_20120810.";
inline constexpr std::string_view kKinesisTarget = "Kinesis_20131202.";

}  // namespace stator
