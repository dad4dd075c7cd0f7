// Test help: bytes through the request parser.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "server/http/http_request.h"

namespace stator::test {

// Feeds like a session does: unconsumed bytes come again with the next piece.
class Feeder {
 public:
  using Progress = HttpRequestParser::Progress;

  Progress feed(std::string_view piece) {
    pending_ += piece;
    const auto [consumed, progress] = parser_.feed(pending_);
    pending_.erase(0, consumed);
    return progress;
  }
  // In pieces of `size`, until the parser has an answer.
  Progress feed_in_pieces(std::string_view bytes, std::size_t size) {
    Progress progress = Progress::NeedMore;
    while (!bytes.empty() && progress == Progress::NeedMore) {
      progress = feed(bytes.substr(0, size));
      bytes.remove_prefix(std::min(size, bytes.size()));
    }
    return progress;
  }

  HttpRequestParser& parser() { return parser_; }
  HttpRequest& request() { return parser_.request(); }
  const std::string& pending() const { return pending_; }

 private:
  HttpRequestParser parser_;
  std::string pending_;
};

}  // namespace stator::test
