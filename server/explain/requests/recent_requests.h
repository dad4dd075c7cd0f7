// RecentRequests: records the last requests and their outcomes, for explanations.
//
// Rings of slots of one size, each allocated at its first use. The thread that responds to a
// request copies what it knows into the next slot, without a lock or formatting. One thread at a
// time holds a slot. A thread that finds its slot taken drops the record, so no response ever
// waits. The rings may get another size meanwhile.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "engine/call/call.h"
#include "engine/seams/clock.h"
#include "protocol/errors/error.h"

namespace stator {

// The record of one request. Of its headers it has the User-Agent, of the signature the scope.
class RecentRequest {
 public:
  // Texts, cut after some bytes.
  enum class Part : std::uint8_t {
    Id,
    Operation,  // as sent, known or not
    Table,
    Region,
    AccessKey,
    Error,  // empty: it succeeded
    Message,
    Asked,     // the body, unpacked
    Answered,  // the body of a successful response
    Index,     // the last one read; empty: the table
    Limits,    // that throttled parts of a batch, or would have throttled the request in the cloud
    Reasons,   // of a cancelled transaction: members of its answer; of a batch of statements: the
               // first error
    Place,     // of the rule that was broken, in the request
    Value1,    // of that rule
    Value2,
    Value3,
    Value4,
    Fault,       // the name of the rule that made the request fail; empty: none
    Agent,       // the User-Agent
    IndexUnits,  // of a request that succeeded; see IndexUnitsText
  };
  static constexpr std::array<std::uint16_t, 20> kPartBytesMax{64,   128, 256, 64,  128,  64,  3456,
                                                               4096, 256, 256, 256, 1024, 256, 256,
                                                               256,  256, 256, 64,  128,  3072};
  static constexpr std::size_t bytes_max(Part part) {
    return kPartBytesMax[static_cast<std::size_t>(part)];
  }

  // Clears all texts. Call before set().
  void clear_texts() {
    used_bytes_ = 0;
    texts_ = {};
    std::string{}.swap(long_body_);  // clear() would retain its memory
  }
  // Records the first bytes of `text`, which begins a text of `whole_bytes`. REQUIRES: not set
  // since clear_texts(). All parts that one request can have fit.
  void set(Part part, std::string_view text, std::size_t whole_bytes) {
    if (part == Part::Asked && text.size() > bytes_max(part) && keep_long(text, whole_bytes))
      return;
    const std::size_t kept = std::min({text.size(), bytes_max(part), bytes_.size() - used_bytes_});
    std::copy_n(text.data(), kept, bytes_.data() + used_bytes_);
    texts_[static_cast<std::size_t>(part)] = {whole_bytes, used_bytes_,
                                              static_cast<std::uint16_t>(kept)};
    used_bytes_ = static_cast<std::uint16_t>(used_bytes_ + kept);
  }
  void set(Part part, std::string_view text) { set(part, text, text.size()); }

  std::string_view text(Part part) const {
    if (part == Part::Asked && !long_body_.empty()) return long_body_;
    const Text& text = texts_[static_cast<std::size_t>(part)];
    return {bytes_.data() + text.begin, text.kept_bytes};
  }
  std::size_t whole_bytes(Part part) const {
    return texts_[static_cast<std::size_t>(part)].whole_bytes;
  }
  bool is_whole(Part part) const { return text(part).size() == whole_bytes(part); }
  // What the record holds beyond its own size: the body, if that is long.
  std::size_t long_body_bytes() const { return long_body_.empty() ? 0 : long_body_.capacity(); }
  // The message without its fixed frame (Error::statement()).
  std::string_view statement() const {
    return text(Part::Message).substr(statement_begin, statement_bytes);
  }
  // The parts of the request that break its rule, $1 first; `place` is 1 to kRuleValuesMax.
  std::string_view rule_value(std::size_t place) const {
    return text(static_cast<Part>(static_cast<std::size_t>(Part::Value1) + place - 1));
  }
  // A request with a fault on demand counts as failed, whatever the server answered.
  bool has_failed() const { return status >= 400 || has_fault(); }
  bool has_fault() const { return fault.number > 0; }
  // Whether a part was throttled although the rest succeeded.
  bool is_throttled_in_part() const {
    return undone.throttled > 0 || walked.end == ReadStats::End::Throttling;
  }

  std::uint64_t number = 0;  // in order of responses of all kinds, from 1; 0: none
  std::uint64_t turn = 0;    // the same in its ring
  Timestamp time;            // of the response, by the engine's clock
  std::chrono::microseconds took{0};
  std::int64_t units_milli = 0;  // capacity units in thousandths
  // A fault on demand; its rule is Part::Fault.
  struct InjectedEffect {
    std::string_view effect = {};  // a constant text
    std::uint64_t number = 0;      // of the request for its rule; 0: no fault
    bool is_committed = false;     // the request was executed all the same
  };

  std::uint64_t connection = 0;  // the number of its connection, from 1; 0: not known
  std::uint16_t status = 0;      // 0: the connection ended without an answer
  InjectedEffect fault;
  bool is_of_console = false;
  bool is_of_agent = false;           // its client is `stator mcp`
  ReadStats walked;                   // its index is Part::Index
  PartialFailure undone;              // its error is Part::Reasons
  Rule rule{};                        // Rule::None: only the message is known
  std::uint16_t statement_begin = 0;  // within the message
  std::uint16_t statement_bytes = 0;

 private:
  // Records a body that --explain-bytes admits and the space of a usual one does not. Returns false
  // if memory is short.
  bool keep_long(std::string_view body, std::size_t whole_bytes) {
    try {
      long_body_ = body;
    } catch (const std::bad_alloc&) {
      return false;
    }
    texts_[static_cast<std::size_t>(Part::Asked)].whole_bytes = whole_bytes;
    return true;
  }

  struct Text {
    std::size_t whole_bytes = 0;
    std::uint16_t begin = 0;
    std::uint16_t kept_bytes = 0;
  };
  // Space for the parts that every request has, and for the largest combination of the others: a
  // response, the reasons of a cancellation, or a rule.
  static constexpr std::size_t kBytesMax = [] {
    const auto sum = [](std::initializer_list<Part> parts) {
      std::size_t bytes = 0;
      for (const Part part : parts) bytes += kPartBytesMax[static_cast<std::size_t>(part)];
      return bytes;
    };
    using enum Part;
    return sum({Id, Operation, Table, Region, AccessKey, Asked, Index, Fault, Agent}) +
           std::max({sum({Answered, Limits, Reasons, IndexUnits}), sum({Error, Message, Reasons}),
                     sum({Error, Message, Place, Value1, Value2, Value3, Value4})});
  }();

  std::array<Text, kPartBytesMax.size()> texts_{};
  std::uint16_t used_bytes_ = 0;
  std::string long_body_;  // empty: the body is in bytes_
  // Contiguous, so that a short request touches few cache lines. Uninitialised.
  std::array<char, kBytesMax> bytes_;
};

static_assert(sizeof(RecentRequest) <= 10'752);

// What --explain-bytes may say: how much of a body is recorded.
inline constexpr std::size_t kExplainBytesMin = 256;
inline constexpr std::size_t kExplainBytesMax = 1'048'576;

// Largest size of a ring, in requests.
inline constexpr std::size_t kRecentRequestsMax = 10'000;

// Each kind has its own ring, so that it displaces no other.
enum class RecentKind : std::uint8_t {
  Failed,
  MayHaveHint,  // succeeded
  Other,
  Console,  // of the console, whatever the outcome
};
inline constexpr std::size_t kRecentKinds = 4;

// The last requests of one kind. Any thread may call everything.
class RequestRing {
 public:
  // REQUIRES: as resize().
  explicit RequestRing(std::size_t size) { resize(size); }

  // Numbers the request with `last_number` + 1. Drops it if its slot is taken or memory is short.
  template <class Fill>
  void add(std::atomic<std::uint64_t>& last_number, const Fill& fill) {
    const std::size_t size = size_.load(std::memory_order_acquire);
    if (size == 0) return;
    const std::uint64_t turn = last_turn_.fetch_add(1) + 1;
    Slot& slot = slot_at(turn % size);
    if (slot.is_taken.exchange(true, std::memory_order_acquire)) return;
    std::unique_ptr<RecentRequest>& request = slot.request;
    if (request == nullptr) request.reset(new (std::nothrow) RecentRequest);
    if (request != nullptr) {
      request->turn = turn;
      request->number = last_number.fetch_add(1) + 1;
      request->clear_texts();
      fill(*request);
    }
    slot.is_taken.store(false, std::memory_order_release);
  }

  // Keeps the newest `size` requests from now on. Those that end meanwhile may be dropped.
  // REQUIRES: `size` is 0 to kRecentRequestsMax; one call at a time.
  void resize(std::size_t size);
  std::size_t size() const { return size_.load(std::memory_order_acquire); }

  std::uint64_t last_turn() const { return last_turn_.load(); }
  // Copies the newest request up to `turn`, and sets `turn` to the one before it. Waits at most a
  // second for a slot that is being written. Returns false if there is none.
  bool copy_newest(std::uint64_t& turn, RecentRequest& copy) const;
  // Copies the oldest request from `turn` on whose number is above `after`, and sets `turn` to the
  // one after it. Waits for a slot as copy_newest() does.
  bool copy_oldest(std::uint64_t& turn, std::uint64_t after, RecentRequest& copy) const;

 private:
  struct Slot {
    std::atomic<bool> is_taken{false};
    std::unique_ptr<RecentRequest> request;  // guarded by the flag
  };
  static constexpr std::size_t kSegmentSlots = 200;

  // REQUIRES: `place` was below size_ once, as this thread has seen.
  Slot& slot_at(std::size_t place) const {
    return segments_[place / kSegmentSlots][place % kSegmentSlots];
  }
  static bool take(Slot& slot);
  bool copy_turn(std::uint64_t turn, std::uint64_t after, RecentRequest& copy) const;

  std::atomic<std::size_t> size_{0};
  std::atomic<std::uint64_t> last_turn_{0};
  // Each is made before size_ first needs it, and stays, because other threads may still use it.
  std::array<std::unique_ptr<Slot[]>, kRecentRequestsMax / kSegmentSlots> segments_;
};

// Any thread may call everything.
class RecentRequests {
 public:
  // `size` is that of each ring. REQUIRES: 0 to kRecentRequestsMax.
  explicit RecentRequests(std::size_t size)
      : rings_{RequestRing(size), RequestRing(size), RequestRing(size), RequestRing(size)} {}

  // Changes the size of each ring. REQUIRES: as RequestRing::resize().
  void resize(std::size_t size) {
    for (RequestRing& ring : rings_) ring.resize(size);
  }
  // Whether any requests are recorded.
  bool is_on() const { return rings_.front().size() > 0; }

  // Calls `fill` to set what is known; all texts are empty before. Drops the request if its slot is
  // taken.
  template <class Fill>
  void add(RecentKind kind, const Fill& fill) {
    rings_[static_cast<std::size_t>(kind)].add(last_number_, fill);
  }

  // Passes copies of the requests to `look`, newest first, until it returns false. Each copy
  // overwrites the last. Returns the number of the newest request considered, as `after` of
  // follow().
  std::uint64_t look(const std::function<bool(const RecentRequest&)>& look) const;

  struct Progress {
    std::uint64_t last;  // `after` of the next call
    std::uint64_t lost;  // requests between the two that were overwritten before this call
  };
  // Passes copies of the requests numbered above `after` to `look`, oldest first, until it returns
  // false, which stops before that request. If `after` is from an earlier process, passes all.
  Progress follow(const std::function<bool(const RecentRequest&)>& look, std::uint64_t after) const;

  // Finds a request by its x-amzn-RequestId; nullptr if it is not recorded.
  std::unique_ptr<RecentRequest> find(std::string_view id) const;

 private:
  std::atomic<std::uint64_t> last_number_{0};
  std::array<RequestRing, kRecentKinds> rings_;
};

}  // namespace stator
