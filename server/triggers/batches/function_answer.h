// What a function's answer means for the batch that it was called with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/triggers/batches/trigger_record.h"

namespace stator::triggers {

// The end of one call.
struct CallResult {
  enum class Kind : std::uint8_t {
    Answered,
    FunctionError,  // the function failed, or was too late
    ServiceError,   // it was not reached: uses up no retry
  };
  Kind kind = Kind::Answered;
  unsigned status = 0;  // of HTTP; 0 without an answer
  std::string body = {};
  std::string error = {};             // "Unhandled", "Handled"; empty: none
  std::string executed_version = {};  // empty: not said
  std::string log = {};               // the last of what the function has written, if it is known
  std::string why = {};               // in a few words, for people; empty for Answered
};

// How to read a body.
struct AnswerRules {
  bool reports_item_failures = false;
  bool has_window = false;  // the body must have a state
};

struct BatchAnswer {
  // Of the records: those before are done. All of them: success.
  std::size_t done = 0;
  bool has_failed = false;
  std::string state = {};  // of the window, as JSON
  std::string why = {};    // if it has failed
};

// Reads the body of a call with Kind::Answered. The first record, by its number, that the function
// reports as failed ends what is done.
BatchAnswer read_answer(const CallResult& result, std::span<const TriggerRecord> records,
                        const AnswerRules& rules);

}  // namespace stator::triggers
