// Warnings: lines for the user's log beside the responses, each as often as it is useful.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/call/call.h"
#include "engine/call/settings.h"
#include "engine/reports/warn.h"
#include "engine/state/snapshot.h"
#include "engine/storage/bytes/damage.h"
#include "engine/storage/environment/environment.h"
#include "protocol/errors/error.h"

namespace stator {

class Warnings final : public MissingTableListener {
 public:
  // `settings` must outlive this.
  Warnings(const Settings& settings, Warn warn) : settings_(settings), warn_(std::move(warn)) {}

  // Any thread.
  void tell(const std::string& line) { warn_(line); }
  void warn_once(const std::string& line) {
    if (is_first(line)) warn_(line);
  }
  // One line per table and kind of damage, not per request.
  void damage_met(const Call& call, const storage::DamagedData& damage);
  // One line per name, if another scope has a table of that name: the usual mistake in local
  // development is a wrong Region.
  void table_missing(const Catalog& tables, std::string_view scope, std::string_view name) override;

  // For the leader. Logs each failure; of a failure that lasts, such as a full disk, only the
  // beginning.
  void batch_failed(const Error& failure, const storage::Environment& environment);
  // Whether the last batch found no space.
  bool is_full() const { return is_full_; }
  // Returns whether disk space is available again, so that writes succeed since this batch.
  bool batch_committed(const storage::Environment& environment);

 private:
  bool is_first(const std::string& hint);

  const Settings& settings_;
  const Warn warn_;

  // Used by the leader only.
  bool told_that_writing_ended_ = false;
  bool is_full_ = false;

  std::mutex hints_mutex_;
  std::set<std::string> hints_given_;
};

}  // namespace stator
