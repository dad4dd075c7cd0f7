// KinesisSender: a thread that sends the changes of tables to a server of Kinesis, and asks it
// whether streams are there (engine/outbox/kinesis_queue.h).
//
// Positions are stored after the server has taken the records, so a kill loses nothing and may
// repeat the last batch. A failure delays the destination by 50 ms, doubling to 5 s; when more than
// some bytes wait, the oldest changes are given up. Nothing waits for this thread but the end of
// the process, which interrupts it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/api/engine.h"
#include "engine/outbox/kinesis_queue.h"
#include "server/kinesis/kinesis_client.h"
#include "server/kinesis/record_window.h"

namespace stator {

class KinesisSender {
 public:
  // The engine must outlive this. `bytes_max`: of the changes that wait for one destination.
  // REQUIRES: no call is in flight, here and at the end.
  KinesisSender(Engine& engine, data::Endpoint endpoint, std::uint64_t bytes_max);
  ~KinesisSender();
  KinesisSender(const KinesisSender&) = delete;
  KinesisSender& operator=(const KinesisSender&) = delete;

 private:
  using Steady = std::chrono::steady_clock;
  // What is known of a destination with work, by table and number.
  struct Lane {
    std::set<std::uint64_t> taken;  // changes after the position, by their numbers
    std::size_t batch_max = RecordWindow::kBatchRecordsMax;
    std::chrono::milliseconds pause{0};
    Steady::time_point next_attempt;
    std::uint64_t waiting_bytes = 0;  // of changes below `measured`, since the last success
    std::uint64_t measured = 0;
    bool is_seen = false;
  };
  using LaneName = std::pair<std::uint32_t, std::uint64_t>;

  // From any thread.
  void note_work();
  void run();
  // Does a part for each destination whose time has come. Returns when to look again without a
  // notice; the maximum if nothing waits.
  Steady::time_point run_round();
  void serve(const KinesisQueue& queue, Lane& lane);
  void decide(const KinesisQueue& queue, Lane& lane);
  void send(const KinesisQueue& queue, Lane& lane);
  // The next records; none if they cannot be read.
  std::vector<KinesisQueueRecord> next_records(const KinesisQueue& queue, Lane& lane);
  void fail(const KinesisQueue& queue, Lane& lane, const std::string& why);
  void succeed(const KinesisQueue& queue, Lane& lane);
  void keep_bound(const KinesisQueue& queue, Lane& lane);
  KinesisQueues::Waiting find_excess(const KinesisQueue& queue, Lane& lane);
  bool is_stopping();

  Engine& engine_;
  const std::uint64_t bytes_max_;
  KinesisClient client_;
  std::map<LaneName, Lane> lanes_;  // of the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_work_ = true;      // guarded by mutex_
  bool is_stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace stator
