// Any text as a rule for faults: what is read fits requests or does not, its text is the same rule
// again, and what is refused has its reason.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/api/operation_table.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/faults/decision.h"
#include "server/faults/matching.h"
#include "server/faults/rule_reader.h"
#include "streams/operations.h"

namespace {

using namespace stator;

void demand(bool holds) {
  if (!holds) std::abort();
}

const OperationTable& all_operations() {
  static const OperationTable operations(all_families());
  return operations;
}

faults::ReadRule rule_of(std::string text) {
  Arena arena;
  const auto json = read_json(text, arena);
  if (!json) return tl::unexpected(std::string("no JSON"));
  return faults::read_rule(*json, all_operations().rows());
}

// A request of each operation, on one item.
void try_requests(const faults::FaultRule& rule) {
  const Member key[] = {{"pk", Value::string("user#1")}};
  for (const Operation& operation : all_operations().rows()) {
    faults::RequestFacts facts;
    facts.operation = operation.name;
    facts.resources = {{.table = "orders", .key = key}};
    facts.is_consistent = false;
    facts.has_token = true;
    if (!fits(rule, facts)) continue;
    const std::uint64_t subject = subject_of(rule, facts);
    fires(rule, 7 ^ subject, Timestamp{0}, {1, 1, Timestamp{1}});
    demand(delay_of(rule, 7, 1) <= faults::kFaultDelayMax);
    if (std::holds_alternative<faults::FaultUnprocessed>(rule.effect.rest))
      demand(unprocessed_places(rule, facts).size() <= facts.resources.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rule = rule_of(std::string(text));
  if (!rule) {
    demand(!rule.error().empty());
    return 0;
  }
  demand(!rule->effect.name().empty());
  const auto again = rule_of(rule->text);
  demand(again.has_value() && again->text == rule->text);
  try_requests(*rule);
  return 0;
}
