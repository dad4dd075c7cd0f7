// The reader of CBOR: one pass over the bytes that writes JSON.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "protocol/cbor/cbor.h"
#include "protocol/json/json_writer.h"
#include "protocol/text/base64.h"
#include "protocol/text/utf8.h"

namespace stator {

namespace {

constexpr unsigned kDepthMax = 32;  // far above what any request of Kinesis has

// The three upper bits of an item's first byte.
enum class Major : std::uint8_t { Unsigned, Negative, Bytes, Text, Array, Map, Tag, Other };

constexpr unsigned kIndefinite = 31;
constexpr std::uint64_t kTimeTag = 1;
// 15 digits, which a double keeps. It is in the year 33658.
constexpr std::uint64_t kTimeMaxMs = 999'999'999'999'999;

// A number of 16 bits as IEEE 754 has it.
double half_value(std::uint16_t bits) {
  const auto exponent = static_cast<int>((bits >> 10U) & 0x1FU);
  const auto mantissa = static_cast<int>(bits & 0x3FFU);
  double value = 0;
  if (exponent == 0) {
    value = std::ldexp(mantissa, -24);
  } else if (exponent == 31) {
    value = mantissa == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else {
    value = std::ldexp(mantissa + 1024, exponent - 25);
  }
  return (bits & 0x8000U) != 0 ? -value : value;
}

class CborReader {
 public:
  CborReader(std::string_view bytes, std::string& out) : bytes_(bytes), json_(out) {}

  // Whether the bytes are one document.
  bool read() { return read_value(0) && at_ == bytes_.size(); }

 private:
  // The first bytes of an item.
  struct Head {
    Major major = Major::Unsigned;
    unsigned info = 0;        // the five lower bits of the first byte
    std::uint64_t value = 0;  // of an indefinite item: 0
    bool is_indefinite() const { return info == kIndefinite; }
  };

  std::optional<Head> read_head() {
    if (at_ == bytes_.size()) return {};
    const auto first = static_cast<unsigned char>(bytes_[at_++]);
    Head head{static_cast<Major>(first >> 5U), first & 0x1FU};
    if (head.info < 24) head.value = head.info;
    if (head.info < 24 || head.is_indefinite()) return head;
    if (head.info > 27) return {};
    const std::size_t size = std::size_t{1} << (head.info - 24);
    if (bytes_.size() - at_ < size) return {};
    for (std::size_t i = 0; i < size; ++i)
      head.value = head.value << 8U | static_cast<unsigned char>(bytes_[at_++]);
    return head;
  }

  // Whether the end of an indefinite item is next; skips it.
  bool skip_break() {
    if (at_ == bytes_.size() || static_cast<unsigned char>(bytes_[at_]) != 0xFFU) return false;
    ++at_;
    return true;
  }

  // The content of a string, which may come in chunks.
  std::optional<std::string> read_string(const Head& head) {
    std::string text;
    if (!head.is_indefinite()) {
      if (bytes_.size() - at_ < head.value) return {};
      text.assign(bytes_, at_, head.value);
      at_ += head.value;
      return text;
    }
    while (!skip_break()) {
      const auto chunk = read_head();
      if (!chunk || chunk->major != head.major || chunk->is_indefinite()) return {};
      const auto part = read_string(*chunk);
      if (!part) return {};
      text += *part;
    }
    return text;
  }

  bool read_value(unsigned depth) {
    const auto head = read_head();
    if (!head || depth > kDepthMax) return false;
    switch (head->major) {
      case Major::Unsigned:
      case Major::Negative:
        return write_integer(*head);
      case Major::Bytes:
      case Major::Text:
        return write_string(*head);
      case Major::Array:
        return read_array(*head, depth);
      case Major::Map:
        return read_map(*head, depth);
      case Major::Tag:
        return !head->is_indefinite() &&
               (head->value == kTimeTag ? read_time() : read_value(depth + 1));
      case Major::Other:
        break;
    }
    return read_other(*head);
  }

  bool write_integer(const Head& head) {
    if (head.is_indefinite() || head.value > std::numeric_limits<std::int64_t>::max()) return false;
    const auto value = static_cast<std::int64_t>(head.value);
    json_.integer(head.major == Major::Negative ? -1 - value : value);
    return true;
  }

  bool write_string(const Head& head) {
    const auto content = read_string(head);
    if (!content) return false;
    if (head.major == Major::Text) {
      if (!is_valid_utf8(*content)) return false;
      json_.string(*content);
      return true;
    }
    std::string packed;
    append_base64(packed, *content);
    json_.string(packed);
    return true;
  }

  bool read_array(const Head& head, unsigned depth) {
    json_.begin_array();
    for (std::uint64_t i = 0; head.is_indefinite() ? !skip_break() : i < head.value; ++i) {
      if (!read_value(depth + 1)) return false;
    }
    json_.end_array();
    return true;
  }

  bool read_map(const Head& head, unsigned depth) {
    json_.begin_object();
    for (std::uint64_t i = 0; head.is_indefinite() ? !skip_break() : i < head.value; ++i) {
      const auto name_head = read_head();
      if (!name_head || name_head->major != Major::Text) return false;
      const auto name = read_string(*name_head);
      if (!name || !is_valid_utf8(*name)) return false;
      json_.key(*name);
      if (!read_value(depth + 1)) return false;
    }
    json_.end_object();
    return true;
  }

  // Milliseconds as an integer; a number with a fraction is one of seconds, as the RFC has it.
  bool read_time() {
    const auto head = read_head();
    if (!head) return false;
    if (head->major == Major::Other) return read_other(*head);
    const bool is_time =
        head->major == Major::Unsigned && !head->is_indefinite() && head->value <= kTimeMaxMs;
    if (is_time) json_.timestamp_ms(static_cast<std::int64_t>(head->value));
    return is_time;
  }

  bool read_other(const Head& head) {
    switch (head.info) {
      case 20:
      case 21:
        json_.boolean(head.info == 21);
        return true;
      case 22:
      case 23:  // undefined
        json_.null();
        return true;
      case 25:
        return write_double(half_value(static_cast<std::uint16_t>(head.value)));
      case 26:
        return write_double(std::bit_cast<float>(static_cast<std::uint32_t>(head.value)));
      case 27:
        return write_double(std::bit_cast<double>(head.value));
      default:
        return false;
    }
  }

  bool write_double(double value) {
    // Others would be hundreds of digits as JSON; no member of a request has such a value.
    constexpr double kSmallest = 1e-9;
    constexpr double kLargest = 1e18;
    const double size = std::fabs(value);
    if (!(size == 0 || (size >= kSmallest && size <= kLargest))) return false;
    json_.decimal(value);
    return true;
  }

  const std::string_view bytes_;
  std::size_t at_ = 0;
  JsonWriter json_;
};

}  // namespace

std::optional<std::string> json_of_cbor(std::string_view cbor) {
  std::string json;
  if (!CborReader(cbor, json).read()) return std::nullopt;
  return json;
}

}  // namespace stator
