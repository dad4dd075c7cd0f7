// Operation: one row of the table of operations (table.cpp), made from a struct that has name,
// access, parse and execute.
//
//   struct GetItem {
//     static constexpr std::string_view name = "GetItem";
//     static constexpr Access access = Access::Read;
//     static constexpr Layer layer = Layer::Bare;
//     struct Request { … };                                     // trivially destructible, lives in
//     the call's arena static Result<const Request*> parse(const JsonNode& body, Call& call);   //
//     every error that needs no stored data static Result<void> execute(const Request&, const
//     Snapshot&, Call& call);             // Access::Read static Result<void> execute(const
//     Request&, const Snapshot&, Mutation&, Call& call);  // Access::Write
//   };
//
// `execute` renders its answer into call.reply. It is plain synchronous code and changes nothing
// but the Mutation it fills.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/call/call.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"
#include "protocol/wording.h"

namespace stator {

class Mutation;
class Snapshot;

enum class Access : std::uint8_t { Read, Write };

struct Operation {
  std::string_view name;  // "GetItem"
  Access access;
  Layer layer;
  // JSON body to typed request in call.arena (stored in call.request by the caller of parse).
  Result<const void*> (*parse)(const JsonNode& body, Call& call);
  // One of the two is set, as `access` says.
  Result<void> (*read)(const void* request, const Snapshot& snapshot, Call& call);
  Result<void> (*write)(const void* request, const Snapshot& snapshot, Mutation& mutation,
                        Call& call);
};

// All operations built, sorted by name.
std::span<const Operation> operations();

// The operation named by the X-Amz-Target header ("DynamoDB_20120810.GetItem"), or nullptr.
const Operation* find_operation(std::string_view target);

}  // namespace stator
