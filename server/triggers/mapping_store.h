// MappingStore: the event source mappings and how far each has come, in the engine's data. So marks
// and rollbacks take them back, a reset deletes them, and a restart finds them.
//
// Thread-safe: any thread may call anything, one call at a time runs. A call that changes something
// waits for the commit, so it is made on a thread that may wait. Nothing is cached: after a
// rollback the next call sees the old state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/engine.h"
#include "engine/data_folder/data_folder.h"
#include "engine/documents/documents.h"
#include "protocol/errors/result.h"
#include "server/triggers/mapping.h"

namespace stator::triggers {

inline constexpr std::size_t kMappingsMax = 1000;
inline constexpr std::size_t kShardPositionsMax = 20'000;  // of a mapping
inline constexpr std::size_t kPositionNoteBytesMax = 2U << 20U;

// How far a mapping has come in a lane of a shard.
struct ShardPosition {
  std::string shard_id;
  std::uint32_t lane = 0;
  std::uint64_t next = 0;  // the first number of the journal that is not settled
  // The poller's own, such as the attempts of a batch or the state of a tumbling window: stored and
  // returned as it is, at most kPositionNoteBytesMax.
  std::string note = {};

  bool operator==(const ShardPosition&) const = default;
};

// A new position, given the one that the caller began with.
struct PositionChange {
  std::string shard_id;
  std::uint32_t lane = 0;
  std::optional<std::uint64_t> expected;  // `next` as stored; empty: there is no position
  std::optional<ShardPosition> position;  // empty: removes it, of a shard that is done
};

enum class PositionsOutcome : std::uint8_t {
  Stored,
  Outdated,  // nothing is stored: the mapping is gone, or a position is not the expected one,
             // because of a rollback for instance. Read the positions again.
  Failed,    // nothing is stored: the store is full or writing failed, and that was logged
};

// A CheckDocument (engine/data_folder/data_folder.h) that knows the documents of this store.
std::string document_problem(std::string_view key, std::string_view value,
                             const FindDocument& find);

class MappingStore {
 public:
  // The engine must outlive this.
  explicit MappingStore(Engine& engine);

  // All that are not gone at the engine's time, by creation, then UUID.
  Result<std::vector<Mapping>> list();
  // Empty if there is none or it is gone.
  Result<std::optional<Mapping>> find(std::string_view uuid);

  // Decides on the change of a mapping inside the commit, given the stored mappings that are not
  // gone. May be called twice; the error is returned, and nothing is stored then.
  using Decide = std::function<Result<Mapping>(const std::vector<Mapping>& stored, Timestamp now)>;
  // Stores what `decide` returns, as a new mapping or in place of the one with its UUID.
  Result<Mapping> change(const Decide& decide);
  // Stores the mapping as it is.
  Result<void> put(const Mapping& mapping);
  // Removes the mapping, its positions and its result. Returns whether there was one.
  Result<bool> remove(std::string_view uuid);

  // Removes those of the scopes, with all that belongs to them: for a reset.
  Result<void> remove_of_scopes(const std::function<bool(std::string_view scope)>& is_meant);

  // In the order of shard, then lane.
  Result<std::vector<ShardPosition>> positions(std::string_view uuid);
  // One commit for all changes and the mapping's LastProcessingResult; without `result` that stays.
  // No notification follows.
  PositionsOutcome put_positions(std::string_view uuid, std::span<const PositionChange> changes,
                                 std::optional<std::string_view> result = {});

  // LastProcessingResult; kNothingProcessed before the first one.
  Result<std::string> result(std::string_view uuid);

  // `changed` is called on the changing thread, after the commit, when mappings were put or
  // removed, and by announce(). It must not call the store. Set it before other threads use the
  // store; an empty function ends it.
  void on_change(std::function<void()> changed);
  // For those who change the data without the store: after a rollback, a reset or a move of time.
  void announce();

 private:
  using LookAt = std::function<Result<void>(const Documents& stored)>;
  Result<void> look(const LookAt& look);

  Engine& engine_;
  std::mutex reading_;
  Engine::Reader reader_;
  std::mutex listening_;
  std::function<void()> changed_;
};

}  // namespace stator::triggers
