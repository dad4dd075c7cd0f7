// Changes that wait for Kinesis destinations, where another server has the streams: reading them,
// and storing what that server has decided and taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/schema/space.h"
#include "protocol/errors/result.h"

namespace stator {

class Engine;
class Snapshot;

// A destination with something to do.
struct KinesisQueue {
  storage::SpaceId table{};
  std::uint64_t number = 0;  // KinesisDestination::number
  std::string table_name;
  std::string region;
  std::string stream_arn;
  bool is_decided = false;     // whether it is ACTIVE, or was before it was disabled
  std::string refusal;         // undecided: why its ARN alone is refused; empty if it is not
  std::uint64_t position = 0;  // of the first change that was not taken
  std::uint64_t end = 0;       // changes from this number on do not belong to it
};

struct KinesisQueueRecord {
  std::uint64_t change = 0;
  std::string partition_key;
  std::string data;
};

class KinesisQueues {
 public:
  // The snapshot must outlive this.
  explicit KinesisQueues(const Snapshot& snapshot) : snapshot_(snapshot) {}

  // The destinations that are undecided or have changes waiting.
  Result<std::vector<KinesisQueue>> all() const;

  // The next records from a change on, at most `count_max`, about `bytes_max`; one at least, if
  // there is one. Throws on damaged records, which Engine::look() turns into an error.
  Result<std::vector<KinesisQueueRecord>> next(const KinesisQueue& queue, std::uint64_t from,
                                               std::size_t count_max, std::size_t bytes_max) const;

  // The changes from a number on that wait, as they are stored.
  struct Waiting {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::uint64_t end = 0;  // the number after theirs
  };
  Result<Waiting> waiting(const KinesisQueue& queue, std::uint64_t from) const;
  // The changes to give up so that of `bytes`, which wait, no more than `bytes_max` are left.
  Result<Waiting> oldest(const KinesisQueue& queue, std::uint64_t bytes,
                         std::uint64_t bytes_max) const;

 private:
  Result<Waiting> measure(const KinesisQueue& queue, std::uint64_t from,
                          std::uint64_t bytes_max) const;

  const Snapshot& snapshot_;
};

// Stores the decision about a destination: ACTIVE without a reason, else ENABLE_FAILED. No-op if it
// was decided or is gone. Waits for the commit; returns whether there was one.
bool decide_kinesis_queue(Engine& engine, const KinesisQueue& queue, const std::string& reason);

// Stores that all changes before `position` were taken. Never moves back. As above.
bool advance_kinesis_queue(Engine& engine, const KinesisQueue& queue, std::uint64_t position);

// Gives up all changes before `position`, and frees their space. Waits for several commits.
bool give_up_kinesis_changes(Engine& engine, const KinesisQueue& queue, std::uint64_t position);

}  // namespace stator
