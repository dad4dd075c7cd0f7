// Lines from a pipe.
#include "server/cli/mcp/line_reader.h"

#include <unistd.h>

#include <array>
#include <string>

#include <catch2/catch.hpp>

namespace stator::mcp {
namespace {

// A pipe with a text that has ended.
class EndedPipe {
 public:
  explicit EndedPipe(const std::string& text) {
    REQUIRE(::pipe(ends_.data()) == 0);
    REQUIRE(::write(ends_[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    ::close(ends_[1]);
  }
  ~EndedPipe() { ::close(ends_[0]); }
  EndedPipe(const EndedPipe&) = delete;
  EndedPipe& operator=(const EndedPipe&) = delete;

  int reading_end() const { return ends_[0]; }

 private:
  std::array<int, 2> ends_{};
};

TEST_CASE("line reader: lines, and what is none", "[server]") {
  const EndedPipe pipe{"one\n\n \t\r\ntwo\r\nthree"};
  LineReader lines{pipe.reading_end(), 100};
  CHECK(lines.next()->text == "one");
  CHECK(lines.next()->text == "two\r");
  CHECK(lines.next()->text == "three");
  CHECK_FALSE(lines.next());
  CHECK_FALSE(lines.next());
}

TEST_CASE("line reader: a line that is too long is skipped", "[server]") {
  const EndedPipe pipe{"12345678\n123456789\nab\n" + std::string(20, 'x')};
  LineReader lines{pipe.reading_end(), 8};
  CHECK(lines.next()->text == "12345678");
  const auto skipped = lines.next();
  REQUIRE(skipped);
  CHECK(skipped->is_too_long);
  CHECK(skipped->text.empty());
  CHECK(lines.next()->text == "ab");
  CHECK(lines.next()->is_too_long);
  CHECK_FALSE(lines.next());
}

}  // namespace
}  // namespace stator::mcp
