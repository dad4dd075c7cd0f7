#include "engine/kinesis/shards.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "engine/storage/bytes/digest.h"

namespace stator {
namespace {

constexpr std::string_view kShardPrefix = "shardId-";
constexpr std::size_t kShardDigits = 12;
constexpr std::size_t kSequenceDigits = 56;
constexpr KinesisHash kHashMax = std::numeric_limits<KinesisHash>::max();

// A sequence number in hexadecimal: 2, created in seconds (9), shard (1), number (16), 00, time in
// seconds (9), shard (8), 2.
constexpr std::size_t kHexDigits = 47;
constexpr std::size_t kCreatedAt = 1;
constexpr std::size_t kShardDigitAt = 10;
constexpr std::size_t kNumberAt = 11;
constexpr std::size_t kZerosAt = 27;
constexpr std::size_t kTimeAt = 29;
constexpr std::size_t kShardAt = 38;
constexpr std::uint8_t kEnds = 2;  // the first and the last digit

using HexDigits = std::array<std::uint8_t, kHexDigits>;

void put_hex(HexDigits& digits, std::size_t at, std::size_t count, std::uint64_t value) {
  for (std::size_t i = count; i-- > 0; value >>= 4) digits[at + i] = value & 0xF;
}

std::uint64_t take_hex(const HexDigits& digits, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 4 | digits[at + i];
  return value;
}

// Divides by ten; returns the remainder.
unsigned divide_by_ten(HexDigits& digits) {
  unsigned rest = 0;
  for (std::uint8_t& digit : digits) {
    const unsigned value = rest * 16 + digit;
    digit = static_cast<std::uint8_t>(value / 10);
    rest = value % 10;
  }
  return rest;
}

// Multiplies by ten and adds; false if the result has too many digits.
bool add_decimal(HexDigits& digits, unsigned decimal) {
  unsigned carry = decimal;
  for (std::size_t i = digits.size(); i-- > 0;) {
    const unsigned value = digits[i] * 10U + carry;
    digits[i] = value & 0xF;
    carry = value >> 4;
  }
  return carry == 0;
}

bool is_digit_text(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The size of all ranges but the last, which is larger by the remainder. REQUIRES: shards > 1.
KinesisHash range_size(std::uint32_t shards) {
  return kHashMax / shards + (kHashMax % shards == shards - 1 ? 1 : 0);
}

}  // namespace

std::string kinesis_shard_id(std::uint32_t shard) {
  const std::string number = std::to_string(shard);
  std::string id(kShardPrefix);
  id.append(kShardDigits - number.size(), '0').append(number);
  return id;
}

std::optional<std::uint32_t> kinesis_shard_of_id(std::string_view id) {
  if (!id.starts_with(kShardPrefix)) return std::nullopt;
  id.remove_prefix(kShardPrefix.size());
  if (id.size() != kShardDigits || !is_digit_text(id)) return std::nullopt;
  std::uint32_t shard = 0;
  const auto [end, failure] = std::from_chars(id.data(), id.data() + id.size(), shard);
  if (failure != std::errc() || end != id.data() + id.size()) return std::nullopt;
  return shard;
}

KinesisHash kinesis_hash(std::string_view partition_key) {
  KinesisHash hash = 0;
  for (const unsigned char byte : storage::md5_of(partition_key)) hash = hash << 8 | byte;
  return hash;
}

std::optional<KinesisHash> read_kinesis_hash(std::string_view text) {
  if (!is_digit_text(text)) return std::nullopt;
  KinesisHash hash = 0;
  for (const char c : text) {
    const auto digit = static_cast<unsigned>(c - '0');
    if (hash > (kHashMax - digit) / 10) return std::nullopt;
    hash = hash * 10 + digit;
  }
  return hash;
}

std::string kinesis_hash_text(KinesisHash hash) {
  std::string text;
  do {
    text.push_back(static_cast<char>('0' + static_cast<int>(hash % 10)));
    hash /= 10;
  } while (hash != 0);
  std::reverse(text.begin(), text.end());
  return text;
}

KinesisHashRange kinesis_hash_range(std::uint32_t shard, std::uint32_t shards) {
  if (shards == 1) return {0, kHashMax};
  const KinesisHash size = range_size(shards);
  return {size * shard, shard + 1 == shards ? kHashMax : size * (shard + 1) - 1};
}

std::uint32_t kinesis_shard_of(KinesisHash hash, std::uint32_t shards) {
  if (shards == 1) return 0;
  return static_cast<std::uint32_t>(std::min<KinesisHash>(hash / range_size(shards), shards - 1));
}

std::string kinesis_sequence_text(const KinesisSequence& sequence) {
  HexDigits digits{};
  digits.front() = digits.back() = kEnds;
  put_hex(digits, kCreatedAt, 9, static_cast<std::uint64_t>(sequence.stream_created.unix_s()));
  put_hex(digits, kShardDigitAt, 1, sequence.shard);
  put_hex(digits, kNumberAt, 16, sequence.number);
  put_hex(digits, kTimeAt, 9, static_cast<std::uint64_t>(sequence.time.unix_s()));
  put_hex(digits, kShardAt, 8, sequence.shard);
  std::string text(kSequenceDigits, '0');
  for (std::size_t i = text.size(); i-- > 0;)
    text[i] = static_cast<char>('0' + static_cast<int>(divide_by_ten(digits)));
  return text;
}

std::optional<KinesisSequence> read_kinesis_sequence(std::string_view text) {
  if (text.size() != kSequenceDigits || !is_digit_text(text)) return std::nullopt;
  HexDigits digits{};
  for (const char c : text) {
    if (!add_decimal(digits, static_cast<unsigned>(c - '0'))) return std::nullopt;
  }
  constexpr std::int64_t kMicros = 1'000'000;
  KinesisSequence sequence;
  sequence.stream_created = {static_cast<std::int64_t>(take_hex(digits, kCreatedAt, 9)) * kMicros};
  sequence.shard = static_cast<std::uint32_t>(take_hex(digits, kShardAt, 8));
  sequence.number = take_hex(digits, kNumberAt, 16);
  sequence.time = {static_cast<std::int64_t>(take_hex(digits, kTimeAt, 9)) * kMicros};
  const bool is_ours = digits.front() == kEnds && digits.back() == kEnds &&
                       take_hex(digits, kZerosAt, 2) == 0 &&
                       digits[kShardDigitAt] == (sequence.shard & 0xF);
  return is_ours ? std::optional(sequence) : std::nullopt;
}

}  // namespace stator
