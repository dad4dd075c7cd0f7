#include "protocol/text/ascii_text.h"

#include <string>

#include <catch2/catch.hpp>

namespace stator {
namespace {

TEST_CASE("ASCII: one other byte counts, wherever it is", "[protocol]") {
  for (std::size_t size = 0; size < 20; ++size) {
    const std::string text(size, '\x7F');
    CHECK(is_ascii(text));
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] = '\x80';
      CHECK_FALSE(is_ascii(other));
    }
  }
}

}  // namespace
}  // namespace stator
