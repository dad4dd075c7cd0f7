// The fast writer of JSON: escapes at every place of strings of every length, room that grows.
#include "protocol/json/json_buffer.h"

#include <cstddef>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

namespace stator {
namespace {

// One byte after the other, as RFC 8259 says.
std::string quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kShort = "\"\\\n\t\r\b\f";
  constexpr std::string_view kLetters = "\"\\ntrbf";
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (const auto at = kShort.find(c); at != std::string_view::npos) {
      out += {'\\', kLetters[at]};
    } else if (code < 0x20) {
      out += {'\\', 'u', '0', '0', kHex[code >> 4], kHex[code & 15]};
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string written(std::string_view text, std::size_t expected_bytes) {
  std::string out = "before";
  JsonBuffer(out, expected_bytes).string(text);
  return out;
}

TEST_CASE("json buffer: every byte at every place of every short string", "[protocol]") {
  for (std::size_t size = 0; size <= 40; ++size) {
    std::string text(size, 'a');
    REQUIRE(written(text, size + 2) == "before" + quoted(text));
    for (std::size_t at = 0; at < size; ++at) {
      for (int code = 0; code < 256; ++code) {
        text[at] = static_cast<char>(code);
        if (written(text, size + 2) != "before" + quoted(text)) {
          FAIL("byte " << code << " at " << at << " of " << size);
        }
      }
      text[at] = 'a';
    }
  }
}

TEST_CASE("json buffer: of a short copy only what belongs to the text counts", "[protocol]") {
  for (std::size_t size = 0; size <= kJsonShortBytesMax; ++size) {
    for (std::size_t at = 0; at < kJsonShortBytesMax; ++at) {
      for (int code = 0; code < 256; ++code) {
        std::string in(kJsonShortBytesMax, 'a');
        in[at] = static_cast<char>(code);
        const std::string_view text = std::string_view(in).substr(0, size);
        std::string out(kJsonShortBytesMax, '-');
        const bool is_plain = copy_json_short(out.data(), in.data(), size);
        const bool is_right = quoted(text) == '"' + std::string(text) + '"';
        if (is_plain != is_right || std::string_view(out).substr(0, size) != text)
          FAIL("byte " << code << " at " << at << " of " << size);
      }
    }
  }
}

TEST_CASE("json buffer: room grows whatever was expected", "[protocol]") {
  std::mt19937_64 random(7);
  for (int run = 0; run < 200; ++run) {
    std::string out;
    std::string expected;
    {
      JsonBuffer buffer(out, random() % 50);
      for (std::size_t left = random() % 40; left > 0; --left) {
        std::string text(random() % 300, 'x');
        switch (random() % 9) {
          case 0:
            buffer.character('{');
            expected += '{';
            break;
          case 1:
            buffer.literal(R"({"BOOL":true})");
            expected += R"({"BOOL":true})";
            break;
          case 2:
            REQUIRE(buffer.number_between("\"", "\xC1\x2B", "\""));
            expected += R"("42")";
            break;
          case 3: {
            buffer.base64(text);
            std::string base64;
            append_base64(base64, text);
            expected += '"' + base64 + '"';
            break;
          }
          case 4:
            buffer.raw(text);
            expected += text;
            break;
          case 5: {
            const std::size_t count = random() % 100;
            const auto [at, end] = buffer.room();
            if (static_cast<std::size_t>(end - at) < count) break;
            std::memset(at, 'r', count);
            buffer.written_to(at + count);
            expected.append(count, 'r');
            break;
          }
          case 6: {
            const auto number = static_cast<std::int64_t>(random());
            buffer.integer(number);
            expected += std::to_string(number);
            break;
          }
          default:
            if (!text.empty()) text[random() % text.size()] = static_cast<char>(random() % 64);
            buffer.string(text);
            expected += quoted(text);
        }
      }
    }
    REQUIRE(out == expected);
  }
}

}  // namespace
}  // namespace stator
