// What operations that start a job share: exports, imports and bulk puts. `Store` is that of the
// kind of job, such as storage::Exports.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/operations/transactions/fingerprint.h"
#include "engine/seams/random.h"
#include "engine/state/item_copies.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/error.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"
#include "protocol/shapes/shape.h"

namespace stator {

// Jobs of one kind and scope that may be in progress. Number and text are our own, after those of
// restores.
inline constexpr std::size_t kJobsInProgressMax = 50;

// The member ClientToken, or a token of `random` if the request has none.
inline std::string client_token_of(const JsonNode& body, Random& random) {
  const auto token = string_member(body, "ClientToken");
  return token ? std::string(*token) : random.uuid();
}

// What a repeated request must have in common with the first; empty without a token.
inline std::string job_fingerprint(const JsonNode& body, Arena& arena) {
  if (!string_member(body, "ClientToken")) return {};
  const Fingerprint fingerprint = fingerprint_of(body, arena);
  return {fingerprint.data(), fingerprint.size()};
}

// An id that no job, or backup, of the scope has.
template <class Store>
Result<std::string> new_job_id(std::string_view scope, std::string_view table_name,
                               const Snapshot& snapshot, Random& random) {
  for (;;) {
    std::string id = backup_id(snapshot.now(), static_cast<std::uint32_t>(random.next()));
    STATOR_TRY(const auto taken, Store::find(snapshot.transaction(), scope, id, table_name));
    if (!taken) return id;
  }
}

// The job that a request with this client token started at most `life` ago; empty if there is
// none. Error of `conflict()` if not `is_same(job)`.
template <class Store, class IsSame, class Conflict>
Result<std::optional<typename Store::Value>> find_repeated_job(
    std::string_view scope, std::string_view token, std::chrono::hours life,
    const Snapshot& snapshot, const IsSame& is_same, const Conflict& conflict) {
  std::optional<typename Store::Value> repeated;
  STATOR_CHECK(Store::visit_newest_first(snapshot.transaction(), scope, {},
                                         [&](typename Store::Value&& job) -> Result<bool> {
                                           if (job.started.plus(life) <= snapshot.now())
                                             return false;
                                           if (job.request.client_token != token) return true;
                                           if (!is_same(job)) return conflict();
                                           repeated = std::move(job);
                                           return false;
                                         }));
  return repeated;
}

// Bounds the jobs that are in progress: error if one more would be too many. Bounds the stored
// ones: calls `erase` with the oldest that have ended if they are gone, or if there are too many.
// `name` is that of the kind in the error.
template <class Store, class Erase>
Result<void> make_room_for_job(std::string_view scope, std::size_t stored_max,
                               std::string_view name, const Snapshot& snapshot,
                               const Erase& erase) {
  STATOR_TRY(const std::size_t in_progress,
             Store::count_in_progress(snapshot.transaction(), scope));
  if (in_progress >= kJobsInProgressMax) {
    return Error::limit_exceeded("Subscriber limit exceeded: Only " +
                                 std::to_string(kJobsInProgressMax) + " " + std::string(name) +
                                 " operations can be done simultaneously");
  }
  STATOR_TRY(std::size_t count, Store::count(snapshot.transaction(), scope));
  return Store::visit_oldest_first(snapshot.transaction(), scope,
                                   [&](typename Store::Value&& job) -> Result<bool> {
                                     const bool are_too_many = count >= stored_max;
                                     if (job.is_in_progress()) return are_too_many;
                                     if (!are_too_many && !job.is_gone(snapshot.now()))
                                       return false;
                                     --count;
                                     erase(std::move(job));
                                     return true;
                                   });
}

}  // namespace stator
