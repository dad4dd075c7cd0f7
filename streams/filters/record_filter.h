// Filters on the records of a stream, in the language of Lambda's event source mappings, which has
// the rules of EventBridge. Pure.
//
// A record is the JSON object that a function receives: eventID, eventName, … and below `dynamodb`
// the item in DynamoDB JSON, so numbers of items are strings there. Of a repeated member the last
// one counts. A field matches if any element of its array does, and fields below one list must
// match in the same element of it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "protocol/json/json_tree.h"

namespace stator {

inline constexpr std::size_t kFilterPatternBytesMax = 16'384;  // 4,096 characters

// Why a pattern is none. The service has one text for all of them; this one is for people.
struct FilterFault {
  std::string path;    // of the field, with dots; empty for the pattern as a whole
  std::string reason;  // a sentence without a full stop
};

// Copies share what is compiled. Thread-safe.
class RecordFilter {
 public:
  bool matches(const JsonNode& record) const;

  struct Mismatch {
    std::string path;    // of the first field that does not match, with dots
    std::string reason;  // what the pattern wants and what the record has, perhaps with a hint
  };
  // Empty if the record matches.
  std::optional<Mismatch> explain(const JsonNode& record) const;

  struct Compiled;
  explicit RecordFilter(std::shared_ptr<const Compiled> compiled)
      : compiled_(std::move(compiled)) {}

 private:
  std::shared_ptr<const Compiled> compiled_;
};

// `pattern` is the JSON text of a pattern.
tl::expected<RecordFilter, FilterFault> compile_filter(std::string_view pattern);

}  // namespace stator
