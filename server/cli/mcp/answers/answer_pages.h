// AnswerPages: cuts answers to their largest size, and continues them by cursors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/cli/mcp/answers/tool.h"

namespace stator::mcp {

// An answer has its text twice: as JSON and as a string with the same JSON. The largest size is of
// both, with their envelope.
class AnswerPages {
 public:
  static constexpr std::size_t kSizeMin = 4096;
  static constexpr std::size_t kSizeDefault = std::size_t{32} << 10;

  // REQUIRES: bytes_max >= kSizeMin
  explicit AnswerPages(std::size_t bytes_max);

  // Returns the object that begins the answer of the tool. If it is not all, its last member is a
  // `cursor`. A list is cut between its elements. An element, or a rest, that is too large alone
  // comes as `part`s of its JSON text; `part_ends` says which is the last.
  std::string begin(std::string_view tool, Answer answer);

  // Returns the object that follows. A cursor may be used again; only the last 16 are known.
  tl::expected<std::string, ToolError> go_on(std::string_view tool, std::string_view cursor);

 private:
  struct Place {
    std::shared_ptr<const Answer> answer;
    std::size_t element = 0;
    std::size_t byte = 0;  // in that element, of which a part was shown
  };
  struct Cursor {
    std::uint64_t number;
    std::string tool;
    Place place;
  };

  std::string page(std::string_view tool, Place place);
  std::string part(std::string_view tool, Place place);
  std::string remember(std::string_view tool, Place place);

  std::size_t room_;  // for the text, counted twice
  std::uint64_t last_number_ = 0;
  std::deque<Cursor> cursors_;
};

}  // namespace stator::mcp
