#include "engine/operations/tags/tag_requests.h"

#include "engine/state/snapshot.h"

namespace stator {

Result<void> check_tag_body(const JsonNode& body, const TypeSpec& shape, Call& call) {
  STATOR_CHECK(check_types(body, shape));
  if (body.find("ResourceArn") == nullptr) return Error::validation("Invalid TableArn");
  call.table_name = table_name_of(*string_member(body, "ResourceArn"));
  return check_constraints(body, shape, call.wording);
}

}  // namespace stator
