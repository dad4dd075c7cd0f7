#include "server/cli/mcp/answers/answer_pages.h"

#include <algorithm>
#include <utility>

#include "protocol/json/json_writer.h"

namespace stator::mcp {

namespace {

constexpr std::size_t kCursorsMax = 16;
// Of the rest of the line, with the longest id (json_rpc.h), and of a cursor.
constexpr std::size_t kEnvelopeBytes = 1024;

bool needs_escape(char c) { return c == '"' || c == '\\'; }

// The bytes of JSON text as it is, and once more inside a string. JSON text of this program has no
// control characters.
std::size_t twice(std::string_view json) {
  const auto escaped = std::count_if(json.begin(), json.end(), needs_escape);
  return 2 * json.size() + static_cast<std::size_t>(escaped);
}

// A byte of text that stands in a string of that JSON, counted twice as well.
std::size_t twice_in_string(char c) { return needs_escape(c) ? 6 : 2; }

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::string whole_text(const Answer& answer) {
  std::string text = "{";
  text += answer.before;
  char before = 0;
  for (const std::string& element : answer.elements) {
    if (before != 0) text += before;
    text += element;
    before = ',';
  }
  return text.append(answer.after).append("}");
}

}  // namespace

AnswerPages::AnswerPages(std::size_t bytes_max) : room_{bytes_max - kEnvelopeBytes} {}

std::string AnswerPages::begin(std::string_view tool, Answer answer) {
  // A frame that leaves no room for elements is cut like text.
  if (twice(answer.before) + twice(answer.after) > room_ / 2) {
    std::string text = whole_text(answer);
    if (twice(text) <= room_ && !answer.more) return text;
    answer = Answer{"", {std::move(text)}, "", std::move(answer.more)};
  }
  return page(tool, {std::make_shared<const Answer>(std::move(answer))});
}

tl::expected<std::string, ToolError> AnswerPages::go_on(std::string_view tool,
                                                        std::string_view cursor) {
  const auto found = std::find_if(cursors_.begin(), cursors_.end(), [cursor](const Cursor& known) {
    return std::to_string(known.number) == cursor;
  });
  if (found == cursors_.end())
    return wrong_argument("cursor: it is not known any more; call again without it");
  if (found->tool != tool) return wrong_argument("cursor: it is of the tool " + found->tool);
  const Place place = found->place;
  const bool is_at_end = place.element == place.answer->elements.size();
  if (!is_at_end || !place.answer->more) return page(tool, place);
  auto next = place.answer->more();
  if (!next) return tl::unexpected(std::move(next).error());
  return begin(tool, *std::move(next));
}

std::string AnswerPages::page(std::string_view tool, Place place) {
  const Answer& answer = *place.answer;
  const bool is_frameless = answer.before.empty();
  if (place.byte > 0 || is_frameless) return part(tool, place);
  std::size_t used = twice(answer.before) + twice(answer.after);
  std::string text = "{";
  text += answer.before;
  const std::size_t first = place.element;
  while (place.element < answer.elements.size()) {
    const std::string& element = answer.elements[place.element];
    used += twice(element) + 2;
    if (used > room_) break;
    if (place.element > first) text += ',';
    text += element;
    ++place.element;
  }
  const bool is_at_end = place.element == answer.elements.size();
  if (place.element == first && !is_at_end) return part(tool, place);
  text += answer.after;
  if (!is_at_end || answer.more) text += remember(tool, place);
  return text += '}';
}

std::string AnswerPages::part(std::string_view tool, Place place) {
  const Answer& answer = *place.answer;
  const std::string_view rest = std::string_view{answer.elements[place.element]}.substr(place.byte);
  std::size_t size = 0;
  for (std::size_t used = 0; size < rest.size(); ++size) {
    used += twice_in_string(rest[size]);
    if (used > room_) break;
  }
  const bool is_last = size == rest.size();
  while (!is_last && is_continuation(rest[size])) --size;
  place.byte = is_last ? 0 : place.byte + size;
  place.element += is_last ? 1 : 0;
  std::string text = "{\"part\":";
  append_json_string(text, rest.substr(0, size));
  text.append(",\"part_ends\":").append(is_last ? "true" : "false");
  // The frame of a list follows its last element, too.
  const bool has_more = place.element < answer.elements.size() || !answer.before.empty();
  if (has_more || answer.more) text += remember(tool, place);
  return text += '}';
}

std::string AnswerPages::remember(std::string_view tool, Place place) {
  cursors_.push_back({++last_number_, std::string{tool}, std::move(place)});
  if (cursors_.size() > kCursorsMax) cursors_.pop_front();
  return ",\"cursor\":\"" + std::to_string(last_number_) + '"';
}

}  // namespace stator::mcp
