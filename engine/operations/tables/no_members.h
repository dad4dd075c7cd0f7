// NoMembers: the request of an operation that has no members.
#pragma once

#include "engine/call/call.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/shapes/shape.h"

namespace stator {

// A base of the operation's struct: accepts any JSON object.
template <const TypeSpec& shape>
struct NoMembers {
  struct Request {};
  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, shape));
    return call.arena.make<Request>();
  }
};

}  // namespace stator
