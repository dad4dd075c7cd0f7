// Sequence numbers: the number of a record in its journal, in the form that clients see.
//
// As in the service, the text is a counter followed by 20 digits that also rise: at least 21
// digits, more as the counter grows (conformance/observed/streams.md 6).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stator {

// 7 is 700000000000000000007.
std::string sequence_number(std::uint64_t number);
// Writes the text to `out`, which has space for kSequenceNumberBytesMax; returns the end.
inline constexpr std::size_t kSequenceNumberBytesMax = 40;
char* write_sequence_number(char* out, std::uint64_t number);

// The first number whose text, read as a whole number, is not less than `text` or, if `after` is
// set, greater. The maximum if no number qualifies; empty if the text is no whole number.
std::optional<std::uint64_t> position_of(std::string_view text, bool after);

}  // namespace stator
