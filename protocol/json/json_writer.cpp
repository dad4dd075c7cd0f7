#include "protocol/json/json_writer.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

#include "protocol/json/json_buffer.h"

namespace stator {
namespace {

// Fits any 64-bit integer and any double in plain notation up to its shortest digits.
using NumberText = std::array<char, 400>;

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  JsonBuffer(out, text.size() + 2).string(text);
}

void JsonWriter::key(std::string_view name) {
  string(name);
  out_.push_back(':');
  needs_comma_ = false;
}

void JsonWriter::string(std::string_view text) {
  before_value();
  append_json_string(out_, text);
}

void JsonWriter::integer(std::int64_t value) {
  before_value();
  NumberText text;
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  out_.append(text.data(), result.ptr);
}

void JsonWriter::boolean(bool value) {
  before_value();
  out_.append(value ? "true" : "false");
}

void JsonWriter::null() {
  before_value();
  out_.append("null");
}

void JsonWriter::timestamp_ms(std::int64_t unix_ms) {
  before_value();
  // Unsigned arithmetic, so that the smallest integer has a magnitude too.
  const bool negative = unix_ms < 0;
  const auto bits = static_cast<std::uint64_t>(unix_ms);
  const std::uint64_t magnitude = negative ? 0 - bits : bits;
  if (negative) out_.push_back('-');
  NumberText text;
  const auto seconds = std::to_chars(text.data(), text.data() + text.size(), magnitude / 1000);
  out_.append(text.data(), seconds.ptr);
  const std::uint64_t ms = magnitude % 1000;
  if (ms == 0) return;
  const std::array<char, 4> fraction{'.', static_cast<char>('0' + ms / 100),
                                     static_cast<char>('0' + ms / 10 % 10),
                                     static_cast<char>('0' + ms % 10)};
  const std::size_t size = ms % 100 == 0 ? 2 : ms % 10 == 0 ? 3 : 4;
  out_.append(fraction.data(), size);
}

void JsonWriter::decimal(double value) {
  assert(std::isfinite(value));
  before_value();
  NumberText text;
  const auto result =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const std::string_view plain(text.data(), static_cast<std::size_t>(result.ptr - text.data()));
  out_.append(plain);
  if (plain.find('.') == std::string_view::npos) out_.append(".0");
}

void JsonWriter::raw(std::string_view json) {
  before_value();
  out_.append(json);
}

}  // namespace stator
