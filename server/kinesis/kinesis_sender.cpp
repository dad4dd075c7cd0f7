#include "server/kinesis/kinesis_sender.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "engine/schema/kinesis.h"
#include "server/log/log.h"

namespace stator {
namespace {

constexpr std::chrono::milliseconds kPauseFirst{50};
constexpr std::chrono::milliseconds kPauseMax{5000};
// Of the records of one destination that are in memory.
constexpr std::size_t kWindowRecords = RecordWindow::kBatchRecordsMax;
constexpr std::size_t kWindowBytes = std::size_t{4} << 20;

// Why the service fails to enable a stream that it does not find or may not use.
constexpr const char* kRefusedText = "User does not have a permission to use kinesis stream";

RemoteStream stream_of(const KinesisQueue& queue) {
  const auto arn = parse_kinesis_arn(queue.stream_arn);
  return {queue.stream_arn, arn ? arn->stream : std::string_view(), queue.region};
}

}  // namespace

KinesisSender::KinesisSender(Engine& engine, data::Endpoint endpoint, std::uint64_t bytes_max)
    : engine_(engine), bytes_max_(bytes_max), client_(std::move(endpoint)) {
  engine_.on_kinesis_work([this] { note_work(); });
  thread_ = std::thread([this] { run(); });
}

KinesisSender::~KinesisSender() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  client_.interrupt();
  thread_.join();
  engine_.on_kinesis_work(nullptr);
}

void KinesisSender::note_work() {
  {
    const std::scoped_lock lock(mutex_);
    has_work_ = true;
  }
  changed_.notify_one();
}

bool KinesisSender::is_stopping() {
  const std::scoped_lock lock(mutex_);
  return is_stopping_;
}

void KinesisSender::run() {
  for (;;) {
    Steady::time_point next = Steady::now() + kPauseMax;
    try {
      next = run_round();
    } catch (const std::exception& error) {
      log::error(std::string("sending changes to Kinesis failed: ") + error.what());
    }
    std::unique_lock lock(mutex_);
    const auto is_due = [this] { return has_work_ || is_stopping_; };
    if (next == Steady::time_point::max()) {
      changed_.wait(lock, is_due);
    } else {
      changed_.wait_until(lock, next, is_due);
    }
    if (is_stopping_) return;
    has_work_ = false;
  }
}

KinesisSender::Steady::time_point KinesisSender::run_round() {
  std::vector<KinesisQueue> queues;
  {
    Engine::Reader reader(engine_);
    const auto looked = engine_.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
      STATOR_TRY(queues, KinesisQueues(snapshot).all());
      return {};
    });
    if (!looked) {
      log::error("cannot read the changes that wait for Kinesis: " + looked.error().message());
      return Steady::now() + kPauseMax;
    }
  }
  Steady::time_point next = Steady::time_point::max();
  for (auto& [name, lane] : lanes_) lane.is_seen = false;
  for (const KinesisQueue& queue : queues) {
    if (is_stopping()) return next;
    Lane& lane = lanes_[{static_cast<std::uint32_t>(queue.table), queue.number}];
    lane.is_seen = true;
    if (lane.next_attempt <= Steady::now()) serve(queue, lane);
    next = std::min(next, lane.next_attempt);
  }
  std::erase_if(lanes_, [](const auto& entry) { return !entry.second.is_seen; });
  return next;
}

void KinesisSender::serve(const KinesisQueue& queue, Lane& lane) {
  if (!queue.is_decided) return decide(queue, lane);
  send(queue, lane);
}

void KinesisSender::decide(const KinesisQueue& queue, Lane& lane) {
  std::string refusal = queue.refusal;
  if (refusal.empty()) {
    const KinesisClient::Look look = client_.look_at(stream_of(queue));
    if (look == KinesisClient::Look::NoAnswer)
      return fail(queue, lane, "it does not say whether the stream is there");
    if (look == KinesisClient::Look::Refused) refusal = kRefusedText;
  }
  if (is_stopping()) return;
  if (!decide_kinesis_queue(engine_, queue, refusal))
    return fail(queue, lane, "the decision cannot be stored");
  succeed(queue, lane);
}

// Read anew for each batch: a mark may have undone changes meanwhile. Numbers of changes are never
// used again, so what was taken is known by them.
std::vector<KinesisQueueRecord> KinesisSender::next_records(const KinesisQueue& queue, Lane& lane) {
  std::vector<KinesisQueueRecord> records;
  Engine::Reader reader(engine_);
  const auto looked = engine_.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(records,
               KinesisQueues(snapshot).next(queue, queue.position, kWindowRecords, kWindowBytes));
    return {};
  });
  if (!looked) fail(queue, lane, looked.error().message());
  return records;
}

void KinesisSender::send(const KinesisQueue& queue, Lane& lane) {
  const std::vector<KinesisQueueRecord> records = next_records(queue, lane);
  if (records.empty()) return;
  RecordWindow window(records, lane.taken);
  const auto batch = window.next_batch(lane.batch_max);
  KinesisClient::Put put;
  if (!batch.empty()) put = client_.put(stream_of(queue), batch);
  if (is_stopping() && !put.why.empty()) return;
  if (put.is_invalid && batch.size() == 1) {
    log::error("a change of table " + queue.table_name + " is given up: " + client_.address() +
               " refuses it: " + put.why);
    put.taken[0] = true;
    put.why.clear();
  }
  // Halves lead to the record that it refuses.
  const std::size_t half = std::max<std::size_t>(1, batch.size() / 2);
  lane.batch_max = put.is_invalid ? half : std::min(2 * lane.batch_max, kWindowRecords);
  const std::uint64_t position = window.take(batch, put.taken);
  if (position > queue.position && !advance_kinesis_queue(engine_, queue, position))
    return fail(queue, lane, "the position cannot be stored");
  if (!put.why.empty()) return fail(queue, lane, put.why);
  succeed(queue, lane);
}

void KinesisSender::fail(const KinesisQueue& queue, Lane& lane, const std::string& why) {
  if (lane.pause.count() == 0)
    log::warn("changes of table " + queue.table_name + " wait for Kinesis at " + client_.address() +
              ": " + why);
  lane.pause = lane.pause.count() == 0 ? kPauseFirst : std::min(2 * lane.pause, kPauseMax);
  lane.next_attempt = Steady::now() + lane.pause;
  keep_bound(queue, lane);
}

// Gives up more than has to go, so that this is rare.
void KinesisSender::keep_bound(const KinesisQueue& queue, Lane& lane) {
  if (is_stopping()) return;
  const KinesisQueues::Waiting excess = find_excess(queue, lane);
  if (excess.count == 0 || !give_up_kinesis_changes(engine_, queue, excess.end)) return;
  lane.waiting_bytes -= std::min(lane.waiting_bytes, excess.bytes);
  lane.taken.erase(lane.taken.begin(), lane.taken.lower_bound(excess.end));
  log::error(std::to_string(excess.count) + " changes of table " + queue.table_name +
             " are given up: too many bytes wait for Kinesis at " + client_.address() +
             " (--stream-max-bytes)");
}

// What is to be given up. Reads only changes that are new since the last time, and all of them when
// they seem too many: a rollback may have undone some.
KinesisQueues::Waiting KinesisSender::find_excess(const KinesisQueue& queue, Lane& lane) {
  KinesisQueues::Waiting excess;
  Engine::Reader reader(engine_);
  const auto looked = engine_.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    const KinesisQueues queues(snapshot);
    STATOR_TRY(const auto more, queues.waiting(queue, std::max(lane.measured, queue.position)));
    lane.waiting_bytes += more.bytes;
    lane.measured = more.end;
    if (lane.waiting_bytes <= bytes_max_) return {};
    STATOR_TRY(const auto all, queues.waiting(queue, queue.position));
    lane.waiting_bytes = all.bytes;
    lane.measured = all.end;
    if (all.bytes <= bytes_max_) return {};
    STATOR_TRY(excess, queues.oldest(queue, all.bytes, bytes_max_ / 8 * 7));
    return {};
  });
  if (!looked) log::error("changes that wait for Kinesis: " + looked.error().message());
  return excess;
}

// The next batch follows at once.
void KinesisSender::succeed(const KinesisQueue& queue, Lane& lane) {
  if (lane.pause.count() > 0)
    log::info("Kinesis at " + client_.address() + " takes the changes of table " +
              queue.table_name + " again");
  lane.pause = std::chrono::milliseconds{0};
  lane.waiting_bytes = 0;
  lane.measured = 0;
  lane.next_attempt = Steady::now();
}

}  // namespace stator
