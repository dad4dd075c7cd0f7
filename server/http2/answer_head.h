// AnswerHead: the head of a response as the sessions write it, as HTTP/2 needs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stator::http2 {

struct AnswerHead {
  std::string status;  // three digits
  // Names in lower case. Without those of a connection, which HTTP/2 does not know.
  std::vector<std::pair<std::string, std::string>> fields;
  std::optional<std::uint64_t> body_bytes;  // absent: the response has no body

  bool is_interim() const { return status.starts_with('1'); }

  // `text` ends with its empty line. Empty result if it is no head.
  static std::optional<AnswerHead> read(std::string_view text);
};

}  // namespace stator::http2
