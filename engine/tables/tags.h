// Tags: the rules for keys and values, shared by CreateTable and TagResource, and resource ARNs.
#pragma once

#include <span>
#include <string_view>

#include "engine/call/call.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"

namespace stator {

// Checks a list of {Key, Value}: duplicates, reserved prefix, characters and lengths.
Result<void> check_tags(std::span<const JsonNode> tags);
Error too_many_tags();

// The ResourceArn member of a tag operation: must be present and a table's ARN. `operation` names
// the caller in the classic error.
Result<std::string_view> check_resource_arn(const JsonNode& body, std::string_view operation,
                                            const Call& call);
// The table of such an ARN. ResourceNotFoundException also while it is CREATING or DELETING, as in
// the service's tag calls.
Result<const Table*> tagged_table(std::string_view resource_arn, const Snapshot& snapshot,
                                  const Call& call);

}  // namespace stator
