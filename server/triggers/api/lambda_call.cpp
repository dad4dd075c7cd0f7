#include "server/triggers/api/lambda_call.h"

#include <algorithm>
#include <charconv>

#include "server/http/query_text.h"
#include "server/log/log.h"

namespace stator::triggers {

std::optional<std::string> LambdaCall::parameter(std::string_view wanted) const {
  std::optional<std::string> found;
  for_each_parameter(query, [&](std::string_view sent, std::string_view value) {
    if (sent == wanted) found = percent_decoded(value);
    return !found;
  });
  return found;
}

LambdaResult<std::size_t> read_max_items(const LambdaCall& call, std::size_t most) {
  constexpr std::int64_t kItemsMax = 10'000;
  const auto text = call.parameter("MaxItems");
  if (!text) return most;
  std::int64_t items = 0;
  const char* const end = text->data() + text->size();
  const auto [read_to, error] = std::from_chars(text->data(), end, items);
  if (error != std::errc() || read_to != end) return wrong_member_type("MaxItems", "an integer");
  ConstraintList violations;
  violations.check_range("maxItems", items, 1, kItemsMax);
  if (!violations.empty()) return violations.refusal();
  return std::min(static_cast<std::size_t>(items), most);
}

LambdaResult<void> check_uuid(const LambdaCall& call) {
  constexpr std::size_t kUuidChars = 36;
  const std::size_t chars = call.name.size();
  if (chars == kUuidChars) return {};
  ConstraintList violations;
  violations.add("uUID", call.name,
                 chars < kUuidChars ? "Member must have length greater than or equal to 36"
                                    : "Member must have length less than or equal to 36");
  return violations.refusal();
}

LambdaRefusal store_failure(const Error& error) {
  log::warn(
      std::string("the event source mappings cannot be read or written: ").append(error.message()));
  return lambda_failure();
}

}  // namespace stator::triggers
