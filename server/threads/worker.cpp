// See worker.h.

#include "server/threads/worker.h"

#include <malloc.h>

#include <algorithm>
#include <string>
#include <utility>

#include <boost/asio/post.hpp>

#include "server/log/log.h"

namespace stator {

namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

constexpr std::size_t kSpareExchangesMax = 64;
constexpr milliseconds kTickLengthMax{1000};
// Ticks without a refusal after which memory is no longer short.
constexpr int kQuietTicks = 4;
// Ticks that a response may wait for its client while memory is short.
constexpr std::int64_t kTicksOfPatience = 2;

// A quarter of the shortest timeout, so a deadline is noticed at most that late.
milliseconds tick_length_for(const Options& options) {
  const auto shortest = std::min(options.idle_timeout, options.request_timeout);
  return std::clamp(shortest / 4, milliseconds{1}, kTickLengthMax);
}

// The number of whole ticks that last at least `timeout`, from any moment within a tick.
std::int64_t ticks_for(milliseconds timeout, milliseconds tick_length) {
  return (timeout + tick_length - milliseconds{1}) / tick_length + 1;
}

}  // namespace

void RequestMemory::refused() {
  quiet_ticks_.store(0, std::memory_order_relaxed);
  refusals_.fetch_add(1, std::memory_order_relaxed);
  if (is_short_.exchange(true, std::memory_order_relaxed)) return;
  log::warn("requests and unread responses hold " + std::to_string(budget_.used_bytes() >> 20) +
            " of " + std::to_string(budget_.bytes_max() >> 20) +
            " MiB (--max-memory): what needs more gets status 503 until that falls");
}

std::size_t RequestMemory::missing_bytes() const {
  const std::size_t used = budget_.used_bytes();
  return used > relaxed_bytes() ? used - relaxed_bytes() : 0;
}

void RequestMemory::check_pressure() {
  const int quiet_ticks = quiet_ticks_.fetch_add(1, std::memory_order_relaxed);
  if (quiet_ticks < kQuietTicks || missing_bytes() != 0) return;
  if (is_short_.exchange(false, std::memory_order_relaxed))
    log::info("request memory is below its limit again");
}

void Commit::answered() noexcept { worker_.completed(*this); }

Worker::Worker(WorkerParts parts, std::uint64_t seed)
    : parts_(parts),
      dispatcher_(parts_.engine, parts_.operations, parts_.clock, parts_.options, parts_.log, seed,
                  parts_.admin,
                  parts_.requests != nullptr ? &parts_.requests->add_dispatcher() : nullptr,
                  parts_.recent, parts_.is_loading, parts_.faults, parts_.access, parts_.lambda),
      tick_length_(tick_length_for(parts_.options)),
      idle_ticks_(ticks_for(parts_.options.idle_timeout, tick_length_)),
      request_ticks_(ticks_for(parts_.options.request_timeout, tick_length_)) {}

void Worker::run() {
  thread_ = std::this_thread::get_id();
  context_.run();
}

void Worker::stop() {
  asio::post(context_, [this] {
    is_stopping_ = true;
    for (SessionBase* session = sessions_; session != nullptr; session = session->next_) {
      if (session->is_between_requests_) session->leave();
    }
    if (sessions_ == nullptr) end();
  });
}

void Worker::force_close() {
  asio::post(context_, [this] {
    is_insisting_ = true;
    for (SessionBase* session = sessions_; session != nullptr; session = session->next_) {
      session->close();
    }
  });
}

// Without the cancel, a timer armed before the last session ended would delay the end by up to a
// second.
void Worker::end() {
  timer_.cancel();
  work_.reset();
}

void Worker::add(SessionBase& session) {
  session.next_ = sessions_;
  if (sessions_ != nullptr) sessions_->previous_ = &session;
  sessions_ = &session;
  if (is_insisting_) session.close();
  arm_timer();
}

void Worker::remove(SessionBase& session) {
  if (session.next_ != nullptr) session.next_->previous_ = session.previous_;
  (session.previous_ != nullptr ? session.previous_->next_ : sessions_) = session.next_;
  if (sessions_ == nullptr && is_stopping_) end();
}

bool Worker::close_longest_idle() {
  SessionBase* longest = nullptr;
  for (SessionBase* session = sessions_; session != nullptr; session = session->next_) {
    const bool is_idle =
        session->is_between_requests_ && session->idle_order_ != SessionBase::kNotIdle;
    if (!is_idle) continue;
    if (longest == nullptr || session->idle_order_ < longest->idle_order_) longest = session;
  }
  if (longest == nullptr) return false;
  longest->is_between_requests_ = false;
  longest->close();
  return true;
}

void Worker::arm_timer() {
  if (is_timer_armed_) return;
  is_timer_armed_ = true;
  timer_.expires_after(tick_length_);
  timer_.async_wait([this](const boost::system::error_code& error) {
    is_timer_armed_ = false;
    if (!error) on_tick();
  });
}

void Worker::on_tick() {
  ++tick_;
  for (SessionBase* session = sessions_; session != nullptr; session = session->next_) {
    if (session->deadline_ <= tick_) session->close();
  }
  if (parts_.memory.is_short()) relieve_memory();
  // malloc retains what lies below its newest block, which may be hundreds of megabytes used only
  // once.
  if (std::exchange(should_trim_, false)) malloc_trim(0);
  if (sessions_ != nullptr) arm_timer();
}

// Closes sessions whose clients have left a response unread for longest, at least a second, until
// enough memory is free.
void Worker::relieve_memory() {
  const std::int64_t begun_before = tick_ - kTicksOfPatience + request_ticks_;
  std::size_t missing_bytes = parts_.memory.missing_bytes();
  while (missing_bytes != 0) {
    SessionBase* longest = nullptr;
    for (SessionBase* session = sessions_; session != nullptr; session = session->next_) {
      if (session->waiting_bytes_ == 0 || session->deadline_ > begun_before) continue;
      if (longest == nullptr || session->deadline_ <= longest->deadline_) longest = session;
    }
    if (longest == nullptr) break;
    missing_bytes -= std::min(missing_bytes, longest->waiting_bytes_);
    longest->waiting_bytes_ = 0;
    longest->close();
  }
  parts_.memory.check_pressure();
}

std::unique_ptr<Exchange> Worker::take_exchange() {
  if (spare_exchanges_.empty()) {
    auto exchange = std::make_unique<Exchange>();
    exchange->call.memory.draw_from(parts_.memory.budget());
    return exchange;
  }
  auto exchange = std::move(spare_exchanges_.back());
  spare_exchanges_.pop_back();
  return exchange;
}

void Worker::give_back(std::unique_ptr<Exchange> exchange) {
  if (spare_exchanges_.size() == kSpareExchangesMax) return;
  exchange->reset();
  spare_exchanges_.push_back(std::move(exchange));
}

void Worker::push(Commit& commit) {
  if (parts_.engine.push(commit)) lead_later();
}

void Worker::lead_later() {
  asio::post(context_, [this] { lead(); });
}

void Worker::lead() {
  using Left = Engine::LeadOutcome;
  is_leading_ = true;
  const Left left = parts_.engine.lead_short_jobs();
  is_leading_ = false;
  if (left == Left::More) lead_later();
  if (left == Left::Long) parts_.write_lane.lead();
  resume_completed();
}

void Worker::completed(Commit& commit) noexcept {
  Commit* newest = completed_.load(std::memory_order_relaxed);
  do {
    commit.next_completed_ = newest;
  } while (!completed_.compare_exchange_weak(newest, &commit, std::memory_order_release,
                                             std::memory_order_relaxed));
  // The thread that added the first one posts resume_completed(); lead() calls it anyway.
  if (newest != nullptr) return;
  if (std::this_thread::get_id() == thread_ && is_leading_) return;
  asio::post(context_, [this] { resume_completed(); });
}

void Worker::resume_completed() {
  Commit* newest = completed_.exchange(nullptr, std::memory_order_acquire);
  Commit* oldest = nullptr;
  while (newest != nullptr) {
    Commit* const older = newest->next_completed_;
    newest->next_completed_ = oldest;
    oldest = newest;
    newest = older;
  }
  while (oldest != nullptr) {
    Commit* const commit = oldest;
    oldest = oldest->next_completed_;
    commit->resume();  // it may be gone afterwards
  }
}

}  // namespace stator
