// What the requests of the three tag operations share.
#pragma once

#include <span>
#include <string_view>

#include "engine/call/call.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/shapes/shape.h"

namespace stator {

// Views into the request's body.
struct TagRequest {
  std::string_view resource_arn;
  std::span<const JsonNode> elements;  // tags or keys; empty for ListTagsOfResource
};

// Checks types, presence of ResourceArn and constraints, in the service's order. Sets the call's
// table name.
Result<void> check_tag_body(const JsonNode& body, const TypeSpec& shape, Call& call);

}  // namespace stator
