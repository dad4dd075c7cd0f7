#include "engine/operations/items/projection_requests.h"

#include "engine/operations/request_members.h"
#include "protocol/expression/legacy/legacy_projection.h"
#include "protocol/shapes/shape.h"

namespace stator {

Result<void> check_projection_parameters(const JsonNode& node, Wording wording) {
  STATOR_CHECK(check_not_mixed(node, {"AttributesToGet"}, {"ProjectionExpression"}, wording));
  return expr::Placeholders::check_wanted(node, node.find("ProjectionExpression") != nullptr, {},
                                          wording);
}

Result<const expr::Projection*> parse_lookup_projection(const JsonNode& node, Call& call) {
  STATOR_TRY(const expr::Projection* attributes, expr::read_attributes_to_get(node, call.arena));
  const auto text = string_member(node, "ProjectionExpression");
  if (!text) return attributes;
  STATOR_TRY(auto placeholders,
             expr::Placeholders::read_names(node, call.wording, call.arena, call.expressions));
  STATOR_TRY(const expr::Projection* projection,
             expr::parse_projection(*text, placeholders, call.wording, call.arena));
  STATOR_CHECK(placeholders.check_all_used(call.wording));
  return projection;
}

Resource touched_lookup(std::string_view table_name, Item key, const expr::Projection* projection) {
  return {.table = table_name,
          .key = key,
          .key_source = KeySource::ItemKey,
          .projection = projection,
          .select = projection != nullptr ? "SPECIFIC_ATTRIBUTES" : "ALL_ATTRIBUTES"};
}

}  // namespace stator
