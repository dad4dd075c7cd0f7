#include "engine/operations/batches/batch_requests.h"

#include <string>

#include "engine/operations/operation.h"
#include "protocol/errors/rule.h"
#include "protocol/expression/legacy/legacy_entries.h"

namespace stator {

Result<void> check_batch(const JsonNode& body, const TypeSpec& shape, const TypeSpec& classic_shape,
                         const Call& call) {
  STATOR_CHECK(check_types(body, shape));
  const bool is_classic = call.wording.profile == Profile::Classic;
  STATOR_CHECK(check_constraints(body, is_classic ? classic_shape : shape, call.wording));
  if (body.find("RequestItems")->members().empty()) {
    return Error::validation("The requestItems parameter is required for " +
                             std::string(call.operation->name))
        .with_rule(Rule::MemberRequired, {"requestItems"});
  }
  return {};
}

std::vector<const JsonMember*> batch_entries(const JsonNode& body) {
  return expr::effective_members(*body.find("RequestItems"));
}

Error too_many_items(const Call& call) {
  const bool is_read = call.operation->name == "BatchGetItem";
  return Error::validation("Too many items requested for the " + std::string(call.operation->name) +
                           " call")
      .with_rule(is_read ? Rule::BatchReads : Rule::BatchWrites);
}

Error duplicate_keys() {
  return Error::validation("Provided list of item keys contains duplicates")
      .with_rule(Rule::BatchItemOnce);
}

}  // namespace stator
