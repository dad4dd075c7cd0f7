#include "engine/warnings.h"

#include "engine/storage/headroom.h"

namespace stator {
namespace {

constexpr std::size_t kHintsMax = 1000;

}  // namespace

void Warnings::batch_failed(const Error& failure, const storage::Environment& environment) {
  const storage::Room room = environment.room();
  const std::string why = environment.why_writing_ended();
  if (!why.empty()) {
    if (std::exchange(told_that_writing_ended_, true)) return;
    warn_("writing has ended, " + why +
          (environment.data_is_removed()
               ? "; what is read is all there was"
               : "; reads go on, a restart recovers the last good state"));
  } else if (room == storage::Room::None) {
    if (std::exchange(is_full_, true)) return;
    warn_("there is no room for writes, each gets status 500; deleting goes on (" +
          failure.message() + ")");
  } else if (storage::is_damage(failure)) {
    tell_once("writes could not be stored: " + failure.message());
  } else if (room != storage::Room::Made) {
    warn_("writes could not be stored: " + failure.message());
  }
}

bool Warnings::batch_committed(const storage::Environment& environment) {
  if (!is_full_ || !environment.has_ample_room()) return false;
  is_full_ = false;
  warn_("there is room for writes again");
  return true;
}

void Warnings::damage_met(const Call& call, const storage::DamagedData& damage) {
  const std::string where =
      call.table_name.empty() ? "" : "table '" + std::string(call.table_name) + "': ";
  tell_once(where + damage.what() + "; requests that meet it get status 500");
}

bool Warnings::is_first(const std::string& hint) {
  const std::lock_guard lock(hints_mutex_);
  return hints_given_.size() < kHintsMax && hints_given_.insert(hint).second;
}

void Warnings::table_missing(const Catalog& tables, std::string_view scope, std::string_view name) {
  std::string others;
  tables.scopes().for_each([&](const std::string& other_scope, const Catalog::Names& names) {
    if (other_scope == scope || names.find(name) == nullptr) return;
    if (!others.empty()) others += ", ";
    others += other_scope;
  });
  if (others.empty()) return;
  if (!is_first(std::string(scope) + '\n' + std::string(name))) return;
  const std::string_view what =
      settings_.isolation == Isolation::Key ? "access key and Region" : "Region";
  warn_("table '" + std::string(name) + "' not found for " + std::string(what) + " '" +
        std::string(scope) + "', but it exists for: " + others);
}

}  // namespace stator
