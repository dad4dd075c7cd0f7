// Warnings: what an engine tells its user beside its answers, each thing as often as it is of use.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/call/call.h"
#include "engine/call/settings.h"
#include "engine/state/snapshot.h"
#include "engine/storage/damage.h"
#include "engine/storage/environment.h"
#include "protocol/error.h"

namespace stator {

// Where the engine tells what a user should see; the server writes it to its log. Called from any
// thread.
using Warn = std::function<void(const std::string& line)>;

class Warnings final : public MissingTableListener {
 public:
  // `settings` must outlive it.
  Warnings(const Settings& settings, Warn warn) : settings_(settings), warn_(std::move(warn)) {}

  // Any thread.
  void tell(const std::string& line) { warn_(line); }
  void tell_once(const std::string& line) {
    if (is_first(line)) warn_(line);
  }
  // A line for each table and kind of damage, not for each request that meets it.
  void damage_met(const Call& call, const storage::DamagedData& damage);
  // One for each name, when another scope has a table of that name: the usual mistake in local
  // development is a wrong Region.
  void table_missing(const Catalog& tables, std::string_view scope, std::string_view name) override;

  // The commit queue's leader. Each failure is told, but of states that last only their beginning.
  void batch_failed(const Error& failure, const storage::Environment& environment);
  // Returns whether there is room for writes again since this batch.
  bool batch_committed(const storage::Environment& environment);

 private:
  bool is_first(const std::string& hint);

  const Settings& settings_;
  const Warn warn_;

  // The leader's.
  bool told_that_writing_ended_ = false;
  bool is_full_ = false;

  std::mutex hints_mutex_;
  std::set<std::string> hints_given_;
};

}  // namespace stator
