#include "engine/pages/read_checks.h"

#include <algorithm>
#include <string>

#include "engine/items/key_paths.h"
#include "protocol/errors/rule.h"

namespace stator {

Result<void> check_paths(const ReadTarget& target, const QueryPlan& plan) {
  const ReadPlan& read = plan.read;
  STATOR_CHECK(check_key_paths(*target.table, read.projection));
  for (const auto keys : {target.partition_keys(), target.sort_keys()}) {
    for (const KeyAttribute& key : keys) {
      const bool is_filtered =
          std::any_of(read.filter_paths.begin(), read.filter_paths.end(),
                      [&](const expr::Path& path) { return path.front().name == key.name; });
      if (!is_filtered || plan.may_filter_keys) continue;
      const std::string member = plan.is_legacy_filter ? "QueryFilter" : "Filter Expression";
      return Error::validation(member +
                               " can only contain non-primary key attributes: Primary key "
                               "attribute: " +
                               key.name)
          .with_rule(Rule::FilterOnKey, {member, key.name});
    }
  }
  STATOR_CHECK(check_selected(target, read));
  STATOR_CHECK(check_key_paths(*target.table, read.filter_paths));
  return check_filter_carried(target, plan);
}

Result<void> check_paths(const ReadTarget& target, const ReadPlan& read) {
  STATOR_CHECK(check_selected(target, read));
  STATOR_CHECK(check_key_paths(*target.table, read.projection));
  return check_key_paths(*target.table, read.filter_paths);
}

}  // namespace stator
