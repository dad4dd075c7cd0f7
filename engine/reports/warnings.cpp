#include "engine/reports/warnings.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>

#include "engine/catalog/catalog.h"
#include "engine/storage/environment/leader_owned.h"

namespace stator {
namespace {

constexpr std::size_t kHintsMax = 1000;
// Prefix of hints about tables in other Regions. Clients can invent any number of names.
constexpr const char* kMissingTable = "table missing\n";
constexpr std::ptrdiff_t kMissingTablesMax = 100;
constexpr std::size_t kScopesNamedMax = 5;

}  // namespace

void Warnings::batch_failed(const Error& failure, const storage::Environment& environment) {
  assert(storage::is_leading());
  const storage::FreeSpace room = environment.room();
  const std::string why = environment.why_writing_ended();
  if (!why.empty()) {
    if (std::exchange(told_that_writing_ended_, true)) return;
    warn_("writing has ended, " + why +
          (environment.data_is_removed()
               ? "; reads return what was there"
               : "; reads continue, a restart recovers the last good state"));
  } else if (room == storage::FreeSpace::None) {
    if (std::exchange(is_full_, true)) return;
    warn_("there is no room for writes, each gets status 500; deleting goes on (" +
          failure.message() + ")");
  } else if (storage::is_damage(failure)) {
    warn_once("writes could not be stored: " + failure.message());
  } else if (room != storage::FreeSpace::Made) {
    warn_("writes could not be stored: " + failure.message());
  }
}

bool Warnings::batch_committed(const storage::Environment& environment) {
  assert(storage::is_leading());
  if (!is_full_ || !environment.has_ample_space()) return false;
  is_full_ = false;
  warn_("disk space is available again: writes are accepted");
  return true;
}

void Warnings::damage_met(const Call& call, const storage::DamagedData& damage) {
  const std::string where =
      call.table_name.empty() ? "" : "table '" + std::string(call.table_name) + "': ";
  warn_once(where + damage.what() + "; requests that read it fail with status 500");
}

bool Warnings::is_first(const std::string& hint) {
  const std::lock_guard lock(hints_mutex_);
  return hints_given_.size() < kHintsMax && hints_given_.insert(hint).second;
}

void Warnings::table_missing(const Catalog& tables, std::string_view scope, std::string_view name) {
  std::string others;
  std::size_t count = 0;
  tables.scopes().for_each([&](const std::string& other_scope, const Catalog::Names& names) {
    if (other_scope == scope || names.find(name) == nullptr || ++count > kScopesNamedMax) return;
    if (!others.empty()) others += ", ";
    others += other_scope;
  });
  if (count == 0) return;
  if (count > kScopesNamedMax)
    others += " and " + std::to_string(count - kScopesNamedMax) + " more";
  bool is_last = false;
  {
    const std::lock_guard lock(hints_mutex_);
    const std::string mark = kMissingTable;
    const auto first = hints_given_.lower_bound(mark);
    const auto is_other = [&mark](const std::string& hint) { return !hint.starts_with(mark); };
    const auto given = std::distance(first, std::find_if(first, hints_given_.end(), is_other));
    if (given >= kMissingTablesMax) return;
    if (!hints_given_.insert(mark + std::string(scope) + '\n' + std::string(name)).second) return;
    is_last = given + 1 == kMissingTablesMax;
  }
  const std::string what =
      settings_.isolation == Isolation::Key ? "access key and Region" : "Region";
  warn_("table '" + std::string(name) + "' not found for " + what + " '" + std::string(scope) +
        "', but it exists for: " + others);
  if (is_last) {
    warn_("further tables that exist for another " + what +
          " than the one asked for are not reported");
  }
}

}  // namespace stator
