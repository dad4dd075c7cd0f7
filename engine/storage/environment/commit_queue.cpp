#include "engine/storage/environment/commit_queue.h"

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/storage/environment/environment.h"
#include "engine/storage/environment/leader_owned.h"
#include "engine/storage/environment/transaction.h"

namespace stator::storage {
namespace {

constexpr std::size_t kBatchJobsMax = 1024;
// Batches that a borrowed leader runs before lead() returns.
constexpr int kBatchesPerLeadMax = 8;
// Jobs started between two checks of the time.
constexpr std::size_t kJobsBetweenLooks = 4;
// After this time a borrowed leader starts no further job or batch, because its thread has other
// work. The rest goes into the next batch.
constexpr std::chrono::milliseconds kLeadTimeMax{2};
// The limit for the queue's own thread: long enough that many jobs share an fsync.
constexpr std::chrono::milliseconds kBatchTimeMax{20};

// Values of `head` other than the newest waiting job (whose next_ is the job pushed before it).
constexpr std::uintptr_t kNothingWaits = 0;  // and there is a leader
constexpr std::uintptr_t kNobodyLeads = 1;   // and no job waits
constexpr std::uintptr_t kStopped = 2;

bool is_job(std::uintptr_t head) { return head > kStopped; }

thread_local bool is_leading_here = false;

}  // namespace

bool is_leading() noexcept { return is_leading_here; }

Leading::Leading() noexcept {
  assert(!is_leading_here);
  is_leading_here = true;
}

Leading::~Leading() { is_leading_here = false; }

struct CommitQueue::Impl {
  Impl(Environment& data, BatchListener& told, Leader kind)
      : environment(data), observer(told), leader(kind) {}

  bool push(CommitJob& job);
  Left lead(int batches_max, bool takes_long);
  void lead_until_stopped();
  void stop();

  // REQUIRES of those below: `leading` is held.
  void take_waiting();
  void run_batch();
  bool try_commit(CommitJob* first, std::size_t& count);
  Result<void> commit_jobs(CommitJob* first, std::size_t& count);
  void finish(CommitJob* job, bool committed);

  Environment& environment;
  BatchListener& observer;
  const Leader leader;

  std::atomic<std::uintptr_t> head{kNobodyLeads};

  using Time = std::chrono::steady_clock;

  std::mutex leading;
  Time::time_point until;  // when the current leader stops starting jobs
  // Jobs taken and not run yet, oldest first.
  CommitJob* backlog = nullptr;
  CommitJob** backlog_end = &backlog;

  std::atomic<std::uint64_t> batches{0};
  std::atomic<std::uint64_t> jobs{0};
  std::atomic<std::uint64_t> failed_batches{0};
  std::atomic<std::int64_t> working_ns{0};

  std::mutex stopping;
  std::mutex waking;
  std::condition_variable wake;
  bool stop_requested = false;  // guarded by `waking`
  std::thread thread;
};

bool CommitQueue::Impl::push(CommitJob& job) {
  std::uintptr_t seen = head.load(std::memory_order_relaxed);
  do {
    if (seen == kStopped) {
      job.done(/*committed=*/false);
      return false;
    }
    job.next_ = is_job(seen) ? reinterpret_cast<CommitJob*>(seen) : nullptr;
  } while (!head.compare_exchange_weak(seen, reinterpret_cast<std::uintptr_t>(&job),
                                       std::memory_order_release, std::memory_order_relaxed));
  if (seen != kNobodyLeads) return false;
  if (leader == Leader::Caller) return true;
  {
    // Locking ensures that the thread either has yet to check `head` or is asleep.
    const std::scoped_lock lock(waking);
  }
  wake.notify_one();
  return false;
}

CommitQueue::Left CommitQueue::Impl::lead(int batches_max, bool takes_long) {
  const std::scoped_lock lock(leading);
  const Leading leads_here;
  Time::time_point begun = Time::now();
  until = begun + (leader == Leader::Caller ? kLeadTimeMax : kBatchTimeMax);
  for (int i = 0; i < batches_max; ++i) {
    take_waiting();
    if (backlog == nullptr) break;
    if (!takes_long && backlog->is_long()) return Left::Long;
    run_batch();
    const Time::time_point ended = Time::now();
    working_ns.fetch_add(std::chrono::nanoseconds(ended - begun).count(),
                         std::memory_order_relaxed);
    begun = ended;
    if (backlog != nullptr && ended >= until) break;
  }
  if (backlog != nullptr) return Left::More;
  std::uintptr_t expected = kNothingWaits;
  const bool has_more =
      !head.compare_exchange_strong(expected, kNobodyLeads, std::memory_order_acq_rel) &&
      is_job(expected);
  return has_more ? Left::More : Left::Nothing;
}

void CommitQueue::Impl::take_waiting() {
  std::uintptr_t seen = head.load(std::memory_order_acquire);
  // Only a leader takes jobs, so a job seen here stays (under newer ones) until the exchange.
  if (!is_job(seen)) return;
  seen = head.exchange(kNothingWaits, std::memory_order_acquire);
  CommitJob** const old_end = backlog_end;
  CommitJob* oldest = nullptr;
  auto* job = reinterpret_cast<CommitJob*>(seen);
  backlog_end = &job->next_;  // the newest becomes the last
  while (job != nullptr) {
    CommitJob* const older = job->next_;
    job->next_ = oldest;
    oldest = job;
    job = older;
  }
  *old_end = oldest;
}

void CommitQueue::Impl::run_batch() {
  CommitJob* const first = backlog;
  std::size_t count = kBatchJobsMax;
  const bool committed = try_commit(first, count);
  CommitJob* rest = first;
  for (std::size_t i = 0; i < count; ++i) rest = rest->next_;
  backlog = rest;
  if (rest == nullptr) backlog_end = &backlog;

  CommitJob* job = first;
  std::size_t one = 1;
  for (std::size_t i = 0; i < count; ++i) {
    CommitJob* const next = job->next_;  // the job may be destroyed in done()
    // If a batch of several jobs failed, any single job may still succeed alone. So may the first
    // that only frees space: others after it kept the reserve from it.
    const bool may_succeed = count > 1 || (next != nullptr && job->only_frees_space());
    finish(job, committed || (may_succeed && try_commit(job, one)));
    job = next;
  }
}

void CommitQueue::Impl::finish(CommitJob* job, bool committed) {
  jobs.fetch_add(1, std::memory_order_relaxed);
  job->done(committed);
}

// `count` is the maximum number of jobs on entry, and the number run on return.
bool CommitQueue::Impl::try_commit(CommitJob* first, std::size_t& count) {
  Result<void> result;
  try {
    result = commit_jobs(first, count);
  } catch (const std::exception& error) {
    // Memory is exhausted or a job has a bug; unwinding aborted the transaction.
    result = Error(ErrorCode::InternalServerError, error.what());
  }
  // Before the next transaction and before batch_ended().
  const bool is_worth_another_try = !result && environment.reclaim_space();
  observer.batch_ended(result ? nullptr : &result.error());
  (result ? batches : failed_batches).fetch_add(1, std::memory_order_relaxed);
  if (is_worth_another_try) return try_commit(first, count);
  return result.has_value();
}

Result<void> CommitQueue::Impl::commit_jobs(CommitJob* first, std::size_t& count) {
  const std::size_t count_max = std::exchange(count, 1);
  STATOR_TRY(const auto transaction, WriteTransaction::begin(environment));
  bool only_frees_space = true;
  CommitJob* job = first;
  for (std::size_t i = 0; i < count_max && job != nullptr && only_frees_space;
       ++i, job = job->next_)
    only_frees_space = job->only_frees_space();
  if (!only_frees_space) transaction->keep_reserve();
  STATOR_CHECK(first->run(*transaction));
  job = first->next_;
  while (count < count_max && job != nullptr && !job->is_long()) {
    if (count % kJobsBetweenLooks == 0 && Time::now() >= until) break;
    ++count;
    STATOR_CHECK(job->run(*transaction));
    job = job->next_;
  }
  STATOR_CHECK(observer.before_commit(*transaction));
  return transaction->commit();
}

void CommitQueue::Impl::lead_until_stopped() {
  for (;;) {
    while (lead(kBatchesPerLeadMax, /*takes_long=*/true) != Left::Nothing) {
    }
    std::unique_lock lock(waking);
    wake.wait(lock, [this] { return stop_requested || is_job(head.load()); });
    if (!is_job(head.load())) return;
  }
}

void CommitQueue::Impl::stop() {
  const std::scoped_lock once(stopping);
  if (thread.joinable()) {
    {
      const std::scoped_lock lock(waking);
      stop_requested = true;
    }
    wake.notify_one();
    thread.join();
  }
  // A caller asked to lead may never do so, so this leads. `leading` excludes a late one, which
  // then finds no jobs.
  for (;;) {
    static_cast<void>(lead(kBatchesPerLeadMax, /*takes_long=*/true));
    const std::scoped_lock lock(leading);
    if (backlog != nullptr) continue;
    std::uintptr_t seen = head.load(std::memory_order_acquire);
    if (seen == kStopped) return;
    if (!is_job(seen) && head.compare_exchange_strong(seen, kStopped, std::memory_order_acq_rel)) {
      return;
    }
  }
}

CommitQueue::CommitQueue(Environment& environment, BatchListener& observer, Leader leader)
    : impl_(std::make_unique<Impl>(environment, observer, leader)) {
  if (leader == Leader::Thread)
    impl_->thread = std::thread([this] { impl_->lead_until_stopped(); });
}

CommitQueue::~CommitQueue() { stop(); }

bool CommitQueue::push(CommitJob& job) { return impl_->push(job); }

bool CommitQueue::lead() {
  assert(impl_->leader == Leader::Caller);
  return impl_->lead(kBatchesPerLeadMax, /*takes_long=*/true) != Left::Nothing;
}

CommitQueue::Left CommitQueue::lead_short_jobs() {
  assert(impl_->leader == Leader::Caller);
  return impl_->lead(kBatchesPerLeadMax, /*takes_long=*/false);
}

void CommitQueue::stop() { impl_->stop(); }

CommitQueue::Counters CommitQueue::counters() const {
  return {impl_->batches.load(std::memory_order_relaxed),
          impl_->jobs.load(std::memory_order_relaxed),
          impl_->failed_batches.load(std::memory_order_relaxed),
          std::chrono::nanoseconds(impl_->working_ns.load(std::memory_order_relaxed))};
}

}  // namespace stator::storage
