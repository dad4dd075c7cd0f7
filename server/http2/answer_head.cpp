#include "server/http2/answer_head.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "protocol/text/ascii_case.h"
#include "server/http/header_text.h"

namespace stator::http2 {

namespace {

constexpr std::string_view kStart = "HTTP/1.1 ";
constexpr std::size_t kStatusDigits = 3;
constexpr std::array<std::string_view, 3> kOfConnection = {"connection", "keep-alive",
                                                           "transfer-encoding"};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = to_lower(c);
  return lower;
}

std::string_view next_line(std::string_view& rest) {
  std::string_view line = next_part(rest, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::optional<AnswerHead> AnswerHead::read(std::string_view text) {
  const std::string_view first = next_line(text);
  if (!first.starts_with(kStart) || first.size() < kStart.size() + kStatusDigits) return {};
  AnswerHead head;
  head.status = first.substr(kStart.size(), kStatusDigits);
  for (std::string_view line = next_line(text); !line.empty(); line = next_line(text)) {
    std::string name = lower_case(next_part(line, ':'));
    const std::string_view value = trim_blanks(line);
    const bool is_of_connection =
        std::find(kOfConnection.begin(), kOfConnection.end(), name) != kOfConnection.end();
    if (is_of_connection) continue;
    if (name == "content-length") {
      std::uint64_t bytes = 0;
      std::from_chars(value.data(), value.data() + value.size(), bytes);
      head.body_bytes = bytes;
    }
    head.fields.emplace_back(std::move(name), value);
  }
  return head;
}

}  // namespace stator::http2
