// The last calls of functions, and the last messages about discarded records, for those who look.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"
#include "protocol/json/json_writer.h"

namespace stator::triggers {

// What is shown of an event or an answer.
inline constexpr std::size_t kEventShownBytes = std::size_t{64} << 10;

// Cuts the text between characters.
void cut_text(std::string& text, std::size_t bytes_max);
// How many numbers after `since`, up to `gone`, the last that a log no longer has, are lost.
std::int64_t count_lost(std::uint64_t gone, std::uint64_t since);

// One call, or an attempt at it that reached no function.
struct Invocation {
  std::uint64_t number = 0;  // from 1, without gaps
  std::string request_id = {};
  std::string uuid = {};  // of the mapping; empty: an event of Invoke
  std::string function_arn = {};
  std::string shard_id = {};
  std::uint32_t lane = 0;
  std::size_t records = 0;
  std::string first = {};  // sequence numbers; empty without records
  std::string last = {};
  unsigned attempt = 1;
  Timestamp at = {};
  std::chrono::microseconds duration{0};
  std::string_view outcome = {};  // a constant
  std::string why = {};
  unsigned status = 0;
  std::optional<Timestamp> next_retry = {};
  std::string event = {};   // cut
  std::string answer = {};  // cut
  std::string log = {};     // the last of what the function has written, if it is known
};

// A message about records that were discarded.
struct FailureNote {
  std::uint64_t number = 0;  // from 1, without gaps
  std::string uuid = {};
  std::string destination = {};  // ARN; empty: the mapping has none
  std::string key = {};          // as in a bucket
  std::string message = {};      // JSON, without a payload
  std::string delivery = {};     // what was done with it, in a few words
};

class InvocationLog {
 public:
  // Sets the number; cuts the long texts.
  void add(Invocation invocation);
  // Sets the number and returns it.
  std::uint64_t add(FailureNote note);
  void set_delivery(std::uint64_t note, std::string delivery);

  // The number of the last call.
  std::uint64_t last() const { return last_invocation_; }
  // The member "invocation": the first after `since`, or null.
  void write_next(JsonWriter& json, std::uint64_t since) const;
  // Members of an object: "invocations", "last" and "lost", the number of those after `since` that
  // are gone.
  void write_invocations(JsonWriter& json, std::uint64_t since) const;
  // Members "failures", "last" and "lost".
  void write_failures(JsonWriter& json, std::uint64_t since) const;

 private:
  std::deque<Invocation> invocations_;
  std::size_t text_bytes_ = 0;
  std::uint64_t last_invocation_ = 0;
  std::deque<FailureNote> notes_;
  std::uint64_t last_note_ = 0;
};

}  // namespace stator::triggers
